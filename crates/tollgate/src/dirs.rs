//! Where Tollgate keeps its things.

use std::path::{Path, PathBuf};

/// Tollgate's directories for this user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// The user's home.
    pub home: PathBuf,
    /// The user's policy.
    pub config: PathBuf,
    /// Log, snapshots, backups.
    pub state: PathBuf,
}

/// The policy of whoever manages the machine.
pub const MANAGED: &str = "/etc/tollgate";

impl Dirs {
    /// From the environment of a person's shell. The hook itself gets its directories on its command line.
    pub fn find() -> Option<Self> {
        let home = home()?;
        Some(Self {
            config: xdg("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("tollgate"),
            state: xdg("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state")).join("tollgate"),
            home,
        })
    }
}

/// The outermost repository that a folder lies in, else the folder. One that holds the user's whole home is no
/// project.
pub fn repository(folder: &Path) -> &Path {
    let home = home().unwrap_or_default();
    let holds_home = |root: &Path| home.starts_with(root) && home != root;
    let is_repository = |root: &&Path| root.join(".git").exists() && !holds_home(root);
    folder.ancestors().filter(is_repository).last().unwrap_or(folder)
}

/// `HOME` when it is an absolute directory, else the user database's.
pub fn home() -> Option<PathBuf> {
    let named =
        std::env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    named.or_else(home_by_uid)
}

/// The home directory that the user database gives this user.
pub fn home_by_uid() -> Option<PathBuf> {
    let uid = rustix::process::getuid().as_raw().to_string();
    home_in_passwd(|fields| fields.get(2).copied() == Some(uid.as_str()))
}

/// The home directory of a user by name.
pub fn home_of(user: &str) -> Option<PathBuf> {
    home_in_passwd(|fields| fields.first().copied() == Some(user))
}

fn home_in_passwd(wanted: impl Fn(&[&str]) -> bool) -> Option<PathBuf> {
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let home = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        if wanted(&fields) { fields.get(5).map(PathBuf::from) } else { None }
    });
    home.filter(|path| path.is_absolute())
}

fn xdg(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute() && path != Path::new("/"))
}

/// The policy that applies in the working directory, looked at without leaving a trace.
pub fn applying() -> Option<tollgate_policy::Loaded> {
    Some(applying_in(&Dirs::find()?, &std::env::current_dir().ok()?))
}

/// The policy that applies in a folder, looked at without leaving a trace.
pub fn applying_in(dirs: &Dirs, folder: &Path) -> tollgate_policy::Loaded {
    let request = tollgate_policy::Request {
        managed_dir: Path::new(MANAGED),
        config_dir: &dirs.config,
        state_dir: &dirs.state,
        project: Some(repository(folder)),
        cwd: folder,
        built: None,
    };
    tollgate_policy::look(&request, &tollgate_rules::Rules)
}
