//! `tollgate bundle`, and `tollgate build --bundle`: policies for a fleet, signed with a key that no server has.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use minisign::{KeyPair, PublicKeyBox, SecretKey, SecretKeyBox};
use tollgate_courier::{InForce, Member};
use tollgate_fleet_protocol::{Bundle, MAX_BUNDLE, SignedBundle};
use tollgate_policy::{FILE_NAME, Layer, Severity, TrustPlan, check, check_hooks, render};
use tollgate_rules::Rules;
use tollgate_store::rfc3339;

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::report::shown;
use crate::{out, owner, terminal, when};

/// Arguments of `tollgate bundle`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// Check a bundle's signature and show what it sets
    Verify {
        /// The bundle
        file: PathBuf,
        /// Public key or its file; repeatable [default: the fleet's]
        #[arg(long, value_name = "KEY")]
        key: Vec<String>,
    },
    /// Make a key pair that signs bundles
    Keygen {
        /// Where: NAME.key and NAME.pub
        #[arg(long, value_name = "NAME", default_value = "tollgate-policy")]
        output: PathBuf,
        /// Keep the secret key without a password
        #[arg(long)]
        no_password: bool,
    },
}

/// What `tollgate build --bundle` needs to know.
#[derive(clap::Args, Debug)]
pub struct BuildArgs {
    /// Write a policy bundle for a fleet instead
    #[arg(long, requires_all = ["sign", "fleet", "group", "bundle_version"])]
    pub bundle: bool,
    /// Secret key that signs the bundle
    #[arg(long, value_name = "FILE", requires = "bundle")]
    sign: Option<PathBuf>,
    /// Name of the fleet
    #[arg(long, value_name = "NAME", requires = "bundle")]
    fleet: Option<String>,
    /// Group of machines it is for; repeatable
    #[arg(long, value_name = "NAME", requires = "bundle")]
    group: Vec<String>,
    /// Version of the bundle, larger than the last one's
    #[arg(long, value_name = "N", requires = "bundle")]
    bundle_version: Option<u64>,
    /// Version that a machine must have before
    #[arg(long, value_name = "N", default_value_t = 0, requires = "bundle")]
    min_previous: u64,
    /// How long it may be installed: `90d`, `12w`
    #[arg(long, value_name = "TIME", default_value = "90d", requires = "bundle")]
    valid_for: String,
    /// Public key for the bundles after this one; repeatable
    #[arg(long, value_name = "KEY", requires = "bundle")]
    next_key: Vec<String>,
    /// File to write [default: build/bundle.json]
    #[arg(long, value_name = "FILE", requires = "bundle")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Verb::Verify { file, key } => verify(file, key),
        Verb::Keygen { output, no_password } => keygen(output, *no_password),
    }
}

/// Checks the policy of a folder as the managed layer, and writes a signed bundle of it.
pub fn build(root: &Path, args: &BuildArgs) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("build --bundle")?;
    if !is_sound(root)? {
        out::error("tollgate: nothing was written");
        return Ok(ExitCode::from(1));
    }
    let bundle = compose(root, args)?;
    let text = bundle.to_text();
    if text.len() > MAX_BUNDLE {
        bail!("the bundle has {} bytes, and may have {MAX_BUNDLE}; leave out some of its files", text.len());
    }
    Bundle::parse(&text)?;
    let key = secret_key(args.sign.as_deref().context("name the key: --sign FILE")?)?;
    let signed = sign(&key, &bundle, text)?;
    let path = args.output.clone().unwrap_or_else(|| root.join("build/bundle.json"));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    }
    let json = serde_json::to_string(&signed).context("the bundle cannot be written as JSON")?;
    fs::write(&path, json + "\n").with_context(|| format!("cannot write `{}`", path.display()))?;
    out::line(&format!("Wrote {}", path.display()));
    show(&signed, &bundle);
    Ok(ExitCode::SUCCESS)
}

fn compose(root: &Path, args: &BuildArgs) -> anyhow::Result<Bundle> {
    let plan = TrustPlan::of(root)?;
    super::trust::whole(&plan).context("nothing was written")?;
    let mut files = BTreeMap::new();
    for (name, _) in &plan.files {
        let path = plan.root.join(name);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read `{}` as text", path.display()))?;
        let name = name.to_str().with_context(|| format!("`{}` is not UTF-8", name.display()))?;
        files.insert(name.to_owned(), text);
    }
    if !files.contains_key(FILE_NAME) {
        bail!("there is no {FILE_NAME} in {}", root.display());
    }
    let seconds = |micros: i64| u64::try_from(micros / 1_000_000).unwrap_or_default();
    let length = when::length(&args.valid_for)
        .with_context(|| format!("`{}` is no length of time; write `90d` or `12w`", args.valid_for))?;
    let created = seconds(when::now());
    let keys = args.next_key.iter().map(|key| public_key(key)).collect::<anyhow::Result<_>>()?;
    Ok(Bundle {
        format: 1,
        fleet: args.fleet.clone().unwrap_or_default(),
        groups: args.group.clone(),
        version: args.bundle_version.unwrap_or_default(),
        min_previous: args.min_previous,
        created,
        expires: created.saturating_add(seconds(length)),
        keys,
        files,
    })
}

/// Says everything that is wrong with a folder as the managed layer.
fn is_sound(root: &Path) -> anyhow::Result<bool> {
    let file = root.join(FILE_NAME);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let problems = check(&file, &text, Layer::Managed, &Rules);
    if !problems.is_empty() {
        out::text(&render(&problems, &text, std::io::stdout().is_terminal()));
    }
    let wrong = check_hooks(&file, Layer::Managed, &Rules, &|_| true);
    wrong.iter().for_each(|line| out::line(line));
    Ok(wrong.is_empty() && problems.iter().all(|problem| problem.severity != Severity::Error))
}

fn sign(key: &SecretKey, bundle: &Bundle, text: String) -> anyhow::Result<SignedBundle> {
    let comment = format!("fleet {} version {}", bundle.fleet, bundle.version);
    let signature =
        minisign::sign(None, key, Cursor::new(&text), Some(&comment), Some("tollgate policy bundle"));
    let signature = signature.map_err(|error| anyhow!("the bundle cannot be signed: {error}"))?;
    Ok(SignedBundle { bundle: text, signature: signature.into_string() })
}

/// Reads a secret key, and asks for its password if it has one.
fn secret_key(path: &Path) -> anyhow::Result<SecretKey> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let read = || {
        let wrong = |error| anyhow!("`{}` is no minisign secret key: {error}", path.display());
        SecretKeyBox::from_string(&text).map_err(wrong)
    };
    if let Ok(key) = read()?.into_unencrypted_secret_key() {
        return Ok(key);
    }
    let password = terminal::secret(&format!("Password of {}: ", path.display()))
        .context("the key has a password, and there is no terminal to ask for it")?;
    read()?.into_secret_key(Some(password)).map_err(|error| anyhow!("the key cannot be used: {error}"))
}

/// A public key by itself, or in its file.
fn public_key(given: &str) -> anyhow::Result<String> {
    let key = match fs::read_to_string(given) {
        Ok(text) => PublicKeyBox::from_string(&text).and_then(PublicKeyBox::into_public_key),
        Err(_) => minisign::PublicKey::from_base64(given),
    };
    key.map(|key| key.to_base64())
        .map_err(|_| anyhow!("`{}` is neither a minisign public key nor a file with one", shown(given)))
}

fn verify(file: &Path, keys: &[String]) -> anyhow::Result<ExitCode> {
    let most = 3 * MAX_BUNDLE;
    let text = tollgate_policy::read_text(file, most)
        .with_context(|| format!("cannot read `{}`", file.display()))?;
    let signed: SignedBundle =
        serde_json::from_str(&text).with_context(|| format!("`{}` is no bundle", file.display()))?;
    let keys = if keys.is_empty() {
        fleet_keys()?
    } else {
        keys.iter().map(|key| public_key(key)).collect::<anyhow::Result<_>>()?
    };
    match signed.open(&keys) {
        Ok(bundle) => {
            out::line("The signature is good.");
            show(&signed, &bundle);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            out::line(&format!("REFUSED: {}", shown(&error.to_string())));
            Ok(ExitCode::from(1))
        }
    }
}

/// The keys that this machine trusts.
fn fleet_keys() -> anyhow::Result<Vec<String>> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    if let Some(in_force) = InForce::of(&dirs.state)? {
        return Ok(in_force.keys);
    }
    let member = Member::of(&dirs.state)?;
    member
        .map(|member| member.policy_keys)
        .context("name the public key: --key KEY (this machine is in no fleet)")
}

fn show(signed: &SignedBundle, bundle: &Bundle) {
    let time = |seconds: u64| rfc3339(UNIX_EPOCH + Duration::from_secs(seconds.min(253_402_300_799)));
    let now = u64::try_from(when::now() / 1_000_000).unwrap_or_default();
    let ended = if now >= bundle.expires { " (EXPIRED: no machine installs it)" } else { "" };
    out::line(&format!("  digest   {}", signed.digest()));
    out::line(&format!("  fleet    {}", shown(&bundle.fleet)));
    out::line(&format!("  groups   {}", shown(&bundle.groups.join(", "))));
    out::line(&format!("  version  {} (after at least {})", bundle.version, bundle.min_previous));
    out::line(&format!("  created  {}", time(bundle.created)));
    out::line(&format!("  expires  {}{ended}", time(bundle.expires)));
    bundle.keys.iter().for_each(|key| out::line(&format!("  next key {}", shown(key))));
    bundle
        .files
        .iter()
        .for_each(|(name, text)| out::line(&format!("  file     {} ({} bytes)", shown(name), text.len())));
}

fn keygen(output: &Path, no_password: bool) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("bundle keygen")?;
    let (secret, public) = (output.with_extension("key"), output.with_extension("pub"));
    if let Some(path) = [&secret, &public].into_iter().find(|path| path.exists()) {
        bail!("`{}` is there already; name another with --output", path.display());
    }
    let made = match no_password {
        true => KeyPair::generate_unencrypted_keypair(),
        false => KeyPair::generate_encrypted_keypair(Some(new_password()?)),
    };
    let failed = |error| anyhow!("no key can be made: {error}");
    let pair = made.map_err(failed)?;
    let key = pair.sk.to_box(Some("tollgate policy key, secret")).map_err(failed)?.into_string();
    let key_pub = pair.pk.to_box().map_err(failed)?.into_string();
    create(&secret, key.as_bytes(), 0o600)?;
    create(&public, key_pub.as_bytes(), 0o644)?;
    out::line(&format!("Secret key  {}  (keep it offline, with a copy)", secret.display()));
    out::line(&format!("Public key  {}  {}", public.display(), pair.pk.to_base64()));
    Ok(ExitCode::SUCCESS)
}

fn new_password() -> anyhow::Result<String> {
    let ask = |question: &str| {
        terminal::secret(question)
            .context("a password needs a terminal; to keep the key without one: --no-password")
    };
    let password = ask("Password for the secret key: ")?;
    if password.is_empty() {
        bail!("the password is empty; to keep the key without one: --no-password");
    }
    if password != ask("Again: ")? {
        bail!("the two are not the same; nothing was written");
    }
    Ok(password)
}

fn create(path: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path).with_context(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).with_context(failed)
}
