//! The agents' pages under `docs/agents/` and the guides: written by hand, with tables between two marks that are
//! made from the code.

use anyhow::{Context, Result, bail};
use tollgate_agents::capability::{Ask, Context as Heard, Deny, Rewrite};
use tollgate_agents::install::setup::Setup;
use tollgate_agents::{ADAPTERS, Adapter, EventCapability, Profile, Proof};

use xtask::sh;

use crate::workflow_docs;

/// Writes every generated part anew.
pub fn write() -> Result<()> {
    for (path, text) in pages()? {
        std::fs::write(sh::root().join(&path), text)?;
    }
    Ok(())
}

/// The pages whose generated parts are not as the code says.
pub fn stale() -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (path, text) in pages()? {
        if std::fs::read_to_string(sh::root().join(&path))? != text {
            problems.push(format!("{path}: its generated part is stale; run `cargo xtask docs`"));
        }
    }
    Ok(problems)
}

/// Every page as it should be.
fn pages() -> Result<Vec<(String, String)>> {
    let mut pages = vec![page(
        "docs/agents/README.md",
        &[("agents", overview()), ("clients", tollgate_e2e::behaviour::table()?)],
    )?];
    for adapter in ADAPTERS {
        let name = adapter.agent().name();
        let profile = adapter.profile();
        let parts = [("events", profile.table()), ("versions", versions(profile)), ("files", files(name))];
        pages.push(page(&format!("docs/agents/{name}.md"), &parts)?);
    }
    pages.push(page("docs/guide/workflows.md", &workflow_docs::parts())?);
    Ok(pages)
}

fn page(path: &str, parts: &[(&str, String)]) -> Result<(String, String)> {
    let mut text =
        std::fs::read_to_string(sh::root().join(path)).with_context(|| format!("{path} is missing"))?;
    for (name, part) in parts {
        text = filled(&text, name, part).with_context(|| path.to_owned())?;
    }
    Ok((path.to_owned(), text))
}

/// The text with a new part between `<!-- NAME -->` and `<!-- /NAME -->`. A page need not have every part.
fn filled(text: &str, name: &str, part: &str) -> Result<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let Some((before, rest)) = text.split_once(&open) else { return Ok(text.to_owned()) };
    let Some((_, after)) = rest.split_once(&close) else { bail!("`{close}` is missing") };
    Ok(format!("{before}{open}{part}{close}{after}"))
}

/// One row per agent: what the event that decides a call honours, and the events around it.
fn overview() -> String {
    let mut table = String::from(
        "| agent | version | state | ask | rewrite | session context | prompt block | stop block |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for adapter in ADAPTERS {
        table.push_str(&overview_row(*adapter));
    }
    table
}

fn overview_row(adapter: &dyn Adapter) -> String {
    let profile = adapter.profile();
    let name = adapter.agent().name();
    let state = match profile.proof {
        Proof::EndToEnd => "proven with the real client",
        Proof::Unverified => "**unverified**",
        Proof::Own => "our own protocol",
    };
    let cells = [
        format!("[{}]({name}.md)", profile.title),
        if profile.version.is_empty() { "–".to_owned() } else { profile.version.to_owned() },
        state.to_owned(),
        asks(profile).to_owned(),
        yes(any(profile, |row| row.phase.is_safety() && row.rewrite == Rewrite::UnlessDenied)),
        yes(any(profile, |row| row.phase.name() == "session-start" && row.context == Heard::Added)),
        yes(any(profile, |row| row.phase.name() == "prompt" && row.deny == Deny::Block)),
        yes(any(profile, |row| row.phase.name() == "stop" && row.deny == Deny::Block)),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn asks(profile: &Profile) -> &'static str {
    let says = |ask: Ask| any(profile, |row| row.phase.name() == "pre-tool" && row.ask == ask);
    if says(Ask::Decision) {
        "asked"
    } else if says(Ask::Alone) {
        "asked, if no other hook decides"
    } else {
        "refused, with a code"
    }
}

fn any(profile: &Profile, holds: impl Fn(&EventCapability) -> bool) -> bool {
    profile.events.iter().any(holds)
}

fn yes(holds: bool) -> String {
    if holds { "yes" } else { "no" }.to_owned()
}

/// What is known of the agent's versions.
fn versions(profile: &Profile) -> String {
    let mut text = match profile.proof {
        Proof::EndToEnd if profile.also.is_empty() => format!("Driven in the tests: {}.", profile.version),
        Proof::EndToEnd => {
            format!("Driven in the tests: {}; by hand: {}.", profile.version, profile.also.join(", "))
        }
        _ => format!("Written for {}, never driven.", profile.version),
    };
    if !profile.version_in.is_empty() {
        text.push_str(&format!(" It tells the gate its version (`{}`).", profile.version_in));
    }
    let told = profile.proof == Proof::EndToEnd;
    text.push_str(if told { " `tollgate doctor` says when yours is another one.\n" } else { "\n" });
    if !profile.changes.is_empty() {
        text.push_str("\n| before | it is known that |\n|---|---|\n");
    }
    for change in profile.changes {
        text.push_str(&format!("| {} | {} |\n", change.since, change.before));
    }
    text
}

/// Where the hooks go, and for which events.
fn files(agent: &str) -> String {
    let Some(setup) = Setup::of(agent) else { return String::new() };
    let (user, project) = setup.shown();
    let events: Vec<String> = setup.events.iter().map(|event| format!("`{event}`")).collect();
    format!(
        "| scope | file |\n|---|---|\n| `user` | `{user}` |\n| `project` | `{project}` |\n\nHooked: {}.\n",
        events.join(", ")
    )
}
