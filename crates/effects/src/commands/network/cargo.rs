//! What a connection carries away: files, secrets, the output of commands.

use core::net::IpAddr;

use tollgate_model::{Carried, hosts};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::super::Run;
use crate::analyst::taint;
use crate::secrets_scan::sent_credentials;
use crate::word::Word;

/// What is sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cargo {
    /// What certainly goes.
    pub sure: Vec<Carried>,
    /// What may go, depending on values not known.
    pub maybe: Vec<Carried>,
}

impl Cargo {
    pub fn is_empty(&self) -> bool {
        self.sure.is_empty() && self.maybe.is_empty()
    }

    pub fn add(&mut self, what: impl Into<Carried>) {
        let what = what.into();
        if !self.sure.contains(&what) {
            self.sure.push(what);
        }
    }

    /// A file that is sent.
    pub fn file(&mut self, run: &mut Run, word: &Word, recursive: bool) {
        if word.is("-") || word.is("/dev/stdin") {
            return self.stdin(run);
        }
        let content = run.read(word, recursive);
        // What this call itself wrote into it and is known is no secret of the machine.
        if content.is_known() && content.taint.is_empty() {
            return self.value(&content);
        }
        if taint::has(content.taint, taint::SECRET) {
            self.add(Carried::Secret);
        }
        self.add(word.shown());
    }

    /// A file of which only what was put there for this host is sent, such as cookies.
    pub fn jar(&mut self, run: &mut Run, word: &Word) {
        if taint::has(run.read(word, false).taint, taint::SECRET) {
            self.add(Carried::Secret);
        }
    }

    /// Standard input that is sent.
    pub fn stdin(&mut self, run: &Run) {
        let Some(value) = run.stdin() else { return };
        self.value(value);
        if value.any.iter().flat_map(variables).any(|name| is_strangers_secret(name, ".")) {
            self.maybe.push(Carried::Secret);
        }
    }

    /// Data that is sent.
    pub fn value(&mut self, value: &Value) {
        if taint::has(value.taint, taint::SECRET) {
            self.add(Carried::Secret);
        }
        if taint::has(value.taint, taint::ENVIRONMENT) {
            self.add(Carried::Environment);
        }
        if taint::has(value.taint, taint::FILE) {
            self.add(Carried::FileData);
        } else if value.any.iter().any(has_output) {
            self.add(Carried::Output);
        }
        for text in value.any.iter().filter_map(Text::as_literal) {
            self.credentials(text);
        }
    }

    /// A word that is sent as it is. A variable that is named for the secret of one service may go to that
    /// service and to no other.
    pub fn word(&mut self, word: &Word, host: &str) {
        self.value(&word.value());
        if variables(&word.text).any(|name| is_strangers_secret(name, host)) {
            self.maybe.push(Carried::Secret);
        }
    }

    /// A header, or a name and password: meant to hold a credential, of this service.
    pub fn credential(&mut self, word: &Word, host: &str) {
        let name = word.text.prefix().split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        let proves = ["authorization", "cookie", "token", "key", "auth", "secret", "signature"];
        if !proves.iter().any(|part| name.contains(part)) {
            return self.word(word, host);
        }
        if is_given_away(word, host) {
            self.maybe.push(Carried::Secret);
        }
    }

    /// What is written out, as a request to somebody who is neither on this machine nor its issuer.
    pub fn address(&mut self, word: &Word, host: &str) {
        if !near(host) && !is_vendor(host) {
            self.credentials(&word.shown());
        }
    }

    fn credentials(&mut self, text: &str) {
        for kind in sent_credentials(text) {
            self.add(Carried::Credential(kind.to_owned()));
        }
    }
}

/// Does a word that proves who asks hold a secret of something else than this host?
pub(crate) fn is_given_away(word: &Word, host: &str) -> bool {
    let strange = taint::has(word.taint, taint::SECRET) && !near(host) && !is_vendor(host);
    strange || variables(&word.text).any(|name| !belongs(name, host))
}

/// Does a text that is sent to a host hold the secret of something else? `proves` is a place that is meant for
/// credentials, such as a header.
pub(crate) fn is_strange(text: &Text, host: &str, proves: bool) -> bool {
    variables(text).any(|name| if proves { !belongs(name, host) } else { is_strangers_secret(name, host) })
}

/// Is a part of it what a command printed?
pub(super) fn has_output(text: &Text) -> bool {
    text.pieces.iter().any(|piece| matches!(piece, Piece::Hole(hole) if hole.source.is_output()))
}

/// The variables in it of which nothing is known.
pub(super) fn variables(text: &Text) -> impl Iterator<Item = &str> {
    text.pieces.iter().filter_map(|piece| match piece {
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => Some(&**name),
        _ => None,
    })
}

/// Is a variable named for a secret?
pub(super) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let parts = [
        "SECRET",
        "TOKEN",
        "PASSWORD",
        "PASSWD",
        "CREDENTIAL",
        "PRIVATE_KEY",
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
    ];
    parts.iter().any(|part| name.contains(part)) || crate::secret_names::is_secret_name(&name)
}

/// Secrets of well-known services, by the start of the variable's name, and the hosts they belong to.
const SERVICES: &[(&str, &[&str])] = &[
    ("AWS_", &["amazonaws.com", "aws."]),
    ("GITHUB_", &["github", "ghcr.io"]),
    ("GH_", &["github", "ghcr.io"]),
    ("OPENAI_", &["openai", "azure"]),
    ("ANTHROPIC_", &["anthropic", "claude"]),
    ("GEMINI_", &["google"]),
    ("GOOGLE_", &["google"]),
    ("AZURE_", &["azure", "windows.net", "microsoft"]),
    ("STRIPE_", &["stripe"]),
    ("NPM_", &["npmjs", "npm."]),
    ("SLACK_", &["slack"]),
    ("HF_", &["huggingface", "hf.co"]),
    ("CLOUDFLARE_", &["cloudflare"]),
    ("DIGITALOCEAN_", &["digitalocean"]),
    ("VERCEL_", &["vercel"]),
    ("TELEGRAM_", &["telegram"]),
    ("DISCORD_", &["discord"]),
    ("TWILIO_", &["twilio"]),
    ("SENDGRID_", &["sendgrid"]),
];

/// May this variable go to this host? Only the secrets of services that are known are bound to one.
fn belongs(name: &str, host: &str) -> bool {
    if !is_secret_name(name) {
        return true;
    }
    let service = SERVICES.iter().find(|(start, _)| name.starts_with(start));
    !is_nobodys(host)
        && service.is_none_or(|(_, hosts)| near(host) || hosts.iter().any(|part| host.contains(part)))
}

/// A secret of something that the host's name does not speak of. Names that say only "a secret" go anywhere.
fn is_strangers_secret(name: &str, host: &str) -> bool {
    if !is_secret_name(name) || near(host) {
        return false;
    }
    if is_nobodys(host) {
        return true;
    }
    let plain = [
        "API",
        "KEY",
        "TOKEN",
        "SECRET",
        "ACCESS",
        "AUTH",
        "PASSWORD",
        "PASSWD",
        "PASS",
        "BEARER",
        "CLIENT",
        "ID",
        "USER",
        "APP",
        "MY",
        "ADMIN",
        "TEST",
        "JWT",
        "REFRESH",
        "SESSION",
        "SERVICE",
        "ACCOUNT",
        "LOGIN",
        "THE",
        "CREDENTIALS",
        "APIKEY",
        "PROD",
        "DEV",
        "STAGING",
        "NEW",
        "OLD",
        "WEBHOOK",
        "BOT",
        "OAUTH",
        "PRIVATE",
        "X",
    ];
    let upper = name.to_ascii_uppercase();
    let mut named = upper.split('_').filter(|part| !part.is_empty() && !plain.contains(part)).peekable();
    named.peek().is_some()
        && !belongs_to_itself(named, host)
        && !(is_service(&upper) && belongs(&upper, host))
}

fn is_service(name: &str) -> bool {
    SERVICES.iter().any(|(start, _)| name.starts_with(start))
}

fn belongs_to_itself<'p>(mut named: impl Iterator<Item = &'p str>, host: &str) -> bool {
    named.any(|part| part.len() >= 3 && host.contains(&part.to_ascii_lowercase()))
}

/// Services whose own tools print the tokens that they take.
fn is_vendor(host: &str) -> bool {
    let vendors = [
        "googleapis.com",
        "google.com",
        "run.app",
        "pkg.dev",
        "gcr.io",
        "github.com",
        "githubusercontent.com",
        "ghcr.io",
        "gitlab.com",
        "azure.com",
        "azure.net",
        "windows.net",
        "microsoft.com",
        "azurecr.io",
        "azurewebsites.net",
        "amazonaws.com",
        "aws.dev",
        "docker.io",
        "docker.com",
        "huggingface.co",
        "fly.io",
        "heroku.com",
        "vercel.com",
        "cloudflare.com",
        "openshift.com",
        "atlassian.net",
        "vault.azure.net",
    ];
    vendors.iter().any(|end| host == *end || host.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
}

/// A host to which no credential belongs: a public address without a name, or one that hands on what it gets.
fn is_nobodys(host: &str) -> bool {
    let bare = match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => {
            !(v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_unspecified())
        }
        Ok(IpAddr::V6(v6)) => !(v6.is_unique_local() || v6.is_loopback() || v6.is_unicast_link_local()),
        Err(_) => false,
    };
    bare || hosts::is_public_page(host)
}

/// A host of this machine or of the development network; or one that is not known at all.
fn near(host: &str) -> bool {
    host.is_empty()
        || host.starts_with('*')
        || crate::url::is_this_machine(host)
        || !host.contains(['.', ':'])
}
