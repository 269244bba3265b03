// Runs without the gate: node --test
import assert from "node:assert/strict";
import { test } from "node:test";

import { process } from "./@STEM@.mjs";

const config = { words: ["production"] };
const bash = (command) => ({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });

test("blocks a word", () => {
  const result = process(bash("deploy production"), config, []);
  assert.deepEqual([result.decision, result.reason], ["block", "`production` is not for agents"]);
});

test("allows the rest", () => {
  assert.equal(process(bash("ls"), config, []).decision, "allow");
});

test("looks at shell commands only", () => {
  const event = { tool_name: "Read", tool_input: { file_path: "production.txt" } };
  assert.equal(process(event, config, []).decision, "allow");
});
