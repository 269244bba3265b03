//! Trust in a project: copies of its policy, its hook files and the programs they name, kept in the state
//! directory. Those copies run; what the project's files say afterwards is told and changes nothing.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use crate::FILE_NAME;
use crate::dependencies;
use crate::file::{read_file, read_text};
use crate::include::Included;
use crate::layer::Layer;
use crate::pipeline::Program;
use crate::problem::Problem;
use crate::settings;
use crate::source::real;

const MANIFEST: &str = "manifest";
const TREE: &str = "tree";
/// The most that trust copies.
const MOST_FILES: usize = 2000;
const MOST_BYTES: u64 = 64 << 20;
/// The module that the gate itself provides to middlewares.
const PROVIDED: &str = "middleware_base";
/// Endings of files that programs write beside themselves. A copy that its program changes would count as damaged.
const STATE: [&str; 4] = ["cache.json", ".log", ".pyc", ".lock"];
/// Folders that are never part of a program.
const LEFT_OUT: [&str; 5] = [".git", "node_modules", "target", "__pycache__", ".venv"];

/// What trusting a project would copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustPlan {
    /// The project.
    pub root: PathBuf,
    /// Every file, relative to the project, with the hash of its content.
    pub files: Vec<(PathBuf, String)>,
    /// The programs that would run, as people read them.
    pub programs: Vec<String>,
    /// What the copied programs need and would not have.
    missing: Vec<String>,
    /// Python modules that no copied file provides, each with the file that imports it.
    modules: Vec<(String, PathBuf)>,
}

impl TrustPlan {
    /// Looks at a project.
    ///
    /// # Errors
    /// When a file cannot be read, lies outside of the project, or there is too much of it.
    pub fn of(root: &Path) -> io::Result<Self> {
        let root = real(root);
        let mut plan = Self {
            root: root.clone(),
            files: Vec::new(),
            programs: Vec::new(),
            missing: Vec::new(),
            modules: Vec::new(),
        };
        let policy = root.join(FILE_NAME);
        let text = read_text(&policy, MOST_BYTES as usize).unwrap_or_default();
        if policy.is_file() {
            plan.add(&policy)?;
        }
        let (settings, _) = settings::read(&policy.to_string_lossy(), &text, &[]);
        let included = Included::of(&root, Layer::Project, &settings, None);
        for file in &included.files {
            plan.add(file)?;
        }
        // A copy of a broken hook file would lose its guards.
        plan.missing.extend(included.problems.iter().map(Problem::to_string));
        for stage in included.pipelines.iter().flat_map(|pipeline| &pipeline.stages) {
            let words = match &stage.program {
                Program::File(path) => std::slice::from_ref(path),
                Program::Run(words) => words.as_slice(),
                Program::BuiltIn(_) => continue,
            };
            plan.programs.push(format!("{}: {}", stage.id, words.join(" ")));
            let is_own = |word: &&String| Path::new(word).starts_with(&root);
            for (at, word) in words.iter().enumerate().filter(|(_, word)| is_own(word)) {
                plan.add_program(Path::new(word), at == 0)?;
            }
        }
        plan.files.sort();
        plan.files.dedup();
        Ok(plan)
    }

    /// What the copied programs need and would not have, as lines for people. `unknown` says which Python modules the
    /// interpreter does not know by itself.
    #[must_use]
    pub fn missing(&self, unknown: &dyn Fn(&[String]) -> Vec<String>) -> Vec<String> {
        let mut names: Vec<String> = self.modules.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names.dedup();
        let unknown = if names.is_empty() { Vec::new() } else { unknown(&names) };
        let modules = self.modules.iter().filter(|(name, _)| unknown.contains(name));
        let modules = modules.map(|(name, file)| self.needs(file, &format!("the module {name}")));
        let mut lines: Vec<String> = self.missing.iter().cloned().chain(modules).collect();
        lines.sort();
        lines.dedup();
        lines
    }

    fn needs(&self, file: &Path, what: &str) -> String {
        let file = file.strip_prefix(&self.root).unwrap_or(file);
        format!("{} needs {what}, which is not there", file.display())
    }

    /// A hash that names exactly these files.
    #[must_use]
    pub fn digest(&self) -> String {
        blake3::hash(self.manifest().as_bytes()).to_hex().to_string()
    }

    /// Copies the files into the state directory: from now on those run.
    ///
    /// # Errors
    /// When a file changed meanwhile or cannot be copied.
    pub fn keep(&self, state: &Path) -> io::Result<()> {
        self.keep_in(&home(state, &self.root))
    }

    /// The same for an entry of a policy file, which stands for exactly these files.
    pub(crate) fn keep_named(&self, state: &Path) -> io::Result<()> {
        self.keep_in(&named_home(state, &self.root, &self.digest()))
    }

    fn keep_in(&self, home: &Path) -> io::Result<()> {
        let fresh = home.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::remove_dir_all(&fresh);
        for (name, hash) in &self.files {
            let bytes = read_file(&self.root.join(name), MOST_BYTES as usize)?;
            if blake3::hash(&bytes).to_hex().as_str() != hash {
                return Err(io::Error::other(format!("{} changed meanwhile", name.display())));
            }
            let executable = fs::metadata(self.root.join(name))?.permissions().mode() & 0o100;
            write(&fresh.join(TREE).join(name), &bytes, 0o600 | executable)?;
        }
        write(&fresh.join(MANIFEST), self.manifest().as_bytes(), 0o600)?;
        let old = home.with_extension(format!("old-{}", std::process::id()));
        let _ = fs::rename(home, &old);
        fs::rename(&fresh, home)?;
        let _ = fs::remove_dir_all(&old);
        Ok(())
    }

    fn manifest(&self) -> String {
        let mut text = format!("{}\n", self.root.display());
        for (name, hash) in &self.files {
            text.push_str(&format!("{hash} {}\n", name.display()));
        }
        text
    }

    /// A program with the tree that it belongs to, and all that it and its modules need from elsewhere in the project.
    fn add_program(&mut self, program: &Path, required: bool) -> io::Result<()> {
        let program = &without_dots(program);
        if !program.is_file() {
            // What is not there fails when it runs, and `check` tells of it.
            return if required || !program.is_dir() { Ok(()) } else { self.add_folder(program) };
        }
        self.add(program)?;
        if let Some(tree) = self.tree(program) {
            self.add_folder(&tree)?;
        }
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut rest = vec![program.to_owned()];
        while let Some(file) = rest.pop() {
            if seen.contains(&file) || seen.len() >= MOST_FILES || is_state(&file) {
                continue;
            }
            seen.push(file.clone());
            if file.is_dir() {
                self.add_folder(&file)?;
                let entries = fs::read_dir(&file)?.flatten().map(|entry| entry.path());
                rest.extend(entries.filter(|path| path.extension().is_some_and(|ending| ending == "py")));
                continue;
            }
            self.add(&file)?;
            let text = String::from_utf8_lossy(&read_file(&file, MOST_BYTES as usize)?).into_owned();
            let needs = dependencies::of(&file, &text, program, &self.root);
            let lacking = needs.missing.iter().chain(&needs.outside);
            let lines: Vec<String> = lacking.map(|name| self.needs(&file, name)).collect();
            self.missing.extend(lines);
            let own =
                needs.modules.into_iter().filter(|name| name != PROVIDED && !has_project(&file, &self.root));
            self.modules.extend(own.map(|name| (name, file.clone())));
            rest.extend(needs.found.iter().map(|file| without_dots(file)));
        }
        Ok(())
    }

    /// The folder that a program's files are kept in: the nearest one called `hooks`, where handlers, validators and
    /// utilities stand side by side, else its own. None when that is the project itself.
    fn tree(&self, program: &Path) -> Option<PathBuf> {
        let own = program.parent()?;
        let above =
            own.ancestors().take_while(|folder| folder.starts_with(&self.root) && **folder != *self.root);
        let hooks = above.clone().find(|folder| folder.file_name().is_some_and(|name| name == "hooks"));
        hooks.or_else(|| above.into_iter().next()).map(Path::to_owned)
    }

    fn add(&mut self, file: &Path) -> io::Result<()> {
        let outside = || io::Error::other(format!("{} lies outside of the project", file.display()));
        if !real(file).starts_with(&self.root) {
            return Err(outside());
        }
        let file = &without_dots(file);
        let name = file
            .strip_prefix(&self.root)
            .map(Path::to_owned)
            .or_else(|_| real(file).strip_prefix(&self.root).map(Path::to_owned));
        let name = name.map_err(|_| outside())?;
        if self.files.iter().any(|(known, _)| *known == name) {
            return Ok(());
        }
        if fs::metadata(file)?.len() > MOST_BYTES || self.files.len() >= MOST_FILES {
            return Err(io::Error::other(
                "there is too much to copy; keep the programs in a folder of their own",
            ));
        }
        let hash = blake3::hash(&read_file(file, MOST_BYTES as usize)?).to_hex().to_string();
        self.files.push((name, hash));
        Ok(())
    }

    /// A whole folder, but for what is installed, generated or written by the programs themselves. Links are copied as
    /// what they lead to, as long as that belongs to the project.
    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            let name = entry.file_name();
            if LEFT_OUT.contains(&name.to_string_lossy().as_ref()) || is_state(&path) {
                continue;
            }
            if kind.is_symlink() && !real(&path).starts_with(&self.root) {
                let line = self.needs(&path, &format!("{} (outside of the project)", real(&path).display()));
                self.missing.push(line);
            } else if kind.is_dir() {
                self.add_folder(&path)?;
            } else if kind.is_symlink() && path.is_dir() {
                // The folder that it leads to is copied under the link's name, unless it holds the link itself.
                if !folder.starts_with(real(&path)) {
                    self.add_folder(&path)?;
                }
            } else if path.is_file() {
                self.add(&path)?;
            }
        }
        Ok(())
    }
}

/// Is it a file that programs write beside themselves?
fn is_state(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    STATE.iter().any(|ending| name.ends_with(ending))
}

/// A path without `..`, so that one file has one name however a hook file reaches it. Where a link makes that another file, the
/// path with all links followed.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    if real(&plain) == real(path) { plain } else { real(path) }
}

/// Are a file's packages managed by a project file between it and the root? Then `uv` provides them.
fn has_project(file: &Path, root: &Path) -> bool {
    let above = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    above.into_iter().any(|folder| folder.join("pyproject.toml").is_file())
}

/// Takes trust in a project back. True when there was any.
#[must_use]
pub fn distrust(state: &Path, root: &Path) -> bool {
    fs::remove_dir_all(home(state, &real(root))).is_ok()
}

/// The whole copies of a trusted project.
pub(crate) struct Trusted {
    /// Where the copies lie.
    pub tree: PathBuf,
    /// Every file, relative to the project.
    pub files: Vec<PathBuf>,
}

/// What was found of a project's copies.
pub(crate) enum Copies {
    /// Nobody trusted it.
    None,
    /// They are not what was trusted.
    Broken,
    Whole(Trusted),
}

impl Trusted {
    /// The copies that a person made by `tollgate trust`, and the file that tells of them.
    pub(crate) fn find(state: &Path, root: &Path) -> (PathBuf, Copies) {
        Self::at(&home(state, root), root, |_| true)
    }

    /// The copies that an entry of a policy file stands for.
    pub(crate) fn named(state: &Path, root: &Path, hash: &str) -> (PathBuf, Copies) {
        let is_named = |manifest: &str| blake3::hash(manifest.as_bytes()).to_hex().as_str() == hash;
        Self::at(&named_home(state, root, hash), root, is_named)
    }

    fn at(home: &Path, root: &Path, is_it: impl Fn(&str) -> bool) -> (PathBuf, Copies) {
        let manifest = home.join(MANIFEST);
        let tree = home.join(TREE);
        let copies = match read_text(&manifest, MOST_BYTES as usize) {
            Err(_) => Copies::None,
            Ok(text) if is_it(&text) && is_whole(&text, &tree, root) => {
                let name = |line: &str| line.split_once(' ').map(|(_, name)| PathBuf::from(name));
                Copies::Whole(Self { tree, files: text.lines().skip(1).filter_map(name).collect() })
            }
            Ok(_) => Copies::Broken,
        };
        (manifest, copies)
    }

    /// Is a file of the project still what was trusted?
    pub(crate) fn is_same(&self, root: &Path, file: &Path) -> bool {
        let Ok(name) = file.strip_prefix(root) else { return false };
        match (read_file(file, MOST_BYTES as usize), read_file(&self.tree.join(name), MOST_BYTES as usize)) {
            (Ok(now), Ok(then)) => now == then,
            (now, then) => now.is_err() && then.is_err(),
        }
    }
}

fn is_whole(manifest: &str, tree: &Path, root: &Path) -> bool {
    let mut lines = manifest.lines();
    lines.next().is_some_and(|line| Path::new(line) == root)
        && lines.all(|line| {
            line.split_once(' ').is_some_and(|(hash, name)| {
                read_file(&tree.join(name), MOST_BYTES as usize)
                    .is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == hash)
            })
        })
}

fn home(state: &Path, root: &Path) -> PathBuf {
    let name: String = blake3::hash(root.as_os_str().as_bytes()).to_hex().chars().take(32).collect();
    state.join("trust").join(name)
}

fn named_home(state: &Path, root: &Path, hash: &str) -> PathBuf {
    let short: String = hash.chars().take(32).collect();
    home(state, root).with_extension(short)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::io::Write;
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)
}
