//! `tollgate validate NAME`: one validator alone, by the contract of validators in hook frameworks.
//!
//! `tool_input` on standard input, `{"safe": bool, "reason": str|null, "metadata": {…}}` on standard output, exit 0
//! whatever the answer: who asks reads `safe`. Without an answer (unknown name, no JSON) nothing is printed and the
//! exit code is 2.

mod own;

use std::io::IsTerminal;

use anyhow::bail;
use serde_json::json;
use tollgate_model::json::{self, Value};
use tollgate_model::{Card, Decision, Pack, Rule};

use super::explain::{Call, Explanation, PROMPT, explain, here, stdin};
use crate::exit::ExitCode;
use crate::out;

/// Arguments of `tollgate validate`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Rule, pack, middleware id, built-in validator or file
    name: String,
    /// Tool that the input is for [default: from the input]
    #[arg(long)]
    tool: Option<String>,
    /// Working directory of the call
    #[arg(long)]
    cwd: Option<String>,
}

/// Judges one tool input by one validator.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(own) = own::find(&args.name, &here(args.cwd.as_deref())?)? {
        let Call { tool, input, cwd, .. } = call(args)?;
        let given = own::Input { tool, named: args.tool.is_some(), input, cwd };
        return own.answer(&given, &args.name);
    }
    let validator = find(&args.name)?;
    let call = call(args)?;
    if !validator.looks_at(&call.tool) {
        answer(None, json!({"validator": args.name, "tool": call.tool, "skipped": true}));
        return Ok(ExitCode::SUCCESS);
    }
    let told = explain(&call)?;
    let decision = decision(&validator, &told);
    let metadata = json!({
        "validator": args.name,
        "tool": call.tool,
        "verdict": decision.verdict.name(),
        "rules": decision.findings.iter().map(|found| found.rule.as_str()).collect::<Vec<_>>(),
        "effects": told.effects.iter().map(|effect| effect.told()).collect::<Vec<_>>(),
    });
    // What a person types is not refused by default. A validator of prompts answers what it found all the same.
    let unsafe_prompt = call.tool == PROMPT && !decision.findings.is_empty();
    let found = decision.verdict.refuses() || unsafe_prompt;
    answer(found.then(|| reason(&decision)), metadata);
    Ok(ExitCode::SUCCESS)
}

/// What a name stands for.
struct Validator {
    /// The rules that are asked.
    rules: Which,
    /// The tools that it looks at; none means all of them.
    tools: &'static [&'static str],
}

enum Which {
    All,
    One(&'static str),
    Packs(&'static [Pack]),
}

const BASH: &[&str] = &["Bash"];
const FILES: &[&str] =
    &["Read", "Write", "Edit", "MultiEdit", "NotebookRead", "NotebookEdit", "Grep", "Glob", "LS"];
const PROMPTS: &[&str] = &[PROMPT];
const SENSITIVE: &[Pack] = &[Pack::Secrets, Pack::SelfProtection];

/// Validators of hook frameworks by the names that those give them: which tools, which packs (none: every rule).
const NAMED: &[(&str, &[&str], &[Pack])] = &[
    ("security.bash", BASH, &[]),
    ("bash", BASH, &[]),
    ("bash-validator", BASH, &[]),
    ("block-dangerous-commands", BASH, &[]),
    ("block-destructive-commands", BASH, &[]),
    ("security.file", FILES, &[]),
    ("file", FILES, &[]),
    ("protect-sensitive-files", &[], SENSITIVE),
    ("block-sensitive-files", &[], SENSITIVE),
    ("validate-tool-inputs", &[], &[]),
    ("prompt.pii", PROMPTS, &[Pack::Prompt]),
    ("pii", PROMPTS, &[Pack::Prompt]),
];

impl Validator {
    fn looks_at(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.contains(&tool)
    }

    fn asks(&self, card: &Card) -> bool {
        match self.rules {
            Which::All => true,
            Which::One(id) => card.id == id,
            Which::Packs(packs) => packs.contains(&card.pack),
        }
    }
}

fn find(name: &str) -> anyhow::Result<Validator> {
    let plain = name.trim_end_matches(".py").trim_end_matches(".sh").replace('/', ".");
    if let Some((_, tools, packs)) = NAMED.iter().find(|(known, _, _)| *known == plain) {
        let rules = if packs.is_empty() { Which::All } else { Which::Packs(packs) };
        return Ok(Validator { rules, tools });
    }
    if let Some(pack) = Pack::ALL.iter().find(|pack| pack.name() == name) {
        return Ok(Validator { rules: Which::Packs(std::slice::from_ref(pack)), tools: &[] });
    }
    if let Some(card) = cards().find(|card| card.id == name) {
        return Ok(Validator { rules: Which::One(card.id), tools: &[] });
    }
    let names = NAMED.iter().map(|(name, _, _)| *name);
    let names = names.chain(Pack::ALL.iter().map(|pack| pack.name())).chain(cards().map(|card| card.id));
    match tollgate_policy::nearest(name, names) {
        Some(near) => bail!("unknown validator `{name}`; did you mean `{near}`?"),
        None => {
            bail!("unknown validator `{name}`; give a rule (`tollgate rules`), a pack, or `security.bash`")
        }
    }
}

fn call(args: &Args) -> anyhow::Result<Call> {
    let text = if std::io::stdin().is_terminal() { "{}".to_owned() } else { stdin()? };
    let input = json::parse(text.as_bytes())
        .map_err(|error| anyhow::anyhow!("standard input is no JSON: {error}"))?;
    if input.as_map().is_none() {
        bail!("the tool input must be a JSON object, not {}", input.type_name());
    }
    let tool = args.tool.clone().unwrap_or_else(|| tool_of(&input).to_owned());
    Ok(Call { tool, input, cwd: here(args.cwd.as_deref())?, logged: None })
}

/// The tool whose input has these members.
fn tool_of(input: &Value) -> &'static str {
    const SIGNS: &[(&str, &str)] = &[
        ("command", "Bash"),
        ("notebook_path", "NotebookEdit"),
        ("edits", "MultiEdit"),
        ("old_string", "Edit"),
        ("content", "Write"),
        ("url", "WebFetch"),
        ("pattern", "Grep"),
        ("file_path", "Read"),
        ("query", "WebSearch"),
        ("subagent_type", "Task"),
        ("prompt", PROMPT),
    ];
    SIGNS.iter().find(|(member, _)| input.get(member).is_some()).map_or("", |(_, tool)| tool)
}

/// The decision, if only these rules were there.
fn decision(validator: &Validator, told: &Explanation) -> Decision {
    let mut decision = Decision::default();
    let asked = told.opinions.iter().filter(|opinion| validator.asks(opinion.card));
    asked.filter_map(|opinion| opinion.finding.clone()).for_each(|found| decision.add(found));
    decision
}

/// Why it is not safe. A decision that only notes has no reason of its own.
fn reason(decision: &Decision) -> String {
    if decision.verdict.refuses() {
        return decision.reason();
    }
    let found = decision.findings.iter().map(|found| format!("{} [{}]", found.hit.what, found.rule));
    found.collect::<Vec<_>>().join("; ")
}

fn answer(reason: Option<String>, metadata: serde_json::Value) {
    out::line(&json!({"safe": reason.is_none(), "reason": reason, "metadata": metadata}).to_string());
}

fn cards() -> impl Iterator<Item = &'static Card> {
    tollgate_rules::all().map(Rule::card)
}
