//! Code that the project has committed and that nobody has changed since was read by those who work on it. What such
//! code leaves open until it runs is no reason to ask; what it is known to do is judged like anything else.
//!
//! Invariant: nothing that the call says, gives or has put in place is open there, so only the project's own words are.

use std::borrow::Cow;

use tollgate_model::git::{GitAsk, Repo};
use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, FileKind, Place, Span, Zone};
use tollgate_shell::eval::{KeptBack, Shell, Stream};

use super::{Analyst, TOO_MUCH, is_unread};
use crate::commands::Run;
use crate::paths;
use crate::word::Word;

/// The files whose code is being followed, and whether they are the project's own.
#[derive(Debug, Default)]
pub(crate) struct Ours {
    /// Absolute paths; those before `known` were looked up.
    files: Vec<String>,
    known: usize,
    /// One of them is not.
    foreign: bool,
}

/// What a call has done before the project's code runs.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// Its text says everything out.
    pub plain: bool,
    /// Files that it wrote.
    written: Vec<String>,
    /// It changed files that are not known one by one.
    stirred: bool,
}

/// How far the project's code is followed: what the call says behind it is judged in any case.
const STEPS: u32 = 60_000;

/// How far code that is too much to be followed is gone over, each time.
const SKIMMED: u32 = 160_000;

/// The most names in a folder that are held against a pattern.
const LISTED: usize = 4096;

/// Expansions that give a number or a folder.
const HARMLESS: &[&str] =
    &["$(nproc)", "`nproc`", "$(pwd)", "${PIPESTATUS[0]}", "${PWD}", "${HOME}", "$PWD", "$HOME", "$?", "$!"];

/// Says a text everything out? What it expands, defines, decodes or reads elsewhere could bring anything into the code
/// that it runs, and what it does with more rights is worth a question.
pub(crate) fn is_plain(text: &str) -> bool {
    // No harmless expansion holds one of the first, and each begins with one of the second: a long text is copied for none.
    if text.contains(['\\', '<', '*']) {
        return false;
    }
    let expands = text.contains(['$', '`']);
    let harmless = HARMLESS.iter().filter(|_| expands);
    let text = harmless.fold(Cow::Borrowed(text), |text, known| Cow::Owned(text.replace(known, "")));
    let marks = ['$', '`', '(', ')', '{', '}', '?', '['];
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    !text.contains(marks)
        && !words.any(|word| matches!(word, "sudo" | "doas" | "read" | "mapfile" | "readarray"))
}

impl Run<'_, '_> {
    /// Follows code that stands in files.
    pub(crate) fn in_files<R>(&mut self, inside: impl Fn(&mut Self) -> R) -> R {
        let opens = self.analyst.ours.is_none() && self.says_all();
        if !opens {
            return inside(self);
        }
        self.analyst.ours = Some(Ours::default());
        let (kept, mark) = (self.shell.keep_back(STEPS), self.analyst.mark());
        let result = inside(self);
        if !self.shell.give_back(&kept) && self.analyst.is_ours() {
            self.skim(mark, &kept, inside);
        }
        self.analyst.ours = None;
        result
    }

    /// Goes over code that is too much to be followed. What it was found to do on the way so far stays.
    fn skim<R>(&mut self, mark: usize, start: &KeptBack, inside: impl Fn(&mut Self) -> R) {
        let found = self.analyst.mark();
        // Only in the second round is known what stands further down.
        let whole = self.go_over(start, &inside) && {
            self.analyst.sift(found, |_| false);
            self.go_over(start, &inside)
        };
        self.shell.end_skim();
        if whole {
            self.analyst.retract_unread(mark);
        }
    }

    /// One round. Did it come to the end?
    fn go_over<R>(&mut self, start: &KeptBack, inside: impl Fn(&mut Self) -> R) -> bool {
        self.analyst.read_anew();
        self.shell.begin_skim();
        let kept = self.shell.set_aside(SKIMMED, start);
        inside(self);
        self.shell.take_back(kept)
    }

    /// Nothing that is only known later, and nothing beyond the project, is given to the code.
    fn says_all(&self) -> bool {
        let Analyst { before, links, elsewhere, .. } = &*self.analyst;
        let within = |text: Option<&str>| text.is_some_and(|text| self.stays_within(text));
        // How many jobs there are, `-j$(nproc)`, changes nothing.
        let known = |word: &Word| within(word.literal()) || word.text.prefix().starts_with("-j");
        let set = self.shell.exported().filter(|(name, _)| !matches!(*name, "PWD" | "OLDPWD"));
        let mut set =
            set.map(|(_, value)| value).chain(self.call.assigns.iter().map(|(_, value)| value.clone()));
        let known = self.args.iter().all(known) && set.all(|value| within(value.as_literal()));
        let fed = match &self.call.stdin.stream {
            Stream::Outer | Stream::Closed => false,
            Stream::File(path) => path.as_literal() != Some("/dev/null"),
            Stream::Pipe | Stream::Here => true,
        };
        before.plain && !before.stirred && links.made().is_empty() && elsewhere.is_none() && known && !fed
    }

    /// Is it one plain word that names nothing outside the project and the temporary folders, itself or behind `=`?
    fn stays_within(&self, text: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
        let inside = |text: &str| {
            let places = self.analyst.places(&Word::literal_at(text, Span::default()), self.shell);
            places.iter().all(|(place, _)| matches!(place.zone, Zone::Temp | Zone::Workspace))
        };
        let value = text.split_once('=').map(|(_, value)| value);
        text.chars().all(plain) && !text.contains("://") && inside(text) && value.is_none_or(inside)
    }
}

impl Analyst<'_> {
    /// What could not be followed since the mark was gone over after all.
    fn retract_unread(&mut self, mark: usize) {
        let unread = |effect: &Effect| {
            is_unread(effect) && matches!(&effect.kind, EffectKind::Opaque { why } if why == TOO_MUCH)
        };
        for effect in self.take_since(mark) {
            if unread(&effect) {
                self.seen.remove(&effect);
            } else {
                self.effects.push(effect);
            }
        }
    }

    /// Scripts are counted anew.
    fn read_anew(&mut self) {
        self.scripts = 0;
    }

    /// Code is read from a file on disk. What the system keeps, `/etc/os-release`, is nobody's to change here.
    pub(super) fn follows(&mut self, path: &str) {
        let systems =
            ["/etc/", "/usr/", "/proc/", "/boot/", "/sys/"].iter().any(|folder| path.starts_with(folder));
        if self.ours.is_none() || systems && self.before.written.is_empty() {
            return;
        }
        let given = self.is_given(path);
        if let Some(ours) = self.ours.as_mut().filter(|ours| !ours.files.iter().any(|known| known == path)) {
            ours.files.push(path.to_owned());
            ours.foreign |= given;
        }
    }

    /// Code is read from a file that the call has written: before the project's code ran, or by it.
    pub(super) fn follows_written(&mut self, word: &Word, shell: &Shell) {
        if self.ours.is_none() {
            return;
        }
        let any = !self.before.written.is_empty();
        let given = |place: &Place| self.is_given(&place.path) || place.pattern && any;
        let given = self.places(word, shell).iter().any(|(place, _)| given(place));
        if let Some(ours) = &mut self.ours {
            ours.foreign |= given;
        }
    }

    /// What the code reads decides what it does: what this session has put there was read by nobody.
    fn reads_of_ours(&mut self, kind: &EffectKind) {
        let EffectKind::Read { place, .. } = kind else { return };
        let given = self.is_given(&place.path) || self.world.memory().has_changed(&place.path);
        if let Some(ours) = &mut self.ours {
            ours.foreign |= given || place.pattern && !self.before.written.is_empty();
        }
    }

    /// Has the call written the file before, or a folder above it?
    fn is_given(&self, path: &str) -> bool {
        self.before.written.iter().any(|written| paths::within(path, written))
    }

    /// Takes down what the call changes before the project's code runs.
    pub(super) fn changes_before(&mut self, kind: &EffectKind) {
        if self.ours.is_some() || !self.before.plain {
            return;
        }
        match kind {
            // What git is told is told to all that the code asks of it.
            EffectKind::Write { place, .. } if place.pattern || place.path.contains("/.git/") => {
                self.before.stirred = true;
            }
            EffectKind::Write { place, .. } => self.before.written.push(place.path.clone()),
            EffectKind::Alter { .. } => self.before.stirred = true,
            EffectKind::Exec { program, argv, .. } if program == "git" => {
                self.before.stirred |= argv.iter().any(|word| word == "config");
            }
            _ => {}
        }
    }

    /// What the project's own code leaves open is what a program does that cannot be read: it runs. A key that it
    /// makes and puts away again is none of the person's.
    /// What there was no time to read is not open but unread.
    pub(super) fn left_open(&mut self, mut kind: EffectKind, certainty: Certainty) -> EffectKind {
        if self.ours.is_none() || certainty == Certainty::Budget {
            return kind;
        }
        self.reads_of_ours(&kind);
        if (is_open(&kind) || certainty == Certainty::Possible && writes_somewhere(&kind)) && self.is_ours() {
            return self.runs();
        }
        if let Some(place) = place_of(&mut kind).filter(|place| place.zone == Zone::Secret)
            && self.is_nothing(place)
            && self.is_ours()
        {
            place.zone = Zone::Workspace;
        }
        kind
    }

    /// Is there nothing in the workspace that it names?
    fn is_nothing(&self, place: &Place) -> bool {
        let Some((folder, name)) = place.path.rsplit_once('/') else { return false };
        let known =
            self.ours.is_some() && !folder.contains('*') && paths::within(folder, self.world.workspace());
        known
            && match place.pattern {
                true => {
                    let names = self.world.list(folder, LISTED);
                    names.len() < LISTED && !names.iter().any(|entry| paths::glob_could_be(name, entry))
                }
                false => self.world.kind(&place.path) == FileKind::Missing,
            }
    }

    fn runs(&self) -> EffectKind {
        let program = self.ours.as_ref().and_then(|ours| ours.files.last().cloned()).unwrap_or_default();
        EffectKind::Exec { program, argv: Vec::new(), source: CodeSource::File }
    }

    /// Are all files whose code is followed committed and unchanged? Asked only when the answer depends on it.
    fn is_ours(&mut self) -> bool {
        let Some(ours) = &self.ours else { return false };
        let new: Vec<String> = ours.files.iter().skip(ours.known).cloned().collect();
        let foreign = ours.foreign || ours.files.is_empty() || !(new.is_empty() || self.are_committed(&new));
        if let Some(ours) = &mut self.ours {
            ours.known = ours.files.len();
            ours.foreign = foreign;
        }
        !foreign
    }

    pub(crate) fn are_committed(&self, files: &[String]) -> bool {
        let world = self.world;
        let root = |folder: &str| Repo::find(folder, world).and_then(|repo| repo.root);
        let Some(own) = root(world.workspace()) else { return false };
        let folder =
            |file: &str| file.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
        let here = |file: &String| {
            root(&folder(file)).is_some_and(|root| root == own) && !world.memory().has_changed(file)
        };
        let ask = GitAsk { paths: files.to_vec(), untracked: true, ignored: true, ..GitAsk::default() };
        files.iter().all(here) && world.git_status(&own, &ask).is_some_and(|status| status.is_empty())
    }
}

/// The file that is used.
fn place_of(kind: &mut EffectKind) -> Option<&mut Place> {
    match kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Alter { place, .. } => Some(place),
        _ => None,
    }
}

/// Is nothing known of the place that is written, but that it has a name?
fn writes_somewhere(kind: &EffectKind) -> bool {
    let EffectKind::Write { place, .. } = kind else { return false };
    place.pattern && place.path.chars().all(|c| matches!(c, '/' | '*'))
}

/// Is it only known when it runs?
fn is_open(kind: &EffectKind) -> bool {
    match kind {
        EffectKind::Opaque { .. } => true,
        EffectKind::Delete { place: Place { zone: Zone::Unknown, .. }, .. } => true,
        EffectKind::Exec { program, source: CodeSource::Variable | CodeSource::File, .. } => {
            program == "code"
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn plain_texts_say_everything_out() {
        for (text, plain) in [
            ("make -j$(nproc) && ./run.sh", true),
            ("make -j`nproc`; echo $?", true),
            ("cd \"$HOME\" && npm test", true),
            ("echo ${PIPESTATUS[0]}", true),
            ("npm test", true),
            ("echo $OTHER", false),
            ("echo $(pwd) $(date)", false),
            ("echo ?", false),
            ("cat <<'EOF'\nx\nEOF\n", false),
            ("ls *.rs", false),
            ("echo a\\ b", false),
            ("sudo make $PWD", false),
            ("read x", false),
            ("a() { b; }", false),
        ] {
            assert_eq!(is_plain(text), plain, "{text}");
        }
    }
}
