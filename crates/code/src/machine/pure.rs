//! Functions that only make values out of values.

use std::rc::Rc;

use tollgate_catalogue::libraries::Make;
use tollgate_shell::value::{HoleSource, Taint, Text, Value};

use super::value::{Args, Val};
use super::{Machine, texts};
use crate::facts::Data;

/// The most rows of lists side by side that are told apart.
const ROWS: usize = 256;

impl Machine<'_> {
    /// Makes a value.
    pub(super) fn pure(&mut self, make: Make, name: &str, args: &Args) -> Val {
        // What is only handed on, or put into a text, need not be known.
        let handed_on = matches!(
            make,
            Make::Same | Make::Itself | Make::JoinPaths | Make::List | Make::Nothing | Make::ShellQuote
        );
        if !handed_on {
            args.list.iter().for_each(|value| self.looks_at(value));
        }
        let work: usize = args.list.iter().map(|value| self.size_of(value)).sum();
        if !self.burn(work / 8) {
            return Val::Unknown(args.taint());
        }
        if let Some(value) = self.of_texts(make, args) {
            return value;
        }
        if let Some(value) = self.of_paths(make, args) {
            return value;
        }
        if let Some(value) = self.of_lists(make, args) {
            return value;
        }
        if let Some(value) = self.in_place(make, args) {
            return value;
        }
        self.of_names(make, name, args)
    }

    fn size_of(&self, value: &Val) -> usize {
        match value {
            Val::Text(text) => text.any.iter().map(Text::bytes).sum(),
            _ => self.store.items(value).map_or(1, |items| items.items.len()),
        }
    }

    fn first(&self, args: &Args) -> Val {
        args.get(0).cloned().unwrap_or_default()
    }

    /// A text that is known, or that is at least one.
    fn made(&self, text: Option<String>, args: &Args) -> Val {
        let taint = args.all().fold(args.taint(), |all, value| all.union(self.store.taint(value)));
        match text {
            Some(text) => Val::Text(Value::text(&text).with_taint(taint)),
            None => Val::some_text(taint),
        }
    }

    fn of_texts(&mut self, make: Make, args: &Args) -> Option<Val> {
        let first = self.first(args);
        let known = args.literal(0);
        Some(match make {
            Make::Trim => {
                let given = args.literal(1);
                let set = move |letter: char| match &given {
                    Some(set) => set.contains(letter),
                    None => letter.is_whitespace(),
                };
                if let Val::Text(text) = &first
                    && text.any.iter().any(Text::has_globs)
                {
                    return Some(first);
                }
                texts::each(&first, |text| text.trim_matches(&set).to_owned())
            }
            Make::Dedent => texts::each(&first, texts::dedented),
            Make::Lower => texts::each(&first, str::to_lowercase),
            Make::Upper => texts::each(&first, str::to_uppercase),
            Make::Chars => {
                let codes = args.list.iter().flat_map(|value| match self.store.items(value) {
                    Some(items) => items.items.clone(),
                    None => vec![value.clone()],
                });
                let letters: Option<String> = codes
                    .map(|code| match code {
                        Val::Int(code) => u32::try_from(code).ok().and_then(char::from_u32),
                        _ => None,
                    })
                    .collect();
                match letters {
                    Some(text) => self.made(Some(text), args),
                    None => first,
                }
            }
            Make::Code => match known.and_then(|text| text.chars().next()) {
                Some(letter) => Val::Int(i64::from(u32::from(letter))),
                None => texts::remains(&first, args.taint()),
            },
            Make::Replace => self.replaced(args),
            Make::Braces => match known {
                Some(text) => {
                    let list: Vec<Val> =
                        args.list.iter().skip(1).map(|value| Val::Text(value.as_text())).collect();
                    let taint =
                        args.all().fold(args.taint(), |all, value| all.union(self.store.taint(value)));
                    Val::Text(
                        texts::braces(&text, &list, |name| args.option(name).cloned()).with_taint(taint),
                    )
                }
                None => Val::some_text(args.taint()),
            },
            Make::ShellQuote => match known.filter(|_| true) {
                Some(text) => Val::text(&format!("'{}'", text.replace('\'', "'\\''"))),
                None => Val::Text(Value::text("'").concat(&first.as_text()).concat(&Value::text("'"))),
            },
            Make::Slice => texts::slice(&mut self.store, &first, args.list.get(1..).unwrap_or_default()),
            _ => return self.of_codes(make, args),
        })
    }

    /// Texts in other forms, and what they say.
    fn of_codes(&mut self, make: Make, args: &Args) -> Option<Val> {
        let first = self.first(args);
        let known = args.literal(0);
        Some(match make {
            Make::WithoutStart => match args.literal(1) {
                Some(start) => texts::without_start(&first, &start),
                None => Val::some_text(args.taint()),
            },
            Make::Base64 => self.decoded(known.as_deref().and_then(texts::from_base64), args),
            Make::Hex => self.decoded(known.as_deref().and_then(texts::from_hex), args),
            Make::Percent => self.made(known.as_deref().map(texts::unpercent), args),
            Make::Codec => match args.literal(1).as_deref() {
                Some("rot13" | "rot_13") => {
                    texts::each(&first, |text| text.chars().map(texts::rot13).collect())
                }
                Some("base64" | "base64_codec") => {
                    self.decoded(known.as_deref().and_then(texts::from_base64), args)
                }
                Some("hex" | "hex_codec") => self.decoded(known.as_deref().and_then(texts::from_hex), args),
                _ => first,
            },
            Make::Unpacked => self.decoded(None, args),
            Make::Int => {
                let radix = match args.get(1) {
                    Some(Val::Int(radix @ 2..=36)) => u32::try_from(*radix).unwrap_or(10),
                    _ => 10,
                };
                let digits = known.unwrap_or_default();
                i64::from_str_radix(digits.trim().trim_start_matches("0x"), radix)
                    .map_or_else(|_| Val::Unknown(args.taint()), Val::Int)
            }
            Make::StartsWith | Make::EndsWith => self.affixed(make, args),
            _ => return None,
        })
    }

    /// Something that was decoded; what cannot be read says nothing of what it is.
    fn decoded(&self, text: Option<String>, args: &Args) -> Val {
        match text {
            Some(text) => self.made(Some(text), args),
            None => Val::Text(
                Value::something(HoleSource::Input).with_taint(args.taint().union(self.marks.decoded)),
            ),
        }
    }

    /// `text.replace(from, to)`, and `path.replace(target)`, which moves.
    fn replaced(&mut self, args: &Args) -> Val {
        if args.list.len() != 2 && args.list.len() < 3 {
            return Val::some_text(args.taint());
        }
        let (Some(from), true) = (args.get(1), args.list.len() > 2) else {
            let (from, to) = (self.first(args).as_text(), args.val(1, &["target"]).as_text());
            self.note(crate::facts::Act::Move { from, to: to.clone() });
            return Val::Text(to);
        };
        match (from.literal(), args.get(2).cloned().unwrap_or_default(), self.first(args)) {
            (Some(from), to, Val::Text(text)) if !from.is_empty() && text.is_known() => {
                let to = to.as_text();
                let made = text.any.iter().map(|text| {
                    let mut whole = Value::empty();
                    for (at, part) in text.as_literal().unwrap_or_default().split(from.as_str()).enumerate() {
                        if at > 0 && at < 256 {
                            whole = whole.concat(&to);
                        }
                        whole = whole.concat(&Value::text(part));
                    }
                    whole
                });
                let made: Vec<Value> = made.collect();
                Val::Text(Value::any_of(&made).unwrap_or_else(Value::empty).with_taint(args.taint()))
            }
            (_, _, whole) => texts::remains(&whole, args.taint()),
        }
    }

    fn affixed(&mut self, make: Make, args: &Args) -> Val {
        let wanted = args.get(1).cloned().unwrap_or_default();
        let parts: Option<Vec<String>> = match self.store.items(&wanted) {
            Some(items) => items.items.iter().map(Val::literal).collect(),
            None => wanted.literal().map(|part| vec![part]),
        };
        let (Some(text), Some(parts), 2) = (args.literal(0), parts, args.list.len()) else {
            return Val::unknown();
        };
        let holds = |part: &String| {
            if make == Make::StartsWith { text.starts_with(part) } else { text.ends_with(part) }
        };
        Val::Bool(parts.iter().any(holds))
    }

    fn of_paths(&mut self, make: Make, args: &Args) -> Option<Val> {
        let first = self.first(args);
        Some(match make {
            Make::JoinPaths => {
                args.list.iter().skip(1).for_each(|path| self.looks_at_path(path));
                let mut paths = Vec::new();
                for value in &args.list {
                    paths.extend(self.paths(value));
                }
                if paths.is_empty() { Val::text(".") } else { Val::Text(texts::join_paths(&paths)) }
            }
            Make::ExpandUser => Val::Text(texts::expand_user(&first.as_text(), &self.host.home())),
            Make::Resolve => {
                let paths: Vec<Value> = args.list.iter().map(Val::as_text).collect();
                Val::Text(self.host.resolve(&texts::join_paths(&paths)))
            }
            Make::Parent => Val::Text(texts::parent(&first.as_text())),
            Make::Parents => {
                let above = std::iter::successors(Some(texts::parent(&first.as_text())), |folder| {
                    Some(texts::parent(folder))
                });
                let above = above.take(8).map(Val::Text).collect();
                self.store.list(above)
            }
            Make::Base => texts::each_base(&first),
            Make::Suffix => texts::each(&first, texts::suffix),
            Make::Stem => texts::each(&first, |path| texts::stem(texts::base(path)).to_owned()),
            Make::Ends => {
                let end = texts::each(&first, texts::suffix);
                let rest = texts::each(&first, |path| {
                    path.get(..path.len() - texts::suffix(path).len()).unwrap_or(path).to_owned()
                });
                self.store.list(vec![rest, end])
            }
            Make::Relative => self.relative(args),
            Make::WithName | Make::WithSuffix => {
                let folder = texts::parent(&first.as_text());
                let new = args.text(1);
                let name = match make {
                    Make::WithName => new,
                    _ => texts::each(&first, |path| texts::stem(texts::base(path)).to_owned())
                        .as_text()
                        .concat(&new),
                };
                Val::Text(texts::join_paths(&[folder, name]))
            }
            Make::Address => first,
            _ => return None,
        })
    }

    /// A path seen from a folder; one that is seen from where the program runs is the path itself.
    fn relative(&self, args: &Args) -> Val {
        let first = self.first(args);
        let start = args.get(1).or(args.option("start")).map(Val::literal);
        match start {
            None => first,
            Some(Some(start)) => {
                let start = format!("{}/", start.trim_end_matches('/'));
                let below = |text: &Text| {
                    text.prefix().strip_prefix(&start).map(|rest| {
                        let mut made = Text::literal(rest);
                        text.pieces.iter().skip(1).for_each(|piece| made.push(piece.clone()));
                        made
                    })
                };
                match &first {
                    Val::Text(text) if text.any.iter().all(|text| below(text).is_some()) => {
                        Val::Text(Value::of(text.any.iter().filter_map(below), text.taint))
                    }
                    _ => Val::some_text(args.taint()),
                }
            }
            Some(None) => Val::some_text(args.taint()),
        }
    }

    fn of_lists(&mut self, make: Make, args: &Args) -> Option<Val> {
        let first = self.first(args);
        Some(match make {
            Make::Reverse => match self.store.items(&first) {
                Some(items) => self.store.list_of(items.items.iter().rev().cloned().collect(), items.open),
                None => texts::each(&first, |text| text.chars().rev().collect()),
            },
            Make::JoinWith => self.joined(&args.val(1, &[]), &args.text(0)),
            Make::JoinSpaced => self.joined(&first, &Value::text(" ")),
            Make::JoinBy => self.joined(&first, &self.text_or(args.get(1), "")),
            Make::Split | Make::Partition => self.split(make, args),
            Make::Lines => texts::lines(&mut self.store, &first),
            Make::List => self.store.list(args.list.clone()),
            Make::Copy | Make::CopyWhole | Make::ToList => self.copied(make, args),
            Make::ShellWords => match first.literal() {
                Some(text) => {
                    let words = texts::shell_words(&text).iter().map(|word| Val::text(word)).collect();
                    self.store.list(words)
                }
                None => self.store.many(vec![Val::some_text(args.taint())]),
            },
            Make::Merge => {
                let mut all = args.list.clone();
                let named = self.store.table(args.named.clone(), args.open.then(Val::unknown));
                all.push(named);
                self.merged(&all)
            }
            Make::Table => self.table_of(args),
            Make::Keys => self.keys(&first),
            Make::Values | Make::Entries => self.entries_of(make, args),
            Make::Zip => self.zipped(args),
            Make::Pick => {
                if let (Some(key), Some(of)) = (args.option("key").cloned(), args.get(0)) {
                    self.for_each(of, 1, |machine, item| {
                        drop(machine.apply(&key, &Args::of(vec![item.clone()])));
                    });
                }
                self.picked(args)
            }
            Make::First | Make::Last => match self.store.items(&first).filter(|items| !items.open) {
                Some(items) => {
                    let end = if make == Make::First { items.items.first() } else { items.items.last() };
                    end.cloned().unwrap_or_default()
                }
                None => self.store.item(&first),
            },
            Make::Range => self.range_of(args),
            Make::Fragments | Make::Json => self.of_data(make, args),
            _ => return None,
        })
    }

    /// What a text says that is data.
    fn of_data(&mut self, make: Make, args: &Args) -> Val {
        let first = self.first(args);
        match make {
            Make::Fragments => {
                let text = args.get(1).cloned().unwrap_or(first);
                let part = texts::fragments(&text, self.store.taint(&text));
                self.store.many(vec![part])
            }
            _ => {
                let content = match &first {
                    Val::File(file) => Val::Text(self.content(file)),
                    other => other.clone(),
                };
                let taint = self.store.taint(&content);
                let known = content.literal().filter(|text| text.len() < 1 << 16);
                match known.and_then(|text| tollgate_model::json::parse(text.as_bytes()).ok()) {
                    Some(value) => self.of_json(&value, taint, 8),
                    None => Val::Unknown(taint),
                }
            }
        }
    }

    fn of_json(&mut self, value: &tollgate_model::json::Value, taint: Taint, depth: u32) -> Val {
        use tollgate_model::json::Value as Json;
        let Some(depth) = depth.checked_sub(1) else { return Val::Unknown(taint) };
        match value {
            Json::String(text) => Val::Text(Value::text(text).with_taint(taint)),
            Json::List(items) => {
                let items = items.iter().map(|item| self.of_json(item, taint, depth)).collect();
                self.store.list(items)
            }
            Json::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, item)| (Rc::from(key.as_str()), self.of_json(item, taint, depth)))
                    .collect();
                self.store.table(entries, None)
            }
            _ => Val::Unknown(taint),
        }
    }

    /// One of several, or of the items of one.
    fn picked(&mut self, args: &Args) -> Val {
        match args.list.as_slice() {
            [] => Val::unknown(),
            [one] => self.store.item(one),
            [one, ..] if matches!(one, Val::List(_)) => self.store.item(one),
            several => several
                .iter()
                .cloned()
                .reduce(|all, one| self.store.either_val(&all, &one))
                .unwrap_or_default(),
        }
    }

    fn joined(&mut self, list: &Val, between: &Value) -> Val {
        let taint = self.store.taint(list);
        match (self.store.items(list), list) {
            (Some(items), _) if !items.open && items.items.len() <= 4096 => {
                let mut whole = Value::empty();
                let known: Option<Vec<String>> = items.items.iter().map(Val::literal).collect();
                if let (Some(known), Some(between)) = (known, between.as_literal()) {
                    return Val::Text(Value::text(&known.join(between)).with_taint(taint));
                }
                for (at, item) in items.items.iter().take(256).enumerate() {
                    if at > 0 {
                        whole = self.concat(&whole, between);
                    }
                    whole = self.concat(&whole, &item.as_text());
                }
                Val::Text(whole)
            }
            // A text is the list of its letters; what a program printed stays what it is.
            (None, Val::Text(text)) => match (text.as_literal(), between.as_literal()) {
                (Some(text), Some(between)) if text.len() <= 4096 => {
                    let letters: Vec<String> = text.chars().map(String::from).collect();
                    Val::Text(Value::text(&letters.join(between)).with_taint(taint))
                }
                _ => list.clone(),
            },
            _ => Val::some_text(taint),
        }
    }

    fn split(&mut self, make: Make, args: &Args) -> Val {
        let first = self.first(args);
        let by = args.literal(1);
        let Some(text) = first.literal() else {
            let part = match &first {
                Val::Text(text) if text.any.iter().all(Text::has_globs) => {
                    if let (Some("/"), Some(whole)) = (by.as_deref(), text.single()) {
                        let parts = texts::split_path(whole);
                        let parts = parts.into_iter().map(|part| Val::Text(Value::of([part], text.taint)));
                        return self.store.list(parts.collect());
                    }
                    first.clone()
                }
                _ => texts::remains(&first, self.store.taint(&first)),
            };
            return self.store.many(vec![part]);
        };
        let taint = first.taint();
        let part = |part: &str| Val::Text(Value::text(part).with_taint(taint));
        let parts: Vec<Val> = match (make, &by, args.get(2)) {
            (Make::Partition, Some(by), _) => {
                let (before, after) = text.split_once(by.as_str()).unwrap_or((&text, ""));
                vec![part(before), part(by), part(after)]
            }
            (_, Some(by), Some(Val::Int(most))) if !by.is_empty() && *most >= 0 => text
                .splitn(usize::try_from(*most).unwrap_or(usize::MAX).saturating_add(1), by.as_str())
                .map(part)
                .collect(),
            (_, Some(by), _) if !by.is_empty() => text.split(by.as_str()).take(4096).map(part).collect(),
            _ if args.list.len() < 2 || matches!(args.get(1), Some(Val::Nothing)) => {
                text.split_whitespace().take(4096).map(part).collect()
            }
            _ => return self.store.many(vec![Val::some_text(taint)]),
        };
        self.store.list(parts)
    }

    fn copied(&mut self, make: Make, args: &Args) -> Val {
        let first = self.first(args);
        if make == Make::ToList
            && args.list.len() == 2
            && args.list.iter().any(|value| value.is_callable() || matches!(value, Val::Name(_)))
        {
            return Val::made(super::blocks::ENDLESS, Args::default());
        }
        if let Some(key) = args.option("key").cloned() {
            self.for_each(&first, 1, |machine, item| {
                drop(machine.apply(&key, &Args::of(vec![item.clone()])))
            });
        }
        if let Some(items) = self.store.items(&first) {
            return self.store.list_of(items.items.clone(), items.open);
        }
        if make != Make::ToList {
            return match self.store.entries(&first) {
                Some(entries) if matches!(first, Val::Table(_)) => {
                    self.store.table(entries.entries.clone(), entries.others.clone())
                }
                _ => first,
            };
        }
        if args.list.is_empty() {
            return self.store.list(Vec::new());
        }
        let iterated = self.iterated(&first);
        match self.store.items(&iterated) {
            Some(_) => iterated,
            None => {
                let item = self.store.item(&iterated);
                self.store.many(vec![item])
            }
        }
    }

    /// Several tables in one.
    pub(super) fn merged(&mut self, tables: &[Val]) -> Val {
        let mut entries: Vec<(Rc<str>, Val)> = Vec::new();
        let mut others: Option<Val> = None;
        for table in tables {
            if let Some(more) = self.store.entries(table) {
                entries.extend(more.entries.iter().cloned());
                others = others.or_else(|| more.others.clone());
            } else if let Some(pairs) = self.store.items(table) {
                for pair in &pairs.items {
                    match self.pair(pair) {
                        Some((name, value)) => entries.push((name, value)),
                        None => {
                            let items = self.store.items(pair);
                            let value = items.and_then(|items| items.items.get(1).cloned());
                            let value = value.unwrap_or(Val::Unknown(self.store.taint(pair)));
                            others = Some(match others {
                                Some(known) => self.store.either_val(&known, &value),
                                None => value,
                            });
                        }
                    }
                }
                if pairs.open {
                    others = others.or(Some(Val::unknown()));
                }
            } else {
                // A copy of the environment for a child.
                match table {
                    Val::Name(_) => entries.push((Rc::from("**"), table.clone())),
                    other => others = others.or_else(|| Some(Val::Unknown(self.store.taint(other)))),
                }
            }
        }
        self.store.table(entries, others)
    }

    fn pair(&self, pair: &Val) -> Option<(Rc<str>, Val)> {
        let items = self.store.items(pair)?;
        let (name, value) = (items.items.first()?.literal()?, items.items.get(1)?);
        Some((Rc::from(name), value.clone()))
    }

    fn table_of(&mut self, args: &Args) -> Val {
        if args.list.is_empty() {
            return self.store.table(args.named.clone(), None);
        }
        let first = self.first(args);
        self.merged(&[first])
    }

    fn entries_of(&mut self, make: Make, args: &Args) -> Val {
        let first = self.first(args);
        if let Some(entries) = self.store.entries(&first) {
            let mut all = Vec::new();
            for (name, value) in &entries.entries {
                let one = if make == Make::Values {
                    value.clone()
                } else {
                    self.store.list(vec![Val::text(name), value.clone()])
                };
                all.push(one);
            }
            if let Some(other) = &entries.others {
                let one = if make == Make::Values {
                    other.clone()
                } else {
                    self.store.list(vec![Val::some_text(tollgate_shell::value::Taint::NONE), other.clone()])
                };
                all.push(one);
            }
            return self.store.list_of(all, entries.others.is_some());
        }
        let iterated = self.iterated(&first);
        if make == Make::Entries
            && let Some(items) = self.store.items(&iterated).filter(|items| !items.open)
        {
            let mut pairs = Vec::new();
            for (at, item) in items.items.iter().enumerate() {
                let number = Val::Int(i64::try_from(at).unwrap_or_default());
                pairs.push(self.store.list(vec![number, item.clone()]));
            }
            return self.store.list(pairs);
        }
        let item = self.store.item(&iterated);
        let taint = self.store.taint(&first);
        let one = if make == Make::Values { item } else { self.store.list(vec![Val::Unknown(taint), item]) };
        self.store.many(vec![one])
    }

    fn zipped(&mut self, args: &Args) -> Val {
        let lists: Vec<Val> = args.list.iter().map(|list| self.iterated(list)).collect();
        let known: Vec<_> =
            lists.iter().filter_map(|list| self.store.items(list)).filter(|items| !items.open).collect();
        let long = known.iter().all(|items| items.items.len() > ROWS);
        if known.len() < lists.len() || known.is_empty() || long {
            let items: Vec<Val> = lists.iter().map(|list| self.store.item(list)).collect();
            let one = self.store.list(items);
            return self.store.many(vec![one]);
        }
        let length = known.iter().map(|items| items.items.len()).min().unwrap_or_default();
        let mut rows = Vec::new();
        for at in 0..length {
            let row = known.iter().filter_map(|items| items.items.get(at).cloned()).collect();
            rows.push(self.store.list(row));
        }
        self.store.list(rows)
    }

    fn range_of(&mut self, args: &Args) -> Val {
        let bounds: Option<Vec<i64>> = args
            .list
            .iter()
            .map(|bound| match bound {
                Val::Int(bound) => Some(*bound),
                _ => None,
            })
            .collect();
        let known = bounds.and_then(|bounds| match bounds.as_slice() {
            [to] => Some(0..*to),
            [from, to] => Some(*from..*to),
            _ => None,
        });
        match known.filter(|range| range.end.saturating_sub(range.start) <= 16) {
            Some(range) => {
                let items = range.map(Val::Int).collect();
                self.store.list(items)
            }
            None => self.store.many(vec![Val::unknown()]),
        }
    }

    /// Lists and tables that are changed where they are.
    fn in_place(&mut self, make: Make, args: &Args) -> Option<Val> {
        let (first, more) = (self.first(args), args.val(1, &[]));
        Some(match make {
            Make::Append | Make::Insert => {
                self.effort.grown += 1;
                let item = args.list.last().cloned().unwrap_or_default();
                let at = match (make, args.get(1)) {
                    (Make::Insert, Some(Val::Int(at))) => Some(*at),
                    _ => None,
                };
                self.store.change_items(&first, |items| {
                    match at
                        .and_then(|at| place_of(at, items.items.len()))
                        .filter(|at| *at <= items.items.len())
                    {
                        Some(at) => items.items.insert(at, item),
                        None => items.items.push(item),
                    }
                });
                Val::Nothing
            }
            Make::Extend => {
                let more = self.iterated(&more);
                let items = self.store.items(&more).unwrap_or_default();
                let item = if items.items.is_empty() { Some(self.store.item(&more)) } else { None };
                let known = matches!(more, Val::List(_));
                self.store.change_items(&first, |list| {
                    list.items.extend(items.items.iter().cloned());
                    list.items.extend(item.filter(|_| !known));
                    list.open |= items.open || !known;
                });
                Val::Nothing
            }
            Make::Turn | Make::Mix | Make::MixIn | Make::SetItem | Make::RemoveItem => {
                self.reordered(make, args);
                Val::Nothing
            }
            Make::Pop => self.popped(&first, args),
            Make::Remove | Make::Clear => {
                let empties = make == Make::Clear;
                self.store.change_items(&first, |items| {
                    if empties {
                        items.items.clear();
                    }
                    items.open |= !empties;
                });
                if empties {
                    self.store.change_entries(&first, |entries| entries.entries.clear());
                }
                Val::Nothing
            }
            Make::Update => {
                let named = self.store.table(args.named.clone(), None);
                let merged = self.merged(&[first.clone(), more, named]);
                if let Some(merged) = self.store.entries(&merged) {
                    self.store.change_entries(&first, |entries| *entries = (*merged).clone());
                }
                Val::Nothing
            }
            _ => return self.looked_up(make, args),
        })
    }

    /// Items that change their places, or one of which is set.
    fn reordered(&mut self, make: Make, args: &Args) {
        let (first, more) = (self.first(args), args.val(1, &[]));
        match make {
            Make::Turn => {
                self.store.change_items(&first, |items| items.items.reverse());
            }
            // In an order that is not known.
            Make::Mix => {
                if let Some(key) = args.option("key").cloned() {
                    self.for_each(&first, 1, |machine, item| {
                        drop(machine.apply(&key, &Args::of(vec![item.clone()])))
                    });
                }
                self.store.change_items(&first, |items| items.open |= items.items.len() > 1);
            }
            Make::MixIn => {
                self.store.change_items(&first, |items| {
                    items.items.push(more);
                    items.open = true;
                });
            }
            Make::SetItem => {
                self.set_index(&first, &more, &args.val(2, &[]));
            }
            Make::RemoveItem => {
                self.remove_item(&first, &more);
            }
            _ => {}
        }
    }

    /// Entries that are looked up.
    fn looked_up(&mut self, make: Make, args: &Args) -> Option<Val> {
        let first = self.first(args);
        let more = args.val(1, &[]);
        Some(match make {
            Make::SetDefault => {
                let key = more.literal();
                let known = key.as_deref().and_then(|key| self.store.entry(&first, key));
                let value = known.unwrap_or_else(|| args.val(2, &[]));
                self.set_index(&first, &more, &value);
                value
            }
            Make::Get => {
                let found =
                    if args.list.len() > 1 { self.index(&first, &more) } else { self.store.item(&first) };
                match args.get(2) {
                    Some(default) => self.store.either_val(&found, &default.clone()),
                    None => found,
                }
            }
            _ => return None,
        })
    }

    fn popped(&mut self, first: &Val, args: &Args) -> Val {
        if let Some(entries) = self.store.entries(first) {
            let key = args.literal(1);
            let known = key.as_deref().and_then(|key| self.store.entry(first, key));
            self.store.change_entries(first, |entries| {
                entries.entries.retain(|(name, _)| key.as_deref() != Some(&**name))
            });
            let default = args.get(2).cloned();
            return known
                .or(default)
                .unwrap_or(Val::Unknown(self.store.taint(&entries.others.clone().unwrap_or_default())));
        }
        let Some(items) = self.store.items(first) else { return Val::Unknown(self.store.taint(first)) };
        if items.open || self.unsure > 0 {
            return self.store.item(first);
        }
        let at = match args.get(1) {
            Some(Val::Int(at)) if *at >= 0 => usize::try_from(*at).ok(),
            _ => items.items.len().checked_sub(1),
        };
        let taken = at.and_then(|at| items.items.get(at)).cloned();
        self.store.change_items(first, |items| {
            if let Some(at) = at.filter(|at| *at < items.items.len()) {
                items.items.remove(at);
            }
        });
        taken.unwrap_or_default()
    }

    /// Names, parts and what is only of some use.
    fn of_names(&mut self, make: Make, name: &str, args: &Args) -> Val {
        let first = self.first(args);
        match make {
            Make::Same | Make::Itself | Make::Buffer | Make::Concat => first,
            Make::Forming => {
                self.callbacks(args);
                self.forming.clone().unwrap_or_default()
            }
            // `object.__setattr__` sets it whatever the class says.
            Make::SetPart => {
                let value = args.val(2, &[]);
                match (args.literal(1), &first) {
                    (Some(part), Val::Object(_)) if name.starts_with("object.") => {
                        self.store.set_entry(&first, &Rc::from(part), value);
                    }
                    (Some(part), _) => self.set_attribute(&first, &part, &value),
                    (None, _) => self.store.change_entries(&first, |entries| entries.others = Some(value)),
                }
                Val::Nothing
            }
            Make::Part => match args.literal(1) {
                Some(part) => self.attribute(&first, &part),
                None => match &first {
                    Val::Name(module) if self.library.risky.contains(&&**module) => Val::name("?"),
                    other => Val::Unknown(self.store.taint(other)),
                },
            },
            Make::PartsOf => {
                let Some((owner, names)) = args.list.split_last() else { return Val::unknown() };
                let names: Vec<String> = names.iter().filter_map(Val::literal).collect();
                let path = names.iter().flat_map(|name| name.split('.'));
                path.fold(owner.clone(), |part, name| self.attribute(&part, name))
            }
            Make::ItemOf => match args.list.as_slice() {
                [key, owner] => self.index(&owner.clone(), &key.clone()),
                _ => Val::Unknown(args.taint()),
            },
            Make::CallOf => match (args.literal(0), args.list.last().cloned()) {
                (Some(method), Some(owner)) if args.list.len() > 1 => {
                    let mut rest = args.skip(1);
                    rest.list.pop();
                    self.method(&owner, &method, &rest)
                }
                _ => Val::Unknown(args.taint()),
            },
            _ => self.of_program(make, name, args),
        }
    }

    /// An option of a request: its address, what it sends, or a header.
    fn request_option(&mut self, args: &Args) -> Val {
        let option = match args.get(1) {
            Some(Val::Name(name)) => Rc::clone(name),
            Some(Val::Made(made)) => Rc::clone(&made.name),
            _ => Rc::from(""),
        };
        match option.rsplit(['.', '_']).next().unwrap_or_default() {
            "URL" | "" => {}
            "POSTFIELDS" | "COPYPOSTFIELDS" | "INFILE" | "HTTPPOST" | "READDATA" | "MIMEPOST" => {
                return self.send(&args.skip(2));
            }
            _ => {
                let values = self.store.list(args.skip(2).list);
                let headers = self.store.table(vec![(Rc::from("headers"), values)], None);
                return self.send(&Args::of(vec![headers]));
            }
        }
        let data = self.arguments(args);
        let address = data.list.iter().find_map(|value| match value {
            Data::Text(text) if text.any.iter().any(|text| text.prefix().contains("://")) => {
                Some(text.clone())
            }
            _ => None,
        });
        if let Some(address) = address {
            self.peer = Some(address.clone());
            self.note(crate::facts::Act::Request { method: None, sends: false, address, data });
        }
        Val::Nothing
    }

    /// The variables of the environment that a value holds.
    pub(super) fn variables_in(&self, value: &Val, found: &mut Text, depth: u32) {
        let Some(depth) = depth.checked_sub(1).filter(|_| found.pieces.len() < 16) else { return };
        match value {
            Val::Text(_) => {
                if let Val::Text(text) = texts::remains(value, Taint::NONE)
                    && text.any.iter().any(texts::holds_variable)
                {
                    text.any.iter().flat_map(|text| &text.pieces).for_each(|piece| found.push(piece.clone()));
                }
            }
            Val::List(_) => {
                let items = self.store.items(value).unwrap_or_default();
                items.items.iter().take(16).for_each(|item| self.variables_in(item, found, depth));
            }
            Val::Table(_) => {
                let entries = self.store.entries(value).unwrap_or_default();
                entries.entries.iter().take(16).for_each(|(_, item)| self.variables_in(item, found, depth));
            }
            _ => {}
        }
    }

    /// What is made of the program itself, or for others.
    fn of_program(&mut self, make: Make, name: &str, args: &Args) -> Val {
        let first = self.first(args);
        match make {
            Make::Names => match args.get(0) {
                Some(Val::Module(frame)) => self.names_of(*frame),
                Some(given) => given.clone(),
                None => Val::name("globals"),
            },
            Make::Literal => match first.literal() {
                Some(text) => {
                    let source = crate::holes::Source::new(&Text::literal(&text), first.taint());
                    let frame = self.scopes.open(None, false);
                    self.text(source, None, frame)
                }
                None => Val::Unknown(args.taint()),
            },
            Make::OptionParser => Val::made(name, args.clone()),
            Make::Count | Make::Nothing => {
                self.callbacks(args);
                Val::unknown()
            }
            Make::Encoded => {
                let args = self.all_shown(args);
                // What is in it goes with it.
                let taint = args.all().fold(args.taint(), |all, value| all.union(self.store.taint(value)));
                let mut held = Text::default();
                args.all().for_each(|value| self.variables_in(value, &mut held, 4));
                match (args.list.is_empty(), held.pieces.is_empty()) {
                    (true, _) => Val::unknown(),
                    (_, true) => Val::made(name, args),
                    (_, false) => Val::Text(Value::of([held], taint)),
                }
            }
            Make::Memory => self.in_memory(args.get(0)),
            Make::Record => Val::made(name, args.clone()),
            Make::Endless => Val::made(super::blocks::ENDLESS, args.clone()),
            Make::Fits => Val::unknown(),
            Make::RequestOption => self.request_option(args),
            _ => Val::Unknown(args.taint()),
        }
    }
}

/// The place in a list that a number means, which may be counted from the end.
fn place_of(at: i64, length: usize) -> Option<usize> {
    if at < 0 {
        return Some(length.saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX)));
    }
    usize::try_from(at).ok()
}
