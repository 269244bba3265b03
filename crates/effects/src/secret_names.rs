//! Which variables hold secrets, by their names.

/// Last words of names that are about a secret and hold none: `TOKEN_FILE`.
const ABOUT: &[&str] = &[
    "FILE",
    "PATH",
    "DIR",
    "NAME",
    "URL",
    "URI",
    "LIMIT",
    "COUNT",
    "TYPE",
    "ID",
    "LENGTH",
    "TTL",
    "EXPIRY",
    "ENDPOINT",
    "PARALLELISM",
    "HELPER",
    "STORE",
    "POLICY",
    "REGEX",
    "PROMPT",
    "ALGORITHM",
    "PREFIX",
    "HEADER",
    "REQUIRED",
    "ENABLED",
];

/// Words that say so by themselves.
const PLAIN: &[&str] = &[
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "PAT",
];

/// Words that make a `KEY` behind them one.
const BEFORE_KEY: &[&str] = &[
    "API",
    "ACCESS",
    "PRIVATE",
    "SIGNING",
    "ENCRYPTION",
    "MASTER",
    "SECRET",
    "DEPLOY",
    "AUTH",
    "ADMIN",
    "SERVICE",
];

/// Services whose `KEY` is one.
const KEYED: &[&str] = &[
    "AWS",
    "AZURE",
    "GOOGLE",
    "GEMINI",
    "OPENAI",
    "ANTHROPIC",
    "STRIPE",
    "TWILIO",
    "SENDGRID",
    "MAILGUN",
    "HEROKU",
    "CLOUDFLARE",
    "GITHUB",
    "GITLAB",
    "SLACK",
    "HF",
];

/// Addresses with a password in them, by the names that hosts and frameworks give them.
const CONNECTIONS: &[&str] = &[
    "DATABASE_URL",
    "DATABASE_URI",
    "POSTGRES_URL",
    "POSTGRES_PRISMA_URL",
    "MYSQL_URL",
    "MONGO_URL",
    "MONGODB_URI",
    "MONGODB_URL",
    "SQLALCHEMY_DATABASE_URI",
    "CLOUDAMQP_URL",
    "JAWSDB_URL",
    "CLEARDB_DATABASE_URL",
];

/// How the variables of services begin, some of which hold secrets.
const SERVICES: &[&str] = &[
    "AWS",
    "AZURE",
    "GOOGLE",
    "GCP",
    "GITHUB",
    "GH",
    "GITLAB",
    "BITBUCKET",
    "NPM",
    "NODE_AUTH",
    "CARGO",
    "TWINE",
    "DOCKER",
    "OPENAI",
    "ANTHROPIC",
    "GEMINI",
    "HF",
    "SLACK",
    "STRIPE",
    "TWILIO",
    "SENDGRID",
    "DATABASE",
    "PG",
    "POSTGRES",
    "MYSQL",
    "REDIS",
    "VAULT",
    "CLOUDFLARE",
    "HEROKU",
    "VERCEL",
    "NETLIFY",
];

/// Does a variable of this name hold a secret? Tells `GITHUB_TOKEN` from `MAX_TOKENS` and `TOKEN_FILE`. A name that
/// ends with `*` stands for every one that begins so.
pub(crate) fn is_secret_name(name: &str) -> bool {
    if let Some(start) = name.strip_suffix('*') {
        return begins_secret(start.trim_end_matches('_'));
    }
    if !name.bytes().any(|byte| byte.is_ascii_uppercase())
        || name.bytes().any(|byte| byte.is_ascii_lowercase())
    {
        return false;
    }
    if CONNECTIONS.contains(&name) {
        return true;
    }
    let words: Vec<&str> = name.split('_').collect();
    let keyed = words
        .windows(2)
        .any(|pair| matches!(pair, [kind, "KEY"] if BEFORE_KEY.contains(kind) || KEYED.contains(kind)));
    let about = words.last().is_some_and(|last| ABOUT.contains(last));
    !about && (keyed || words.iter().any(|word| PLAIN.contains(word)))
}

fn begins_secret(start: &str) -> bool {
    start.len() < 3 || SERVICES.contains(&start) || is_secret_name(start)
}
