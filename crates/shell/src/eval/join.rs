//! Where ways through a script meet: the state that covers both, and the state that covers any number.

use std::collections::BTreeMap;
use std::rc::Rc;

use tollgate_model::work;

use super::state::{
    Args, Array, Attributes, Contents, Descriptor, Elements, ExitCode, Flow, Functions, List, Local, Options,
    Shadowed, ShadowedVars, State, Variable, Vars, World,
};
use super::{Host, Shell, Written};
use crate::map::SharedMap;
use crate::value::{HoleSource, Value};

/// Contents of one array, or lists of arguments, that are told apart.
const ALTERNATIVES: usize = 16;
/// Bodies that one function may have, and that are told apart.
const BODIES: usize = 64;

impl Shell {
    /// The state that covers both, of those there are.
    pub(super) fn join(&self, left: Option<State>, right: Option<State>, host: &dyn Host) -> Option<State> {
        match (left, right) {
            (Some(left), Some(right)) => Some(self.join_states(left, &right, host)),
            (left, right) => left.or(right),
        }
    }

    /// The state after a command, however it ended.
    pub(super) fn merged(&self, flow: Flow, host: &dyn Host) -> Option<State> {
        self.join(flow.ok, flow.fail, host)
    }

    pub(super) fn join_flows(&self, left: Flow, right: Flow, host: &dyn Host) -> Flow {
        Flow { ok: self.join(left.ok, right.ok, host), fail: self.join(left.fail, right.fail, host) }
    }

    pub(super) fn join_states(&self, left: State, right: &State, host: &dyn Host) -> State {
        let code = join_codes(left.code, right.code);
        let last = if left.last == right.last {
            Rc::clone(&left.last)
        } else {
            Rc::new(left.last.union(&right.last))
        };
        let local = shared(&left.local, &right.local, |left, right| self.join_locals(left, right, host));
        let mut world = shared(&left.world, &right.world, join_worlds);
        if left.local.fds != right.local.fds {
            join_buffers(&left, right, Rc::make_mut(&mut world));
        }
        State { local, world, code, last, touched: left.touched || right.touched }
    }

    fn join_locals(&self, left: &Local, right: &Local, host: &dyn Host) -> Local {
        Local {
            vars: self.join_vars(&left.vars, &right.vars, host),
            shadowed: self.join_shadowed(&left.shadowed, &right.shadowed, host),
            globals: self.join_shadowed(&left.globals, &right.globals, host),
            functions: left
                .functions
                .joined(&right.functions, &mut |_, left, right| join_functions(left, right)),
            aliases: merge(&left.aliases, &right.aliases, Value::union),
            hashed: merge(&left.hashed, &right.hashed, Value::union),
            disabled: merge(&left.disabled, &right.disabled, |(), ()| ()),
            traps: shared(&left.traps, &right.traps, |left, right| {
                let new = right.iter().filter(|trap| !left.contains(trap));
                left.iter().chain(new).cloned().collect()
            }),
            args: shared(&left.args, &right.args, join_args),
            cwd: left.cwd.union(&right.cwd),
            oldpwd: match (&left.oldpwd, &right.oldpwd) {
                (Some(left), Some(right)) => Some(left.union(right)),
                (None, None) => None,
                // A shell that a tool call starts has been nowhere else yet: where it went nowhere, `cd -` fails.
                (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            },
            dirs: shared(&left.dirs, &right.dirs, |left, right| join_dirs(left, right)),
            fds: merge(&left.fds, &right.fds, join_descriptors),
            options: Options {
                noglob: left.options.noglob && right.options.noglob,
                lastpipe: left.options.lastpipe || right.options.lastpipe,
                pipefail: left.options.pipefail || right.options.pipefail,
                nocase: left.options.nocase || right.options.nocase,
                xpg_echo: left.options.xpg_echo || right.options.xpg_echo,
                posix: left.options.posix || right.options.posix,
                word_split: left.options.word_split || right.options.word_split,
                physical: left.options.physical || right.options.physical,
                fragile: left.options.fragile || right.options.fragile,
                errexit: left.options.errexit && right.options.errexit,
                all_export: left.options.all_export || right.options.all_export,
            },
        }
    }

    fn join_vars(&self, left: &Vars, right: &Vars, host: &dyn Host) -> Vars {
        left.joined(right, &mut |name, left, right| {
            work::charge(1);
            let joined = match (left, right) {
                (Some(left), Some(right)) if covers(left, right) => return Some(Rc::clone(left)),
                (Some(left), Some(right)) => join_variables(left, right),
                (Some(left), None) => join_variables(left, &self.imported(name, host)),
                (None, Some(right)) => join_variables(&self.imported(name, host), right),
                (None, None) => return None,
            };
            Some(Rc::new(joined))
        })
    }

    fn join_shadowed(&self, left: &ShadowedVars, right: &ShadowedVars, host: &dyn Host) -> ShadowedVars {
        left.joined(right, &mut |name, left, right| {
            work::charge(1);
            let (Some(left), Some(right)) = (left, right) else {
                return Some(Shadowed { partly: true, ..left.or(right)?.clone() });
            };
            let import = |old: &Option<Rc<Variable>>| {
                old.clone().unwrap_or_else(|| Rc::new(self.imported(name, host)))
            };
            let previous = if left.previous == right.previous {
                left.previous.clone()
            } else {
                Some(Rc::new(join_variables(&import(&left.previous), &import(&right.previous))))
            };
            Some(Shadowed { previous, partly: left.partly || right.partly })
        })
    }

    /// Covers what `new` and any further pass of a loop may bring: what differs from `old` is unknown.
    /// What is `printed` is left as it is.
    pub(super) fn widen(&self, old: &State, new: &State, printed: &[u32]) -> State {
        let local = shared(&old.local, &new.local, |old, new| Local {
            vars: widen_vars(&old.vars, &new.vars),
            args: shared(&old.args, &new.args, widen_args),
            cwd: widen_value(&old.cwd, &new.cwd),
            ..new.clone()
        });
        let world = shared(&old.world, &new.world, |old, new| widen_world(old, new, printed));
        State { local, world, ..new.clone() }
    }
}

/// The one when both are the same, else what `combine` makes of them.
fn shared<T: Eq>(left: &Rc<T>, right: &Rc<T>, combine: impl FnOnce(&T, &T) -> T) -> Rc<T> {
    if left == right { Rc::clone(left) } else { Rc::new(combine(left, right)) }
}

/// What either has; `combine` makes one of what both have.
fn merge<K: Ord + Clone, V: Clone + Eq>(
    left: &SharedMap<K, V>,
    right: &SharedMap<K, V>,
    combine: impl Fn(&V, &V) -> V,
) -> SharedMap<K, V> {
    left.joined(right, &mut |_, left, right| {
        work::charge(1);
        match (left, right) {
            (Some(left), Some(right)) if left != right => Some(combine(left, right)),
            (left, right) => left.or(right).cloned(),
        }
    })
}

fn join_codes(left: ExitCode, right: ExitCode) -> ExitCode {
    let nonzero = |code: ExitCode| !matches!(code, ExitCode::Known(0) | ExitCode::Any);
    match (left, right) {
        (left, right) if left == right => left,
        (left, right) if nonzero(left) && nonzero(right) => ExitCode::Nonzero,
        _ => ExitCode::Any,
    }
}

/// Is either variable the first of them?
fn covers(variable: &Rc<Variable>, other: &Rc<Variable>) -> bool {
    Rc::ptr_eq(variable, other)
        || variable.attributes == other.attributes
            && (variable.maybe_unset || !other.maybe_unset)
            && variable.contents == other.contents
}

/// Either variable.
pub(super) fn join_variables(left: &Variable, right: &Variable) -> Variable {
    let unset = left.contents == Contents::Unset || right.contents == Contents::Unset;
    let contents = match (&left.contents, &right.contents) {
        (Contents::Unset, other) | (other, Contents::Unset) => other.clone(),
        (Contents::Scalar(left), Contents::Scalar(right)) => Contents::Scalar(left.union(right)),
        (Contents::Array(left), Contents::Array(right)) => Contents::Array(join_arrays(left, right)),
        (Contents::Scalar(value), Contents::Array(array))
        | (Contents::Array(array), Contents::Scalar(value)) => {
            let known = BTreeMap::from([(array.first_key(), value.clone())]);
            let single = Array {
                any: vec![Elements { known, ..Elements::default() }],
                associative: array.associative,
            };
            Contents::Array(join_arrays(&single, array))
        }
    };
    let attributes = join_attributes(left.attributes, right.attributes);
    let maybe_unset = left.maybe_unset || right.maybe_unset || unset;
    Variable { contents, attributes, maybe_unset }
}

fn join_attributes(left: Attributes, right: Attributes) -> Attributes {
    let differ = (left.exported, left.lower, left.upper) != (right.exported, right.lower, right.upper);
    Attributes {
        exported: left.exported || right.exported,
        readonly: left.readonly || right.readonly,
        integer: left.integer || right.integer,
        lower: left.lower || right.lower,
        upper: left.upper || right.upper,
        nameref: left.nameref || right.nameref,
        partly: left.partly || right.partly || differ,
    }
}

fn join_arrays(left: &Array, right: &Array) -> Array {
    let mut any = left.any.clone();
    any.extend(right.any.iter().filter(|elements| !left.any.contains(elements)).cloned());
    // A subscript means something else in each kind.
    let filled = |array: &Array| array.any.iter().any(|elements| elements.values().is_some());
    let mixed = left.associative != right.associative && filled(left) && filled(right);
    if any.len() > ALTERNATIVES || mixed {
        any = vec![blurred(&any)];
    }
    let associative = left.associative && filled(left) || right.associative && filled(right);
    Array { any, associative: associative || left.associative && right.associative }
}

/// Any number of any of the values.
fn blurred(any: &[Elements]) -> Elements {
    let others = any.iter().filter_map(Elements::values).reduce(|left, right| left.union(&right));
    Elements { others, ..Elements::default() }
}

fn join_args(left: &Args, right: &Args) -> Args {
    let mut any = left.any.clone();
    any.extend(right.any.iter().filter(|list| !left.any.contains(list)).cloned());
    if any.len() > ALTERNATIVES {
        any = vec![blurred_list(&any)];
    }
    Args { name: left.name.union(&right.name), file: left.file.union(&right.file), any }
}

fn blurred_list(any: &[List]) -> List {
    let others = any.iter().filter_map(List::values).reduce(|left, right| left.union(&right));
    List::open(Vec::new(), others)
}

fn join_functions(left: Option<&Functions>, right: Option<&Functions>) -> Option<Functions> {
    work::charge(1);
    let (Some(left), Some(right)) = (left, right) else {
        return Some(Functions { maybe_unset: true, ..left.or(right)?.clone() });
    };
    let new = right.any.iter().filter(|function| !left.any.contains(function));
    let mut any: Vec<_> = left.any.iter().chain(new).cloned().collect();
    let more = left.more || right.more || any.len() > BODIES;
    any.truncate(BODIES);
    Some(Functions {
        any,
        more,
        maybe_unset: left.maybe_unset || right.maybe_unset,
        exported: left.exported || right.exported,
        readonly: left.readonly || right.readonly,
    })
}

fn join_dirs(left: &[Value], right: &[Value]) -> Vec<Value> {
    let longer = if left.len() >= right.len() { left } else { right };
    let join = |(index, value): (usize, &Value)| match (left.get(index), right.get(index)) {
        (Some(left), Some(right)) => left.union(right),
        _ => value.union(&Value::something(HoleSource::Variable("DIRSTACK".into()))),
    };
    longer.iter().enumerate().map(join).collect()
}

/// One of two descriptors cannot be kept as such; the one that leads to data says more.
fn join_descriptors(left: &Descriptor, right: &Descriptor) -> Descriptor {
    let plain = matches!(left, Descriptor::Outer | Descriptor::Closed);
    if plain { right.clone() } else { left.clone() }
}

/// The descriptor that is kept reads what either would.
fn join_buffers(left: &State, right: &State, world: &mut World) {
    for fd in left.local.fds.keys() {
        let ids = (left.input_buffer(*fd), right.input_buffer(*fd));
        if let (Some(id), Some(other)) = ids
            && id != other
            && let (Some(one), Some(two)) = (left.input(*fd), right.input(*fd))
        {
            world.buffers.insert(id, Rc::new(one.union(two)));
        }
    }
}

fn join_worlds(left: &World, right: &World) -> World {
    let either = |left: &Rc<Value>, right: &Rc<Value>| shared(left, right, Value::union);
    World {
        files: left.files.joined(&right.files, &mut |_, left, right| join_files(left, right)),
        absent: left.absent.joined(&right.absent, &mut |_, left, right| left.and(right).copied()),
        buffers: merge(&left.buffers, &right.buffers, either),
        folders: left.folders.joined(&right.folders),
        taken: merge(&left.taken, &right.taken, |(), ()| ()),
        names: super::folders::join_names(&left.names, &right.names),
    }
}

fn join_files(left: Option<&Written>, right: Option<&Written>) -> Option<Written> {
    work::charge(2);
    let (Some(left), Some(right)) = (left, right) else {
        return Some(Written { certain: false, anew: false, ..left.or(right)?.clone() });
    };
    Some(Written {
        value: left.value.union(&right.value),
        certain: left.certain && right.certain,
        anew: left.anew && right.anew,
    })
}

fn widen_value(old: &Value, new: &Value) -> Value {
    if old.any == new.any {
        return new.clone();
    }
    Value::unknown(HoleSource::Budget).with_taint(old.taint.union(new.taint))
}

fn widen_vars(old: &Vars, new: &Vars) -> Vars {
    new.joined(old, &mut |_, new, old| {
        let variable = new?;
        if old == Some(variable) {
            return Some(Rc::clone(variable));
        }
        let mut wide = Variable::clone(variable);
        wide.contents = match &variable.contents {
            Contents::Unset => Contents::Unset,
            Contents::Scalar(value) => {
                Contents::Scalar(Value::unknown(HoleSource::Budget).with_taint(value.taint))
            }
            Contents::Array(array) => {
                let taint = blurred(&array.any).others.map(|value| value.taint).unwrap_or_default();
                let others = Some(Value::unknown(HoleSource::Budget).with_taint(taint));
                let elements = Elements { others, ..Elements::default() };
                Contents::Array(Array { any: vec![elements], associative: array.associative })
            }
        };
        Some(Rc::new(wide))
    })
}

fn widen_args(old: &Args, new: &Args) -> Args {
    let blurred = blurred_list(&new.any);
    // Shifting only ever shows arguments that were there; anything else that keeps changing is unknown.
    let settled = blurred_list(&old.any).others == blurred.others;
    let others = if settled { blurred.others } else { Some(Value::unknown(HoleSource::Budget)) };
    Args { name: new.name.clone(), file: new.file.clone(), any: vec![List::open(Vec::new(), others)] }
}

fn widen_world(old: &World, new: &World, printed: &[u32]) -> World {
    let files = new.files.joined(&old.files, &mut |_, new, old| {
        let written = new?;
        if old == Some(written) {
            return Some(written.clone());
        }
        let before = old.map_or(&written.value, |old| &old.value);
        Some(Written {
            value: widen_value(&Value::empty(), &before.union(&written.value)),
            certain: false,
            anew: written.anew && old.is_none_or(|old| old.anew),
        })
    });
    let buffers = new.buffers.joined(&old.buffers, &mut |id, new, old| {
        let value = new?;
        let before = old.filter(|_| !printed.contains(id));
        Some(before.map_or_else(|| Rc::clone(value), |before| shared(before, value, widen_value)))
    });
    World { files, buffers, ..new.clone() }
}
