//! The agents' own tools: files, searches, patches, notebooks, the web, other agents.

use std::collections::HashSet;

use tollgate_model::{
    Certainty, Dialect, Effect, EffectKind, EnvUse, FileKind, Lasting, Mark, NetDirection, Place, Protection,
    Replacement, SearchScope, Span, ToolCall, ToolUse, World, WriteMode, work,
};
use tollgate_shell::eval::{Call, Code, Input, Kind, Scope, Shell, Stream};
use tollgate_shell::value::Value;

use crate::TEXT_LIMIT;
use crate::ahead::Ahead;
use crate::analyst::Analyst;
use crate::analyst::ours::is_plain;
use crate::commands::{Run, secrets_in_home, strangers};
use crate::content::Piece;
use crate::languages::{self, Language, Program};
use crate::mcp;
use crate::notebook;
use crate::orders;
use crate::url::{self, Url};
use crate::word::Word;
use tollgate_model::patch::{self, Change};

/// The largest file that is read to see what an edit makes of it.
const EDIT_LIMIT: usize = 1 << 20;

/// The work that the judgement of one call may take, in units of `tollgate_model::work`: at most about 100 ms, for some
/// steps are charged more than they cost. Of 13,000 real commands the most expensive one takes a sixth of it.
const WORK: u64 = 5_000_000;
/// What each byte of the call adds to that, so that a long script of ordinary commands is judged to its end. A mebibyte may
/// take a second, which is well before the hook's deadline.
const WORK_PER_BYTE: u64 = 40;

/// What a tool call would do. When the work runs out, what was found so far and that something is left.
pub(crate) fn effects(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    let budget = WORK + WORK_PER_BYTE * text_size(&tool.call).min(TEXT_LIMIT) as u64;
    let (mut effects, left) = work::limited(budget, || all_effects(tool, cwd, world));
    if left == 0 {
        let why = "it is too complex to be analysed completely".to_owned();
        effects.push(Effect {
            kind: EffectKind::Opaque { why },
            span: Span::default(),
            certainty: Certainty::Budget,
        });
    }
    effects
}

/// The bytes of a call that are read as code.
fn text_size(call: &ToolCall) -> usize {
    match call {
        ToolCall::Shell { command, .. } => command.len(),
        ToolCall::Write { content, .. } => content.len(),
        ToolCall::Edit { edits, .. } => edits.iter().map(|edit| edit.new.len()).sum(),
        ToolCall::Patch { text } => text.len(),
        _ => 0,
    }
}

fn all_effects(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    let ahead = Ahead::of(world);
    let mut effects = effects_in(tool, cwd, &ahead);
    // Both count: with what the session wrote, and without.
    if ahead.covered() {
        let known: HashSet<Effect> = effects.iter().cloned().collect();
        effects.extend(effects_in(tool, cwd, world).into_iter().filter(|effect| !known.contains(effect)));
    }
    effects
}

fn effects_in(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    let mut hands = Hands::new(world, cwd);
    match &tool.call {
        ToolCall::Shell { command, dialect: Dialect::Posix, cwd: own, sandbox_off } => {
            hands = Hands::new(world, own.as_deref().unwrap_or(cwd));
            if *sandbox_off {
                hands.push(EffectKind::Weaken { protection: Protection::AgentSandbox, how: String::new() });
            }
            hands.analyst.before.plain = is_plain(command);
            hands.unwrapped(command);
            hands.shell.run(command, &mut hands.analyst);
            hands.analyst.source = Some(command.clone());
        }
        ToolCall::Shell { command, cwd: own, sandbox_off, .. } => {
            hands = Hands::new(world, own.as_deref().unwrap_or(cwd));
            if *sandbox_off {
                hands.push(EffectKind::Weaken { protection: Protection::AgentSandbox, how: String::new() });
            }
            let code = Value::text(command);
            run_language(&mut hands.analyst, &mut hands.shell, Language::PowerShell, &code);
        }
        ToolCall::Read { paths } => paths.iter().for_each(|path| hands.read(path, false)),
        ToolCall::Write { path, content } => hands.write(path, WriteMode::Overwrite, Some(content)),
        // Cells of prose are not run.
        ToolCall::Edit { path, .. } if path.ends_with(".ipynb") && is_prose(tool) => {
            hands.write(path, WriteMode::Edit, None);
        }
        ToolCall::Edit { path, edits } => {
            hands.edit(path, edits);
            let mut effects = hands.finish();
            let cells = new_cells(path, edits, cwd, world);
            effects.extend(cells);
            return effects;
        }
        ToolCall::Delete { path } => hands.delete(path),
        ToolCall::Patch { text } => hands.patch(text),
        ToolCall::Search { pattern, path, glob, scope: SearchScope::Contents } => {
            hands.searched(tool, pattern, path, glob.as_deref());
        }
        ToolCall::Fetch { url } => hands.fetch(url),
        ToolCall::Spawn { agent, prompt } => {
            hands.push(EffectKind::Spawn { agent: agent.clone() });
            if let Some(order) = orders::order(prompt, world) {
                let what = format!("which tell it {order}");
                hands.push(EffectKind::Persist { kind: Lasting::AgentPrompt, what });
            }
        }
        ToolCall::Mcp { server, tool: name } => mcp::effects(&mut hands, server, name, &tool.input),
        ToolCall::Other => mcp::effects(&mut hands, "", &tool.name, &tool.input),
        ToolCall::Search { .. } | ToolCall::WebSearch { .. } | ToolCall::Command { .. } => {}
    }
    hands.finish()
}

/// What a tool works with: an analyst, and a shell in the call's directory.
pub(crate) struct Hands<'w> {
    pub(crate) analyst: Analyst<'w>,
    pub(crate) shell: Shell,
}

impl<'w> Hands<'w> {
    fn new(world: &'w dyn World, cwd: &str) -> Self {
        let analyst = Analyst::new(world, cwd);
        let shell = analyst.fresh_shell();
        Self { analyst, shell }
    }

    /// Shells take the carriage return at the end of a Windows line for part of its last word. What hands the
    /// text to the shell may take it out, so that reading is followed too.
    fn unwrapped(&mut self, command: &str) {
        if !command.contains("\r\n") {
            return;
        }
        let mut shell = self.analyst.fresh_shell();
        let code = Code {
            text: Value::text(&command.replace("\r\n", "\n")),
            scope: Scope::Same,
            dialect: shell.dialect(),
            name: None,
            args: None,
            span: Span::new(0, command.len()),
        };
        self.analyst.suppose(|analyst| shell.run_text(&code, analyst));
    }

    fn finish(self) -> Vec<Effect> {
        self.analyst.finish(&self.shell)
    }

    pub(crate) fn push(&mut self, kind: EffectKind) {
        self.analyst.push(kind, Span::default(), Certainty::Certain);
    }

    /// A path as tools give it: absolute, from the working directory, or from the home.
    pub(crate) fn word(&self, path: &str) -> Word {
        let home = self.analyst.world.home();
        let expanded = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ => path.to_owned(),
        };
        Word::literal_at(&expanded, Span::default())
    }

    pub(crate) fn read(&mut self, path: &str, recursive: bool) {
        let word = self.word(path);
        self.analyst.read(&word, recursive, &self.shell);
    }

    /// Looks for a pattern in files.
    fn searched(&mut self, tool: &ToolUse, pattern: &str, path: &str, glob: Option<&str>) {
        let folder = if path.is_empty() { "." } else { path };
        self.read(folder, true);
        // The other ways only name files or count lines.
        let shows = tool.input.text("output_mode").map_or(tool.name != "Grep", |mode| mode == "content");
        match glob {
            Some(glob) => self.search(folder, glob),
            None if shows => {
                let word = self.word(folder);
                secrets_in_home(&mut self.analyst, pattern, &word, &self.shell);
            }
            None => {}
        }
    }

    /// Searches the files below a folder whose names fit.
    fn search(&mut self, folder: &str, glob: &str) {
        let word = self.word(folder);
        self.analyst.search(&word, glob, &self.shell);
    }

    pub(crate) fn write(&mut self, path: &str, mode: WriteMode, content: Option<&str>) {
        let word = self.word(path);
        let content = content.map(Value::text);
        self.analyst.write(&word, mode, content.as_ref(), &mut self.shell);
    }

    pub(crate) fn make_dir(&mut self, path: &str) {
        let word = self.word(path);
        self.analyst.make_dir(&word, &mut self.shell);
    }

    /// Such tools take folders as well as files: with everything below, unless a file is there.
    pub(crate) fn delete(&mut self, path: &str) {
        let word = self.word(path);
        let places = self.analyst.places(&word, &self.shell);
        let is_file = |place: &Place| self.analyst.world.kind(&place.path) == FileKind::File;
        let recursive = !places.iter().all(|(place, _)| is_file(place));
        self.analyst.delete(&word, recursive, &mut self.shell);
    }

    /// Changes a file: the whole new text is known when the old one is and holds what is replaced.
    pub(crate) fn edit(&mut self, path: &str, edits: &[Replacement]) {
        let new: Vec<&str> = edits.iter().map(|edit| edit.new.as_str()).collect();
        let text = match self.text(path) {
            Some(old) if path.ends_with(".ipynb") => notebook_edit(&old, edits),
            Some(old) => edited(&old, edits),
            None => Some(new.join("\n")).filter(|_| edits.iter().all(|edit| edit.old.is_empty())),
        };
        self.write(path, WriteMode::Edit, Some(&new.join("\n")));
        let word = self.word(path);
        let content =
            text.map_or_else(|| Value::output(tollgate_shell::value::Taint::NONE), |text| Value::text(&text));
        self.shell.write_file(&word.value(), &content, false);
    }

    /// The text of a file as it is now.
    fn text(&mut self, path: &str) -> Option<String> {
        let word = self.word(path);
        if let Some(written) = self.shell.file(&word.value()) {
            return written.value.as_literal().map(str::to_owned);
        }
        let (place, _) = self.analyst.places(&word, &self.shell).into_iter().next()?;
        let bytes =
            self.analyst.world.read(&place.path, EDIT_LIMIT).filter(|bytes| bytes.len() < EDIT_LIMIT)?;
        String::from_utf8(bytes).ok()
    }

    /// A patch over several files.
    pub(crate) fn patch(&mut self, text: &str) {
        let changes = patch::read(text);
        if changes.is_empty() && !patch::is_empty(text) {
            self.push(EffectKind::Opaque {
                why: "the patch does not name its files in a readable form".into(),
            });
        }
        for change in changes {
            match change {
                Change::Add { path, text } => self.write(&path, WriteMode::Overwrite, Some(&text)),
                Change::Delete { path } => {
                    let word = self.word(&path);
                    self.analyst.delete(&word, false, &mut self.shell);
                }
                Change::Update { path, to, edits } => {
                    self.edit(&path, &edits);
                    if let Some(to) = to {
                        self.rename(&path, &to);
                    }
                }
            }
        }
    }

    /// Moves a file.
    pub(crate) fn rename(&mut self, path: &str, to: &str) {
        let text = self.text(path);
        let word = self.word(path);
        self.analyst.move_away(&word, false, &[], &mut self.shell);
        self.write(to, WriteMode::Overwrite, text.as_deref());
    }

    /// Shell text that the tool runs.
    pub(crate) fn run(&mut self, text: &str) {
        let code = Code {
            text: Value::text(text),
            scope: Scope::Child,
            dialect: tollgate_shell::ast::Dialect::Bash,
            name: None,
            args: None,
            span: Span::default(),
        };
        self.shell.run_text(&code, &mut self.analyst);
    }

    /// Shell text that holds for what the tool runs afterwards.
    pub(crate) fn run_here(&mut self, text: &str) {
        let code = Code {
            text: Value::text(text),
            scope: Scope::Same,
            dialect: tollgate_shell::ast::Dialect::Bash,
            name: None,
            args: None,
            span: Span::default(),
        };
        self.shell.run_text(&code, &mut self.analyst);
    }

    /// Code that the tool runs.
    pub(crate) fn run_pieces(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Shell(text) => self.run(&text),
                Piece::Language(language, text) => {
                    run_language(&mut self.analyst, &mut self.shell, language, &Value::text(&text));
                }
                Piece::Quoted(text) => run_quoted(&mut self.analyst, &mut self.shell, &text),
            }
        }
    }

    /// A command that the tool runs without a shell.
    pub(crate) fn run_words(&mut self, words: &[&str]) {
        let call = bare_call();
        let words: Vec<Word> = words.iter().map(|word| Word::literal_at(word, Span::default())).collect();
        let mut run = Run {
            analyst: &mut self.analyst,
            shell: &mut self.shell,
            call: &call,
            path: "",
            program: "",
            args: &[],
        };
        run.inner(&words);
    }

    pub(crate) fn fetch(&mut self, url: &str) {
        if let Some((_, path)) = url.split_once("jar:file:") {
            self.read(path.trim_start_matches("//").split('!').next().unwrap_or_default(), false);
            return;
        }
        let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
        if matches!(scheme.as_str(), "gopher" | "dict" | "ldap" | "ldaps" | "tftp" | "netdoc" | "phar") {
            self.push(EffectKind::Opaque { why: format!("`{scheme}:` is not a web protocol") });
        }
        let address = Url::parse(url);
        if let Some(path) = address.file() {
            self.read(&path, false);
            return;
        }
        if address.strange {
            self.push(EffectKind::Opaque { why: "programs interpret the address differently".into() });
        }
        if let Some(keeper) = url::keeper(url) {
            self.push(EffectKind::EnvRead { what: EnvUse::Store(keeper.to_string()) });
        }
        let carries = address.carries(url);
        let direction = if carries.is_empty() { NetDirection::In } else { NetDirection::Out };
        self.push(EffectKind::Net { host: address.host, direction, carries });
    }
}

/// Runs a program of another language that no command gave.
pub(crate) fn run_language(analyst: &mut Analyst, shell: &mut Shell, language: Language, code: &Value) {
    let call = bare_call();
    let mut run = Run { analyst, shell, call: &call, path: "", program: "", args: &[] };
    let program =
        Program { code: code.clone(), span: Span::default(), file: None, from_input: true, args: Vec::new() };
    languages::run(&mut run, language, &program);
}

/// Runs the commands that stand in quotes in code of a language that is not read.
pub(crate) fn run_quoted(analyst: &mut Analyst, shell: &mut Shell, text: &str) {
    run_language(analyst, shell, Language::Slashed, &Value::text(text));
    let call = bare_call();
    let mut run = Run { analyst, shell, call: &call, path: "", program: "", args: &[] };
    strangers::run_quoted(&mut run, &Word::literal_at(text, Span::default()));
}

fn bare_call() -> Call {
    Call {
        argv: Vec::new(),
        assigns: Vec::new(),
        kind: Kind::External,
        stdin: Input { stream: Stream::Closed, value: None },
        stdout: Stream::Outer,
        redirects: Vec::new(),
        span: Span::default(),
        background: false,
        piped_to: false,
        conditional: false,
    }
}

/// A text after replacements; `None` when it does not hold what they replace.
fn edited(old: &str, edits: &[Replacement]) -> Option<String> {
    let mut text = old.to_owned();
    for edit in edits {
        if edit.old.is_empty() {
            if !text.is_empty() {
                return None;
            }
            text.clone_from(&edit.new);
        } else if text.contains(&edit.old) {
            text = text.replace(&edit.old, &edit.new);
        } else {
            return None;
        }
    }
    Some(text)
}

/// Is the cell that an edit of a notebook gives none that is run?
fn is_prose(tool: &ToolUse) -> bool {
    matches!(tool.input.text("cell_type"), Some("markdown" | "raw"))
}

/// What the cells do that come into a notebook: they are written to be run there, and nothing asks again before that. What
/// a cell leaves or deletes is only promised, so that the session forgets nothing for it.
fn new_cells(path: &str, edits: &[Replacement], cwd: &str, world: &dyn World) -> Vec<Effect> {
    if !path.ends_with(".ipynb") {
        return Vec::new();
    }
    let folder = match path.rsplit_once('/') {
        Some((folder, _)) if folder.starts_with('/') => folder.to_owned(),
        Some((folder, _)) => format!("{cwd}/{folder}"),
        None => cwd.to_owned(),
    };
    let mut hands = Hands::new(world, &folder);
    for edit in edits.iter().filter(|edit| edit.old.is_empty() && !notebook::is_whole(&edit.new)) {
        hands.run_pieces(notebook::cell(&edit.new));
    }
    let effects = hands.finish().into_iter().filter(|effect| match &effect.kind {
        EffectKind::Leaves { mark, .. } => matches!(mark, Mark::Dangerous(_) | Mark::Downloaded),
        _ => true,
    });
    let promised = |mut effect: Effect| {
        if matches!(effect.kind, EffectKind::Delete { .. }) {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
        effect
    };
    effects.map(promised).collect()
}

/// An edit of a notebook gives a cell's new source; as text it is the cells that come in.
fn notebook_edit(old: &str, edits: &[Replacement]) -> Option<String> {
    let cells: Vec<&str> =
        edits.iter().filter(|edit| edit.old.is_empty()).map(|edit| edit.new.as_str()).collect();
    if cells.is_empty() { edited(old, edits) } else { Some(cells.join("\n")) }
}
