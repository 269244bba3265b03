//! A picture of a workflow: as Mermaid, and for the terminal.

use crate::flow::{Act, Active, Flow, Gate};

/// As a Mermaid flowchart.
#[must_use]
pub fn mermaid(flow: &Flow) -> String {
    let mut lines = vec!["flowchart TD".to_owned(), format!("  start([{}])", label(&starts(flow)))];
    let first = flow.phases.first().map_or("active", String::as_str);
    lines.push(format!("  start --> {}", id(first)));
    let phases = if flow.phases.is_empty() { vec!["active".to_owned()] } else { flow.phases.clone() };
    lines.extend(phases.iter().map(|phase| format!("  {}[{}]", id(phase), label(phase))));
    for (number, gate) in flow.gates.iter().enumerate() {
        lines.extend(arrows(gate, number, &phases));
    }
    lines.push("  done([done])".to_owned());
    lines.join("\n") + "\n"
}

/// For the terminal.
#[must_use]
pub fn terminal(flow: &Flow) -> String {
    let mut lines = vec![format!("{}: {}", flow.name, flow.about), format!("starts: {}", starts(flow))];
    lines.extend(
        flow.artifacts.iter().map(|(name, paths)| format!("artifact {name}: {}", paths.join(", or "))),
    );
    if !flow.phases.is_empty() {
        lines.push(format!("phases: {}", flow.phases.join(" → ")));
    }
    for gate in &flow.gates {
        let phases =
            if gate.phases.is_empty() { String::new() } else { format!(" [{}]", gate.phases.join(", ")) };
        lines.push(format!("  {}{phases}", when(gate)));
        if !gate.message.is_empty() {
            lines.push(format!("      else: {}", gate.message));
        }
        let then: Vec<String> = gate.then.iter().map(act).collect();
        if !then.is_empty() {
            lines.push(format!("      then: {}", then.join(", ")));
        }
    }
    lines.join("\n") + "\n"
}

fn starts(flow: &Flow) -> String {
    if flow.start.always {
        return "always".to_owned();
    }
    let commands: Vec<String> = flow.start.commands.iter().map(|name| format!("/{name}")).collect();
    if commands.is_empty() { "by hand".to_owned() } else { commands.join(", ") }
}

fn arrows(gate: &Gate, number: usize, phases: &[String]) -> Vec<String> {
    let from: Vec<&String> =
        if gate.phases.is_empty() { phases.iter().take(1).collect() } else { gate.phases.iter().collect() };
    let mut lines = Vec::new();
    for phase in from {
        for act in &gate.then {
            match act {
                Act::Phase(to) => {
                    lines.push(format!("  {} -->|{}| {}", id(phase), label(&when(gate)), id(to)))
                }
                Act::End => lines.push(format!("  {} -->|{}| done", id(phase), label(&when(gate)))),
                _ => {}
            }
        }
        if !gate.message.is_empty() {
            let node = format!("refuse{number}");
            lines.push(format!(
                "  {} -.->|{}| {node}{{{{{}}}}}",
                id(phase),
                label(&when(gate)),
                label(&gate.message)
            ));
        }
    }
    lines
}

fn when(gate: &Gate) -> String {
    let names: Vec<&str> = gate.on.iter().map(|on| on.name()).collect();
    let mut text = names.join("/");
    for list in [&gate.agents, &gate.commands, &gate.tools, &gate.programs] {
        if !list.is_empty() {
            text.push(' ');
            text.push_str(&list.join("|"));
        }
    }
    if !gate.outside.is_empty() {
        text.push_str(&format!(" outside {}", gate.outside.join(", ")));
    }
    if gate.active == Active::No {
        text.push_str(" while inactive");
    }
    text
}

/// What an act does, in a few words.
#[must_use]
pub fn act(act: &Act) -> String {
    match act {
        Act::Phase(phase) => format!("phase {phase}"),
        Act::End => "end".to_owned(),
        Act::Start(name) => format!("start {name}"),
        Act::Set(key, value) => format!("{key} = {value}"),
        Act::Count(key) => format!("count {key}"),
        Act::Remember { key, .. } => format!("remember {key}"),
        Act::Forget(keys) => format!("forget {}", keys.join(", ")),
        Act::Say(_) | Act::Read(_) => "tell the agent".to_owned(),
        Act::Tell(_) => "tell the person".to_owned(),
        Act::Save { to, .. } => format!("save {to}"),
        Act::Recover { from, .. } => format!("recover {from}"),
        Act::Notify { .. } => "notify".to_owned(),
    }
}

fn id(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("p_{plain}")
}

fn label(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "'"))
}
