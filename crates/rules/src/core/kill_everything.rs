use tollgate_model::{Card, Case, EffectKind, Hit, ProcessAction, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks signals to all processes.
    ///
    /// ## Instead
    /// Name one process: `kill 1234`.
    pub struct KillEverything;
    id: "kill-everything", pack: Core, level: Deny,
    instead: ["kill 1234"],
    examples: [
        hit Shell("kill -9 -1"),
        hit Shell("kill -s KILL 1"),
        hit Shell("pkill -9 -u root"),
        pass Shell("kill -9 4242"),
        pass Shell("kill %1"),
        hit Shell("pkill -KILL -u user"),
        hit Shell("killall5 -9"),
        pass Shell("pkill -f vite"),
        pass Shell("kill $(lsof -ti :3000)"),
        pass Shell("npm start & PID=$!; kill \"$PID\""),
        pass Shell("pkill -u user node"),
        pass Shell("kill $PID"),
        pass Shell("kill $(lsof -ti:3000)"),
    ],
}

impl Rule for KillEverything {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Process { action, target }
                if !matches!(action, ProcessAction::ForkBomb | ProcessAction::Trace)
                    && (matches!(target.as_str(), "-1" | "1" | "root" | "." | ".*")
                        || target.starts_with("everything of ")) =>
            {
                Words::new(
                    "sends a signal to every process, or to process 1".to_owned(),
                    "name one process: `kill 1234`",
                )
            }
            _ => None,
        })
    }
}
