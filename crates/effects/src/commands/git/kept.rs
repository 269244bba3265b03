//! What git keeps besides files: lists of them, stashes, secrets.

use tollgate_model::{EffectKind, EnvUse};
use tollgate_shell::eval::{Outcome, Status, Stream};
use tollgate_shell::value::{Piece, Taint, Text, Value};

use super::lose::Doomed;
use super::{Git, Verb};
use crate::analyst::{call_taint, taint};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[("secret", kept_secret), ("crypt", kept_secret)];

/// `git secret` and `git-crypt` keep files closed in a repository, and open them.
fn kept_secret(git: &mut Git) -> Outcome {
    let verb = git.args.first().map(Word::shown).unwrap_or_default();
    if matches!(verb.as_str(), "cat" | "reveal" | "changes" | "unlock" | "export-key") {
        let what = EnvUse::Store(format!("what `git {}` keeps closed", git.verb));
        git.run.push(EffectKind::EnvRead { what });
        return Outcome::unknown(taint::SECRET);
    }
    git.run.derived()
}

impl Git<'_, '_, '_> {
    /// Some files of the work tree, which are only known when it runs.
    pub(super) fn some_files(&self) -> Outcome {
        let Some(root) = self.sites().into_iter().find_map(|site| site.repo?.root) else {
            return self.run.derived();
        };
        if let Some(named) = self.patterned_files() {
            return Outcome { stdout: named, status: Status::Either };
        }
        let mut text = Text::literal(&format!("{root}/"));
        text.push(Piece::Glob("*".into()));
        text.push_str("\n");
        Outcome { stdout: text.into(), status: Status::Either }
    }

    /// The files that `ls-files` is asked about by patterns, all of them plain: `*.pyc`.
    fn patterned_files(&self) -> Option<Value> {
        let named: Vec<&Word> =
            self.args.iter().filter(|word| !word.text.prefix().starts_with('-')).collect();
        let plain = |word: &&Word| {
            let name = word.shown();
            let ending = name.strip_prefix('*').filter(|ending| ending.starts_with('.'));
            ending.is_some_and(|ending| ending.chars().skip(1).all(|c| c.is_ascii_alphanumeric()))
        };
        if self.verb != "ls-files" || named.is_empty() || !named.iter().all(plain) {
            return None;
        }
        let texts = named.iter().map(|word| {
            let mut text = Text::default();
            text.push(Piece::Glob("*".into()));
            text.push_str(word.shown().trim_start_matches('*'));
            text.push_str("\n");
            text
        });
        Some(Value::of(texts, Taint::NONE))
    }

    /// `git show HEAD:file > file` puts what is committed in place of what is not.
    pub(super) fn shown_over_itself(&mut self) {
        let Stream::File(target) = &self.run.call.stdout else { return };
        let Some(target) = target.single().cloned() else { return };
        let objects = self.args_before().iter().filter_map(|word| {
            word.shown().split_once(':').map(|(_, path)| path.trim_start_matches("./").to_owned())
        });
        let shown = crate::word::show(&target);
        let shown = shown.trim_start_matches("./");
        let same = objects.into_iter().any(|path| path == shown || shown.ends_with(&format!("/{path}")));
        if same {
            let word = Word { text: target, ..Word::literal_at("", self.run.call.span) };
            let paths = if word.literal().is_some() { vec![word] } else { Vec::new() };
            self.lose(&Doomed {
                modified: true,
                certain: !paths.is_empty(),
                paths,
                ..Doomed::new("git show")
            });
        }
    }

    /// `git stash show -p [stash] -- paths`.
    pub(super) fn shown_stash(&mut self) -> Outcome {
        let patch = self.has_word(|text| matches!(text, "-p" | "-u" | "--patch") || text.starts_with("-U"));
        if !patch {
            return self.run.derived();
        }
        let mut marks = call_taint(self.run.call).union(taint::FILE);
        for file in self.args_after().unwrap_or_default().to_vec() {
            marks = marks.union(self.read_path(&file));
        }
        Outcome::unknown(marks)
    }
}
