use tollgate_model::{Audience, Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before publishing to a registry.
    ///
    /// A published release cannot be taken back, and other people run it.
    ///
    /// ## Instead
    /// Try `npm publish --dry-run` or `cargo publish --dry-run`, and let the person publish.
    pub struct PackagePublish;
    id: "package-publish", pack: SupplyChain, level: Ask,
    instead: ["npm publish --dry-run", "cargo publish --dry-run"],
    examples: [
        hit Shell("npm publish --access public"),
        hit Shell("cargo publish"),
        hit Shell("twine upload dist/*"),
        hit Shell("python -m twine upload dist/*"),
        hit Shell("uv publish"),
        hit Shell("gem push x.gem"),
        hit Shell("docker push me/app:1"),
        hit Shell("npm unpublish x --force"),
        hit Shell("cargo yank --version 1.0.0 x"),
        hit Shell("pnpm -r publish"),
        hit Shell("npm owner add eve x"),
        pass Shell("npm publish --dry-run"),
        pass Shell("cargo publish --dry-run"),
        pass Shell("npm pack"),
        pass Shell("npm run publish:docs"),
        pass Shell("cargo package"),
        pass Shell("docker build -t x ."),
        pass Shell("docker pull x"),
        pass Shell("npm view x"),
        pass Shell("git push origin feature"),
    ],
}

impl Rule for PackagePublish {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Publish { target: target @ Audience::Registry(_) } => Words::new(
                format!("publishes to {}, where other people will run it", target.told()),
                "try it with `--dry-run`, and let the person publish",
            ),
            _ => None,
        })
    }
}
