//! Files whose names are harmless in most projects, and whose content decides whether they hold credentials: `settings.php`
//! of a web site with the password of its database, and `*.pem` with a private key beside or instead of certificates.

/// Names of settings whose values are secrets.
const SECRETS: [&str; 6] = ["password", "passwd", "hash_salt", "secret", "api_key", "token"];

/// How much of such a file is looked at, in bytes.
pub const CREDENTIALS_WITHIN: usize = 64 << 10;

/// May a file of this name hold credentials, depending on its content?
#[must_use]
pub fn may_hold_credentials(path: &str) -> bool {
    is_site_settings(path) || is_pem(path)
}

/// Does a file of this name, with this content, hold credentials?
#[must_use]
pub fn holds_credentials(path: &str, text: &str) -> bool {
    is_site_settings(path) && has_secret(text) || is_pem(path) && has_private_key(text)
}

fn is_site_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("settings.") && name.ends_with(".php")
}

fn is_pem(path: &str) -> bool {
    path.len() > 4 && path.get(path.len() - 4..).is_some_and(|ending| ending.eq_ignore_ascii_case(".pem"))
}

fn has_private_key(text: &str) -> bool {
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.contains("PRIVATE KEY-----");
    text.lines().any(|line| begins(line.trim()))
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
    use super::{has_secret, holds_credentials};

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

    #[test]
    fn a_pem_file_is_judged_by_its_content() {
        let key = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n-----BEGIN RSA PRIVATE KEY-----\nAAAA\n";
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(holds_credentials("/w/certs/cert.pem", key) && holds_credentials("CERT.PEM", key));
        assert!(!holds_credentials("/w/certs/cert.pem", certificate));
        assert!(!holds_credentials("/w/notes.md", key));
    }
}
