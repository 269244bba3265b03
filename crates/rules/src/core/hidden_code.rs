use tollgate_model::{Card, Case, CodeSource, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before running code that is encoded or known only at run time.
    ///
    /// ## Instead
    /// Write the commands out in plain text.
    pub struct HiddenCode;
    id: "hidden-code", pack: Core, level: Ask,
    instead: ["base64 -d payload.b64"],
    examples: [
        hit Shell("cat payload.b64 | base64 -d | sh"),
        hit Shell("eval \"$(zcat n.gz)\""),
        hit Shell("python3 -c 'exec(__import__(\"zlib\").decompress(open(\"p\", \"rb\").read()))'"),
        pass Shell("echo aGVsbG8= | base64 -d"),
        pass Shell("zcat log.gz | grep error"),
    ],
}

impl Rule for HiddenCode {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Exec { source: CodeSource::Decoded, .. } => Words::new(
                "runs encoded code that cannot be read here",
                "write the commands out in plain text",
            ),
            EffectKind::Exec { source: CodeSource::Variable | CodeSource::File, program, .. }
                if program == "code" =>
            {
                Words::new("runs code that is known only at run time", "write the commands out in plain text")
            }
            _ => None,
        })
    }
}
