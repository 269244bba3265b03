//! Commands that print what is in files, now or in the past, or that write files besides the work tree's own.

use tollgate_model::{EffectKind, FileKind, NetDirection, Place, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use super::lose::Doomed;
use super::{Git, Verb};
use crate::analyst::{call_taint, taint};
use crate::commands::archives;
use crate::patch::{self, Change};
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
    ("apply", apply),
    ("am", am),
    ("merge-file", merge_file),
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
    git.reads_named_files()
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
    let mark = if revisions { Taint::NONE } else { taint::WORK };
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
    git.run.derived()
}

fn apply(git: &mut Git) -> Outcome {
    let spec = "stat numstat summary check index N,intent-to-add 3,3way ours theirs union cached unsafe-paths build-fake-ancestor= \
        z R,reverse reject p= C= inaccurate-eof recount unidiff-zero apply no-add add allow-binary-replacement binary exclude= \
        include= ignore-space-change ignore-whitespace whitespace= directory= v,verbose q,quiet allow-overlap allow-empty";
    let options = git.options(spec);
    let looks = ["stat", "numstat", "summary", "check", "cached"].iter().any(|name| options.has(name));
    let work = git.run.stdin().is_some_and(|patch| taint::has(patch.taint, taint::WORK));
    if work && options.has("R") && !looks {
        git.lose(&Doomed { modified: true, ..Doomed::new("git apply --reverse") });
    }
    if !looks || options.has("apply") {
        let folder =
            options.value("directory").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
        let strip = options.value("p").and_then(|count| count.shown().parse().ok()).unwrap_or(1);
        patches(git, &options.operands, &folder, strip);
        if options.has("unsafe-paths") {
            git.run.analyst.opaque("the patch may write outside the repository", git.run.call.span);
        }
    }
    git.run.derived()
}

fn am(git: &mut Git) -> Outcome {
    let spec = "i,interactive b,binary 3,3way no-3way q,quiet s,signoff u,utf8 no-utf8 k,keep keep-non-patch m,message-id \
        no-message-id keep-cr no-keep-cr c,scissors no-scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace \
        directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r,resolved skip abort quit retry \
        show-current-patch? allow-empty no-verify,n committer-date-is-author-date ignore-date S,gpg-sign? no-gpg-sign empty= rerere-autoupdate verify";
    let options = git.options(spec);
    if options.has("no-verify") {
        git.skips_hooks();
    }
    let goes_on = ["continue", "r", "skip", "abort", "quit", "retry", "show-current-patch"]
        .iter()
        .any(|name| options.has(name));
    if !goes_on {
        patches(git, &options.operands, "", 1);
    }
    git.run.derived()
}

/// Has this call fetched something from a host that is neither a forge nor this machine?
fn from_stranger(git: &Git) -> bool {
    git.run.analyst.found().iter().any(|effect| match &effect.kind {
        EffectKind::Net { host, direction: NetDirection::In, .. } => {
            !tollgate_model::hosts::on_forge(host) && !crate::url::is_this_machine(host)
        }
        _ => false,
    })
}

/// Writes what patches write, as far as they can be read.
fn patches(git: &mut Git, files: &[Word], folder: &str, strip: usize) {
    let span = git.run.call.span;
    let mut texts: Vec<Value> = Vec::new();
    for file in files.iter().filter(|file| !file.is("-")) {
        git.run.read(file, false);
        texts.extend(git.run.analyst.script(file, git.run.shell));
    }
    if files.iter().all(|file| file.is("-")) {
        texts.extend(git.run.stdin().cloned());
    }
    if texts.iter().any(|text| taint::has(text.taint, taint::NET)) && from_stranger(git) {
        git.run.analyst.opaque("the patch comes from a stranger's host, and nobody has seen it", span);
    }
    let known: Vec<String> =
        texts.iter().flat_map(Value::literals).flat_map(|text| patched(text, strip)).take(256).collect();
    let added = added(&texts);
    for path in known {
        let word = git.in_tree(&format!("{folder}{path}"), &Word::literal_at("", span));
        match added.iter().find(|(name, _)| name.ends_with(&path)) {
            Some((_, text)) => {
                let text = Value::text(text);
                git.run.analyst.write(&word, WriteMode::Overwrite, Some(&text), git.run.shell);
            }
            None => {
                let changes = texts.iter().flat_map(Value::literals).flat_map(patch::read);
                let edits = changes.into_iter().find_map(|change| match change {
                    Change::Update { path: name, to, edits }
                        if to.as_ref().unwrap_or(&name).ends_with(&path) =>
                    {
                        Some(edits)
                    }
                    _ => None,
                });
                archives::patches::updated(git.run, &word, &edits.unwrap_or_default());
            }
        }
    }
}

/// The files that patches make, with what is in them.
fn added(texts: &[Value]) -> Vec<(String, String)> {
    let changes = texts.iter().flat_map(Value::literals).flat_map(patch::read);
    let added = changes.filter_map(|change| match change {
        Change::Add { path, text } => Some((path, text)),
        _ => None,
    });
    added.collect()
}

/// The paths that a patch makes or changes.
fn patched(text: &str, strip: usize) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for line in text.lines() {
        let path = match line.strip_prefix("+++ ").or(line.strip_prefix("--- ")) {
            Some(path) => {
                let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
                (path != "/dev/null").then(|| path.splitn(strip + 1, '/').nth(strip).unwrap_or(path))
            }
            None => line
                .strip_prefix("rename to ")
                .or(line.strip_prefix("copy to "))
                .map(|path| path.trim().trim_matches('"')),
        };
        if let Some(path) = path.filter(|path| !path.is_empty() && !paths.iter().any(|known| known == path)) {
            paths.push(path.to_owned());
        }
    }
    paths
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
