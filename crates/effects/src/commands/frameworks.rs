//! Frameworks and mappers that reset databases: rails, django, prisma and their like. A catalogue of verbs.

use super::verbs::{Deed, SECRET, Tool, find, judge};
use super::{Commands, Run, interpreters};
use crate::languages::{self, Language, Program};
use crate::options::{Order, read};
use crate::word::Word;
use tollgate_shell::eval::Outcome;

/// Scripts of a project that are such a tool.
pub(super) const COMMANDS: Commands = &[("manage.py", project_script), ("artisan", project_script)];

/// Empties a database to build it again.
const RESET: Deed = Deed::Database("reset");

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["rails", "rake"],
        values: "e environment f rakefile C directory",
        one_dash: false,
        deeds: &[
            ("** -n,--dry-run", Deed::Safe),
            ("credentials:show|credentials:edit -e,--environment=test", Deed::Safe),
            ("credentials:show|credentials:edit|encrypted:show|secrets:show", SECRET),
            (
                "** db:drop|db:drop:*|db:reset|db:reset:*|db:purge|db:purge:*|db:schema:load|db:schema:load:*|db:structure:load|db:migrate:reset|db:truncate_all|db:seed:replant|db:nuke",
                RESET,
            ),
            // Back to before the first of them.
            ("** db:migrate|db:migrate:* ** VERSION=0", RESET),
        ],
    },
    Tool {
        names: &["manage.py", "django-admin"],
        values: "settings pythonpath database v verbosity",
        one_dash: false,
        deeds: &[
            ("drop_test_database", Deed::Safe),
            ("flush|reset_db|reset_schema|sqlreset", RESET),
            ("migrate * zero !--plan", RESET),
        ],
    },
    Tool {
        names: &["artisan"],
        values: "env database path",
        one_dash: false,
        deeds: &[
            ("env:decrypt", SECRET),
            ("** --pretend", Deed::Safe),
            ("migrate:fresh|migrate:reset|migrate:refresh|db:wipe|schema:drop", RESET),
            ("migrate:rollback --step=@many", RESET),
            ("migrate:rollback", Deed::Safe),
        ],
    },
    Tool {
        names: &["prisma", "zenstack"],
        values: "schema",
        one_dash: false,
        deeds: &[
            ("migrate reset", RESET),
            ("db push --force-reset", RESET),
            ("db push --accept-data-loss", RESET),
            ("db drop", RESET),
        ],
    },
    Tool {
        names: &["console", "doctrine", "symfony"],
        values: "e env connection c",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("** --dump-sql", Deed::Safe),
            (
                "doctrine:database:drop|doctrine:schema:drop|d:d:d|d:s:d|orm:schema-tool:drop -f,--force",
                RESET,
            ),
            ("doctrine:migrations:migrate|migrations:migrate|d:m:m first|0", RESET),
            ("doctrine:fixtures:load !--append", RESET),
            ("console|run ** doctrine:database:drop|doctrine:schema:drop|d:d:d|d:s:d -f,--force", RESET),
        ],
    },
    Tool {
        names: &["alembic", "flask"],
        values: "c config n name x app A",
        one_dash: false,
        deeds: &[("** --sql", Deed::Safe), ("downgrade base", RESET), ("db downgrade base", RESET)],
    },
    Tool {
        names: &[
            "knex",
            "sequelize",
            "sequelize-cli",
            "typeorm",
            "typeorm-ts-node-commonjs",
            "mikro-orm",
            "drizzle-kit",
            "node-pg-migrate",
            "db-migrate",
            "kysely",
        ],
        values: "env knexfile config d dataSource url schema dialect",
        one_dash: false,
        deeds: &[
            ("migrate:rollback --all", RESET),
            ("migrate rollback --all", RESET),
            ("down @many", RESET),
            ("db:drop|db:migrate:undo:all|db:seed:undo:all", RESET),
            ("schema:drop|schema:fresh|migration:fresh|database:drop", RESET),
            ("push --force", RESET),
            ("drop", Deed::Safe),
            ("reset", RESET),
        ],
    },
    // Without a change to go back to, all of them are taken back.
    Tool {
        names: &["sqitch"],
        values: "engine registry client h db-host p db-port d db-name u db-user t target to to-change onto onto-change upto C chdir \
            f plan-file top-dir s set set-deploy set-revert m mode lock-timeout",
        one_dash: false,
        deeds: &[
            ("** --log-only", Deed::Safe),
            (
                "revert|rebase --to,--to-change,--onto,--onto-change=@HEAD^|HEAD^|@HEAD~|@HEAD~1|@HEAD^1",
                Deed::Safe,
            ),
            ("revert|rebase", RESET),
        ],
    },
    Tool {
        names: &["yoyo"],
        values: "c config d database m",
        one_dash: false,
        deeds: &[("rollback -a,--all", RESET), ("rollback --batch,-b", RESET)],
    },
    Tool { names: &["flyway"], values: "", one_dash: true, deeds: &[("** clean", RESET)] },
    Tool {
        names: &["liquibase"],
        values: "url username password changelog-file changeLogFile defaultsFile defaults-file",
        one_dash: false,
        deeds: &[("** dropAll|drop-all", RESET), ("** rollback-count|rollbackCount @many", RESET)],
    },
    Tool {
        names: &["mix"],
        values: "",
        one_dash: false,
        deeds: &[
            ("ecto.drop|ecto.reset", RESET),
            ("do ** ecto.drop*|ecto.reset*", RESET),
            ("hex.publish !--dry-run", Deed::Publish("hex")),
            ("ecto.rollback --all", RESET),
        ],
    },
    Tool {
        names: &["goose", "migrate"],
        values: "dir table path source database verbose timeout env certfile ssl-cert ssl-key lock-timeout prefetch",
        one_dash: true,
        deeds: &[
            ("drop", RESET),
            ("reset", RESET),
            ("** drop -f", RESET),
            ("down -all", RESET),
            ("reset|down-to", RESET),
            ("* reset|down-to", RESET),
            ("* * reset|down-to", RESET),
        ],
    },
    Tool {
        names: &["sqlx", "diesel", "sea-orm-cli", "refinery", "dbmate", "atlas-cli"],
        values: "D database-url source dir u url e env s schema-file target-version n number d migrations-dir path database config-file",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("database|db drop|reset", RESET),
            ("migrate fresh|reset", RESET),
            ("drop", RESET),
            ("reset", RESET),
            ("** drop -f", RESET),
            ("* * reset|down-to", RESET),
            ("schema clean", RESET),
            ("migration|migrate revert -a,--all", RESET),
            ("migrate revert --target-version=0", RESET),
            ("migration revert -n,--number=@many|all", RESET),
        ],
    },
    Tool {
        names: &["ace"],
        values: "connection c",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("migration:fresh|migration:reset|migration:refresh|db:wipe|db:truncate", RESET),
        ],
    },
    Tool {
        names: &["aerich"],
        values: "c config v version",
        one_dash: false,
        deeds: &[("downgrade -v,--version=0", RESET)],
    },
    Tool {
        names: &["tern"],
        values: "m migrations c config d destination host port user password database",
        one_dash: false,
        deeds: &[("migrate -d,--destination=0", RESET)],
    },
    Tool {
        names: &["phinx", "cake"],
        values: "c configuration e environment t target d date p plugin",
        one_dash: false,
        deeds: &[
            ("** -x,--dry-run", Deed::Safe),
            ("rollback -t,--target=0", RESET),
            ("migrations rollback -t,--target=0", RESET),
        ],
    },
    Tool {
        names: &["yii"],
        values: "",
        one_dash: false,
        deeds: &[("migrate/fresh", RESET), ("migrate/down all", RESET), ("migrate/to 0", RESET)],
    },
    // Microsoft's own way of making one database like another.
    Tool {
        names: &["sqlpackage", "SqlPackage"],
        values: "",
        one_dash: false,
        deeds: &[(
            "** /p:DropObjectsNotInSource=true|/p:BlockOnPossibleDataLoss=false|/p:CreateNewDatabase=true",
            RESET,
        )],
    },
    Tool {
        names: &["hasura"],
        values: "project endpoint admin-secret database-name",
        one_dash: false,
        deeds: &[
            ("migrate delete|squash", RESET),
            ("metadata clear", RESET),
            ("migrate apply --down=*", RESET),
        ],
    },
    Tool {
        names: &["wp"],
        values: "path url user",
        one_dash: false,
        deeds: &[
            ("db drop|reset|clean", RESET),
            ("site empty|delete", RESET),
            ("post|user delete", Deed::Database("delete-all")),
        ],
    },
    Tool {
        names: &["drush"],
        values: "r root l uri",
        one_dash: false,
        deeds: &[("sql-drop|sql:drop|site-install|site:install|si", RESET)],
    },
    Tool {
        names: &["strapi", "directus", "payload", "medusa"],
        values: "",
        one_dash: false,
        deeds: &[("import|restore --force", RESET), ("migrate:fresh|migrate:reset", RESET)],
    },
    Tool {
        names: &["bench"],
        values: "site",
        one_dash: false,
        deeds: &[("drop-site|reinstall|restore", RESET)],
    },
    Tool {
        names: &["dropdb"],
        values: "h host p port U username maintenance-db",
        one_dash: false,
        deeds: &[("** test*|*_test|*_test_*", RESET), ("*", Deed::Database("drop-database"))],
    },
    Tool {
        names: &["dropuser"],
        values: "h host p port U username",
        one_dash: false,
        deeds: &[("*", Deed::Database("drop"))],
    },
    Tool {
        names: &["mysqladmin", "mariadb-admin"],
        values: "h host P port u user S socket",
        one_dash: false,
        deeds: &[("drop", Deed::Database("drop-database")), ("shutdown", Deed::Infra("stop-service"))],
    },
    Tool {
        names: &["pg_restore"],
        values: "d dbname h host p port U username F format j jobs f file L n t S",
        one_dash: false,
        deeds: &[("** -f,--file", Deed::Safe), ("** -l,--list", Deed::Safe), ("** -c,--clean", RESET)],
    },
    Tool {
        names: &["mongorestore", "mongoimport"],
        values: "uri h host d db c collection file type",
        one_dash: false,
        deeds: &[("** --dryRun", Deed::Safe), ("** --drop", RESET)],
    },
    Tool {
        names: &["pg_dropcluster"],
        values: "",
        one_dash: false,
        deeds: &[("**", Deed::Database("drop-database"))],
    },
    Tool {
        names: &["bq"],
        values: "project_id location format dataset_id expiration default_table_expiration default_partition_expiration",
        one_dash: false,
        deeds: &[
            ("** --dry_run", Deed::Safe),
            ("rm -r", Deed::Database("drop-database")),
            ("rm -d", Deed::Database("drop-database")),
            ("rm", Deed::Database("drop")),
            // Without end, or with one: what is older is gone.
            ("update|mk --expiration=0|''", Deed::Safe),
            ("update --expiration", Deed::Database("drop")),
            ("update --default_table_expiration=0|''", Deed::Safe),
            ("update --default_table_expiration", Deed::Database("drop")),
        ],
    },
    Tool {
        names: &["influx"],
        values: "host org o token t bucket b",
        one_dash: false,
        deeds: &[
            ("bucket|org delete", Deed::Database("drop-database")),
            ("delete", Deed::Database("delete-all")),
        ],
    },
];

/// `python manage.py flush`, `php artisan migrate:fresh`, `ruby bin/rails db:drop`: what the interpreter is told
/// to run is such a tool. The script itself is followed as any other.
pub(super) fn notice_script(run: &mut Run) {
    if run.program == "prisma" {
        super::databases::prisma(run);
    }
    shell_code(run, run.program, run.args);
    let interpreter = run.program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if !matches!(interpreter, "python" | "pypy" | "php" | "ruby" | "node" | "tsx") {
        return;
    }
    let Some(at) = run.args.iter().position(|word| !word.shown().starts_with('-')) else { return };
    let Some(script) = run.args.get(at).map(|word| word.shown()) else { return };
    let name = script.rsplit('/').next().unwrap_or_default();
    let known =
        ["manage.py", "artisan", "console", "rails", "rake", "wp", "drush", "prisma", "ace", "yii", "cake"];
    let known = known.contains(&name);
    let rest = run.args.get(at + 1..).unwrap_or_default().to_vec();
    if let Some(tool) = find(name).filter(|_| known) {
        judge(run, tool, &rest);
    }
    super::databases::carried::told(run, name, &rest);
    shell_code(run, name, &rest);
}

/// It takes its code from standard input only.
const NONE: &[&str] = &[""];

/// Code that a framework runs within the application, from the command line or standard input: `manage.py shell -c`, `rails runner`, `artisan tinker`.
const SHELLS: &[(&str, &str, &[&str], Language)] = &[
    ("manage.py", "shell", &["-c", "--command"], Language::Python),
    ("manage.py", "shell_plus", &["-c", "--command"], Language::Python),
    ("django-admin", "shell", &["-c", "--command"], Language::Python),
    ("flask", "shell", NONE, Language::Python),
    ("rails", "console", NONE, Language::Ruby),
    ("rails", "c", NONE, Language::Ruby),
    ("rails", "runner", &[], Language::Ruby),
    ("rails", "r", &[], Language::Ruby),
    ("artisan", "tinker", &["--execute"], Language::Php),
    ("wp", "eval", &[], Language::Php),
    ("terraform", "console", NONE, Language::Hashed),
    ("tofu", "console", NONE, Language::Hashed),
    ("drush", "php:eval", &[], Language::Php),
    ("drush", "ev", &[], Language::Php),
];

/// Options of these that take a value: the environment of rails, the folder and the site of the others.
pub(super) const VALUED: &str = "e,environment= path= url= user= r,root= l,uri=";

fn shell_code(run: &mut Run, tool: &str, words: &[Word]) {
    let Some((verb, rest)) = words.split_first() else { return };
    let consoles = match tool {
        "rails" => ["dbconsole", "db"],
        "manage.py" | "django-admin" => ["dbshell", "dbshell"],
        _ => ["", ""],
    };
    if consoles.iter().any(|known| verb.is(known)) {
        super::databases::carried::client(run, rest);
    }
    let queries = ["dbal:run-sql", "doctrine:query:sql", "doctrine:query:dql"];
    if matches!(tool, "console" | "symfony") && queries.iter().any(|known| verb.is(known)) {
        let texts = rest.iter().filter(|word| !word.text.prefix().starts_with('-')).take(1).cloned();
        super::databases::console(run, texts.collect());
    }
    let known = SHELLS.iter().find(|(name, known, ..)| *name == tool && verb.is(known));
    let Some((_, _, options, language)) = known else { return };
    let code = match options {
        [] => read(rest, VALUED, Order::Anywhere).operands.first().cloned(),
        _ => rest.iter().enumerate().find_map(|(at, word)| {
            let text = word.text.prefix();
            let attached =
                options.iter().any(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
            if attached {
                return Some(word.after('='));
            }
            options.contains(&text).then(|| rest.get(at + 1).cloned()).flatten()
        }),
    };
    let span = code.as_ref().map_or(run.call.span, |code| code.span);
    let from_input = code.is_none();
    let typed = || run.stdin().filter(|_| !options.is_empty()).cloned();
    if let Some(code) = code.as_ref().map(Word::value).or_else(typed) {
        let program = Program { code, span, file: None, from_input, args: Vec::new() };
        languages::run(run, *language, &program);
    }
}

fn project_script(run: &mut Run) -> Outcome {
    interpreters::program(run).unwrap_or_else(|| run.derived())
}
