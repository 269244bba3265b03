use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before unpacking an archive into a home directory or the system.
    ///
    /// An archive brings files with names that nobody has checked, possibly start-up files and programs.
    ///
    /// ## Instead
    /// Unpack it into a folder of the project or a temporary folder, and check it there.
    pub struct ExtractOutside;
    id: "extract-outside", pack: Core, level: Ask,
    instead: ["mkdir -p unpacked && tar -xf archive.tar.gz -C unpacked"],
    examples: [
        hit Shell("tar -xzf a.tgz -C ~"),
        hit Shell("tar xfC a.tar /"),
        hit Shell("bsdtar -xf a -C $HOME"),
        hit Shell("unzip -o a.zip -d ~"),
        hit Shell("cd ~ && tar xf /tmp/a.tar"),
        hit Shell("7z x a.7z -o/etc"),
        hit Shell("cd / && cpio -idu < a.cpio"),
        hit Shell("tar -xPf a.tar"),
        pass Shell("tar xzf a.tgz"),
        pass Shell("tar -xzf a.tgz -C vendor --strip-components=1"),
        pass Shell("tar -tf a.tgz"),
        pass Shell("unzip a.zip -d /tmp/x"),
        pass Shell("unzip -l a.zip"),
        pass Shell("tar czf /tmp/b.tgz src"),
        pass Shell("tar -xOf a.tar x.txt"),
    ],
}

impl Rule for ExtractOutside {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Write { place, content: None, .. }
                if place.pattern
                    && place.path.ends_with("/*")
                    && place.zone >= Zone::Home
                    && !own(case, &place.path) =>
            {
                Words::new(
                    format!("unpacks files with unknown names into {}", shown(place)),
                    "unpack it into a folder of the project or a temporary folder, and check it there",
                )
            }
            _ => None,
        })
    }
}

/// The workspace itself counts as its home's, unless something is put into it.
fn own(case: &Case, path: &str) -> bool {
    path.strip_suffix("/*") == Some(case.world.workspace())
}
