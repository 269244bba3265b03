//! What runs at the same time: the stages of a pipeline, and jobs in the background. A file that one of them
//! reads may be written by another later in the text, so such a one is followed a second time.

use std::collections::BTreeSet;
use std::rc::Rc;

use tollgate_model::Span;

use super::state::{Descriptor, ExitCode, Flow, State, World};
use super::text::span_length;
use super::{Context, Host, Limit, Shell};
use crate::ast::{Dialect, Item, Stage};
use crate::value::{Text, Value};

/// Jobs that are looked at again in the end. Of more of them nobody knows what they do.
const JOBS: usize = 256;

/// A statement started in the background, and how things stood then.
#[derive(Debug)]
pub(super) struct Job {
    item: Item,
    start: State,
    looked: BTreeSet<Text>,
    context: Context,
    dialect: Dialect,
}

/// A stage of a pipeline that looked into files.
struct Early<'a> {
    stage: &'a Stage,
    start: State,
    looked: BTreeSet<Text>,
}

impl Shell {
    /// Runs `inside`; which files it looked into.
    pub(super) fn watching<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> (R, BTreeSet<Text>) {
        let before = self.looked.take();
        let result = inside(self);
        let looked = self.looked.replace(before);
        if !looked.is_empty() {
            self.looked.borrow_mut().extend(looked.iter().cloned());
        }
        (result, looked)
    }

    /// Keeps a job, which may be slow: what is written later may be what it reads, or where it goes.
    pub(super) fn remember_job(
        &mut self,
        item: &Item,
        start: &State,
        looked: BTreeSet<Text>,
        host: &mut dyn Host,
    ) {
        if self.jobs.len() >= JOBS {
            return self.exhausted(Limit::Steps, item.span, host);
        }
        if self.step(span_length(item.span) / 16, item.span, host) {
            let (start, context, dialect) = (start.clone(), self.context, self.dialect);
            self.jobs.push(Job { item: item.clone(), start, looked, context, dialect });
        }
    }

    /// Runs jobs again that may have seen files as they are in the end.
    pub(super) fn run_late_jobs(&mut self, host: &mut dyn Host) {
        let present = (self.context, self.dialect);
        for job in std::mem::take(&mut self.jobs) {
            let (start, end) = (&job.start.world, &self.state.world);
            if !changed(&job.looked, start, end) && start.names == end.names {
                continue;
            }
            let end = self.state.clone();
            self.state = State { world: Rc::clone(&end.world), ..job.start };
            (self.context, self.dialect) = (job.context, job.dialect);
            self.context.conditional = true;
            let flow = self.in_subshell(host, |shell, host| shell.run_item(&job.item, host));
            (self.context, self.dialect) = present;
            let world = self.merged(flow, &*host).map_or_else(|| Rc::clone(&end.world), |state| state.world);
            self.state = State { world, ..end };
        }
        self.jobs.clear();
    }

    /// Runs a stage again when later stages wrote what it looked into.
    fn run_again(&mut self, early: &Early<'_>, flow: Flow, host: &mut dyn Host) -> Flow {
        let ends = self.join(flow.ok.clone(), flow.fail.clone(), &*host);
        let Some(world) = ends.map(|state| state.world) else { return flow };
        if !changed(&early.looked, &early.start.world, &world) {
            return flow;
        }
        self.state = State { world, ..early.start.clone() };
        self.context.conditional = true;
        let again = self.in_subshell(host, |shell, host| shell.run_command(&early.stage.command, host));
        let Some(after) = self.merged(again, &*host) else { return flow };
        let late = |state: &State| State { world: Rc::clone(&after.world), ..state.clone() };
        let late = Flow { ok: flow.ok.as_ref().map(late), fail: flow.fail.as_ref().map(late) };
        self.join_flows(flow, late, &*host)
    }

    pub(super) fn run_stages(&mut self, stages: &[Stage], span: Span, host: &mut dyn Host) -> Flow {
        let (local, code) = (Rc::clone(&self.state.local), self.state.code);
        let (context, first) = (self.context, self.next_buffer);
        self.context.piped += 1;
        let mut input = None;
        let mut flow = Flow::default();
        let mut early = Vec::new();
        for (index, stage) in stages.iter().enumerate() {
            if !self.step(1, span, host) {
                break;
            }
            let last = index + 1 == stages.len();
            self.state.local = Rc::clone(&local);
            self.state.code = code;
            if let Some(id) = input {
                self.set_descriptor(0, Descriptor::Pipe(id));
            }
            if last {
                self.context.piped_to = context.piped_to;
                flow = self.run_last_stage(stage, &local, host);
                break;
            }
            let id = self.new_buffer(Value::empty());
            self.context.piped_to = true;
            self.set_descriptor(1, Descriptor::Pipe(id));
            if stage.stderr_too {
                self.set_descriptor(2, Descriptor::Pipe(id));
            }
            let start = self.state.clone();
            let (flow, looked) = self.watching(|shell| {
                shell.in_subshell(host, |shell, host| shell.run_command(&stage.command, host))
            });
            if !looked.is_empty() {
                early.push(Early { stage, start, looked });
            }
            self.settle(flow, host);
            input = Some(id);
        }
        for stage in early {
            flow = self.run_again(&stage, flow, host);
        }
        self.context = context;
        if local.options.pipefail
            && let Some(ok) = &flow.ok
            && flow.fail.is_none()
        {
            flow.fail = Some(State { code: ExitCode::Nonzero, ..ok.clone() });
        }
        let made = first..self.next_buffer;
        flow.map(|mut state| {
            state.drop_buffers(made.clone());
            if self.keeps_last_stage() {
                state.local_mut().fds = local.fds.clone();
            } else {
                state.local = Rc::clone(&local);
            }
            state
        })
    }

    /// In zsh, and with `lastpipe`, the last stage runs in the shell itself.
    fn keeps_last_stage(&self) -> bool {
        self.dialect == Dialect::Zsh || self.state.local.options.lastpipe
    }

    fn run_last_stage(
        &mut self,
        stage: &Stage,
        local: &Rc<super::state::Local>,
        host: &mut dyn Host,
    ) -> Flow {
        if !self.keeps_last_stage() {
            return self.in_subshell(host, |shell, host| shell.run_command(&stage.command, host));
        }
        let flow = self.run_command(&stage.command, host);
        let apart = |state: &State| State { local: Rc::clone(local), ..state.clone() };
        let outside = Flow { ok: flow.ok.as_ref().map(apart), fail: flow.fail.as_ref().map(apart) };
        self.join_flows(flow, outside, &*host)
    }
}

/// Whether any of these files is not what it was.
fn changed(looked: &BTreeSet<Text>, before: &World, after: &World) -> bool {
    looked.iter().any(|path| before.files.get(path) != after.files.get(path))
}
