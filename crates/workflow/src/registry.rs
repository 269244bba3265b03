//! The agents that are known: those that have a file in the project, the home or a plugin.

use tollgate_model::World;

use crate::{files, text};

/// Where the files of agents lie, below the project and below the home.
const PLACES: [&str; 4] = [
    ".claude/agents/**",
    ".claude/plugins/*/agents/**",
    ".claude/plugins/*/*/agents/**",
    ".agents/agents/**",
];

/// The names of all agents that have a file: its `name`, else what it is called.
pub fn agents(world: &dyn World) -> Vec<String> {
    let roots = [world.workspace(), world.home()];
    let mut names = Vec::new();
    for root in roots.into_iter().filter(|root| root.len() > 1) {
        for place in PLACES {
            let found = files::matching(world, root, place);
            names.extend(found.iter().filter(|path| path.ends_with(".md")).map(|path| name(world, path)));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn name(world: &dyn World, path: &str) -> String {
    let text = files::text(world, path).unwrap_or_default();
    let named = text::frontmatter(&text, "name").filter(|name| !name.is_empty());
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).unwrap_or(path);
    named.unwrap_or(stem).to_owned()
}
