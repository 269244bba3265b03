//! The agents that are known: those that have a file in the project, the home or a plugin.

use tollgate_model::World;

use crate::{files, text};

/// Where the files of agents lie, below the project and below the home.
const PLACES: [&str; 14] = [
    ".claude/agents/**",
    ".claude/plugins/*/agents/**",
    ".claude/plugins/*/*/agents/**",
    ".agents/agents/**",
    ".codex/agents/**",
    ".copilot/agents/**",
    ".config/opencode/agent/**",
    ".config/opencode/agents/**",
    ".cursor/agents/**",
    ".gemini/agents/**",
    ".github/agents/**",
    ".opencode/agent/**",
    ".opencode/agents/**",
    ".qwen/agents/**",
];

/// How files of agents end.
const ENDS: [&str; 3] = [".agent.md", ".md", ".toml"];

/// The names of all agents that have a file: its `name`, else what it is called.
pub fn agents(world: &dyn World) -> Vec<String> {
    let roots = [world.workspace(), world.home()];
    let mut names = Vec::new();
    for root in roots.into_iter().filter(|root| root.len() > 1) {
        for place in PLACES {
            let found = files::matching(world, root, place);
            let files = found.iter().filter(|path| ENDS.iter().any(|end| path.ends_with(end)));
            names.extend(files.map(|path| name(world, path)));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn name(world: &dyn World, path: &str) -> String {
    let text = files::text(world, path).unwrap_or_default();
    let named = text::frontmatter(&text, "name").into_iter().find(|name| !name.is_empty());
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = ENDS.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
    named.unwrap_or_else(|| stem.to_owned())
}
