//! Trust in a project: copies of its policy, its hook files and the programs they name, kept in the state
//! directory. Those copies run; what the project's files say afterwards is told and changes nothing.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::FILE_NAME;
use crate::include::Included;
use crate::layers::Layer;
use crate::pipeline::Program;
use crate::settings;
use crate::source::real;

const MANIFEST: &str = "manifest";
const TREE: &str = "tree";
/// The most that trust copies.
const MOST_FILES: usize = 2000;
const MOST_BYTES: u64 = 64 << 20;
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
}

impl TrustPlan {
    /// Looks at a project.
    ///
    /// # Errors
    /// When a file cannot be read, lies outside of the project, or there is too much of it.
    pub fn of(root: &Path) -> io::Result<Self> {
        let root = real(root);
        let mut plan = Self { root: root.clone(), files: Vec::new(), programs: Vec::new() };
        let policy = root.join(FILE_NAME);
        let text = fs::read_to_string(&policy).unwrap_or_default();
        if policy.is_file() {
            plan.add(&policy)?;
        }
        let (settings, _) = settings::read(&policy.to_string_lossy(), &text, &[]);
        let included = Included::of(&root, Layer::Project, &settings, None);
        for file in &included.files {
            plan.add(file)?;
        }
        for stage in included.pipelines.iter().flat_map(|pipeline| &pipeline.stages) {
            let program = match &stage.program {
                Program::File(path) => path.clone(),
                Program::Run(words) => words.first().cloned().unwrap_or_default(),
                Program::BuiltIn(_) => continue,
            };
            plan.programs.push(format!("{}: {program}", stage.id));
            if Path::new(&program).starts_with(&root) {
                plan.add_folder(Path::new(&program).parent().unwrap_or(&root))?;
            }
        }
        plan.files.sort();
        plan.files.dedup();
        Ok(plan)
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
            let bytes = fs::read(self.root.join(name))?;
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

    fn add(&mut self, file: &Path) -> io::Result<()> {
        let file = real(file);
        let Ok(name) = file.strip_prefix(&self.root) else {
            return Err(io::Error::other(format!("{} lies outside of the project", file.display())));
        };
        if fs::metadata(&file)?.len() > MOST_BYTES || self.files.len() >= MOST_FILES {
            return Err(io::Error::other(
                "there is too much to copy; keep the programs in a folder of their own",
            ));
        }
        let hash = blake3::hash(&fs::read(&file)?).to_hex().to_string();
        self.files.push((name.to_owned(), hash));
        Ok(())
    }

    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        if folder == self.root {
            return Err(io::Error::other(
                "a program in the project's root would take the whole project along; put it into a folder of its own",
            ));
        }
        for entry in fs::read_dir(folder)?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            let left_out = LEFT_OUT.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !left_out {
                self.add_folder(&path)?;
            } else if kind.is_file() {
                self.add(&path)?;
            }
        }
        Ok(())
    }
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
        let copies = match fs::read_to_string(&manifest) {
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
        match (fs::read(file), fs::read(self.tree.join(name))) {
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
                fs::read(tree.join(name)).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == hash)
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
