//! The Claude Code plugin: a marketplace with one plugin, whose hooks are those that `tollgate init` registers.

use anyhow::Result;
use tollgate_agents::install::claude::plugin;
use tollgate_model::json;

use crate::archive;
use crate::dist::Dist;
use crate::files::Files;
use crate::release::REPOSITORY;
use crate::template::fill;

const MARKETPLACE: &str = include_str!("../claude-plugin/marketplace.json");
const PLUGIN: &str = include_str!("../claude-plugin/plugin.json");
const README: &str = include_str!("../claude-plugin/README.md");
const SCRIPT: &str = include_str!("../claude-plugin/tollgate-hook");

/// Writes the marketplace as a tarball.
pub fn write(dist: &mut Dist) -> Result<()> {
    let version = dist.release.version;
    let folder = format!("tollgate-claude-plugin-{version}");
    let plugin_folder = format!("{folder}/plugins/tollgate");
    let mut hooks = String::new();
    json::write(&plugin::hooks("${CLAUDE_PLUGIN_ROOT}/hooks/tollgate-hook"), &mut hooks);
    let hooks: serde_json::Value = serde_json::from_str(&hooks)?;
    let values = [("VERSION", version), ("REPOSITORY", REPOSITORY)];
    let mut files = Files::default();
    files.add(format!("{folder}/.claude-plugin/marketplace.json"), fill(MARKETPLACE, &values[..1])?);
    files.add(format!("{folder}/README.md"), README);
    files.add(format!("{plugin_folder}/README.md"), README);
    files.add(format!("{plugin_folder}/.claude-plugin/plugin.json"), fill(PLUGIN, &values)?);
    files.add(format!("{plugin_folder}/hooks/hooks.json"), format!("{hooks:#}\n"));
    files.add_program(format!("{plugin_folder}/hooks/tollgate-hook"), SCRIPT);
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.add(format!("{folder}/{name}"), dist.release.source(name)?);
    }
    dist.write(&format!("{folder}.tar.gz"), &archive::tar_gz(&files, dist.release.time)?)?;
    Ok(())
}
