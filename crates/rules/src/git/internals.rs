use tollgate_model::{Card, Case, EffectKind, Hit, Place, Rule, WriteMode};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before changing the files in which git keeps branches and commits, other than with git.
    ///
    /// ## Instead
    /// Use git: `git switch`, `git update-ref`, `git branch`.
    pub struct Internals;
    id: "git-internals", pack: Git, level: Ask,
    instead: ["git switch main"],
    examples: [
        hit Shell("echo x > .git/HEAD"),
        hit Shell("rm .git/packed-refs"),
        hit Shell("rm -f .git/refs/heads/old"),
        hit Shell("truncate -s 0 .git/index"),
        pass Shell("rm -f .git/index.lock"),
        pass Shell("cat .git/HEAD"),
        pass Shell("echo build >> .git/info/exclude"),
        pass Shell("git branch new"),
        pass Shell("ls .git/refs/heads"),
    ],
}

impl Rule for Internals {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Write { place, mode: WriteMode::Overwrite, .. }
            | EffectKind::Delete { place, .. }
                if is_kept(place) =>
            {
                Words::new(
                    format!("changes {}, an internal file of git", shown(place)),
                    "use git for this: `git update-ref`, `git branch`",
                )
            }
            _ => None,
        })
    }
}

fn is_kept(place: &Place) -> bool {
    let Some((_, inside)) = place.path.split_once("/.git/") else { return false };
    let part = inside.split('/').next().unwrap_or_default();
    matches!(part, "HEAD" | "packed-refs" | "index" | "refs" | "objects" | "logs")
        && !inside.ends_with(".lock")
        && !place.root
}
