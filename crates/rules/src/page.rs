//! The rules' documentation: the same text in `docs/rules/` and on the terminal.

use std::fmt::Write;

use tollgate_model::{Card, Example, Level, Pack, Rule};

/// What to read about a rule, as Markdown.
#[must_use]
pub fn page(card: &Card) -> String {
    let mut out = format!("## {}\n\n{}\n\n{}\n", card.id, card.why(), level(card));
    let _ = write!(out, "\n**Instead:** {}\n", card.advice());
    if !card.instead.is_empty() {
        out.push('\n');
        out.push_str(&block(card.instead.iter().map(|text| (*text).to_owned()).collect()));
    }
    if !card.person.is_empty() {
        let _ = write!(out, "\n{}\n", card.person);
    }
    for (hit, title) in [(true, "Caught"), (false, "Allowed")] {
        let examples = card.examples.iter().filter(|example| example.hit == hit);
        let _ = write!(out, "\n{title}:\n\n{}", block(examples.map(shown).collect()));
    }
    out
}

/// The page of a pack; nothing where it has no rules.
#[must_use]
pub fn pack_page(pack: Pack) -> Option<String> {
    let cards: Vec<&Card> = cards(pack).collect();
    if cards.is_empty() {
        return None;
    }
    let mut out = format!("{GENERATED}# {}\n\n{}", pack.name(), table(&cards));
    for card in cards {
        let _ = write!(out, "\n{}", page(card));
    }
    Some(out)
}

/// The first page: every rule, by pack.
#[must_use]
pub fn index() -> String {
    let count = crate::all().count();
    let mut out = format!(
        "{GENERATED}# Rules\n\nThere are {count} rules in packs. Every pack is enabled unless a policy disables it \
         (`packs: [-cloud]`).\nEvery rule has the level shown here unless a policy sets another one \
         (`rules: {{ git-force-push: ask }}`).\n`tollgate rules show ID` prints one rule. `tollgate explain 'CMD'` \
         shows which rules apply to a command.\n"
    );
    for pack in Pack::ALL {
        let cards: Vec<&Card> = cards(pack).collect();
        if !cards.is_empty() {
            let name = pack.name();
            let _ = write!(out, "\n## [{name}]({name}.md)\n\n{}", linked(&cards, name));
        }
    }
    out
}

const GENERATED: &str = "<!-- Written by `cargo xtask docs` from the rules' cards. -->\n\n";

fn cards(pack: Pack) -> impl Iterator<Item = &'static Card> {
    crate::all().map(Rule::card).filter(move |card| card.pack == pack)
}

fn level(card: &Card) -> String {
    let strict = card.otherwise.name();
    let otherwise = match card.unsure.min(card.otherwise) {
        unsure if unsure < card.otherwise => {
            format!("{strict}; {} if the effect is not certain", word(unsure))
        }
        _ => strict.to_owned(),
    };
    match card.is_restorable() {
        true => format!("Level: save. If not everything can be saved: {otherwise}."),
        false => format!("Level: {otherwise}."),
    }
}

fn word(level: Level) -> &'static str {
    if level == Level::Off { "nothing" } else { level.name() }
}

fn table(cards: &[&Card]) -> String {
    rows(cards, |card| format!("[{0}](#{0})", card.id))
}

fn linked(cards: &[&Card], page: &str) -> String {
    rows(cards, |card| format!("[{0}]({page}.md#{0})", card.id))
}

fn rows(cards: &[&Card], link: impl Fn(&Card) -> String) -> String {
    let mut out = String::from("| rule | level | |\n|---|---|---|\n");
    for card in cards {
        let summary = card.summary().replace('|', "\\|");
        let _ = writeln!(out, "| {} | {} | {summary} |", link(card), card.level.name());
    }
    out
}

/// A command as it is typed; any other call with the name of its tool.
fn shown(example: &Example) -> String {
    match example.tool {
        "Shell" => example.text.to_owned(),
        tool => format!("{tool}: {}", example.text),
    }
}

fn block(lines: Vec<String>) -> String {
    let text = lines.join("\n");
    let fence = if text.contains("```") { "````" } else { "```" };
    format!("{fence}text\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{index, pack_page, page};
    use tollgate_model::{Pack, Rule};

    #[test]
    fn every_rule_is_on_a_page_and_in_the_index() {
        let (index, pages) = (index(), Pack::ALL.into_iter().filter_map(pack_page).collect::<String>());
        for card in crate::all().map(Rule::card) {
            assert!(pages.contains(&page(card)) && index.contains(card.id), "{}", card.id);
            assert!(!card.why().is_empty() && !card.advice().is_empty(), "{} says too little", card.id);
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<&str> = crate::all().map(|rule| rule.card().id).collect();
        ids.sort_unstable();
        let twice: Vec<_> = ids.windows(2).filter(|pair| pair.first() == pair.last()).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
