//! The world and the events that examples and cases are judged in.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod cases;
pub mod threats;

use tollgate_model::git::GitStatus;
use tollgate_model::json::{Value, object, parse};
use tollgate_model::{
    Agent, Dialect, Entry, Event, Kind, Mark, Memory, Replacement, SearchScope, StillFile, StillGit,
    StillWorld, ToolCall, ToolUse,
};

/// The machine for a tool of the examples: `AfterSecret` is a shell in a session that has read a secret, `Clean` one
/// in a project where everything is committed.
pub fn world_for(tool: &str) -> StillWorld {
    let mut world = world();
    if tool == "Clean" {
        world.git.insert("/home/user/project".to_owned(), StillGit::default());
    }
    if tool == "AfterSecret" {
        world.memory = Memory::of(vec![Entry::SecretRead { shown: ".env".into() }]);
    }
    world
}

/// What the session has left: downloaded, dangerous, and put right again.
fn memory() -> Memory {
    let file = |name: &str, mark| Entry::File { path: format!("/home/user/project/{name}"), mark };
    let danger = || Mark::Dangerous("deletes `~`".into());
    Memory::of(vec![
        file("fetched.sh", Mark::Downloaded),
        file("fetched.py", Mark::Downloaded),
        file("fetched.mk", Mark::Downloaded),
        file("cloned/", Mark::Cloned),
        file("unpacked/", Mark::Downloaded),
        file("wipe.sh", danger()),
        file("replaced.sh", danger()),
        Entry::Replaced { path: "/home/user/project/replaced.sh".into() },
    ])
}

/// A machine with a project in work.
pub fn world() -> StillWorld {
    let files = [
        ("/home/user/.ssh/id_rsa", "key"),
        ("/home/user/.ssh/id_rsa.pub", "key"),
        ("/home/user/.claude/settings.json", "{}"),
        ("/home/user/notes.txt", "notes"),
        ("/home/user/project/.env", "A=1"),
        ("/home/user/project/.gitignore", "node_modules/\n.env\ndata/\nweb/dist/\n"),
        ("/home/user/project/README.md", "# readme"),
        ("/home/user/project/src/old.rs", ""),
        ("/home/user/project/payload.b64", "xx"),
        ("/home/user/project/.git/HEAD", "ref: refs/heads/feature/x\n"),
        ("/home/user/project/.git/config", "[remote \"origin\"]\n\turl = git@example.test:me/project.git\n"),
        ("/home/user/project/.git/objects/x", ""),
        ("/home/user/project/.git/refs/heads/feature/x", "1"),
        ("/home/user/project/.git/packed-refs", "1 refs/heads/main\n1 refs/heads/merged\n1 refs/heads/old\n"),
        ("/home/user/project/.git/logs/refs/stash", "0 1 A <a@b.test> 1 +0\tWIP on main: 1 x\n"),
        ("/home/user/project/.git/worktrees/tree/HEAD", "ref: refs/heads/other\n"),
        ("/home/user/project/.git/worktrees/tree/commondir", "../..\n"),
        ("/home/user/tree/.git", "gitdir: /home/user/project/.git/worktrees/tree\n"),
        ("/home/user/project/src/a.rs", "changed"),
        ("/home/user/project/docs/guide.md", "committed"),
        ("/home/user/project/notes.txt", "new"),
        ("/home/user/project/data/local.db", "ignored"),
        ("/home/user/project/package.json", "{}"),
        ("/home/user/project/node_modules/x/index.js", ""),
        ("/home/user/project/web/package.json", "{}"),
        ("/home/user/project/web/dist/x.js", ""),
    ];
    let links = [("rootlink", "/"), ("homelink", "/home/user"), ("keylink", "/home/user/.ssh/id_rsa")];
    let link = |(name, target): &(&str, &str)| {
        (format!("/home/user/project/{name}"), StillFile::Link((*target).to_owned()))
    };
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        own: vec!["/home/user/.config/tollgate".into(), "/home/user/.local/state/tollgate".into()],
        files: files
            .iter()
            .map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())))
            .chain(links.iter().map(link))
            .chain([(
                "/home/user/project/hard-key".to_owned(),
                StillFile::Twin("/home/user/.ssh/id_rsa".to_owned()),
            )])
            .collect(),
        git: [("/home/user/project".to_owned(), project_git()), ("/home/user/tree".to_owned(), tree_git())]
            .into(),
        memory: memory(),
        ..StillWorld::default()
    }
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn project_git() -> StillGit {
    let status = GitStatus {
        modified: names(["src/a.rs"]),
        untracked: names(["notes.txt"]),
        ignored: names(["data/", "node_modules/", "web/dist/"]),
        ..GitStatus::default()
    };
    StillGit { status, lone: [("refs/heads/old".to_owned(), 2)].into(), ..StillGit::default() }
}

fn tree_git() -> StillGit {
    StillGit {
        status: GitStatus { untracked: names(["draft.md"]), ..GitStatus::default() },
        ..StillGit::default()
    }
}

/// The call that a tool name and a text stand for.
pub fn call(tool: &str, text: &str) -> ToolCall {
    let text = text.to_owned();
    match tool {
        "Shell" | "AfterSecret" | "Clean" => ToolCall::shell(text),
        "Read" => ToolCall::Read { paths: vec![text] },
        "Unsandboxed" => {
            ToolCall::Shell { command: text, dialect: Dialect::Posix, cwd: None, sandbox_off: true }
        }
        "Write" => {
            let (path, content) = text.split_once('\n').unwrap_or((&text, "x"));
            ToolCall::Write { path: path.into(), content: content.into() }
        }
        "Edit" => {
            let (path, change) = text.split_once('\n').unwrap_or((&text, ""));
            let (old, new) = change.split_once("\n---\n").unwrap_or(("", change));
            edit(path, old, new)
        }
        "Notebook" => {
            let (path, cell) = text.split_once('\n').unwrap_or((&text, ""));
            edit(path, "", cell)
        }
        "Delete" => ToolCall::Delete { path: text },
        "Grep" => search(&text, SearchScope::Contents),
        "Glob" => search(&format!("\n{text}"), SearchScope::Names),
        "Spawn" => {
            let (agent, prompt) = text.split_once('\n').unwrap_or((&text, ""));
            ToolCall::Spawn { agent: agent.into(), prompt: prompt.into() }
        }
        "WebSearch" => ToolCall::WebSearch { query: text },
        // A tool of the agent's own that no adapter knows is judged like one of a server without a name.
        "Other" => {
            let tool = text.split(' ').next().unwrap_or_default().to_owned();
            ToolCall::Mcp { server: String::new(), tool }
        }
        "Patch" => ToolCall::Patch { text },
        "Fetch" => ToolCall::Fetch { url: text },
        "Mcp" => {
            let mut words = text.split(' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            ToolCall::Mcp { server: word(), tool: word() }
        }
        other => panic!("no such tool in examples: {other}"),
    }
}

fn edit(path: &str, old: &str, new: &str) -> ToolCall {
    let edits = vec![Replacement { old: old.into(), new: new.into() }];
    ToolCall::Edit { path: path.into(), edits }
}

/// A folder, and on the next line which files in it.
fn search(text: &str, scope: SearchScope) -> ToolCall {
    let (path, glob) = text.split_once('\n').map_or((text, None), |(path, glob)| (path, Some(glob.into())));
    ToolCall::Search { pattern: "x".into(), path: path.into(), glob, scope }
}

/// The input of `server tool {…}`.
pub fn input(tool: &str, text: &str) -> Value {
    let json = text.split_once('{').map(|(_, rest)| format!("{{{rest}"));
    match json.filter(|_| matches!(tool, "Mcp" | "Other")).map(|text| parse(text.as_bytes())) {
        Some(Ok(value)) => value,
        Some(Err(error)) => panic!("{text}: {error:?}"),
        None => object([("x", Value::Null)]),
    }
}

/// The event that a tool name and a text stand for: a prompt, or a call before it runs.
pub fn case(tool: &str, text: &str) -> Event {
    if tool == "Prompt" {
        let mut event = event(ToolCall::Other, Value::Null);
        event.name = "UserPromptSubmit".into();
        event.kind = Kind::Prompt { text: text.into() };
        return event;
    }
    event(call(tool, text), input(tool, text))
}

/// A call of the main agent, before it runs.
pub fn event(call: ToolCall, input: Value) -> Event {
    Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse { id: "1".into(), name: "Bash".into(), call, input }),
    )
}
