"""Runs middlewares one after the other: a JSON object in, a JSON line out for each."""
import dataclasses, importlib.util, inspect, json, os, sys, traceback, types

# What a middleware prints must not be taken for its result.
answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


class Readable:
    """Read by attribute and by key, as the callers of either kind expect."""

    def __getitem__(self, key):
        try:
            return getattr(self, key)
        except AttributeError:
            raise KeyError(key) from None

    def get(self, key, default=None):
        return getattr(self, key, default)

    def __contains__(self, key):
        return hasattr(self, key)


@dataclasses.dataclass
class MiddlewareResult(Readable):
    decision: str = "continue"
    reason: str = ""
    metrics: dict = dataclasses.field(default_factory=dict)


class Earlier(Readable):
    def __init__(self, fields):
        self.__dict__.update(fields)

    def keys(self):
        return self.__dict__.keys()


base = types.ModuleType("middleware_base")
base.MiddlewareResult = MiddlewareResult
sys.modules["middleware_base"] = base


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("middleware_" + str(abs(hash(path))), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call(stage, event, earlier):
    module = load(stage["path"])
    if hasattr(module, "process"):
        result = module.process(event, stage["config"], [Earlier(one) for one in earlier])
    elif hasattr(module, "validate"):
        context = {key: event.get(key) for key in ("session_id", "tool_use_id", "tool_name", "cwd", "hook_event_name")}
        context["config"] = stage["config"]
        result = module.validate(event.get("tool_input") or {}, context)
    else:
        raise AttributeError("it has neither `process` nor `validate`")
    if inspect.isawaitable(result):
        import asyncio

        async def waited():
            return await result

        result = asyncio.run(waited())
    if dataclasses.is_dataclass(result):
        result = dataclasses.asdict(result)
    if result is None:
        result = {"decision": "continue"}
    return dict(result) if not isinstance(result, dict) else result


def blocks(result):
    said = str(result.get("decision") or result.get("action") or "").lower()
    return said in ("block", "deny", "fail") or result.get("safe") is False


def main():
    request = json.load(sys.stdin)
    try:
        # Under `uv` it was started elsewhere, so that no file of the project configures this interpreter.
        os.chdir(request.get("cwd") or ".")
    except OSError:
        pass
    answer.write("{}\n")
    answer.flush()
    earlier = request["results"]
    for stage in request["stages"]:
        try:
            result = call(stage, request["input"], earlier)
            line = json.dumps({"id": stage["id"], "result": result}, default=str)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.format_exception_only(type(error), error)[-1].strip()
            result, line = {}, json.dumps({"id": stage["id"], "error": where})
        answer.write(line + "\n")
        answer.flush()
        earlier.append({"id": stage["id"], "type": stage["type"], "decision": result.get("decision", "continue"),
                        "reason": result.get("reason"), "metrics": result.get("metrics") or {}})
        if request["stop"] and blocks(result):
            return


main()
