//! Text run as code: `eval`, `-c`, `source`, substitutions. Unknown parts are parsed as stand-in characters
//! that map back to their holes, so `eval "rm -rf $X/"` is followed with the hole in place.

use std::rc::Rc;

use tollgate_model::Span;

use super::state::{Contents, Descriptor, Flow, Functions, JumpKind, List, Local, ShadowedVars, Variable};
use super::{Code, Context, Field, Host, Note, Scope, Shell, Written};
use crate::ast::{CommandKind, Dialect, RedirectKind, Script};
use crate::map::SharedMap;
use crate::value::{HoleSource, Piece, Text, Value};

/// First of the private-use characters that stand for unknown parts.
const FIRST: u32 = 0xF_0000;
/// Unknown parts told apart; all further ones share one.
const COUNT: usize = 4096;
/// Ends text that is expanded like a here-document.
const DELIMITER: &str = "TOLLGATE-END-OF-TEXT";

impl Shell {
    /// Runs text in the scope it asks for.
    pub(super) fn run_code(&mut self, code: &Code, host: &mut dyn Host) -> Flow {
        let span = self.at(code.span);
        let read: Code;
        let code = match code.text.has_file() {
            true => {
                let text = code.text.filled(|path| host.content(path, self));
                read = Code { text, ..code.clone() };
                &read
            }
            false => code,
        };
        if !code.text.is_known() && !code.text.is_empty() {
            host.note(Note::DynamicCode { text: code.text.clone(), span });
            self.doubt_variables();
        }
        let saved = (self.context, self.dialect);
        self.dialect = code.dialect;
        let flow = self.nested(span, host, |shell, host| match code.scope {
            Scope::Same => shell.run_texts(code, span, host),
            Scope::Sourced => shell.run_sourced(code, span, host),
            Scope::Child | Scope::Script => shell.in_subshell(host, |shell, host| {
                shell.become_child(code, &*host);
                shell.import_functions(span, host);
                shell.run_startup_file(span, host);
                shell.run_texts(code, span, host)
            }),
        });
        self.dialect = saved.1;
        self.context = saved.0;
        flow.unwrap_or_else(|| Flow::both(self.state.clone()))
    }

    fn run_texts(&mut self, code: &Code, span: Span, host: &mut dyn Host) -> Flow {
        self.context.conditional |= code.text.any.len() > 1;
        let (entry, context) = (self.state.clone(), self.context);
        let mut all = Flow::default();
        let most = if self.skim.is_some() { super::skim::TEXTS } else { usize::MAX };
        if code.text.any.len() > most {
            let text = Value::unknown(HoleSource::Budget).with_taint(code.text.taint);
            host.note(Note::DynamicCode { text, span });
        }
        for text in code.text.any.iter().take(most) {
            self.state = entry.clone();
            self.context = context;
            let flow = self.run_one_text(
                text,
                code.text.taint,
                matches!(code.scope, Scope::Child | Scope::Script),
                span,
                host,
            );
            all = self.join_flows(all, flow, &*host);
        }
        all
    }

    fn run_one_text(
        &mut self,
        text: &Text,
        taint: crate::value::Taint,
        top: bool,
        span: Span,
        host: &mut dyn Host,
    ) -> Flow {
        // To go over it is no more than to read it.
        let letters = if self.skim.is_some() { 64 } else { 8 };
        if !self.step(1 + text.bytes() / letters, span, host) {
            return Flow::both(self.state.clone());
        }
        let (source, patched) = match text.as_literal() {
            Some(known) if !known.contains(is_placeholder) => (known.to_owned(), false),
            _ => (self.patched(text, taint), true),
        };
        let script = crate::parse(&source, self.dialect);
        self.context = Context { origin: Some(span), patched, ..self.context };
        let source: Rc<str> = Rc::from(source);
        let outer = std::mem::replace(&mut self.source, Rc::clone(&source));
        let flow = match self.skimmed(&source, &script, top, host) {
            Some(flow) => flow,
            None if top => self.run_top(&script, host),
            None => self.run_items(&script, host),
        };
        self.source = outer;
        flow
    }

    fn run_sourced(&mut self, code: &Code, span: Span, host: &mut dyn Host) -> Flow {
        let before = Rc::clone(&self.state.local.args);
        if let Some(args) = &code.args {
            self.set_args(args.clone());
        }
        let given = self.state.local.args.any.clone();
        if let Some(name) = &code.name {
            Rc::make_mut(&mut self.state.local_mut().args).file = name.clone();
        }
        self.context.returnable = true;
        let mark = self.jumps.len();
        let flow = self.run_texts(code, span, host);
        let returned = self.absorb(mark, |kind| *kind == JumpKind::Return, host);
        let flow = self.join_flows(flow, returned, &*host);
        flow.map(|mut state| {
            match code.args {
                Some(_) if state.local.args.any == given => state.local_mut().args = Rc::clone(&before),
                // `set --` in the file stays.
                Some(_) => {
                    let any = before.any.iter().chain(&state.local.args.any).cloned().collect();
                    state.local_mut().args = Rc::new(super::state::Args { any, ..Clone::clone(&*before) });
                }
                None => Rc::make_mut(&mut state.local_mut().args).file = before.file.clone(),
            }
            state
        })
    }

    /// Keeps what a new process inherits.
    fn become_child(&mut self, code: &Code, host: &dyn Host) {
        let local = &self.state.local;
        let inherited = local
            .vars
            .iter()
            .filter(|(name, variable)| variable.attributes.exported || host.environment(name).is_some())
            // No array goes through the environment.
            .filter(|(_, variable)| !matches!(variable.contents, Contents::Array(_)));
        let vars =
            inherited.map(|(name, variable)| (Rc::clone(name), inherited_by_child(variable))).collect();
        let functions = local.functions.iter().filter(|(_, functions)| functions.exported);
        // bash alone takes functions from its environment, and whoever starts it may give it another one, or tell it
        // to take none: where a program has the same name, that may run.
        let functions = functions
            .filter(|_| self.dialect != Dialect::Zsh)
            .map(|(name, functions)| (Rc::clone(name), Functions { maybe_unset: true, ..functions.clone() }));
        let functions = functions.collect();
        let args = (code.name.clone(), code.args.clone());
        let child = Local {
            vars,
            functions,
            shadowed: ShadowedVars::default(),
            globals: ShadowedVars::default(),
            aliases: SharedMap::default(),
            hashed: SharedMap::default(),
            disabled: SharedMap::default(),
            traps: Rc::default(),
            dirs: Rc::default(),
            options: Default::default(),
            ..Local::clone(local)
        };
        self.state.local = Rc::new(child);
        let named = Rc::make_mut(&mut self.state.local_mut().args);
        named.file = args.0.clone().filter(|_| code.scope == Scope::Script).unwrap_or_else(Value::empty);
        if let Some(name) = args.0 {
            named.name = name;
        }
        self.set_args(args.1.unwrap_or_default());
    }

    /// Functions come in through the environment as `BASH_FUNC_name%%=() { …; }`.
    fn import_functions(&mut self, span: Span, host: &mut dyn Host) {
        let given: Vec<(String, Value)> = (self.state.local.vars.iter())
            .filter_map(|(name, variable)| {
                let name = name.strip_prefix("BASH_FUNC_")?.strip_suffix("%%")?;
                Some((name.to_owned(), variable.scalar()?))
            })
            .collect();
        for (name, body) in given {
            let code = self.code(Value::text(&name).concat(&body), Scope::Same, span);
            let flow = self.run_code(&code, host);
            self.settle(flow, host);
        }
    }

    /// bash runs the file that `BASH_ENV` names before any script.
    fn run_startup_file(&mut self, span: Span, host: &mut dyn Host) {
        if self.dialect == Dialect::Bash && self.state.local.vars.contains_key("BASH_ENV") {
            let code = self.code(Value::text(". \"$BASH_ENV\""), Scope::Same, span);
            let flow = self.run_code(&code, host);
            self.settle(flow, host);
        }
    }

    pub(super) fn set_args(&mut self, fields: Vec<Field>) {
        Rc::make_mut(&mut self.state.local_mut().args).any = vec![List::of(fields)];
    }

    /// Runs code that may run some time later, or never: both are covered by the state after.
    pub(super) fn run_aside(&mut self, text: &Value, span: Span, host: &mut dyn Host) {
        let (entry, context, mark, ended) = (self.state.clone(), self.context, self.jumps.len(), self.ended);
        self.context.conditional = true;
        self.aside += 1;
        let code = self.code(text.clone(), Scope::Same, span);
        let flow = self.run_code(&code, host);
        self.aside -= 1;
        let after = self.merged(flow, &*host);
        self.jumps.truncate(mark);
        self.context = context;
        self.ended = ended;
        if let Some(state) = self.join(Some(entry), after, &*host) {
            self.state = state;
        }
    }

    /// Runs the substitutions in text that the shell expands although it is not written as a word:
    /// subscripts in values, prompts.
    pub(super) fn run_hidden(&mut self, text: &Value, span: Span, host: &mut dyn Host) {
        let runs = |text: &Text| {
            let has = |wanted: &str| {
                text.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains(wanted)))
            };
            has("$(") || has("`")
        };
        for text in text.any.iter().filter(|text| runs(text)) {
            let mut body = Text::literal(&format!(": <<{DELIMITER}\n"));
            body.append(text);
            body.push_str(&format!("\n{DELIMITER}\n"));
            let code = self.code(body.into(), Scope::Same, span);
            let flow = self.in_subshell(host, |shell, host| shell.run_code(&code, host));
            if let Some(state) = self.merged(flow, &*host) {
                self.state = state;
            }
        }
    }

    /// Code with the arguments and dialect of this shell.
    pub(super) fn code(&self, text: Value, scope: Scope, span: Span) -> Code {
        Code { text, scope, dialect: self.dialect, name: None, args: None, span }
    }

    /// `$( … )`: runs the script in a subshell; what it prints.
    pub(super) fn substitute(&mut self, script: &Script, span: Span, host: &mut dyn Host) -> Value {
        let id = self.new_buffer(Value::empty());
        if let Some(redirect) = only_reads(script) {
            // `$(< file)` prints the file.
            let flow = self.in_subshell(host, |shell, host| {
                let opened = shell.redirect(std::slice::from_ref(redirect), host);
                if let Some(value) = opened.is_some().then(|| shell.input_value(0)).flatten() {
                    shell.set_descriptor(1, Descriptor::Pipe(id));
                    shell.emit(1, &value);
                }
                Flow::both(shell.state.clone())
            });
            self.substituted = Some(super::Status::Either);
            self.settle(flow, host);
            return self.substituted_value(id);
        }
        let piped_to = std::mem::replace(&mut self.context.piped_to, false);
        self.captures.push(id);
        let flow = self.nested(span, host, |shell, host| {
            shell.in_subshell(host, |shell, host| {
                shell.set_descriptor(1, Descriptor::Pipe(id));
                shell.run_items(script, host)
            })
        });
        self.captures.pop();
        self.context.piped_to = piped_to;
        match flow {
            Some(flow) => {
                self.substituted = Some(flow.status());
                self.settle(flow, host);
                self.substituted_value(id)
            }
            None => Value::unknown(crate::value::HoleSource::Budget),
        }
    }

    fn substituted_value(&mut self, id: u32) -> Value {
        let value = self.take_buffer(id);
        self.budget.charge(&value);
        Value { any: value.any.iter().map(Text::trim_newlines).collect(), taint: value.taint }
    }

    /// `<( … )` and `>( … )`: a path. What reading it yields is in the file table.
    pub(super) fn process(
        &mut self,
        script: &Script,
        output: bool,
        span: Span,
        host: &mut dyn Host,
    ) -> Value {
        let path = Text::literal(&format!("/dev/fd/{}", self.next_process));
        self.next_process = self.next_process.checked_sub(1).filter(|number| *number > 9).unwrap_or(63);
        if output {
            self.step(1 + span_length(span) / 16, span, host);
            self.state.files_mut().remove(&path);
            self.pending.push((script.clone(), path.clone()));
            return path.into();
        }
        let value = self.substitute_raw(script, span, host);
        self.state.files_mut().insert(path.clone(), Written { value, certain: true, anew: true });
        path.into()
    }

    fn substitute_raw(&mut self, script: &Script, span: Span, host: &mut dyn Host) -> Value {
        let id = self.new_buffer(Value::empty());
        let flow = self.nested(span, host, |shell, host| {
            shell.in_subshell(host, |shell, host| {
                shell.set_descriptor(1, Descriptor::Pipe(id));
                shell.run_items(script, host)
            })
        });
        match flow {
            Some(flow) => {
                self.settle(flow, host);
                self.take_buffer(id)
            }
            None => Value::unknown(crate::value::HoleSource::Budget),
        }
    }

    /// Runs the scripts of `>( … )` with what the command wrote to them.
    pub(super) fn run_pending(&mut self, mark: usize, host: &mut dyn Host) {
        for (script, path) in self.pending.split_off(mark.min(self.pending.len())) {
            let written = self.state.world.files.get(&path).map(|written| written.value.clone());
            let input = written.unwrap_or_else(|| Value::unknown(crate::value::HoleSource::Input));
            let id = self.new_buffer(input);
            let flow = self.nested(script.span, host, |shell, host| {
                shell.in_subshell(host, |shell, host| {
                    shell.set_descriptor(0, Descriptor::Pipe(id));
                    shell.run_items(&script, host)
                })
            });
            self.settle(flow.unwrap_or_else(|| Flow::both(self.state.clone())), host);
            self.take_buffer(id);
        }
    }

    /// Goes on after a subshell, however it ended.
    pub(super) fn settle(&mut self, flow: Flow, host: &mut dyn Host) {
        if let Some(state) = self.merged(flow, &*host) {
            self.state = state;
        }
    }

    /// Text with a stand-in for every hole.
    fn patched(&mut self, text: &Text, taint: crate::value::Taint) -> String {
        let mut source = String::new();
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) => {
                    for c in known.chars() {
                        // The stand-ins themselves stand for themselves.
                        let c = if is_placeholder(c) {
                            self.placeholder(Text::literal(&c.to_string()), taint)
                        } else {
                            c
                        };
                        source.push(c);
                    }
                }
                Piece::Glob(active) => source.push_str(active),
                hole @ Piece::Hole(_) => {
                    source.push(self.placeholder(Text { pieces: hole.clone().into() }, taint))
                }
            }
        }
        source
    }

    /// The character that stands for this text.
    fn placeholder(&mut self, text: Text, taint: crate::value::Taint) -> char {
        let splits = text.has_holes();
        let field = Field { value: Value::from(text).with_taint(taint), span: Span::default(), splits };
        let index = self.placeholders.iter().position(|known| *known == field).unwrap_or_else(|| {
            if self.placeholders.len() < COUNT {
                self.placeholders.push(field);
            } else if let Some(last) = self.placeholders.last_mut() {
                let value = Value::unknown(crate::value::HoleSource::Budget).with_taint(last.value.taint);
                *last = Field { value: value.with_taint(taint), span: Span::default(), splits: true };
            }
            self.placeholders.len().saturating_sub(1)
        });
        u32::try_from(index)
            .ok()
            .and_then(|index| char::from_u32(FIRST + index))
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// A character that stands for a whole word, for text that is put together from words.
    pub(super) fn stand_in(&mut self, field: Field) -> char {
        let index = self.placeholders.iter().position(|known| *known == field);
        if index.is_none() && self.placeholders.len() < COUNT {
            self.placeholders.push(field);
            let last = self.placeholders.len().saturating_sub(1);
            return u32::try_from(last).ok().and_then(|index| char::from_u32(FIRST + index)).unwrap_or('?');
        }
        match index
            .and_then(|index| u32::try_from(index).ok())
            .and_then(|index| char::from_u32(FIRST + index))
        {
            Some(c) => c,
            None => self.placeholder(
                Text::hole(crate::value::Hole::new(crate::value::HoleSource::Budget)),
                field.value.taint,
            ),
        }
    }

    /// Literal runs of text, each with the word that the stand-in after it stands for.
    pub(super) fn segments<'a>(&'a self, text: &'a str) -> Vec<(&'a str, Option<&'a Field>)> {
        let mut segments = Vec::new();
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_placeholder(*c)) {
            let field =
                usize::try_from(u32::from(c) - FIRST).ok().and_then(|index| self.placeholders.get(index));
            segments.push((rest.get(..at).unwrap_or_default(), field));
            rest = rest.get(at + c.len_utf8()..).unwrap_or_default();
        }
        segments.push((rest, None));
        segments
    }
}

/// A variable that is exported only on some ways may not be there.
fn inherited_by_child(variable: &Rc<Variable>) -> Rc<Variable> {
    if !variable.attributes.partly {
        return Rc::clone(variable);
    }
    Rc::new(Variable { maybe_unset: true, ..Variable::clone(variable) })
}

fn is_placeholder(c: char) -> bool {
    (FIRST..FIRST + 0xFFFE).contains(&u32::from(c))
}

/// `< file` and nothing else.
fn only_reads(script: &Script) -> Option<&crate::ast::Redirect> {
    let [item] = script.items.as_slice() else { return None };
    let ([stage], []) = (item.first.stages.as_slice(), item.rest.as_slice()) else { return None };
    let CommandKind::Simple(simple) = &stage.command.kind else { return None };
    let [redirect] = stage.command.redirects.as_slice() else { return None };
    let empty = simple.words.is_empty() && simple.assigns.is_empty();
    (empty && redirect.fd.is_none() && matches!(redirect.kind, RedirectKind::Read(_))).then_some(redirect)
}

pub(super) fn span_length(span: Span) -> usize {
    usize::try_from(span.end.saturating_sub(span.start)).unwrap_or_default()
}
