//! The expression of `find`: which files come to each of its actions.
//!
//! It is a condition with side effects, read from left to right: an action sees the files that passed what stands
//! before it, whatever follows. Only the depth holds for all of it, wherever it stands.

use crate::word::Word;

/// Tests that leave some files out, and how many words each takes.
const TESTS: &[(&str, usize)] = &[
    ("-name", 1),
    ("-iname", 1),
    ("-path", 1),
    ("-ipath", 1),
    ("-wholename", 1),
    ("-iwholename", 1),
    ("-regex", 1),
    ("-iregex", 1),
    ("-lname", 1),
    ("-ilname", 1),
    ("-mtime", 1),
    ("-mmin", 1),
    ("-atime", 1),
    ("-amin", 1),
    ("-ctime", 1),
    ("-cmin", 1),
    ("-newer", 1),
    ("-size", 1),
    ("-user", 1),
    ("-group", 1),
    ("-uid", 1),
    ("-gid", 1),
    ("-perm", 1),
    ("-inum", 1),
    ("-links", 1),
    ("-samefile", 1),
    ("-fstype", 1),
    ("-empty", 0),
    ("-nouser", 0),
    ("-nogroup", 0),
    ("-used", 1),
];

/// What else takes words: tests that leave out nothing that matters, options, and actions.
const OTHERS: &[(&str, usize)] = &[
    ("-type", 1),
    ("-xtype", 1),
    ("-maxdepth", 1),
    ("-mindepth", 1),
    ("-context", 1),
    ("-anewer", 1),
    ("-cnewer", 1),
    ("-regextype", 1),
    ("-files0-from", 1),
    ("-printf", 1),
    ("-fprint", 1),
    ("-fprint0", 1),
    ("-fls", 1),
    ("-fprintf", 2),
];

/// More ways for a file to pass are not told apart.
const MOST: usize = 16;
/// Brackets and negations further inside are read as if they were not there.
const DEEPEST: usize = 32;

/// The tests that a file has passed, all of them.
pub(super) type Passed = Vec<Word>;

/// An action with its words, and the ways in which a file may have come to it.
pub(super) struct Action {
    pub name: String,
    pub words: Vec<Word>,
    pub ways: Vec<Passed>,
}

/// The actions in their order, and the ways to pass all of it.
pub(super) struct Walk {
    pub actions: Vec<Action>,
    pub ways: Vec<Passed>,
}

pub(super) fn read(expression: &[Word]) -> Walk {
    let depth = expression.windows(2).filter(|pair| {
        pair.first().is_some_and(|word| matches!(word.shown().as_str(), "-maxdepth" | "-mindepth"))
    });
    let everywhere = depth.flatten().cloned().collect();
    let mut reader = Reader { left: expression, actions: Vec::new(), depth: 0 };
    let mut ways = vec![everywhere];
    // A bracket too many ends no more than what it stands in.
    while !reader.left.is_empty() {
        ways = reader.list(ways);
        reader.left = reader.left.get(1..).unwrap_or_default();
    }
    Walk { actions: reader.actions, ways }
}

/// Does a file that passed these have a special name or nature? To take only files, or only folders, leaves nothing out
/// that matters.
pub(super) fn narrows(passed: &[Word]) -> bool {
    const NATURES: &[&str] =
        &["-lname", "-ilname", "-empty", "-nouser", "-nogroup", "-fstype", "-prune", "-quit"];
    tests(passed).any(|(test, value)| match test.as_str() {
        "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => !is_everything(&value),
        "-regex" | "-iregex" => value != ".*",
        "-type" | "-xtype" => !value.contains(['f', 'd']),
        test => NATURES.contains(&test),
    })
}

/// May a folder be among what passed these?
pub(super) fn takes_folders(passed: &[Word]) -> bool {
    !tests(passed).any(|(test, kind)| test == "-type" && !kind.contains('d'))
}

/// Is it chosen by its age, its size, its rights or how deep it lies? Any file may be meant then.
pub(super) fn chooses(passed: &[Word]) -> bool {
    tests(passed).any(|(test, value)| match test.as_str() {
        "!" | "-executable" | "-context" | "-anewer" | "-cnewer" => true,
        "-mindepth" => !matches!(value.as_str(), "0" | "1"),
        // Nearly every file has one of these bits.
        "-perm" => !value.starts_with('/'),
        // On a machine of one person nearly every file is theirs.
        "-user" | "-uid" | "-group" | "-gid" | "-readable" | "-writable" => false,
        test => test.starts_with("-newer") || TESTS.iter().any(|(known, _)| *known == test),
    })
}

/// The words that were passed, each with the one behind it.
fn tests(passed: &[Word]) -> impl Iterator<Item = (String, String)> {
    passed
        .iter()
        .enumerate()
        .map(|(at, word)| (word.shown(), passed.get(at + 1).map(Word::shown).unwrap_or_default()))
}

/// The pattern that the whole path has to fit, seen from the folder that the walk starts from: `*` stands for any depth.
pub(super) fn below(passed: &[Word], root: &str) -> Option<String> {
    let glob = tests(passed).find_map(|(test, value)| match test.as_str() {
        "-path" | "-ipath" | "-wholename" | "-iwholename" => Some(value),
        "-regex" | "-iregex" => {
            let glob = value.replace(".*", "*").replace("\\.", ".");
            (!glob.contains(['(', '|', '[', '+', '\\', '^'])).then_some(glob)
        }
        _ => None,
    })?;
    let inside = glob.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    inside
        .or_else(|| glob.strip_prefix("*/"))
        .or_else(|| glob.starts_with('*').then_some(&*glob))
        .map(str::to_owned)
}

/// Is there a pattern of paths that says nothing that is understood here?
pub(super) fn is_riddle(passed: &[Word]) -> bool {
    tests(passed).any(|(test, _)| matches!(test.as_str(), "-regex" | "-iregex"))
        && below(passed, ".").is_none()
}

/// The pattern of names that was asked for.
pub(super) fn name(passed: &[Word]) -> Option<String> {
    let named = passed.windows(2).find_map(|pair| match pair {
        [test, name] if matches!(test.shown().as_str(), "-name" | "-iname") => Some(name.shown()),
        _ => None,
    });
    named.filter(|name| !is_everything(name))
}

/// The pattern of names or of paths that was asked for: the longest says the most.
pub(super) fn path(passed: &[Word]) -> Option<String> {
    let asked = passed.windows(2).filter_map(|pair| match pair {
        [test, path] => match test.shown().as_str() {
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => Some(path.shown()),
            "-regex" | "-iregex" => Some(path.shown().replace(".*", "*").replace("\\.", ".")),
            _ => None,
        },
        _ => None,
    });
    asked.filter(|path| !is_everything(path)).max_by_key(String::len)
}

fn is_everything(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte == b'*')
}

struct Reader<'w> {
    left: &'w [Word],
    actions: Vec<Action>,
    depth: usize,
}

impl<'w> Reader<'w> {
    fn peek(&self) -> Option<String> {
        self.left.first().map(Word::shown)
    }

    fn next(&mut self) -> Option<&'w Word> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(first)
    }

    fn take(&mut self, count: usize) -> &'w [Word] {
        let (taken, rest) = self.left.split_at(count.min(self.left.len()));
        self.left = rest;
        taken
    }

    /// `a , b`, `a -o b`: what passed the one is no condition of the other.
    fn list(&mut self, ways: Vec<Passed>) -> Vec<Passed> {
        let mut all = self.both(ways.clone());
        while self.peek().is_some_and(|word| matches!(word.as_str(), "-o" | "-or" | ",")) {
            self.next();
            all.extend(self.both(ways.clone()));
        }
        // Together they are as wide as what they have in common.
        if all.len() > MOST { ways } else { all }
    }

    /// `a b`, `a -a b`
    fn both(&mut self, mut ways: Vec<Passed>) -> Vec<Passed> {
        while let Some(word) = self.peek() {
            match word.as_str() {
                ")" | "-o" | "-or" | "," => break,
                _ => ways = self.term(ways),
            }
        }
        ways
    }

    fn term(&mut self, mut ways: Vec<Passed>) -> Vec<Passed> {
        let Some(word) = self.next() else { return ways };
        let shown = word.shown();
        match shown.as_str() {
            "-a" | "-and" => {}
            "(" | "!" | "-not" if self.depth >= DEEPEST => {}
            "(" => {
                self.depth += 1;
                ways = self.list(ways);
                self.next();
                self.depth -= 1;
            }
            "!" | "-not" => self.except(word, &mut ways),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = self.left.iter().position(|word| word.is(";") || word.is("+"));
                let words = self.take(end.unwrap_or(self.left.len())).to_vec();
                self.next();
                self.actions.push(Action { name: shown, words, ways: ways.clone() });
            }
            "-delete" | "-print" | "-print0" | "-ls" | "-printf" | "-fprint" | "-fprint0" | "-fls"
            | "-fprintf" => {
                let words = self.take(words_of(&shown)).to_vec();
                self.actions.push(Action { name: shown, words, ways: ways.clone() });
            }
            _ => {
                let value = self.take(words_of(&shown));
                for passed in &mut ways {
                    passed.push(word.clone());
                    passed.extend_from_slice(value);
                }
            }
        }
        ways
    }

    /// All but what has a certain name is nearly everything; all but what is old or large is a choice.
    fn except(&mut self, not: &Word, ways: &mut [Passed]) {
        self.depth += 1;
        let chosen = self.term(vec![Passed::new()]);
        self.depth -= 1;
        let by_name = |test: &Word| {
            let test = test.shown();
            test.ends_with("name") || test.ends_with("path") || test.ends_with("regex")
        };
        if chosen.iter().any(|passed| !passed.first().is_some_and(by_name)) {
            ways.iter_mut().for_each(|passed| passed.push(not.clone()));
        }
    }
}

fn words_of(word: &str) -> usize {
    let known = TESTS.iter().chain(OTHERS).find(|(known, _)| *known == word);
    // `-newermt`, `-neweraB`
    known.map_or(usize::from(word.starts_with("-newer")), |(_, words)| *words)
}
