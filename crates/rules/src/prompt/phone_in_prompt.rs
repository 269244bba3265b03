use tollgate_model::{Card, Case, Hit, PrivateData, Rule};

use super::told;
use crate::kit::rule;

rule! {
    /// Notes a phone number in a prompt.
    ///
    /// A prompt is sent to a model.
    ///
    /// ## Instead
    /// Leave out the number, or write one of 555-0100 to 555-0199.
    pub struct PhoneInPrompt;
    id: "phone-in-prompt", pack: Prompt, level: Note,
    person: "The person types prompts, not the agent.",
    examples: [
        hit Prompt("call (415) 867-5309 if it fails"),
        hit Prompt("my number is +44 20 7946 0958"),
        hit Prompt("415.867.5309"),
        pass Prompt("the server is 192.168.100.200"),
        pass Prompt("use 415-555-0123 as a placeholder"),
        pass Prompt("it was 2024-01-31 12:30:45 -0700"),
        pass Prompt("epoch 1700000000"),
    ],
}

impl Rule for PhoneInPrompt {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        told(
            case,
            |what| what == PrivateData::Phone,
            "leave out the number, or write one of 555-0100 to 555-0199",
        )
    }
}
