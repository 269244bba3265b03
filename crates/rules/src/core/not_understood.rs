use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks about a call that cannot be understood completely.
    ///
    /// The parts that can be understood are judged as usual.
    ///
    /// ## Instead
    /// Split it into smaller, simpler commands.
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
                format!("cannot tell what this does: {why}"),
                "split it into smaller, simpler commands",
            ),
            _ => None,
        })
    }
}
