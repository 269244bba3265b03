//! What the compiler of the catalogue says about wrong files, and that it takes right ones.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use tollgate_catalogue::compile::compile;

/// Compiles commands with these texts, by file name, beside one family with verbs.
fn compiled(files: &[(&str, &str)]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("commands")).unwrap();
    fs::create_dir(folder.path().join("shared")).unwrap();
    let family = "[verbs]\ndoes = [{ call = \"rm\", infrastructure = \"delete\" }]\n";
    fs::write(folder.path().join("shared/family.toml"), family).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join("commands").join(name), text).unwrap();
    }
    compile(folder.path())
        .map(|compiled| compiled.tables)
        .map_err(|faults| faults.to_string().replace(&folder.path().display().to_string(), "catalogue"))
}

fn faults(files: &[(&str, &str)]) -> String {
    compiled(files).err().unwrap_or_default()
}

#[test]
fn a_name_in_two_files_is_an_error() {
    let said = faults(&[("a.toml", "name = [\"a\", \"b\"]\n"), ("b.toml", "name = [\"b\"]\n")]);
    assert_eq!(said, "catalogue/commands/b.toml:1:9: `b` is in catalogue/commands/a.toml too\n");
}

#[test]
fn a_file_is_called_like_its_first_name() {
    let said = faults(&[("a.toml", "name = [\"b\"]\n")]);
    assert_eq!(said, "catalogue/commands/a.toml:1:8: the first name is not the file's\n");
}

#[test]
fn wrong_words_are_told_with_their_place_and_the_nearest_right_one() {
    for (text, wanted) in [
        ("name = [\"a\"]\nhandle = \"x\"\n", "a.toml:2:1: unknown field `handle`"),
        (
            "name = [\"a\"]\n[roles]\n\"c,config=\" = \"load-code\"\n",
            "a.toml:3:15: `load-code` is not known; the nearest is `loads-code`",
        ),
        ("name = [\"a\"]\noptions = \"--config\"\n", "a.toml:2:11: `--config` is no option"),
        ("name = [\"a\"]\nhandler = \"files rm\"\n", "a.toml:2:11: `files rm` is no function"),
        (
            "name = [\"a\"]\nextends = \"families\"\n",
            "a.toml:2:11: neither catalogue/shared nor catalogue/commands",
        ),
        (
            "name = [\"a\"]\n[[use]]\nedit = \"operands\"\n",
            "a.toml:3:1: `edit` is no role; the nearest is `edits`",
        ),
        ("name = [\"a\"]\n[[use]]\nedits = \"operand\"\n", "a.toml:3:9: `operand` names no words of a call"),
        ("name = [\"a\"]\n[[use]]\nedits = \".\"\nwrites = \".\"\n", "a.toml:4:1: `writes` is a second role"),
        ("name = [\"a\"]\n[[use]]\ncall = \"x\"\n", "a.toml:3:1: this `[[use]]` has no role"),
        ("name = [\"a\"]\n[[example]]\ncall = \"a x\"\nwant = \"\"\n", "a.toml:3:8: an example needs"),
        ("name = [\"a\"]\n[verbs]\ndoes = [{ call = \"rm\" }]\n", "a.toml:3:9: say in `call` which verbs"),
    ] {
        let said = faults(&[("a.toml", text)]);
        assert!(said.contains(wanted), "{text}\nsays: {said}\nwanted: {wanted}");
    }
}

#[test]
fn verbs_of_a_family_come_behind_those_of_a_program() {
    let own = "name = [\"a\"]\nextends = \"family\"\n[verbs]\nvalues = \"x\"\ndoes = [{ call = \"ls\", safe = true }]\n";
    let text = compiled(&[("a.toml", own), ("b.toml", "name = [\"b\"]\nextends = \"a\"\n")]).unwrap();
    let both = r#"deeds: &[("ls", Deed::Safe), ("rm", Deed::Infra("delete"))]"#;
    assert!(text.contains(both), "{text}");
    assert!(
        text.contains(r#"names: &["b"]"#) && text.contains(r#"deeds: &[("ls", Deed::Safe)] })"#),
        "{text}"
    );
}

#[test]
fn words_of_a_call_and_their_role_are_read() {
    let text = compiled(&[(
        "a.toml",
        "name = [\"a\"]\n[[use]]\ncall = \"fmt|format x\"\nwithout = \"--check -c\"\nedits = \"operands 2..\"\n",
    )]);
    let text = text.unwrap();
    let fields = [
        "call: &[&[\"fmt\", \"format\"], &[\"x\"]]",
        "slot: Slot::Operands(1), role: Role::Edits",
        "without: &[\"--check\", \"-c\"]",
    ];
    assert!(fields.iter().all(|field| text.contains(field)), "{text}");
}
