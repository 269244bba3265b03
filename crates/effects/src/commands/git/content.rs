//! Commands that print what is in files, now or in the past, or that write files besides the work tree's own.

use tollgate_model::{EffectKind, FileKind, Place, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status, Stream};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use super::{Git, Verb};
use crate::analyst::{call_taint, taint};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[
    ("show", show),
    ("log", log),
    ("whatchanged", show),
    ("diff", diff),
    ("diff-tree", log),
    ("diff-index", log),
    ("diff-files", log),
    ("difftool", difftool),
    ("blame", blame),
    ("annotate", blame),
    ("cat-file", cat_file),
    ("hash-object", hash_object),
    ("grep", grep),
    ("archive", archive),
    ("format-patch", format_patch),
    ("bundle", bundle),
    ("fast-export", fast_export),
    ("merge-file", merge_file),
    ("interpret-trailers", trailers),
    ("credential", credential),
    ("credential-store", credential),
    ("credential-cache", credential),
    ("credential-osxkeychain", credential),
    ("credential-libsecret", credential),
    ("credential-manager", credential),
];

impl Git<'_, '_, '_> {
    /// Reads a file of the repository, as it is or as it was.
    pub(super) fn read_path(&mut self, word: &Word) -> Taint {
        match self.pathspec(word) {
            Some(path) => self.run.read(&path, true).taint,
            None => Taint::NONE,
        }
    }

    /// `HEAD~3:path`, `:path` and `:1:path`: the path, from the top of the work tree.
    fn object_path(&self, word: &Word) -> Option<Word> {
        let shown = word.shown();
        let (_, path) =
            shown.split_once(':').filter(|_| !shown.starts_with(":/") && !shown.starts_with(":("))?;
        let path = path
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix(':')
            .unwrap_or(path)
            .to_owned();
        (!path.is_empty()).then(|| self.in_tree(&path, word))
    }

    /// The file that `HEAD:path` alone names, where the work tree still has it like that.
    fn unchanged(&self) -> Option<String> {
        let [word] = self.args_before() else { return None };
        let head = word.text.prefix().starts_with("HEAD:") || word.text.prefix().starts_with("@:");
        let path = self.object_path(word).filter(|_| head && word.literal().is_some())?;
        let resolved = self.run.shell.resolve(&path.value()).as_literal()?.to_owned();
        self.run.analyst.are_committed(std::slice::from_ref(&resolved)).then_some(resolved)
    }

    /// Everything in the arguments that names a file: what comes after `--`, objects with a path, and
    /// operands that are files rather than revisions.
    fn named_files(&self) -> Vec<Word> {
        let before: Vec<Word> =
            self.args_before().iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
        let mut files: Vec<Word> = self.args_after().unwrap_or_default().to_vec();
        for word in &before {
            match self.object_path(word) {
                Some(path) => files.push(path),
                None if !self.names_rev(word) || self.is_protected(word) => files.push(word.clone()),
                None => {}
            }
        }
        files
    }

    fn reads_named_files(&mut self) -> Outcome {
        let mut marks = call_taint(self.run.call).union(self.content_mark());
        for file in self.named_files() {
            marks = marks.union(self.read_path(&file));
        }
        Outcome::unknown(marks)
    }

    /// The mark of what is in files; names, numbers and messages have none.
    fn content_mark(&self) -> Taint {
        const TOLD: &[&str] = &[
            "--name-only",
            "--name-status",
            "--stat",
            "--shortstat",
            "--numstat",
            "--dirstat",
            "--summary",
            "--quiet",
            "--check",
            "--no-patch",
            "-s",
            "--exit-code",
        ];
        let tells = |text: &str| TOLD.contains(&text) || text.starts_with("--stat=");
        if self.has_word(tells) { Taint::NONE } else { taint::FILE }
    }

    /// `--output=FILE`, which every command that prints differences has.
    fn writes_output(&mut self) {
        let mut words = self.args_before().to_vec().into_iter();
        while let Some(word) = words.next() {
            let text = word.text.prefix();
            let file = match text.strip_prefix("--output") {
                Some("") => words.next(),
                Some(rest) if rest.starts_with('=') => Some(word.after('=')),
                _ => None,
            };
            if let Some(file) = file {
                self.run.analyst.write(&file, WriteMode::Overwrite, None, self.run.shell);
            }
        }
    }

    pub(super) fn has_word(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.args_before().iter().any(|word| wanted(word.text.prefix()))
    }
}

fn show(git: &mut Git) -> Outcome {
    git.shown_over_itself();
    git.writes_output();
    let outcome = git.reads_named_files();
    let goes_on = matches!(git.run.call.stdout, Stream::File(_) | Stream::Pipe);
    let unchanged =
        if goes_on && taint::sources(outcome.stdout.taint) == taint::FILE { git.unchanged() } else { None };
    match unchanged {
        Some(path) => Outcome { stdout: Value::file(&path, taint::FILE), status: Status::Either },
        None => outcome,
    }
}

/// Prints names of commits; with a patch, what is in files.
fn log(git: &mut Git) -> Outcome {
    git.writes_output();
    let plumbing = git.verb.starts_with("diff-");
    let patch = |text: &str| {
        matches!(
            text,
            "-p" | "-u"
                | "--patch"
                | "-c"
                | "--cc"
                | "-m"
                | "--full-diff"
                | "--patch-with-stat"
                | "--patch-with-raw"
                | "--ext-diff"
        ) || text.starts_with("-U")
            || text.starts_with("--unified")
            || text.starts_with("-L")
            || text.starts_with("--word-diff")
            || text.starts_with("--color-words")
            || plumbing && text.starts_with("-p")
    };
    if !git.has_word(patch) {
        return git.run.derived();
    }
    let ranges: Vec<Word> =
        git.args_before().iter().filter(|word| word.text.prefix().starts_with("-L")).cloned().collect();
    for range in ranges {
        let shown = range.shown();
        if let Some((_, file)) = shown.rsplit_once(':') {
            git.read_path(&Word::literal_at(file, range.span));
        }
    }
    git.reads_named_files()
}

fn diff(git: &mut Git) -> Outcome {
    git.writes_output();
    let names = |text: &str| {
        matches!(
            text,
            "--stat"
                | "--name-only"
                | "--name-status"
                | "--numstat"
                | "--shortstat"
                | "--quiet"
                | "--summary"
        )
    };
    let patch = git.has_word(|text| matches!(text, "-p" | "-u" | "--patch"));
    if git.has_word(|text| text == "--name-only") && !patch {
        return git.some_files();
    }
    if git.has_word(names) && !patch {
        return git.run.derived();
    }
    if git.has_word(|text| text == "--no-index") {
        let files: Vec<Word> =
            git.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
        let marks = files.iter().fold(Taint::NONE, |marks, file| marks.union(git.run.read(file, true).taint));
        return Outcome::unknown(marks);
    }
    let outcome = git.reads_named_files();
    // Without revisions, or against the last commit, it is what is not committed, as a patch.
    let revisions = git.args_before().iter().any(|word| !is_of_work(git, word));
    let mark = match git.has_word(|text| text == "-R") {
        _ if revisions => Taint::NONE,
        true => taint::UNDONE,
        false => taint::WORK,
    };
    Outcome { stdout: outcome.stdout.with_taint(mark), ..outcome }
}

/// An option, a file that is there, or the last commit: none of them makes a difference another than that of the work.
fn is_of_work(git: &Git, word: &Word) -> bool {
    let there = |place: &Place| git.run.analyst.world.kind(&place.path) != FileKind::Missing;
    word.text.prefix().starts_with('-')
        || matches!(word.literal(), Some("HEAD" | "@"))
        || git.run.analyst.places(word, git.run.shell).iter().any(|(place, _)| there(place))
}

fn difftool(git: &mut Git) -> Outcome {
    let spec = "d,dir-diff y,no-prompt prompt t,tool= tool-help rotate-to= skip-to= symlinks no-symlinks x,extcmd= g,gui \
        no-gui trust-exit-code no-trust-exit-code cached staged";
    let options = git.options(spec);
    for command in options.values("x").cloned().collect::<Vec<_>>() {
        // It is given both sides of every file that differs, one of them in the work tree.
        let mut text = command.text.clone();
        text.push_str(" /tmp/left ./*");
        git.code(&Word { text, ..command });
    }
    git.reads_named_files()
}

fn blame(git: &mut Git) -> Outcome {
    let spec = "incremental b root show-stats progress no-progress score-debug f n p,porcelain line-porcelain c t l s \
        e,show-email w ignore-rev= ignore-revs-file= color-lines color-by-age minimal S= contents= C? M? L= abbrev? date= h \
        reverse encoding= first-parent";
    let options = git.options(spec);
    let mut files: Vec<Word> = git.args_after().unwrap_or_default().to_vec();
    files.extend(options.operands.last().cloned());
    let marks = files.iter().fold(Taint::NONE, |marks, file| marks.union(git.read_path(file)));
    Outcome::unknown(marks)
}

/// Puts files into the store, where their content can be printed from.
fn hash_object(git: &mut Git) -> Outcome {
    let options = git.options("t= w stdin stdin-paths path= no-filters literally");
    for file in &options.operands {
        git.run.read(file, false);
    }
    git.run.derived()
}

fn cat_file(git: &mut Git) -> Outcome {
    git.shown_over_itself();
    let only_facts = git.has_word(|text| matches!(text, "-t" | "-s" | "-e"));
    let mut objects: Vec<Word> =
        git.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    if git.has_word(|text| text.starts_with("--batch")) {
        let span = git.run.call.span;
        let input = git.run.stdin().and_then(Value::as_literal).unwrap_or_default().to_owned();
        objects.extend(input.lines().take(256).map(|line| Word::literal_at(line, span)));
    }
    if only_facts {
        return git.run.derived();
    }
    let mut marks = call_taint(git.run.call);
    for object in &objects {
        if let Some(path) = git.object_path(object) {
            marks = marks.union(git.read_path(&path));
        }
    }
    Outcome::unknown(marks)
}

fn grep(git: &mut Git) -> Outcome {
    let spec = "cached no-index index untracked exclude-standard no-exclude-standard recurse-submodules v,invert-match \
        i,ignore-case w,word-regexp a,text I textconv no-textconv r,recursive no-recursive max-depth= E,extended-regexp \
        G,basic-regexp F,fixed-strings P,perl-regexp n,line-number column h H full-name l,files-with-matches \
        name-only L,files-without-match z,null o,only-matching c,count color? no-color break heading C,context= \
        B,before-context= A,after-context= threads= p,show-function W,function-context f= e= and or not quiet,q all-match \
        O,open-files-in-pager? m,max-count= ext-grep";
    let options = git.options(spec);
    if let Some(pager) = options.value("O").cloned() {
        let files = Word::literal_at("*", git.run.call.span);
        crate::commands::interpreters::joined(git.run, &[pager, files]);
    }
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let mut files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    files.retain(|file| !git.names_rev(file));
    files.extend(git.args_after().unwrap_or_default().iter().cloned());
    let patterns = options.values("f").cloned().collect::<Vec<_>>();
    let read = files.iter().chain(&patterns);
    let marks = read.fold(Taint::NONE, |marks, file| marks.union(git.read_path(file)));
    Outcome::unknown(marks)
}

fn archive(git: &mut Git) -> Outcome {
    let spec = "format= prefix= mtime= o,output= worktree-attributes no-worktree-attributes v,verbose 0 1 2 3 4 5 6 7 8 9 \
        l,list remote= exec= add-file= add-virtual-file=";
    let mut options = git.options(spec);
    options.operands.extend(git.args_after().unwrap_or_default().iter().cloned());
    if let Some(address) = options.value("remote").cloned() {
        git.fetches(&address);
    }
    for command in options.values("exec").cloned().collect::<Vec<_>>() {
        git.code(&command);
    }
    let added = options.values("add-file").cloned();
    let files: Vec<Word> = options.operands.iter().skip(1).cloned().chain(added).collect();
    // What is committed comes out whole.
    let marks = files.iter().fold(taint::FILE, |marks, file| marks.union(git.read_path(file)));
    let elsewhere = options.has("prefix") || options.has("remote");
    let marks = if elsewhere { marks } else { marks.union(taint::COMMITTED) };
    match options.value("o").cloned() {
        Some(file) => {
            let content = Value::output(marks);
            git.run.analyst.write(&file, WriteMode::Overwrite, Some(&content), git.run.shell);
            Outcome::silent(Status::Either)
        }
        None => Outcome::unknown(marks),
    }
}

fn format_patch(git: &mut Git) -> Outcome {
    git.writes_output();
    let mut words = git.args_before().to_vec().into_iter();
    while let Some(word) = words.next() {
        let text = word.text.prefix();
        let folder = match text {
            "-o" | "--output-directory" => words.next(),
            _ if text.starts_with("--output-directory=") => Some(word.after('=')),
            _ if text.starts_with("-o") => Some(word.from(2)),
            _ => None,
        };
        if let Some(folder) = folder {
            git.run.analyst.write(&folder, WriteMode::Overwrite, None, git.run.shell);
        }
    }
    git.reads_named_files()
}

fn bundle(git: &mut Git) -> Outcome {
    let options =
        git.options("q,quiet progress all-progress all-progress-implied version= all branches tags");
    if let [verb, file, ..] = options.operands.as_slice()
        && verb.is("create")
        && !file.is("-")
    {
        let content = Value::output(taint::FILE);
        git.run.analyst.write(&file.clone(), WriteMode::Overwrite, Some(&content), git.run.shell);
    }
    Outcome::unknown(taint::FILE)
}

fn fast_export(git: &mut Git) -> Outcome {
    let marks: Vec<Word> =
        git.args.iter().filter(|word| word.text.prefix().starts_with("--export-marks=")).cloned().collect();
    for word in marks {
        git.run.analyst.write(&word.after('='), WriteMode::Overwrite, None, git.run.shell);
    }
    // All that was ever committed, as a bundle.
    Outcome::unknown(taint::FILE)
}

impl Git<'_, '_, '_> {
    /// Lines about branches, as `--format` says: its own letters are known, and what stands for a part of a branch is not.
    pub(super) fn printed_refs(&self) -> Option<Outcome> {
        let options =
            self.options("format= sort= count= points-at= contains= no-contains= merged= no-merged= color?");
        let format = options.value("format")?.literal()?;
        let mut line = Text::default();
        let mut parts = format.split("%(");
        line.push_str(parts.next().unwrap_or_default());
        for part in parts {
            line.push(Piece::Hole(Hole::nonempty(HoleSource::Output)));
            line.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
        }
        line.push_str("\n");
        Some(Outcome { stdout: Value::from(line), status: Status::Either })
    }
}

/// Prints messages with what is put under them, or writes them anew.
fn trailers(git: &mut Git) -> Outcome {
    let options = git.options(
        "in-place trim-empty trailer= where= no-where if-exists= no-if-exists if-missing= no-if-missing only-trailers \
         only-input unfold parse no-divider",
    );
    let mut marks = git.run.derived().stdout.taint;
    for file in &options.operands {
        marks = marks.union(git.run.read(file, false).taint);
        if options.has("in-place") {
            git.run.analyst.write(file, WriteMode::Edit, None, git.run.shell);
        }
    }
    Outcome::unknown(marks)
}

fn merge_file(git: &mut Git) -> Outcome {
    let options = git.options("p,stdout q,quiet diff3 zdiff3 ours theirs union marker-size= L= object-id");
    if let Some(file) = options.operands.first().filter(|_| !options.has("p")).cloned() {
        git.run.analyst.write(&file, WriteMode::Edit, None, git.run.shell);
    }
    git.run.derived()
}

/// Passwords that git keeps for its user.
fn credential(git: &mut Git) -> Outcome {
    if !git.args.iter().any(|word| word.is("fill") || word.is("get")) {
        return git.run.derived();
    }
    let home = git.run.analyst.world.home();
    let place = Place {
        path: format!("{home}/.git-credentials"),
        shown: "git's stored passwords".to_owned(),
        zone: Zone::Secret,
        pattern: false,
        root: false,
    };
    git.run.push(EffectKind::Read { place, recursive: false });
    Outcome::unknown(taint::SECRET)
}
