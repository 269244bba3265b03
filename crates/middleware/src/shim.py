"""Runs middleware. First request line: the event. Then one line per middleware, each answered with one line.

Each middleware runs in a forked child. So it has its own modules, its own copy of the event and its own standard
streams, and nothing it changes reaches the next one. A fork costs 1 ms, a new interpreter 20 to 40 ms.
"""
import io, json, os, select, sys, time
from importlib.machinery import ModuleSpec, SourceFileLoader

LIMIT = 1 << 20  # the most that is kept of what a middleware prints
FORK_PATIENCE = 10  # seconds to wait for a process while the machine has none to give

requests = os.fdopen(os.dup(0), "rb")
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


class PreviousResult(dict):
    """The result of an earlier middleware, read by key or by attribute."""

    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None


class BaseModule:
    """Finds our `middleware_base` when no folder of the middleware has one."""

    def __init__(self, source):
        self.source = source

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name == "middleware_base" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.source, "<tollgate>/middleware_base.py", "exec"), module.__dict__)


class Exit(Exception):
    """The middleware ended its process."""

    def __init__(self, error):
        self.code = exit_code(error)


def load(path, name):
    loader = SourceFileLoader(name, path)
    module = type(sys)(name)
    module.__file__, module.__loader__, module.__spec__ = path, loader, ModuleSpec(name, loader, origin=path)
    module.__spec__.has_location = True
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def stem(path):
    return "".join(letter if letter.isalnum() else "_" for letter in os.path.basename(path).split(".")[0])


def function(module, name):
    found = getattr(module, name, None)
    return found if callable(found) else None


def call(stage, event, previous):
    try:
        module = load(stage["path"], "tollgate_middleware_" + stem(stage["path"]))
    except SystemExit as error:
        raise Exit(error) from None
    process, validate = function(module, "process"), function(module, "validate")
    if not process and not validate:
        raise AttributeError("it has neither `process` nor `validate`")
    try:
        if process:
            result = processed(process, event, stage["config"], previous)
        elif not takes_arguments(validate):
            # A script's own function: it reads the event from standard input and ends with an exit code.
            sys.stdin = io.StringIO(json.dumps(event))
            result = validate()
            if result is None:
                raise SystemExit(0)
        else:
            result = validate(validated(event), context(event, stage["config"]))
        if hasattr(result, "__await__"):
            import asyncio

            async def awaited():
                return await result

            return asyncio.run(awaited())
        return result
    except SystemExit as error:
        raise Exit(error) from None


def processed(process, event, config, previous):
    """Calls it by name, as orchestrators do, where it has these names; else by position."""
    named = {"hook_input": event, "config": config, "previous_results": previous}
    code = getattr(process, "__code__", None)
    if code is None:
        return process(event, config, previous)
    names = code.co_varnames[code.co_posonlyargcount:code.co_argcount + code.co_kwonlyargcount]
    takes_any = bool(code.co_flags & 0x08) and code.co_argcount == 0
    if takes_any or all(name in names for name in named):
        return process(**named)
    return process(event, config, previous)


def takes_arguments(function):
    code = getattr(function, "__code__", None)
    return code is None or code.co_argcount > 0 or bool(code.co_flags & 0x0C) or code.co_kwonlyargcount > 0


# What every event has. The rest is what the event is about.
COMMON = ("session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name", "agent", "native",
          "__agent_config__")


def validated(event):
    """What a validator looks at: a tool's input, or where there is no tool what the event says (`prompt`, …)."""
    if "tool_input" in event or "tool_name" in event:
        return event.get("tool_input") or {}
    return {key: value for key, value in event.items() if key not in COMMON}


def context(event, config):
    left_out = ("native", "__agent_config__", "tool_input")
    fields = {"tool_use_id": None, "tool_name": None}
    fields.update((key, value) for key, value in event.items() if key not in left_out)
    fields["config"] = config
    return fields


def exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code) & 255
    print(code, file=sys.stderr)
    return 1


def plain(result):
    """A result as a dictionary, whatever class it has."""
    if result is None:
        return {"decision": "continue"}
    if isinstance(result, dict):
        return result
    fields = getattr(type(result), "__dataclass_fields__", None)
    if fields is not None:
        return {name: getattr(result, name) for name in fields}
    for method in ("_asdict", "model_dump"):
        if hasattr(result, method):
            return dict(getattr(result, method)())
    if any(hasattr(result, name) for name in ("decision", "action", "safe", "hookSpecificOutput")):
        return dict(vars(result))
    if hasattr(result, "keys"):
        return dict(result)
    raise TypeError("its result is of type `%s`; return a dict or a MiddlewareResult" % type(result).__name__)


def encode(value):
    """For JSON: what it cannot write by itself."""
    if hasattr(type(value), "__dataclass_fields__") or hasattr(value, "_asdict"):
        return plain(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    kind = sys.modules.get("enum")
    if kind is not None and isinstance(value, kind.Enum):
        return value.value
    return str(value)


def described(error):
    """The error with the innermost line that raised it."""
    where, trace = "", error.__traceback__
    while trace is not None:
        where = " (%s, line %d)" % (os.path.basename(trace.tb_frame.f_code.co_filename), trace.tb_lineno)
        trace = trace.tb_next
    return type(error).__name__ + ": " + str(error) + ("" if isinstance(error, SyntaxError) else where)


def child(stage, event, previous, streams, result_pipe):
    """Runs one middleware in this process, which then ends. Never returns."""
    code = 0
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        sys.path[:0] = stage["folders"]
        sys.argv = [stage["path"]]
        try:
            result = plain(call(stage, event, [PreviousResult(one) for one in previous]))
            line = json.dumps({"result": result}, default=encode)
        except Exit as ended:
            line, code = json.dumps({"exit": str(ended.code)}), ended.code
        except BaseException as error:
            line = json.dumps({"error": described(error)})
        with os.fdopen(result_pipe, "w", encoding="utf-8", closefd=False) as file:
            file.write(line)
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def fork():
    begun = time.monotonic()
    while True:
        try:
            return os.fork()
        except OSError as error:
            if time.monotonic() - begun > FORK_PATIENCE:
                raise RuntimeError("no process can be started: %s" % error) from None
            time.sleep(0.02)


def nameless(text):
    """A file without a name, to be read from its start."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("tollgate-event")
    else:
        import tempfile

        with tempfile.TemporaryFile() as opened:
            file = os.dup(opened.fileno())
    while text:
        text = text[os.write(file, text):]
    os.lseek(file, 0, os.SEEK_SET)
    return file


def run(stage, event, previous):
    """The answer of one middleware."""
    program_input = dict(event, config=stage["config"], previous_results=previous, middleware={"id": stage["id"]})
    standard_input = nameless(json.dumps(program_input).encode())
    pipes = [os.pipe() for _ in range(3)]
    pid = fork()
    if pid == 0:
        requests.close()
        answers.close()
        child(stage, event, previous, (standard_input, pipes[0][1], pipes[1][1]), pipes[2][1])
    os.close(standard_input)
    for pipe in pipes:
        os.close(pipe[1])
    printed, complaint, line, code = collect(pid, [pipe[0] for pipe in pipes])
    try:
        answer = json.loads(line)
    except ValueError:
        # It left without a result: by `os._exit` or by a signal.
        answer = {"exit": str(code)} if code >= 0 else {"error": "it was ended by signal %d" % -code}
    answer.update(id=stage["id"], printed=printed, complaint=complaint)
    return answer


def collect(pid, readers):
    """What a child printed on each pipe, and its exit code. A grandchild may keep the pipes open for longer."""
    texts = {reader: b"" for reader in readers}
    waiting, code = list(readers), None
    while waiting:
        ready = select.select(waiting, [], [], 0.05 if code is None else 0)[0]
        for reader in ready:
            piece = os.read(reader, 65536)
            texts[reader] += piece[:max(0, LIMIT - len(texts[reader]))]
            if not piece:
                waiting.remove(reader)
        if not ready and code is not None:
            break
        if not ready and code is None:
            ended, status = os.waitpid(pid, os.WNOHANG)
            code = exit_of(status) if ended else None
    if code is None:
        code = exit_of(os.waitpid(pid, 0)[1])
    for reader in readers:
        os.close(reader)
    return [texts[reader].decode("utf-8", "replace") for reader in readers] + [code]


def exit_of(status):
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def main():
    first = json.loads(requests.readline())
    try:
        # Under `uv` it was started elsewhere, so that no file of the project configures this interpreter.
        os.chdir(first.get("cwd") or ".")
    except OSError:
        pass
    sys.meta_path.append(BaseModule(first["base"]))
    answers.write("{}\n")
    answers.flush()
    for line in requests:
        request = json.loads(line)
        stage = request["stage"]
        try:
            answer = run(stage, first["input"], request["results"])
        except Exception as error:
            answer = {"id": stage["id"], "error": described(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
