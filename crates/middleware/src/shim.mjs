// Runs one middleware: a JSON object in (the event, the middleware, the results before it), one JSON line out.
import { readFileSync, writeSync } from "node:fs";
import * as modules from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";

const LIMIT = 1 << 20; // the most that is kept of what a middleware prints
function writeLine(value) {
  let rest = Buffer.from(JSON.stringify(value) + "\n");
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

// What a middleware prints must not be taken for its result. It counts only when it ends the process.
const kept = { printed: "", complaint: "" };
const keep = (key) => (...words) => {
  if (kept[key].length < LIMIT) kept[key] += words.map(String).join(" ") + "\n";
};
console.log = console.info = console.debug = keep("printed");
console.error = console.warn = console.trace = keep("complaint");
process.stdout.write = (text) => (keep("printed")(text), true);
process.stderr.write = (text) => (keep("complaint")(text), true);

let answered = false;
function answer(value) {
  if (answered) return;
  answered = true;
  writeLine(value);
}

// `exit(0)` allows and `exit(2)` refuses, as for a program. A process that just ends, because nothing keeps it going,
// has given no answer.
let asked = false;
const marked = (exit) => (code) => {
  asked = true;
  return exit(code);
};
process.exit = marked(process.exit.bind(process));
if (globalThis.Deno?.exit) globalThis.Deno.exit = marked(globalThis.Deno.exit.bind(globalThis.Deno));
modules.syncBuiltinESMExports?.(); // for `import { exit } from "node:process"`
function ended(code) {
  if (asked || code) answer({ exit: String(code ?? 0), ...kept });
  else answer({ error: "it ended without an answer" });
}
process.on("exit", (code) => ended(code ?? process.exitCode));
// Deno's own exit raises no `exit` event of Node's.
globalThis.addEventListener?.("unload", () => ended(globalThis.Deno?.exitCode));

// What every event has. The rest is what the event is about.
const COMMON = ["session_id", "transcript_path", "cwd", "permission_mode", "hook_event_name", "agent", "native",
  "__agent_config__"];

// What a validator looks at: a tool's input, or where there is no tool what the event says (`prompt`, …).
function validated(event) {
  if ("tool_input" in event || "tool_name" in event) return event.tool_input ?? {};
  return Object.fromEntries(Object.entries(event).filter(([key]) => !COMMON.includes(key)));
}

async function call(stage, event, earlier) {
  const loaded = await import(pathToFileURL(stage.path).href);
  const module = loaded.process || loaded.validate ? loaded : (loaded.default ?? loaded);
  if (typeof module.process === "function") return module.process(event, stage.config, earlier);
  if (typeof module.validate === "function") {
    const { native, __agent_config__, tool_input, ...context } = event;
    return module.validate(validated(event), { ...context, config: stage.config });
  }
  if (typeof module === "function") return module(event, stage.config, earlier);
  throw new Error("it has neither `process` nor `validate`");
}

const { input, cwd, stage, results } = JSON.parse(readFileSync(0, "utf8"));
// Started elsewhere, so that no file of the project configures this interpreter.
try {
  if (cwd) process.chdir(cwd);
} catch {}
writeLine({});
try {
  const result = await call(stage, input, results);
  if (result === undefined && process.exitCode) ended(process.exitCode);
  else if (result !== null && typeof result === "object" || result == null)
    answer({ id: stage.id, result: result ?? { decision: "continue" } });
  else answer({ id: stage.id, error: `its result is of type ${typeof result}; return an object` });
} catch (error) {
  answer({ id: stage.id, error: String(error?.message ?? error) });
}
process.exit(0);
