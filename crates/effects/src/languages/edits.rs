//! What a plain sed script makes of known text: substitutions, lines put in, deletions, prints. Anything it does not
//! know for certain (branches, hold space) leaves the result unknown.

mod pattern;
mod reader;

use pattern::{Groups, Pattern, Search};
use reader::Reader;

/// The longest text that is edited, and the most steps that matching takes.
const LONGEST: usize = 64 * 1024;
const STEPS: usize = 1 << 20;

/// What is left of a text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Edited {
    pub text: String,
    /// Lines that were run as commands: what they print is not in the text.
    pub ran: Vec<String>,
}

/// Does an extended pattern fit anywhere in a text? `None` where that is not read for certain.
pub(crate) fn is_found(pattern: &str, text: &str) -> Option<bool> {
    let pattern = Pattern::read(pattern, true, false)?;
    let line: Vec<char> = text.chars().collect();
    let mut steps = STEPS;
    for at in 0..=line.len() {
        if pattern.matches(&mut Search { line: &line, steps: &mut steps }, at)?.is_some() {
            return Some(true);
        }
    }
    Some(false)
}

/// The text after the scripts, one after the other on every line.
pub(crate) fn edited(scripts: &[String], text: &str, extended: bool, quiet: bool) -> Option<Edited> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { rest: "", extended };
    let joined = scripts.join("\n");
    reader.rest = &joined;
    let mut commands = reader.commands(0)?;
    if !is_plain(&commands) {
        return None;
    }
    if text.is_empty() {
        return Some(Edited::default());
    }
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut editor = Editor { out: Edited::default(), steps: STEPS };
    for (at, line) in lines.iter().enumerate() {
        let mut now = Line {
            text: (*line).to_owned(),
            number: at + 1,
            last: at + 1 == lines.len(),
            behind: String::new(),
            kept: true,
            quits: false,
        };
        editor.run(&mut commands, &mut now)?;
        if now.kept && !quiet {
            editor.out.text.push_str(&format!("{}\n", now.text));
        }
        editor.out.text.push_str(&now.behind);
        if now.quits || editor.out.text.len() > 4 * LONGEST {
            break;
        }
    }
    Some(editor.out)
}

/// How lines are picked by a pattern, as `grep` does.
#[derive(Clone, Copy)]
pub(crate) struct Fits {
    pub extended: bool,
    pub folds: bool,
    pub inverted: bool,
}

impl Fits {
    /// The lines of a text that are picked; `None` where that cannot be told.
    pub(crate) fn lines(self, pattern: &str, text: &str) -> Option<String> {
        if pattern.is_empty() || pattern.contains(['|', '\n', '\u{1}']) {
            return None;
        }
        let flag = if self.folds { "I" } else { "" };
        let drops = if self.inverted { "d" } else { "!d" };
        let script = format!("\\\u{1}{pattern}\u{1}{flag}{drops}");
        edited(&[script], text, self.extended, false).map(|edited| edited.text)
    }
}

/// A pattern that fits a text itself.
pub(crate) fn quoted(text: &str, extended: bool) -> String {
    let signs = if extended { ".[]*^$\\+?(){}" } else { ".[]*^$\\" };
    text.chars().flat_map(|c| signs.contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Texts that a script puts into a file, each a line or more: those of `a`, `i` and `c`, and replacements of several
/// words. For a file whose text is not known, or a script that is not followed.
pub(crate) fn added(scripts: &[String]) -> Vec<String> {
    let joined = scripts.join("\n");
    let Some(commands) = (Reader { rest: &joined, extended: false }).commands(0) else { return Vec::new() };
    let mut texts = Vec::new();
    gather(&commands, &mut texts);
    texts
}

/// Is every command one that is followed?
fn is_plain(commands: &[Command]) -> bool {
    commands.iter().all(|command| match &command.edit {
        Edit::Other => false,
        Edit::Block(inner) => is_plain(inner),
        _ => true,
    })
}

fn gather(commands: &[Command], texts: &mut Vec<String>) {
    for command in commands {
        match &command.edit {
            Edit::Block(inner) => gather(inner, texts),
            Edit::Append(text) | Edit::Insert(text) | Edit::Change(text) => texts.push(text.clone()),
            Edit::Substitute(change) if change.new.contains(' ') && !change.new.contains(['&', '\\']) => {
                texts.push(format!("{}\n", change.new));
            }
            _ => {}
        }
    }
}

/// The line that a script is at.
struct Line {
    text: String,
    number: usize,
    last: bool,
    /// What is printed behind it.
    behind: String,
    kept: bool,
    quits: bool,
}

struct Editor {
    out: Edited,
    steps: usize,
}

struct Command {
    from: Option<Address>,
    to: Option<Address>,
    not: bool,
    /// Within a range, and with which line it began.
    since: Option<usize>,
    edit: Edit,
}

/// A line that a command is for.
enum Address {
    Line(usize),
    Further(usize),
    Last,
    Fits(Pattern),
}

enum Edit {
    Delete,
    Print,
    Nothing,
    /// What is not followed: the hold space, branches, files.
    Other,
    Quit(bool),
    Run,
    Append(String),
    Insert(String),
    Change(String),
    Letters(Vec<char>, Vec<char>),
    Substitute(Change),
    Block(Vec<Command>),
}

struct Change {
    pattern: Pattern,
    new: String,
    all: bool,
    first: usize,
    prints: bool,
    runs: bool,
}

impl Editor {
    /// Runs the commands on a line.
    fn run(&mut self, commands: &mut [Command], line: &mut Line) -> Option<()> {
        for command in commands {
            if !line.kept || line.quits {
                break;
            }
            if !self.is_for(command, line)? {
                continue;
            }
            match &mut command.edit {
                Edit::Delete => line.kept = false,
                Edit::Print => self.out.text.push_str(&format!("{}\n", line.text)),
                Edit::Nothing => {}
                Edit::Other => return None,
                Edit::Quit(shows) => (line.quits, line.kept) = (true, *shows),
                Edit::Run => {
                    self.out.ran.push(std::mem::take(&mut line.text));
                }
                Edit::Append(text) => line.behind.push_str(text),
                Edit::Insert(text) => self.out.text.push_str(text),
                Edit::Change(text) => {
                    line.kept = false;
                    // Of a range only one text is left.
                    if command.since.is_none() || command.to.is_none() {
                        self.out.text.push_str(text);
                    }
                }
                Edit::Letters(from, to) => {
                    let other = |c: char| from.iter().position(|known| *known == c).and_then(|at| to.get(at));
                    line.text = line.text.chars().map(|c| other(c).copied().unwrap_or(c)).collect();
                }
                Edit::Substitute(change) => self.substitute(change, line)?,
                Edit::Block(inner) => self.run(inner, line)?,
            }
        }
        Some(())
    }

    fn is_for(&mut self, command: &mut Command, line: &Line) -> Option<bool> {
        let Some(from) = &command.from else { return Some(!command.not) };
        let Some(to) = &command.to else { return Some(self.fits(from, line)? != command.not) };
        let (inside, ends) = match command.since {
            Some(since) => (true, self.ends(to, since, line)?),
            None => {
                let begins = self.fits(from, line)?;
                // A number that is passed already makes a range of one line.
                let short = matches!(to, Address::Line(number) if *number <= line.number)
                    || matches!(to, Address::Further(0));
                (begins, !begins || short)
            }
        };
        command.since = match ends {
            true => None,
            false => Some(command.since.unwrap_or(line.number)),
        };
        Some(inside != command.not)
    }

    fn ends(&mut self, to: &Address, since: usize, line: &Line) -> Option<bool> {
        match to {
            Address::Line(number) => Some(line.number >= *number),
            Address::Further(more) => Some(line.number >= since + more),
            other => self.fits(other, line),
        }
    }

    fn fits(&mut self, address: &Address, line: &Line) -> Option<bool> {
        match address {
            Address::Line(number) => Some(*number == line.number),
            Address::Further(_) => None,
            Address::Last => Some(line.last),
            Address::Fits(pattern) => {
                let characters: Vec<char> = line.text.chars().collect();
                let mut search = Search { line: &characters, steps: &mut self.steps };
                for at in 0..=characters.len() {
                    if pattern.matches(&mut search, at)?.is_some() {
                        return Some(true);
                    }
                }
                Some(false)
            }
        }
    }

    fn substitute(&mut self, change: &Change, line: &mut Line) -> Option<()> {
        let characters: Vec<char> = line.text.chars().collect();
        let mut search = Search { line: &characters, steps: &mut self.steps };
        let (mut at, mut count, mut out) = (0, 0, String::new());
        let mut changed = false;
        let mut barred = None;
        while at <= characters.len() {
            let open = !changed || change.all;
            let found = if open { change.pattern.matches(&mut search, at)? } else { None };
            // What ends where the last one did and is empty is none.
            let found = found.filter(|(end, _)| *end > at || barred != Some(at));
            if let Some((end, groups)) = found {
                count += 1;
                if count >= change.first && (!changed || change.all) {
                    out.push_str(&filled(&change.new, &characters, (at, end), &groups)?);
                    changed = true;
                } else {
                    out.extend(characters.get(at..end)?);
                }
                barred = Some(end);
                if end > at {
                    at = end;
                    continue;
                }
            }
            out.extend(characters.get(at));
            at += 1;
        }
        if changed {
            line.text = out;
            if change.runs {
                self.out.ran.push(std::mem::take(&mut line.text));
            }
            if change.prints {
                self.out.text.push_str(&format!("{}\n", line.text));
            }
        }
        Some(())
    }
}

/// The replacement, with `&` for what was found and numbers for its groups.
fn filled(new: &str, line: &[char], found: (usize, usize), groups: &Groups) -> Option<String> {
    let mut out = String::new();
    let mut characters = new.chars();
    while let Some(c) = characters.next() {
        match c {
            '&' => out.extend(line.get(found.0..found.1)?),
            '\\' => match characters.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                '0' => out.extend(line.get(found.0..found.1)?),
                digit @ '1'..='9' => {
                    let group = groups.get(usize::try_from(digit.to_digit(10)?).ok()?)?;
                    if let Some((from, to)) = group {
                        out.extend(line.get(*from..*to)?);
                    }
                }
                other if other.is_alphanumeric() => return None,
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scripts_are_followed() {
        for (script, text, expected) in [
            ("s/^@@//", "@@ls\n", Some("ls\n")),
            ("s/a/b/g; s,x,/,", "aax\n", Some("bb/\n")),
            ("s/[0-9]*$//", "rm12\n", Some("rm\n")),
            ("s/l.*s/&&/", "a ls b\n", Some("a lsls b\n")),
            ("y/abc/xyz/", "cab\n", Some("zxy\n")),
            ("1d;$p", "a\nb\n", Some("b\nb\n")),
            ("s/x*/-/", "ab\n", Some("-ab\n")),
            ("s/x*/-/g", "abxc\n", Some("-a-b-c-\n")),
            ("s/\\(a\\)\\(b\\)/\\2\\1/", "ab\n", Some("ba\n")),
            ("/a/d", "a\nb\n", Some("b\n")),
            ("/a/,/c/d", "x\na\nb\nc\ny\n", Some("x\ny\n")),
            ("2,+1s/^/# /", "a\nb\nc\nd\n", Some("a\n# b\n# c\nd\n")),
            ("$a end", "a\n", Some("a\nend\n")),
            ("1i\\\n  top", "a\n", Some("  top\na\n")),
            ("/b/c new", "a\nb\n", Some("a\nnew\n")),
            ("/b/{s/b/c/;p}", "b\n", Some("c\nc\n")),
            ("1!d", "a\nb\n", Some("a\n")),
            ("s/a/b/2", "aaa\n", Some("aba\n")),
            ("s/A/b/I", "a\n", Some("b\n")),
            ("s/[[:space:]]\\+$//", "a  \n", Some("a\n")),
            ("s/\\<b\\>/c/", "ab b\n", Some("ab c\n")),
            ("s/[/]/x/", "a/b\n", Some("axb\n")),
            ("2q", "a\nb\nc\n", Some("a\nb\n")),
            ("h;G", "a\n", None),
            ("s/a\\|b/c/", "a\n", None),
            (":a;s/x//;ta", "x\n", None),
        ] {
            let made = edited(&[script.to_owned()], text, false, false).map(|edited| edited.text);
            assert_eq!(made.as_deref(), expected, "{script}");
        }
        let made = edited(&["s/(a+)(,b)?/<\\1>/g".to_owned()], "aa,b a\n", true, false);
        assert_eq!(made.map(|made| made.text).as_deref(), Some("<aa> <a>\n"));
    }

    #[test]
    fn lines_that_are_run_are_told() {
        let made = edited(&["s/^/ls /e".to_owned()], "a\nb\n", false, false);
        assert_eq!(made.map(|made| made.ran), Some(vec!["ls a".to_owned(), "ls b".to_owned()]));
        assert_eq!(added(&["$a rm x".to_owned(), "s/a/b c/".to_owned()]), ["rm x\n", "b c\n"]);
    }

    #[test]
    fn hard_patterns_end() {
        let text = format!("{}b\n", "a".repeat(400));
        let made = edited(&["s/\\(a*\\)*\\(a*\\)*c/x/".to_owned()], &text, false, false);
        assert!(made.is_none_or(|made| made.text == text));
    }
}
