use tollgate_model::{Card, Case, Hit, PrivateData, Rule};

use super::told;
use crate::kit::rule;

rule! {
    /// Notes an e-mail address in a prompt.
    ///
    /// A prompt is sent to a model.
    ///
    /// ## Instead
    /// Leave out the address, or write `me@example.com`.
    pub struct EmailInPrompt;
    id: "email-in-prompt", pack: Prompt, level: Note,
    person: "The person types prompts, not the agent.",
    examples: [
        hit Prompt("write to jane.doe@corp.io about it"),
        hit Prompt("Reviewer: <bob@mail.company.co.uk>"),
        hit Prompt("cc a@b.io,c@d.io"),
        pass Prompt("use me@example.com in the tests"),
        pass Prompt("npm i react@18.2.0"),
        pass Prompt("clone git@github.com:me/x.git"),
        pass Prompt("ssh deploy@web1.corp.io is down"),
        pass Prompt("scale logo@2x.png"),
        pass Shell("git config user.email jane.doe@corp.io"),
    ],
}

impl Rule for EmailInPrompt {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        told(case, |what| what == PrivateData::Email, "leave out the address, or write `me@example.com`")
    }
}
