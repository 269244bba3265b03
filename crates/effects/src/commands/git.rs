//! Git: its grammar, and what each of its commands would lose, rewrite, publish or run.
//!
//! Every verb of git is known. Those in no table below only look, or make what git itself can take back.

mod alter;
mod code;
mod config;
mod content;
mod history;
mod kept;
mod lose;
mod patches;
mod push;
mod remotes;
mod settings;
mod site;
mod stash;
mod trees;
mod work;
mod written;

use tollgate_model::git::Config;
use tollgate_model::{Certainty, EffectKind, Protection};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Code, Outcome, Scope, Shell};
use tollgate_shell::value::{Hole, HoleSource, Text, Value};

use super::{Handler, Run};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(super) use patches::{Handed, taken_back};
pub(super) use remotes::{address, clone_name};
pub(super) use work::{failed, fresh_root, settle};
pub(crate) use written::written_settings;

/// `git-reset` and its like, as they lie in git's own folder, are the verb alone.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    let verb = program.strip_prefix("git-")?;
    VERBS.iter().copied().flatten().any(|(name, _)| *name == verb).then_some(dashed as Handler)
}

/// How often an alias may stand for another.
const ALIAS_DEPTH: u8 = 8;

/// Verbs that destroy, with their options: their help is often asked for behind others.
const HELPED: &[(&str, &str)] = &[
    ("reset", lose::RESET),
    ("checkout", lose::CHECKOUT),
    ("restore", lose::RESTORE),
    ("clean", lose::CLEAN),
    ("branch", history::BRANCH),
    ("gc", history::GC),
    ("rebase", code::REBASE),
    ("push", push::PUSH),
    ("stash", "q,quiet index"),
];

const GLOBAL: &str = "C= c= config-env= exec-path? html-path man-path info-path p,paginate P,no-pager git-dir= \
    work-tree= namespace= bare no-replace-objects no-lazy-fetch no-optional-locks no-advice literal-pathspecs \
    glob-pathspecs noglob-pathspecs icase-pathspecs list-cmds= super-prefix= attr-source= v,version h,help";

/// What a verb does.
type Verb = fn(&mut Git) -> Outcome;

const VERBS: &[&[(&str, Verb)]] = &[
    lose::VERBS,
    stash::VERBS,
    history::VERBS,
    push::VERBS,
    remotes::VERBS,
    config::VERBS,
    content::VERBS,
    patches::VERBS,
    trees::VERBS,
    code::VERBS,
    kept::VERBS,
];

/// Verbs of git itself that are in none of the tables: an alias cannot take their names.
const HARMLESS: &[&str] = &[
    "add",
    "backfill",
    "bugreport",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "cherry",
    "cherry-pick",
    "citool",
    "column",
    "commit-graph",
    "commit-tree",
    "count-objects",
    "describe",
    "diagnose",
    "fast-import",
    "fmt-merge-msg",
    "for-each-ref",
    "fsck",
    "fsck-objects",
    "get-tar-commit-id",
    "gui",
    "help",
    "history",
    "index-pack",
    "last-modified",
    "ls-files",
    "ls-tree",
    "mailinfo",
    "mailsplit",
    "merge-base",
    "merge-index",
    "merge-one-file",
    "merge-tree",
    "mktag",
    "mktree",
    "multi-pack-index",
    "name-rev",
    "notes",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "patch-id",
    "prune-packed",
    "range-diff",
    "refs",
    "repack",
    "replace",
    "replay",
    "repo",
    "request-pull",
    "rerere",
    "rev-list",
    "rev-parse",
    "revert",
    "show-branch",
    "show-index",
    "show-ref",
    "shortlog",
    "sparse-checkout",
    "stage",
    "status",
    "stripspace",
    "symbolic-ref",
    "unpack-file",
    "unpack-objects",
    "update-index",
    "update-server-info",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "write-tree",
];

/// One run of git.
struct Git<'g, 'r, 'w> {
    run: &'g mut Run<'r, 'w>,
    verb: String,
    args: Vec<Word>,
    /// What `-c`, the environment and earlier commands of the call set.
    settings: Config,
    git_dir: Option<Word>,
    work_tree: Option<Word>,
}

pub(super) fn git(run: &mut Run) -> Outcome {
    let folder = run.shell.cwd().clone();
    let args = run.args.to_vec();
    let outcome = with_words(run, &args, settings::inherited(run.shell), ALIAS_DEPTH);
    run.shell.set_cwd(&folder);
    outcome
}

fn dashed(run: &mut Run) -> Outcome {
    let verb = run.program.trim_start_matches("git-");
    let mut args = vec![Word::literal_at(verb, run.call.span)];
    args.extend(run.args.iter().cloned());
    with_words(run, &args, settings::inherited(run.shell), 0)
}

fn with_words(run: &mut Run, args: &[Word], settings: Config, depth: u8) -> Outcome {
    let options = read(args, GLOBAL, Order::First);
    for folder in options.values("C").filter(|folder| !folder.is("")) {
        run.shell.set_cwd(&folder.value());
    }
    let mut git = Git {
        git_dir: options.value("git-dir").cloned().or_else(|| variable(run, "GIT_DIR")),
        work_tree: options.value("work-tree").cloned().or_else(|| variable(run, "GIT_WORK_TREE")),
        run,
        verb: options.operands.first().map(Word::shown).unwrap_or_default(),
        args: options.operands.iter().skip(1).cloned().collect(),
        settings,
    };
    git.written_here();
    git.environment();
    git.given(&options);
    let moved = git.settings.get("core.worktree").map(|folder| Word::literal_at(folder, git.run.call.span));
    git.work_tree = git.work_tree.take().or(moved);
    match options.operands.first() {
        Some(verb) if verb.literal().is_none() => {
            let why = format!("what `git {}` does is known only at run time", verb.shown());
            git.run.analyst.opaque(why, verb.span);
            git.run.derived()
        }
        Some(_) => git.dispatch(depth),
        None => git.run.derived(),
    }
}

impl Git<'_, '_, '_> {
    fn dispatch(&mut self, depth: u8) -> Outcome {
        if self.args.first().is_some_and(|word| word.is("--help") || word.is("-h")) {
            return self.run.derived();
        }
        if self.asks_for_help() {
            return self.run.derived();
        }
        self.alter();
        self.read_given();
        let known = VERBS.iter().copied().flatten().find(|(name, _)| *name == self.verb);
        if let Some((_, verb)) = known {
            return verb(self);
        }
        if HARMLESS.contains(&self.verb.as_str()) {
            work::harmless(self);
            let asks = |word: &Word| {
                matches!(word.shown().as_str(), "--others" | "--modified")
                    || word
                        .text
                        .prefix()
                        .strip_prefix('-')
                        .is_some_and(|letters| !letters.starts_with('-') && letters.contains(['o', 'm']))
            };
            let whole = |args: &[Word]| args.iter().all(|word| word.text.prefix().starts_with('-'));
            if self.verb == "ls-files" && (self.args.iter().any(asks) || whole(&self.args)) {
                return self.some_files();
            }
            let printed = self.printed_path().or_else(|| self.printed_refs());
            return printed.unwrap_or_else(|| self.run.derived());
        }
        match self.alias().filter(|_| depth > 0) {
            Some(alias) => self.run_alias(&alias, depth),
            None => self.run.derived(),
        }
    }

    /// `git reset --hard --help`: the options are all read before anything is done, and this one ends it, unless it is
    /// the value of another or stands behind the end of the options.
    fn asks_for_help(&self) -> bool {
        if !self.args.iter().any(|word| word.is("--help")) {
            return false;
        }
        let Some((_, spec)) = HELPED.iter().find(|(verb, _)| *verb == self.verb) else { return false };
        let words = self.args_before();
        let end = words.iter().position(|word| word.is("--end-of-options")).unwrap_or(words.len());
        let options = read(words.get(..end).unwrap_or_default(), spec, Order::Anywhere);
        // Beside an option of which nothing is known, it may be a value.
        !options.unsure && !options.unknown.is_empty() && options.unknown.iter().all(|name| name == "--help")
    }

    /// Files outside the history that an option names: they are shown, or end in a message.
    fn read_given(&mut self) {
        let spec = match self.verb.as_str() {
            "blame" | "annotate" => "contents=",
            "commit-tree" => "F= p= m=",
            _ => return,
        };
        let options = self.options(spec);
        for file in options.values("contents").chain(options.values("F")).filter(|file| !file.is("-")) {
            self.run.read(file, false);
        }
    }

    /// `rev-parse` prints where the repository is.
    fn printed_path(&self) -> Option<Outcome> {
        let asked = |name: &str| self.verb == "rev-parse" && self.args.iter().any(|word| word.is(name));
        let repo = self.sites().into_iter().find_map(|site| site.repo)?;
        let path = if asked("--show-toplevel") {
            repo.root?
        } else if asked("--absolute-git-dir") || asked("--git-dir") || asked("--git-common-dir") {
            repo.git_dir
        } else {
            return None;
        };
        Some(Outcome {
            stdout: Value::text(&format!("{path}\n")),
            status: tollgate_shell::eval::Status::Either,
        })
    }

    /// What stands for the verb, in a setting of this call, of the repository or of the user.
    fn alias(&self) -> Option<String> {
        let key = format!("alias.{}", self.verb);
        if let Some(own) = self.settings.get(&key) {
            return Some(own.to_owned());
        }
        let world = self.run.analyst.world;
        let config = match self.sites().into_iter().find_map(|site| site.repo) {
            Some(repo) => repo.config(world),
            None => Config::of_user(world),
        };
        config.get(&key).map(str::to_owned)
    }

    fn run_alias(&mut self, alias: &str, depth: u8) -> Outcome {
        let span = self.run.call.span;
        if let Some(code) = alias.strip_prefix('!') {
            return self.run_shell_alias(code);
        }
        let mut words: Vec<Word> =
            split_words(alias).iter().map(|word| Word::literal_at(word, span)).collect();
        words.append(&mut self.args);
        with_words(self.run, &words, std::mem::take(&mut self.settings), depth - 1)
    }

    /// `!cmd` is shell code, run in the top folder of the work tree with the arguments behind it.
    fn run_shell_alias(&mut self, code: &str) -> Outcome {
        if let Some(root) = self.sites().into_iter().find_map(|site| site.repo?.root) {
            self.run.shell.set_cwd(&Value::text(&root));
        }
        let code = Code {
            text: Value::text(&format!("{code} \"$@\"")),
            scope: Scope::Child,
            dialect: Dialect::Posix,
            name: Some(Value::text(code)),
            args: Some(self.args.iter().map(Word::field).collect()),
            span: self.run.call.span,
        };
        self.run.shell.run_text(&code, self.run.analyst)
    }

    /// The verb's options, wherever they stand before `--`.
    fn options(&self, spec: &'static str) -> Options {
        read(self.args_before(), spec, Order::Anywhere)
    }

    fn args_before(&self) -> &[Word] {
        let end = self.args.iter().position(|word| word.is("--")).unwrap_or(self.args.len());
        self.args.get(..end).unwrap_or_default()
    }

    /// What follows `--`; `None` when there is none.
    fn args_after(&self) -> Option<&[Word]> {
        let end = self.args.iter().position(|word| word.is("--"))?;
        self.args.get(end + 1..)
    }

    fn push(&mut self, kind: EffectKind, certainty: Certainty) {
        let span = self.run.call.span;
        self.run.analyst.push(kind, span, certainty);
    }

    fn skips_hooks(&mut self) {
        self.push(
            EffectKind::Weaken { protection: Protection::GitHooks, how: String::new() },
            Certainty::Certain,
        );
    }

    /// Runs a value as shell code.
    fn code(&mut self, word: &Word) -> Outcome {
        super::interpreters::code(self.run, &word.value(), word.span)
    }
}

/// Is the option given, and not taken back by `--no-…`? For options that make a command harmless.
fn holds(options: &Options, name: &str, long: &str) -> bool {
    let taken_back =
        |unknown: &String| unknown.strip_prefix("--no-").is_some_and(|rest| long.starts_with(rest));
    options.has(name) && !options.unknown.iter().any(taken_back)
}

/// A variable that the script sets for the command.
fn variable(run: &Run, name: &str) -> Option<Word> {
    let value = exported(run.shell, name)?;
    let text = value.single().cloned().unwrap_or_else(|| Text::hole(Hole::new(HoleSource::Output)));
    Some(Word { text, span: run.call.span, splits: false, taint: value.taint })
}

fn exported(shell: &Shell, name: &str) -> Option<Value> {
    shell.exported().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Splits an alias into words: blanks, both kinds of quotes, and the backslash.
fn split_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote) = (None::<String>, None::<char>);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_ascii_whitespace() => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_splits_as_git_splits_it() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split_words(text), expected, "{text}");
        check("reset --hard", &["reset", "--hard"]);
        check("log  --pretty='%h %s' \"a b\"", &["log", "--pretty=%h %s", "a b"]);
        check("a\\ b '' c", &["a b", "", "c"]);
        check("'a\\b' \"a\\\"b\"", &["a\\b", "a\"b"]);
    }
}
