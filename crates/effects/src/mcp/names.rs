//! What the names of tools and arguments say. A catalogue of words.

use tollgate_model::json::Value;

use super::lines::{container, flags};
use super::words::{BROWSERS, DATABASES, KEPT, SERVICES, SHELLS, TERMINALS, VERBS};
use crate::commands::is_command;
use crate::documents;

/// What a tool does with what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Write,
    Delete,
    Move,
    Copy,
    /// Makes a folder.
    Folder,
    /// Makes a file of what it gets elsewhere.
    Make,
    Run,
    Unknown,
}

/// A tool, by its name and its server's.
pub(super) struct Tool {
    pub server: String,
    /// How many of its words are its server's.
    pub server_words: usize,
    pub verb: Verb,
    pub words: Vec<String>,
    /// It works on a service elsewhere.
    pub is_remote: bool,
    pub is_database: bool,
    pub is_browser: bool,
    /// It applies patches.
    pub patches: bool,
    /// It gets pages.
    pub fetches: bool,
    /// It types into a terminal or a process.
    pub is_terminal: bool,
    /// It types a text into a terminal.
    pub types: bool,
    /// Its name says that it runs shell text.
    pub is_shell: bool,
    /// It looks at everything below a folder.
    pub is_deep: bool,
    /// The language its name says.
    pub language: Option<&'static str>,
}

impl Tool {
    pub fn new(server: &str, tool: &str) -> Self {
        let own = split(tool);
        let mut words = split(server);
        let server_words = words.len();
        words.extend(own.iter().cloned());
        let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let (is_remote, is_database, is_browser) = (any(SERVICES), any(DATABASES), any(BROWSERS));
        let runs =
            own.iter().any(|word| matches!(word.as_str(), "run" | "exec" | "execute" | "bash" | "shell"));
        Self {
            server: server.to_owned(),
            server_words,
            verb: verb(&own),
            is_remote,
            is_database,
            is_browser,
            patches: own.iter().any(|word| word == "patch") && own.iter().any(|word| word == "apply"),
            fetches: own
                .iter()
                .any(|word| matches!(word.as_str(), "fetch" | "scrape" | "crawl" | "browse" | "visit")),
            is_terminal: any(TERMINALS) && !is_browser,
            types: any(TERMINALS)
                && !is_browser
                && own
                    .iter()
                    .any(|word| matches!(word.as_str(), "send" | "type" | "input" | "paste" | "enter")),
            is_shell: any(SHELLS) && runs && !is_database && !is_browser,
            is_deep: own
                .iter()
                .any(|word| matches!(word.as_str(), "search" | "grep" | "directory" | "tree" | "multiple")),
            language: language(&words, is_browser),
            words,
        }
    }

    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// A command line with the program that the tool's name says: `delete pod x` of a Kubernetes server.
    pub fn completed(&self, line: &str) -> String {
        let first = line.split_whitespace().next().unwrap_or_default();
        match self.left_out(first) {
            Some(program) => format!("{program} {line}"),
            None => line.to_owned(),
        }
    }

    /// The same for words, with the server that another argument names.
    pub fn completed_words(&self, words: &[&str], input: &Value) -> Vec<String> {
        let mut all = Vec::new();
        let first = words.first().copied().unwrap_or_default();
        // A list that begins with a program is run as it stands: `rm` in a container.
        let program = self.left_out(first).filter(|program| *program == "redis-cli" || !is_command(first));
        if let Some(program) = program {
            all.push(program.to_owned());
            let address =
                ["url", "uri", "connection", "connection_string"].iter().find_map(|key| input.text(key));
            if let Some(address) = address.filter(|_| program == "redis-cli") {
                all.extend(["-u".to_owned(), address.to_owned()]);
            }
        }
        all.extend(words.iter().map(|word| (*word).to_owned()));
        all
    }

    /// The program that a line of this tool leaves out, when it begins with this word.
    fn left_out(&self, first: &str) -> Option<&'static str> {
        // Its commands are words of their own, and no programs.
        if ["redis", "valkey", "keydb"].iter().any(|word| self.has(word)) {
            return Some("redis-cli").filter(|_| !first.ends_with("-cli"));
        }
        let program = [
            ("kubectl", "kubectl"),
            ("kubernetes", "kubectl"),
            ("k8s", "kubectl"),
            ("terraform", "terraform"),
            ("aws", "aws"),
            ("gcloud", "gcloud"),
            ("docker", "docker"),
            ("helm", "helm"),
            ("git", "git"),
            ("gh", "gh"),
            ("az", "az"),
        ]
        .into_iter()
        .find(|(word, _)| self.has(word))
        .map(|(_, program)| program);
        program.filter(|_| VERBS.contains(&first))
    }

    /// The command that a tool for one command of one program stands for: `git_push` with its arguments.
    pub fn command(&self, input: &Value) -> Option<Vec<String>> {
        let engine =
            ["docker", "podman", "container", "containers", "nerdctl"].iter().any(|word| self.has(word));
        let starts = ["run", "create", "start", "launch"].iter().any(|word| self.has(word));
        let image = ["image", "Image", "imageName", "image_name"].iter().any(|key| input.get(key).is_some());
        let named = self.has("docker") && self.has("container") && (self.has("run") || self.has("create"));
        if named || engine && starts && image {
            return Some(container(input));
        }
        let line = input.get("args").and_then(Value::as_list);
        let last = self.words.iter().rfind(|last| {
            matches!(
                last.as_str(),
                "kubectl" | "helm" | "git" | "docker" | "aws" | "gh" | "terraform" | "az" | "gcloud" | "psql"
            )
        });
        if let (Some(program), Some(args)) = (last, line) {
            let mut words = vec![program.clone()];
            let verb = ["command", "subcommand", "cmd"].iter().find_map(|key| input.text(key));
            words.extend(verb.unwrap_or_default().split_whitespace().map(str::to_owned));
            if words.get(1) == words.first() {
                words.remove(0);
            }
            words.extend(args.iter().filter_map(Value::as_str).map(str::to_owned));
            return Some(words);
        }
        // What stands behind the name of the program is its verb.
        let program =
            ["git", "kubectl", "helm", "terraform"].into_iter().find(|program| self.has(program))?;
        let at = self.words.iter().rposition(|word| word == program)?;
        let mut verbs = self.words.iter().skip(at + 1).cloned();
        let verb = verbs.next().filter(|_| input.get("command").is_none())?;
        let mut words = vec![program.to_owned()];
        let names_another = verb == "worktree" && input.get("mode").is_some() || verb == "discard";
        let places: &[&str] = if names_another {
            &["repo_path", "repoPath", "cwd"]
        } else {
            &["repo_path", "repoPath", "path", "cwd", "directory", "dir"]
        };
        let folder = places.iter().find_map(|key| input.text(key));
        if let Some(folder) = folder.filter(|_| program == "git") {
            words.extend(["-C".to_owned(), folder.to_owned()]);
        }
        if verb == "discard" {
            words.extend(["checkout", "--"].map(str::to_owned));
            words.extend(discarded(input));
            return Some(words);
        }
        let has_parts =
            matches!(verb.as_str(), "remote" | "stash" | "worktree" | "submodule" | "reflog" | "notes");
        words.push(verb);
        words.extend(verbs);
        words.extend(flags(input, folder, has_parts));
        Some(words)
    }

    /// What of a service the tool's name says it takes away: `delete_repository`.
    pub fn takes_away(&self, input: &Value) -> Option<(String, String)> {
        let many = |word: &&String| self.is_remote && matches!(word.as_str(), "batch" | "bulk" | "all");
        let kept = |word: &&String| {
            KEPT.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|one| KEPT.contains(&one))
        };
        let named = self.words.iter().find(|word| kept(word) || many(word)).cloned();
        let noun = named.or_else(|| super::keepers::kind(input))?;
        let part = ["comment", "comments", "reaction", "label", "draft"].iter().any(|word| self.has(word));
        let empties = self.words.get(self.server_words).is_some_and(|first| first == "empty");
        if self.verb != Verb::Delete && !empties || part || self.is_database && self.has("query") {
            return None;
        }
        let named =
            ["name", "repo", "id", "project", "volumeId", "zone_id", "bucket", "database", "project_id"];
        let target = named.iter().find_map(|key| input.text(key)).unwrap_or_default();
        Some((format!("the {noun}"), target.to_owned()))
    }

    /// What a call takes away that says so in an argument: also what only clouds and clusters have.
    pub fn named_away(&self, input: &Value) -> Option<String> {
        let part =
            ["comment", "comments", "reaction", "label", "labels", "draft", "file", "line", "row", "rows"];
        if part.iter().any(|word| self.has(word)) {
            return None;
        }
        let cloud =
            ["aws", "azure", "az", "gcp", "gcloud", "cloud", "k8s", "kubernetes", "kubectl", "s3", "boto3"];
        let is_cloud = cloud.iter().any(|word| self.has(word));
        let own = self.words.iter().skip(self.server_words);
        let kept = |word: &&String| {
            let one = word.strip_suffix('s').unwrap_or(word);
            KEPT.contains(&one) || is_cloud && KEPT.iter().any(|kept| kept.len() > 4 && one.ends_with(kept))
        };
        let noun = own.clone().find(kept).cloned().or_else(|| super::keepers::kind(input));
        let noun = noun.or_else(|| is_cloud.then(|| own.clone().cloned().collect::<Vec<_>>().join(" ")))?;
        let target = ["name", "id", "resource", "bucket", "cluster"].iter().find_map(|key| input.text(key));
        Some(format!("the {noun} {}", target.unwrap_or_default()))
    }

    /// What the tool's name says it does to a database: `drop-collection`.
    pub fn database(&self, input: &Value) -> Option<(String, String)> {
        let operation =
            ["drop", "truncate", "flushall", "flushdb", "flush"].into_iter().find(|word| self.has(word));
        let whole = ["table", "collection", "database", "schema", "keyspace", "all", "db", "index"];
        let object = || {
            ["table", "collection", "database", "name", "schema", "table_name", "key"]
                .iter()
                .find_map(|key| input.text(key))
                .unwrap_or_default()
                .to_owned()
        };
        let filter = ["filter", "query", "where", "selector"].iter().find_map(|key| input.get(key));
        let every = filter.is_none_or(|filter| documents::truth(filter) == Some(true));
        let many = self.is_database && (self.has("many") || self.has("all"));
        let any = ["pattern", "keys", "key"].iter().any(|key| input.text(key) == Some("*"));
        let matched = filter.is_some_and(|filter| filter.get("match_all").is_some());
        if self.is_database && self.verb == Verb::Delete && (any || matched) {
            return Some(("delete-all".to_owned(), object()));
        }
        if many && (self.has("delete") || self.has("remove")) && every {
            return Some(("delete-all".to_owned(), object()));
        }
        if many && self.has("update") && filter.is_some() && every {
            return Some(("update-all".to_owned(), object()));
        }
        let part = ["row", "rows", "item", "items", "record", "records", "column", "document", "documents"];
        let kept = ["table", "collection", "keyspace"].iter().any(|word| self.has(word));
        if self.is_database && self.verb == Verb::Delete && kept && !part.iter().any(|word| self.has(word)) {
            return Some(("drop".to_owned(), object()));
        }
        if self.is_database && self.has("reset") {
            return Some(("reset".to_owned(), object()));
        }
        match operation {
            Some("flush") if !self.is_database => None,
            Some("flushall" | "flush") => Some(("drop-database".to_owned(), "all of it".to_owned())),
            Some(operation) if self.is_database || whole.iter().any(|word| self.has(word)) => {
                Some((operation.to_owned(), object()))
            }
            _ => None,
        }
    }
}

/// The files whose changes are to go: those that are named, else all.
fn discarded(input: &Value) -> Vec<String> {
    let given = ["files", "paths", "file", "path", "file_path"].iter().filter_map(|key| input.get(key));
    let texts = given.flat_map(|value| value.as_list().unwrap_or(std::slice::from_ref(value)));
    let named: Vec<String> = texts.filter_map(Value::as_str).map(str::to_owned).collect();
    if named.is_empty() { vec![".".to_owned()] } else { named }
}

/// Languages by the names of servers that run them.
const LANGUAGES: &[(&[&str], &str)] = &[
    (&["r", "rscript", "rstudio"], "R"),
    (&["matlab", "octave"], "octave"),
    (&["emacs", "elisp", "lisp", "clojure", "scheme"], "emacs"),
    (&["csharp", "dotnet", "roslyn"], "csi"),
    (&["ruby"], "ruby"),
    (&["perl"], "perl"),
    (&["php"], "php"),
    (&["lua"], "lua"),
    (&["julia"], "julia"),
    (&["groovy"], "groovy"),
    (&["kotlin"], "kotlin"),
    (&["scala"], "scala"),
];

fn language(words: &[String], is_browser: bool) -> Option<&'static str> {
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if is_browser {
        return None;
    }
    if any(&["python", "jupyter", "ipython", "notebook", "cell", "kernel", "interpreter", "pyodide"]) {
        return Some("python");
    }
    if any(&["javascript", "node", "js", "deno"]) {
        return Some("node");
    }
    if any(&["powershell", "pwsh"]) {
        return Some("powershell");
    }
    let others = LANGUAGES.iter().find(|(names, _)| any(names)).map(|(_, language)| *language);
    others.or_else(|| any(&["bash", "shell", "terminal", "sh"]).then_some("bash"))
}

/// What one word asks for, as in `{"op": "delete"}`.
pub(super) fn verb_of(said: &str) -> Verb {
    verb(&split(said))
}

fn verb(words: &[String]) -> Verb {
    if words.iter().any(|word| matches!(word.as_str(), "directory" | "folder" | "dir"))
        && words.iter().any(|word| matches!(word.as_str(), "create" | "make"))
    {
        return Verb::Folder;
    }
    let one = |word: &String| {
        Some(match word.as_str() {
            "delete" | "remove" | "unlink" | "trash" | "rm" | "destroy" | "purge" | "erase" | "terminate"
            | "wipe" | "cancel" | "deprovision" | "decommission" => Verb::Delete,
            "write" | "create" | "edit" | "append" | "save" | "update" | "put" | "insert" | "replace"
            | "modify" | "overwrite" | "touch" | "str" | "patch" => Verb::Write,
            "move" | "rename" | "mv" => Verb::Move,
            "copy" | "cp" => Verb::Copy,
            "read" | "get" | "cat" | "view" | "list" | "search" | "find" | "show" | "head" | "tail"
            | "open" | "load" | "fetch" | "stat" | "info" | "tree" | "grep" | "glob" | "describe"
            | "upload" | "attach" => Verb::Read,
            "mkdir" => Verb::Folder,
            "download" | "screenshot" | "export" | "capture" | "dump" | "render" | "convert"
            | "transcode" => Verb::Make,
            "exec" | "execute" | "run" | "shell" | "bash" | "terminal" | "command" | "start" | "spawn"
            | "eval" => Verb::Run,
            _ => return None,
        })
    };
    words.iter().find_map(one).unwrap_or(Verb::Unknown)
}

/// The words of a name, in small letters: `readFile`, `read_file` and `read-file` are `read`, `file`.
pub(super) fn split(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars().take(200) {
        let ends = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && small);
        if ends {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
        small = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
