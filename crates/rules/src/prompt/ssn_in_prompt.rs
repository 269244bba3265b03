use tollgate_model::{Card, Case, Hit, PrivateData, Rule};

use super::told;
use crate::kit::rule;

rule! {
    /// Notes a US social security number in a prompt.
    ///
    /// ## Instead
    /// Leave out the number, or write 000-00-0000.
    pub struct SsnInPrompt;
    id: "ssn-in-prompt", pack: Prompt, level: Note,
    person: "The person types prompts, not the agent.",
    examples: [
        hit Prompt("ssn 123-45-6789"),
        hit Prompt("(219-45-6789)"),
        pass Prompt("000-00-0000"),
        pass Prompt("987-65-4321"),
        pass Prompt("range 100-20-30"),
        pass Prompt("on 2024-01-31"),
    ],
}

impl Rule for SsnInPrompt {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        told(case, |what| what == PrivateData::SocialSecurity, "leave out the number, or write 000-00-0000")
    }
}
