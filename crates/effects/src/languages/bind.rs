//! Values to variables: assignments, parameters, patterns.

use std::rc::Rc;

use tollgate_model::WriteMode;
use tollgate_shell::value::{HoleSource, Value};

use super::classes::PROPERTY;
use super::flat::COMMAND;
use super::machine::Machine;
use super::members::number_of;
use super::ruby::BLOCK;
use super::scope::OUTER;
use super::services::is_service;
use super::token::Tok;
use super::value::{Args, Function, List, Val};
use crate::analyst::taint;

impl Machine<'_, '_, '_> {
    /// Gives a variable, or a part of one, a value.
    pub fn assign(&mut self, place: Option<Rc<str>>, value: Val) {
        if let Some(place) = place.filter(|place| place.len() < 200) {
            if self.set_by_class(&place, &value) {
                return;
            }
            let before = self.scope.get(&place).filter(|_| self.syntax.flat);
            let value = before.map_or_else(|| value.clone(), |before| before.union(&value));
            // A method that runs without an object has the parts of the one that was seen last.
            if let Some((_, part)) = place.strip_prefix('#').and_then(|part| part.split_once('.')) {
                self.scope.set(&self.legacy(part), value.clone());
            }
            self.scope.set(&place, value);
        }
    }

    /// A part of whatever object it is, by its name.
    fn legacy(&self, part: &str) -> String {
        match self.syntax.bare_calls && !self.syntax.symbolic {
            true => format!("@{part}"),
            false => format!("{}.{part}", self.syntax.this),
        }
    }

    /// A part of a value is set: `file.text = ""` writes the file, and the body of a request is sent with it.
    pub fn part_set(&mut self, place: Option<&str>, value: &Val) {
        let Some((owner, part)) = place.and_then(|place| place.rsplit_once('.')) else { return };
        self.env_part(owner, part, value);
        let root = owner.split('.').next().unwrap_or_default();
        if let Some(Val::Object(object)) = self.scope.get(root).cloned().filter(|_| !root.is_empty())
            && is_service(&object.class)
        {
            let named = vec![(Rc::from(part), value.clone())];
            self.asked_of_service(&object.class, "set", &Args { list: Vec::new(), named });
        }
        self.put_in_part(owner, part, value);
        match self.scope.get(owner).cloned() {
            // Bytes of a file that is in memory.
            Some(Val::File(file)) if file.writes && (part == "[]" || part.parse::<i64>().is_ok()) => {
                let path = Val::Text(file.path.clone());
                let whole = part == "[]";
                let mode = if whole { WriteMode::Overwrite } else { WriteMode::Edit };
                self.write(&path, mode, None);
                if whole {
                    self.cut(&path);
                }
            }
            Some(Val::Object(command)) if &*command.class == COMMAND => {
                self.command_part(owner, &command, part, value);
            }
            Some(path @ Val::Text(_)) if self.syntax.flat && matches!(part, "text" | "bytes") => {
                self.write(&path, WriteMode::Overwrite, Some(&value.as_text()));
            }
            Some(Val::Unknown(marks))
                if taint::has(marks, taint::NET)
                    && matches!(part, "body" | "body_stream" | "content" | "data") =>
            {
                self.send_to_peer("send", Args::of(vec![value.clone()]));
            }
            Some(Val::Unknown(marks)) if taint::has(marks, taint::NET) => {
                self.send_headers(vec![value.clone()]);
            }
            _ => {}
        }
    }

    /// What is set in a table, an object or an address is a part of it from then on.
    pub fn put_in_part(&mut self, owner: &str, part: &str, value: &Val) {
        self.own_part(owner);
        match self.scope.get(owner).cloned() {
            Some(Val::Table(table)) if part == "?" && !value.is_nothing_known() => {
                self.put_anywhere(&Val::Table(table), value);
            }
            // What sets such a part has been run instead.
            Some(Val::Table(table))
                if is_property(table.entries.iter().rfind(|(name, _)| **name == *part)) => {}
            Some(Val::Table(table)) => {
                let kept = table.entries.iter().filter(|(name, _)| **name != *part || part == "?");
                let entries = kept.cloned().chain([(Rc::from(part), value.clone())]).collect();
                self.changed_place(owner, &Val::Table(table), Val::table(entries));
            }
            Some(Val::List(list))
                if list.items.is_empty() && part.parse::<u32>().is_err() && part != "[]" && part != "?" =>
            {
                let table = Val::table(vec![(Rc::from(part), value.clone())]);
                self.changed_place(owner, &Val::List(list), table);
            }
            Some(Val::List(list)) if !self.syntax.flat => self.put_in_list(owner, &list, part, value),
            // A text that can be changed in place.
            Some(text @ Val::Text(_)) if part == "[]" && self.syntax.bare_calls => {
                let new = Val::Text(Value::something(HoleSource::Input)).union(value);
                self.scope.text_altered(&text, &new);
            }
            Some(Val::Text(address)) if is_address_part(part) && value.tells() => {
                self.scope.set(owner, Val::Text(address.concat(&value.as_text())));
            }
            Some(object @ Val::Object(_)) => {
                object.hold(&Args::of(vec![value.clone()]));
            }
            Some(_) => {}
            // A part of a part: `session.headers["X"] = …`.
            None => {
                if let Some((whole, _)) = owner.rsplit_once('.')
                    && let Some(object @ Val::Object(_)) = self.scope.get(whole).cloned()
                {
                    object.hold(&Args::of(vec![value.clone()]));
                }
            }
        }
    }

    /// What all objects of a class begin with is an object's own once something is put into it.
    fn own_part(&mut self, place: &str) {
        let Some((number, part)) = place.strip_prefix('#').and_then(|place| place.split_once('.')) else {
            return;
        };
        if self.scope.get(place).is_some() {
            return;
        }
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let class = at.and_then(|at| self.own.classes.get(at)).cloned();
        if let Some(begin @ (Val::List(_) | Val::Table(_))) =
            class.as_ref().and_then(|class| class.member(part))
        {
            self.scope.set(place, begin.clone());
        }
    }

    /// `list[0] = value`; a place that is not known may be any of them.
    fn put_in_list(&mut self, owner: &str, list: &Rc<List>, part: &str, value: &Val) {
        if !self.burn(list.items.len() / 4) {
            return;
        }
        let mut items = list.items.clone();
        let at = part.parse::<usize>().ok();
        let known = at.is_some() && !list.open && self.unsure == 0;
        match at.and_then(|at| items.get_mut(at)).filter(|_| known) {
            Some(item) => *item = value.clone(),
            None => items.push(value.clone()),
        }
        let open = list.open || !known && at != Some(list.items.len());
        let new = if open { Val::many(items) } else { Val::list(items) };
        self.changed_place(owner, &Val::List(Rc::clone(list)), new);
    }

    /// A table takes in the entries of another: `headers.update({…})`.
    pub fn table_grown(&mut self, value: &Val, place: Option<&str>, name: &str, args: &Args) {
        let (Val::Table(table), Some(place)) = (value, place) else { return };
        if !matches!(name, "update" | "merge!" | "putAll" | "store") {
            return;
        }
        let given = args.list.iter().filter_map(|value| match value {
            Val::Table(more) => Some(more.entries.clone()),
            _ => None,
        });
        let more = given.flatten().chain(args.named.iter().cloned());
        let entries = table.entries.iter().cloned().chain(more).collect();
        self.changed_place(place, value, Val::table(entries));
    }

    /// `url.searchParams.set(name, value)` is a part of the address.
    pub fn query_set(&mut self, place: Option<&str>, name: &str, args: &Args) {
        let owner = place.and_then(|place| place.strip_suffix(".searchParams"));
        let (Some(owner), true) = (owner, matches!(name, "set" | "append")) else { return };
        for value in args.list.iter().filter(|value| value.tells()) {
            self.put_in_part(owner, "search", value);
        }
    }

    /// A parameter that is the variable itself which it is given: what is set there is set outside.
    fn share_params(&mut self, function: &Function, args: &Args) {
        let given = std::mem::take(&mut self.own.given);
        if given.len() != args.list.len() {
            return;
        }
        // All that a function is given are the variables themselves: `$_[0] = …`.
        if !self.syntax.local {
            let plain = given.iter().enumerate().filter_map(|(at, place)| Some((at, place.as_deref()?)));
            for (at, place) in plain.filter(|(_, place)| place.starts_with('$') && !place.contains('.')) {
                self.scope.alias(&format!("@_.{at}"), place);
            }
            return;
        }
        for (param, place) in function.params.iter().zip(given) {
            if let Some(place) = place.filter(|place| param.shared && !place.contains('.')) {
                self.scope.set(&format!("{OUTER}{place}"), Val::name("true"));
                self.scope.alias(&param.name, &place);
            }
        }
    }

    pub fn bind_params(&mut self, function: &Function, args: &Args) {
        self.share_params(function, args);
        let spread = self.spread(function, args);
        let mut given = spread.as_deref().unwrap_or(&args.list).iter();
        self.scope.set("@_", Val::list(args.list.clone()));
        if let Some(block @ Val::Function(_)) =
            args.list.last().filter(|_| self.syntax.bare_calls && !self.syntax.symbolic)
        {
            self.scope.set(BLOCK, block.clone());
        }
        for param in &function.params {
            if param.receives {
                let this = self.own.this.clone().unwrap_or_else(Val::unknown);
                self.scope.set(&param.name, this);
                continue;
            }
            if param.rest {
                let rest: Vec<Val> = given.by_ref().cloned().collect();
                let value = if args.list.is_empty() { Val::unknown() } else { Val::list(rest) };
                self.scope.set(&param.name, value);
                continue;
            }
            let named =
                args.named.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.clone());
            let value = match (named.or_else(|| given.next().cloned()), param.default.clone()) {
                (Some(value), _) => value,
                (None, _) if let Some(preset) = function.preset(param) => preset,
                (None, Some(range)) => self.expr_in(range),
                (None, None) => Val::unknown(),
            };
            let copies = !param.shared && param.name.starts_with(self.syntax.copying);
            let value = if copies { value.copied() } else { value };
            if param.promoted {
                self.promote(&param.name, &value);
            }
            match param.pattern.clone() {
                Some(range) => {
                    self.declare_names(range.clone(), true);
                    self.range(range, |machine| machine.bind_pattern(&value));
                }
                None => self.scope.set(&param.name, value),
            }
        }
    }

    /// What a constructor is given becomes a part of the object without more words.
    fn promote(&mut self, name: &str, value: &Val) {
        let number = self.own.this.as_ref().and_then(number_of).cloned();
        if let Some(number) = number {
            let place = format!("{number}.{}", name.trim_start_matches('$'));
            self.assign(Some(Rc::from(place)), value.clone());
        }
    }

    /// A block with several parameters takes the one list that it is given apart.
    fn spread(&self, function: &Function, args: &Args) -> Option<Vec<Val>> {
        let several = self.syntax.bare_calls && !self.syntax.symbolic && function.params.len() > 1;
        match args.list.as_slice() {
            [Val::List(list)] if several && !list.open => Some(list.items.clone()),
            [one @ (Val::Unknown(_) | Val::List(_))] if several => {
                Some(vec![Val::Unknown(one.taint()); function.params.len()])
            }
            _ => None,
        }
    }

    /// Takes a value apart by the pattern that stands in the range: `[a, b]`, `{a, b: c}`, `(a, b)`, `a, b`.
    pub fn bind_pattern(&mut self, value: &Val) {
        if !self.enter() {
            return;
        }
        self.bind_parts(value);
        self.leave();
    }

    fn bind_parts(&mut self, value: &Val) {
        if matches!(self.peek(), Some(Tok::Op("(" | "["))) && self.pair() + 1 >= self.end {
            let close = self.pair();
            return self.range(self.at + 1..close, |machine| machine.bind_items(value));
        }
        if self.sees("{") {
            let close = self.pair();
            return self.range(self.at + 1..close, |machine| machine.bind_entries(value));
        }
        self.bind_items(value);
    }

    fn bind_items(&mut self, value: &Val) {
        let ranges = self.split(self.end, ",");
        let single = ranges.len() == 1
            && !matches!(
                self.tokens.get(self.at.wrapping_sub(1)).map(|token| &token.tok),
                Some(Tok::Op("["))
            );
        for (at, range) in ranges.into_iter().enumerate() {
            let first = self.tokens.get(range.start).map(|token| &token.tok);
            let rest = matches!(first, Some(Tok::Var('@', _) | Tok::Op("*" | "...")));
            let item = match value {
                Val::List(list) if rest && !list.open => {
                    Val::list(list.items.iter().skip(at).cloned().collect())
                }
                _ if single => value.clone(),
                Val::List(list) if !list.open => list.items.get(at).cloned().unwrap_or_else(Val::unknown),
                Val::List(_) => value.item(),
                other => Val::Unknown(other.taint()),
            };
            self.range(range, |machine| machine.bind_one(&item));
        }
    }

    fn bind_entries(&mut self, value: &Val) {
        for range in self.split(self.end, ",") {
            self.range(range, |machine| {
                machine.eat("...");
                let Some(key) = machine.name() else { return };
                let item = machine.part(value, &key);
                if machine.eat(":") {
                    machine.bind_one(&item);
                } else {
                    machine.scope.set(&key, item);
                }
            });
        }
    }

    fn bind_one(&mut self, value: &Val) {
        while self.eat("*") || self.eat("...") {}
        match self.peek() {
            // What follows such an item is what it is by default, and no other item.
            Some(Tok::Op("(" | "[" | "{")) => {
                let close = self.pair();
                self.range(self.at..close + 1, |machine| machine.bind_pattern(value));
            }
            _ => {
                self.unary();
                let place = self.place.take();
                self.part_set(place.as_deref(), value);
                self.assign(place, value.clone());
            }
        }
    }
}

/// Is it an entry that is read and set by functions?
fn is_property(entry: Option<&(Rc<str>, Val)>) -> bool {
    matches!(entry, Some((_, Val::Object(property))) if &*property.class == PROPERTY)
}

/// Parts of an address that can be set.
fn is_address_part(part: &str) -> bool {
    matches!(
        part,
        "pathname"
            | "search"
            | "hash"
            | "host"
            | "hostname"
            | "username"
            | "password"
            | "path"
            | "query"
            | "fragment"
            | "userinfo"
            | "user"
    )
}
