use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Answer, Scratch, VERSION, answer, dist, done, is_there, package};

fn tarball() -> PathBuf {
    package("tollgate-0", "-linux-gnu.tar.gz")
}

fn install(scratch: &Scratch, from: &Path) -> Answer {
    let mut command = scratch.command("sh");
    answer(command.arg(dist().join("install.sh")).arg(from), b"")
}

#[test]
fn the_script_installs_a_tarball_for_the_user() {
    let scratch = Scratch::new();
    let program = scratch.home().join(".local/bin/tollgate");
    for _ in 0..2 {
        let answer = install(&scratch, &tarball());
        assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{answer:?}");
        assert!(answer.stdout.contains(&format!("tollgate {VERSION}")), "{answer:?}");
        assert!(answer.stdout.contains("tollgate init") && answer.stdout.contains("PATH"), "{answer:?}");
    }
    scratch.guards(|| scratch.command(&program));
    assert_eq!(fs::read_dir(program.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn the_script_downloads_from_an_address_into_a_chosen_folder() {
    if !is_there("curl", "installing from an address") {
        return;
    }
    let scratch = Scratch::new();
    let folder = scratch.path().join("my programs");
    let mut command = scratch.command("sh");
    command.arg(dist().join("install.sh")).arg(format!("file://{}", dist().display()));
    done(command.env("TOLLGATE_INSTALL_DIR", &folder));
    scratch.guards(|| scratch.command(folder.join("tollgate")));
}

#[test]
fn a_tarball_with_another_checksum_is_not_installed() {
    let scratch = Scratch::new();
    let changed = scratch.path().join("changed.tar.gz");
    let mut bytes = fs::read(tarball()).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&changed, bytes).unwrap();
    let answer = install(&scratch, &changed);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.stderr.contains("nothing was installed"), "{answer:?}");
    assert!(!scratch.home().join(".local").exists());
}

#[test]
fn the_formula_names_the_tarball_and_its_checksum() {
    let formula = fs::read_to_string(dist().join("tollgate.rb")).unwrap();
    let name = tarball().file_name().unwrap().to_str().unwrap().to_owned();
    let sums = fs::read_to_string(dist().join("SHA256SUMS")).unwrap();
    let sum = sums.lines().find_map(|line| line.strip_suffix(&format!("  {name}"))).unwrap();
    assert!(formula.contains(&format!("/releases/download/v{VERSION}/{name}\"")), "{formula}");
    assert!(formula.contains(&format!("sha256 \"{sum}\"")), "{formula}");
    if is_there("ruby", "the syntax of the Homebrew formula") {
        let scratch = Scratch::new();
        done(scratch.command("ruby").arg("-c").arg(dist().join("tollgate.rb")));
    }
}

#[test]
fn shellcheck_has_no_complaint() {
    if !is_there("shellcheck", "checking the shell scripts") {
        return;
    }
    let scratch = Scratch::new();
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("claude-plugin/tollgate-hook");
    done(scratch.command("shellcheck").arg(dist().join("install.sh")).arg(hook));
}
