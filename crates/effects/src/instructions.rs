//! Texts that coding agents take their instructions from: what in them turns an agent against the person it works for.

mod rounds;

use tollgate_model::World;

use crate::content;
use crate::orders;
pub(crate) use rounds::gets_round;
use rounds::{behind_colon, is_sought};

/// Names of files that agents read on their own.
const NAMES: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENT.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "QWEN.md",
    "CONVENTIONS.md",
    "WARP.md",
    "CRUSH.md",
    "SKILL.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    ".goosehints",
    ".rules",
    "copilot-instructions.md",
    "llms.txt",
    "IFLOW.md",
    "airules.md",
];

/// Folders whose texts agents read on their own.
const FOLDERS: &[&str] = &[
    "/.cursor/rules/",
    "/.cursor/commands/",
    "/.claude/",
    "/.github/instructions/",
    "/.github/prompts/",
    "/.github/chatmodes/",
    "/.github/agents/",
    "/.windsurf/",
    "/.clinerules/",
    "/.roo/",
    "/.kiro/steering/",
    "/.kilocode/",
    "/.augment/",
    "/.junie/",
    "/.amazonq/",
    "/.continue/",
    "/.trae/",
    "/.codex/",
    "/.gemini/",
    "/.opencode/",
    "/.agents/",
    "/.agent/",
    "/.openhands/",
    "/.aiassistant/",
    "/.qoder/",
    "/.iflow/",
    "/.factory/",
    "/.pi/",
    "/.idx/",
    "/.zencoder/",
    "/.tabnine/",
    "/skills/",
];

/// The longest text of this kind that is read.
const LIMIT: usize = 256 * 1024;
const TOO_LONG: &str = "more than can be analysed";

/// Do agents take instructions from a file of this name?
pub(crate) fn is_for_agents(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let text = [".md", ".mdc", ".txt", ".toml"].iter().any(|end| name.ends_with(end));
    NAMES.contains(&name) || text && FOLDERS.iter().any(|folder| path.contains(folder))
}

/// The first thing that the new text tells an agent and the old text does not.
pub(crate) fn poison(path: &str, text: &str, world: &dyn World) -> Option<String> {
    if text.len() > LIMIT {
        return Some(TOO_LONG.to_owned());
    }
    let new = poisons(text, world);
    if new.is_empty() {
        return None;
    }
    let old = world.read(path, LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    let old = old.map(|old| poisons(&old, world)).unwrap_or_default();
    new.into_iter().find(|poison| !old.contains(poison))
}

/// The first thing that a text tells an agent which turns it against its person.
pub(crate) fn told_in(text: &str, world: &dyn World) -> Option<String> {
    if text.len() > LIMIT { Some(TOO_LONG.to_owned()) } else { poisons(text, world).into_iter().next() }
}

fn poisons(text: &str, world: &dyn World) -> Vec<String> {
    let mut found = Vec::new();
    for sentence in Sentences::of(text) {
        if let Some(round) = gets_round(&sentence) {
            found.push(round.to_owned());
        }
        if (sentence.forbids || sentence.words.contains(" without ")) && hides(&sentence) {
            found.push("to hide something from the person".to_owned());
        }
        if sentence.forbids {
            continue;
        }
        let plain = behind_colon(&sentence.said).filter(|_| sentence.code.is_empty());
        let plain = plain.and_then(orders::begins_command).map(str::to_owned);
        let code = sentence.code.iter().filter(|_| !is_sought(&sentence)).cloned().chain(plain);
        for code in code {
            found.extend(content::shell_dangers(&code, world).into_iter().map(|does| {
                format!("to run `{}`, which {does}", code.trim().lines().next().unwrap_or_default())
            }));
        }
        found.extend(told(&sentence).map(str::to_owned));
    }
    found
}

/// A sentence of a text, with the code that stands in it.
pub(crate) struct Sentence {
    /// In small letters, with `` ` `` for each piece of code.
    pub words: String,
    pub code: Vec<String>,
    /// As it stands.
    pub said: String,
    /// It, or what it stands under, says what not to do.
    pub forbids: bool,
}

/// Reads a text of paragraphs, lists and blocks of code.
pub(crate) struct Sentences {
    found: Vec<Sentence>,
    /// The heading or the line with a colon that goes before forbids.
    under: bool,
    /// The last sentence before a block of code forbids.
    last: bool,
}

impl Sentences {
    pub fn of(text: &str) -> Vec<Sentence> {
        let mut all = Self { found: Vec::new(), under: false, last: false };
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            let plain = line.trim();
            let fence = plain.starts_with("```") || plain.starts_with("~~~");
            match &mut block {
                Some((tag, code)) if fence => {
                    all.block(tag, code);
                    block = None;
                }
                Some((_, code)) => {
                    code.push_str(plain.strip_prefix("$ ").unwrap_or(plain));
                    code.push('\n');
                }
                None if fence => {
                    let tag = plain.trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
                    block = Some((tag, String::new()));
                }
                None => all.line(plain),
            }
        }
        if let Some((tag, code)) = block {
            all.block(&tag, &code);
        }
        all.found
    }

    fn block(&mut self, tag: &str, code: &str) {
        if matches!(tag, "" | "sh" | "bash" | "shell" | "zsh" | "console" | "terminal" | "shell-session") {
            let forbids = self.under || self.last;
            self.found.push(Sentence {
                words: String::new(),
                code: vec![code.to_owned()],
                said: String::new(),
                forbids,
            });
        }
    }

    fn line(&mut self, line: &str) {
        if line.is_empty() {
            return;
        }
        let heading = line.starts_with('#');
        if heading {
            self.under = false;
        }
        for sentence in split(line) {
            let (words, code) = without_code(sentence);
            let forbids = self.under && !heading || forbids(&words);
            self.last = forbids;
            self.found.push(Sentence { words, code, said: sentence.trim().to_owned(), forbids });
        }
        let item = line.starts_with(['-', '*', '+']) || line.starts_with(|c: char| c.is_ascii_digit());
        if heading || line.ends_with(':') {
            self.under = self.last;
        } else if !item {
            self.under = false;
        }
    }
}

/// The sentences of a line; full stops in code and in names end none.
fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut in_code) = (0, false);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        in_code ^= c == '`';
        let ends = matches!(c, '.' | '!' | '?' | ';') && chars.peek().is_none_or(|(_, next)| *next == ' ');
        if ends && !in_code {
            parts.extend(line.get(start..=at));
            start = at + 1;
        }
    }
    parts.extend(line.get(start..).filter(|rest| !rest.trim().is_empty()));
    parts
}

/// A sentence in small letters without its code, and the code.
fn without_code(sentence: &str) -> (String, Vec<String>) {
    let mut words = String::new();
    let mut code = Vec::new();
    for (number, part) in sentence.split('`').enumerate() {
        if number % 2 == 0 {
            words.push_str(&part.to_lowercase());
        } else {
            words.push('`');
            code.push(part.to_owned());
        }
    }
    (format!(" {} ", words.replace('\u{2019}', "'").trim()), code)
}

/// Says what not to do.
fn forbids(words: &str) -> bool {
    // The name of an option says nothing against it, and what something is good for forbids nothing.
    let mut words = words.replace("--dangerously", "--").replace(" to avoid ", " for ");
    // Whoever is to act unasked is told to act.
    for unasked in
        ["asking", "confirm", "prompting", "approval", "permission", "telling", "informing", "waiting"]
    {
        words = words
            .replace(&format!(" without {unasked}"), " ")
            .replace(&format!(" without any {unasked}"), " ");
    }
    [
        " never ",
        " not ",
        "n't ",
        " avoid",
        "forbidden",
        "prohibited",
        " no ",
        " don't",
        " without ",
        "instead of",
        "rather than",
        "refuse",
        "dangerous",
        "blocked",
        "bad:",
        " denied",
        " beware",
        "unsafe",
        "disallow",
        " reject",
        "malicious",
        " e.g. an attack",
    ]
    .iter()
    .any(|word| words.contains(word))
}

/// Tells the agent not to say something to the person.
fn hides(sentence: &Sentence) -> bool {
    let words = sentence.words.as_str();
    let not =
        ["never ", "not ", "n't ", "without ", "avoid "].iter().flat_map(|not| words.match_indices(not));
    let mut told =
        not.filter_map(|(at, not)| words.get(at + not.len()..)).filter(|_| !words.contains("unless"));
    told.any(|rest| {
        let says = [
            "tell", "inform", "notify", "alert", "warn", "mention", "reveal", "disclose", "show", "report",
            "let",
        ];
        let Some(verb) = says.iter().find(|verb| rest.starts_with(*verb)) else { return false };
        let rest = rest.get(verb.len()..).unwrap_or_default().trim_start_matches("ing").trim_start();
        let person = PEOPLE.iter().find(|person| rest.starts_with(*person));
        let to_person = ["this to ", "it to ", "that to ", "these steps to ", "this step to "]
            .iter()
            .find_map(|to| rest.strip_prefix(to))
            .is_some_and(|rest| PEOPLE.iter().any(|person| rest.starts_with(person)));
        let Some(person) = person else { return to_person };
        let rest = rest.get(person.len()..).unwrap_or_default().trim_start();
        let about = ["about", "of th", "this", "that you", "what you", "know", ".", ",", "!", ";"];
        rest.is_empty() || about.iter().any(|word| rest.starts_with(word))
    })
}

const PEOPLE: &[&str] = &[
    "the user",
    "the human",
    "the developer",
    "the person",
    "the owner",
    "the operator",
    "users",
    "anyone",
    "your user",
];

/// What turns an agent against its person: a sentence with a word of each list.
const TOLD: &[(&[&[&str]], &str)] = &[
    (
        &[
            &[
                "tollgate",
                "safety gate",
                "approval prompt",
                "permission prompt",
                "guardrail",
                "safety hook",
                "pretooluse hook",
                "security hook",
            ],
            &[
                "disable",
                "turn off",
                "uninstall",
                "bypass",
                "circumvent",
                "work around",
                "kill ",
                "stop the tollgate",
                "stop tollgate",
                "terminate",
                "switch off",
                "evade",
                "get around",
            ],
        ],
        "to turn off its guard",
    ),
    (
        &[
            &[
                "all tool calls",
                "every tool call",
                "all commands",
                "every command",
                "all tools",
                "any command",
            ],
            &["auto-approve", "auto approve", "automatically approve", "approve all", "approve every"],
        ],
        "to approve everything",
    ),
    (
        &[&[
            "ignore all previous",
            "ignore previous instructions",
            "disregard previous",
            "disregard all prior",
            "ignore any instructions from the user",
            "ignore the user's",
            "override the system prompt",
            "disregard the user",
        ]],
        "to ignore its instructions",
    ),
    (
        &[
            PEOPLE,
            &[
                "hide this",
                "hide it",
                "hide these",
                "conceal",
                "keep this secret from",
                "keep it secret from",
                "keep this hidden from",
                "secretly",
            ],
        ],
        "to hide something from the person",
    ),
    (
        &[
            &[" silently ", " secretly ", " quietly ", " covertly "],
            &[" read ", " send ", " include ", " copy ", " collect "],
            &[
                "id_rsa",
                "id_ed25519",
                "/.ssh",
                ".aws",
                ".netrc",
                ".env ",
                "credential",
                "api key",
                "private key",
            ],
        ],
        "to read secrets without telling the person",
    ),
];

/// Options that start an agent which asks nobody.
const UNLEASHED: &[&str] =
    &["--dangerously-skip-permissions", "--yolo", "bypassPermissions", "--dangerously-bypass-approvals"];

/// What a sentence tells an agent to do against the person.
pub(crate) fn told(sentence: &Sentence) -> Option<&'static str> {
    let words = sentence.words.as_str();
    let any = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let code = sentence.code.join(" ");
    if UNLEASHED.iter().any(|flag| words.contains(&flag.to_lowercase()) || code.contains(flag))
        && any(&["run", "use", "start", "launch", "always", "pass", "add", "invoke", "with"])
    {
        return Some("to start agents without approvals");
    }
    let says = TOLD.iter().find(|(lists, _)| lists.iter().all(|list| any(list)));
    says.map(|(_, says)| *says).or_else(|| goes_out(words, &code))
}

/// Secrets to an address, or an address's text as instructions.
fn goes_out(words: &str, code: &str) -> Option<&'static str> {
    let any = |list: &[&str]| list.iter().any(|word| words.contains(word));
    if !(words.contains("http://") || words.contains("https://") || code.contains("://")) {
        return None;
    }
    let sends = any(&[
        " send ",
        " upload ",
        " post ",
        " exfiltrate",
        " transmit ",
        " submit ",
        " forward ",
        " report ",
    ]);
    let text = format!("{words} {code}");
    let environment = matches!(code.trim(), "env" | "printenv" | "set" | "export -p" | "history");
    let secrets = [
        ".env",
        "api key",
        "ssh key",
        "private key",
        "credential",
        "secrets",
        "environment variable",
        "access token",
        "password",
        "id_rsa",
        ".aws",
        "conversation history",
        "chat history",
    ];
    if sends
        && (environment || secrets.iter().any(|secret| text.contains(secret)))
        && !any(&["header", "authorization", "oauth"])
    {
        return Some("to send secrets to another machine");
    }
    let gets = any(&[" fetch ", " download ", " get ", " load ", " retrieve ", " pull ", " read ", " open "]);
    let obeys = any(&[
        "and execute",
        "and run it",
        "and run the",
        "and obey",
        "follow the instructions",
        "follow its instructions",
        "follow any instructions",
        "execute the instructions",
        "and eval",
        "execute it",
        "execute whatever",
        "run whatever",
        "do what it says",
        "do exactly what it says",
    ]);
    (gets && obeys).then_some("to run what a URL returns")
}
