use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{OwnSecrets, Words, first, rule, shown};

rule! {
    /// Blocks recursive deletion outside the project and the temporary folders.
    ///
    /// ## Instead
    /// Delete a folder inside the project, or ask the person to delete this one.
    pub struct OutsideDelete;
    id: "outside-delete", pack: Core, level: Save, otherwise: Deny,
    instead: ["rm -rf build"],
    examples: [
        hit Shell("rm -rf ~/Documents"),
        hit Shell("rm -r /etc/nginx"),
        hit Shell("find /home/user/photos -type f -delete"),
        hit Shell("mv ~/thesis /tmp/x"),
        hit Shell("ruby -e 'FileUtils.rm_rf File.join(Dir.home, \"Documents\")'"),
        hit Shell("perl -MFile::Path -e 'rmtree(\"$ENV{HOME}/Documents\")'"),
        hit Shell("sed '1e rm -rf ~/Documents' f"),
        pass Shell("rm -rf node_modules"),
        pass Shell("rm -rf /tmp/build-1"),
        pass Shell("rm -rf ~/.cache/pip"),
        pass Shell("ls -R ~/Documents"),
        pass Shell("openssl genrsa -out key.pem 2048 && mv key.pem certs/"),
    ],
}

impl Rule for OutsideDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let own = OwnSecrets::of(case);
        first(case, |effect| match &effect.kind {
            EffectKind::Delete { place, recursive: true, .. }
                if !place.root && place.zone >= Zone::OtherProject && !own.is_deleted_by(effect) =>
            {
                Words::new(
                    format!("deletes {} and everything in it, outside the project", shown(place)),
                    "delete a folder inside the project instead, or ask the person to delete this one",
                )
            }
            _ => None,
        })
    }
}
