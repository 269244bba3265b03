//! Who may do what: users with passwords, sessions of browsers, tokens of programs.

use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, PasswordHash};
use axum::http::{HeaderMap, header};
use tokio_postgres::Client;
use tollgate_fleet_protocol::ErrorCode;

use crate::app::{App, secret, secret_hash};
use crate::fault::{Answer, Refusal};

/// Hours that a session lasts.
const SESSION_HOURS: f64 = 12.0;
/// Wrong passwords in a row before an account rests, and for how many minutes.
const TRIES: i32 = 5;
const REST_MINUTES: f64 = 5.0;
/// The shortest password.
const SHORTEST: usize = 12;
/// The name of the cookie.
pub const COOKIE: &str = "tollgate_session";

/// What somebody may do. Each may do what those before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Role {
    /// Looks.
    Viewer,
    /// Lets calls pass.
    Approver,
    /// Uploads bundles and rolls them out.
    Author,
    /// Machines, tokens, incidents.
    Admin,
}

impl Role {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Author => "author",
            Self::Admin => "admin",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Viewer, Self::Approver, Self::Author, Self::Admin].into_iter().find(|role| role.name() == name)
    }
}

/// Somebody who is known.
#[derive(Clone, Debug)]
pub struct Person {
    /// The name in the audit trail.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Stands in the forms of this session; empty for a token.
    pub csrf: String,
}

impl Person {
    /// Refuses whoever may not.
    ///
    /// # Errors
    /// When the role is not enough.
    pub fn must_be(&self, role: Role) -> Answer<()> {
        if self.role >= role {
            return Ok(());
        }
        let message = format!("this takes the role `{}`; yours is `{}`", role.name(), self.role.name());
        Err(Refusal::new(ErrorCode::Forbidden, message))
    }
}

/// Hashes a password.
///
/// # Errors
/// When it is too short.
pub fn hash_password(password: &str) -> anyhow::Result<String> {
    anyhow::ensure!(password.chars().count() >= SHORTEST, "a password has at least {SHORTEST} characters");
    let hash = Argon2::default().hash_password(password.as_bytes());
    Ok(hash.map_err(|error| anyhow::anyhow!("the password cannot be hashed: {error}"))?.to_string())
}

fn fits(hash: &str, password: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// Begins a session. Returns what goes into the cookie; `None` when name or password do not fit, or the account rests.
///
/// # Errors
/// When the database fails.
pub async fn log_in(app: &App, name: &str, password: &str) -> Answer<Option<String>> {
    /// Of no password: whoever has no account takes as long.
    const NOBODY: &str =
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let _place = app.logins.try_acquire().map_err(|_| Refusal::busy(2))?;
    let db = app.db().await?;
    let query = "SELECT password, coalesce(locked_until > now(), false) FROM users WHERE name = $1";
    let row = db.query_opt(query, &[&name]).await?;
    let hash = row.as_ref().map_or_else(|| NOBODY.to_owned(), |row| row.get(0));
    let resting = row.as_ref().is_some_and(|row| row.get(1));
    let given = password.to_owned();
    let fits = tokio::task::spawn_blocking(move || fits(&hash, &given)).await.unwrap_or(false);
    if row.is_none() || resting {
        return Ok(None);
    }
    if !fits {
        let update = "UPDATE users SET failures = failures + 1, locked_until = CASE WHEN failures + 1 >= $2
            THEN now() + $3::float8 * interval '1 minute' END WHERE name = $1";
        db.execute(update, &[&name, &TRIES, &REST_MINUTES]).await?;
        return Ok(None);
    }
    let (session, csrf) = (secret()?, secret()?);
    db.execute("UPDATE users SET failures = 0, locked_until = NULL WHERE name = $1", &[&name]).await?;
    let insert = "INSERT INTO sessions (hash, usr, csrf, expires_at)
        VALUES ($1, $2, $3, now() + $4::float8 * interval '1 hour')";
    db.execute(insert, &[&secret_hash(&session), &name, &csrf, &SESSION_HOURS]).await?;
    Ok(Some(session))
}

/// Ends a session.
///
/// # Errors
/// When the database fails.
pub async fn log_out(client: &Client, headers: &HeaderMap) -> Answer<()> {
    if let Some(session) = cookie(headers) {
        client.execute("DELETE FROM sessions WHERE hash = $1", &[&secret_hash(&session)]).await?;
    }
    Ok(())
}

/// Whose session it is.
///
/// # Errors
/// When the database fails.
pub async fn by_cookie(client: &Client, headers: &HeaderMap) -> Answer<Option<Person>> {
    let Some(session) = cookie(headers) else { return Ok(None) };
    let query = "SELECT u.name, u.role, s.csrf FROM sessions s JOIN users u ON u.name = s.usr
        WHERE s.hash = $1 AND s.expires_at > now()";
    let row = client.query_opt(query, &[&secret_hash(&session)]).await?;
    let person = |row: tokio_postgres::Row| {
        Some(Person { name: row.get(0), role: Role::of(row.get(1))?, csrf: row.get(2) })
    };
    Ok(row.and_then(person))
}

/// Whose token it is.
///
/// # Errors
/// When it is nobody's.
pub async fn by_token(client: &Client, headers: &HeaderMap) -> Answer<Person> {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let unknown = || Refusal::new(ErrorCode::BadToken, "the token is missing, unknown, or has expired");
    let token = value.and_then(|value| value.strip_prefix("Bearer ")).ok_or_else(unknown)?;
    let query = "SELECT name, role FROM api_tokens WHERE hash = $1 AND expires_at > now()";
    let row = client.query_opt(query, &[&secret_hash(token)]).await?.ok_or_else(unknown)?;
    let role = Role::of(row.get(1)).ok_or_else(unknown)?;
    Ok(Person { name: format!("token {}", row.get::<_, &str>(0)), role, csrf: String::new() })
}

fn cookie(headers: &HeaderMap) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value.to_owned()).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_kept_as_its_hash_and_not_too_short() {
        let hash = hash_password("correct horse battery").unwrap();
        assert!(hash.starts_with("$argon2id$") && !hash.contains("horse"));
        assert!(fits(&hash, "correct horse battery") && !fits(&hash, "correct horse batterY"));
        assert!(hash_password("short").is_err());
        assert!(!fits("", "x") && !fits("$argon2id$", "x"));
    }

    #[test]
    fn roles_are_ordered() {
        let person = |role| Person { name: String::new(), role, csrf: String::new() };
        assert!(person(Role::Admin).must_be(Role::Author).is_ok());
        assert!(person(Role::Approver).must_be(Role::Approver).is_ok());
        assert!(person(Role::Viewer).must_be(Role::Approver).is_err());
        assert!(person(Role::Approver).must_be(Role::Author).is_err());
    }
}
