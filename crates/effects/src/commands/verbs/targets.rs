//! Which database a framework or a tool of migrations means: what its words name, else what the variables say that it
//! reads. Each tool by its own documentation: another's variable says nothing.

use tollgate_model::{Zone, stage};
use tollgate_shell::value::Value;

use super::{Line, Tool};
use crate::commands::Run;
use crate::word::Word;

/// What the database is for.
pub(super) enum Stage {
    Test,
    Production,
    Unknown,
}

/// How tools are told which database is meant. Options have no dashes.
struct Ways {
    tools: &'static [&'static str],
    /// Variables that name a stage; the first that is set counts.
    stages: &'static [&'static str],
    /// Options that name a stage, whatever the variables say.
    selectors: &'static [&'static str],
    /// Options that name one of the databases that the settings know.
    connections: &'static [&'static str],
    /// Verbs that are for every stage.
    everywhere: &'static [&'static str],
    /// Variables may be set among the words: `rake db:drop RAILS_ENV=test`.
    sets: bool,
    /// Variables that name a database.
    addresses: &'static [&'static str],
    /// Options that name a database.
    options: &'static [&'static str],
    /// A database stands behind the name of its driver.
    behind_driver: bool,
}

const NONE: Ways = Ways {
    tools: &[],
    stages: &[],
    selectors: &[],
    connections: &[],
    everywhere: &[],
    sets: false,
    addresses: &[],
    options: &[],
    behind_driver: false,
};
const ADDRESS: &[&str] = &["DATABASE_URL"];

const WAYS: &[Ways] = &[
    Ways {
        tools: &["rails", "rake"],
        stages: &["RAILS_ENV", "RACK_ENV"],
        selectors: &["e", "environment"],
        everywhere: &["db:drop:all", "db:purge:all"],
        sets: true,
        addresses: ADDRESS,
        ..NONE
    },
    Ways {
        tools: &["manage.py", "django-admin"],
        stages: &["DJANGO_SETTINGS_MODULE"],
        selectors: &["settings"],
        connections: &["database"],
        addresses: ADDRESS,
        ..NONE
    },
    Ways {
        tools: &["artisan"],
        stages: &["APP_ENV"],
        selectors: &["env"],
        connections: &["database"],
        addresses: &["DATABASE_URL", "DB_URL", "DB_DATABASE"],
        ..NONE
    },
    Ways { tools: &["prisma", "zenstack"], addresses: ADDRESS, ..NONE },
    Ways {
        tools: &["symfony", "console", "doctrine"],
        stages: &["APP_ENV"],
        selectors: &["e", "env"],
        connections: &["connection", "em"],
        addresses: ADDRESS,
        ..NONE
    },
    Ways {
        tools: &["flask", "alembic"],
        stages: &["FLASK_ENV"],
        connections: &["n", "name"],
        addresses: &["DATABASE_URL", "SQLALCHEMY_DATABASE_URI"],
        ..NONE
    },
    Ways {
        tools: &[
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
        stages: &["NODE_ENV", "KNEX_ENV"],
        selectors: &["e", "env"],
        connections: &["connection", "context", "contextName"],
        addresses: ADDRESS,
        options: &["url"],
        ..NONE
    },
    Ways {
        tools: &["ace"],
        stages: &["NODE_ENV"],
        connections: &["c", "connection"],
        addresses: ADDRESS,
        ..NONE
    },
    Ways { tools: &["mix"], stages: &["MIX_ENV"], addresses: ADDRESS, ..NONE },
    Ways {
        tools: &["goose", "migrate"],
        addresses: &["GOOSE_DBSTRING"],
        options: &["database"],
        behind_driver: true,
        ..NONE
    },
    Ways {
        tools: &["sqlx", "diesel", "sea-orm-cli", "refinery", "dbmate", "atlas-cli"],
        addresses: ADDRESS,
        options: &["database-url", "D", "url", "u"],
        ..NONE
    },
    Ways { tools: &["liquibase"], addresses: &["LIQUIBASE_COMMAND_URL"], options: &["url"], ..NONE },
    Ways {
        tools: &["sqitch"],
        addresses: &["SQITCH_TARGET"],
        options: &["target", "t", "db-name", "d"],
        ..NONE
    },
    Ways { tools: &["flyway"], addresses: &["FLYWAY_URL"], options: &["url"], ..NONE },
];

fn ways(tool: Tool) -> Option<&'static Ways> {
    WAYS.iter().find(|ways| ways.tools.iter().any(|name| tool.names.contains(name)))
}

/// The stage that a tool's words name, else its variables. Where a database is named, no variable makes another of it.
pub(super) fn stage(run: &Run, tool: Tool, line: &Line) -> Stage {
    let ways = ways(tool).unwrap_or(&NONE);
    let databases = databases(run, ways, line);
    let stages = stages(run, ways, line);
    let connections = chosen(line, ways.connections);
    let said = stages.iter().chain(&connections).flatten().cloned();
    if databases.iter().map(Word::shown).chain(said).any(|name| stage::is_production(&name)) {
        return Stage::Production;
    }
    // What the settings of a stage call one of their databases says little.
    let is_other = |one: &str| one != "default" && !is_test(one);
    let others = connections.iter().any(|one| one.as_deref().is_none_or(is_other))
        || line.operands.iter().any(|verb| ways.everywhere.iter().any(|all| verb.is(all)));
    let by_stage = !stages.is_empty() && stages.iter().all(|one| one.as_deref().is_some_and(is_test));
    let by_name = || databases.iter().all(|database| is_for_tests(run, database));
    let test = if databases.is_empty() { by_stage } else { by_name() };
    if test && !others { Stage::Test } else { Stage::Unknown }
}

/// What a tool is told for people. The words of one that has a stage are tasks: `rake db:drop test` drops no database of
/// that name.
pub(super) fn without_tasks(tool: Tool, what: &str) -> String {
    if ways(tool).is_none_or(|ways| ways.behind_driver) {
        return what.to_owned();
    }
    let mut words = what.split(' ');
    let first = words.next();
    first.into_iter().chain(words.filter(|word| !stage::is_test_database(word))).collect::<Vec<_>>().join(" ")
}

/// `shop.settings.test` is a stage, too.
fn is_test(name: &str) -> bool {
    stage::is_test_database(&name.replace('.', "_"))
}

/// The stages that an option names, else the first variable that is set; one that is not known is `None`.
fn stages(run: &Run, ways: &Ways, line: &Line) -> Vec<Option<String>> {
    let selected = chosen(line, ways.selectors);
    if !selected.is_empty() {
        return selected;
    }
    let set = |name: &&str| {
        let said =
            said_among(line, name).filter(|_| ways.sets).map(|value| value.literal().map(str::to_owned));
        said.or_else(|| Some(run.shell.variable(name)?.as_literal().map(str::to_owned)))
    };
    ways.stages.iter().find_map(set).into_iter().collect()
}

/// The values of these options; `None` where one is given whose value is not known.
fn chosen(line: &Line, names: &[&str]) -> Vec<Option<String>> {
    let mut values: Vec<Option<String>> = line
        .given()
        .filter(|(name, _)| names.contains(name))
        .map(|(_, value)| value.literal().map(str::to_owned))
        .collect();
    if values.is_empty() && names.iter().any(|name| line.has(name)) {
        values.push(None);
    }
    values
}

/// The databases that the words name, else the variables.
fn databases(run: &Run, ways: &Ways, line: &Line) -> Vec<Word> {
    let mut said: Vec<Word> = line.values(ways.options).cloned().collect();
    if let [_, database, _, ..] = line.operands.as_slice()
        && ways.behind_driver
    {
        said.push(database.clone());
    }
    if !said.is_empty() {
        return said;
    }
    let own = ways.addresses.iter().filter_map(|name| said_among(line, name).filter(|_| ways.sets));
    said.extend(own);
    if !said.is_empty() {
        return said;
    }
    let set = ways.addresses.iter().filter_map(|name| run.shell.variable(name));
    set.flat_map(|value| words(run, &value)).collect()
}

/// The value that a variable is given among the words: `rake db:drop RAILS_ENV=test`. The last one counts.
fn said_among(line: &Line, name: &str) -> Option<Word> {
    let sets = |word: &&Word| word.text.prefix().strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
    line.operands.iter().rfind(sets).map(|word| word.after('='))
}

fn words(run: &Run, value: &Value) -> Vec<Word> {
    let word =
        |text: &_| Word { text: Clone::clone(text), span: run.call.span, splits: false, taint: value.taint };
    value.any.iter().map(word).collect()
}

fn is_for_tests(run: &Run, database: &Word) -> bool {
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let named = |text: &str| (text.contains("://") || is_name(text)) && stage::is_test_database(text);
    is_passing(run, database) || database.literal().is_some_and(named)
}

/// How the address of a database begins that is a file.
const FILES: &[&str] = &["sqlite3:", "sqlite:", "file:"];

/// Is it a database in memory, or a file in a temporary folder?
fn is_passing(run: &Run, database: &Word) -> bool {
    let text = database.text.prefix();
    let scheme = FILES.iter().find(|scheme| text.starts_with(**scheme)).map_or(0, |scheme| scheme.len());
    if scheme == 0 && text.contains("://") {
        return false;
    }
    let rest = text.get(scheme..).unwrap_or_default();
    let path = rest.trim_start_matches('/');
    if path.split('?').next() == Some(":memory:") {
        return true;
    }
    // Behind two slashes a path from here is meant, behind three or four one from the root.
    let slashes = rest.len() - path.len();
    let file = database.from(scheme + if slashes == 2 { 2 } else { slashes.saturating_sub(1) });
    run.analyst.places(&file, run.shell).iter().all(|(place, _)| place.zone == Zone::Temp)
}
