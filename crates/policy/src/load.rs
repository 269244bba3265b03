//! The policy for an event: from the snapshot when nothing changed, else rebuilt from the files.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use tollgate_model::{Card, Catalogue, Span};

use crate::include::Included;
use crate::layers::{Layer, Part, Settings, merge};
use crate::pipeline::Pipeline;
use crate::policy::{Change, Policy, changes, strictest};
use crate::problem::{At, Problem, Severity, shown_path};
use crate::settings;
use crate::shelf::{Good, Shelf};
use crate::snapshot::{Body, Head, Snapshot, Stamp, catalogue_hash, encode};
use crate::source::{Health, Identity, Reading, Source, SourceFile, real, sources};
use crate::trust::Trusted;

/// What a policy is wanted for. All paths absolute.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Of whoever manages the machine.
    pub managed_dir: &'a Path,
    /// The user's.
    pub config_dir: &'a Path,
    /// Where snapshots and last good texts are kept.
    pub state_dir: &'a Path,
    /// The session's project, fixed at its first event.
    pub project: Option<&'a Path>,
    /// The working directory.
    pub cwd: &'a Path,
}

impl Request<'_> {
    /// The project's root, absolute.
    pub(crate) fn root(&self) -> Option<PathBuf> {
        self.project.map(|project| self.cwd.join(project)).filter(|root| root.is_absolute())
    }

    fn key(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let project = self.project.unwrap_or(Path::new(""));
        for path in [self.managed_dir, self.config_dir, self.state_dir, project, self.cwd] {
            let bytes = path.as_os_str().as_bytes();
            hasher.update(&bytes.len().to_le_bytes()).update(bytes);
        }
        *hasher.finalize().as_bytes()
    }
}

/// The policy in force, and what must be told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The policy in force.
    pub policy: Policy,
    /// What must be told: standing faults and ignored settings each time, a changed policy once.
    pub notices: Vec<String>,
    /// What changed since the files were last read; for the record.
    pub changes: Vec<Change>,
    /// A short hash that names the policy in force.
    pub digest: String,
    /// Every place that was looked at.
    pub sources: Vec<SourceFile>,
    /// The files were read; false when the snapshot answered.
    pub rebuilt: bool,
}

/// Loads the policy for a request. Never fails: a fault is told, and never loosens.
#[must_use]
pub fn load(request: &Request, catalogue: &dyn Catalogue) -> Loaded {
    Loader::new(request, catalogue, Shelf::new(request.state_dir)).load()
}

/// As `load`, and leaves no trace: what is told once is still told at the next event.
#[must_use]
pub fn look(request: &Request, catalogue: &dyn Catalogue) -> Loaded {
    Loader::new(request, catalogue, Shelf::read_only(request.state_dir)).load()
}

/// Accepts that a policy file is gone, so that what it last said is no longer held to. For owner commands only.
pub fn forget(state_dir: &Path, source: &Path) -> bool {
    Shelf::new(state_dir).forget(source)
}

struct Loader<'a> {
    request: &'a Request<'a>,
    key: [u8; 32],
    catalogue: [u8; 32],
    shelf: Shelf,
    cards: Vec<&'static Card>,
}

impl<'a> Loader<'a> {
    fn new(request: &'a Request<'a>, catalogue: &dyn Catalogue, shelf: Shelf) -> Self {
        let cards = catalogue.cards();
        Self { request, key: request.key(), catalogue: catalogue_hash(&cards), shelf, cards }
    }

    fn load(&self) -> Loaded {
        self.recall().unwrap_or_else(|| self.rebuild())
    }

    fn recall(&self) -> Option<Loaded> {
        let bytes = self.shelf.read(&self.snapshot_name())?;
        let snapshot = Snapshot::decode(&bytes)?;
        let head = &snapshot.head;
        if head.key != self.key || head.catalogue != self.catalogue {
            return None;
        }
        // Asked before the files are looked at: what is read after that moment is as old as it says.
        let settled = head.settled();
        if !head.stamps.iter().all(Stamp::is_current) {
            return None;
        }
        let body = snapshot.body()?;
        if let Some(settled) = settled {
            self.write(&settled, &body);
        }
        let sources = body.sources();
        let Body { policy, digest, notices, .. } = body;
        Some(Loaded { policy, notices, changes: Vec::new(), digest, sources, rebuilt: false })
    }

    fn rebuild(&self) -> Loaded {
        let mut stamps = self.directory_stamps();
        let files: Vec<Opened> = sources(self.request).into_iter().map(|source| self.open(source)).collect();
        let now = self.merged(&files, |file| &file.now);
        let before = self.merged(&files, |file| &file.before);
        let held =
            self.merged(&files, |file| if file.health == Health::Faulty { &file.before } else { &file.now });
        let faulty = files.iter().any(|file| file.health == Health::Faulty);

        let mut policy =
            if faulty { strictest(&Policy::builtin(), &strictest(&now.0, &held.0)) } else { now.0 };
        let hooks = self.hooks(&files);
        policy.pipelines = hooks.pipelines;
        let changes = changes(&before.0, &held.0, &self.cards);
        let standing: Vec<String> = files
            .iter()
            .flat_map(|file| file.notices.clone())
            .chain(now.1.iter().map(ignored_notice))
            .chain(hooks.notices)
            .collect();
        let sources: Vec<SourceFile> = files.iter().map(Opened::report).collect();
        stamps.extend(files.iter().flat_map(Opened::stamps));
        stamps.extend(hooks.stamps);

        files.iter().for_each(|file| self.keep(file));
        let body = Body::new(policy.clone(), standing.clone(), &sources);
        if !files.iter().any(|file| file.reading.passing) {
            self.write(&Head { key: self.key, catalogue: self.catalogue, stamps }, &body);
        }
        let notices = standing.into_iter().chain(change_notice(&changes, &files)).collect();
        Loaded { policy, notices, changes, digest: body.digest, sources, rebuilt: true }
    }

    /// Reads and parses one source, now and as it was when it was last good.
    fn open(&self, source: Source) -> Opened {
        let reading = source.read();
        let kept = self.shelf.path(&Shelf::good_name(&source.path));
        let kept = Stamp::new(&kept, Identity::of(&kept));
        let good = self.shelf.good(&source.path);
        let shown = shown_path(&source.path);
        let (text, invalid) = decode(reading.bytes.as_deref());
        let (now, mut problems) = settings::read(&shown, text, &self.cards);
        if invalid {
            problems.insert(0, not_text(&shown, text));
        }
        let (before, _) = settings::read(&shown, good.text(), &self.cards);
        let mut notices = faults(&shown, &reading, &good);
        notices.extend(broken(&source, &problems));
        let notices = notices.into_iter().map(|fault| fault + &follows(&good)).collect::<Vec<_>>();
        let health = match reading.identity {
            _ if !notices.is_empty() => Health::Faulty,
            Identity::Missing => Health::Missing,
            _ => Health::Good,
        };
        let text = text.to_owned();
        Opened { shown, source, reading, kept, good, text, now, before, notices, health }
    }

    /// The middleware of every layer. A project's runs only from the copies that were trusted.
    fn hooks(&self, files: &[Opened]) -> Hooks {
        let mut hooks = Hooks::default();
        for file in files.iter().filter(|file| file.source.layer != Layer::Project) {
            let settings = if file.health == Health::Faulty { &file.before } else { &file.now };
            let folder = file.source.path.parent().unwrap_or(&file.source.path);
            hooks.add(Included::of(folder, file.source.layer, settings, Some(&self.shelf)));
        }
        for file in files.iter().filter(|file| file.source.layer == Layer::Project) {
            self.project_hooks(file, &mut hooks);
        }
        hooks
    }

    fn project_hooks(&self, file: &Opened, hooks: &mut Hooks) {
        let folder = file.source.path.parent().unwrap_or(&file.source.path);
        let present = Included::of(folder, Layer::Project, &file.now, None);
        let (manifest, trusted) = Trusted::find(self.request.state_dir, folder);
        hooks.stamps.push(Stamp::new(&manifest, Identity::of(&manifest)));
        let Some(trusted) = trusted else {
            if !present.pipelines.is_empty() || !present.problems.is_empty() {
                hooks.notices.push(format!(
                    "the hooks of {} do not run, because nobody has trusted them; look at them, then `tollgate trust`",
                    file.shown
                ));
            }
            hooks.stamps.extend(present.stamps);
            return;
        };
        let changed = std::iter::once(&file.source.path)
            .chain(&present.files)
            .find(|path| !trusted.is_same(folder, path));
        if let Some(changed) = changed {
            hooks.notices.push(format!(
                "{} changed since it was trusted; what was trusted is in force until the next `tollgate trust`",
                shown_path(changed)
            ));
        }
        hooks.stamps.extend(present.stamps);
        let text = std::fs::read_to_string(trusted.tree.join(crate::FILE_NAME)).unwrap_or_default();
        let (settings, _) = settings::read(&file.shown, &text, &self.cards);
        hooks.add(Included::of(&trusted.tree, Layer::Project, &settings, None));
    }

    fn merged<'f>(
        &self,
        files: &'f [Opened],
        pick: impl Fn(&'f Opened) -> &'f Settings,
    ) -> (Policy, Vec<Problem>) {
        let part = |file: &'f Opened| Part {
            layer: file.source.layer,
            settings: pick(file),
            path: &file.shown,
            bases: &file.source.bases,
        };
        merge(&files.iter().map(part).collect::<Vec<_>>(), &self.cards)
    }

    /// Remembers the text of a file that is good, unless it was changed again meanwhile.
    fn keep(&self, file: &Opened) {
        if file.is_news() && Identity::of(&file.source.path) == file.reading.identity {
            self.shelf.keep(&file.source.path, &file.text);
        }
    }

    /// A link that is turned elsewhere changes which files apply.
    fn directory_stamps(&self) -> Vec<Stamp> {
        let root = self.request.root();
        let all = [Some(self.request.cwd), root.as_deref()];
        all.into_iter().flatten().map(|path| Stamp::new(path, Identity::of(path))).collect()
    }

    fn write(&self, head: &Head, body: &Body) {
        let name = self.snapshot_name();
        if encode(head, body).and_then(|bytes| self.shelf.write(&name, &bytes)).is_some() {
            self.shelf.prune(&name);
        }
    }

    fn snapshot_name(&self) -> String {
        format!("{}.snap", blake3::Hash::from_bytes(self.key).to_hex())
    }
}

/// The middleware of all layers, what must be told about it, and what it depends on.
#[derive(Default)]
struct Hooks {
    pipelines: Vec<Pipeline>,
    notices: Vec<String>,
    stamps: Vec<Stamp>,
}

impl Hooks {
    fn add(&mut self, included: Included) {
        self.pipelines.extend(included.pipelines);
        self.stamps.extend(included.stamps);
        self.notices.extend(included.problems.iter().map(|problem| {
            format!("a hook file is broken, and counts as it was when it was last good: {problem}")
        }));
    }
}

/// A source as it was found.
struct Opened {
    source: Source,
    /// Its path, for messages.
    shown: String,
    reading: Reading,
    /// What was kept of it, as it was before that was read.
    kept: Stamp,
    good: Good,
    text: String,
    /// What it sets, as far as it can be read.
    now: Settings,
    /// What it set when it was last good.
    before: Settings,
    /// Why it is faulty.
    notices: Vec<String>,
    health: Health,
}

impl Opened {
    fn is_news(&self) -> bool {
        self.health == Health::Good && self.good != Good::Text(self.text.clone())
    }

    /// A file that is not good also depends on what was kept of it: that may be news from elsewhere.
    fn stamps(&self) -> Vec<Stamp> {
        let own = Stamp::of_file(&self.source.path, self.reading.identity, self.reading.bytes.as_deref());
        let kept = (self.health != Health::Good).then(|| self.kept.clone());
        std::iter::once(own).chain(kept).collect()
    }

    fn report(&self) -> SourceFile {
        let path = self.source.path.clone();
        SourceFile { real: real(&path), path, layer: self.source.layer, health: self.health }
    }
}

/// The text of a file, up to the first byte that is none, and whether there is one.
fn decode(bytes: Option<&[u8]>) -> (&str, bool) {
    let bytes = bytes.unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).and_then(|bytes| std::str::from_utf8(bytes).ok());
            (valid.unwrap_or_default(), true)
        }
    }
}

fn not_text(path: &str, valid: &str) -> Problem {
    let at = At::of(valid, Span::new(valid.len(), valid.len()));
    let (message, hint) = ("not UTF-8 text".to_owned(), String::new());
    Problem { path: path.to_owned(), severity: Severity::Error, message, hint, at }
}

/// Why a source cannot be read or believed.
fn faults(path: &str, reading: &Reading, good: &Good) -> Vec<String> {
    let unread = reading.fault.as_ref().map(|why| format!("policy file {path} {why}"));
    let is_gone = reading.identity == Identity::Missing && *good != Good::Never;
    let gone = is_gone.then(|| {
        format!("policy file {path} is gone (put it back, or an empty file to say that nothing is set)")
    });
    unread.into_iter().chain(gone).collect()
}

/// What is wrong with a file's text. Of a project's link to somewhere else only the place is told: it may lead to
/// a secret, and agents read notices.
fn broken(source: &Source, problems: &[Problem]) -> Option<String> {
    let errors: Vec<&Problem> =
        problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
    let first = errors.first()?;
    if source.layer == Layer::Project && real(&source.path) != source.path {
        let At { line, column, .. } = first.at;
        return Some(format!("policy file is broken: {}:{line}:{column}, a link elsewhere", first.path));
    }
    let more = match errors.len() {
        1 => String::new(),
        number => format!(" and {} more, see `tollgate check`", number - 1),
    };
    Some(format!("policy file is broken: {first}{more}"))
}

/// What follows from a fault.
fn follows(good: &Good) -> String {
    let lost = if *good == Good::Lost { " (of which this file's part is lost)" } else { "" };
    format!("; until that is mended the strictest of the built-in and the last good policy{lost} is in force")
}

fn ignored_notice(problem: &Problem) -> String {
    format!("policy: {problem}")
}

fn change_notice(changes: &[Change], files: &[Opened]) -> Option<String> {
    const MOST: usize = 20;
    if changes.is_empty() {
        return None;
    }
    let mut told: Vec<String> = changes.iter().take(MOST).map(Change::to_string).collect();
    if changes.len() > MOST {
        told.push(format!("and {} more", changes.len() - MOST));
    }
    let from: Vec<&str> =
        files.iter().filter(|file| file.is_news()).map(|file| file.shown.as_str()).collect();
    Some(format!("policy changed by {}: {}", from.join(", "), told.join("; ")))
}
