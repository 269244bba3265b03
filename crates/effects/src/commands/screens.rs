//! Editors and pagers that a person looks at, as variables and settings name them: which of their options run, load and
//! write nothing.

/// Programs with such options, each a word of its own. Those of a pager may be written together.
const PLAIN: &[(&[&str], &[&str])] = &[
    (&["vi", "vim", "nvim", "gvim", "mvim"], &["-f", "--nofork", "-n", "-R", "-Z", "-X", "-g"]),
    (&["emacs", "emacsclient"], &["-nw", "--no-window-system", "-n", "-t", "-c", "-Q", "-q"]),
    (
        &["code", "code-insiders", "codium", "cursor", "subl", "zed", "idea", "windsurf"],
        &["-w", "--wait", "-n", "--new-window", "-r", "--reuse-window"],
    ),
    (&["nano", "pico", "micro", "hx", "kak", "ed", "most", "never", "none"], &[]),
    (&["", "true", "false", ":", "cat"], &[]),
];

/// Letters of `less` and `more` that take no value: `-FRX`.
const LETTERS: &str = "aABcCdeEfFgGiIJmMnNqQrRsSuUwWX";

/// Is it such a program, with nothing but such options?
pub(super) fn is_plain(command: &str) -> bool {
    let mut words = command.split_ascii_whitespace();
    let name = words.next().unwrap_or_default();
    if matches!(name, "less" | "more") {
        let letters = |word: &str| word.strip_prefix('-').is_some_and(|word| word.chars().all(is_letter));
        return words.all(letters);
    }
    let known = PLAIN.iter().find(|(names, _)| names.contains(&name));
    known.is_some_and(|(_, options)| words.all(|word| options.contains(&word)))
}

fn is_letter(letter: char) -> bool {
    LETTERS.contains(letter)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn what_loads_or_runs_something_is_not_plain() {
        for command in ["", "cat", "less -FRX", "less", "code --wait", "vim -f", "nano", "emacs -nw"] {
            assert!(is_plain(command), "{command}");
        }
        for command in
            ["vim -cso%", "vim -ux.vim", "emacs -lx.el", "less -kx", "less -ofile", "code .", "sh", "cat x"]
        {
            assert!(!is_plain(command), "{command}");
        }
    }
}
