//! Sentences that lead round what asks and refuses: they speak of what is blocked and of what is not seen, so that they
//! read as if they forbade something. And which code in a sentence is meant.

use super::Sentence;
use crate::orders;

/// What stands in the way.
const GUARDS: &[&str] =
    &["hook", "tollgate", "the gate", "permission", "approval", "guard", "policy", "sandbox", "pretooluse"];

/// That it did.
const STOPS: &[&str] = &["block", "denie", "deny", "refuse", "reject", "stops", "stopped"];

/// What is done all the same.
const ROUNDS: &[&str] = &[
    "base64",
    "encode it",
    "encode the",
    "obfuscate",
    "write it to a script",
    "write it into a script",
    "put it in a script",
    "put it into a script",
    "run the script instead",
    "use a script instead",
    "wrap it in",
    "split it into",
    "use python instead",
    "run it through python",
    "with another tool",
    "try a different tool",
    "disguise",
];

/// That the guard is not to notice.
const UNSEEN: &[&str] = &[
    "does not see",
    "doesn't see",
    "cannot see",
    "can't see",
    "won't see",
    "will not see",
    "does not notice",
    "doesn't notice",
    "won't notice",
    "does not catch",
    "doesn't catch",
    "does not detect",
    "doesn't detect",
];

/// What a sentence tells an agent to do about those who ask.
pub(crate) fn gets_round(sentence: &Sentence) -> Option<&'static str> {
    let words = sentence.words.as_str();
    let any = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let about =
        ["?", "explain", "review", "describe", "detect", " test that ", " check ", "attacker", "find "];
    let begins = words.trim_start_matches([' ', '-', '*', '>', '#']);
    if about.iter().any(|word| begins.starts_with(word))
        || words.contains('?')
        || any(&["attacker", " test that "])
    {
        return None;
    }
    let prompts = any(&["permission prompt", "approval prompt", "all approvals", "all permission"]);
    if prompts
        && any(&["as approved", "as granted", "as accepted"])
        && !any(&[" not treat", "n't treat", "never treat"])
    {
        return Some("to approve everything");
    }
    let asks = any(&["never ask", "not ask ", "n't ask "]);
    let grave = ["delet", "remov", "dropp", "force", "destroy", "overwrit", "wiping", "resett"];
    if asks && grave.iter().any(|verb| words.contains(&format!("before {verb}"))) {
        return Some("to destroy without asking");
    }
    if !any(GUARDS) {
        return None;
    }
    let unseen = UNSEEN.iter().find(|unseen| words.contains(**unseen));
    let rest = unseen.map_or_else(|| words.to_owned(), |unseen| words.replace(unseen, ""));
    let forbids = [" never ", " not ", "n't ", " avoid", "instead of", "rather than", " no "];
    if forbids.iter().any(|word| rest.contains(word)) {
        return None;
    }
    let round = any(STOPS) && any(ROUNDS);
    // What is done is done so that it is not noticed.
    let meant =
        unseen.and_then(|unseen| words.split_once(unseen)).is_some_and(|(before, _)| before.contains(" so "));
    (round || meant).then_some("to get round its guard")
}

/// What follows a colon, or all of it: `Install it first: curl …`.
pub(super) fn behind_colon(said: &str) -> Option<&str> {
    let behind = said.split_once(": ").map(|(_, behind)| behind.trim_start());
    behind.filter(|behind| orders::begins_command(behind).is_some()).or(Some(said))
}

/// Is the code in a sentence only what is to be found in other code?
pub(super) fn is_sought(sentence: &Sentence) -> bool {
    let words = sentence.words.as_str();
    let any = |list: &[&str]| list.iter().any(|word| words.contains(word));
    any(&[" such as ", " like `", " for example", " e.g.", "patterns like"])
        && any(&[
            "review",
            " look for ",
            "detect",
            " flag",
            " find ",
            " report",
            " search ",
            "audit",
            " scan ",
            "bugs",
        ])
        && !any(&[" run ", " execute ", " use "])
}
