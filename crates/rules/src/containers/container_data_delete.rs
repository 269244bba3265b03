use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before deleting volumes with the databases and uploads in them.
    ///
    /// ## Instead
    /// `docker compose down` keeps the volumes. `docker volume ls` lists them.
    pub struct ContainerDataDelete;
    id: "container-data-delete", pack: Containers, level: Ask,
    instead: ["docker compose down", "docker volume ls"],
    examples: [
        hit Shell("docker compose down -v"),
        hit Shell("docker-compose -f dev.yml -p app down --volumes --remove-orphans"),
        hit Shell("docker volume rm app_db"),
        hit Shell("docker volume prune -f"),
        hit Shell("docker system prune -af --volumes"),
        hit Shell("podman volume rm --all"),
        hit Shell("docker rm -fv db"),
        hit Shell("docker volume rm $(docker volume ls -q)"),
        hit Shell("vagrant destroy -f"),
        pass Shell("docker compose down"),
        pass Shell("docker system prune -f"),
        pass Shell("docker image prune -a"),
        pass Shell("docker rm -f web"),
        pass Shell("docker rmi old:1"),
        pass Shell("docker volume ls"),
        pass Shell("docker builder prune"),
        pass Shell("docker compose up -d --force-recreate"),
        pass Shell("docker run --rm -v x:/y alpine ls /y"),
    ],
}

impl Rule for ContainerDataDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "delete-data" => Words::new(
                format!("permanently deletes {target}"),
                "keep the volumes (`docker compose down`), or ask the person to delete them",
            ),
            _ => None,
        })
    }
}
