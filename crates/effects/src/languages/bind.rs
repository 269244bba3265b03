//! Values to variables: assignments, parameters, patterns.

use std::rc::Rc;

use tollgate_model::WriteMode;

use super::flat::COMMAND;
use super::machine::Machine;
use super::services::is_service;
use super::token::Tok;
use super::value::{Args, Function, Val};
use crate::analyst::taint;

impl Machine<'_, '_, '_> {
    /// Gives a variable, or a part of one, a value.
    pub fn assign(&mut self, place: Option<Rc<str>>, value: Val) {
        if let Some(place) = place.filter(|place| place.len() < 200) {
            let before = self.scope.get(&place).filter(|_| self.syntax.flat);
            let value = before.map_or_else(|| value.clone(), |before| before.union(&value));
            self.scope.set(&place, value);
        }
    }

    /// A part of a value is set: `file.text = ""` writes the file, and the body of a request is sent with it.
    pub fn part_set(&mut self, place: Option<&str>, value: &Val) {
        let Some((owner, part)) = place.and_then(|place| place.rsplit_once('.')) else { return };
        let root = owner.split('.').next().unwrap_or_default();
        if let Some(Val::Object(object)) = self.scope.get(root).cloned().filter(|_| !root.is_empty())
            && is_service(&object.class)
        {
            let named = vec![(Rc::from(part), value.clone())];
            self.asked_of_service(&object.class, "set", &Args { list: Vec::new(), named });
        }
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
                if taint::has(marks, taint::NET) && matches!(part, "body" | "body_stream" | "content") =>
            {
                self.send_to_peer("send", Args::of(vec![value.clone()]));
            }
            _ => {}
        }
    }

    pub fn bind_params(&mut self, function: &Function, args: &Args) {
        let mut given = args.list.iter();
        self.scope.set("@_", Val::list(args.list.clone()));
        for param in &function.params {
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
                (None, Some(range)) => self.expr_in(range),
                (None, None) => Val::unknown(),
            };
            match param.pattern.clone() {
                Some(range) => self.range(range, |machine| machine.bind_pattern(&value)),
                None => self.scope.set(&param.name, value),
            }
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
            Some(Tok::Op("(" | "[" | "{")) => self.bind_pattern(value),
            _ => {
                self.unary();
                let place = self.place.take();
                self.part_set(place.as_deref(), value);
                self.assign(place, value.clone());
            }
        }
    }
}
