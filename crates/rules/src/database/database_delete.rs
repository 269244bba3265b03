use tollgate_model::stage::is_for_tests;
use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use super::named;
use crate::kit::{Words, first, rule};

rule! {
    /// Asks before dropping or emptying tables, changing every row, or letting a framework reset a database.
    ///
    /// ## Instead
    /// Name the rows (`WHERE id = …`), or make a backup first.
    pub struct DatabaseDelete;
    id: "database-delete", pack: Database, level: Ask,
    instead: ["psql -c 'DELETE FROM t WHERE id = 7'"],
    examples: [
        hit Shell("psql -c \"TRUNCATE users\""),
        hit Shell("psql app -c \"delete from users where 1=1\""),
        hit Shell("mysql shop -e \"update orders set paid=1\""),
        hit Shell("sqlite3 app.db \"DROP TABLE users\""),
        hit Shell("psql -c \"with x as (delete from t returning *) select * from x\""),
        hit Shell("npx prisma migrate reset --force"),
        hit Shell("pnpm dlx prisma@5 db push --force-reset"),
        hit Shell("php artisan migrate:fresh --force"),
        hit Shell("python3 manage.py flush --noinput"),
        hit Shell("uv run python manage.py reset_db"),
        hit Shell("bundle exec rake db:drop"),
        hit Shell("bin/rails db:reset"),
        hit Shell("cat drop.sql > /dev/null; echo \"drop table a;\" | psql app"),
        hit Shell("redis-cli flushdb"),
        hit Shell("mongosh shop --eval 'db.users.deleteMany({})'"),
        hit Shell("redis-cli --scan | xargs redis-cli del"),
        hit Shell("mix ecto.reset"),
        hit Shell("psql -h test.example.com app -c 'truncate users'"),
        hit Shell("psql app test -c 'truncate users'"),
        hit Shell("psql app -c 'drop table test_results'"),
        hit Shell("mysql latest -e 'drop table users'"),
        hit Shell("alembic downgrade base"),
        pass Shell("psql -c \"DROP DATABASE app_test\""),
        pass Shell("psql -d app_test -c 'drop schema public cascade; create schema public'"),
        pass Shell("psql postgres://localhost/app_test -c 'truncate users'"),
        pass Shell("dropdb --if-exists app_test"),
        pass Shell("mongosh app_test --eval 'db.dropDatabase()'"),
        pass Shell("DATABASE_URL=postgres://localhost/app_test npx prisma migrate reset --force"),
        pass Shell("psql -c \"delete from users where id = 7\""),
        pass Shell("psql -c \"begin; delete from users; rollback\""),
        pass Shell("sqlite3 /tmp/x.db \"drop table t\""),
        pass Shell("sqlite3 app.db '.tables'"),
        pass Shell("npx prisma migrate dev"),
        pass Shell("npx prisma generate"),
        pass Shell("php artisan migrate"),
        pass Shell("python manage.py migrate"),
        pass Shell("RAILS_ENV=test bundle exec rake db:reset"),
        pass Shell("rails db:migrate"),
        pass Shell("redis-cli get key"),
        pass Shell("redis-cli del session:1"),
        pass Shell("mongosh --eval 'db.users.find({})'"),
        pass Shell("alembic upgrade head"),
        pass Shell("psql -c \"insert into t values (1) on conflict do update set a = 1\""),
    ],
}

impl Rule for DatabaseDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Database { operation, object } => match operation.as_str() {
                _ if is_for_tests(operation, object) => None,
                "update-all" => Words::new(format!("overwrites data: {}", named(object)), NAME_ROWS),
                "delete-all" => Words::new(format!("permanently deletes data: {}", named(object)), NAME_ROWS),
                "drop" | "truncate" | "drop-column" | "reset" => Words::new(
                    format!("permanently deletes data: {}", named(object)),
                    "make a backup first, or work on a copy of the database",
                ),
                _ => None,
            },
            _ => None,
        })
    }
}

const NAME_ROWS: &str = "name the rows that should change, or make a backup first";
