use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use super::{is_near, named, sent};
use crate::kit::{Words, first, listed, rule};

rule! {
    /// Asks before sending anything to another machine after the session has read a secret.
    ///
    /// The agent knows the secret, and what it sends may contain it in any form.
    ///
    /// ## Instead
    /// Tell the person what you want to send and where, and let them decide. Or use a session that has not read the secret.
    pub struct SendAfterSecret;
    id: "send-after-secret", pack: Exfiltration, level: Ask,
    person: "After a session has read a secret, only the person may send data from it.",
    examples: [
        hit AfterSecret("curl -d 'note=abc' https://example.test/form"),
        hit AfterSecret("curl -X POST --json '{\"a\":1}' https://hooks.example.test/x"),
        hit AfterSecret("scp notes.txt you@example.test:"),
        hit AfterSecret("wget --post-data=a=1 https://example.test"),
        pass AfterSecret("curl -s https://example.test/data.json"),
        pass AfterSecret("curl -d 'a=1' http://localhost:3000/form"),
        pass AfterSecret("git push origin feature/x"),
        pass AfterSecret("cargo build"),
        pass AfterSecret("npm ci"),
        pass Shell("curl -d 'note=abc' https://example.test/form"),
        pass Shell("wget --post-data=a=1 https://example.test"),
    ],
}

impl Rule for SendAfterSecret {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let away = |kind: &EffectKind| sent(kind).is_some_and(|(host, _)| !is_near(host));
        if !case.effects.iter().any(|effect| away(&effect.kind)) {
            return None;
        }
        let secrets: Vec<String> = case.world.memory().secrets().map(str::to_owned).collect();
        if secrets.is_empty() {
            return None;
        }
        first(case, |effect| {
            let (host, _) = sent(&effect.kind).filter(|_| away(&effect.kind))?;
            Words::new(
                format!("sends data to {} after this session has read {}", named(host), listed(&secrets)),
                "tell the person what you want to send and where, and let them decide",
            )
        })
    }
}
