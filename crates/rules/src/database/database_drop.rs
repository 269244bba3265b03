use tollgate_model::stage::{is_for_tests, is_production, place_of};
use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use super::named;
use crate::kit::{Words, first, rule};

rule! {
    /// Blocks dropping a whole database, and deleting data from a production database.
    ///
    /// ## Instead
    /// Make a backup (`pg_dump`), and let the person run it. Or work on a copy.
    pub struct DatabaseDrop;
    id: "database-drop", pack: Database, level: Deny,
    instead: ["pg_dump -f shop.sql shop"],
    examples: [
        hit Shell("psql -c \"DROP DATABASE app\""),
        hit Shell("psql postgres://u:p@db/app <<< \"drop schema public cascade;\""),
        hit Shell("pgcli -e 'drop owned by app'"),
        hit Shell("mysql -uroot -e \"drop/**/database shop\""),
        hit Shell("psql -h db.prod.example.test -c \"delete from users\""),
        hit Shell("redis-cli -h cache FLUSHALL"),
        hit Shell("mongosh --eval 'db.dropDatabase()'"),
        hit Shell("dropdb app"),
        hit Shell("RAILS_ENV=production bundle exec rails db:reset"),
        hit Shell("docker compose exec db psql -U app -c \"drop database app\""),
        hit Shell("kubectl exec db-0 -- mysql -e \"drop database shop\""),
        hit Shell("sudo -u postgres psql <<EOF\nselect 1; drop database app;\nEOF"),
        hit Shell("mysqladmin -f drop shop"),
        hit Shell("psql -d app_test -c 'drop database app'"),
        hit Shell("psql postgres://db.example.test:5432/app -c 'drop database app'"),
        pass Shell("psql -c \"select * from users\""),
        pass Shell("psql -c \"DROP DATABASE app_test\""),
        pass Shell("createdb app"),
        pass Shell("pg_dump app > app.sql"),
        pass Shell("echo \"drop database app\""),
        pass Shell("git commit -m \"DROP DATABASE app\""),
        pass Shell("psql -c \"select 'drop database app'\""),
        pass Shell("sqlite3 :memory: 'drop table x'"),
        pass Shell("grep -rn \"dropDatabase\" src"),
    ],
}

impl Rule for DatabaseDrop {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Database { operation, object } => match operation.as_str() {
                _ if is_for_tests(operation, object) => None,
                "drop-database" => Words::new(
                    format!("permanently deletes a whole database: {}", named(object)),
                    "make a backup, and let the person delete the database",
                ),
                "drop" | "truncate" | "delete-all" | "update-all" | "drop-column" | "reset"
                    if is_production(place_of(object)) =>
                {
                    Words::new(
                        format!("deletes or overwrites data in production: {}", named(object)),
                        "work on a copy, or let the person run it",
                    )
                }
                _ => None,
            },
            _ => None,
        })
    }
}
