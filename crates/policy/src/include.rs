//! Hook files: which there are beside a policy file, and the pipelines that they and the policy file come to.

use std::fs;
use std::path::{Path, PathBuf};

use tollgate_model::Catalogue;

use crate::dependencies;
use crate::file::{read_file, read_text};
use crate::glob;
use crate::layer::Layer;
use crate::layers::Settings;
use crate::pipeline::{BUILT_IN, Pipeline, Program, Stage};
use crate::problem::{At, Problem, Severity, shown_path};
use crate::settings::{self, BIGGEST};
use crate::shelf::{Good, Shelf};
use crate::snapshot::Stamp;
use crate::source::Identity;

/// The name of a hook file.
pub const HOOK_FILE: &str = "hook.meta.yaml";
/// How deep hook files are looked for, and in how many entries at most.
const DEEPEST: usize = 6;
const MOST: usize = 2000;
/// How many hook files are read, how large each may be, and all together: a project must not use up an event's time.
const MOST_HOOKS: usize = 200;
const BIGGEST_HOOK: usize = 256 << 10;
const ALL_HOOKS: usize = 1 << 20;

/// The pipelines of a policy file and of the hook files that belong to it.
#[derive(Debug, Default)]
pub(crate) struct Included {
    pub pipelines: Vec<Pipeline>,
    pub problems: Vec<Problem>,
    /// Everything on disk that they depend on.
    pub stamps: Vec<Stamp>,
    /// Hook files that were found.
    pub files: Vec<PathBuf>,
    /// One of the broken ones was never good, so that nothing is known of its guards.
    pub never_good: bool,
    /// How many bytes may still be read.
    room: usize,
}

impl Included {
    /// Reads what belongs to a policy file in `folder`.
    ///
    /// A hook file that is broken counts as it was when it was last good, which the shelf knows.
    pub(crate) fn of(folder: &Path, layer: Layer, settings: &Settings, shelf: Option<&Shelf>) -> Self {
        let mut included = Self::default();
        let mut walk = Walk { found: Vec::new(), stamps: Vec::new(), left: MOST };
        let own = if layer == Layer::Project { folder.join(".tollgate/hooks") } else { folder.join("hooks") };
        walk.visit(&own, DEEPEST, &|path| path.file_name().is_some_and(|name| name == HOOK_FILE));
        for pattern in settings.include.iter().flat_map(|pattern| glob::expand(pattern).unwrap_or_default()) {
            walk.include(folder, &pattern);
        }
        walk.found.sort();
        walk.found.dedup();
        // A pattern may well find the policy file itself, which is no hook file.
        walk.found.retain(|file| file.file_name().is_none_or(|name| name != crate::FILE_NAME));
        included.stamps = walk.stamps;
        included.add(folder, settings.pipelines.clone());
        included.room = ALL_HOOKS;
        for (count, file) in walk.found.iter().enumerate() {
            match count < MOST_HOOKS {
                true => included.read(file, shelf),
                false => {
                    included.refuse(file);
                    break;
                }
            }
        }
        included
    }

    /// What people are told of the broken files.
    pub(crate) fn problem_notices(&self) -> Vec<String> {
        let follows = match self.never_good {
            true => "is broken, so that its guards fail at every call",
            false => "is broken, and counts as it was when it was last good",
        };
        self.problems.iter().map(|problem| format!("a hook file {follows}: {problem}")).collect()
    }

    fn read(&mut self, file: &Path, shelf: Option<&Shelf>) {
        let Ok(bytes) = read_file(file, BIGGEST_HOOK.min(self.room)) else {
            return self.refuse(file);
        };
        self.room -= bytes.len();
        self.stamps.push(Stamp::of_file(file, Identity::of(file), Some(&bytes)));
        let (shown, text) = (shown_path(file), String::from_utf8_lossy(&bytes));
        let (mut settings, problems) = settings::read_hook(&shown, &text);
        if let Some(shelf) = shelf {
            if problems.is_empty() {
                shelf.keep(file, &text);
            } else {
                let good = shelf.good(file);
                settings = settings::read_hook(&shown, good.text()).0;
                if !matches!(good, Good::Text(_)) {
                    self.pipelines.push(never_good(&shown));
                    self.never_good = true;
                }
            }
        }
        self.problems.extend(problems);
        self.add(file.parent().unwrap_or(file), settings.pipelines);
        self.files.push(file.to_owned());
    }

    /// A hook file that is not read: its guards fail, and what else is known of the policy holds.
    fn refuse(&mut self, file: &Path) {
        self.stamps.push(Stamp::new(file, Identity::of(file)));
        let shown = shown_path(file);
        // One is enough to fail every call, and to say why.
        if !self.never_good {
            self.pipelines.push(never_good(&shown));
            self.never_good = true;
            self.problems.push(Problem {
                path: shown,
                severity: Severity::Error,
                message: format!(
                    "is not read: hook files are regular files of at most {} KiB, at most {MOST_HOOKS} of them with {} KiB in all",
                    BIGGEST_HOOK >> 10,
                    ALL_HOOKS >> 10
                ),
                hint: String::new(),
                at: At::default(),
            });
        }
        self.files.push(file.to_owned());
    }

    fn add(&mut self, folder: &Path, pipelines: Vec<Pipeline>) {
        for mut pipeline in pipelines {
            pipeline.folder = folder.to_string_lossy().into_owned();
            for stage in &mut pipeline.stages {
                stage.program = self.placed(folder, &stage.program);
            }
            self.pipelines.push(pipeline);
        }
    }

    /// A program by its absolute path. One that is not there stays named, so that running it is a fault; one of
    /// the built-ins' names serves in its place.
    fn placed(&mut self, folder: &Path, program: &Program) -> Program {
        match program {
            Program::File(name) => {
                let path = folder.join(name);
                self.stamps.push(Stamp::new(&path, presence(&path)));
                let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                if !path.is_file() && BUILT_IN.contains(&stem) {
                    return Program::BuiltIn(stem.to_owned());
                }
                Program::File(path.to_string_lossy().into_owned())
            }
            Program::Run(words) => Program::Run(self.placed_words(folder, words)),
            Program::BuiltIn(name) => Program::BuiltIn(name.clone()),
        }
    }

    /// A program's words with the files beside the policy by their absolute paths: the program itself, the script of
    /// an interpreter, and whatever begins with `./` or `../` and is there. A hook runs in the agent's working
    /// directory, where a relative path would name a file of the agent's.
    fn placed_words(&mut self, folder: &Path, words: &[String]) -> Vec<String> {
        let script = script_of(words);
        let place = |(at, word): (usize, &String)| {
            let path = folder.join(word);
            let dotted = word.starts_with("./") || word.starts_with("../");
            let is_own = (at == 0 && word.contains('/')) || Some(at) == script || dotted;
            if !is_own || Path::new(word).is_absolute() {
                return word.clone();
            }
            self.stamps.push(Stamp::new(&path, presence(&path)));
            let named = at == 0 || Some(at) == script || path.exists();
            if named { path.to_string_lossy().into_owned() } else { word.clone() }
        };
        words.iter().enumerate().map(place).collect()
    }
}

/// What stands for a hook file that is broken and was never good: its guards fail, and are not skipped.
fn never_good(shown: &str) -> Pipeline {
    // No program has such a name, and the fault shows it.
    let name = format!("broken hook file {shown}; run: tollgate check");
    Pipeline::failing("hook-file", Program::Run(vec![name]), shown)
}

/// Programs that run the file that their first argument names.
const INTERPRETERS: [&str; 18] = [
    "python",
    "python3",
    "pypy3",
    "node",
    "nodejs",
    "bun",
    "deno",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "sh",
    "bash",
    "zsh",
    "dash",
    "pwsh",
    "osascript",
];
/// Words between an interpreter and its script.
const SUBCOMMANDS: [&str; 2] = ["run", "python3"];

/// Which word is the script of an interpreter: the first that is no option, unless the code is on the command line.
fn script_of(words: &[String]) -> Option<usize> {
    let name = Path::new(words.first()?).file_name()?.to_str()?;
    let interprets = INTERPRETERS.contains(&name) || name.starts_with("python3.");
    if !interprets && name != "uv" {
        return None;
    }
    let inline = |word: &String| matches!(word.as_str(), "-c" | "-m" | "-e" | "-p" | "--eval" | "eval" | "-");
    let rest = words.iter().enumerate().skip(1);
    let mut rest = rest.filter(|(_, word)| {
        !SUBCOMMANDS.contains(&word.as_str()) && (!word.starts_with('-') || inline(word))
    });
    let (at, word) = rest.next()?;
    (!inline(word) && word.contains(['.', '/'])).then_some(at)
}

/// Everything that is wrong with the hook files that belong to a policy file, and the files and programs that they and
/// it name and that are not there. `found` says of a program's name whether it can be started.
#[must_use]
pub fn check_hooks(
    policy: &Path,
    layer: Layer,
    catalogue: &dyn Catalogue,
    found: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let text = read_text(policy, BIGGEST).unwrap_or_default();
    let (settings, _) = settings::read(&shown_path(policy), &text, &catalogue.cards());
    let folder = policy.parent().unwrap_or(policy);
    let included = Included::of(folder, layer, &settings, None);
    let mut wrong: Vec<String> = included.problems.iter().map(Problem::to_string).collect();
    let named = settings.include.iter().filter(|name| !name.contains(['*', '?', '[', '{']));
    let absent = named.filter(|name| !folder.join(name).is_file());
    wrong.extend(absent.map(|name| format!("{}: `include`: `{name}` is not there", shown_path(policy))));
    for pipeline in &included.pipelines {
        let absent =
            pipeline.stages.iter().filter_map(|stage| Some((stage, missing(&stage.program, found)?)));
        wrong.extend(absent.map(|(stage, program)| {
            format!("{}: middleware `{}`: `{program}` is not there", pipeline.source, stage.id)
        }));
        for stage in &pipeline.stages {
            wrong.extend(missing_parts(stage).map(|(file, what)| {
                let file = file.display();
                format!(
                    "{}: middleware `{}`: {file} needs {what}, which is not there",
                    pipeline.source, stage.id
                )
            }));
        }
    }
    wrong
}

/// Are there hook files beside the place of a policy file?
#[must_use]
pub fn has_hook_files(policy: &Path, layer: Layer) -> bool {
    let folder = policy.parent().unwrap_or(policy);
    !Included::of(folder, layer, &Settings::default(), None).files.is_empty()
}

/// The names of all middlewares that a project configures, trusted or not.
#[must_use]
pub fn middleware_ids(project: &Path, catalogue: &dyn Catalogue) -> Vec<String> {
    let policy = project.join(crate::FILE_NAME);
    let text = read_text(&policy, BIGGEST).unwrap_or_default();
    let (settings, _) = settings::read(&shown_path(&policy), &text, &catalogue.cards());
    let pipelines = Included::of(project, Layer::Project, &settings, None).pipelines;
    pipelines.into_iter().flat_map(|pipeline| pipeline.stages).map(|stage| stage.id).collect()
}

/// What the files of a middleware import, source or load and is not there.
fn missing_parts(stage: &Stage) -> impl Iterator<Item = (PathBuf, String)> {
    let words = match &stage.program {
        Program::File(path) => std::slice::from_ref(path),
        Program::Run(words) => words.as_slice(),
        Program::BuiltIn(_) => &[],
    };
    // Programs of the system are not read: they are no part of a hook.
    let is_system =
        |word: &str| ["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/"].iter().any(|dir| word.starts_with(dir));
    let files = words.iter().filter(move |word| word.starts_with('/') && !is_system(word));
    files.flat_map(|file| dependencies::missing_for(Path::new(file)))
}

/// The file or program that a middleware cannot run without, when it is not on this machine.
fn missing<'a>(program: &'a Program, found: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let absent = |name: &&'a String| {
        let there = if name.contains('/') { Path::new(name).is_file() } else { found(name) };
        !there
    };
    match program {
        Program::File(path) => Some(path).filter(absent),
        Program::Run(words) => {
            let script = script_of(words).and_then(|at| words.get(at));
            words.first().into_iter().chain(script).find(absent)
        }
        Program::BuiltIn(_) => None,
    }
    .map(String::as_str)
}

/// Only whether it is there: what is in a program may change without a new snapshot.
fn presence(path: &Path) -> Identity {
    match Identity::of(path) {
        Identity::File { dev, ino, .. } => Identity::Directory { dev, ino },
        other => other,
    }
}

struct Walk {
    found: Vec<PathBuf>,
    stamps: Vec<Stamp>,
    left: usize,
}

impl Walk {
    fn visit(&mut self, folder: &Path, depth: usize, wanted: &dyn Fn(&Path) -> bool) {
        self.stamps.push(Stamp::new(folder, Identity::listing(folder)));
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => self.visit(&path, depth - 1, wanted),
                Ok(kind) if kind.is_file() && wanted(&path) => self.found.push(path),
                _ => {}
            }
        }
    }

    /// The files that a pattern relative to a folder names.
    fn include(&mut self, folder: &Path, pattern: &str) {
        let fixed: PathBuf = pattern.split('/').take_while(|part| !part.contains(['*', '?', '['])).collect();
        let start = folder.join(&fixed);
        if fixed.as_os_str() == pattern {
            self.stamps.push(Stamp::new(&start, Identity::of(&start)));
            self.found.extend(start.is_file().then_some(start));
            return;
        }
        let wanted = |path: &Path| {
            let below = path.strip_prefix(folder).ok().and_then(Path::to_str);
            below.is_some_and(|below| glob::matches(pattern, below))
        };
        self.visit(&start, DEEPEST, &wanted);
    }
}
