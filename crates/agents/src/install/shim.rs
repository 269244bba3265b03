//! Plug-ins for agents that have no hook programs: they start the gate and carry out its answer. What they cannot
//! read, and what does not come in time, is a refusal.

use tollgate_model::json::{Value, write};

use super::plan::OWN_MARK;
use super::registration::Registration;

/// The plug-in for OpenCode and its kin.
#[must_use]
pub fn opencode(registration: &Registration, agent: &str) -> String {
    filled(OPENCODE, registration, agent)
}

/// The plug-in for Amp.
#[must_use]
pub fn amp(registration: &Registration) -> String {
    filled(AMP, registration, "amp")
}

/// The words that a plug-in of ours starts for an event.
#[must_use]
pub fn words(text: &str, event: &str) -> Option<Vec<String>> {
    let line = text.lines().find_map(|line| line.strip_prefix("const GATE = "))?;
    let value = tollgate_model::json::parse(line.trim_end_matches(';').as_bytes()).ok()?;
    let words = value.as_list()?.iter().filter_map(Value::as_str);
    Some(words.map(|word| if word == EVENT { event.to_owned() } else { word.to_owned() }).collect())
}

/// Stands for the event in the words of a plug-in.
const EVENT: &str = "EVENT";

/// After how many seconds a plug-in refuses by itself.
pub(super) const LIMIT: u64 = 60;

fn filled(text: &str, registration: &Registration, agent: &str) -> String {
    let limit = (LIMIT * 1000).to_string();
    let text = text.replace("@MARK@", OWN_MARK).replace("@LIMIT@", &limit);
    text.replace("@GATE@", &gate(registration, agent))
}

fn gate(registration: &Registration, agent: &str) -> String {
    let words = std::iter::once(registration.command.clone()).chain(registration.args(agent, EVENT));
    let mut text = String::new();
    write(&Value::List(words.map(Value::from).collect()), &mut text);
    text
}

const OPENCODE: &str = r#"// Tollgate's plug-in, @MARK@; changes are lost when it runs again.
import { spawn } from "node:child_process";

const GATE = @GATE@;
const LIMIT_MS = @LIMIT@;

const failed = (why) => ({
  decision: "deny",
  reason: `Tollgate could not decide about this call: ${why}. The user can find out more with \`tollgate doctor\``,
});

const answer = (text) => {
  try {
    const value = JSON.parse(text);
    if (value?.decision === "allow" || value?.decision === "deny") return value;
  } catch {}
  return failed("its answer cannot be read");
};

const ask = (event, payload) =>
  new Promise((resolve) => {
    try {
      const input = JSON.stringify(payload);
      const words = GATE.map((word) => (word === "EVENT" ? event : word));
      const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        resolve(failed("it gave no answer in time"));
      }, LIMIT_MS);
      let text = "";
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (piece) => (text += piece));
      child.on("error", (error) => {
        clearTimeout(timer);
        resolve(failed(String(error)));
      });
      child.on("close", () => {
        clearTimeout(timer);
        resolve(answer(text));
      });
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    } catch (error) {
      resolve(failed(String(error)));
    }
  });

export const Tollgate = async ({ directory }) => {
  const contexts = new Map();
  const parents = new Map();
  // A subagent works in a session of its own; what binds the one that started it binds it, too.
  const about = (id) => {
    let root = id;
    for (let step = 0; step < 16 && parents.has(root); step++) root = parents.get(root);
    return root === id ? { directory } : { directory, parentSession: root };
  };
  return {
    "tool.execute.before": async (input, output) => {
      const said = await ask("tool.execute.before", { input, output, ...about(input?.sessionID) });
      if (said.decision === "deny") throw new Error(said.reason);
      if (said.args) {
        for (const key of Object.keys(output.args)) delete output.args[key];
        Object.assign(output.args, said.args);
      }
    },
    "tool.execute.after": async (input, output) => {
      const said = await ask("tool.execute.after", { input, output, ...about(input?.sessionID) });
      if (said.context && typeof output.output === "string") output.output += `\n\n${said.context}`;
    },
    "chat.message": async (input, output) => {
      const said = await ask("chat.message", { input, output, directory });
      if (said.decision === "deny") throw new Error(said.reason);
    },
    "experimental.chat.system.transform": async (input, output) => {
      const said = await contexts.get(input?.sessionID);
      if (said?.context) output.system.push(said.context);
    },
    event: async ({ event }) => {
      const info = event.properties?.info;
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID);
      if (!/^session\.(created|idle|error|deleted|compacted)$/.test(event.type)) return;
      const said = ask(`event.${event.type}`, { ...event, directory });
      if (event.type === "session.created") contexts.set(event.properties?.sessionID ?? info?.id, said);
      if (event.type === "session.deleted") contexts.delete(event.properties?.sessionID);
      await said;
    },
  };
};
"#;

const AMP: &str = r#"// Tollgate's plug-in, @MARK@; changes are lost when it runs again.
import { spawnSync } from "node:child_process";

const GATE = @GATE@;

const ask = (event: string, payload: unknown) => {
  try {
    const words = GATE.map((word: string) => (word === "EVENT" ? event : word));
    const ran = spawnSync(words[0], words.slice(1), { input: JSON.stringify(payload), encoding: "utf8", timeout: @LIMIT@ });
    const value = JSON.parse(ran.stdout);
    if (typeof value?.verdict === "string") return value;
  } catch {}
  return { verdict: "deny", reason: "Tollgate could not decide about this call. The user can find out more with `tollgate doctor`" };
};

export default function (amp: any) {
  const about = (event: any) => ({ session: event?.thread?.id ?? "", cwd: process.cwd() });
  amp.on("session.start", (event: any) => void ask("session-start", { event: "session-start", ...about(event) }));
  amp.on("tool.call", (event: any) => {
    const tool = { id: event.toolUseID ?? "", name: event.tool, input: event.input ?? {} };
    const said = ask("pre-tool", { event: "pre-tool", ...about(event), tool });
    if (said.verdict !== "allow") return { action: "reject-and-continue", message: said.reason };
    if (said.input) return { action: "modify", input: said.input };
  });
  amp.on("agent.end", (event: any) => void ask("stop", { event: "stop", ...about(event) }));
}
"#;
