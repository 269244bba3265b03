//! `settings.php` of a web site, which holds the password of its database wherever the site lies. Other programs have files of
//! that name as well, so the content decides.

use tollgate_model::{Case, Place};

/// A longer file is read as far as this.
const MOST: usize = 64 << 10;

/// Names of settings whose values are secrets.
const SECRETS: [&str; 6] = ["password", "passwd", "hash_salt", "secret", "api_key", "token"];

/// Is it a site's settings file with a secret in it?
pub(crate) fn holds_credentials(place: &Place, case: &Case) -> bool {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let is_settings = name.starts_with("settings.") && name.ends_with(".php");
    is_settings
        && !place.pattern
        && case.world.read(&place.path, MOST).is_some_and(|text| has_secret(&String::from_utf8_lossy(&text)))
}

fn has_secret(text: &str) -> bool {
    let is_comment = |line: &&str| ["//", "#", "*", "/*"].iter().any(|mark| line.starts_with(mark));
    text.lines().map(str::trim_start).filter(|line| !is_comment(line)).any(sets_secret)
}

/// Does a line give a secret setting a value of its own: `'password' => 'x'`, `$settings['hash_salt'] = 'x';`?
fn sets_secret(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    SECRETS.iter().any(|name| {
        line.match_indices(name).any(|(at, _)| {
            let rest = line.get(at + name.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['\'', '"', ']', ' ', '\t']);
            rest.strip_prefix("=>").or_else(|| rest.strip_prefix('=')).is_some_and(is_literal)
        })
    })
}

/// A quoted text that is not empty; a value from the environment is none.
fn is_literal(value: &str) -> bool {
    let value = value.trim_start();
    ['\'', '"'].iter().any(|quote| {
        value.strip_prefix(*quote).is_some_and(|rest| !rest.is_empty() && !rest.starts_with(*quote))
    })
}

#[cfg(test)]
mod tests {
    use super::has_secret;

    #[test]
    fn only_settings_with_a_value_hold_a_secret() {
        for (text, expected) in [
            ("<?php\n$databases['default'] = [\n  'password' => 'hunter2',\n];\n", true),
            ("$settings['hash_salt'] = \"abc\";", true),
            ("$db_password='x';", true),
            ("'password' => '',", false),
            ("'password' => getenv('DB_PASSWORD'),", false),
            ("# 'password' => 'example',", false),
            (" * 'password' => 'sqlpassword',", false),
            ("$theme = 'password';", false),
            ("if ($password == 'x') {}", false),
            ("$title = 'Settings';", false),
        ] {
            assert_eq!(has_secret(text), expected, "{text}");
        }
    }
}
