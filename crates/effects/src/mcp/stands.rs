//! Tools that stand for a command under a name of their own: what they would do is what the command does.

use tollgate_model::json::{self, Value};

use super::Given;
use super::fields::{Field, bare};
use super::files::is_path;
use super::lines::dashed;
use super::names::{Tool, Verb};

/// The command that the call stands for.
pub(super) fn command(tool: &Tool, input: &Value, texts: &[Given]) -> Option<Vec<String>> {
    let said = Said { tool, input };
    said.machine()
        .or_else(|| said.engine())
        .or_else(|| said.cloud())
        .or_else(|| said.forge())
        .or_else(|| said.packages())
        .or_else(|| said.program())
        .or_else(|| unpacked(tool, texts))
}

/// How operations of a cloud begin that change something.
const CHANGES: &[&str] = &[
    "create",
    "attach",
    "detach",
    "put",
    "update",
    "modify",
    "add",
    "remove",
    "delete",
    "terminate",
    "empty",
    "disable",
    "deactivate",
    "authorize",
    "revoke",
    "deregister",
    "release",
    "purge",
    "stop",
];

/// Programs that tools are named after, or servers.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("git", &["git"]),
    ("terraform", &["terraform", "tf", "opentofu", "tofu"]),
    ("kubectl", &["kubectl", "k8s", "kubernetes"]),
    ("helm", &["helm"]),
    ("docker", &["docker", "podman"]),
    ("aws", &["aws"]),
    ("gcloud", &["gcloud"]),
    ("az", &["az", "azure"]),
    ("gh", &["gh"]),
];

/// A call, with what it says.
struct Said<'v> {
    tool: &'v Tool,
    input: &'v Value,
}

impl<'v> Said<'v> {
    fn own(&self) -> impl Iterator<Item = &'v str> {
        self.tool.words.iter().skip(self.tool.server_words).map(String::as_str)
    }

    /// Is one of the words in the tool's own name?
    fn says(&self, words: &[&str]) -> bool {
        self.own().any(|own| words.contains(&own))
    }

    /// Is one of the words in the tool's name or its server's?
    fn any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.tool.has(word))
    }

    fn text(&self, keys: &[&str]) -> Option<&'v str> {
        keys.iter().find_map(|key| self.input.text(key))
    }

    fn is_on(&self, key: &str) -> bool {
        matches!(self.input.get(key), Some(Value::Bool(true)))
    }

    /// Processes, power, variables, rights of files, and the commands of an editor.
    fn machine(&self) -> Option<Vec<String>> {
        let here = ["system", "computer", "machine", "os", "host", "desktop", "power"];
        if self.says(&["kill"]) && !self.tool.is_remote {
            let pid = ["pid", "process_id", "processId"].iter().find_map(|key| self.input.get(key));
            let name = self.text(&["name", "process_name", "processName"]);
            return match (pid, name) {
                (Some(Value::Number(pid) | Value::String(pid)), _) => {
                    let signal = self.text(&["signal"]).unwrap_or("TERM");
                    Some(words(&["kill", &format!("-{}", signal.trim_start_matches('-')), pid]))
                }
                (None, Some(name)) => Some(words(&["pkill", name])),
                _ => None,
            };
        }
        if self.says(&["shutdown", "reboot", "poweroff"]) && self.any(&here) && !self.tool.is_remote {
            return Some(words(&["shutdown", "now"]));
        }
        if self.says(&["env", "environ", "environment", "getenv", "variable"])
            && self.any(&["env", "environ", "environment", "getenv"])
            && self.says(&["get", "read", "print", "show", "getenv"])
            && let Some(name) = self.text(&["name", "variable", "key", "var", "variable_name"])
        {
            return Some(words(&["printenv", name]));
        }
        let rights = self.says(&["chmod"])
            || self.says(&["permission", "permissions"]) && self.says(&["change", "set", "update", "modify"]);
        let place = self.text(&["path", "file", "file_path", "filePath", "directory"]);
        if let (true, Some(mode), Some(place)) = (rights && !self.tool.is_remote, self.text(&["mode"]), place)
        {
            let mut line = words(&["chmod"]);
            line.extend(self.is_on("recursive").then(|| "-R".to_owned()));
            line.extend(words(&[mode, place]));
            return Some(line);
        }
        let line = self.text(&["command", "cmd"])?;
        (self.any(&["vim", "nvim", "neovim"]) && !self.says(&["shell", "bash"]))
            .then(|| words(&["vim", "-c", line]))
    }

    /// What an engine of containers clears away, and what a store in memory is told.
    fn engine(&self) -> Option<Vec<String>> {
        if self.any(&["docker", "podman"]) && self.says(&["prune"]) {
            let kinds = ["volume", "system", "image", "container", "network", "builder"];
            let kind = kinds.iter().find(|kind| self.own().any(|own| own.trim_end_matches('s') == **kind))?;
            let mut line = words(&["docker", kind, "prune", "-f"]);
            let switches = ["volumes", "all"].iter().filter(|key| self.is_on(key));
            line.extend(switches.map(|key| format!("--{key}")));
            return Some(line);
        }
        let args = self.input.get("args").and_then(Value::as_list)?;
        let is_store = self.any(&["redis", "valkey", "keydb"]) && self.tool.verb == Verb::Run;
        (is_store && self.input.get("command").is_none()).then(|| {
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            words(&["redis-cli"]).into_iter().chain(args).collect()
        })
    }

    /// A program by its name or its server's, with its arguments as a list: `git_reset ["--hard"]`.
    fn program(&self) -> Option<Vec<String>> {
        let args =
            ["args", "arguments", "argv", "flags"].iter().find_map(|key| self.input.get(key)?.as_list())?;
        let (program, names) = PROGRAMS.iter().find(|(_, names)| self.any(names))?;
        let empty = ["run", "exec", "execute", "command", "commands", "cli", "call", "invoke", "tool"];
        let verbs = self.own().filter(|own| !names.contains(own) && !empty.contains(own)).map(str::to_owned);
        let args: Vec<String> = args.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let known =
            ["command", "cmd", "program", "executable"].iter().any(|key| self.input.get(key).is_some());
        (!args.is_empty() && !known).then(|| words(&[program]).into_iter().chain(verbs).chain(args).collect())
    }

    /// Operations of clouds by the names of their interfaces: `attach_role_policy`, `group_delete`.
    fn cloud(&self) -> Option<Vec<String>> {
        let destroys = ["pulumi", "tofu", "opentofu", "terragrunt", "cdk", "cdktf", "sst"];
        if let Some(program) = destroys.iter().find(|program| self.tool.has(program))
            && self.says(&["destroy"])
        {
            return Some(words(&[program, "destroy"]));
        }
        if self.any(&["helm", "chart", "release"]) && self.says(&["uninstall"]) {
            return Some(words(&["helm", "uninstall", self.text(&["name", "release", "release_name"])?]));
        }
        let given = ["command", "cli_command", "args"].iter().any(|key| self.input.get(key).is_some());
        if self.any(&["azure", "az"]) && self.tool.verb == Verb::Delete && !given {
            let own = self.own().filter(|word| !matches!(*word, "azure" | "az"));
            let line = words(&["az"]).into_iter().chain(own.map(str::to_owned));
            return Some(line.chain(self.options()).collect());
        }
        let own = self.own().filter(|word| !matches!(*word, "aws" | "iam" | "s3" | "ec2"));
        let operation: Vec<&str> = own.collect();
        let changes = operation.first().is_some_and(|verb| CHANGES.contains(verb));
        if !self.tool.has("aws") || !changes || given {
            return None;
        }
        if operation.first() == Some(&"empty") {
            let bucket = self.text(&["bucket", "Bucket", "bucket_name", "name"])?;
            return Some(words(&["aws", "s3", "rm", &format!("s3://{bucket}"), "--recursive"]));
        }
        let has = |parts: &[&str]| operation.iter().any(|word| parts.contains(word));
        let puts = operation.first() == Some(&"put") && !has(&["policy", "acl", "block"]);
        if operation.len() < 2 || puts {
            return None;
        }
        let service = if has(&["bucket", "object", "objects"]) {
            "s3api"
        } else if has(&["role", "user", "access", "policy", "login", "mfa"]) {
            "iam"
        } else {
            "ec2"
        };
        let line = words(&["aws", service, &operation.join("-")]);
        Some(line.into_iter().chain(self.options()).collect())
    }

    /// Arguments as options with values.
    fn options(&self) -> Vec<String> {
        let mut line = Vec::new();
        for (key, value) in self.input.as_map().unwrap_or_default() {
            line.push(format!("--{}", dashed(key).trim_start_matches('-')));
            match value {
                Value::Bool(true) => {}
                Value::Bool(false) | Value::Null => drop(line.pop()),
                Value::String(text) | Value::Number(text) => line.push(text.clone()),
                Value::List(items) if items.iter().all(|item| item.as_str().is_some()) => {
                    line.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                other => {
                    let mut text = String::new();
                    json::write(other, &mut text);
                    line.push(text);
                }
            }
        }
        line
    }

    /// Rights and histories at a forge.
    fn forge(&self) -> Option<Vec<String>> {
        if !self.any(&["github", "gitlab", "gitea", "forgejo", "bitbucket"]) {
            return None;
        }
        let repo = format!("repos/{}/{}", self.text(&["owner"])?, self.text(&["repo"])?);
        if self.says(&["collaborator", "collaborators"]) && self.says(&["add", "invite", "create", "update"])
        {
            let name = self.text(&["username", "user", "collaborator", "login"])?;
            let right = format!("permission={}", self.text(&["permission", "role"]).unwrap_or("push"));
            let path = format!("{repo}/collaborators/{name}");
            return Some(words(&["gh", "api", &path, "-X", "PUT", "-f", &right]));
        }
        if self.says(&["deploy"]) && self.says(&["key"]) && self.says(&["add", "create"]) {
            return Some(words(&["gh", "repo", "deploy-key", "add", "key.pub"]));
        }
        if self.says(&["transfer"]) && self.says(&["repository", "repo"]) {
            let to = format!("new_owner={}", self.text(&["new_owner", "newOwner"])?);
            return Some(words(&["gh", "api", &format!("{repo}/transfer"), "-X", "POST", "-f", &to]));
        }
        let path = format!("{repo}/git/refs/{}", self.text(&["ref"])?.trim_start_matches("refs/"));
        (self.says(&["ref", "reference"]) && self.says(&["update"]) && self.is_on("force"))
            .then(|| words(&["gh", "api", "-X", "PATCH", &path, "-F", "force=true"]))
    }

    /// What a manager of packages is to install.
    fn packages(&self) -> Option<Vec<String>> {
        let managers = ["npm", "pnpm", "yarn", "bun", "pip", "pipx", "uv", "cargo", "gem", "brew", "conda"];
        let manager = managers.iter().find(|manager| self.tool.has(manager))?;
        if !self.says(&["install", "add"]) || self.input.get("command").is_some() {
            return None;
        }
        let verb = if self.says(&["install"]) { "install" } else { "add" };
        let mut line = words(&[manager, verb]);
        for key in ["packages", "package", "package_name", "packageName", "name", "spec", "specs", "module"] {
            match self.input.get(key) {
                Some(Value::String(text)) => line.extend(text.split_whitespace().map(str::to_owned)),
                Some(Value::List(items)) => {
                    line.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
        for (key, option) in [("registry", "--registry"), ("index_url", "--index-url")] {
            line.extend(self.input.text(key).into_iter().flat_map(|text| words(&[option, text])));
        }
        Some(line)
    }
}

/// An archive that is laid out in a folder.
fn unpacked(tool: &Tool, texts: &[Given]) -> Option<Vec<String>> {
    let unpacks = ["extract", "unzip", "untar", "unpack", "decompress"];
    if !tool.words.iter().skip(tool.server_words).any(|word| unpacks.contains(&word.as_str()))
        || tool.is_remote
    {
        return None;
    }
    let ends = [".tar", ".zip", ".gz", ".tgz", ".xz", ".bz2", ".zst", ".7z", ".rar", ".jar", ".whl"];
    let is_archive = |given: &&Given| ends.iter().any(|end| given.text.ends_with(end));
    let archive = texts.iter().find(is_archive)?;
    let mut places = texts.iter().filter(|given| is_path(given) && !is_archive(given));
    let place = places.clone().find(|given| given.field == Field::Target).or_else(|| places.next())?;
    Some(words(&["tar", "-xf", bare(archive.text), "-C", bare(place.text)]))
}

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|word| (*word).to_owned()).collect()
}
