use tollgate_model::{Card, Case, Hit, PrivateData, Rule};

use super::told;
use crate::kit::rule;

rule! {
    /// Notes a payment card number in a prompt.
    ///
    /// A number counts if an issuer uses its first digits and its check digit is right.
    ///
    /// ## Instead
    /// Leave out the number.
    pub struct CardInPrompt;
    id: "card-in-prompt", pack: Prompt, level: Note,
    person: "The person types prompts, not the agent.",
    examples: [
        hit Prompt("charge 4111 1111 1111 1111"),
        hit Prompt("5555-5555-5555-4444 exp 12/30"),
        hit Prompt("378282246310005"),
        pass Prompt("order 4111 1111 1111 1112"),
        pass Prompt("sha 4111111111111111aabbccddeeff00112233445566"),
        pass Prompt("timestamp 1700000000000"),
        pass Prompt("uuid 550e8400-e29b-41d4-a716-446655440000"),
    ],
}

impl Rule for CardInPrompt {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        told(case, |what| what == PrivateData::Card, "leave out the number")
    }
}
