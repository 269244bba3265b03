//! What is said about a call repeats none of its secrets: answers are kept in transcripts and shown on screens.

use std::cell::{OnceCell, RefCell};
use std::path::Path;

use tollgate_model::{Decision, Event};
use tollgate_store::Redactor;

/// The secrets of a call.
pub struct Secrets<'a> {
    event: &'a Event,
    state: &'a Path,
    redactor: OnceCell<Redactor>,
    /// Texts that hold none, or none any more: a refusal is prepared before it is said.
    clean: RefCell<Vec<String>>,
}

impl<'a> Secrets<'a> {
    /// Of an event. They are looked for once there is something to say.
    pub fn of(event: &'a Event, state: &'a Path) -> Self {
        Self { event, state, redactor: OnceCell::new(), clean: RefCell::default() }
    }

    /// Takes them out of the reasons, also where a reason shows only the beginning of one.
    pub fn hide(&self, decision: &mut Decision) {
        for finding in &mut decision.findings {
            self.clean(&mut finding.hit.what);
            self.clean(&mut finding.hit.instead);
        }
        self.clean(&mut decision.unsaved);
    }

    fn clean(&self, text: &mut String) {
        let mut clean = self.clean.borrow_mut();
        if text.is_empty() || clean.contains(text) {
            return;
        }
        *text = self.redactor.get_or_init(|| self.learn()).repeated(text);
        clean.push(text.clone());
    }

    fn learn(&self) -> Redactor {
        let redactor = Redactor::at(self.state);
        if let Some(tool) = self.event.tool() {
            redactor.learn(&tool.input);
        }
        redactor
    }
}
