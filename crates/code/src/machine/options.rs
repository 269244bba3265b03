//! Arguments of the program as its own parser of options takes them apart: `argparse`. Groups and the parsers of commands
//! tell the same parser; what is not known of it is something that any value may be.

use std::rc::Rc;

use tollgate_catalogue::libraries::{Make, Role};

use super::Machine;
use super::store::Store;
use super::value::{Args, Made, Val};

/// The most options that are taken down.
const OPTIONS: usize = 64;

/// The name that the command stands under which no variable is named for.
const COMMAND: &str = "-command";

/// What a parser was told: of an option, of defaults, or of a command.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// The command whose parser was told.
    command: Option<Rc<str>>,
    said: Args,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Option,
    Defaults,
    Command,
}

/// An option, or an argument that stands by itself.
struct Known {
    name: Rc<str>,
    flags: Vec<String>,
    said: Args,
    /// What was given, the last one at the end.
    given: Vec<Val>,
}

/// How many words an option takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    One,
    Maybe,
    Several(Option<usize>),
}

impl Machine<'_> {
    /// A parser is told of an option, or asked what the program was given.
    pub(super) fn option_parser(&mut self, parser: &Made, name: &str, args: &Args) -> Option<Val> {
        if !is_parser(self, parser) {
            return None;
        }
        let command = parser.args.option(COMMAND).and_then(Val::literal).map(Rc::from);
        match name {
            "add_argument" if !args.list.is_empty() => {
                self.told(Told { command, said: args.clone(), what: What::Option });
                Some(Val::unknown())
            }
            "set_defaults" => {
                let said = Args { list: Vec::new(), named: args.named.clone(), open: false };
                self.told(Told { command, said, what: What::Defaults });
                Some(Val::unknown())
            }
            // They tell the parser that they are of.
            "add_argument_group" | "add_mutually_exclusive_group" => {
                Some(Val::made(&parser.name, parser.args.clone()))
            }
            "add_subparsers" => {
                let dest = args.option("dest").cloned().unwrap_or_else(|| Val::text(COMMAND));
                self.told(Told { command, said: Args::of(vec![dest]), what: What::Command });
                Some(Val::made(&parser.name, parser.args.clone()))
            }
            "add_parser" => Some(self.command_parser(&parser.name, args)),
            "parse_args" | "parse_known_args" | "parse_intermixed_args" => {
                let loose = ["fromfile_prefix_chars", "prefix_chars", "argument_default"];
                let loose = loose.iter().any(|name| parser.args.option(name).is_some());
                let parsed = self.parsed(args, loose);
                let all = name != "parse_known_args";
                Some(if all {
                    parsed
                } else {
                    let rest = self.store.many(Vec::new());
                    self.store.list(vec![parsed, rest])
                })
            }
            _ => None,
        }
    }

    /// The parser of a command: what it is told counts where the command is given.
    fn command_parser(&mut self, parser: &str, args: &Args) -> Val {
        let name = args.val(0, &["name"]);
        let also = args.option("aliases").cloned().map(|also| self.items_or_self(&also)).unwrap_or_default();
        let said = Args::of(std::iter::once(name.clone()).chain(also).collect());
        self.told(Told { command: name.literal().map(Rc::from), said, what: What::Command });
        Val::made(parser, Args { list: Vec::new(), named: vec![(Rc::from(COMMAND), name)], open: false })
    }

    fn told(&mut self, told: Told) {
        if self.options.len() <= OPTIONS {
            self.options.push(told);
        }
    }

    /// The words that are taken apart: those that were given for it, or those of the program as they are by now.
    fn words(&mut self, args: &Args, loose: &mut bool) -> Vec<Val> {
        let given = args.get(0).or_else(|| args.option("args")).cloned();
        let (list, skip) = match given.filter(|given| !is_none(given)) {
            Some(list) => (list, 0),
            None => (self.arguments_now(), 1),
        };
        match self.store.items(&list) {
            Some(items) => {
                *loose |= items.open;
                items.items.iter().skip(skip).cloned().collect()
            }
            None => {
                *loose = true;
                self.program.args.iter().map(|word| Val::Text(word.clone())).collect()
            }
        }
    }

    fn items_or_self(&self, value: &Val) -> Vec<Val> {
        self.store.items(value).map_or_else(|| vec![value.clone()], |items| items.items.clone())
    }

    /// What the program was given. Where the parser does more than is known here, any of it may be something else.
    fn parsed(&mut self, args: &Args, loose: bool) -> Val {
        let told = self.options.clone();
        let mut loose = loose || told.len() > OPTIONS;
        let argv = self.words(args, &mut loose);
        let chosen = chosen(&told, &argv, &mut loose);
        let counts = |one: &Told| match (&one.command, &chosen) {
            (Some(command), Chosen::One(chosen)) => command == chosen,
            (Some(_), Chosen::None) => false,
            _ => true,
        };
        let options = told.iter().filter(|one| one.what == What::Option);
        loose |= options.clone().any(|one| counts(one) && Known::of(&one.said).is_none());
        let mut known: Vec<Known> =
            options.clone().filter(|one| counts(one)).filter_map(|one| Known::of(&one.said)).collect();
        let mut rest = options_given(&mut self.store, &mut known, &argv, &mut loose);
        if let Chosen::One(command) = &chosen {
            let at = rest.iter().position(|word| word.literal().as_deref() == Some(command));
            at.into_iter().for_each(|at| drop(rest.remove(at)));
        }
        positionals(&mut self.store, &mut known, rest, &mut loose);
        let mut entries: Vec<(Rc<str>, Val)> = Vec::new();
        let preset = args.get(1).or_else(|| args.option("namespace")).filter(|given| !is_none(given));
        for one in known {
            let given = preset.and_then(|given| self.store.entry(given, &one.name));
            let preset = given.filter(|_| one.given.is_empty());
            let value = preset.unwrap_or_else(|| self.option_value(&one));
            self.put(&mut entries, one.name, value);
        }
        self.other_entries(&told, &counts, &chosen, &mut entries);
        match preset.map(|given| self.store.entries(given)) {
            Some(Some(given)) => {
                let more: Vec<_> =
                    given.entries.iter().filter(|(name, _)| !has(&entries, name)).cloned().collect();
                entries.extend(more);
            }
            Some(None) => loose = true,
            None => {}
        }
        for (_, value) in entries.iter_mut().filter(|_| loose) {
            *value = self.store.either_val(value, &Val::unknown());
        }
        self.store.table(entries, None)
    }

    /// Which command it is, defaults that were set for all of it, and what commands have that were not given.
    fn other_entries(
        &mut self,
        told: &[Told],
        counts: &dyn Fn(&Told) -> bool,
        chosen: &Chosen,
        entries: &mut Vec<(Rc<str>, Val)>,
    ) {
        for one in told.iter().filter(|one| one.what == What::Defaults && counts(one)) {
            one.said.named.iter().for_each(|(name, value)| self.put(entries, Rc::clone(name), value.clone()));
        }
        let command = match chosen {
            Chosen::One(command) => Val::text(command),
            Chosen::None => Val::Nothing,
            Chosen::Any => Val::unknown(),
        };
        for one in told.iter().filter(|one| one.what == What::Command && one.command.is_none()) {
            if let Some(dest) = one.said.literal(0) {
                self.put(entries, Rc::from(dest), command.clone());
            }
        }
        for one in told.iter().filter(|one| one.what == What::Option && !counts(one)) {
            if let Some(one) = Known::of(&one.said).filter(|one| !has(entries, &one.name)) {
                // A part that is not there is nothing that could be deleted.
                let default = one.said.option("default").cloned();
                let default = default.unwrap_or_else(|| self.store.list(Vec::new()));
                entries.push((one.name, default));
            }
        }
    }

    /// What an option comes to: what was given last, as its type makes it, or its default.
    fn option_value(&mut self, one: &Known) -> Val {
        let default = || match one.said.option("default").cloned() {
            Some(default) => default,
            None if one.flags.is_empty() => Val::unknown(),
            None => Val::Nothing,
        };
        let action = one.said.option("action").map(|action| action.literal().unwrap_or_default());
        let is_given = !one.given.is_empty();
        let value = match action.as_deref() {
            None | Some("store") => one.given.last().cloned().unwrap_or_else(default),
            Some("store_true") => Val::Bool(is_given),
            Some("store_false") => Val::Bool(!is_given),
            Some("store_const") if is_given => one.said.option("const").cloned().unwrap_or_default(),
            Some("store_const") => default(),
            Some("append" | "extend") if is_given => {
                let before = one.said.option("default").cloned().filter(|value| !is_none(value));
                let mut all = before.map(|value| self.items_or_self(&value)).unwrap_or_default();
                all.extend(one.given.iter().flat_map(|value| self.items_or_self(value)));
                self.store.list(all)
            }
            Some("append" | "extend") => default(),
            _ => {
                let default = default();
                return self.store.either_val(&default, &Val::unknown());
            }
        };
        // A default is made one of the type where it is a text.
        match one.said.option("type").cloned() {
            Some(kind) if is_given || matches!(value, Val::Text(_)) => match self.store.items(&value) {
                Some(items) => {
                    let each = items.items.clone();
                    let made =
                        each.into_iter().map(|item| self.apply(&kind, &Args::of(vec![item]))).collect();
                    self.store.list(made)
                }
                None => self.apply(&kind, &Args::of(vec![value])),
            },
            _ => value,
        }
    }

    /// Several that are kept under one name may each be what it is.
    fn put(&mut self, entries: &mut Vec<(Rc<str>, Val)>, name: Rc<str>, value: Val) {
        match entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, before)) => *before = self.store.either_val(before, &value),
            None => entries.push((name, value)),
        }
    }
}

fn is_parser(machine: &Machine, made: &Made) -> bool {
    let parses = |name: &str| {
        machine.meaning(name).is_some_and(|meaning| meaning.role == Role::Makes(Make::OptionParser))
    };
    parses(&made.name)
}

/// The command that was given, where there are commands.
enum Chosen {
    One(Rc<str>),
    None,
    Any,
}

/// The first word that is a command. One that stands behind a word which may be one, too, makes all uncertain.
fn chosen(told: &[Told], argv: &[Val], loose: &mut bool) -> Chosen {
    let commands = told.iter().filter(|one| one.what == What::Command && one.command.is_some());
    if commands.clone().next().is_none() {
        return Chosen::None;
    }
    let named = |word: &Val| {
        let word = word.literal()?;
        let is_it = |one: &&Told| one.said.list.iter().any(|name| name.literal().as_ref() == Some(&word));
        commands.clone().find(is_it).and_then(|one| one.command.clone())
    };
    if let Some(first) = argv.first().and_then(named) {
        return Chosen::One(first);
    }
    let found: Vec<Rc<str>> = argv.iter().filter_map(named).collect();
    match found.as_slice() {
        [one] => Chosen::One(Rc::clone(one)),
        [] if argv.is_empty() => Chosen::None,
        _ => {
            *loose |= !found.is_empty() || argv.iter().any(|word| word.literal().is_none());
            Chosen::Any
        }
    }
}

fn is_none(value: &Val) -> bool {
    matches!(value, Val::Nothing)
}

fn has(entries: &[(Rc<str>, Val)], name: &str) -> bool {
    entries.iter().any(|(known, _)| **known == *name)
}

impl Known {
    fn of(said: &Args) -> Option<Self> {
        let names: Vec<String> = said.list.iter().filter_map(Val::literal).collect();
        let long = names.iter().find(|name| name.starts_with("--")).or(names.first())?;
        let dest = said.option("dest").and_then(Val::literal);
        let name = Rc::from(dest.unwrap_or_else(|| long.trim_start_matches('-').replace('-', "_")));
        let mut flags = if long.starts_with('-') { names } else { Vec::new() };
        // Such an option can be said not to be.
        let action = said.option("action");
        if matches!(action, Some(Val::Name(action)) if action.ends_with("BooleanOptionalAction")) {
            let denied =
                flags.iter().filter_map(|flag| flag.strip_prefix("--").map(|name| format!("--no-{name}")));
            flags.extend(denied.collect::<Vec<_>>());
        }
        Some(Self { name, flags, said: said.clone(), given: Vec::new() })
    }

    /// Does it take all words from the first one on, whatever they look like?
    fn takes_all(&self) -> bool {
        self.flags.is_empty()
            && match self.said.option("nargs") {
                Some(Val::Name(name)) => name.ends_with("REMAINDER"),
                Some(count) => count.literal().is_some_and(|count| count == "..."),
                None => false,
            }
    }

    /// Does the option stand for itself, with no value behind it?
    fn is_flag(&self) -> bool {
        let action = self.said.option("action");
        let takes = |action: &Val| matches!(action.literal().as_deref(), Some("store" | "append" | "extend"));
        action.is_some_and(|action| !takes(action))
    }

    fn count(&self) -> Count {
        match self.said.option("nargs") {
            None => Count::One,
            Some(Val::Int(count)) => Count::Several(usize::try_from(*count).ok()),
            Some(count) if count.literal().as_deref() == Some("?") => Count::Maybe,
            Some(_) => Count::Several(None),
        }
    }
}

/// Gives the arguments that stand by themselves what is left.
fn positionals(store: &mut Store, known: &mut [Known], rest: Vec<Val>, loose: &mut bool) {
    let mut rest = rest.into_iter().peekable();
    let alone = known.iter().filter(|one| one.flags.is_empty()).count();
    for one in known.iter_mut().filter(|one| one.flags.is_empty()) {
        match one.count() {
            Count::One | Count::Maybe => one.given.extend(rest.next()),
            Count::Several(Some(count)) => {
                let several = rest.by_ref().take(count).collect();
                one.given.push(store.list(several));
            }
            Count::Several(None) if rest.peek().is_some() => {
                // Which of them takes how many is not known.
                *loose |= alone > 1;
                let several = rest.by_ref().collect();
                one.given.push(store.list(several));
            }
            Count::Several(None) => {}
        }
    }
    *loose |= rest.next().is_some();
}

fn is_option(word: &Val) -> bool {
    word.literal().is_some_and(|text| text.len() > 1 && text.starts_with('-'))
}

/// Gives the options what follows them among the arguments, and returns what is left. What no option is known for makes
/// all of it uncertain.
fn options_given(store: &mut Store, known: &mut [Known], argv: &[Val], loose: &mut bool) -> Vec<Val> {
    let takes_all = known.iter().any(Known::takes_all);
    let mut rest = Vec::new();
    let mut words = argv.iter().peekable();
    while let Some(word) = words.next() {
        let text = word.literal().unwrap_or_default();
        if text == "--" {
            rest.extend(words.by_ref().cloned());
        } else if !is_option(word) {
            rest.push(word.clone());
            if takes_all {
                rest.extend(words.by_ref().cloned());
            }
        } else {
            let meant = meant(known, &text);
            *loose |= meant.is_empty();
            for (at, attached) in meant {
                if let Some(one) = known.get_mut(at) {
                    take(store, one, attached, &mut words);
                }
            }
        }
    }
    rest
}

/// What an option takes: what is attached to it, nothing, or words that follow.
fn take<'v>(
    store: &mut Store,
    one: &mut Known,
    attached: Option<String>,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'v Val>>,
) {
    let given = match (attached, one.count()) {
        (Some(attached), _) => Some(Val::text(&attached)),
        (None, _) if one.is_flag() => Some(Val::Bool(true)),
        (None, Count::One) => words.next().cloned(),
        (None, Count::Maybe) => {
            let next = words.next_if(|next| !is_option(next)).cloned();
            next.or_else(|| one.said.option("const").cloned()).or(Some(Val::Nothing))
        }
        (None, Count::Several(count)) => {
            let mut several = Vec::new();
            while count.is_none_or(|count| several.len() < count)
                && let Some(next) = words.next_if(|next| !is_option(next))
            {
                several.push(next.clone());
            }
            Some(store.list(several))
        }
    };
    one.given.extend(given);
}

/// The options that a word means, and the value that is attached to the last. A long one may be cut short, and short
/// ones may stand in one word.
fn meant(known: &[Known], word: &str) -> Vec<(usize, Option<String>)> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (word, None),
    };
    let find =
        |fits: &dyn Fn(&str) -> bool| known.iter().position(|one| one.flags.iter().any(|flag| fits(flag)));
    if let Some(at) = find(&|flag| flag == name) {
        return vec![(at, value)];
    }
    if name.starts_with("--") {
        return find(&|flag| flag.starts_with(name)).map(|at| (at, value)).into_iter().collect();
    }
    let mut all = Vec::new();
    let mut rest = word.chars().skip(1);
    while let Some(letter) = rest.next() {
        let Some(at) = find(&|flag| flag.strip_prefix('-').is_some_and(|flag| flag.chars().eq([letter])))
        else {
            return Vec::new();
        };
        if known.get(at).is_some_and(Known::is_flag) {
            all.push((at, None));
            continue;
        }
        let attached: String = rest.collect();
        let attached = attached.strip_prefix('=').map(str::to_owned).unwrap_or(attached);
        all.push((at, Some(attached).filter(|attached| !attached.is_empty())));
        break;
    }
    all
}
