//! Methods of the program's classes that nobody calls by their names: operators, loops, conversions and the end of an
//! object call them.

use std::rc::Rc;

use super::classes::{Class, PROPERTY};
use super::machine::Machine;
use super::members::number_of;
use super::token::Tok;
use super::value::{Args, Val};

/// Operators, the methods of what stands left, and those of what stands right where the first are missing.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("+", "__add__", "__radd__"),
    ("-", "__sub__", "__rsub__"),
    ("*", "__mul__", "__rmul__"),
    ("/", "__truediv__", "__rtruediv__"),
    ("//", "__floordiv__", "__rfloordiv__"),
    ("%", "__mod__", "__rmod__"),
    ("**", "__pow__", "__rpow__"),
    ("@", "__matmul__", "__rmatmul__"),
    ("<<", "__lshift__", "__rlshift__"),
    (">>", "__rshift__", "__rrshift__"),
    ("&", "__and__", "__rand__"),
    ("|", "__or__", "__ror__"),
    ("^", "__xor__", "__rxor__"),
    ("==", "__eq__", "__eq__"),
    ("!=", "__ne__", "__ne__"),
    ("<", "__lt__", "__gt__"),
    (">", "__gt__", "__lt__"),
    ("<=", "__le__", "__ge__"),
    (">=", "__ge__", "__le__"),
];

/// Methods that a function of the library may call of an object that it is given. They take nothing.
const ASKED: &[&str] = &[
    "__str__",
    "__repr__",
    "__format__",
    "__len__",
    "__bool__",
    "__hash__",
    "__int__",
    "__float__",
    "__index__",
    "__bytes__",
    "__fspath__",
    "__iter__",
    "__next__",
    "__reversed__",
    "__reduce__",
    "__getstate__",
    "__copy__",
    "__toString",
    "toString",
    "valueOf",
    "toJSON",
    "to_s",
    "to_str",
    "to_path",
];

/// The methods that end an object.
const ENDS: &[&str] = &["__del__", "__destruct"];

/// The most objects that are ended.
const ENDED: usize = 64;

impl Machine<'_, '_, '_> {
    /// What an operator makes of two values, one of which is an object of the program.
    pub fn operated(&mut self, op: &str, left: &Val, right: &Val) -> Option<Val> {
        if number_of(left).is_none() && number_of(right).is_none() {
            return None;
        }
        if op == "in" {
            return self.method_of_own(right, "__contains__", &Args::of(vec![left.clone()]));
        }
        let (_, first, second) = OPERATORS.iter().find(|(known, ..)| *known == op)?;
        let given = Args::of(vec![right.clone()]);
        self.method_of_own(left, first, &given)
            // Elsewhere the method is called like the operator.
            .or_else(|| self.method_of_own(left, op, &given))
            .or_else(|| self.method_of_own(right, second, &Args::of(vec![left.clone()])))
    }

    /// `left += right`, which a class may have a method of its own for.
    pub fn operated_in_place(&mut self, op: &str, left: &Val, right: &Val) -> Option<Val> {
        number_of(left)?;
        let op = op.strip_suffix('=')?;
        let (_, plain, _) = OPERATORS.iter().find(|(known, ..)| *known == op)?;
        let own = format!("__i{}", plain.trim_start_matches('_'));
        let given = Args::of(vec![right.clone()]);
        self.method_of_own(left, &own, &given).or_else(|| self.operated(op, left, right))
    }

    /// The operator that stands before this place.
    pub fn operator_before(&self) -> Rc<str> {
        match self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| &token.tok) {
            Some(Tok::Op(op)) => Rc::from(*op),
            Some(Tok::Name(name)) => Rc::clone(name),
            _ => Rc::from(""),
        }
    }

    /// What a loop goes through: an object of the program says it itself.
    pub fn iterated(&mut self, value: Val) -> Val {
        if number_of(&value).is_none() {
            return value;
        }
        let Some(items) = self.method_of_own(&value, "__iter__", &Args::default()) else {
            let item = self.method_of_own(&value, "__getitem__", &Args::of(vec![Val::unknown()]));
            return item.map_or(value, |item| Val::many(vec![item]));
        };
        match self.method_of_own(&items, "__next__", &Args::default()) {
            Some(item) => Val::many(vec![item]),
            None => items,
        }
    }

    /// A function of the library is given objects of the program, and may ask them for what they are.
    pub fn asked_objects(&mut self, args: &Args) {
        for value in args.all() {
            self.asked_object(value);
        }
    }

    /// The same for one; what was asked once is not asked again.
    pub fn asked_object(&mut self, value: &Val) {
        let Val::Object(object) = value else { return };
        let Some(class) = object.own.clone() else { return };
        for name in ASKED {
            if let Some(Val::Function(method)) = class.member(name).cloned()
                && !method.called.get()
            {
                self.invoke_on(Some(value), &method, &Args::default());
            }
        }
    }

    /// An object is done with.
    pub fn ended(&mut self, value: &Val) {
        if number_of(value).is_some() {
            for name in ENDS {
                self.method_of_own(value, name, &Args::default());
            }
        }
    }

    /// The program ends, and with it all its objects.
    pub fn all_ended(&mut self) {
        let classes = self.own.classes.clone();
        let ends = |class: &Rc<Class>| ENDS.iter().any(|name| class.member(name).is_some());
        let ending = classes.iter().enumerate().filter(|(_, class)| ends(class)).take(ENDED);
        for (at, class) in ending {
            let number: Rc<str> = Rc::from(format!("#{}", at + 1));
            self.ended(&Val::own_object(&number, class, tollgate_shell::value::Taint::NONE));
        }
    }

    /// A part of a class that is an object which says itself what it is, for the object that is asked.
    pub fn described(&mut self, object: &Val, part: Val) -> Val {
        let given = Args::of(vec![object.clone(), Val::unknown()]);
        self.method_of_own(&part, "__get__", &given).unwrap_or(part)
    }

    /// A part of a table may be set by a function.
    pub fn set_by_property(&mut self, place: &str, value: &Val) -> bool {
        let Some((owner, part)) = place.rsplit_once('.') else { return false };
        let Some(table @ Val::Table(_)) = self.scope.get(owner).cloned() else { return false };
        match table.entry(part).cloned() {
            Some(Val::Object(property)) if &*property.class == PROPERTY => {
                self.call_on(&table, &property.args.at(1, &[]), &Args::of(vec![value.clone()]));
                true
            }
            _ => false,
        }
    }

    /// A class is made of others, one of which wants to know.
    pub fn class_made(&mut self, class: &Val, bases: &[Val], named: &[(Rc<str>, Val)]) {
        for base in bases {
            if let Val::Class(base) = base
                && let Some(told @ Val::Function(_)) = base.member("__init_subclass__").cloned()
            {
                let args = Args { list: Vec::new(), named: named.to_vec() };
                self.call_on(class, &told, &args);
            }
        }
        // What calls the class, instead of making an object of it, is said by what makes the class.
        let made_by = named.iter().find(|(name, _)| &**name == "metaclass");
        if let Some((_, Val::Class(maker))) = made_by {
            let given = vec![Val::unknown(), Val::list(bases.to_vec()), Val::table(Vec::new())];
            self.make(&Rc::clone(maker), &Args::of(given));
        }
    }
}
