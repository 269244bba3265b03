use std::fs;

use serde_json::Value;

use crate::support::{Scratch, VERSION, dist, done, package, untar};

#[test]
fn an_unpacked_tarball_guards() {
    let scratch = Scratch::new();
    let tarball = package("tollgate-0", "-linux-gnu.tar.gz");
    done(scratch.command("tar").arg("-xzf").arg(&tarball).arg("-C").arg(scratch.path()));
    let folder = tarball.file_name().unwrap().to_str().unwrap().trim_end_matches(".tar.gz");
    let program = scratch.path().join(folder).join("tollgate");
    scratch.guards(|| scratch.command(&program));
}

#[test]
fn a_tarball_holds_pages_completions_licences_and_the_sbom() {
    let files = untar(&package("tollgate-0", "-linux-gnu.tar.gz"));
    let find = |end: &str| {
        let found = files.iter().find(|(path, _)| path.ends_with(end));
        found.map(|(_, file)| file).unwrap_or_else(|| panic!("{end}: {:?}", files.keys()))
    };
    assert_eq!(find("/tollgate").0, 0o755);
    for name in ["/man/man1/tollgate-init.1", "/completions/_tollgate", "/LICENSE-MIT", "/README.md"] {
        let (mode, bytes) = find(name);
        assert!(*mode == 0o644 && !bytes.is_empty(), "{name}");
    }
    let licences = String::from_utf8(find("/THIRD-PARTY-LICENSES.txt").1.clone()).unwrap();
    assert!(licences.contains("\nserde_json 1.") && licences.contains("Permission is hereby granted"));
    assert!(!licences.contains("\ntollgate-model "));
    let sbom: Value = serde_json::from_slice(&find("/tollgate.cdx.json").1).unwrap();
    assert_eq!(
        (&sbom["bomFormat"], &sbom["metadata"]["component"]["version"]),
        (&"CycloneDX".into(), &VERSION.into())
    );
    has_closed_references(&sbom);
}

/// Every dependency in the SBOM is one of its components.
fn has_closed_references(sbom: &Value) {
    let components = sbom["components"].as_array().unwrap();
    let known: Vec<&Value> = components.iter().map(|part| &part["bom-ref"]).collect();
    assert!(known.len() > 50, "{}", known.len());
    for row in sbom["dependencies"].as_array().unwrap() {
        for used in row["dependsOn"].as_array().unwrap() {
            assert!(known.contains(&used), "{used}");
        }
    }
}

#[test]
fn every_artefact_is_in_the_list_of_checksums() {
    let dist = dist();
    let list = fs::read_to_string(dist.join("SHA256SUMS")).unwrap();
    let scratch = Scratch::new();
    done(scratch.command("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&dist));
    let mut names: Vec<String> =
        fs::read_dir(&dist).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "SHA256SUMS");
    names.sort();
    let listed: Vec<&str> = list.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    assert_eq!(listed, names);
}
