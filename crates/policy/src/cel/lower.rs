//! CEL's tree → ours, with every name and type checked. All that is wrong comes at once.

use std::cell::OnceCell;
use std::sync::Arc;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue, SelectExpr,
    SourceInfo, operators,
};
use cel::parser::PrattParser;

use super::types::{ROOTS, Type, fields};
use super::{Condition, Fold, Op, Root, Term, Wrong};
use crate::nearest::hint;
use crate::problem::shown;

const LONGEST: usize = 4096;
const DEEPEST: u16 = 48;

pub(super) fn compile(text: &str) -> Result<Condition, Vec<Wrong>> {
    let whole = (0, text.len());
    let fault =
        |message: &str, hint: &str| vec![Wrong { bytes: whole, message: message.into(), hint: hint.into() }];
    if text.trim().is_empty() {
        return Err(fault("a condition that says nothing", "write `effect.kind == \"delete\"`"));
    }
    if text.len() > LONGEST {
        return Err(fault("a condition of more than 4096 bytes", "make two rules of it"));
    }
    let tree = parse(text).map_err(|errors| unread(text, &errors))?;
    let mut lower =
        Lower { text, places: OnceCell::new(), names: Vec::new(), wrong: Vec::new(), each: false, depth: 0 };
    let (term, kind) = lower.expr(&tree);
    if !kind.is(&Type::Bool) && lower.wrong.is_empty() {
        let message = format!("the condition is {}, not true or false", kind.told());
        lower.fault(whole, message, "compare it: `… == …`");
    }
    let Lower { wrong, each, .. } = lower;
    if wrong.is_empty() { Ok(Condition { term, each }) } else { Err(wrong) }
}

/// What the parser says, in our words and places.
fn unread(text: &str, errors: &cel::ParseErrors) -> Vec<Wrong> {
    let wrong = |error: &cel::ParseError| {
        let line = usize::try_from(error.pos.0 - 1).unwrap_or_default();
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let at = border(text, before + usize::try_from(error.pos.1 - 1).unwrap_or_default());
        let letter = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let said = error.msg.lines().next().unwrap_or_default();
        let said = said.strip_prefix("Syntax error: ").unwrap_or(said);
        let said = said.split(" expecting ").next().unwrap_or(said).replace('\'', "`");
        let said = if said.contains("<EOF>") { "it ends too early".to_owned() } else { said };
        let message = format!("not valid CEL: {}", shown(&said));
        Wrong { bytes: (at, at + letter), message, hint: operator_hint(text).unwrap_or_default() }
    };
    errors.errors.iter().take(1).map(wrong).collect()
}

/// What people write for an operator in other languages, and what CEL writes. Texts in quotes do not count.
fn operator_hint(text: &str) -> Option<String> {
    const OPERATORS: [(&str, &str); 6] =
        [("and", "&&"), ("or", "||"), ("not", "!"), ("AND", "&&"), ("OR", "||"), ("NOT", "!")];
    let mut quote = None;
    let bare: String = text
        .chars()
        .map(|c| match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                ' '
            }
            (Some(open), c) if open == c => {
                quote = None;
                ' '
            }
            (Some(_), _) => ' ',
            (None, c) => c,
        })
        .collect();
    let mut words = bare.split(|c: char| !c.is_alphanumeric() && c != '_');
    let (word, operator) = words.find_map(|word| OPERATORS.iter().find(|(name, _)| *name == word))?;
    Some(format!("write `{operator}` for `{word}`"))
}

/// The nearest place that is between two letters.
fn border(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(super) struct Lower<'t> {
    text: &'t str,
    /// Where the nodes stand; asked for only when something is wrong.
    places: OnceCell<Option<Arc<SourceInfo>>>,
    /// Bound variables, outermost first.
    names: Vec<(String, Type)>,
    wrong: Vec<Wrong>,
    each: bool,
    depth: u16,
}

pub(super) type Typed = (Term, Type);

pub(super) const NOTHING: Typed = (Term::Null, Type::Dyn);

impl Lower<'_> {
    pub(super) fn expr(&mut self, node: &IdedExpr) -> Typed {
        if self.depth > DEEPEST * 2 {
            return self.refuse(node, "nested too deep", "make two rules of it");
        }
        self.depth += 1;
        let typed = match &node.expr {
            Expr::Literal(literal) => Self::literal(literal),
            Expr::Ident(name) => self.name(node, name),
            Expr::Select(select) => self.select(node, select),
            Expr::List(list) => self.list(&list.elements),
            Expr::Call(call) => self.call(node, call),
            Expr::Comprehension(fold) => self.fold(node, fold),
            Expr::Map(map) => self.map(node, &map.entries),
            Expr::Struct(_) => self.refuse(
                node,
                "messages cannot be written in a condition",
                "write a map: `{'key': value}`",
            ),
            Expr::Unspecified => self.refuse(node, "it says nothing here", ""),
        };
        self.depth -= 1;
        typed
    }

    fn literal(literal: &LiteralValue) -> Typed {
        match literal {
            LiteralValue::Null => (Term::Null, Type::Null),
            LiteralValue::Boolean(truth) => (Term::Bool(*truth.inner()), Type::Bool),
            LiteralValue::Int(number) => (Term::Int(*number.inner()), Type::Int),
            LiteralValue::Double(number) => (Term::Double(number.inner().to_bits()), Type::Double),
            LiteralValue::String(text) => (Term::Text(text.inner().to_owned()), Type::Text),
            LiteralValue::UInt(number) => (Term::UInt(*number.inner()), Type::UInt),
            LiteralValue::Bytes(bytes) => (Term::Bytes(bytes.inner().to_vec()), Type::Bytes),
        }
    }

    fn name(&mut self, node: &IdedExpr, name: &str) -> Typed {
        if let Some(slot) = self.names.iter().rposition(|(known, _)| known == name) {
            let kind = self.names.get(slot).map_or(Type::Dyn, |(_, kind)| kind.clone());
            return (Term::Variable(u16::try_from(slot).unwrap_or(u16::MAX)), kind);
        }
        let root = match name {
            "event" => (Root::Event, Type::Object("event")),
            "call" => (Root::Call, Type::Object("call")),
            "effect" => (Root::Effect, Type::Object("effect")),
            "effects" => (Root::Effects, Type::List(Box::new(Type::Object("effect")))),
            "facts" => (Root::Facts, Type::Object("facts")),
            "state" => (Root::State, Type::Dyn),
            _ => {
                let names = ROOTS.map(|(root, _)| root);
                return self.refuse(node, &format!("unknown name `{}`", shown(name)), &hint(name, &names));
            }
        };
        self.each |= root.0 == Root::Effect;
        (Term::Root(root.0), root.1)
    }

    fn select(&mut self, node: &IdedExpr, select: &SelectExpr) -> Typed {
        let (of, kind) = self.expr(&select.operand);
        let kind = self.field(node, &kind, &select.field);
        let name = select.field.clone();
        match select.test {
            true => (Term::Has(Box::new(of), name), Type::Bool),
            false => (Term::Member(Box::new(of), name), kind),
        }
    }

    fn field(&mut self, node: &IdedExpr, of: &Type, name: &str) -> Type {
        match of {
            Type::Dyn => Type::Dyn,
            Type::Object(object) => {
                let known = fields(object);
                if let Some((_, kind, _)) = known.iter().find(|(known, ..)| *known == name) {
                    return kind.clone();
                }
                let names: Vec<&str> = known.iter().map(|(name, ..)| *name).collect();
                let message = format!("`{object}` has no `{}`", shown(name));
                self.refuse(node, &message, &hint(name, &names)).1
            }
            Type::List(element) if **element == Type::Object("effect") => {
                let hint = format!("write `effects.exists(e, e.{name} …)`, or `effect.{name}`");
                self.refuse(node, "`effects` is a list", &hint).1
            }
            Type::Map(entry) if entry.0.is(&Type::Text) => entry.1.clone(),
            other => {
                self.refuse(node, &format!("{} has no fields, so no `{}`", other.told(), shown(name)), "").1
            }
        }
    }

    fn list(&mut self, elements: &[IdedExpr]) -> Typed {
        let mut kind = None;
        let mut terms = Vec::with_capacity(elements.len());
        for element in elements {
            let (term, one) = self.expr(element);
            kind = Some(match kind {
                None => one,
                Some(kind) => Type::join(kind, one),
            });
            terms.push(term);
        }
        (Term::List(terms), kind.map_or(Type::Empty, |kind| Type::List(Box::new(kind))))
    }

    fn map(&mut self, node: &IdedExpr, entries: &[IdedEntryExpr]) -> Typed {
        let mut kinds: Option<(Type, Type)> = None;
        let mut terms: Vec<(Term, Term)> = Vec::with_capacity(entries.len());
        for entry in entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                return self.refuse(node, "this is no map", "write `{'key': value}`");
            };
            let ((key, key_kind), (value, value_kind)) = (self.expr(&entry.key), self.expr(&entry.value));
            let lawful = [Type::Bool, Type::Int, Type::Text].iter().any(|kind| key_kind.is(kind));
            if !lawful || key_kind == Type::Double {
                self.refuse(&entry.key, &format!("{} is no key of a map", key_kind.told()), "");
            }
            if terms.iter().any(|(known, _)| *known == key) {
                self.refuse(&entry.key, "this key is there twice", "");
            }
            kinds = Some(match kinds {
                None => (key_kind, value_kind),
                Some((keys, values)) => (keys.join(key_kind), values.join(value_kind)),
            });
            terms.push((key, value));
        }
        (Term::Map(terms), Type::Map(Box::new(kinds.unwrap_or((Type::Dyn, Type::Dyn)))))
    }

    fn call(&mut self, node: &IdedExpr, call: &CallExpr) -> Typed {
        let name = call.func_name.as_str();
        match (name, call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => self.choice(condition, yes, no),
            (operators::LOGICAL_NOT, [inner]) => {
                let term = self.bool(inner);
                (Term::Not(Box::new(term)), Type::Bool)
            }
            (operators::NEGATE, [inner]) => {
                let (term, kind) = self.expr(inner);
                if kind == Type::UInt {
                    return self.refuse(inner, "a number with `u` has no negative", "leave the `u` out");
                }
                self.want(inner, &kind, &Type::Int, "`-`");
                (Term::Negate(Box::new(term)), kind)
            }
            (operators::NOT_STRICTLY_FALSE, [inner]) => {
                (Term::NotFalse(Box::new(self.bool(inner))), Type::Bool)
            }
            (operators::INDEX, [of, at]) => self.index(of, at),
            (_, [left, right]) if call.target.is_none() && op(name).is_some() => {
                self.two(node, op(name).unwrap_or(Op::Equal), left, right)
            }
            _ => self.function(node, call),
        }
    }

    fn choice(&mut self, condition: &IdedExpr, yes: &IdedExpr, no: &IdedExpr) -> Typed {
        let condition = self.bool(condition);
        let ((yes, a), (no, b)) = (self.expr(yes), self.expr(no));
        (Term::If(Box::new(condition), Box::new(yes), Box::new(no)), a.join(b))
    }

    fn bool(&mut self, node: &IdedExpr) -> Term {
        let (term, kind) = self.expr(node);
        self.want(node, &kind, &Type::Bool, "this");
        term
    }

    fn index(&mut self, of: &IdedExpr, at: &IdedExpr) -> Typed {
        let ((of_term, kind), (at_term, at_kind)) = (self.expr(of), self.expr(at));
        let element = match &kind {
            Type::Object(_) => match &at_term {
                Term::Text(name) => self.field(at, &kind, name),
                _ => self.refuse(at, "a field is named by a text in quotes", "").1,
            },
            Type::Dyn => Type::Dyn,
            Type::Map(entry) => {
                if !entry.0.may_equal(&at_kind) {
                    let message = format!("the keys are {}, not {}", entry.0.told(), at_kind.told());
                    self.refuse(at, &message, "");
                }
                entry.1.clone()
            }
            _ => match kind.element() {
                Some(element) => {
                    self.want(at, &at_kind, &Type::Int, "an index");
                    element
                }
                None => self.refuse(of, &format!("{} has no elements", kind.told()), "").1,
            },
        };
        (Term::Index(Box::new(of_term), Box::new(at_term)), element)
    }

    fn two(&mut self, node: &IdedExpr, op: Op, left: &IdedExpr, right: &IdedExpr) -> Typed {
        let ((a, left_kind), (b, right_kind)) = (self.expr(left), self.expr(right));
        let kind = match op {
            Op::And | Op::Or => {
                self.want(left, &left_kind, &Type::Bool, "this");
                self.want(right, &right_kind, &Type::Bool, "this");
                Type::Bool
            }
            Op::Equal | Op::Unequal => {
                self.alike(node, &left_kind, &right_kind);
                self.word(right, &left_kind, &b);
                self.word(left, &right_kind, &a);
                Type::Bool
            }
            Op::In => self.within(right, (&left_kind, &right_kind), &b),
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                self.alike(node, &left_kind, &right_kind);
                let all = [Type::Int, Type::Text, Type::Bool, Type::Bytes, Type::Moment, Type::Span];
                let ordered = all.iter().any(|kind| left_kind.is(kind));
                if !ordered {
                    self.refuse(node, &format!("{} cannot be put in order", left_kind.told()), "");
                }
                Type::Bool
            }
            _ => self.reckon(node, op, left_kind, right_kind),
        };
        (Term::Two(op, Box::new(a), Box::new(b)), kind)
    }

    fn alike(&mut self, node: &IdedExpr, left: &Type, right: &Type) {
        if !left.may_equal(right) {
            let message = format!("{} is never compared with {}", left.told(), right.told());
            self.refuse(node, &message, "");
        }
    }

    /// A text that is one of a few is compared with one of them.
    fn word(&mut self, node: &IdedExpr, kind: &Type, with: &Term) {
        let (Type::Word(words), Term::Text(text)) = (kind, with) else { return };
        if !words.contains(&text.as_str()) {
            self.refuse(node, &format!("it is never `{}`", shown(text)), &hint(text, words));
        }
    }

    fn within(&mut self, list: &IdedExpr, kinds: (&Type, &Type), terms: &Term) -> Type {
        let (one, all) = kinds;
        match all.element() {
            Some(element) if *all == Type::Empty || element.may_equal(one) => {}
            Some(element) => {
                self.refuse(
                    list,
                    &format!("{} is never in a list of which each is {}", one.told(), element.told()),
                    "",
                );
            }
            None => {
                let hint = if all.is(&Type::Text) { "write `text.contains(part)`" } else { "" };
                self.refuse(list, &format!("{} is no list", all.told()), hint);
            }
        }
        if let Term::List(items) = terms {
            items.iter().for_each(|item| self.word(list, one, item));
        }
        Type::Bool
    }

    fn reckon(&mut self, node: &IdedExpr, op: Op, left: Type, right: Type) -> Type {
        let times = match (&left, op, &right) {
            (Type::Moment, Op::Plus | Op::Minus, Type::Span) | (Type::Span, Op::Plus, Type::Moment) => {
                Some(Type::Moment)
            }
            (Type::Moment, Op::Minus, Type::Moment) | (Type::Span, Op::Plus | Op::Minus, Type::Span) => {
                Some(Type::Span)
            }
            _ => None,
        };
        if let Some(time) = times {
            return time;
        }
        let joined = left.clone().join(right.clone());
        let fits = match &joined {
            Type::Dyn => left == Type::Dyn || right == Type::Dyn,
            Type::Int | Type::UInt | Type::Double => true,
            Type::Text | Type::Word(_) | Type::List(_) | Type::Empty | Type::Bytes => op == Op::Plus,
            _ => false,
        };
        if !fits || (op == Op::Modulo && joined == Type::Double) {
            let message = format!("{} and {} cannot be put together so", left.told(), right.told());
            return self.refuse(node, &message, "").1;
        }
        if matches!(joined, Type::Word(_)) { Type::Text } else { joined }
    }

    fn fold(&mut self, node: &IdedExpr, fold: &ComprehensionExpr) -> Typed {
        let (range, kind) = self.expr(&fold.iter_range);
        let Some(element) = kind.element() else {
            return self.refuse(&fold.iter_range, &format!("{} is no list and no map", kind.told()), "");
        };
        if fold.iter_var2.is_some() {
            return self.refuse(node, "one name is enough here", "write `effects.exists(e, …)`");
        }
        let (start, total) = self.expr(&fold.accu_init);
        let bound = self.names.len();
        // What the loop gathers is of the type of one round: nothing is written in a condition that changes it.
        self.names.push((fold.accu_var.clone(), total.clone()));
        self.names.push((fold.iter_var.clone(), element));
        let (goes_on, _) = self.expr(&fold.loop_cond);
        let (step, stepped) = self.expr(&fold.loop_step);
        self.names.truncate(bound);
        self.names.push((fold.accu_var.clone(), total.join(stepped)));
        let (result, kind) = self.expr(&fold.result);
        self.names.truncate(bound);
        (Term::Fold(Box::new(Fold { range, start, goes_on, step, result })), kind)
    }

    fn want(&mut self, node: &IdedExpr, kind: &Type, wanted: &Type, who: &str) {
        if !kind.is(wanted) {
            let message = format!("{who} must be {}, not {}", wanted.told(), kind.told());
            let message = if who.starts_with('`') {
                format!("{who} takes {}, not {}", wanted.told(), kind.told())
            } else {
                message
            };
            self.refuse(node, &message, "");
        }
    }

    pub(super) fn refuse(&mut self, node: &IdedExpr, message: &str, hint: &str) -> Typed {
        let bytes = self.bytes(node);
        self.fault(bytes, message.to_owned(), hint);
        NOTHING
    }

    fn fault(&mut self, bytes: (usize, usize), message: String, hint: &str) {
        self.wrong.push(Wrong { bytes, message, hint: hint.to_owned() });
    }

    /// Where a node stands. The parser marks a field by its dot and a call by its bracket; people look at the name.
    fn bytes(&self, node: &IdedExpr) -> (usize, usize) {
        let text = self.text;
        let places = self.places.get_or_init(|| places(text)).as_ref();
        let Some((first, last)) = places.and_then(|places| places.offset_for(node.id)) else {
            return (0, text.len());
        };
        let byte = |at: u32| border(text, usize::try_from(at).unwrap_or(usize::MAX));
        let (first, last) = (byte(first), byte(last).max(byte(first)));
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        match text.get(first..last) {
            Some(".") => {
                let rest = text.get(last..).unwrap_or_default();
                (last, last + rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()))
            }
            Some("(") => {
                let before = text.get(..first).unwrap_or_default();
                (before.trim_end_matches(is_name).len(), first)
            }
            _ => (first, last),
        }
    }
}

fn parse(text: &str) -> Result<IdedExpr, cel::ParseErrors> {
    PrattParser::new().max_recursion_depth(DEEPEST).parse(text)
}

/// The places of all nodes. The parser gives them out only with an error, so one is made at the end.
fn places(text: &str) -> Option<Arc<SourceInfo>> {
    let errors = parse(&format!("{text}\n)")).err()?;
    errors.errors.into_iter().find_map(|error| error.source_info)
}

fn op(name: &str) -> Option<Op> {
    Some(match name {
        operators::LOGICAL_OR => Op::Or,
        operators::LOGICAL_AND => Op::And,
        operators::EQUALS => Op::Equal,
        operators::NOT_EQUALS => Op::Unequal,
        operators::LESS => Op::Less,
        operators::LESS_EQUALS => Op::LessEqual,
        operators::GREATER => Op::Greater,
        operators::GREATER_EQUALS => Op::GreaterEqual,
        operators::IN => Op::In,
        operators::ADD => Op::Plus,
        operators::SUBSTRACT => Op::Minus,
        operators::MULTIPLY => Op::Times,
        operators::DIVIDE => Op::Divide,
        operators::MODULO => Op::Modulo,
        _ => return None,
    })
}
