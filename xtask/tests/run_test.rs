//! `.cargo/run-test`: tests do not descend from whoever starts them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Prints its arguments and the processes above it, then ends with a code of its own.
const PROBE: &str = r#"#!/bin/sh
echo "arguments: $*"
echo "said on standard error" >&2
process=$$
while [ "$process" -gt 1 ]; do
    read -r stat <"/proc/$process/stat"
    name=${stat#*(}
    echo "above: ${name%%)*}"
    rest=${stat##*) }
    rest=${rest#* }
    process=${rest%% *}
done
tr '\0' '\n' <"/proc/$PPID/environ"
exit 7
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tollgate run-test {} {name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("deps")).unwrap();
        Self(folder)
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A coding agent that runs a program as cargo would.
    fn agent_runs(&self, program: &Path) -> Output {
        let agent = self.script("claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
        let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cargo/run-test");
        let mut command = Command::new(agent);
        command.arg(runner).arg(program).args(["a b", "c"]).env("CLAUDECODE", "1").output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_test_does_not_descend_from_the_agent_that_starts_it() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let folder = Folder::new("test");
    let output = folder.agent_runs(&folder.script("deps/probe", PROBE));
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.starts_with("arguments: a b c\nabove: probe\n"), "{said}");
    assert!(!said.contains("above: claude") && !said.contains("CLAUDECODE"), "{said}");
    assert_eq!(text(&output.stderr), "said on standard error\n");
}

#[test]
fn other_programs_start_as_they_are() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let folder = Folder::new("program");
    let output = folder.agent_runs(&folder.script("probe", PROBE));
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("above: claude") && said.contains("CLAUDECODE=1"), "{said}");
}
