// Runs middlewares one after the other: a JSON object in, a JSON line out for each.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

// What a middleware prints must not be taken for its result.
console.log = console.info = console.debug = console.error;
process.stdout.write = process.stderr.write.bind(process.stderr);

const blocks = (result) =>
  ["block", "deny", "fail"].includes(String(result.decision ?? result.action ?? "").toLowerCase()) ||
  result.safe === false;

async function call(stage, event, earlier) {
  const loaded = await import(pathToFileURL(stage.path).href);
  const module = loaded.process || loaded.validate ? loaded : (loaded.default ?? loaded);
  if (typeof module.process === "function") return module.process(event, stage.config, earlier);
  if (typeof module.validate === "function") {
    const { session_id, tool_use_id, tool_name, cwd, hook_event_name } = event;
    const context = { session_id, tool_use_id, tool_name, cwd, hook_event_name, config: stage.config };
    return module.validate(event.tool_input ?? {}, context);
  }
  if (typeof module === "function") return module(event, stage.config, earlier);
  throw new Error("it has neither `process` nor `validate`");
}

const request = JSON.parse(readFileSync(0, "utf8"));
// Started elsewhere, so that no file of the project configures this interpreter.
try {
  if (request.cwd) process.chdir(request.cwd);
} catch {}
writeSync(1, "{}\n");
const earlier = request.results;
for (const stage of request.stages) {
  let result = {};
  let line;
  try {
    result = (await call(stage, request.input, [...earlier])) ?? { decision: "continue" };
    line = JSON.stringify({ id: stage.id, result });
  } catch (error) {
    result = {};
    line = JSON.stringify({ id: stage.id, error: String(error?.message ?? error) });
  }
  writeSync(1, line + "\n");
  earlier.push({
    id: stage.id,
    type: stage.type,
    decision: result.decision ?? "continue",
    reason: result.reason ?? null,
    metrics: result.metrics ?? {},
  });
  if (request.stop && blocks(result)) break;
}
process.exit(0);
