use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Scratch, VERSION, done, is_there, package};

fn deb() -> PathBuf {
    package("tollgate_", ".deb")
}

#[test]
fn dpkg_installs_the_package() {
    if !is_there("dpkg", "installing the Debian package") {
        return;
    }
    let scratch = Scratch::new();
    let root = scratch.path().join("root");
    let admin = root.join("var/lib/dpkg");
    fs::create_dir_all(admin.join("updates")).unwrap();
    fs::create_dir_all(admin.join("info")).unwrap();
    fs::write(admin.join("status"), "").unwrap();
    // A machine for which packages are built in tests has a dynamic binary; the scratch root has no C library to depend on.
    let mut dpkg = scratch.command("dpkg");
    dpkg.arg(format!("--root={}", root.display())).args(["--force-not-root", "--force-depends", "--install"]);
    done(dpkg.arg(deb()));
    let status = fs::read_to_string(admin.join("status")).unwrap();
    assert!(status.contains("Package: tollgate\nStatus: install ok installed"), "{status}");
    scratch.guards(|| scratch.command(root.join("usr/bin/tollgate")));
    completes(&scratch, &root);
    if is_there("man", "the installed manual page") {
        let page = root.join("usr/share/man/man1/tollgate-explain.1.gz");
        let shown = done(scratch.command("man").arg("-l").arg(page));
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.windows(2).any(|pair| pair == ["tollgate", "explain"]), "{shown}");
    }
}

#[test]
fn the_package_describes_itself_and_installs_only_below_usr() {
    if !is_there("dpkg-deb", "reading the Debian package") {
        return;
    }
    let scratch = Scratch::new();
    let field =
        |name: &str| done(scratch.command("dpkg-deb").arg("-f").arg(deb()).arg(name)).trim().to_owned();
    assert_eq!((field("Package").as_str(), field("Version").as_str()), ("tollgate", VERSION));
    assert!(field("Installed-Size").parse::<u64>().unwrap() > 1000);
    assert!(field("Maintainer").contains('@') && field("Description").contains("coding agents"));
    let info = done(scratch.command("dpkg-deb").arg("-I").arg(deb()));
    assert!(!info.contains("postinst") && !info.contains("preinst"), "{info}");
    let listed = done(scratch.command("dpkg-deb").arg("-c").arg(deb()));
    for line in listed.lines() {
        assert!(line.contains(" root/root ") || line.contains(" 0/0 "), "{line}");
        let path = line.split_whitespace().nth(5).unwrap();
        assert!(path.trim_start_matches("./").starts_with("usr/"), "{line}");
        let mode =
            if path.ends_with('/') || path.ends_with("bin/tollgate") { "rwxr-xr-x" } else { "-rw-r--r--" };
        assert!(line.get(..10).unwrap().ends_with(mode), "{line}");
    }
    done(scratch.command("dpkg-deb").arg("-x").arg(deb()).arg(scratch.path().join("x")));
    for name in ["copyright", "changelog.gz", "THIRD-PARTY-LICENSES.txt", "tollgate.cdx.json"] {
        assert!(scratch.path().join("x/usr/share/doc/tollgate").join(name).is_file(), "{name}");
    }
}

/// bash completes a subcommand with the script at its Debian place.
fn completes(scratch: &Scratch, root: &Path) {
    let script = root.join("usr/share/bash-completion/completions/tollgate");
    let driver = r#". "$1"; COMP_WORDS=(tollgate expl) COMP_CWORD=1; _tollgate tollgate expl tollgate; echo "${COMPREPLY[@]}""#;
    let mut bash = scratch.command("bash");
    let offered = done(bash.args(["--norc", "--noprofile", "-c", driver, "bash"]).arg(script));
    assert_eq!(offered.trim(), "explain");
}
