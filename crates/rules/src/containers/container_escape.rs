use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks containers that may write to folders of this machine: `/`, `/etc`, `/home`, a home directory.
    ///
    /// ## Instead
    /// Mount only the project: `docker run -v "$PWD":/app image`.
    pub struct ContainerEscape;
    id: "container-escape", pack: Containers, level: Deny,
    instead: ["docker run --rm -v \"$PWD\":/app image"],
    examples: [
        hit Shell("docker run -v /:/host alpine ls /host"),
        hit Shell("docker run --rm -it -v /:/mnt alpine chroot /mnt sh"),
        hit Shell("podman run --mount type=bind,src=/etc,dst=/e alpine cat /e/hosts"),
        hit Shell("docker run -v $HOME:/h alpine ls /h"),
        hit Shell("docker -H unix:///x.sock container run -v$HOME:/h alpine ls"),
        hit Shell("nerdctl run --volume=/home:/h:rw alpine ls"),
        pass Shell("docker run -v \"$PWD\":/app -w /app node:20 npm test"),
        pass Shell("docker run --rm -v data:/var/lib/postgresql/data postgres"),
        pass Shell("docker run -v /tmp/x:/x alpine ls"),
        pass Shell("docker run -v ./src:/src alpine ls"),
        pass Shell("docker run -v /:/host:ro prom/node-exporter"),
        pass Shell("docker run -v /etc/localtime:/etc/localtime:ro alpine date"),
        pass Shell("docker ps"),
    ],
}

impl Rule for ContainerEscape {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "mount-host" => Words::new(
                format!("lets a container write to `{target}` of this machine"),
                "mount only the project: `-v \"$PWD\":/app`",
            ),
            _ => None,
        })
    }
}
