//! The project's own commands: `cargo xtask install | test | tidy | docs | bench | hot | e2e | record | families | corpus`.

mod agent_docs;
mod bench;
mod build;
mod corpus;
mod docs;
mod families;
mod hot;
mod hot_data;
mod install;
mod past;
mod record;
mod sh;
mod test;
mod tidy;
mod tools;
mod workflow_docs;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask install [--yes]   build tollgate, put it into cargo's bin folder, guard the agents found here
cargo xtask test              run all tests, installing what they need
cargo xtask tidy              check crate purity, the dependency table, lengths, generated pages
cargo xtask docs              write the rules' pages and the agents' tables in docs/
cargo xtask e2e [AGENT=VERSION…]
                              real clients against the mock model, as pinned or in another version
cargo xtask record [AGENT…] [--store]
                              record the clients' payloads anew, show what changed, keep it
cargo xtask bench             the hook against an empty program
cargo xtask bench --index [EVENTS]
                              taking ten million events in, and figures over all of them
cargo xtask bench --replay [CALLS]
                              judging a past of varied calls again
cargo xtask hot               record which functions a hook runs through and which constants it reads, for the linker
cargo xtask families          write docs/families.md, and compare options with the programs of this machine
cargo xtask corpus FILE       judge a file of real commands (JSON lines with `command`)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Some(list) = std::env::var_os(hot::VARIABLE) {
        return finish(hot::link(list.as_ref(), &args));
    }
    let result = match args.first().map(String::as_str) {
        Some("install") => install::run(args.iter().any(|arg| arg == "--yes")),
        Some("test") => test::run(),
        Some("tidy") => tidy::run(),
        Some("docs") => docs::run().and_then(|()| agent_docs::write()),
        Some("e2e") => test::e2e(args.get(1..).unwrap_or_default()),
        Some("record") => record::run(args.get(1..).unwrap_or_default()),
        Some("bench") => bench(args.get(1..).unwrap_or_default()),
        Some("hot") => hot::record(),
        Some("families") => families::run(),
        Some("corpus") => corpus::run(args.get(1).map(String::as_str)),
        _ => {
            println!("{HELP}");
            return ExitCode::from(2);
        }
    };
    finish(result)
}

fn bench(args: &[String]) -> anyhow::Result<()> {
    let count = args.get(1).map(|count| count.parse()).transpose()?;
    match args.first().map(String::as_str) {
        Some("--index") => past::index(count.unwrap_or(10_000_000)),
        Some("--replay") => past::replay(count.unwrap_or(200_000)),
        _ => bench::run(),
    }
}

fn finish(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
