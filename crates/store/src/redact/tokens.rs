//! The published forms of vendors' tokens: a prefix, the characters after it, and how many make it plausible.

/// How much of a token is read to know it.
const PLAUSIBLE: usize = 256;

/// One form of token.
pub(crate) struct Token {
    pub(crate) prefix: &'static str,
    pub(crate) kind: &'static str,
    /// What may follow the prefix.
    body: Set,
    /// How much of it must follow.
    min: usize,
    /// What else must hold.
    need: Need,
}

/// Which characters a token is made of.
#[derive(Clone, Copy)]
enum Set {
    /// Letters and digits.
    Alnum,
    /// And `_`.
    Word,
    /// And `-`.
    Slug,
    /// And `.`.
    Dotted,
    /// And `+ / =`.
    Base64,
    Hex,
    /// Capital letters and digits.
    Upper,
}

/// What must hold beside prefix and length.
#[derive(Clone, Copy, PartialEq)]
enum Need {
    /// Nothing: the prefix is found nowhere else.
    Prefix,
    /// It begins a word.
    Start,
    /// It begins a word and holds a digit, so that no slug of words is taken for it.
    Digit,
    /// It begins a word and has exactly the least length.
    Exact,
}

const fn token(prefix: &'static str, kind: &'static str, body: Set, min: usize, need: Need) -> Token {
    Token { prefix, kind, body, min, need }
}

use Need::{Digit, Exact, Prefix, Start};
use Set::{Alnum, Base64, Dotted, Hex, Slug, Upper, Word};

/// The length of the shortest token.
pub(crate) const SHORTEST: usize = shortest();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn shortest() -> usize {
    let (mut shortest, mut at) = (usize::MAX, 0);
    while at < TOKENS.len() {
        let length = TOKENS[at].prefix.len() + TOKENS[at].min;
        shortest = if length < shortest { length } else { shortest };
        at += 1;
    }
    shortest
}

/// Longer prefixes stand before shorter ones that they begin with.
pub(crate) const TOKENS: &[Token] = &[
    // Source hosts.
    token("ghp_", "github-token", Word, 20, Prefix),
    token("gho_", "github-token", Word, 20, Prefix),
    token("ghu_", "github-token", Dotted, 20, Prefix),
    token("ghs_", "github-token", Dotted, 20, Prefix),
    token("ghr_", "github-token", Word, 20, Prefix),
    token("github_pat_", "github-token", Word, 22, Prefix),
    token("glpat-", "gitlab-token", Dotted, 16, Prefix),
    token("gldt-", "gitlab-token", Dotted, 16, Start),
    token("glrt-", "gitlab-token", Dotted, 16, Start),
    token("glrtr-", "gitlab-token", Dotted, 16, Start),
    token("glcbt-", "gitlab-token", Dotted, 16, Start),
    token("glptt-", "gitlab-token", Dotted, 16, Start),
    token("glft-", "gitlab-token", Dotted, 16, Start),
    token("glimt-", "gitlab-token", Dotted, 16, Start),
    token("glagent-", "gitlab-token", Dotted, 16, Start),
    token("glsoat-", "gitlab-token", Dotted, 16, Start),
    token("glffct-", "gitlab-token", Dotted, 16, Start),
    token("gloas-", "gitlab-token", Dotted, 16, Start),
    token("GR1348941", "gitlab-token", Slug, 16, Start),
    token("ATATT3x", "atlassian-token", Base64, 40, Start),
    token("ATCTT3x", "atlassian-token", Base64, 40, Start),
    token("ATBB", "bitbucket-token", Alnum, 24, Digit),
    // Clouds.
    token("AKIA", "aws-access-key", Upper, 16, Exact),
    token("ASIA", "aws-access-key", Upper, 16, Exact),
    token("ABIA", "aws-access-key", Upper, 16, Exact),
    token("ACCA", "aws-access-key", Upper, 16, Exact),
    token("ABSK", "aws-bedrock-key", Base64, 60, Start),
    token("AIza", "google-api-key", Slug, 30, Start),
    token("ya29.", "google-oauth-token", Dotted, 20, Start),
    token("GOCSPX-", "google-oauth-secret", Slug, 20, Start),
    token("LTAI", "alibaba-access-key", Alnum, 12, Digit),
    token("AKID", "tencent-secret-id", Alnum, 32, Digit),
    token("dop_v1_", "digitalocean-token", Alnum, 32, Prefix),
    token("doo_v1_", "digitalocean-token", Alnum, 32, Prefix),
    token("dor_v1_", "digitalocean-token", Alnum, 32, Prefix),
    token("dapi", "databricks-token", Hex, 32, Start),
    token("HRKU-", "heroku-key", Slug, 30, Start),
    token("fo1_", "fly-token", Slug, 30, Start),
    token("fm1r_", "fly-token", Base64, 30, Start),
    token("fm2_", "fly-token", Base64, 30, Start),
    token("pul-", "pulumi-token", Hex, 40, Start),
    token("hvs.", "vault-token", Slug, 20, Start),
    token("hvb.", "vault-token", Slug, 20, Start),
    token("hvr.", "vault-token", Slug, 20, Start),
    token("nfp_", "netlify-token", Alnum, 30, Start),
    token("sbp_", "supabase-token", Hex, 40, Start),
    token("sb_secret_", "supabase-key", Slug, 20, Start),
    token("pscale_tkn_", "planetscale-token", Dotted, 30, Start),
    token("pscale_pw_", "planetscale-password", Dotted, 30, Start),
    token("tskey-", "tailscale-key", Slug, 16, Digit),
    token("dp.pt.", "doppler-token", Alnum, 30, Start),
    token("dp.st.", "doppler-token", Dotted, 30, Start),
    token("ops_eyJ", "onepassword-token", Base64, 60, Start),
    // Chat and mail.
    token("xoxb-", "slack-token", Slug, 10, Digit),
    token("xoxa-", "slack-token", Slug, 10, Digit),
    token("xoxp-", "slack-token", Slug, 10, Digit),
    token("xoxr-", "slack-token", Slug, 10, Digit),
    token("xoxs-", "slack-token", Slug, 10, Digit),
    token("xoxe-", "slack-token", Slug, 10, Digit),
    token("xoxc-", "slack-token", Slug, 10, Digit),
    token("xoxd-", "slack-token", Base64, 10, Digit),
    token("xoxe.xoxp-", "slack-token", Slug, 10, Digit),
    token("xoxe.xoxb-", "slack-token", Slug, 10, Digit),
    token("xapp-", "slack-token", Slug, 20, Digit),
    token("hooks.slack.com/services/", "slack-webhook", Base64, 20, Prefix),
    token("discord.com/api/webhooks/", "discord-webhook", Base64, 30, Prefix),
    token("discordapp.com/api/webhooks/", "discord-webhook", Base64, 30, Prefix),
    token("SG.", "sendgrid-key", Dotted, 40, Digit),
    token("xkeysib-", "brevo-key", Slug, 40, Start),
    token("SK", "twilio-key", Hex, 32, Exact),
    token("key-", "mailgun-key", Hex, 32, Exact),
    // Money.
    token("sk_live_", "stripe-key", Alnum, 16, Prefix),
    token("rk_live_", "stripe-key", Alnum, 16, Prefix),
    token("sk_test_", "stripe-key", Alnum, 16, Prefix),
    token("rk_test_", "stripe-key", Alnum, 16, Prefix),
    token("whsec_", "webhook-secret", Base64, 20, Start),
    token("sq0atp-", "square-token", Slug, 20, Start),
    token("sq0csp-", "square-secret", Slug, 20, Start),
    token("EAAA", "square-token", Slug, 60, Digit),
    token("shpat_", "shopify-token", Hex, 20, Start),
    token("shpss_", "shopify-secret", Hex, 20, Start),
    token("shpca_", "shopify-token", Hex, 20, Start),
    token("shppa_", "shopify-token", Hex, 20, Start),
    // Models.
    token("sk-ant-", "anthropic-key", Slug, 16, Prefix),
    token("sk-proj-", "openai-key", Slug, 20, Prefix),
    token("sk-svcacct-", "openai-key", Slug, 20, Prefix),
    token("sk-admin-", "openai-key", Slug, 20, Digit),
    token("sk-or-v1-", "openrouter-key", Hex, 32, Start),
    token("sk-", "api-key", Slug, 20, Digit),
    token("hf_", "huggingface-token", Alnum, 30, Start),
    token("api_org_", "huggingface-token", Alnum, 30, Start),
    token("gsk_", "groq-key", Alnum, 40, Start),
    token("xai-", "xai-key", Alnum, 60, Start),
    token("pplx-", "perplexity-key", Alnum, 32, Start),
    token("r8_", "replicate-token", Alnum, 30, Start),
    // Packages and builds.
    token("npm_", "npm-token", Alnum, 30, Start),
    token("pypi-", "pypi-token", Slug, 40, Digit),
    token("dckr_pat_", "docker-token", Slug, 16, Prefix),
    token("dckr_oat_", "docker-token", Slug, 16, Prefix),
    token("rubygems_", "rubygems-key", Hex, 40, Start),
    token("AKCp", "artifactory-key", Alnum, 40, Digit),
    token("CCIPAT_", "circleci-token", Word, 30, Start),
    token("bkua_", "buildkite-token", Hex, 30, Start),
    token("sqp_", "sonar-token", Hex, 40, Start),
    token("squ_", "sonar-token", Hex, 40, Start),
    token("sqa_", "sonar-token", Hex, 40, Start),
    // Work.
    token("lin_api_", "linear-key", Alnum, 20, Prefix),
    token("lin_oauth_", "linear-token", Alnum, 20, Prefix),
    token("ntn_", "notion-token", Alnum, 40, Start),
    token("secret_", "notion-token", Alnum, 43, Exact),
    token("figd_", "figma-token", Slug, 30, Start),
    token("PMAK-", "postman-key", Slug, 40, Start),
    token("glsa_", "grafana-token", Word, 30, Start),
    token("glc_eyJ", "grafana-token", Base64, 40, Start),
    token("NRAK-", "newrelic-key", Upper, 20, Start),
    token("sntrys_", "sentry-token", Base64, 40, Start),
    token("sntryu_", "sentry-token", Hex, 40, Start),
    token("dt0c01.", "dynatrace-token", Dotted, 60, Start),
    token("AGE-SECRET-KEY-", "age-key", Slug, 20, Prefix),
];

impl Token {
    /// Where the token ends that begins at `at`, if one does.
    pub(crate) fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?.strip_prefix(self.prefix.as_bytes())?;
        if self.need != Prefix && !begins_word(text, at) {
            return None;
        }
        let length = self.length(rest, PLAUSIBLE);
        let body = trim(rest.get(..length)?);
        let fits = match self.need {
            Prefix | Start => body.len() >= self.min,
            Digit => body.len() >= self.min && body.iter().any(u8::is_ascii_digit),
            Exact => body.len() == self.min && !rest.get(length).is_some_and(|&byte| is_word(byte)),
        };
        let whole = || trim(rest.get(..self.length(rest, usize::MAX)).unwrap_or_default()).len();
        (fits && !is_mask(body)).then(|| at + self.prefix.len() + whole())
    }

    fn length(&self, rest: &[u8], limit: usize) -> usize {
        rest.iter().take(limit).take_while(|&&byte| self.body.has(byte)).count()
    }
}

impl Set {
    fn has(self, byte: u8) -> bool {
        match self {
            Alnum => byte.is_ascii_alphanumeric(),
            Word => is_word(byte),
            Slug => is_word(byte) || byte == b'-',
            Dotted => is_word(byte) || byte == b'-' || byte == b'.',
            Base64 => is_word(byte) || b"-+/=%".contains(&byte),
            Hex => byte.is_ascii_hexdigit(),
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

/// Letters, digits and `_`.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// No word reaches over `at` from the left. Escapes such as `\n` and `%20` are no part of a word.
pub(crate) fn begins_word(text: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| text.get(place)).copied();
    match (before(2), before(1)) {
        (_, None) => true,
        (Some(b'\\'), Some(b'n' | b't' | b'r')) => true,
        (_, Some(byte)) => (!is_word(byte) && byte != b'-') || before(3) == Some(b'%'),
    }
}

/// A full stop or a slash at the end belongs to the sentence.
fn trim(body: &[u8]) -> &[u8] {
    let tail = body.iter().rev().take_while(|byte| b"./%".contains(byte)).count();
    body.get(..body.len() - tail).unwrap_or_default()
}

/// `xxxxxxxx`, `........`: stands for a token without being one.
fn is_mask(body: &[u8]) -> bool {
    body.first().is_some_and(|first| body.iter().all(|byte| byte.eq_ignore_ascii_case(first)))
}
