//! On which machine, and for whom, a record is made.

use tollgate_model::json;

/// The longest name that is kept.
const LONGEST: usize = 64;

/// The members `host` and `user` of every record of this process, each with a comma before it. They cost one system call:
/// the user's name is the environment's, and no file is read for it.
pub(crate) fn members() -> String {
    let host = rustix::system::uname();
    let mut text = String::with_capacity(64);
    for (name, value) in [("host", host.nodename().to_string_lossy().into_owned()), ("user", user())] {
        text.push_str(&format!(",\"{name}\":"));
        let value: String = value.chars().take(LONGEST).collect();
        json::write(&value.into(), &mut text);
    }
    text
}

/// The name of the user, or their number where the environment has no name.
fn user() -> String {
    let named =
        ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    named.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}
