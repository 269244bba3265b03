//! The texts of all cards in one file, to be read from top to bottom: `snapshots/cards.snap`.

use tollgate_model::{Card, Rule};

#[test]
fn cards_read_as_reviewed() {
    let text: String = tollgate_rules::all().map(|rule| shown(rule.card())).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("cards", text));
}

#[test]
fn summaries_are_whole_sentences() {
    let begins = ["Asks before ", "Asks about ", "Blocks ", "Notes "];
    let is_sentence = |card: &&Card| {
        let summary = card.summary();
        begins.iter().any(|verb| summary.starts_with(verb)) && summary.ends_with('.')
    };
    let wrong: Vec<&str> =
        tollgate_rules::all().map(Rule::card).filter(|card| !is_sentence(card)).map(Card::summary).collect();
    assert!(wrong.is_empty(), "a summary is one sentence that begins with what the rule does: {wrong:#?}");
}

#[test]
fn reasons_for_the_person_are_sentences() {
    let cards = || tollgate_rules::all().map(Rule::card).filter(|card| !card.person.is_empty());
    let is_sentence = |text: &str| text.starts_with(char::is_uppercase) && text.ends_with('.');
    let wrong: Vec<&str> = cards().map(|card| card.person).filter(|text| !is_sentence(text)).collect();
    assert!(wrong.is_empty() && cards().count() > 5, "{wrong:#?}");
}

fn shown(card: &Card) -> String {
    let mut text = format!("{} ({})\n  {}\n", card.id, card.level.name(), indented(&card.why()));
    text.push_str(&format!("  Instead: {}\n", indented(&card.advice())));
    if !card.person.is_empty() {
        text.push_str(&format!("  {}\n", card.person));
    }
    text.push('\n');
    text
}

fn indented(text: &str) -> String {
    text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n  ")
}
