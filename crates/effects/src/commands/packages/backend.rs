//! Packages of Python that are built from a folder: the back end that the folder's description names runs, and that may
//! lie in the folder itself. What nobody of this session wrote is the project's own.

use tollgate_shell::value::Value;

use crate::commands::Run;
use crate::commands::interpreters::languages::from_file;
use crate::languages::Language;
use crate::word::Word;

/// Runs what a build of the folder runs of its own files.
pub(super) fn built(run: &mut Run, folder: &Word) {
    let Some(folder) = folder.literal().filter(|folder| folder.starts_with(['.', '/'])) else { return };
    let folder = folder.split('[').next().unwrap_or_default().trim_end_matches('/').to_owned();
    let file = |name: &str| Word::literal_at(&format!("{folder}/{name}"), run.call.span);
    let text = run.analyst.script(&file("pyproject.toml"), run.shell);
    let named = text.as_ref().and_then(Value::as_literal).map(own_back_ends).unwrap_or_default();
    let files: Vec<Word> = named.iter().map(String::as_str).chain(["setup.py"]).map(file).collect();
    for file in files {
        if run.analyst.own_text(&file, run.shell).is_some() {
            from_file(run, Language::Python, &file, &[]);
        }
    }
}

/// The files that the back end may be in: `build-backend` is a module, and `backend-path` the folders it is looked for in.
fn own_back_ends(text: &str) -> Vec<String> {
    let section = text.lines().map(str::trim).skip_while(|line| *line != "[build-system]").skip(1);
    let lines: Vec<&str> = section.take_while(|line| !line.starts_with('[')).collect();
    let quoted = |key: &str| -> Vec<&str> {
        let at = lines.iter().position(|line| line.split('=').next().is_some_and(|name| name.trim() == key));
        let value = at.and_then(|at| lines.get(at..)).unwrap_or_default().iter();
        // A list may go on in the next lines.
        let ends = |line: &&&str| line.contains(']') || !line.contains('[') && line.contains('=');
        let count = value.clone().take_while(|line| !ends(line)).count() + 1;
        value.take(count).flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2)).collect()
    };
    let modules = quoted("build-backend");
    let module = modules.first().map(|name| name.split(':').next().unwrap_or_default().replace('.', "/"));
    let folders = quoted("backend-path");
    module.into_iter().flat_map(|module| files_of(&module, &folders)).collect()
}

fn files_of(module: &str, folders: &[&str]) -> Vec<String> {
    let ends = [".py", "/__init__.py"];
    folders.iter().flat_map(|folder| ends.map(|end| format!("{folder}/{module}{end}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::own_back_ends;

    #[test]
    fn the_back_end_of_a_folder() {
        let text = "[project]\nname = \"x\"\n[build-system]\nrequires = []\nbuild-backend = \"a.b\"\nbackend-path = [\"tools\"]\n";
        assert_eq!(own_back_ends(text), ["tools/a/b.py", "tools/a/b/__init__.py"]);
        assert!(own_back_ends("[build-system]\nbuild-backend = \"hatchling.build\"\n").is_empty());
    }
}
