//! Settings of cargo: which of them name a program.

/// The programs that cargo's settings have it run.
pub(crate) fn programs(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let settings = lines.filter_map(|line| line.split_once('='));
    settings
        .filter(|(key, _)| names_program(key.trim()))
        .filter_map(|(_, value)| toml_texts(value).into_iter().next())
        .collect()
}

/// Does a setting of cargo name a program? The last part of its key tells.
pub(crate) fn names_program(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or_default();
    matches!(
        name,
        "rustc" | "rustdoc" | "rustc-wrapper" | "rustc-workspace-wrapper" | "runner" | "linker" | "browser"
    ) || name.starts_with("credential-")
        || key.starts_with("credential-")
}

/// The strings of a value as TOML writes them: `"…"` with escapes, `'…'` without.
pub(crate) fn toml_texts(value: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = value.chars();
    while let Some(quote) = chars.by_ref().find(|c| matches!(c, '"' | '\'')) {
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != quote) {
            match c {
                '\\' if quote == '"' => text.extend(chars.next()),
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            texts.push(text);
        }
    }
    texts
}
