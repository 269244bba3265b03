//! What programs put behind a command that a variable names.

use tollgate_shell::value::Value;

use crate::carriers::quoted;
use crate::commands::Run;
use crate::word::Word;

/// The words that the program adds: the file that differs, the host, the program that was built with its words.
pub(super) fn behind(run: &Run, name: &str, value: &Value) -> String {
    match name {
        // Git hands over the file that differs, and where the other side of it lies.
        "GIT_EXTERNAL_DIFF" => " ./*".to_owned(),
        "GIT_SSH_COMMAND" if value.literals().any(|text| text.starts_with("ssh")) => " git.host".to_owned(),
        _ if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") => {
            let words = crate::word::ways(&run.call.argv).into_iter().next().unwrap_or_default();
            let given = words.iter().skip_while(|word| !word.is("--")).skip(1);
            let given: Vec<String> = given.filter_map(Word::literal).map(quoted).collect();
            format!(" ./built {}", given.join(" "))
        }
        _ => String::new(),
    }
}
