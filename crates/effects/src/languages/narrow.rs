//! What conditions say of names: which of those that a program lists are meant, and which of those that are known.

use std::rc::Rc;

use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::edits;
use super::flow::Said;
use super::machine::Machine;
use super::ops::Op;
use super::pure::Pure;
use super::spelled::shapes;
use super::token::{Tok, Token};
use super::value::{Args, Val};

/// The class of a pattern that texts are compared with.
pub(super) const PATTERN: &str = "pattern";

/// How the parts of a condition stand together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Joined {
    /// All of them hold.
    #[default]
    All,
    /// One of this many holds.
    Any(usize),
    /// Some of them, in a way that is not followed.
    Mixed,
}

impl Joined {
    pub fn of(tokens: &[Token]) -> Self {
        let count = |words: [&str; 2]| {
            let is = |tok: &Tok| match tok {
                Tok::Name(name) => words.contains(&&**name),
                Tok::Op(op) => words.contains(op),
                _ => false,
            };
            tokens.iter().filter(|token| is(&token.tok)).count()
        };
        match (count(["and", "&&"]), count(["or", "||"])) {
            (_, 0) => Self::All,
            (0, ways) => Self::Any(ways + 1),
            _ => Self::Mixed,
        }
    }
}

impl Val {
    /// True or false, as all languages here write it down.
    pub fn truth(holds: bool) -> Self {
        Self::name(if holds { "true" } else { "false" })
    }

    /// Whether it is true, where that is known.
    pub fn as_truth(&self) -> Option<bool> {
        match self {
            Self::Name(name) => match &**name {
                "True" | "true" | "TRUE" | "$true" => Some(true),
                "False" | "false" | "FALSE" | "$false" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// What is denied is only true or false.
    pub fn denied(&self) -> Self {
        self.as_truth().map_or_else(Self::unknown, |holds| Self::truth(!holds))
    }
}

impl Machine<'_, '_, '_> {
    /// A condition says what a variable is.
    pub fn narrow(&mut self, place: Option<&str>, value: &Val) {
        if let (Some(place), Val::Text(text)) = (place, value)
            && text.any.iter().any(|text| !text.prefix().is_empty() || !text.suffix().is_empty())
        {
            self.narrowed.push((Rc::from(place), value.clone()));
        }
    }

    /// A pattern that stands for itself. Where there is a topic, it is compared with that.
    pub fn pattern(&mut self, pattern: Option<&str>) -> Val {
        match pattern {
            Some(pattern) if self.syntax.symbolic => {
                let topic = self.lookup("$_");
                self.fits(pattern, &topic, Some("$_"))
            }
            Some(pattern) => Val::object(PATTERN, Args::of(vec![Val::text(pattern)])),
            None => Val::unknown(),
        }
    }

    /// `name.endswith(".log")` says what the name is like where it is true.
    pub fn test_of_text(&mut self, op: Op, value: &Val, place: Option<&str>, args: &Args) {
        if let Some(pattern) = args.get(1).and_then(pattern_of) {
            self.fits(&pattern, value, place);
            return;
        }
        let hole = || Text::hole(Hole::new(HoleSource::Input));
        let known = matches!(value, Val::Text(text) if text.is_known());
        let wanted = match args.get(1) {
            Some(Val::List(list)) => list.items.iter().filter_map(Val::literal).collect(),
            Some(other) => other.literal().into_iter().collect::<Vec<String>>(),
            None => return,
        };
        if known || wanted.is_empty() {
            return;
        }
        let shape = |part: &String| match op {
            Op::StartsWith => {
                let mut text = Text::literal(part);
                text.append(&hole());
                Some(text)
            }
            Op::EndsWith => {
                let mut text = hole();
                text.push_str(part);
                Some(text)
            }
            _ => None,
        };
        let texts: Vec<Text> = wanted.iter().filter_map(shape).collect();
        if !texts.is_empty() {
            self.narrow(place, &Val::Text(Value::of(texts, value.taint())));
        }
    }

    /// The names of a list that are meant where a condition holds which says this of one of them.
    pub fn meant(&self, listed: &Value, said: &[&Value], joined: Joined) -> Value {
        let ends: Vec<&str> = said.iter().flat_map(|value| &value.any).map(Text::suffix).collect();
        let apart = |left: &&str, right: &&str| !left.ends_with(right) && !right.ends_with(left);
        // What cannot all hold at once was asked one after the other.
        let several = ends.iter().any(|left| ends.iter().any(|right| apart(left, right)));
        match joined {
            Joined::All if !several => said.iter().fold(listed.clone(), |all, said| met(&all, said)),
            Joined::Mixed => listed.clone(),
            Joined::Any(ways) if said.len() < ways => listed.clone(),
            _ => {
                let ways = said.iter().map(|said| met(listed, said));
                ways.reduce(|all, way| all.union(&way)).unwrap_or_else(|| listed.clone())
            }
        }
    }

    /// Believes a condition about names that were listed; false where the place holds none.
    pub fn believe_of_listed(&mut self, place: &Rc<str>, said: &Said) -> bool {
        let told = said.narrowed.iter().filter(|(other, _)| other == place);
        let told: Vec<Value> = told.map(|(_, value)| value.as_text()).collect();
        let (owner, told) = match self.listed_at(place) {
            Some(_) => (place.to_string(), told),
            // `path.name == "x"` speaks of the last name, `path.suffix == ".x"` of how it ends.
            None => match place.rsplit_once('.').map(|(owner, part)| match owner.strip_suffix(".ends") {
                Some(owner) if part == "1" => (owner, "suffix"),
                _ => (owner, part),
            }) {
                Some((owner, part @ ("name" | "suffix"))) if self.listed_at(owner).is_some() => {
                    let told =
                        told.iter().map(|said| if part == "name" { below(said) } else { ending(said) });
                    (owner.to_owned(), told.collect())
                }
                _ => return false,
            },
        };
        let Some(listed) = self.listed_at(&owner) else { return false };
        let told: Vec<&Value> = told.iter().collect();
        let meant = self.meant(&listed, &told, said.joined);
        for path in self.made_of(&owner, place) {
            self.believe_of_path(&path, &listed, &told, said.joined);
        }
        self.suppose(&owner, meant);
        true
    }

    /// Where a condition holds, a variable is this.
    fn suppose(&mut self, place: &str, meant: Value) {
        let meant = Val::Text(meant);
        self.own.believed.push((Rc::from(place), meant.clone()));
        self.scope.set(place, meant);
    }

    /// A path that was made of a name goes with it.
    fn believe_of_path(&mut self, path: &str, name: &Value, told: &[&Value], joined: Joined) {
        let ends = |text: &Text| name.any.iter().any(|name| split_last(text).1 == split_last(name).1);
        if let Some(listed) = self.listed_at(path).filter(|listed| listed.any.iter().all(ends)) {
            let told: Vec<Value> = told.iter().map(|said| below(said)).collect();
            let meant = self.meant(&listed, &told.iter().collect::<Vec<_>>(), joined);
            self.suppose(path, meant);
        }
    }

    /// The variables that the program makes of another: `path = join(folder, name)`.
    fn made_of(&self, owner: &str, place: &str) -> Vec<String> {
        let root = owner.split('.').next().unwrap_or(place);
        let name_of = |tok: &Tok| match tok {
            Tok::Name(name) => Some(name.to_string()),
            Tok::Var(sign, name) => Some(format!("{sign}{name}")),
            _ => None,
        };
        let sets = self.tokens.windows(2).enumerate().filter(|(_, pair)| match pair {
            [first, second] => second.tok == Tok::Op("=") && name_of(&first.tok).is_some(),
            _ => false,
        });
        let uses = |at: &usize| {
            let behind = self.tokens.iter().skip(at + 2).take(40);
            let value = behind.take_while(|token| !matches!(token.tok, Tok::Newline | Tok::Op(";")));
            value.filter_map(|token| name_of(&token.tok)).any(|name| name == root)
        };
        let made = sets.map(|(at, _)| at).filter(uses).filter_map(|at| name_of(&self.tokens.get(at)?.tok));
        made.filter(|name| name != root).take(8).collect()
    }

    /// The part of a name that a function yields goes by that name: its last part, or how it ends.
    pub fn yields_part(&mut self, what: Pure) {
        let part = match what {
            Pure::Base => "name",
            Pure::Suffix => "suffix",
            Pure::Ends => "ends",
            _ => return,
        };
        let place = self.own.given.first().cloned().flatten();
        self.own.aspect = place.map(|place| Rc::from(format!("{place}.{part}")));
    }

    fn listed_at(&self, place: &str) -> Option<Value> {
        match self.scope.get(place) {
            Some(Val::Text(text)) if is_listed(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Does a text fit a pattern? Where it is not known, that says what it is like where it does.
    pub fn fits(&mut self, pattern: &str, value: &Val, place: Option<&str>) -> Val {
        if let Some(text) = value.literal().filter(|_| self.burn(pattern.len() * 4)) {
            return edits::is_found(pattern, &text).map_or_else(Val::unknown, Val::truth);
        }
        if let Some(shapes) = shapes(pattern) {
            self.narrow(place, &Val::Text(Value::of(shapes, value.taint())));
        }
        Val::Unknown(value.taint())
    }

    /// `pattern.test(text)`, `re.search(pattern, text)`, `text.match?(pattern)`.
    pub fn asks_pattern(&mut self, name: &str, args: &Args) -> Val {
        let (Some(first), Some(second)) = (args.get(0), args.get(1)) else { return Val::unknown() };
        if let Some(wild) = second.literal().filter(|_| name.starts_with("fnmatch.")) {
            let place = self.own.given.first().cloned().flatten();
            return self.fits(&format!("^{}$", as_pattern(&wild)), first, place.as_deref());
        }
        if let Some(pattern) = pattern_of(second) {
            return self.fits(&pattern, first, None);
        }
        let listed = name.starts_with("re.").then(|| first.literal()).flatten();
        let Some(pattern) = pattern_of(first).or(listed) else { return Val::Unknown(args.taint()) };
        let pattern = match name.rsplit('.').next() {
            Some("fullmatch") => format!("^{pattern}$"),
            Some("match") if self.syntax.slices => format!("^{pattern}"),
            _ => pattern,
        };
        // What stood in the brackets last is what is looked at.
        let place = self.own.given.last().cloned().flatten();
        self.fits(&pattern, second, place.as_deref())
    }

    /// Does a text begin or end so, as far as that is known?
    pub fn affixed(&mut self, op: Op, name: &str, args: &Args) -> Val {
        // A function is given the text first.
        if let (true, Some(text)) = (name.starts_with("str_"), args.get(0)) {
            let place = self.own.given.first().cloned().flatten();
            self.test_of_text(op, text, place.as_deref(), args);
        }
        let wanted: Option<Vec<String>> =
            args.get(1).and_then(|part| part.items_or_self().iter().map(Val::literal).collect());
        let (Some(text), Some(wanted), 2) = (args.literal(0), wanted, args.list.len()) else {
            return Val::unknown();
        };
        let holds = |part: &String| match op {
            Op::StartsWith => text.starts_with(part),
            _ => text.ends_with(part),
        };
        Val::truth(wanted.iter().any(holds))
    }

    /// The items of a list for which a function is true, or for which it is not.
    pub fn filter(&mut self, args: &Args, keeps: bool) -> Val {
        let (list, function) = match (args.get(0), args.get(1)) {
            (Some(function @ (Val::Function(_) | Val::Name(_))), Some(list)) => {
                (list.clone(), function.clone())
            }
            (Some(list), Some(function)) => (list.clone(), function.clone()),
            _ => return args.at(0, &[]),
        };
        let function = self.callable(&function);
        if let Val::List(known) = &list
            && !known.open
            && known.items.len() <= 64
        {
            let stays = |item: &Val| self.apply_to(&function, item).as_truth() != Some(!keeps);
            return Val::list(known.items.clone().into_iter().filter(stays).collect());
        }
        let before = std::mem::take(&mut self.narrowed);
        let item = list.item();
        self.apply_to(&function, &item);
        let narrowed = std::mem::replace(&mut self.narrowed, before);
        let Val::Function(function) = &function else { return list };
        let tokens = function.tokens.get(function.body.clone()).unwrap_or_default();
        let said = Said::of(narrowed, tokens);
        let param = function.params.first().map(|param| param.name.clone());
        match param.filter(|_| keeps && !said.negated) {
            Some(param) => self.picked(list, &item, &param, &said),
            None => list,
        }
    }

    fn picked(&mut self, list: Val, item: &Val, param: &Rc<str>, said: &Said) -> Val {
        self.scope.open();
        self.scope.set(param, item.clone());
        self.believe(said);
        let kept = self.scope.get(param).cloned();
        self.scope.close();
        match kept {
            Some(kept @ Val::Text(_)) => Val::many(vec![kept]),
            _ => list,
        }
    }
}

/// Is it names of files that a program lists?
pub(super) fn is_listed(text: &Value) -> bool {
    !text.any.is_empty() && text.any.iter().all(Text::has_globs)
}

/// A pattern of file names as one of texts.
fn as_pattern(wild: &str) -> String {
    let mut pattern = String::new();
    for c in wild.chars() {
        match c {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            c if c.is_alphanumeric() || matches!(c, '[' | ']' | '-' | '_') => pattern.push(c),
            c => pattern.extend(['\\', c]),
        }
    }
    pattern
}

/// The pattern that a value is.
fn pattern_of(value: &Val) -> Option<String> {
    match value {
        Val::Object(object) if matches!(&*object.class, PATTERN | "re.compile") => object.args.literal(0),
        _ => None,
    }
}

/// Any text that ends so.
fn ending(said: &Value) -> Value {
    said.map(|text| {
        let mut all = Text::hole(Hole::new(HoleSource::Input));
        all.append(text);
        all
    })
}

/// Any path whose last name this is.
fn below(said: &Value) -> Value {
    said.map(|text| {
        if matches!(text.pieces.as_slice(), [Piece::Hole(_), Piece::Text(slash), ..] if slash.starts_with('/')) {
            return text.clone();
        }
        let mut all = Text::hole(Hole::new(HoleSource::Input));
        all.push_str("/");
        all.append(text);
        all
    })
}

/// Of the names in a list, those that are like what is said of them.
fn met(listed: &Value, said: &Value) -> Value {
    let each = listed.any.iter().flat_map(|text| said.any.iter().map(move |said| met_by(text, said)));
    Value::of(each.collect::<Vec<Text>>(), listed.taint.union(said.taint))
}

fn met_by(listed: &Text, said: &Text) -> Text {
    if said.as_literal().is_some() {
        return said.clone();
    }
    // What is said of the last name leaves the folder as it is.
    if let [Piece::Hole(_), Piece::Text(slash), name @ ..] = said.pieces.as_slice()
        && let Some(rest) = slash.strip_prefix('/')
    {
        let mut said = Text::literal(rest);
        name.iter().for_each(|piece| said.push(piece.clone()));
        let (mut folder, last) = split_last(listed);
        folder.append(&met_by(&last, &said));
        return folder;
    }
    started(&ended(listed, said.suffix()), said.prefix())
}

/// A path up to its last `/`, and the name behind it.
fn split_last(path: &Text) -> (Text, Text) {
    let (mut folder, mut name) = (Text::default(), Text::default());
    let at = path.pieces.iter().rposition(|piece| matches!(piece, Piece::Text(known) if known.contains('/')));
    for (place, piece) in path.pieces.iter().enumerate() {
        match (piece, at) {
            (Piece::Text(known), Some(at)) if at == place => {
                let (before, after) = known.rsplit_once('/').unwrap_or(("", known));
                folder.push_str(before);
                folder.push_str("/");
                name.push_str(after);
            }
            (piece, Some(at)) if place < at => folder.push(piece.clone()),
            (piece, _) => name.push(piece.clone()),
        }
    }
    (folder, name)
}

/// Those that end so as well.
fn ended(listed: &Text, end: &str) -> Text {
    let mut all = listed.clone();
    match listed.pieces.last() {
        Some(Piece::Glob(glob)) if glob.ends_with('*') => all.push_str(end),
        Some(Piece::Text(known)) if end.ends_with(&**known) => {
            all.pieces.pop();
            all.push_str(end);
        }
        _ => {}
    }
    all
}

/// Those that begin so as well.
fn started(listed: &Text, start: &str) -> Text {
    match listed.pieces.first() {
        Some(Piece::Glob(glob)) if glob.starts_with('*') && !start.is_empty() => {
            let mut all = Text::literal(start);
            all.append(listed);
            all
        }
        _ => listed.clone(),
    }
}
