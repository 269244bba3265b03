//! Expressions.

use std::rc::Rc;

use tollgate_shell::value::{Text, Value};

use super::scope::Unit;
use super::value::{Args, Val};
use super::{Machine, texts};
use crate::tree::{Binary, Comprehension, ComprehensionId, Kind, List, NodeId};

impl Machine<'_> {
    /// The value of an expression. A statement is run, and its value is nothing.
    pub(super) fn expr(&mut self, id: NodeId) -> Val {
        if !self.burn(3) || !self.enter() {
            return Val::unknown();
        }
        let unit = Rc::clone(&self.unit);
        let node = unit.tree.node(id);
        let before = std::mem::replace(&mut self.range, node.range);
        let value = match node.kind {
            Kind::Name(name) => match unit.symbol(name) {
                Some(symbol) => self.lookup(symbol),
                None => Val::unknown(),
            },
            Kind::Call { callee, args, makes } => self.call(&unit, callee, args, makes),
            Kind::Attribute { of, name } => {
                let of = self.expr(of);
                self.attribute(&of, unit.tree.name(name))
            }
            Kind::Index { of, key } => {
                let of = self.expr(of);
                let key = self.expr(key);
                self.index(&of, &key)
            }
            Kind::Slice { of, bounds } => {
                let of = self.expr(of);
                let bounds: Vec<Val> = unit.tree.list(bounds).iter().map(|bound| self.expr(*bound)).collect();
                self.looks_at(&of);
                texts::slice(&mut self.store, &of, &bounds)
            }
            Kind::Binary { .. } => self.binary(&unit, id),
            Kind::Template(parts) => self.template(&unit, parts),
            _ => self.other_expr(&unit, id),
        };
        self.range = before;
        self.leave();
        value
    }

    fn other_expr(&mut self, unit: &Rc<Unit>, id: NodeId) -> Val {
        match unit.tree.kind(id) {
            Kind::Text(text) | Kind::Pattern(text) => Val::Text(unit.source.text(unit.tree.text(text))),
            Kind::Hole(hole) => Val::Text(unit.source.hole(hole)),
            Kind::Int(number) => Val::Int(number),
            Kind::Bool(truth) => Val::Bool(truth),
            Kind::Nothing => Val::Nothing,
            Kind::List(items) => {
                let args = self.items(unit, items);
                self.store.list_of(args.list, args.open)
            }
            Kind::Table(pairs) => self.table(unit, pairs),
            Kind::Assign { target, value } => {
                let value = self.expr(value);
                self.assign(target, &value);
                value
            }
            Kind::Augment { target, op, value } => self.augment(target, op, value),
            Kind::And(parts) => self.parts_that_hold(unit, parts, true),
            Kind::Or(parts) => self.parts_that_hold(unit, parts, false),
            Kind::If { test, then, otherwise } => self.choice(test, then, otherwise),
            Kind::Comprehension(made) => self.comprehension(unit, made),
            Kind::Function(function) => self.closure(unit, function),
            Kind::This => self.this.clone().unwrap_or_default(),
            Kind::Super => self.above(),
            Kind::Spread(inner) => self.expr(inner),
            _ => self.sign(unit, id),
        }
    }

    /// What stands before a value.
    fn sign(&mut self, unit: &Rc<Unit>, id: NodeId) -> Val {
        match unit.tree.kind(id) {
            Kind::Not(of) => {
                let of = self.expr(of);
                self.looks_at(&of);
                of.truth().map_or_else(Val::unknown, |truth| Val::Bool(!truth))
            }
            Kind::Minus(of) => match self.expr(of) {
                Val::Int(number) => Val::Int(number.wrapping_neg()),
                other => Val::Unknown(self.store.taint(&other)),
            },
            Kind::Sign(of) => {
                let of = self.expr(of);
                Val::Unknown(self.store.taint(&of))
            }
            Kind::Compare { op, left, right } => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.compared(op, &left, &right)
            }
            Kind::Await(of) => {
                self.effort.calms += 1;
                self.expr(of)
            }
            Kind::Yield { value, all } => {
                let value = value.map_or(Val::Nothing, |value| self.expr(value));
                self.yields(value, all);
                Val::unknown()
            }
            Kind::Number => Val::unknown(),
            Kind::Deep => {
                self.opaque(crate::facts::Why::Deep);
                Val::unknown()
            }
            // Statements that stand where a value is wanted.
            _ if !super::is_expression(unit.tree.kind(id)) => {
                self.statement(id);
                Val::Nothing
            }
            _ => Val::unknown(),
        }
    }

    fn yields(&mut self, value: Val, all: bool) {
        let items = if all { self.store.items(&value).map(|items| items.items.clone()) } else { None };
        let items = items.unwrap_or_else(|| vec![value]);
        if let Some(back) = self.backs.last_mut()
            && back.yielded.len() < 256
        {
            back.yielded.extend(items);
        }
    }

    /// `a + b + c`: what stands left may be long, and is worked out without going down.
    fn binary(&mut self, unit: &Rc<Unit>, id: NodeId) -> Val {
        let mut spine = Vec::new();
        let mut at = id;
        while let Kind::Binary { op, left, right } = unit.tree.kind(at) {
            spine.push((op, right));
            at = left;
        }
        let mut value = self.expr(at);
        for (op, right) in spine.into_iter().rev() {
            let right = self.expr(right);
            value = self.combined(op, &value, &right);
        }
        value
    }

    /// What two values make.
    pub(super) fn combined(&mut self, op: Binary, left: &Val, right: &Val) -> Val {
        self.burn(2);
        let dialect = self.unit.tree.dialect;
        match (op, left, right) {
            (_, Val::Object(_), _) | (_, _, Val::Object(_)) => self.operated(op, left, right),
            (Binary::Add, Val::Int(a), Val::Int(b)) => a.checked_add(*b).map_or_else(Val::unknown, Val::Int),
            (Binary::Add, Val::List(_), Val::List(_) | Val::Name(_) | Val::Unknown(_))
            | (Binary::Add, Val::Name(_) | Val::Unknown(_), Val::List(_)) => self.added_lists(left, right),
            (Binary::Add, Val::Text(_), _) | (Binary::Add, _, Val::Text(_)) => {
                let (left, right) = (self.exposed(left), self.exposed(right));
                Val::Text(self.concat(&left.as_text(), &right.as_text()))
            }
            (Binary::Divide, Val::Text(_), _) | (Binary::Divide, _, Val::Text(_)) if dialect.joins_paths => {
                let paths = [left.as_text(), right.as_text()];
                self.looks_at_path(right);
                Val::Text(texts::join_paths(&paths))
            }
            (Binary::Modulo, Val::Text(format), _) if dialect.fills => self.filled_in(format, right),
            (Binary::Multiply, Val::Text(text), Val::Int(times))
            | (Binary::Multiply, Val::Int(times), Val::Text(text)) => self.repeated(text, *times),
            (Binary::Multiply, Val::List(_), Val::Int(times)) => self.repeated_list(left, *times),
            (Binary::Or, Val::Name(a), Val::Name(b)) if a.len() + b.len() < 120 => {
                Val::name(&format!("{a}|{b}"))
            }
            (Binary::Or, Val::Table(_), Val::Table(_)) => self.merged(&[left.clone(), right.clone()]),
            (_, Val::Int(a), Val::Int(b)) => number(op, *a, *b).map_or_else(Val::unknown, Val::Int),
            _ => Val::Unknown(self.store.taint(left).union(self.store.taint(right))),
        }
    }

    /// An absolute path stands for itself where paths are put together.
    pub(super) fn looks_at_path(&mut self, path: &Val) {
        let begins = |text: &Value| text.any.iter().any(|text| text.prefix().is_empty());
        if matches!(path, Val::Text(text) if begins(text)) {
            self.looks_at(path);
        }
    }

    fn added_lists(&mut self, left: &Val, right: &Val) -> Val {
        let (a, b) = match (self.store.items(left), self.store.items(right)) {
            (Some(a), Some(b)) => (a, b),
            // What the other list holds is not known.
            (Some(known), None) | (None, Some(known)) => return self.store.many(known.items.clone()),
            (None, None) => return Val::unknown(),
        };
        let items = a.items.iter().chain(&b.items).cloned().collect();
        self.store.list_of(items, a.open || b.open)
    }

    fn repeated(&mut self, text: &Value, times: i64) -> Val {
        let known = text.as_literal().zip(usize::try_from(times).ok());
        match known {
            Some((text, times)) if text.len().saturating_mul(times) <= 4096 => Val::text(&text.repeat(times)),
            _ => Val::Text(text.union(&Value::something(tollgate_shell::value::HoleSource::Input))),
        }
    }

    fn repeated_list(&mut self, list: &Val, times: i64) -> Val {
        let Some(items) = self.store.items(list) else { return Val::unknown() };
        let length = usize::try_from(times).ok().map(|times| items.items.len().saturating_mul(times));
        match length.filter(|length| *length <= 64 && !items.open) {
            Some(length) => self.store.list(items.items.iter().cloned().cycle().take(length).collect()),
            None => self.store.many(items.items.clone()),
        }
    }

    /// `format % values`
    fn filled_in(&mut self, format: &Value, right: &Val) -> Val {
        let items = self.store.items(right).map(|items| items.items.clone());
        let values = items.unwrap_or_else(|| vec![right.clone()]);
        let entries = self.store.entries(right);
        let entry = |name: &str| {
            let entries = entries.as_ref()?;
            entries.entries.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value.clone())
        };
        let values: Vec<Val> = values.iter().map(|value| self.exposed(value)).collect();
        let taint = self.store.taint(right);
        match format.as_literal() {
            Some(text) => Val::Text(texts::printf(text, &values, entry).with_taint(taint)),
            None => Val::Text(
                Value::something(tollgate_shell::value::HoleSource::Input)
                    .with_taint(format.taint.union(taint)),
            ),
        }
    }

    fn template(&mut self, unit: &Rc<Unit>, parts: List) -> Val {
        let mut whole = Value::empty();
        for part in unit.tree.list(parts) {
            let value = self.expr(*part);
            let value = self.shown(&value);
            whole = self.concat(&whole, &value);
        }
        Val::Text(whole)
    }

    /// A value as it is written.
    pub(super) fn shown(&mut self, value: &Val) -> Value {
        let crate::tree::Dialect { nothing: [nothing, yes, no], shown, .. } = *self.unit.tree.dialect;
        match self.exposed(value) {
            Val::Nothing => Value::text(nothing),
            Val::Bool(true) => Value::text(yes),
            Val::Bool(false) => Value::text(no),
            object @ Val::Object(_) => match self.method_of_object(&object, shown, &Args::default()) {
                Some(text) => text.as_text(),
                None => object.as_text(),
            },
            // Of a list or a table, at least the variables in it are seen.
            other => {
                let taint = self.store.taint(&other);
                let mut held = Text::default();
                if matches!(other, Val::List(_) | Val::Table(_)) {
                    self.variables_in(&other, &mut held, 4);
                }
                match held.pieces.is_empty() {
                    true => other.as_text().with_taint(taint),
                    false => Value::of([held], taint),
                }
            }
        }
    }

    /// Items one after the other, those of others among them.
    pub(super) fn items(&mut self, unit: &Rc<Unit>, list: List) -> Args {
        let mut args = Args::default();
        for item in unit.tree.list(list) {
            match unit.tree.kind(*item) {
                Kind::Spread(inner) => {
                    let inner = self.expr(inner);
                    self.spread(&inner, &mut args);
                }
                Kind::Named { name, value } => {
                    let value = self.expr(value);
                    args.named.push((Rc::from(unit.tree.name(name)), value));
                }
                _ => {
                    let value = self.expr(*item);
                    args.list.push(value);
                }
            }
        }
        args
    }

    /// `*list` and `**table` among arguments.
    fn spread(&mut self, inner: &Val, args: &mut Args) {
        self.looks_at(inner);
        let inner = &self.exposed(inner);
        if let Some(entries) = self.store.entries(inner) {
            args.named.extend(entries.entries.iter().cloned());
            args.open |= entries.others.is_some();
            return;
        }
        match self.store.items(inner) {
            Some(items) if !items.open => args.list.extend(items.items.iter().cloned()),
            _ => {
                args.open = true;
                let item = self.store.item(inner);
                args.list.push(item);
            }
        }
    }

    fn table(&mut self, unit: &Rc<Unit>, pairs: List) -> Val {
        let mut entries: Vec<(Rc<str>, Val)> = Vec::new();
        let mut others: Option<Val> = None;
        for pair in unit.tree.list(pairs) {
            match unit.tree.kind(*pair) {
                Kind::Pair { key, value } => {
                    let (key, value) = (self.expr(key), self.expr(value));
                    let asked = self.unit.tree.dialect.implicit.key;
                    self.method_of_object(&key, asked, &Args::default());
                    match key.literal() {
                        Some(key) => entries.push((Rc::from(key), value)),
                        None => {
                            others = Some(match others.take() {
                                Some(known) => self.store.either_val(&known, &value),
                                None => value,
                            });
                        }
                    }
                }
                Kind::Spread(inner) => {
                    let inner = self.expr(inner);
                    match self.store.entries(&inner) {
                        Some(more) => {
                            entries.extend(more.entries.iter().cloned());
                            others = others.or_else(|| more.others.clone());
                        }
                        // A copy of the environment for a child is no secret on its own, but what prints it shows it.
                        None if matches!(&inner, Val::Name(_)) => entries.push((Rc::from("**"), inner)),
                        None => others = others.or(Some(inner)),
                    }
                }
                _ => drop(self.expr(*pair)),
            }
        }
        self.store.table(entries, others)
    }

    fn choice(&mut self, test: NodeId, then: NodeId, otherwise: Option<NodeId>) -> Val {
        let holds = self.condition(test, true);
        let fails = self.said(test, false);
        let mut values = [Val::Nothing, Val::Nothing];
        let yes = self.attempt(|machine| {
            machine.believe(holds);
            values[0] = machine.expr(then);
        });
        let no = self.attempt(|machine| {
            machine.believe(fails);
            if let Some(otherwise) = otherwise {
                values[1] = machine.expr(otherwise);
            }
        });
        self.store.join(vec![yes, no], false);
        let [yes, no] = values;
        self.store.either_val(&yes, &no)
    }

    /// `a and b`, `a or b`: each part where those before it hold, or do not.
    fn parts_that_hold(&mut self, unit: &Rc<Unit>, parts: List, holds: bool) -> Val {
        let mut value: Option<Val> = None;
        let parts = unit.tree.list(parts);
        let believed = self.believed.len();
        let mark = self.store.open();
        for part in parts {
            let next = self.expr(*part);
            value = Some(match value {
                // The last part is what counts where all before it hold; where none does, any of them.
                Some(_) if holds => next,
                Some(before) => self.store.either_val(&before, &next),
                None => next,
            });
            let said = self.said(*part, holds);
            self.believe(said);
        }
        let mut changes = self.store.close(mark);
        for (cell, meant) in self.believed.drain(believed.min(self.believed.len())..) {
            if matches!(changes.get(&cell), Some(super::store::Slot::Val(now)) if now.is_same(&meant)) {
                changes.remove(&cell);
            }
        }
        self.store.join(vec![changes], false);
        value.unwrap_or_default()
    }

    fn comprehension(&mut self, unit: &Rc<Unit>, id: ComprehensionId) -> Val {
        let Some(whole) = unit.tree.comprehension(id) else { return Val::unknown() };
        let outer = self.frame;
        let frame = self.scopes.open(Some(self.scopes.around(outer)), false);
        self.declare(frame, unit, &whole.locals);
        self.frame = frame;
        let mut made =
            Making { items: Vec::new(), entries: Vec::new(), others: None, open: false, table: false };
        self.clause(unit, whole, 0, &mut made);
        self.frame = outer;
        if made.table {
            self.store.table(made.entries, made.others)
        } else {
            self.store.list_of(made.items, made.open)
        }
    }

    fn clause(&mut self, unit: &Rc<Unit>, whole: &Comprehension, at: usize, made: &mut Making) {
        let Some(clause) = whole.clauses.get(at).copied() else {
            return self.element(unit, whole.element, made);
        };
        let of = self.expr(clause.of);
        let known = self.iterated(&of);
        let few = self.store.items(&known).is_some_and(|items| !items.open && items.items.len() <= 64);
        made.open |= !few;
        let start = self.effort;
        let size =
            (unit.tree.node(whole.element).range.end - unit.tree.node(whole.element).range.start) as usize;
        let again = std::mem::replace(&mut self.again, true);
        self.for_each(&known, size, |machine, item| {
            machine.assign(clause.target, item);
            for test in unit.tree.list(clause.tests) {
                let said = machine.condition(*test, true);
                if said.fails {
                    return;
                }
                made.open |= !said.certain;
                machine.believe(said);
            }
            machine.clause(unit, whole, at + 1, made);
        });
        self.again = again;
        self.exhausts(start, super::blocks::is_endless(&of));
    }

    fn element(&mut self, unit: &Rc<Unit>, element: NodeId, made: &mut Making) {
        match unit.tree.kind(element) {
            Kind::Pair { key, value } => {
                made.table = true;
                let (key, value) = (self.expr(key), self.expr(value));
                match key.literal() {
                    Some(key) => made.entries.push((Rc::from(key), value)),
                    None => made.others = Some(value),
                }
            }
            Kind::Spread(inner) => {
                let inner = self.expr(inner);
                made.table |= matches!(inner, Val::Table(_));
                made.items.push(inner);
            }
            _ => {
                let value = self.expr(element);
                made.items.push(value);
            }
        }
    }

    fn augment(&mut self, target: NodeId, op: Binary, value: NodeId) -> Val {
        let old = self.expr(target);
        let by = self.expr(value);
        if let Some(made) = self.changed_in_place(op, &old, &by) {
            self.assign(target, &made);
            return made;
        }
        let grows = matches!(old, Val::Text(_) | Val::List(_)) || matches!(by, Val::Text(_) | Val::List(_));
        self.effort.grown += u32::from(op == Binary::Add && grows);
        // A list is changed where it is.
        if let (Binary::Add, Val::List(_), Some(more)) = (op, &old, self.store.items(&by)) {
            self.store.change_items(&old, |items| {
                items.items.extend(more.items.iter().cloned());
                items.open |= more.open;
            });
            return old;
        }
        let made = match (op, &old) {
            (Binary::Or, Val::Table(_)) => self.merged(&[old.clone(), by]),
            _ => self.combined(op, &old, &by),
        };
        self.assign(target, &made);
        made
    }

    /// Gives a value to what stands on the left.
    pub(super) fn assign(&mut self, target: NodeId, value: &Val) {
        if !self.enter() {
            return;
        }
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(target) {
            Kind::Name(name) => {
                if let Some(symbol) = unit.symbol(name) {
                    let cell = self.place(symbol);
                    self.store.set_val(cell, value.clone());
                }
            }
            Kind::Attribute { of, name } => {
                let of = self.expr(of);
                self.set_attribute(&of, unit.tree.name(name), value);
            }
            Kind::Index { of, key } => {
                let (of, key) = (self.expr(of), self.expr(key));
                self.set_index(&of, &key, value);
            }
            Kind::Slice { of, .. } => {
                let of = self.expr(of);
                if let Val::File(handle) = &of {
                    self.writes_over(&Rc::clone(handle), value);
                }
                let more = self.store.items(value);
                self.store.change_items(&of, |items| {
                    items.items.extend(more.iter().flat_map(|more| more.items.iter().cloned()));
                    items.open = true;
                });
            }
            Kind::List(targets) => self.assign_each(&unit, targets, value),
            Kind::Table(pairs) => {
                for pair in unit.tree.list(pairs) {
                    match unit.tree.kind(*pair) {
                        Kind::Pair { key, value: taker } => {
                            let key = self.expr(key);
                            let item = match key.literal() {
                                Some(name) => self.attribute(value, &name),
                                None => self.index(value, &key),
                            };
                            self.assign(taker, &item);
                        }
                        Kind::Spread(rest) => self.assign(rest, value),
                        _ => {}
                    }
                }
            }
            Kind::Default { target, value: default } => {
                let default = self.expr(default);
                let either = match value {
                    Val::Nothing => default,
                    Val::Unknown(taint) if taint.is_empty() => default,
                    known => known.clone(),
                };
                self.assign(target, &either);
            }
            Kind::Spread(inner) => self.assign(inner, value),
            _ => {}
        }
        self.leave();
    }

    fn assign_each(&mut self, unit: &Rc<Unit>, targets: List, value: &Val) {
        self.looks_at(value);
        let targets = unit.tree.list(targets);
        let value = self.iterated(value);
        let items = self.store.items(&value);
        let any = self.store.item(&value);
        for (at, target) in targets.iter().enumerate() {
            let known = items.as_ref().filter(|items| !items.open);
            if let Kind::Spread(rest) = unit.tree.kind(*target) {
                let left = targets.len() - at - 1;
                let rest_items = match known {
                    Some(items) => {
                        let end = items.items.len().saturating_sub(left).max(at);
                        let items = items.items.get(at..end).unwrap_or_default().to_vec();
                        self.store.list(items)
                    }
                    None => self.store.many(vec![any.clone()]),
                };
                self.assign(rest, &rest_items);
                continue;
            }
            let spread =
                targets.iter().take(at).any(|before| matches!(unit.tree.kind(*before), Kind::Spread(_)));
            let item = known.and_then(|items| match spread {
                true => items.items.get(items.items.len().checked_sub(targets.len() - at)?).cloned(),
                false => items.items.get(at).cloned(),
            });
            self.assign(*target, &item.unwrap_or_else(|| any.clone()));
        }
    }
}

/// A list or table that is being made.
struct Making {
    items: Vec<Val>,
    entries: Vec<(Rc<str>, Val)>,
    others: Option<Val>,
    open: bool,
    table: bool,
}

fn number(op: Binary, a: i64, b: i64) -> Option<i64> {
    match op {
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::DivideWhole | Binary::Divide if b != 0 && a % b == 0 => a.checked_div(b),
        Binary::DivideWhole if b != 0 => Some(a.div_euclid(b)),
        Binary::Modulo if b != 0 => Some(a.rem_euclid(b)),
        Binary::Or => Some(a | b),
        Binary::And => Some(a & b),
        Binary::Xor => Some(a ^ b),
        Binary::Left if (0..62).contains(&b) => a.checked_shl(u32::try_from(b).ok()?),
        Binary::Right if (0..63).contains(&b) => a.checked_shr(u32::try_from(b).ok()?),
        _ => None,
    }
}
