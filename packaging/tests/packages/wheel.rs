use std::process::Command;

use crate::support::{Scratch, VERSION, dist, done, package};

/// The interpreter itself: what is on the search path may be a shim that depends on the real home.
fn python() -> Option<String> {
    let script = "import sys, pip, venv; print(sys.executable)";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn pip_installs_the_wheel_without_an_index() {
    let Some(python) = python() else {
        println!("left out: installing the wheel (python3 with pip and venv is not installed)");
        return;
    };
    let scratch = Scratch::new();
    let venv = scratch.path().join("venv");
    done(scratch.command(&python).args(["-m", "venv", "--without-pip"]).arg(&venv));
    let mut pip = scratch.command(&python);
    pip.args(["-m", "pip", "--isolated", "--disable-pip-version-check", "--python"])
        .arg(venv.join("bin/python"));
    done(pip.args(["install", "--no-index", "--no-cache-dir", "--find-links"]).arg(dist()).arg("tollgate"));
    scratch.guards(|| scratch.command(venv.join("bin/tollgate")));
    assert!(venv.join("share/man/man1/tollgate.1").is_file());
    let script = "import importlib.metadata as m; d = m.distribution('tollgate'); print(d.version, d.metadata['License-Expression'])";
    let shown = done(scratch.command(venv.join("bin/python")).args(["-c", script]));
    assert_eq!(shown.trim(), format!("{VERSION} MIT OR Apache-2.0"));
}

#[test]
fn a_wheel_claims_any_linux_only_with_a_static_binary() {
    let wheel = package("tollgate-0", ".whl");
    let name = wheel.file_name().unwrap().to_str().unwrap().to_owned();
    let binary = crate::support::binary();
    let is_dynamic = done(Command::new("readelf").arg("--program-headers").arg(&binary)).contains("INTERP");
    assert_eq!(name.contains("manylinux2014_"), !is_dynamic, "{name}");
}
