//! Git's configuration files.

use super::{FILE_LIMIT, absolute};
use crate::World;

/// The most files that one configuration may include.
const INCLUDES: usize = 16;

/// Keys and values in the order they were read. A key is `section.subsection.name`, section and name in
/// lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    entries: Vec<(String, String)>,
    files: usize,
}

impl Config {
    /// What the machine and the user say for every repository.
    #[must_use]
    pub fn of_user(world: &dyn World) -> Self {
        let mut config = Self::default();
        config.read("/etc/gitconfig", world);
        config.read(&format!("{}/.config/git/config", world.home()), world);
        config.read(&format!("{}/.gitconfig", world.home()), world);
        config
    }

    /// Adds a key, as `-c name=value` does. A name without `=` means true.
    pub fn add(&mut self, key: &str, value: &str) {
        self.entries.push((canonical(key), value.to_owned()));
    }

    /// Adds what stands in a text.
    pub fn parse(&mut self, text: &str) {
        Parser { rest: text, section: String::new() }.run(self);
    }

    /// Adds a file, and the files it includes. A condition on an include is taken to hold.
    pub fn read(&mut self, path: &str, world: &dyn World) {
        self.files += 1;
        let Some(bytes) = world.read(path, FILE_LIMIT).filter(|_| self.files <= INCLUDES) else { return };
        let mut own = Self::default();
        own.parse(&String::from_utf8_lossy(&bytes));
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (key, value) in own.entries {
            let included = key == "include.path" || key.starts_with("includeif.") && key.ends_with(".path");
            if included {
                self.read(&included_path(&value, folder, world), world);
            }
            self.entries.push((key, value));
        }
    }

    /// The value that holds: the last one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let key = canonical(key);
        self.entries.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    /// Every key with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Every subsection of a section that has this name: the remotes, by `("remote", "url")`.
    pub fn named<'a>(&'a self, section: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.iter().filter_map(move |(key, value)| {
            let rest = key.strip_prefix(section)?.strip_prefix('.')?;
            Some((rest.strip_suffix(name)?.strip_suffix('.')?, value))
        })
    }
}

/// Section and name in lower case; the subsection between them stays as it is.
fn canonical(key: &str) -> String {
    let Some((section, rest)) = key.split_once('.') else { return key.to_ascii_lowercase() };
    match rest.rsplit_once('.') {
        Some((sub, name)) => format!("{}.{sub}.{}", section.to_ascii_lowercase(), name.to_ascii_lowercase()),
        None => format!("{}.{}", section.to_ascii_lowercase(), rest.to_ascii_lowercase()),
    }
}

fn included_path(path: &str, folder: &str, world: &dyn World) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", world.home()),
        None => absolute(path, folder),
    }
}

struct Parser<'t> {
    rest: &'t str,
    section: String,
}

impl Parser<'_> {
    fn run(mut self, config: &mut Config) {
        while !self.rest.is_empty() {
            self.skip(|c| c.is_whitespace() || c == '\u{feff}');
            match self.rest.chars().next() {
                Some('[') => self.header(),
                Some('#' | ';') => self.skip(|c| c != '\n'),
                Some(_) => self.entry(config),
                None => {}
            }
        }
    }

    /// `[section]`, `[section "subsection"]`, `[section.subsection]`.
    fn header(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
        let name = self.take(|c| c != ']' && c != '"' && c != '\n');
        self.section = name.trim().to_ascii_lowercase();
        if self.rest.starts_with('"') {
            self.rest = self.rest.get(1..).unwrap_or_default();
            let sub = self.subsection();
            self.section = format!("{}.{sub}", self.section);
        }
        self.skip(|c| c != ']' && c != '\n');
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    fn subsection(&mut self) -> String {
        let mut sub = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' | '\n' => {
                    self.rest = self.rest.get(at + usize::from(c == '"')..).unwrap_or_default();
                    return sub;
                }
                '\\' => sub.extend(chars.next().map(|(_, escaped)| escaped)),
                other => sub.push(other),
            }
        }
        self.rest = "";
        sub
    }

    fn entry(&mut self, config: &mut Config) {
        let name = self.take(|c| c.is_ascii_alphanumeric() || c == '-').to_ascii_lowercase();
        if name.is_empty() {
            // Not a configuration; what is left of the line cannot be read.
            self.skip(|c| c != '\n');
            return;
        }
        self.skip(|c| c == ' ' || c == '\t');
        let value = if let Some(rest) = self.rest.strip_prefix('=') {
            self.rest = rest;
            self.value()
        } else {
            "true".to_owned()
        };
        config.entries.push((format!("{}.{name}", self.section), value));
    }

    fn value(&mut self) -> String {
        self.skip(|c| c == ' ' || c == '\t');
        let (mut value, mut quoted, mut kept) = (String::new(), false, 0);
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\n' => {
                    end = at;
                    break;
                }
                '#' | ';' if !quoted => {
                    end = at;
                    break;
                }
                '"' => quoted = !quoted,
                '\\' => {
                    if let Some(c) = unescaped(chars.next().map(|(_, c)| c)) {
                        value.push(c);
                    }
                }
                '\r' => {}
                other => value.push(other),
            }
            if quoted || !value.ends_with([' ', '\t']) {
                kept = value.len();
            }
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        self.skip(|c| c != '\n');
        value.truncate(kept);
        value
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.take(wanted);
    }
}

/// What a backslash and this character stand for; a newline goes on with the next line.
fn unescaped(c: Option<char>) -> Option<char> {
    match c? {
        'n' => Some('\n'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        '\n' => None,
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StillFile, StillWorld};

    fn check(text: &str, expected: &[(&str, &str)]) {
        let mut config = Config::default();
        config.parse(text);
        assert_eq!(config.iter().collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn reads_what_git_reads() {
        check("[core]\n\tbare = false\n", &[("core.bare", "false")]);
        check("[Core] Bare\n", &[("core.bare", "true")]);
        check("[remote \"My Origin\"] URL = x", &[("remote.My Origin.url", "x")]);
        check("[a \"b\\\"c\\\\d\"]\nk=v", &[("a.b\"c\\d.k", "v")]);
        check("[branch.Main]\nmerge=x", &[("branch.main.merge", "x")]);
        check("# c\n; c\n[a]\nk = v # c\nl = \"v # no\" ; c\n", &[("a.k", "v"), ("a.l", "v # no")]);
        check("[alias]\nx = \"!f() { echo \\\"$1\\\"; }; f\"\n", &[("alias.x", "!f() { echo \"$1\"; }; f")]);
        check("[a]\nk = one \\\n two  \n", &[("a.k", "one  two")]);
        check("[a]\nk =\n[b]k=\\t\\n\n", &[("a.k", ""), ("b.k", "\t\n")]);
        check("[a]\r\nk = v\r\n", &[("a.k", "v")]);
        check("\u{0}\u{1}[", &[]);
        check("[a", &[]);
    }

    #[test]
    fn the_last_value_holds_and_names_are_found() {
        let mut config = Config::default();
        config.parse("[a]k=1\n[remote \"x\"]url=u\n[remote \"y\"]\nurl=v\nfetch=f\n");
        config.add("A.K", "2");
        assert_eq!(config.get("a.k"), Some("2"));
        assert_eq!(config.named("remote", "url").collect::<Vec<_>>(), [("x", "u"), ("y", "v")]);
    }

    #[test]
    fn includes_are_followed_and_bounded() {
        let file = |text: &str| StillFile::File(text.as_bytes().to_vec());
        let files = [
            (
                "/h/.gitconfig".to_owned(),
                file("[include]\npath = more\n[includeIf \"onbranch:x\"]\npath=~/loop\n"),
            ),
            ("/h/more".to_owned(), file("[alias]\nco = checkout\n")),
            ("/h/loop".to_owned(), file("[include]\npath = loop\n[a]\nk=v\n")),
        ];
        let world = StillWorld { home: "/h".into(), files: files.into(), ..StillWorld::default() };
        let config = Config::of_user(&world);
        assert_eq!((config.get("alias.co"), config.get("a.k")), (Some("checkout"), Some("v")));
    }
}
