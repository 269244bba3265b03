//! Which other files a hook program needs: what it imports, sources, or names relative to itself. Read from the text of
//! Python, JavaScript, TypeScript and shell files, without running any of them.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use regex_lite::Regex;

/// What one file needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Files and folders that are there.
    pub found: Vec<PathBuf>,
    /// What it needs and is not there, as it names it.
    pub missing: Vec<String>,
    /// What it needs and is there, but would not be copied with it.
    pub outside: Vec<String>,
    /// Python modules that no file beside it provides: part of Python, installed, or missing.
    pub modules: Vec<String>,
}

/// Reads what a file needs. `program` is the file that is started, whose folder is searched for modules.
pub(crate) fn of(file: &Path, text: &str, program: &Path, root: &Path) -> Needs {
    let mut scan =
        Scan { file, program, root, needs: Needs::default(), has_search_path: text.contains("sys.path") };
    match file.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "py" => scan.python(text),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" => scan.javascript(text),
        "sh" | "bash" | "zsh" => scan.shell(text),
        "" if text.starts_with("#!") && text.lines().next().is_some_and(|line| line.contains("python")) => {
            scan.python(text);
        }
        "" if text.starts_with("#!") => scan.shell(text),
        _ => {}
    }
    scan.needs
}

/// What a program and the files that it needs name and is not there, each with the file that names it.
pub(crate) fn missing_for(program: &Path) -> Vec<(PathBuf, String)> {
    let mut missing = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut rest = vec![program.to_owned()];
    while let Some(file) = rest.pop().filter(|_| seen.len() < MOST_FILES) {
        if seen.contains(&file) || !file.is_file() {
            continue;
        }
        let text = std::fs::read(&file).unwrap_or_default();
        let needs = of(&file, &String::from_utf8_lossy(&text), program, Path::new("/"));
        missing.extend(needs.missing.into_iter().map(|name| (file.clone(), name)));
        rest.extend(needs.found);
        seen.push(file);
    }
    missing
}

/// The most files that are looked at for one program.
const MOST_FILES: usize = 200;

struct Scan<'a> {
    file: &'a Path,
    program: &'a Path,
    root: &'a Path,
    needs: Needs,
    has_search_path: bool,
}

/// Endings of files that are code: naming one that is not there is a mistake, not an output file.
const CODE: [&str; 11] = ["py", "js", "mjs", "cjs", "ts", "mts", "cts", "sh", "bash", "wasm", "jq"];

/// Names that folders of code have in hook trees.
const CODE_FOLDERS: [&str; 12] = [
    "validators",
    "handlers",
    "middleware",
    "lib",
    "libs",
    "utils",
    "helpers",
    "rules",
    "checks",
    "modules",
    "plugins",
    "shared",
];

/// What loads code from a path that it works out.
const LOADERS: [&str; 8] =
    ["importlib", "import_module", "sys.path", "runpy", "exec(", "subprocess", "require(", "import("];

impl Scan<'_> {
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(self.file)
    }

    /// Takes in a file or folder that the program names.
    fn take(&mut self, path: PathBuf) {
        if path.starts_with(self.root) && path != self.root {
            self.needs.found.push(path);
        } else {
            self.needs.outside.push(format!("{} (outside of the project)", path.display()));
        }
    }

    fn python(&mut self, text: &str) {
        for import in python_imports(text) {
            self.import(&import);
        }
        self.beside(text, "__file__", Base::File);
    }

    fn import(&mut self, import: &Import) {
        let mut folders = vec![self.folder().to_owned()];
        if import.level > 0 {
            folders = self.folder().ancestors().skip(import.level - 1).take(1).map(Path::to_owned).collect();
        } else {
            folders.extend(self.program.parent().map(Path::to_owned));
            let above = self.folder().ancestors().skip(1).take_while(|folder| folder.starts_with(self.root));
            folders.extend(above.filter(|_| self.has_search_path).map(Path::to_owned));
        }
        let first = import.name.split('.').next().unwrap_or_default();
        let found = folders.iter().find_map(|folder| module(folder, first));
        match found {
            Some(found) => {
                let whole =
                    import.name.split('.').fold(found.parent().map(Path::to_owned), |folder, part| {
                        folder.map(|folder| folder.join(part))
                    });
                let is_there = whole.is_some_and(|path| path.is_dir() || path.with_extension("py").is_file());
                if import.name.contains('.') && !is_there && !import.optional {
                    self.needs.missing.push(import.name.clone());
                }
                self.take(found);
            }
            None if import.optional => {}
            None if import.level > 0 && !import.is_name => {
                self.needs.missing.push(format!("{}{}", ".".repeat(import.level), import.name));
            }
            None if import.level > 0 => {}
            None => self.needs.modules.push(first.to_owned()),
        }
    }

    fn javascript(&mut self, text: &str) {
        let comment =
            |line: &&str| !line.trim_start().starts_with("//") && !line.trim_start().starts_with('*');
        let code: Vec<&str> = text.lines().filter(comment).collect();
        let code = code.join("\n");
        let pattern = r#"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]+)["']"#;
        for name in all(pattern, &code) {
            if name.starts_with('.') {
                match script(&clean(&self.folder().join(&name))) {
                    Some(found) => self.take(found),
                    None => self.needs.missing.push(name),
                }
            } else if !name.contains(':') && !NODE.contains(&name.split('/').next().unwrap_or_default()) {
                self.needs.outside.push(format!("{name} (packages are not copied)"));
            }
        }
        self.beside(&code, "__dirname", Base::Folder);
        self.beside(&code, "import.meta.dirname", Base::Folder);
        self.beside(&code, "import.meta.url", Base::Folder);
    }

    /// Files that a script sources or starts by a path relative to itself.
    fn shell(&mut self, text: &str) {
        let pattern = r#"((?:[\w.-]+/)*[\w.-]+\.(?:sh|bash|py|js|mjs|cjs|ts|jq))\b"#;
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let sources = line.starts_with("source ") || line.starts_with(". ");
            let guarded = ["[ -", "[[ -", "||", "2>", "test -"].iter().any(|guard| line.contains(guard));
            let relative = line.contains('$') || line.contains("./") || sources;
            for name in all(pattern, line).into_iter().filter(|_| relative) {
                let above = self.folder().ancestors().take_while(|folder| folder.starts_with(self.root));
                let found = above.map(|folder| clean(&folder.join(&name))).find(|path| path.is_file());
                match found {
                    Some(found) => self.take(found),
                    None if sources && !guarded => self.needs.missing.push(name),
                    None => {}
                }
            }
        }
    }

    /// Is a path that is not there a folder of code? A missing one means that the program checks nothing, while a missing
    /// folder of data is made when the program writes there.
    fn is_code_folder(path: &Path, text: &str, line: &str) -> bool {
        if path.extension().is_some() {
            return false;
        }
        let variable = line.split_once('=').filter(|(name, _)| is_name(name)).map(|(name, _)| {
            let name = name.trim();
            ["const ", "let ", "var "].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name).trim()
        });
        let users =
            || text.lines().filter(|other| variable.is_some_and(|name| word_at(other, name).is_some()));
        let makes = |line: &str| line.contains("mkdir") || line.contains("makedirs");
        if makes(line) || users().any(makes) {
            return false;
        }
        let names_code = |line: &str| {
            let quoted =
                |ending: &&str| ["\"", "'", "`"].iter().any(|q| line.contains(&format!(".{ending}{q}")));
            line.contains("sys.path") || CODE.iter().any(quoted)
        };
        let is_named_so =
            path.file_name().is_some_and(|name| CODE_FOLDERS.iter().any(|known| name == *known));
        let loads = LOADERS.iter().any(|loader| text.contains(loader));
        names_code(line) || users().any(names_code) || (is_named_so && loads)
    }

    /// Paths made from the file's own place: `Path(__file__).parent.parent / "validators"`, and from names that hold
    /// such a path.
    fn beside(&mut self, text: &str, mark: &str, base: Base) {
        let mut names: BTreeMap<String, PathBuf> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let place = match line.find(mark) {
                Some(at) => {
                    let start = if base == Base::File { self.file } else { self.folder() };
                    Some((climb(start, line, base), line.get(at..).unwrap_or_default().to_owned()))
                }
                None => names.iter().find_map(|(name, path)| {
                    let at = word_at(line, name)?;
                    let rest = line.get(at + name.len()..).unwrap_or_default();
                    let next = rest.trim_start();
                    let joins = next.starts_with(['/', ','])
                        || next.starts_with(".parent")
                        || next.starts_with(".joinpath(");
                    joins.then(|| (climb(path, rest, Base::Folder), rest.to_owned()))
                }),
            };
            let Some((place, rest)) = place else { continue };
            let pieces = all(r#"["']([\w./ -]+)["']"#, &rest);
            let path = clean(&pieces.iter().fold(place.clone(), |path, piece| path.join(piece)));
            if let Some((name, _)) = line.split_once('=').filter(|(name, _)| is_name(name)) {
                let name = name.trim().trim_start_matches("const ").trim_start_matches("let ");
                names.insert(name.trim_start_matches("var ").trim().to_owned(), path.clone());
            }
            let code = path.extension().and_then(|ending| ending.to_str()).is_some_and(|e| CODE.contains(&e));
            match pieces.is_empty() {
                true => {}
                false if path.exists() => self.take(path),
                false if code => self.needs.missing.push(pieces.join("/")),
                false
                    if pieces.iter().all(|piece| is_plain(piece))
                        && Self::is_code_folder(&path, text, line) =>
                {
                    self.needs.missing.push(format!("the folder {}", pieces.join("/")));
                }
                false => {}
            }
        }
    }
}

/// What the name of the own place stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    File,
    Folder,
}

/// As many folders up as an expression says.
fn climb(start: &Path, line: &str, base: Base) -> PathBuf {
    let indexed = all(r"\.parents\[(\d)\]", line)
        .iter()
        .filter_map(|n| n.parse::<usize>().ok())
        .map(|n| n + 1)
        .sum::<usize>();
    let parents = line.matches(".parent").count() - line.matches(".parents").count();
    let named = line.matches("dirname(").count() + line.matches(".with_name(").count();
    let up = indexed + parents + if base == Base::File { named } else { 0 };
    start.ancestors().nth(up).unwrap_or(start).to_owned()
}

/// Is it a name, and not a piece of a path that is put together in other ways?
fn is_plain(piece: &str) -> bool {
    piece.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    let text = ["const ", "let ", "var "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn word_at(line: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    line.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = line.get(..*at).and_then(|text| text.chars().last());
        let after = line.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// One module that a Python file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    name: String,
    /// The dots before it.
    level: usize,
    /// Its absence is handled: it stands in a `try`, or is for type checkers only.
    optional: bool,
    /// Behind `from . import`: a module or a name of the package.
    is_name: bool,
}

fn python_imports(text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut blocks: Vec<(usize, bool)> = Vec::new();
    let mut quote: Option<&str> = None;
    for line in text.lines() {
        let inside = quote.is_some();
        quote = after(line, quote);
        let code = line.split(" #").next().unwrap_or_default().trim();
        if inside || code.is_empty() || code.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        blocks.retain(|(start, _)| *start < indent);
        let optional = blocks.iter().any(|(_, handled)| *handled);
        if code.ends_with(':') {
            let handled = code == "try:" || code.starts_with("except") || code.contains("TYPE_CHECKING");
            blocks.push((indent, handled));
        }
        imports.extend(imports_of(code, optional));
    }
    imports
}

/// The triple quote that is open after a line.
fn after<'q>(line: &str, mut open: Option<&'q str>) -> Option<&'q str> {
    let mut rest = line;
    loop {
        let next = match open {
            Some(quote) => rest.find(quote).map(|at| (at, None)),
            None => {
                ["\"\"\"", "'''"].into_iter().filter_map(|quote| Some((rest.find(quote)?, Some(quote)))).min()
            }
        };
        let Some((at, now)) = next else { return open };
        rest = rest.get(at + 3..).unwrap_or_default();
        open = now;
    }
}

fn imports_of(code: &str, optional: bool) -> Vec<Import> {
    let of =
        |name: &str, level: usize, is_name: bool| Import { name: name.to_owned(), level, optional, is_name };
    let first = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
    let is_module =
        |name: &String| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if let Some(names) = code.strip_prefix("import ") {
        return names.split(',').map(first).filter(is_module).map(|name| of(&name, 0, false)).collect();
    }
    let Some((module, names)) = code.strip_prefix("from ").and_then(|rest| rest.split_once(" import")) else {
        return Vec::new();
    };
    let module = module.trim();
    let name = module.trim_start_matches('.');
    let level = module.len() - name.len();
    if !name.is_empty() {
        return Some(name.to_owned())
            .filter(is_module)
            .map(|name| of(&name, level, false))
            .into_iter()
            .collect();
    }
    let names = names.trim().trim_matches(['(', ')']).split(',').map(first);
    names.filter(is_module).map(|name| of(&name, level, true)).collect()
}

/// The file or package of a module in a folder.
fn module(folder: &Path, name: &str) -> Option<PathBuf> {
    let file = folder.join(format!("{name}.py"));
    let package = folder.join(name);
    let has_code = || {
        let mut entries = std::fs::read_dir(&package).into_iter().flatten().flatten();
        entries.any(|entry| entry.path().extension().is_some_and(|ending| ending == "py"))
    };
    if file.is_file() {
        return Some(file);
    }
    (package.is_dir() && has_code()).then_some(package)
}

/// The file that a relative specifier names.
fn script(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let name = path.file_name()?.to_str()?;
    let endings = ["js", "mjs", "cjs", "ts", "mts", "cts", "json"];
    let files = endings.iter().map(|ending| path.with_file_name(format!("{name}.{ending}")));
    let typed = path.with_extension("ts");
    let found = files.chain([typed]).find(|file| file.is_file());
    found.or_else(|| Some(path.to_owned()).filter(|path| path.is_dir()))
}

/// A path without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

/// The first group of every match.
fn all(pattern: &str, text: &str) -> Vec<String> {
    let Ok(regex) = Regex::new(pattern) else { return Vec::new() };
    regex.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
}

/// Modules that are part of Node.
const NODE: [&str; 40] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

#[cfg(test)]
mod tests {
    use super::{Import, python_imports};

    #[test]
    fn imports_are_read_from_code_and_not_from_texts() {
        let text = "\"\"\"\nimport prose\n\"\"\"\nimport json, os.path as p\nfrom utils import log  # why\ntry:\n    import yaml\nexcept ImportError:\n    import other\nfrom . import one, two as three\nfrom ..lib.x import y\n'''import text'''\ndef f():\n    import late\n";
        let shown = |import: &Import| {
            let optional = if import.optional { "?" } else { "" };
            format!("{}{}{optional}", ".".repeat(import.level), import.name)
        };
        let names: Vec<String> = python_imports(text).iter().map(shown).collect();
        assert_eq!(names, ["json", "os.path", "utils", "yaml?", "other?", ".one", ".two", "..lib.x", "late"]);
    }
}
