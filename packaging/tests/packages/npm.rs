use std::path::Path;

use serde_json::Value;

use crate::support::{Scratch, VERSION, done, is_there, package, untar};

fn install(scratch: &Scratch, packages: &[&Path]) {
    let mut npm = scratch.command("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--prefix", "."]).args(packages);
    done(&mut npm);
}

#[test]
fn npm_installs_both_packages_offline_and_npx_runs_the_binary() {
    if !is_there("npm", "installing the npm packages") {
        return;
    }
    let scratch = Scratch::new();
    let (main, platform) = (package("tollgate-npm-", ".tgz"), package("tollgate-linux-", ".tgz"));
    install(&scratch, &[&main, &platform]);
    let shown = done(scratch.command("npx").args(["--offline", "--no-install", "tollgate", "--version"]));
    assert_eq!(shown.trim(), format!("tollgate {VERSION}"));
    let program = scratch.project().join("node_modules/.bin/tollgate");
    scratch.guards(|| scratch.command(&program));
    // The exit code of the binary is that of the launcher.
    let answer = crate::support::answer(scratch.command(&program).arg("no-such-command"), b"");
    assert_eq!(answer.code, Some(2), "{answer:?}");
}

#[test]
fn without_the_platform_package_a_hook_refuses() {
    if !is_there("npm", "installing the npm packages") {
        return;
    }
    let scratch = Scratch::new();
    let main = package("tollgate-npm-", ".tgz");
    let mut npm = scratch.command("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--omit=optional", "--prefix", "."]);
    done(npm.arg(&main));
    let mut hook = scratch.command(scratch.project().join("node_modules/.bin/tollgate"));
    let answer = scratch.ask(hook.args(["hook", "claude-code", "PreToolUse"]), "ls src");
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(answer.stderr.contains("is not installed"), "{answer:?}");
}

#[test]
fn the_main_package_pins_the_platform_package_and_runs_no_scripts() {
    let manifest =
        |path: &Path| -> Value { serde_json::from_slice(&untar(path)["package/package.json"].1).unwrap() };
    let (main, platform) = (package("tollgate-npm-", ".tgz"), package("tollgate-linux-", ".tgz"));
    let (main, platform) = (manifest(&main), manifest(&platform));
    assert_eq!(main["optionalDependencies"][platform["name"].as_str().unwrap()], VERSION);
    for manifest in [&main, &platform] {
        assert_eq!(manifest["version"], VERSION);
        assert!(
            manifest.get("scripts").is_none() && manifest["license"] == "MIT OR Apache-2.0",
            "{manifest}"
        );
    }
    assert_eq!(platform["os"][0], "linux");
}
