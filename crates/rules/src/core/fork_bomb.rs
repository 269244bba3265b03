use tollgate_model::{Card, Case, EffectKind, Hit, ProcessAction, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks fork bombs: functions and loops that start processes without end.
    ///
    /// ## Instead
    /// Use a bounded loop.
    pub struct ForkBomb;
    id: "fork-bomb", pack: Core, level: Deny,
    instead: ["for job in 1 2 3; do ./work \"$job\" & done; wait"],
    examples: [
        hit Shell(":(){ :|:& };:"),
        hit Shell("z(){ z & z & };z"),
        hit Shell("perl -e 'fork while fork'"),
        hit Shell("python3 -c 'import os\nwhile True: os.fork()'"),
        hit Shell("while :; do sleep 999 & done"),
        pass Shell("f(){ echo hi; }; f & f"),
        pass Shell("while :; do make & wait; done"),
        pass Shell("while read -r f; do gzip \"$f\" & done < list; wait"),
    ],
}

impl Rule for ForkBomb {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Process { action: ProcessAction::ForkBomb, target } => Words::new(
                format!("is a fork bomb: `{target}` starts processes without end"),
                "use a bounded loop",
            ),
            _ => None,
        })
    }
}
