//! What an argument is: by its name, or by the shape of its text where the name says nothing.

use super::keepers::is_prose;
use super::names::split;

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Shell,
    /// What is typed into a terminal.
    Keys,
    Code,
    Sql,
    Path,
    Source,
    Target,
    /// The folder that something runs in.
    Folder,
    Address,
    Content,
    Other,
}

/// What an argument is, by its name and its text.
pub(super) fn of(key: &str, text: &str) -> Field {
    match Field::of(key) {
        Field::Other => shaped(key, text),
        Field::Address if text.starts_with("file:/") => Field::Path,
        known => known,
    }
}

impl Field {
    /// By its name alone.
    pub fn of(key: &str) -> Self {
        let key: String =
            key.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_ascii_lowercase();
        match key.as_str() {
            "command" | "cmd" | "commands" | "shellcommand" | "commandline" | "cmdline" | "bash" | "exec"
            | "script" | "shellscript" | "clicommand" => Self::Shell,
            "keys" | "keystrokes" | "input" | "chars" | "stdin" => Self::Keys,
            "code" | "sourcecode" | "pythoncode" | "cell" | "cellsource" | "program" | "javascript"
            | "javascriptcode" | "jscode" | "js" | "python" | "pythonscript" | "py" => Self::Code,
            "sql" | "query" | "q" | "statement" | "statements" | "queries" | "sqlquery" | "rawsql"
            | "sqlstatement" | "querytext" | "querystring" | "sqltext" => Self::Sql,
            "path" | "paths" | "file" | "files" | "filepath" | "filepaths" | "filename" | "absolutepath"
            | "relativepath" | "notebookpath" | "dir" | "dirpath" | "folder" | "directory"
            | "directorypath" | "folderpath" => Self::Path,
            "source" | "src" | "sourcepath" | "from" | "oldpath" | "origin" | "local" | "localpath"
            | "localfile" | "localfilepath" => Self::Source,
            "destination" | "dest" | "dst" | "target" | "targetpath" | "destinationpath" | "to"
            | "newpath" | "output" | "outputpath" | "savepath" => Self::Target,
            "cwd" | "workdir" | "workingdirectory" | "workingdir" => Self::Folder,
            "url" | "uri" | "href" | "link" | "endpoint" | "address" | "webhook" | "webhookurl" | "urls" => {
                Self::Address
            }
            "content" | "contents" | "filetext" | "filecontent" | "newcontent" | "text" | "data" | "body" => {
                Self::Content
            }
            _ => Self::Other,
        }
    }
}

/// Does the name say that the text is SQL?
pub(super) fn says_sql(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.contains("sql") || matches!(key.as_str(), "querystring" | "query_string")
}

/// Folders at the root of this machine: what begins with another name is a path of something else, `/v1/users`.
const ROOTS: &[&str] = &[
    "home",
    "Users",
    "root",
    "etc",
    "usr",
    "var",
    "tmp",
    "opt",
    "mnt",
    "media",
    "srv",
    "private",
    "Library",
    "Volumes",
    "Applications",
    "System",
    "dev",
    "proc",
    "sys",
    "bin",
    "sbin",
    "lib",
    "boot",
    "run",
    "workspaces",
];

/// A path whatever its name: it begins as one, or its name ends as those of paths do.
fn shaped(key: &str, text: &str) -> Field {
    if text.is_empty() || text.len() >= 4096 || text.contains(['\n', '\0']) {
        return Field::Other;
    }
    let begins = is_rooted(text) && (!text.contains(char::is_whitespace) || !is_prose(key));
    let words = split(key);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if is(&["pattern", "patterns", "glob", "regex", "exclude", "excluded", "ignore", "include", "selector"]) {
        return Field::Other;
    }
    // Words of a command are judged with the command.
    if is(&["args", "argv", "arguments", "flags"]) {
        return Field::Other;
    }
    if !begins && (!ends_as_path(&words) || text.contains("://")) {
        return Field::Other;
    }
    // Where the work goes on, not what it is done to.
    if is(&["project", "root", "workspace", "repo", "repository"]) {
        return Field::Folder;
    }
    if is(&["output", "out", "destination", "dest", "dst", "new", "save", "target", "to", "download"]) {
        Field::Target
    } else if is(&["source", "src", "old", "from", "input", "local", "upload", "attachment"]) {
        Field::Source
    } else {
        Field::Path
    }
}

/// `image_path`, `targetFile`: but `name_path` is one of symbols, and `file_id` none at all.
pub(super) fn ends_as_path(words: &[String]) -> bool {
    let ends = [
        "path",
        "paths",
        "file",
        "files",
        "filename",
        "filenames",
        "filepath",
        "dir",
        "directory",
        "directories",
        "folder",
        "folders",
    ];
    let last = words.last().is_some_and(|last| ends.contains(&last.as_str()));
    last && words.first().is_some_and(|first| first != "name" && first != "symbol")
}

fn is_rooted(text: &str) -> bool {
    if text == "~" || ["~/", "../", "./", "file:/"].iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let first = text.strip_prefix('/').and_then(|rest| rest.split('/').next());
    first.is_some_and(|first| ROOTS.contains(&first))
}

/// A path without the scheme before it.
pub(super) fn bare(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("file:") else { return text };
    let rest = rest.strip_prefix("//localhost").unwrap_or(rest);
    rest.strip_prefix("//").unwrap_or(rest)
}
