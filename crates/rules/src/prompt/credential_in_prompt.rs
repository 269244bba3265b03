use tollgate_model::{Card, Case, Hit, PrivateData, Rule};

use super::told;
use crate::kit::rule;

rule! {
    /// Notes a private key or a token of a known service in a prompt.
    ///
    /// A prompt is sent to a model and stays in its records.
    ///
    /// ## Instead
    /// Put it into an environment variable, and name the variable.
    pub struct CredentialInPrompt;
    id: "credential-in-prompt", pack: Prompt, level: Note,
    person: "The person types prompts, not the agent.",
    examples: [
        hit Prompt("use ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5 to push"),
        hit Prompt("key: AKIAIOSFODNN7QX4PLEA"),
        hit Prompt("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n"),
        hit Prompt("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8d9kLmTe"),
        pass Prompt("use $GITHUB_TOKEN to push"),
        pass Prompt("tokens begin with ghp_ or AKIA"),
        pass Prompt("AKIAIOSFODNN7EXAMPLE is from the docs"),
        pass Prompt("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        pass Prompt("commit 89e6054836a7a1e7500cd70a14b5579e752c9250 broke it"),
    ],
}

impl Rule for CredentialInPrompt {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        told(
            case,
            |what| matches!(what, PrivateData::Credential(_)),
            "put it into an environment variable, and name the variable. If it was sent, replace it",
        )
    }
}
