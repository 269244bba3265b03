//! The threat model, `docs/threats.md`: sections (`##`) of classes (`###`), each with examples that are judged.

use std::fs;
use std::path::Path;

/// A class of attacks and of the ordinary work that looks like them.
#[derive(Debug)]
pub struct Class {
    pub section: String,
    pub slug: String,
    pub examples: Vec<Example>,
}

/// A call in the document, and whether it is an attack or a look-alike.
#[derive(Debug)]
pub struct Example {
    pub attack: bool,
    pub tool: String,
    pub call: String,
}

/// The classes that the document defines.
pub fn read_classes() -> Vec<Class> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/threats.md");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    parse_classes(&text)
}

fn parse_classes(text: &str) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut section = "";
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title;
        } else if let Some(slug) = line.strip_prefix("### ") {
            classes.push(Class { section: section.into(), slug: slug.into(), examples: Vec::new() });
        } else if let Some(class) = classes.last_mut() {
            class.examples.extend(parse_examples(line));
        }
    }
    classes
}

/// `- Attack: …` and `- Look-alike: …`; calls stand in backticks, after the name of a tool that is not the shell.
fn parse_examples(line: &str) -> Vec<Example> {
    let attacks = line.strip_prefix("- Attack: ").map(|calls| (true, calls));
    let Some((attack, calls)) = attacks.or_else(|| Some((false, line.strip_prefix("- Look-alike: ")?)))
    else {
        return Vec::new();
    };
    let read = |item: &str| {
        let (tool, call) = item.split_once('`')?;
        let tool = if tool.is_empty() { "Shell" } else { tool.trim() };
        Some(Example { attack, tool: tool.to_owned(), call: decode(call.strip_suffix('`')?) })
    };
    let read_or_fail = |item| read(item).unwrap_or_else(|| panic!("no call in backticks: {item}"));
    calls.split(" · ").map(read_or_fail).collect()
}

/// `⏎` stands for a newline, `\u{202e}` for a character that would not be seen.
fn decode(call: &str) -> String {
    let mut parts = call.split("\\u{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap_or_else(|| panic!("no `}}` after `\\u{{`: {call}"));
        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        text.push(code.unwrap_or_else(|| panic!("no such character: {call}")));
        text.push_str(rest);
    }
    text.replace('⏎', "\n")
}
