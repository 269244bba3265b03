//! A command, taken apart as far as rewriting it needs.

use tollgate_model::Span;
use tollgate_shell::ast::{Command, CommandKind, Part, Pipeline, Script, Simple, Word};

/// A text with its simple commands.
pub struct Source {
    pub text: String,
    pub commands: Vec<Known>,
    /// The text is one simple command, with nothing around it.
    pub single: bool,
}

/// A simple command.
pub struct Known {
    pub words: Vec<Span>,
    /// Words of letters, digits, `_`, `.`, `/` and `-`: no quoting, no expansion.
    pub plain: Vec<Span>,
    pub assigns: bool,
    pub redirects: bool,
    name: Option<Span>,
}

/// Words that the parser of bash itself looks for, and builtins that no prefix may stand before.
const NO_PROGRAMS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "cd",
    "command",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fg",
    "getopts",
    "hash",
    "help",
    "jobs",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "false",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Texts whose meaning hangs on how and when bash reads them.
const FRAGILE: &[&str] =
    &["alias", "shopt", "set -", "$1", "$@", "$*", "$#", "$0", "BASH_", "return", "LINENO"];

impl Source {
    /// None: the text cannot be read without a problem, or its meaning hangs on how it is read.
    pub fn new(text: &str) -> Option<Self> {
        let script = tollgate_shell::parse(text, tollgate_shell::ast::Dialect::Bash);
        let fragile = FRAGILE.iter().any(|word| text.contains(word)) || text.trim() != text;
        if !script.problems.is_empty() || fragile || text.is_empty() {
            return None;
        }
        let mut source = Self { text: text.to_owned(), commands: Vec::new(), single: is_single(&script) };
        source.script(&script);
        Some(source)
    }

    pub fn slice(&self, span: Span) -> &str {
        span.of(&self.text)
    }

    /// The one simple command, when it is all there is.
    pub fn alone(&self) -> Option<&Known> {
        self.commands.first().filter(|known| self.single && !known.assigns && !known.redirects)
    }

    /// Its words, when each is plain.
    pub fn plain_words(&self) -> Option<Vec<&str>> {
        let known = self.alone().filter(|known| known.words.len() > 1)?;
        (known.plain.len() == known.words.len())
            .then(|| known.words.iter().map(|span| self.slice(*span)).collect())
    }

    /// Every plain word, rewritten.
    pub fn each_plain(&self, rewrite: impl Fn(usize, &str) -> String) -> Option<String> {
        let spans: Vec<Span> = self.commands.iter().flat_map(|known| known.plain.clone()).collect();
        self.replaced(&spans, rewrite)
    }

    /// The name of every command, where it is plain, rewritten.
    pub fn each_name(&self, rewrite: impl Fn(usize, &str) -> String) -> Option<String> {
        let spans: Vec<Span> = self.commands.iter().filter_map(|known| known.name).collect();
        self.replaced(&spans, rewrite)
    }

    /// The name of every command that is a program and no builtin or function, rewritten.
    pub fn each_program(&self, rewrite: impl Fn(usize, &str) -> String) -> Option<String> {
        let is_program = |span: &Span| {
            let name = self.slice(*span);
            !NO_PROGRAMS.contains(&name)
                && !self.text.contains(&format!("{name}()"))
                && !self.text.contains("function ")
        };
        let spans: Vec<Span> =
            self.commands.iter().filter_map(|known| known.name).filter(is_program).collect();
        self.replaced(&spans, rewrite)
    }

    pub fn replaced(&self, spans: &[Span], rewrite: impl Fn(usize, &str) -> String) -> Option<String> {
        let mut spans: Vec<Span> = spans.to_vec();
        spans.sort_unstable();
        let mut out = String::new();
        let mut from = 0;
        for (number, span) in spans.iter().enumerate() {
            out.push_str(self.text.get(from..span.start as usize)?);
            out.push_str(&rewrite(number, self.slice(*span)));
            from = span.end as usize;
        }
        out.push_str(self.text.get(from..)?);
        (!spans.is_empty()).then_some(out)
    }

    fn script(&mut self, script: &Script) {
        for item in &script.items {
            self.pipeline(&item.first);
            item.rest.iter().for_each(|(_, pipeline)| self.pipeline(pipeline));
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        pipeline.stages.iter().for_each(|stage| self.command(&stage.command));
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, command),
            CommandKind::Group(body) | CommandKind::Subshell(body) => self.script(body),
            CommandKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, body)| self.script(body));
                otherwise.iter().for_each(|body| self.script(body));
            }
            CommandKind::For { body, .. }
            | CommandKind::CFor { body, .. }
            | CommandKind::While { body, .. } => {
                self.script(body);
            }
            _ => {}
        }
    }

    fn simple(&mut self, simple: &Simple, command: &Command) {
        let first = simple.words.first().map(|word| self.slice(word.span));
        // Bash must see these itself, or reads their operands in its own way.
        if matches!(first, Some("time" | "declare" | "typeset" | "local" | "export" | "readonly" | "coproc"))
        {
            return;
        }
        let plain: Vec<Span> =
            simple.words.iter().filter(|word| self.is_plain(word)).map(|word| word.span).collect();
        let name = simple.words.first().map(|word| word.span).filter(|span| plain.contains(span));
        self.commands.push(Known {
            words: simple.words.iter().map(|word| word.span).collect(),
            plain,
            assigns: !simple.assigns.is_empty(),
            redirects: !command.redirects.is_empty(),
            name,
        });
    }

    fn is_plain(&self, word: &Word) -> bool {
        let text = self.slice(word.span);
        matches!(word.parts.as_slice(), [Part::Text { quoted: false, text: value }] if value == text)
            && !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
    }
}

fn is_single(script: &Script) -> bool {
    let [item] = script.items.as_slice() else { return false };
    let [stage] = item.first.stages.as_slice() else { return false };
    item.rest.is_empty()
        && !item.background
        && !item.first.negated
        && matches!(stage.command.kind, CommandKind::Simple(_))
}
