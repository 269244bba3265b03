//! What an administrator does on the server's own command line.

use anyhow::Context;
use deadpool_postgres::Pool;
use tokio_postgres::Transaction;

use crate::account::{Role, hash_password};
use crate::app::{clean, secret, secret_hash};
use crate::audit::{self, Deed};

fn fresh_secret() -> anyhow::Result<String> {
    secret().map_err(|refusal| anyhow::anyhow!("{}", refusal.message()))
}

async fn note(
    change: &Transaction<'_>,
    who: &str,
    action: &str,
    subject: &str,
    detail: &str,
) -> anyhow::Result<()> {
    Ok(audit::note(change, Deed { who, action, subject, detail }).await?)
}

/// Makes a token that lets one machine join. Returns it; only its hash is kept.
///
/// # Errors
/// When the group has no proper name, or the database fails.
pub async fn create_token(pool: &Pool, who: &str, group: &str, hours: u32) -> anyhow::Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let named = !group.is_empty() && group.len() <= 64 && group.chars().all(plain);
    anyhow::ensure!(named, "a group has letters, digits, `-`, `_` and `.` only, at most 64");
    anyhow::ensure!((1..=8760).contains(&hours), "a token is good for 1 hour to 8760");
    let token = fresh_secret()?;
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let insert = "INSERT INTO tokens (hash, grp, created_by, expires_at)
        VALUES ($1, $2, $3, now() + $4::float8 * interval '1 hour')";
    change.execute(insert, &[&secret_hash(&token), &group, &who, &f64::from(hours)]).await?;
    note(&change, who, "token.create", group, &format!("{hours} h")).await?;
    change.commit().await?;
    Ok(token)
}

/// Makes a user, or gives one another password and role; ends the user's sessions.
///
/// # Errors
/// When the password is too short, or the database fails.
pub async fn create_user(
    pool: &Pool,
    who: &str,
    name: &str,
    role: Role,
    password: &str,
) -> anyhow::Result<()> {
    anyhow::ensure!(!name.is_empty() && clean(name, 64) == name, "a name has 1 to 64 characters");
    let hash = hash_password(password)?;
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let upsert = "INSERT INTO users (name, password, role) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET password = $2, role = $3, failures = 0, locked_until = NULL";
    change.execute(upsert, &[&name, &hash, &role.name()]).await?;
    change.execute("DELETE FROM sessions WHERE usr = $1", &[&name]).await?;
    note(&change, who, "user.create", name, role.name()).await?;
    change.commit().await?;
    Ok(())
}

/// Removes a user, and ends the user's sessions.
///
/// # Errors
/// When there is none, or the database fails.
pub async fn remove_user(pool: &Pool, who: &str, name: &str) -> anyhow::Result<()> {
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let removed = change.execute("DELETE FROM users WHERE name = $1", &[&name]).await?;
    anyhow::ensure!(removed > 0, "there is no user `{name}`");
    note(&change, who, "user.remove", name, "").await?;
    change.commit().await?;
    Ok(())
}

/// Makes a token for a program. Returns it; only its hash is kept.
///
/// # Errors
/// When the name is taken, or the database fails.
pub async fn create_api_token(
    pool: &Pool,
    who: &str,
    name: &str,
    role: Role,
    days: u32,
) -> anyhow::Result<String> {
    anyhow::ensure!(!name.is_empty() && clean(name, 64) == name, "a name has 1 to 64 characters");
    let token = fresh_secret()?;
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let insert = "INSERT INTO api_tokens (hash, name, role, expires_at)
        VALUES ($1, $2, $3, now() + $4::float8 * interval '1 day') ON CONFLICT DO NOTHING";
    let hash = secret_hash(&token);
    let made = change.execute(insert, &[&hash, &name, &role.name(), &f64::from(days)]).await?;
    anyhow::ensure!(made > 0, "there is a token `{name}` already");
    note(&change, who, "api-token.create", name, role.name()).await?;
    change.commit().await?;
    Ok(token)
}

/// Takes a program's token back.
///
/// # Errors
/// When there is none, or the database fails.
pub async fn revoke_api_token(pool: &Pool, who: &str, name: &str) -> anyhow::Result<()> {
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let removed = change.execute("DELETE FROM api_tokens WHERE name = $1", &[&name]).await?;
    anyhow::ensure!(removed > 0, "there is no token `{name}`");
    note(&change, who, "api-token.revoke", name, "").await?;
    change.commit().await?;
    Ok(())
}

/// Trusts a minisign key: machines that join from now on are told of it, and bundles that it signed may be uploaded.
///
/// # Errors
/// When it is none, or the database fails.
pub async fn add_policy_key(pool: &Pool, who: &str, key: &str) -> anyhow::Result<()> {
    let key = key.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    minisign::PublicKey::from_base64(key).map_err(|_| anyhow::anyhow!("not a minisign public key"))?;
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let insert = "INSERT INTO policy_keys (key, added_by) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    change.execute(insert, &[&key, &who]).await?;
    note(&change, who, "policy-key.add", key, "").await?;
    change.commit().await?;
    Ok(())
}

/// Trusts a minisign key no longer: nothing that it signed may be uploaded. Machines follow with the next bundle.
///
/// # Errors
/// When it is not trusted, or the database fails.
pub async fn remove_policy_key(pool: &Pool, who: &str, key: &str) -> anyhow::Result<()> {
    let mut db = pool.get().await?;
    let change = db.transaction().await?;
    let removed = change.execute("DELETE FROM policy_keys WHERE key = $1", &[&key.trim()]).await?;
    anyhow::ensure!(removed > 0, "this key is not trusted");
    note(&change, who, "policy-key.remove", key, "").await?;
    change.commit().await?;
    Ok(())
}

/// Checks the audit trail. Returns how many entries it has.
///
/// # Errors
/// When an entry was changed or removed, or the database fails.
pub async fn verify_audit(pool: &Pool) -> anyhow::Result<u64> {
    let db = pool.get().await?;
    match audit::verify(&db).await.context("the audit trail cannot be read")? {
        (count, None) => Ok(count),
        (count, Some(seq)) => {
            anyhow::bail!("entry {seq} was changed, or one before it is gone; {count} are sound")
        }
    }
}
