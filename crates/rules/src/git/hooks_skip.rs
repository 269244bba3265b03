use tollgate_model::{Card, Case, EffectKind, FileKind, Hit, Place, Protection, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before skipping or removing git hooks.
    ///
    /// Hooks are the checks that the project has agreed on.
    ///
    /// ## Instead
    /// Fix what the hook reports.
    pub struct HooksSkip;
    id: "git-hooks-skip", pack: Git, level: Ask,
    instead: ["git commit -m 'fix the parser'"],
    examples: [
        hit Shell("git commit --no-verify -m x"),
        hit Shell("git commit -nm x"),
        hit Shell("git push --no-verify"),
        hit Shell("git -c core.hooksPath=/dev/null commit -m x"),
        hit Shell("git config core.hooksPath /dev/null"),
        hit Shell("HUSKY=0 git commit -m x"),
        hit Shell("rm .git/hooks/pre-commit"),
        hit Shell("chmod -x .git/hooks/pre-push"),
        pass Shell("git commit -m \"use --no-verify never\""),
        pass Shell("chmod +x .git/hooks/pre-commit"),
        pass Shell("git push -n origin main"),
        pass Shell("git commit --verbose"),
        pass Shell("git merge -n main"),
    ],
}

impl Rule for HooksSkip {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::GitHooks, .. } => {
                Words::new("skips the git hooks of the repository", "fix what the hook reports")
            }
            EffectKind::Delete { place, .. } if is_hook(place) && !is_new(place, case) => {
                Words::new(format!("removes the git hook {}", shown(place)), "fix what the hook reports")
            }
            EffectKind::Permission { place, to, .. } if is_hook(place) && keeps_from_running(to) => {
                Words::new(format!("disables the git hook {}", shown(place)), "fix what the hook reports")
            }
            _ => None,
        })
    }
}

/// A hook that only this call has put there, in a temporary folder.
fn is_new(place: &Place, case: &Case) -> bool {
    place.zone == Zone::Temp && !place.pattern && case.world.kind(&place.path) == FileKind::Missing
}

fn is_hook(place: &Place) -> bool {
    place.path.contains("/.git/hooks/") && !place.path.ends_with(".sample")
}

/// `-x`, `a-x`, `644`: modes without the right to run.
fn keeps_from_running(mode: &str) -> bool {
    let octal = !mode.is_empty() && mode.bytes().all(|byte| byte.is_ascii_digit());
    if octal {
        !mode.bytes().any(|digit| digit % 2 == 1)
    } else {
        mode.split_once('-').is_some_and(|(_, off)| off.contains('x'))
    }
}
