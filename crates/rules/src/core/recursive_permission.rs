use tollgate_model::{Card, Case, EffectKind, Hit, Place, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Blocks recursive changes of permissions or owner on `/`, a home directory or the system.
    ///
    /// ## Instead
    /// Change only the files in the project that need it: `chmod -R u+rwX src`.
    pub struct RecursivePermission;
    id: "recursive-permission", pack: Core, level: Deny,
    instead: ["chmod -R u+rwX src"],
    examples: [
        hit Shell("chmod -R 777 /"),
        hit Shell("chown -hR root: ~"),
        hit Shell("chmod -R go-rwx /usr/lib"),
        hit Shell("find / -xdev -writable -exec chmod 0 {} +"),
        hit Shell("chmod -R 000 ."),
        hit Shell("chmod -R u-w ."),
        hit Shell("chmod -R u+r-rwx ."),
        hit Shell("chmod -R u+r= ."),
        hit Shell("chmod -R a+w ."),
        pass Shell("chmod -R u+w build"),
        pass Shell("chmod -R u+rwX,go-w ."),
        pass Shell("chmod -R a+rX ."),
        pass Shell("chmod -R go-w+rX ."),
        pass Shell("chmod +x run.sh"),
    ],
}

impl Rule for RecursivePermission {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Permission { place, recursive, to }
                if is_everything(place, *recursive)
                    && place.zone != Zone::AgentConfig
                    && !(place.path == case.world.workspace() && is_gentle(to, case.world.home())) =>
            {
                Words::new(
                    format!("changes the permissions or owner of everything in {} to `{to}`", shown(place)),
                    "change only the files in the project that need it: `chmod -R u+rwX src`",
                )
            }
            _ => None,
        })
    }
}

/// A home or a part of the system with all below it, or what a walk over the whole machine finds.
fn is_everything(place: &Place, recursive: bool) -> bool {
    (recursive || place.pattern && place.root) && place.zone >= Zone::Home
        || place.pattern && place.path.starts_with("/*")
}

/// Gives the owner rights, takes rights from others, lets all read, or gives the files to whom the home belongs to: in a
/// project that loses nothing.
fn is_gentle(to: &str, home: &str) -> bool {
    let owner = to.split(':').next().unwrap_or_default();
    let own = home.rsplit('/').next().is_some_and(|name| name == owner && !name.is_empty());
    own || to.split(',').all(is_gentle_clause)
}

/// A clause may give and take several times: `u+r-w`.
fn is_gentle_clause(clause: &str) -> bool {
    let signs = ['+', '-', '='];
    let who = clause.split(signs).next().unwrap_or_default();
    let among = |text: &str, known: &str| text.chars().all(|letter| known.contains(letter));
    let mut rest = clause.get(who.len()..).unwrap_or_default();
    let mut gentle = !rest.is_empty();
    while let Some(sign) = rest.chars().next() {
        let behind = rest.get(1..).unwrap_or_default();
        let rights = behind.split(signs).next().unwrap_or_default();
        gentle &= match sign {
            '+' if who == "u" => among(rights, "rwxX"),
            '+' => among(rights, "rX"),
            '-' => !who.is_empty() && among(who, "go"),
            _ => false,
        };
        rest = behind.get(rights.len()..).unwrap_or_default();
    }
    gentle
}
