//! One way in which a command may come out: which program it is, and what that does.

use tollgate_model::{Certainty, CodeSource, EffectKind, FileKind, Mark, Place, Span, is_rebuildable};
use tollgate_shell::eval::{Call, Kind, Outcome, Shell, Status};
use tollgate_shell::multicall;

use super::Analyst;
use crate::word::{Word, show, ways};
use crate::{commands, paths, unresolved};

impl Analyst<'_> {
    /// Runs every way that a command may come out.
    pub(super) fn every_way(&mut self, call: &Call, shell: &mut Shell) -> Option<Outcome> {
        let ways = ways(&call.argv);
        // Each is looked at in every folder that it may run in.
        let folders = shell.cwd().any.len();
        shell.pay((ways.len() * folders).saturating_sub(1));
        ways.into_iter().map(|argv| self.way(argv, call, shell)).reduce(Outcome::or)
    }

    /// Runs one way that a command may come out.
    fn way(&mut self, argv: Vec<Word>, call: &Call, shell: &mut Shell) -> Outcome {
        let Some((command, args)) = argv.split_first() else {
            return Outcome::silent(Status::Either);
        };
        let Some(name) = command.literal() else {
            return unresolved::run(self, command, args, call, shell);
        };
        let found = self.on_path(name, call, shell);
        let command =
            &found.as_deref().map_or_else(|| command.clone(), |path| Word::literal_at(path, command.span));
        let name = found.as_deref().unwrap_or(name);
        let copied = self.is_gate_copy(command, args, shell);
        let program = if copied { "tollgate".to_owned() } else { self.program(command, name, shell) };
        let shown = argv.iter().map(Word::shown).collect();
        let kind = EffectKind::Exec { program: program.clone(), argv: shown, source: CodeSource::Literal };
        self.push(kind, call.span, Certainty::Certain);
        let mut run = commands::Run { analyst: self, shell, call, path: name, program: &program, args };
        commands::run(&mut run)
    }

    /// The file that a command's name finds on the path that this call says: one that it made, that an earlier call made,
    /// or that is the project's own.
    fn on_path(&self, name: &str, call: &Call, shell: &Shell) -> Option<String> {
        if name.contains('/') || call.kind != Kind::External {
            return None;
        }
        let own = call
            .assigns
            .iter()
            .rev()
            .find(|(variable, _)| &**variable == "PATH")
            .map(|(_, value)| value.clone());
        let says = own.is_some();
        let value = own.or_else(|| shell.variable("PATH"))?;
        let folders: Vec<String> = value.any.iter().map(show).collect();
        let folders =
            folders.iter().flat_map(|folders| folders.split(':')).filter(|folder| !folder.contains('*'));
        folders
            .take(16)
            .map(|folder| format!("{}/{name}", if folder.is_empty() { "." } else { folder }))
            .find(|path| {
                let word = Word::literal_at(path, Span::default());
                shell.file(&word.value()).is_some()
                    || shell.resolve(&word.value()).as_literal().is_some_and(|path| self.links.is_link(path))
                    || says && (self.own_text(&word, shell).is_some() || self.is_copy(&word, shell))
                    || self.is_project_script(&word, shell)
            })
    }

    /// Does a file of the project lie there that somebody has written? What a tool has put there is its own.
    fn is_project_script(&self, word: &Word, shell: &Shell) -> bool {
        let (world, root) = (self.world, self.world.workspace());
        self.places(word, shell).iter().any(|(place, _)| {
            !place.pattern
                && paths::within(&place.path, root)
                && world.kind(&place.path) == FileKind::File
                && !is_rebuildable(&place.path, root, world)
        })
    }

    /// The program's name without its directory; for a copy or link that the session made, what it was made from.
    fn program(&self, command: &Word, name: &str, shell: &Shell) -> String {
        let mut path = name.to_owned();
        if name.contains('/')
            && let Some(resolved) = shell.resolve(&command.value()).as_literal()
            && let Some(original) = self.original(resolved)
        {
            path = original;
        }
        // A file of the project that is called like a program of the system is another one.
        if name.contains('/') && path == name && self.hides_program(command, name, shell) {
            return name.to_owned();
        }
        let name = name.rsplit('/').next().unwrap_or_default();
        let program = path.rsplit('/').next().unwrap_or_default();
        // Zsh brings some programs along by other names.
        let program =
            program.strip_prefix("zf_").filter(|rest| commands::is_command(rest)).unwrap_or(program);
        let program = if commands::is_command(program) { program } else { gnu(program).unwrap_or(program) };
        let tool = multicall::tool(program, name).filter(|tool| commands::is_command(tool));
        tool.unwrap_or(program).to_owned()
    }

    fn hides_program(&self, command: &Word, name: &str, shell: &Shell) -> bool {
        let base = name.rsplit('/').next().unwrap_or_default();
        let system = || {
            ["/usr/bin", "/bin"]
                .iter()
                .any(|folder| self.world.kind(&format!("{folder}/{base}")) != FileKind::Missing)
        };
        commands::is_command(base) && self.is_project_script(command, shell) && system()
    }

    /// What a path was copied or linked from, in this call or an earlier one.
    pub(super) fn original(&self, path: &str) -> Option<String> {
        let own = self.links.original(path).map(str::to_owned);
        own.or_else(|| match self.world.memory().state_of(path)? {
            Mark::Copy(original) | Mark::Link(original) if self.may_be(path, original) => {
                Some(original.clone())
            }
            _ => None,
        })
    }

    /// May the file be the other one, or will it be? What the disk holds and is something else was not replaced.
    fn may_be(&self, path: &str, original: &str) -> bool {
        const LOOK: usize = 4096;
        let Some(bytes) = self.world.read(path, LOOK) else { return true };
        self.world.read(original, LOOK).is_none_or(|other| other == bytes)
    }

    /// Behind `sudo`, `env` and their like an unknown word may come to nothing, and the next one is the
    /// command. Where the shell itself looks for the command it has seen to that.
    pub(crate) fn vanished(
        &mut self,
        command: &Word,
        args: &[Word],
        call: &Call,
        shell: &mut Shell,
    ) -> Option<Outcome> {
        if call.kind == Kind::Unresolved {
            return None;
        }
        let vanishes = |word: &&Word| word.splits && word.text.maybe_empty();
        let words = std::iter::once(command).chain(args);
        let rest: Vec<Word> = words.skip_while(vanishes).cloned().collect();
        if rest.is_empty() || rest.len() > args.len() {
            return None;
        }
        Some(self.suppose(|analyst| analyst.way(rest, call, shell)))
    }
}

/// Where the system brings programs of its own, those of GNU have a `g` before their names.
fn gnu(program: &str) -> Option<&str> {
    const NAMES: &str = "awk base32 base64 basenc cat chgrp chmod chown chroot cp csplit cut date dd dir dircolors du env expand \
        find fmt fold grep egrep fgrep head install join kill link ln locate ls make mkdir mkfifo mknod mv nice \
        nl nohup od paste patch printenv printf ptx rm rmdir sed shred shuf sort split stat stdbuf stty tac tail \
        tar tee timeout touch tr truncate uniq unlink updatedb vdir wc xargs yes";
    program.strip_prefix('g').filter(|name| NAMES.split(' ').any(|known| known == *name))
}

impl Analyst<'_> {
    /// Is there surely no such file on this machine?
    pub(crate) fn is_missing(&self, word: &Word, shell: &Shell) -> bool {
        let missing = |(place, certainty): &(Place, Certainty)| {
            *certainty == Certainty::Certain && self.world.kind(&place.path) == FileKind::Missing
        };
        let places = self.places(word, shell);
        self.elsewhere.is_none() && !self.wrote && !places.is_empty() && places.iter().all(missing)
    }
}
