//! Terminal multiplexers. Any process of the same user can type into their terminals, so an answer that is given in one is
//! not known to be a person's. Whether somebody is attached says nothing about who typed.

/// Set by a multiplexer for what runs in it, and its name.
const MARKS: &[(&str, &str)] = &[("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")];

const PROGRAMS: &[&str] = &["tmux", "screen", "zellij", "tmate", "dtach", "abduco"];

/// The multiplexer whose mark is in the environment.
pub fn in_environment() -> Option<&'static str> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    MARKS.iter().find(|(mark, _)| is_set(mark)).map(|(_, name)| *name)
}

/// The multiplexer that has this process name: `tmux: server`, `SCREEN`, `zellij`.
pub fn by_process_name(name: &str) -> Option<&'static str> {
    let name = name.split([':', ' ']).next().unwrap_or(name).trim_start_matches('-');
    PROGRAMS.iter().find(|program| program.eq_ignore_ascii_case(name)).copied()
}

#[cfg(test)]
mod tests {
    use super::{MARKS, by_process_name};

    #[test]
    fn tests_start_without_the_marks() {
        let runner = include_str!("../../../.cargo/run-test");
        for (mark, _) in MARKS {
            assert!(runner.split_whitespace().any(|word| word == *mark), "`.cargo/run-test` keeps {mark}");
        }
    }

    #[test]
    fn servers_are_known_by_their_process_names() {
        for (name, expected) in [
            ("tmux: server", Some("tmux")),
            ("tmux", Some("tmux")),
            ("SCREEN", Some("screen")),
            ("screen", Some("screen")),
            ("zellij", Some("zellij")),
            ("bash", None),
            ("screensaver", None),
            ("tmuxinator", None),
            ("", None),
        ] {
            assert_eq!(by_process_name(name), expected, "{name}");
        }
    }
}
