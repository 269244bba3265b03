//! What the compiler of libraries says about wrong files, and that it takes right ones.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use tollgate_catalogue::compile::libraries::compile;

fn compiled(text: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.toml");
    fs::write(&path, text).unwrap();
    compile(&path)
        .map_err(|faults| faults.to_string().replace(&folder.path().display().to_string(), "libraries"))
}

#[test]
fn a_function_is_its_role_and_where_its_arguments_are() {
    let table = compiled("[functions]\n\"a.b\" = { copies = 0, to = 1, tree = true }\n").unwrap();
    let meaning = "Meaning { role: Role::Copies, at: 0, with: Some(1), flag: true, text: \"\" }";
    assert!(table.contains(meaning), "{table}");
    let table = compiled("[methods]\nx = { makes = \"join-paths\" }\n").unwrap();
    assert!(table.contains("role: Role::Makes(Make::JoinPaths)"), "{table}");
}

#[test]
fn clients_have_a_function_for_each_method() {
    let text = "[clients]\nnames = [\"http\"]\n[clients.methods]\nget = { fetches = 0 }\n";
    assert!(compiled(text).unwrap().contains("http.get"));
}

#[test]
fn wrong_words_are_told_with_their_place_and_the_nearest_right_one() {
    for (text, wanted) in [
        ("[functions]\na = { delete = 0 }\n", "x.toml:2:7: `delete` is no role; the nearest is `deletes`"),
        ("[functions]\na = { deletes = 0, reads = 0 }\n", "x.toml:2:20: `reads` is a second role"),
        (
            "[functions]\na = { deletes = 0, content = 1 }\n",
            "x.toml:2:20: `content` says nothing about `deletes`",
        ),
        (
            "[functions]\na = { deletes = \"x\" }\n",
            "x.toml:2:17: this has to be the place of an argument, from 0",
        ),
        (
            "[functions]\na = { makes = \"join-path\" }\n",
            "x.toml:2:15: `join-path` is not known; the nearest is `join-paths`",
        ),
        ("[functions]\na = {}\n", "x.toml:2:1: an entry needs a role"),
        ("[file]\nwrite = \"writes\"\n", "x.toml:2:9: `writes` is not known; the nearest is `write`"),
        ("[function]\n", "x.toml:1:2: unknown field `function`"),
        (
            "[functions]\n\"http.get\" = { reads = 0 }\n[clients]\nnames = [\"http\"]\n[clients.methods]\nget = { fetches = 0 }\n",
            "x.toml:4:10: `http.get` is among the functions too",
        ),
    ] {
        let said = compiled(text).err().unwrap_or_default();
        assert!(said.contains(wanted), "{text}: {said}");
    }
}
