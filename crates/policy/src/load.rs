//! The policy for an event: from the snapshot when nothing changed, else rebuilt from the files.

use std::path::{Path, PathBuf};

use tollgate_model::{Card, Catalogue, Span};

use crate::beside::{Beside, stamps as stamps_of};
use crate::include::Included;
use crate::layer::Layer;
use crate::layers::{Part, Settings, TrustEntry, merge};
use crate::pipeline::{Pipeline, Program};
use crate::policy::{Change, Policy, changes, strictest};
use crate::problem::{At, Problem, Severity, shown_path};
use crate::request::Request;
use crate::settings;
use crate::shelf::{Good, Shelf};
use crate::snapshot::{Body, Head, Snapshot, Stamp, catalogue_hash, encode};
use crate::source::{FLEET, Health, Identity, Reading, Source, SourceFile, fleet_file, real, sources};
use crate::trust::{Copies, TrustPlan, Trusted};

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
    /// What was made of the policy for every event, where that was asked.
    pub beside: Vec<u8>,
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

/// As `load`, or as `look` when it is not `lasting`, with what another crate makes of the policy.
#[must_use]
pub fn load_beside(
    request: &Request,
    catalogue: &dyn Catalogue,
    beside: &dyn Beside,
    lasting: bool,
) -> Loaded {
    let shelf = if lasting { Shelf::new } else { Shelf::read_only };
    Loader { beside: Some(beside), ..Loader::new(request, catalogue, shelf(request.state_dir)) }.load()
}

/// Accepts that a policy file is gone, so that what it last said is no longer held to. For owner commands only.
pub fn forget(state_dir: &Path, source: &Path) -> bool {
    Shelf::new(state_dir).forget(source)
}

/// Throws away what was compiled, so that the next event of every project reads the files again. For whoever adds or takes
/// away the policy of a fleet: nothing else makes a machine look for one.
pub fn expire(state_dir: &Path) {
    Shelf::new(state_dir).expire();
}

impl Loaded {
    /// Has this machine joined a fleet? Known without a look at any file.
    #[must_use]
    pub fn has_fleet(&self) -> bool {
        let is_fleet = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with(FLEET));
        self.sources.iter().any(|source| source.layer == Layer::Managed && is_fleet(&source.path))
    }
}

struct Loader<'a> {
    request: &'a Request<'a>,
    key: [u8; 32],
    catalogue: u64,
    shelf: Shelf,
    cards: Vec<&'static Card>,
    beside: Option<&'a dyn Beside>,
}

impl<'a> Loader<'a> {
    fn new(request: &'a Request<'a>, catalogue: &dyn Catalogue, shelf: Shelf) -> Self {
        let cards = catalogue.cards();
        Self { request, key: request.key(), catalogue: catalogue_hash(&cards), shelf, cards, beside: None }
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
        if self.beside.is_some_and(|beside| !beside.believes(&head.beside)) {
            return None;
        }
        // Asked before the files are looked at: what is read after that moment is as old as it says.
        let settled = head.settled();
        if !head.stamps.iter().all(|stamp| stamp.is_current(self.request.folders())) {
            return None;
        }
        let body = snapshot.body()?;
        if let Some(settled) = settled {
            self.write(&settled, &body);
        }
        let sources = body.sources(self.request.folders());
        let Body { policy, digest, notices, .. } = body;
        let beside = snapshot.head.beside;
        Some(Loaded { policy, notices, changes: Vec::new(), digest, sources, rebuilt: false, beside })
    }

    fn rebuild(&self) -> Loaded {
        let mut stamps = self.directory_stamps();
        let joined = self.has_joined();
        let files = sources(self.request, joined).into_iter().map(|source| self.open(source));
        let files: Vec<Opened> = files.collect();
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
        // Stamped before it is made: what changes meanwhile is seen the next time.
        stamps.extend(self.beside.map(|beside| stamps_of(&beside.files(&policy))).unwrap_or_default());
        let built = self.beside.map(|beside| beside.build(&policy)).unwrap_or_default();
        let standing: Vec<String> = files
            .iter()
            .flat_map(|file| file.notices.clone())
            .chain(now.1.iter().map(ignored_notice))
            .chain(hooks.notices)
            .chain(built.notices)
            .collect();
        let sources: Vec<SourceFile> = files.iter().map(Opened::report).chain(built.sources).collect();
        stamps.extend(files.iter().flat_map(Opened::stamps));
        stamps.extend(hooks.stamps);

        files.iter().for_each(|file| self.keep(file));
        let body = Body::new(policy.clone(), standing.clone(), &sources, self.request.folders());
        if !files.iter().any(|file| file.reading.passing) {
            let beside = built.bytes.clone();
            let stamps = stamps.into_iter().map(|stamp| stamp.shortened(self.request.folders())).collect();
            self.write(&Head { key: self.key, catalogue: self.catalogue, stamps, beside }, &body);
            if !joined && self.has_joined() {
                // Joined while the files were read: what was just written does not know of it, and may have come too late
                // to be thrown away with the others.
                self.shelf.remove(&self.snapshot_name());
            }
        }
        let notices = standing.into_iter().chain(change_notice(&changes, &files)).collect();
        Loaded { policy, notices, changes, digest: body.digest, sources, rebuilt: true, beside: built.bytes }
    }

    /// Has the machine joined a fleet? Also where its policy is gone: it holds until somebody leaves the fleet.
    fn has_joined(&self) -> bool {
        let file = fleet_file(self.request.state_dir);
        file.symlink_metadata().is_ok() || self.shelf.good(&file) != Good::Never
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
        if source.built && reading.identity == Identity::Missing && notices.is_empty() {
            notices.push(format!("policy file {shown}, which the hook's command names, is not there"));
        }
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

    /// The middleware of every layer. A project's programs run only from the copies that were trusted; built-in guards
    /// run no program and can only refuse, so they need no trust.
    fn hooks(&self, files: &[Opened]) -> Hooks {
        let mut hooks = Hooks::default();
        for file in files.iter().filter(|file| file.source.layer != Layer::Project) {
            let settings = file.in_force();
            let folder = file.source.path.parent().unwrap_or(&file.source.path);
            hooks.add(Included::of(folder, file.source.layer, settings, Some(&self.shelf)));
        }
        let trusting = files.iter().filter(|file| file.source.layer != Layer::Project);
        let entries: Vec<&TrustEntry> =
            trusting.flat_map(|file| &file.in_force().trust).map(|entry| &entry.value).collect();
        // What was built is a copy of the project's own, and its hooks count only where that is not there.
        let own = |file: &&Opened| file.source.layer == Layer::Project && !file.source.built;
        let has_own = files.iter().filter(own).any(|file| file.health != Health::Missing);
        for file in files.iter().filter(|file| file.source.layer == Layer::Project) {
            if !(file.source.built && has_own) {
                self.project_hooks(file, &entries, &mut hooks);
            }
        }
        hooks
    }

    fn project_hooks(&self, file: &Opened, entries: &[&TrustEntry], hooks: &mut Hooks) {
        let folder = file.source.path.parent().unwrap_or(&file.source.path);
        let present = Included::of(folder, Layer::Project, &file.now, None);
        hooks.stamps.extend(present.stamps.iter().cloned());
        let has_hooks = !present.pipelines.is_empty() || !present.problems.is_empty();
        let tree = match self.copies(folder, entries, hooks) {
            Copies::Whole(trusted) => {
                hooks.notices.extend(changed(&trusted, folder, file, &present));
                let files = trusted.files.iter().map(|name| folder.join(name));
                hooks.stamps.extend(files.map(|path| Stamp::new(&path, Identity::of(&path))));
                trusted.tree
            }
            Copies::Broken => {
                let what =
                    format!("what was trusted of {} is damaged; `tollgate trust` it again", file.shown);
                hooks.pipelines.push(damaged(&what, self.request.state_dir));
                hooks.notices.push(what);
                return;
            }
            Copies::None => {
                let runs = |program: &Program| !matches!(program, Program::BuiltIn(_));
                let mut stages = present.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
                let has_programs = stages.any(|stage| runs(&stage.program));
                let waits = has_hooks && (has_programs || !present.problems.is_empty());
                hooks.notices.extend(waits.then(|| untrusted(file, !entries.is_empty())));
                hooks.pipelines.extend(present.pipelines.iter().filter_map(Pipeline::without_programs));
                return;
            }
        };
        let text = crate::read_text(&tree.join(crate::FILE_NAME), settings::BIGGEST).unwrap_or_default();
        let (settings, _) = settings::read(&file.shown, &text, &self.cards);
        hooks.add(Included::of(&tree, Layer::Project, &settings, None));
    }

    /// What runs of a project: the copies that a person made, else those that an entry of the user's or the managed
    /// policy stands for. Those are made the first time that the project is as the entry says.
    fn copies(&self, folder: &Path, entries: &[&TrustEntry], hooks: &mut Hooks) -> Copies {
        let state = self.request.state_dir;
        let (manifest, copies) = Trusted::find(state, folder);
        hooks.stamps.push(Stamp::new(&manifest, Identity::of(&manifest)));
        if !matches!(copies, Copies::None) {
            return copies;
        }
        let root = real(folder);
        for entry in entries.iter().filter(|entry| real(&entry.path) == root) {
            let (manifest, found) = Trusted::named(state, &root, &entry.hash);
            let found = match found {
                Copies::None => self.first_copies(&root, entry, hooks),
                found => found,
            };
            hooks.stamps.push(Stamp::new(&manifest, Identity::of(&manifest)));
            if !matches!(found, Copies::None) {
                return found;
            }
        }
        Copies::None
    }

    fn first_copies(&self, root: &Path, entry: &TrustEntry, hooks: &mut Hooks) -> Copies {
        let Ok(plan) = TrustPlan::of(root) else { return Copies::None };
        if plan.digest() != entry.hash {
            // It may become what the entry says by a change that nothing else would notice.
            let files = plan.files.iter().map(|(name, _)| root.join(name));
            hooks.stamps.extend(files.map(|path| Stamp::new(&path, Identity::of(&path))));
            return Copies::None;
        }
        if self.shelf.is_read_only() {
            return Copies::Whole(Trusted { tree: root.to_owned(), files: Vec::new() });
        }
        match plan.keep_named(self.request.state_dir) {
            Ok(()) => Trusted::named(self.request.state_dir, root, &entry.hash).1,
            Err(_) => Copies::Broken,
        }
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
        self.notices.extend(included.problem_notices());
        self.pipelines.extend(included.pipelines);
        self.stamps.extend(included.stamps);
    }
}

fn untrusted(file: &Opened, by_entry: bool) -> String {
    let none = if by_entry { "no `trust` entry names them as they are" } else { "nobody has trusted them" };
    format!("the hooks of {} do not run, because {none}; look at them, then `tollgate trust`", file.shown)
}

/// What is told of a project that is no longer what was trusted: a file that changed, went or came.
fn changed(trusted: &Trusted, folder: &Path, file: &Opened, present: &Included) -> Option<String> {
    let known: Vec<PathBuf> = trusted.files.iter().map(|name| folder.join(name)).collect();
    let mut files = std::iter::once(&file.source.path).chain(&present.files).chain(&known);
    let changed = files.find(|path| !trusted.is_same(folder, path))?;
    Some(format!(
        "{} changed since it was trusted; what was trusted is in force until the next `tollgate trust`",
        shown_path(changed)
    ))
}

/// What stands for middleware that was trusted and cannot run: it fails, and is never skipped.
fn damaged(what: &str, state: &Path) -> Pipeline {
    let program = Program::File(state.join("trust/damaged.py").to_string_lossy().into_owned());
    Pipeline::failing("trusted-hooks", program, what)
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
    /// What it set when it was last good.
    fn in_force(&self) -> &Settings {
        if self.health == Health::Faulty { &self.before } else { &self.now }
    }

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
