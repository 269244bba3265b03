//! The parts of the guide to workflows that are made from the presets themselves.

use tollgate_workflow::{Flow, PRESETS, Preset};

/// Every generated part, by the name of its mark.
pub fn parts() -> Vec<(&'static str, String)> {
    vec![("presets", table()), ("graph", graph("code"))]
}

fn table() -> String {
    let mut table = String::from("| preset | starts | what it holds to | options |\n|---|---|---|---|\n");
    for preset in PRESETS {
        let flow = flow(preset);
        table.push_str(&format!(
            "| `{}` | {} | {} | {} |\n",
            flow.name,
            starts(&flow),
            flow.about,
            options(preset)
        ));
    }
    table
}

fn graph(name: &str) -> String {
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    preset
        .map(|preset| format!("```mermaid\n{}```\n", tollgate_workflow::mermaid(&flow(preset))))
        .unwrap_or_default()
}

fn flow(preset: &Preset) -> Flow {
    tollgate_workflow::read(preset.name, preset.text, preset.name, &Default::default()).0
}

fn starts(flow: &Flow) -> String {
    if flow.start.always {
        return "always on".to_owned();
    }
    let commands: Vec<String> = flow.start.commands.iter().map(|name| format!("`/{name}`")).collect();
    commands.join(", ")
}

fn options(preset: &Preset) -> String {
    let names: Vec<String> =
        tollgate_workflow::options(preset.text).keys().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}
