//! Statements: blocks, branches, loops.

use std::rc::Rc;

use tollgate_catalogue::libraries::Role;
use tollgate_shell::value::HoleSource;

use super::scope::Unit;
use super::store::Slot;
use super::value::{Args, Val};
use super::{Flow, Machine};
use crate::facts::Why;
use crate::tree::{Case, Head, Kind, List, Loop, LoopId, MatchId, NodeId, TryId, WithId};

/// The most items that a loop is walked for one by one.
const ROUNDS: usize = 64;

/// The most nodes that such a loop may come to.
const WALKED: usize = 20_000;

impl Machine<'_> {
    /// Runs statements; where one leaves the block, those behind it are not run.
    pub(super) fn block(&mut self, block: NodeId) -> Flow {
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(block) {
            Kind::Block(list) => self.statements(&unit, list),
            _ => self.statement(block),
        }
    }

    fn statements(&mut self, unit: &Rc<Unit>, list: List) -> Flow {
        if !self.enter() {
            return Flow::On;
        }
        let mut flow = Flow::On;
        for statement in unit.tree.list(list) {
            if self.stopped || flow == Flow::Out {
                break;
            }
            flow = self.statement(*statement);
        }
        self.leave();
        flow
    }

    /// Runs one statement.
    pub(super) fn statement(&mut self, id: NodeId) -> Flow {
        let unit = Rc::clone(&self.unit);
        let node = unit.tree.node(id);
        let before = std::mem::replace(&mut self.range, node.range);
        if !self.burn(4) {
            return Flow::On;
        }
        let flow = match node.kind {
            Kind::Block(list) => self.statements(&unit, list),
            Kind::If { test, then, otherwise } => self.conditional(test, then, otherwise),
            Kind::Loop(each) => self.repeat(&unit, each),
            Kind::Try(attempt) => self.try_block(&unit, attempt),
            Kind::With(with) => self.with(&unit, with),
            Kind::Match(matching) => self.matching(&unit, matching),
            Kind::Import(import) => {
                self.import(&unit, import);
                Flow::On
            }
            Kind::Function(function) => {
                self.define(&unit, function);
                Flow::On
            }
            Kind::Class(class) => {
                self.define_class(&unit, class);
                Flow::On
            }
            Kind::Break | Kind::Continue => Flow::Out,
            _ => self.leaving(&unit, id),
        };
        self.range = before;
        flow
    }

    /// Statements that leave the function, or nothing.
    fn leaving(&mut self, unit: &Rc<Unit>, id: NodeId) -> Flow {
        match unit.tree.kind(id) {
            Kind::Return(value) => {
                let value = value.map_or(Val::Nothing, |value| self.expr(value));
                self.gives_back(value);
                Flow::Out
            }
            Kind::Raise(values) => {
                for value in unit.tree.list(values) {
                    let value = self.expr(*value);
                    self.raised(&value);
                }
                Flow::Out
            }
            Kind::Assert { test, message } => {
                let said = self.condition(test, true);
                self.believe(said);
                if let Some(message) = message {
                    let message = self.expr(message);
                    self.raised(&message);
                }
                Flow::On
            }
            Kind::Remove(targets) => {
                unit.tree.list(targets).iter().for_each(|target| self.removed(unit, *target));
                Flow::On
            }
            Kind::Deep => {
                self.opaque(Why::Deep);
                Flow::On
            }
            Kind::Unknown(parts) => {
                unit.tree.list(parts).iter().for_each(|part| drop(self.expr(*part)));
                self.opaque(Why::Unread);
                Flow::On
            }
            _ => {
                self.expr(id);
                Flow::On
            }
        }
    }

    /// What a program fails with is seen.
    fn raised(&mut self, value: &Val) {
        let said = match value {
            Val::Made(made) => made.args.list.clone(),
            other => vec![other.clone()],
        };
        for value in said {
            let value = self.all_of(&value);
            let text = self.shown(&value);
            self.print(&text, true);
        }
    }

    pub(super) fn gives_back(&mut self, value: Val) {
        let before = self.backs.last_mut().and_then(|back| back.value.take());
        let value = match before {
            Some(before) => self.store.either_val(&before, &value),
            None => value,
        };
        if let Some(back) = self.backs.last_mut() {
            back.value = Some(value);
        }
    }

    fn removed(&mut self, unit: &Rc<Unit>, target: NodeId) {
        match unit.tree.kind(target) {
            Kind::Name(name) => {
                if let Some(symbol) = unit.symbol(name) {
                    let cell = self.place(symbol);
                    if let Some(object) = self.store.val(cell).cloned() {
                        self.ended(&object);
                    }
                    self.store.set(cell, Slot::Unset);
                }
            }
            Kind::Index { of, key } => {
                let (of, key) = (self.expr(of), self.expr(key));
                self.remove_item(&of, &key);
            }
            Kind::List(all) => unit.tree.list(all).iter().for_each(|target| self.removed(unit, *target)),
            _ => drop(self.expr(target)),
        }
    }

    /// `del of[key]`
    pub(super) fn remove_item(&mut self, of: &Val, key: &Val) {
        match (of, key) {
            (Val::Object(_), _) => {
                let removes = self.unit.tree.dialect.implicit.removes_item;
                self.method_of_object(of, removes, &Args::of(vec![key.clone()]));
            }
            (Val::List(_), Val::Int(at)) => {
                let at = usize::try_from(*at).ok();
                self.store.change_items(of, |items| match at.filter(|at| *at < items.items.len()) {
                    Some(at) if !items.open => drop(items.items.remove(at)),
                    _ => items.open = true,
                });
            }
            _ => {
                let key = key.literal();
                self.store.change_entries(of, |entries| {
                    entries.entries.retain(|(name, _)| key.as_deref() != Some(&**name));
                });
                self.store.change_items(of, |items| items.open = true);
            }
        }
    }

    fn conditional(&mut self, test: NodeId, then: NodeId, otherwise: Option<NodeId>) -> Flow {
        let holds = self.condition(test, true);
        let fails = self.said(test, false);
        let mut flows = [Flow::On; 2];
        let kept = holds.clone();
        let yes = self.attempt(|machine| {
            machine.believe(kept);
            flows[0] = machine.block(then);
        });
        let kept = fails.clone();
        let no = self.attempt(|machine| {
            machine.believe(kept);
            if let Some(otherwise) = otherwise {
                flows[1] = machine.block(otherwise);
            }
        });
        self.store.join(vec![yes, no], false);
        // Behind a branch that is left, the condition is what it is in the other.
        match flows {
            [Flow::Out, Flow::Out] => return Flow::Out,
            [Flow::Out, Flow::On] => self.believe(fails),
            [Flow::On, Flow::Out] => self.believe(holds),
            [Flow::On, Flow::On] => {}
        }
        Flow::On
    }

    fn repeat(&mut self, unit: &Rc<Unit>, id: LoopId) -> Flow {
        let Some(whole) = unit.tree.loop_of(id).copied() else { return Flow::On };
        let start = self.effort;
        match whole.head {
            Head::Each { target, of } => {
                let list = self.expr(of);
                let endless = is_endless(&list);
                self.for_each(&list, self.size(whole.body), |machine, item| {
                    machine.assign(target, item);
                    machine.round(&whole);
                });
                self.exhausts(start, endless && !whole.leaves);
            }
            Head::Keys { target, of } => {
                let of = self.expr(of);
                let keys = self.keys(&of);
                self.for_each(&keys, self.size(whole.body), |machine, item| {
                    machine.assign(target, item);
                    machine.round(&whole);
                });
            }
            Head::While(test) => {
                let always = test.is_none_or(|test| is_always(unit.tree.kind(test)));
                self.walk(|machine| {
                    if let Some(test) = test {
                        let said = machine.condition(test, true);
                        machine.believe(said);
                    }
                    machine.round(&whole);
                });
                self.exhausts(start, always && !whole.leaves);
            }
        }
        if let Some(otherwise) = whole.otherwise {
            self.block(otherwise);
        }
        Flow::On
    }

    fn round(&mut self, whole: &Loop) {
        self.block(whole.body);
        if let Some(step) = whole.step {
            self.expr(step);
        }
    }

    /// How many bytes of the text a node takes, which is what it costs to walk it.
    fn size(&self, node: NodeId) -> usize {
        let range = self.unit.tree.node(node).range;
        range.end.saturating_sub(range.start) as usize / 4
    }

    /// Walks the body of a loop that may run any number of times: once, and once more with what it has changed. Loops in a
    /// loop that is being walked again are walked once.
    fn walk(&mut self, mut body: impl FnMut(&mut Self)) {
        let changes = self.attempt(&mut body);
        let changed = self.store.matters(&changes);
        self.store.join(vec![changes], true);
        if changed && !self.again {
            self.again = true;
            self.maybe(body);
            self.again = false;
        }
    }

    /// Runs something for every item of a value: one by one where they are known and few.
    pub(super) fn for_each(&mut self, of: &Val, size: usize, mut body: impl FnMut(&mut Self, &Val)) {
        self.looks_at(of);
        let of = self.iterated(of);
        if let Some(items) = self.store.items(&of)
            && !items.open
            && items.items.len() <= ROUNDS
            && items.items.len() * size <= WALKED
        {
            for item in &items.items {
                if !self.burn(4) {
                    return;
                }
                body(self, item);
            }
            return;
        }
        let item = self.store.item(&of);
        self.walk(|machine| body(machine, &item));
    }

    /// What a value is when its items are taken one by one.
    pub(super) fn iterated(&mut self, of: &Val) -> Val {
        match of {
            Val::Table(_) => self.keys(of),
            Val::File(handle) => {
                let content = Val::Text(self.content(handle));
                super::texts::lines(&mut self.store, &content)
            }
            Val::Object(_) => {
                let made = self.method_of_object(of, self.unit.tree.dialect.iterated, &Args::default());
                made.filter(|made| !made.is_same(of)).unwrap_or_else(|| of.clone())
            }
            Val::Text(text) => match text.as_literal() {
                Some(known) if known.len() <= ROUNDS => {
                    let items =
                        known.chars().map(|letter| Val::text(letter.encode_utf8(&mut [0; 4]))).collect();
                    self.store.list(items)
                }
                _ if text.any.iter().any(super::texts::holds_variable) => {
                    let part = super::texts::remains(of, text.taint);
                    self.store.many(vec![part])
                }
                _ => of.clone(),
            },
            Val::Any(ways) if ways.iter().any(|way| matches!(way, Val::List(_))) => {
                let items: Vec<Val> = ways.iter().map(|way| self.store.item(way)).collect();
                self.store.many(items)
            }
            other => other.clone(),
        }
    }

    /// The names of the entries of a table.
    pub(super) fn keys(&mut self, of: &Val) -> Val {
        match self.store.entries(of) {
            Some(entries) => {
                let open = entries.others.is_some();
                let keys: Vec<Val> = entries.entries.iter().map(|(name, _)| Val::text(name)).collect();
                self.store.list_of(keys, open)
            }
            None => {
                let taint = self.store.taint(of);
                let key =
                    Val::Text(tollgate_shell::value::Value::something(HoleSource::Input).with_taint(taint));
                self.store.many(vec![key])
            }
        }
    }

    fn try_block(&mut self, unit: &Rc<Unit>, id: TryId) -> Flow {
        let Some(whole) = unit.tree.try_of(id).cloned() else { return Flow::On };
        let mark = self.store.open();
        let flow = self.block(whole.body);
        if let Some(otherwise) = whole.otherwise {
            self.block(otherwise);
        }
        // Where it failed, a variable may be whatever it has been since.
        let earlier = self.store.earlier(mark);
        let changes = self.store.close(mark);
        self.store.join(vec![changes], false);
        let mut branches = Vec::new();
        for handler in &whole.handlers {
            branches.push(self.attempt(|machine| {
                for (cell, slot) in &earlier {
                    if let (Slot::Val(old), Some(now)) = (slot, machine.store.val(*cell).cloned()) {
                        let either = machine.store.either_val(old, &now);
                        machine.store.set_val(*cell, either);
                    }
                }
                if let Some(kind) = handler.kind {
                    machine.expr(kind);
                }
                if let Some(target) = handler.target {
                    machine.assign(target, &Val::unknown());
                }
                machine.block(handler.body);
            }));
        }
        self.store.join(branches, true);
        if let Some(finally) = whole.finally {
            self.block(finally);
        }
        if whole.handlers.is_empty() { flow } else { Flow::On }
    }

    fn with(&mut self, unit: &Rc<Unit>, id: WithId) -> Flow {
        let Some(whole) = unit.tree.with_of(id).cloned() else { return Flow::On };
        let [enter, exit] = unit.tree.dialect.entered;
        let (stubs, replaced) = (self.stubs.len(), self.replaced.len());
        let mut entered = Vec::new();
        for (value, target) in &whole.items {
            let value = self.expr(*value);
            let stub = self.stub_of(&value);
            self.stubs.extend(stub);
            let mut inner = match &value {
                Val::Object(_) => self.method_of_object(&value, enter, &Args::default()),
                _ => None,
            }
            .unwrap_or_else(|| value.clone());
            // What a generator yields, where it was made to be entered.
            if let (Some(items), Val::List(_)) = (self.store.items(&inner), &value)
                && items.open
                && let [only] = items.items.as_slice()
            {
                inner = only.clone();
            }
            if let Some(target) = target {
                self.assign(*target, &inner);
            }
            entered.push(value);
        }
        let flow = self.block(whole.body);
        self.stubs.truncate(stubs);
        self.emptied(replaced);
        for value in entered {
            if matches!(value, Val::Object(_)) {
                let given = Args::of(vec![Val::Nothing, Val::Nothing, Val::Nothing]);
                self.method_of_object(&value, exit, &given);
            }
        }
        flow
    }

    /// The function that a test replaces while a block runs: `patch("module.name")`, `patch.object(module, "name")`.
    fn stub_of(&self, value: &Val) -> Option<Rc<str>> {
        let Val::Made(made) = value else { return None };
        let meaning = self.meaning(&made.name).filter(|meaning| meaning.role == Role::Stubs)?;
        let plain = made.args.named.iter().all(|(name, _)| matches!(&**name, "return_value" | "autospec"));
        let name = match (meaning.text, made.args.get(0)) {
            ("part", Some(Val::Name(module))) => format!("{module}.{}", made.args.literal(1)?),
            (_, Some(Val::Text(name))) => name.as_literal()?.to_owned(),
            _ => return None,
        };
        plain.then(|| Rc::from(&*self.canonical(&name)))
    }

    fn matching(&mut self, unit: &Rc<Unit>, id: MatchId) -> Flow {
        let Some(whole) = unit.tree.match_of(id).cloned() else { return Flow::On };
        let subject = self.expr(whole.subject);
        self.looks_at(&subject);
        let place = self.place_of(whole.subject);
        let mut branches = Vec::new();
        for case in &whole.cases {
            let place = place.clone();
            branches.push(self.attempt(|machine| machine.case(case, &subject, place)));
        }
        self.store.join(branches, true);
        Flow::On
    }

    fn case(&mut self, case: &Case, subject: &Val, place: Option<super::narrow::Place>) {
        if let Some(pattern) = case.pattern {
            if let Some(place) = place {
                let said = self.said_by_case(pattern, &place);
                self.believe(said);
            }
            self.bind_case(pattern, subject);
        }
        if let Some(guard) = case.guard {
            let said = self.condition(guard, true);
            self.believe(said);
        }
        self.block(case.body);
    }

    /// The names in a pattern are what stands there in the value, or may stand anywhere in it.
    fn bind_case(&mut self, pattern: NodeId, value: &Val) {
        if !self.enter() {
            return;
        }
        let unit = Rc::clone(&self.unit);
        match unit.tree.kind(pattern) {
            Kind::Name(_) => self.assign(pattern, value),
            Kind::List(_) => self.assign(pattern, value),
            Kind::Table(pairs) => {
                for pair in unit.tree.list(pairs) {
                    if let Kind::Pair { key, value: taker } = unit.tree.kind(*pair) {
                        let key = self.expr(key);
                        let item = self.index(value, &key);
                        self.bind_case(taker, &item);
                    }
                }
            }
            Kind::And(ways) | Kind::Or(ways) => {
                unit.tree.list(ways).iter().for_each(|way| self.bind_case(*way, value));
            }
            Kind::Call { args, .. } => {
                for arg in unit.tree.list(args) {
                    match unit.tree.kind(*arg) {
                        Kind::Named { name, value: taker } => {
                            let part = self.attribute(value, unit.tree.name(name));
                            self.bind_case(taker, &part);
                        }
                        _ => {
                            let part = self.any_part(value);
                            self.bind_case(*arg, &part);
                        }
                    }
                }
            }
            _ => {}
        }
        self.leave();
    }

    /// Any part of a value.
    pub(super) fn any_part(&mut self, value: &Val) -> Val {
        match self.store.entries(value) {
            Some(entries) => {
                let each = entries.entries.iter().map(|(_, value)| value.clone()).take(64);
                let each: Vec<Val> = each.chain(entries.others.clone()).collect();
                each.into_iter().reduce(|all, part| self.store.either_val(&all, &part)).unwrap_or_default()
            }
            None => self.store.item(value),
        }
    }
}

/// Is it always true?
fn is_always(kind: Kind) -> bool {
    matches!(kind, Kind::Bool(true)) || matches!(kind, Kind::Int(number) if number != 0)
}

/// Does it yield items without end?
pub(super) fn is_endless(value: &Val) -> bool {
    matches!(value, Val::Made(made) if &*made.name == ENDLESS)
}

/// What yields items without end.
pub(super) const ENDLESS: &str = "endless";
