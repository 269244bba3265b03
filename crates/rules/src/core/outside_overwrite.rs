use tollgate_model::{Card, Case, Certainty, Effect, EffectKind, FileKind, Hit, Rule, WriteMode, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before overwriting or emptying a file outside the project.
    ///
    /// ## Instead
    /// Write to a new file, or to a file inside the project.
    pub struct OutsideOverwrite;
    id: "outside-overwrite", pack: Core, level: Save, otherwise: Ask,
    instead: ["cp notes.txt notes.new.txt"],
    examples: [
        hit Shell("echo x > ~/notes.txt"),
        hit Shell("cp /dev/null ~/notes.txt"),
        hit Shell("dd if=/dev/null of=/home/user/notes.txt"),
        hit Shell("truncate -s 0 ~/notes.txt"),
        hit Shell("truncate -s 0 ~/Documents/taxes.ods"),
        hit Shell(": > ~/Documents/taxes.ods"),
        hit Shell("dd if=/dev/urandom of=$HOME/Documents/taxes.ods bs=1k count=9"),
        hit Write("~/notes.txt"),
        hit Shell("find ~/docs -type f -exec truncate -s 0 {} +"),
        pass Shell("echo x >> ~/notes.txt"),
        pass Shell("echo x > ~/new-file.txt"),
        pass Shell("touch ~/new-file.txt"),
        pass Shell(": > ~/new-file.txt; echo x >> ~/new-file.txt"),
        pass Shell(": > ~/.cache/tool/list"),
        pass Shell("echo x > out.txt"),
        pass Shell("cp ~/notes.txt ."),
        pass Write("src/main.rs"),
    ],
}

impl Rule for OutsideOverwrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            // Whoever empties a file means one that is there, now or when the call runs.
            EffectKind::Write { place, mode: WriteMode::Overwrite, content: Some(text) }
                if matches!(place.zone, Zone::Home | Zone::OtherProject | Zone::Secret)
                    && text.is_empty()
                    && (effect.certainty == Certainty::Certain || !place.pattern) =>
            {
                Words::new(
                    format!("empties {}, a file outside the project", shown(place)),
                    "leave the file, or create a new one with `touch`",
                )
            }
            EffectKind::Write { place, mode: WriteMode::Overwrite, .. }
                if matches!(place.zone, Zone::Home | Zone::OtherProject)
                    && (case.world.kind(&place.path) == FileKind::File && !place.pattern
                        || is_walk(effect)) =>
            {
                Words::new(
                    format!("overwrites {}, a file outside the project", shown(place)),
                    "write to a new file, or to a file inside the project",
                )
            }
            _ => None,
        })
    }
}

/// What a pattern matches is there, and all of it is overwritten.
fn is_walk(effect: &Effect) -> bool {
    matches!(&effect.kind, EffectKind::Write { place, .. } if place.pattern)
        && effect.certainty == Certainty::Certain
}
