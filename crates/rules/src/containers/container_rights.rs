use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before starting a container that can break out.
    ///
    /// Such a container is privileged, shares the host's processes, has the socket of the container engine, or has secrets mounted.
    ///
    /// ## Instead
    /// Leave out `--privileged` and the socket, and give only the one capability that is needed.
    pub struct ContainerRights;
    id: "container-rights", pack: Containers, level: Ask,
    instead: ["docker run --rm image"],
    examples: [
        hit Shell("docker run --privileged alpine sh"),
        hit Shell("docker run -v /var/run/docker.sock:/var/run/docker.sock alpine"),
        hit Shell("docker run --pid=host alpine ps"),
        hit Shell("docker run --cap-add SYS_ADMIN alpine"),
        hit Shell("docker run -v ~/.ssh:/root/.ssh:ro alpine ls"),
        hit Shell("docker run -v /:/host:ro alpine ls /host"),
        hit Shell("docker create --security-opt seccomp=unconfined --security-opt apparmor:unconfined x"),
        hit Shell("nsenter -t 1 -m -u sh"),
        pass Shell("docker run --rm alpine echo hi"),
        pass Shell("docker run -d --network host nginx"),
        pass Shell("docker run --cap-add NET_BIND_SERVICE app"),
        pass Shell("docker run --cap-drop ALL app"),
        pass Shell("docker build -t app ."),
        pass Shell("docker compose up -d"),
        pass Shell("nsenter --help"),
    ],
}

impl Rule for ContainerRights {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } => match operation.as_str() {
                "unconfined" => Words::new(
                    format!("starts a container that can break out (`{target}`)"),
                    "leave out that option, or give only the one capability that is needed",
                ),
                "mount-socket" => Words::new(
                    format!(
                        "gives a container control of the container engine (`{target}`), and so of this machine"
                    ),
                    "leave out the socket",
                ),
                "mount-host-read-only" | "mount-secret" => Words::new(
                    format!("mounts `{target}` of this machine into a container"),
                    "mount only the project",
                ),
                _ => None,
            },
            _ => None,
        })
    }
}
