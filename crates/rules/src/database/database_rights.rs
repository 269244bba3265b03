use tollgate_model::stage::is_for_tests;
use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before granting all rights on a database or changing the settings of a running server.
    ///
    /// ## Instead
    /// Grant only the right that is needed: `GRANT SELECT ON t TO app`.
    pub struct DatabaseRights;
    id: "database-rights", pack: Database, level: Ask,
    instead: ["psql -c 'GRANT SELECT ON t TO app'"],
    examples: [
        hit Shell("psql -c \"grant all privileges on database app to bob\""),
        hit Shell("psql -c \"alter role bob with superuser\""),
        hit Shell("mysql -e \"GRANT ALL ON *.* TO 'x'@'%'\""),
        hit Shell("redis-cli config set dir /root/.ssh"),
        hit Shell("echo \"alter user app superuser\" | psql"),
        hit Shell("redis-cli shutdown nosave"),
        pass Shell("psql -c \"grant select on t to bob\""),
        hit Shell("psql -d app_test -c \"alter role bob with superuser\""),
        pass Shell("psql -c \"grant all privileges on database app_test to bob\""),
        pass Shell("psql -d app_test -c \"grant all on schema public to bob\""),
        pass Shell("redis-cli config get dir"),
        pass Shell("psql -c \"create role app login\""),
        pass Shell("psql -c \"\\du\""),
        pass Shell("redis-cli info"),
        pass Shell("psql -c \"select 'grant all'\""),
    ],
}

impl Rule for DatabaseRights {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Database { operation, object } => match operation.as_str() {
                "grant-within" if is_for_tests(operation, object) => None,
                "grant-all" | "grant-within" => Words::new(
                    format!("grants all rights on a database to {object}"),
                    "grant only the right that is needed",
                ),
                "configure" => Words::new(
                    format!("changes the settings of a running database server: {object}"),
                    "change the settings of a local test server",
                ),
                _ => None,
            },
            _ => None,
        })
    }
}
