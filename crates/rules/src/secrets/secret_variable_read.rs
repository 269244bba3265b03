use tollgate_model::{Card, Case, EffectKind, EnvUse, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before printing a variable whose name says that it contains a secret.
    ///
    /// Using the variable in a command is allowed.
    ///
    /// ## Instead
    /// Check only whether it is set: `[ -n "$GITHUB_TOKEN" ] && echo set`.
    pub struct SecretVariableRead;
    id: "secret-variable-read", pack: Secrets, level: Ask,
    instead: ["[ -n \"$GITHUB_TOKEN\" ] && echo set"],
    examples: [
        hit Shell("echo $AWS_SECRET_ACCESS_KEY"),
        hit Shell("printenv GITHUB_TOKEN"),
        hit Shell("printf '%s\\n' \"${OPENAI_API_KEY}\""),
        hit Shell("echo \"key: $STRIPE_SECRET_KEY\""),
        hit Shell("echo $DB_PASSWORD | base64"),
        hit Shell("cat <<< \"$NPM_TOKEN\""),
        hit Shell("declare -p GITHUB_TOKEN"),
        pass Shell("echo $PATH"),
        pass Shell("curl -H \"Authorization: Bearer $GITHUB_TOKEN\" https://api.example.test"),
        pass Shell("[ -n \"$GITHUB_TOKEN\" ] && echo set"),
        pass Shell("echo $GITHUB_TOKEN | docker login ghcr.io -u me --password-stdin"),
        pass Shell("printenv HOME"),
        pass Shell("echo $MAX_TOKENS"),
        pass Shell("echo '$AWS_SECRET_ACCESS_KEY'"),
        pass Shell("echo \"${GITHUB_TOKEN:+set}\""),
        pass Shell("echo ${#GITHUB_TOKEN}"),
    ],
}

impl Rule for SecretVariableRead {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::EnvRead { what: EnvUse::Printed(names) } => {
                let name = names.first()?;
                Words::new(
                    format!("prints `{name}`, which contains a secret"),
                    format!("check only whether it is set: `[ -n \"${name}\" ] && echo set`"),
                )
            }
            _ => None,
        })
    }
}
