use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks about a call that could not be understood in full. What could be understood was judged as well.
    ///
    /// ## Instead
    /// Split it into smaller, plainer commands.
    pub struct NotUnderstood;
    id: "not-understood", pack: Core, level: Ask,
    instead: ["npm run build"],
    examples: [
        hit Shell("$TOOL -rf ~"),
        hit Shell("$READER ~/.ssh/id_rsa"),
        hit Shell("tool=$(mytool pick); $tool --flag"),
        hit Shell("a=r; b=$(head -c1 x); $a$b -v"),
        hit Shell("/usr/bin/shre? -u notes"),
        pass Shell("git status"),
        pass Shell("$CC $CFLAGS -o app main.c"),
        pass Shell("\"$BIN\" --flag"),
        pass Shell("./$TARGET input.txt"),
        pass Shell("\"${PYTHON:-python3}\" -m pytest"),
    ],
}

impl Rule for NotUnderstood {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Opaque { why } => Words::new(
                format!("cannot be understood in full: {why}"),
                "split it into smaller, plainer commands",
            ),
            _ => None,
        })
    }
}
