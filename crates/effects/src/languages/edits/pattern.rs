//! Regular expressions as sed reads them, without alternatives. What is not read for certain is not read at all.

use std::iter::Peekable;
use std::str::Chars;

/// How deep groups that repeat are followed.
const DEEP: usize = 48;

/// Where each group was found.
pub(super) type Groups = [Option<(usize, usize)>; 10];

/// A pattern.
pub(super) struct Pattern {
    nodes: Vec<Node>,
    fold: bool,
}

struct Node {
    kind: Kind,
    least: usize,
    most: usize,
}

enum Kind {
    One(Set),
    Start,
    End,
    /// The edge of a word: at its start, its end, or either.
    Edge(bool, bool),
    Group(usize, Vec<Node>),
    Back(usize),
}

enum Set {
    One(char),
    Any,
    Of(Vec<(char, char)>, bool),
}

/// What a match needs to know.
pub(super) struct Search<'s> {
    pub line: &'s [char],
    pub steps: &'s mut usize,
}

impl Pattern {
    pub(super) fn read(text: &str, extended: bool, fold: bool) -> Option<Self> {
        let mut groups = 0;
        let mut characters = text.chars().peekable();
        let nodes = nodes(&mut characters, extended, &mut groups, 0)?;
        characters.next().is_none().then_some(Self { nodes, fold })
    }

    /// Where a match that starts here ends, and where its groups are. `None` when it takes too long to tell.
    #[expect(clippy::option_option, reason = "no match is an answer, no answer is none")]
    pub(super) fn matches(&self, search: &mut Search, at: usize) -> Option<Option<(usize, Groups)>> {
        let mut groups: Groups = [None; 10];
        let mut found = None;
        let mut end = |at: usize, groups: &mut Groups, _: &mut Search| {
            found = Some((at, *groups));
            Some(true)
        };
        self.sequence(&self.nodes, search, at, &mut groups, 0, &mut end)?;
        Some(found)
    }

    fn sequence(
        &self,
        nodes: &[Node],
        search: &mut Search,
        at: usize,
        groups: &mut Groups,
        deep: usize,
        then: &mut Then,
    ) -> Option<bool> {
        *search.steps = search.steps.checked_sub(1)?;
        let Some((node, rest)) = nodes.split_first() else { return then(at, groups, search) };
        match &node.kind {
            Kind::One(set) => {
                let line = search.line.get(at..).unwrap_or_default();
                let mut taken = line.iter().take(node.most).take_while(|c| set.holds(**c, self.fold)).count();
                while taken >= node.least {
                    if self.sequence(rest, search, at + taken, groups, deep, then)? {
                        return Some(true);
                    }
                    match taken.checked_sub(1) {
                        Some(less) => taken = less,
                        None => break,
                    }
                }
                Some(false)
            }
            Kind::Start | Kind::End | Kind::Edge(..) => match node.kind.holds(search.line, at) {
                true => self.sequence(rest, search, at, groups, deep, then),
                false => Some(false),
            },
            Kind::Back(number) => {
                let (from, to) = groups.get(*number).copied().flatten()?;
                let old = search.line.get(from..to)?;
                match search.line.get(at..).unwrap_or_default().starts_with(old) {
                    true => self.sequence(rest, search, at + old.len(), groups, deep, then),
                    false => Some(false),
                }
            }
            Kind::Group(..) => self.group(node, rest, search, at, groups, deep, 0, then),
        }
    }

    /// The group once more, and then what follows it.
    #[expect(clippy::too_many_arguments, reason = "one step of a search")]
    fn group(
        &self,
        node: &Node,
        rest: &[Node],
        search: &mut Search,
        at: usize,
        groups: &mut Groups,
        deep: usize,
        times: usize,
        then: &mut Then,
    ) -> Option<bool> {
        let Kind::Group(number, inner) = &node.kind else { return None };
        if deep > DEEP {
            return None;
        }
        if times < node.most {
            let before = *groups;
            let mut again = |end: usize, groups: &mut Groups, search: &mut Search| {
                if end == at && times >= node.least {
                    return Some(false);
                }
                let outer = groups.get(*number).copied().flatten();
                if let Some(group) = groups.get_mut(*number) {
                    *group = Some((at, end));
                }
                let found = self.group(node, rest, search, end, groups, deep + 1, times + 1, then)?;
                if !found && let Some(group) = groups.get_mut(*number) {
                    *group = outer;
                }
                Some(found)
            };
            if self.sequence(inner, search, at, groups, deep + 1, &mut again)? {
                return Some(true);
            }
            *groups = before;
        }
        if times < node.least { Some(false) } else { self.sequence(rest, search, at, groups, deep, then) }
    }
}

type Then<'t> = dyn FnMut(usize, &mut Groups, &mut Search) -> Option<bool> + 't;

impl Kind {
    /// Does it hold here, for what takes no character?
    fn holds(&self, line: &[char], at: usize) -> bool {
        let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let before = word(at.checked_sub(1).and_then(|at| line.get(at)));
        let after = word(line.get(at));
        match self {
            Self::Start => at == 0,
            Self::End => at == line.len(),
            Self::Edge(start, end) => *start && !before && after || *end && before && !after,
            _ => false,
        }
    }
}

fn nodes(
    characters: &mut Peekable<Chars>,
    extended: bool,
    groups: &mut usize,
    deep: usize,
) -> Option<Vec<Node>> {
    let mut found: Vec<Node> = Vec::new();
    if deep > 8 {
        return None;
    }
    while let Some(c) = characters.next() {
        let first = found.is_empty() || matches!(found.last(), Some(Node { kind: Kind::Start, .. }));
        let escaped = c == '\\';
        let c = if escaped { characters.next()? } else { c };
        let special = escaped != extended;
        let kind = match c {
            '(' if special => {
                *groups += 1;
                let number = *groups;
                Kind::Group(number, nodes(characters, extended, groups, deep + 1)?)
            }
            ')' if special => return (deep > 0).then_some(found),
            '|' | '{' | '+' | '?' if special => return None,
            _ if escaped => escape(c)?,
            '^' if found.is_empty() || extended => Kind::Start,
            '$' if ends(characters, extended) => Kind::End,
            '.' => Kind::One(Set::Any),
            '[' => Kind::One(class(characters)?),
            '*' if first && !extended => Kind::One(Set::One('*')),
            other => Kind::One(Set::One(other)),
        };
        let (least, most) = times(characters, extended)?;
        let fixed = !matches!(kind, Kind::One(_) | Kind::Group(..));
        if fixed && (least, most) != (1, 1) {
            return None;
        }
        found.push(Node { kind, least, most });
    }
    (deep == 0).then_some(found)
}

/// Is it the end of the pattern, or of a group?
fn ends(characters: &Peekable<Chars>, extended: bool) -> bool {
    let rest: String = characters.clone().take(2).collect();
    extended || rest.is_empty() || rest == "\\)"
}

fn escape(c: char) -> Option<Kind> {
    let word = || vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')];
    let blank = || vec![(' ', ' '), ('\t', '\r')];
    Some(match c {
        'n' => Kind::One(Set::One('\n')),
        't' => Kind::One(Set::One('\t')),
        'w' => Kind::One(Set::Of(word(), false)),
        'W' => Kind::One(Set::Of(word(), true)),
        's' => Kind::One(Set::Of(blank(), false)),
        'S' => Kind::One(Set::Of(blank(), true)),
        'b' => Kind::Edge(true, true),
        '<' => Kind::Edge(true, false),
        '>' => Kind::Edge(false, true),
        '1'..='9' => Kind::Back(usize::try_from(c.to_digit(10)?).ok()?),
        other if other.is_alphanumeric() => return None,
        other => Kind::One(Set::One(other)),
    })
}

/// `*`, `\+`, `{2,3}` behind what they are for.
fn times(characters: &mut Peekable<Chars>, extended: bool) -> Option<(usize, usize)> {
    let mut ahead = characters.clone();
    let next = ahead.next();
    let (sign, escaped) = match next {
        Some('\\') if !extended => (ahead.next(), true),
        other => (other, false),
    };
    let special = escaped != extended;
    let found = match sign {
        Some('*') if !escaped => (0, usize::MAX),
        Some('+') if special => (1, usize::MAX),
        Some('?') if special => (0, 1),
        Some('{') if special => {
            let inside: String = ahead.by_ref().take_while(|c| !matches!(c, '}' | '\\')).collect();
            if !extended && ahead.next() != Some('}') {
                return None;
            }
            counted(&inside)?
        }
        _ => return Some((1, 1)),
    };
    *characters = ahead;
    // One more sign behind it means something else in every dialect.
    (!matches!(characters.peek(), Some('*' | '+' | '?')) || !extended && characters.peek() != Some(&'*'))
        .then_some(found)
}

fn counted(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        None => text.parse().ok().map(|times| (times, times)),
        Some((least, "")) => least.parse().ok().map(|least| (least, usize::MAX)),
        Some((least, most)) => Some((least.parse().unwrap_or(0), most.parse().ok()?)),
    }
}

impl Set {
    fn holds(&self, c: char, fold: bool) -> bool {
        let same = |own: char| own == c || fold && own.eq_ignore_ascii_case(&c);
        match self {
            Self::One(own) => same(*own),
            Self::Any => true,
            Self::Of(ranges, inverted) => {
                let within = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
                let found =
                    within(c) || fold && (within(c.to_ascii_lowercase()) || within(c.to_ascii_uppercase()));
                found != *inverted
            }
        }
    }
}

/// `[a-z]`, `[^ ]`, `[[:space:]]`.
fn class(characters: &mut Peekable<Chars>) -> Option<Set> {
    let inverted = characters.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        let from = characters.next()?;
        match from {
            ']' if !ranges.is_empty() => return Some(Set::Of(ranges, inverted)),
            '[' if characters.peek() == Some(&':') => {
                let name: String = characters.by_ref().skip(1).take_while(|c| *c != ':').collect();
                characters.next_if_eq(&']')?;
                ranges.extend(named(&name)?);
                continue;
            }
            '[' if matches!(characters.peek(), Some('.' | '=')) => return None,
            _ => {}
        }
        let mut ahead = characters.clone();
        if ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']') {
            characters.next();
            ranges.push((from, characters.next()?));
        } else {
            ranges.push((from, from));
        }
    }
}

fn named(name: &str) -> Option<Vec<(char, char)>> {
    Some(match name {
        "space" => vec![(' ', ' '), ('\t', '\r')],
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "digit" => vec![('0', '9')],
        "alpha" => vec![('a', 'z'), ('A', 'Z')],
        "alnum" => vec![('a', 'z'), ('A', 'Z'), ('0', '9')],
        "lower" => vec![('a', 'z')],
        "upper" => vec![('A', 'Z')],
        "xdigit" => vec![('a', 'f'), ('A', 'F'), ('0', '9')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        _ => return None,
    })
}
