//! `cd`, `pushd`, `popd`: where the shell goes when that works, and where it stays when it does not.

use std::rc::Rc;

use super::super::state::{ExitCode, Flow, State};
use super::super::{Field, Host, Shell};
use super::options;
use crate::value::{HoleSource, Text, Value};

impl Shell {
    pub(super) fn builtin_cd(&mut self, args: &[Field], host: &mut dyn Host) -> Flow {
        let options = options(args);
        let wrong = options.letters.contains(|c: char| !OPTIONS.contains(&c));
        let how = How {
            unsure: wrong,
            surely: options.letters.ends_with('P'),
            physical: self.state.local.options.physical || options.letters.contains('P'),
        };
        match options.rest {
            [] => {
                let home = self.lookup("HOME", &*host).scalar();
                self.go(&home.unwrap_or_else(|| unknown("HOME")), how, host)
            }
            [only] => match only.value.as_literal() {
                Some("-") => {
                    let old = self.lookup("OLDPWD", &*host).scalar();
                    self.go(&old.unwrap_or_else(|| unknown("OLDPWD")), how, host)
                }
                Some("") => Flow::of(super::Status::Success, self.state.clone()),
                _ => self.go(&only.value, How { unsure: wrong || only.splits, ..how }, host),
            },
            // zsh replaces one text by another in the present directory; elsewhere this fails.
            _ => {
                let flow = self.go(&unknown("PWD"), how, host);
                Flow { ok: flow.ok, fail: Some(State { code: ExitCode::Known(1), ..self.state.clone() }) }
            }
        }
    }

    /// The states after going to a directory: there, or still here.
    fn go(&self, target: &Value, how: How, host: &dyn Host) -> Flow {
        let mut candidates = self.candidates(target);
        if how.physical {
            let real = self.real_dirs(target, &candidates, host);
            candidates = if how.surely && !real.any.is_empty() { real } else { candidates.union(&real) };
        }
        let mut there: Vec<Text> = Vec::new();
        let mut stays = how.unsure;
        for text in &candidates.any {
            match text.as_literal().and_then(|path| self.has_dir(path, host)) {
                Some(true) => there.push(text.clone()),
                // What was not there may have been made by now.
                Some(false) if !self.state.touched => stays = true,
                _ => {
                    stays = true;
                    there.push(text.clone());
                }
            }
        }
        let fail = stays.then(|| State { code: ExitCode::Known(1), ..self.state.clone() });
        let ok = (!there.is_empty()).then(|| {
            let mut state = self.state.clone();
            let local = state.local_mut();
            local.oldpwd = Some(std::mem::replace(&mut local.cwd, Value::of(there, candidates.taint)));
            for name in ["PWD", "OLDPWD"] {
                if local.vars.contains_key(name) {
                    local.vars.remove(name);
                }
            }
            state.code = ExitCode::Known(0);
            state
        });
        Flow { ok, fail }
    }

    /// Is there such a directory? What the script removed or moved away may be gone.
    fn has_dir(&self, path: &str, host: &dyn Host) -> Option<bool> {
        match self.is_folder(path) {
            Some(false) => None,
            Some(true) => Some(true),
            None => host.is_dir(path),
        }
    }

    /// Where links on the way to a directory lead.
    fn real_dirs(&self, target: &Value, lexical: &Value, host: &dyn Host) -> Value {
        let spelled = self.spelled(target);
        let real = |path: &str| host.real_dir(path).map(|path| Text::literal(&path));
        Value::of(spelled.as_ref().unwrap_or(lexical).literals().filter_map(real), target.taint)
    }

    /// The directories a path may mean; a relative one is looked up in `CDPATH` too.
    fn candidates(&self, target: &Value) -> Value {
        let here = self.resolve(target);
        let searched = self.state.local.vars.get("CDPATH").and_then(|variable| variable.scalar());
        let own = |path: &str| path.starts_with('/') || matches!(path.split('/').next(), Some("." | ".."));
        let relative = target.literals().any(|path| !own(path));
        let (Some(searched), true) = (searched, relative) else { return here };
        let mut all = here;
        for entry in searched.literals().flat_map(|list| list.split(':')).take(16) {
            let base = self.resolve(&Value::text(entry));
            all = all.union(&super::super::path::resolve(&base, target));
        }
        all
    }

    pub(super) fn builtin_pushd(&mut self, args: &[Field], host: &mut dyn Host) -> Flow {
        let given = options(args).rest;
        let here = self.state.local.cwd.clone();
        let [target] = given else { return self.swap_top(host) };
        if target.value.literals().any(|text| text.starts_with(['+', '-']) && text.len() > 1) {
            return self.swap_top(host);
        }
        if args.iter().any(|arg| arg.value.as_literal() == Some("-n")) {
            let mut state = self.state.clone();
            let there = self.resolve(&target.value);
            Rc::make_mut(&mut state.local_mut().dirs).push(there);
            return Flow { ok: Some(state), fail: None };
        }
        let flow = self.builtin_cd(std::slice::from_ref(target), host);
        Flow {
            ok: flow.ok.map(|mut state| {
                Rc::make_mut(&mut state.local_mut().dirs).push(here);
                state
            }),
            fail: flow.fail,
        }
    }

    /// `pushd` alone changes places with the top of the stack; with `+n` any entry may come to the top.
    fn swap_top(&mut self, host: &mut dyn Host) -> Flow {
        let here = self.state.local.cwd.clone();
        let entries = self.state.local.dirs.iter().cloned().reduce(|left, right| left.union(&right));
        let Some(target) = entries else { return self.failed() };
        let flow = self.go(&target, How { unsure: true, physical: false, surely: false }, &*host);
        let mix = |mut state: State| {
            for entry in Rc::make_mut(&mut state.local_mut().dirs).iter_mut() {
                *entry = entry.union(&here);
            }
            state
        };
        flow.map(mix)
    }

    pub(super) fn builtin_popd(&mut self, args: &[Field], host: &mut dyn Host) -> Flow {
        let mut state = self.state.clone();
        let top = Rc::make_mut(&mut state.local_mut().dirs).pop();
        let Some(top) = top else { return self.failed() };
        // With `-n` only the stack changes; with a number the directory may stay as it is.
        if args.iter().any(|arg| arg.value.as_literal() == Some("-n")) {
            return Flow { ok: Some(state), fail: None };
        }
        let gone = top.literals().any(|path| self.is_folder(path) == Some(false));
        let certain = args.is_empty() && top.is_known() && !gone;
        let mut flow = self.go(&top, How { unsure: !certain, physical: false, surely: false }, &*host);
        if !args.is_empty() {
            flow.ok = self.join(flow.ok, Some(state.clone()), &*host);
        }
        let dirs = Rc::clone(&state.local.dirs);
        // The directory was entered before, so it is there.
        let fail = flow.fail.filter(|_| !certain);
        Flow {
            ok: flow.ok.or(Some(state)).map(|mut state| {
                state.local_mut().dirs = dirs;
                state
            }),
            fail,
        }
    }
}

/// The options of `cd`, in bash and in zsh.
const OPTIONS: &[char] = &['L', 'P', 'e', '@', 'q', 's'];

/// How a directory is gone to.
#[derive(Clone, Copy)]
struct How {
    /// It may fail, whatever the directory.
    unsure: bool,
    /// Links are followed, perhaps.
    physical: bool,
    /// They surely are.
    surely: bool,
}

fn unknown(name: &str) -> Value {
    Value::something(HoleSource::Variable(Rc::from(name)))
}
