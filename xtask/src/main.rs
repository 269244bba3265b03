//! The project's own commands; `cargo xtask` lists them.

mod bench;
mod book;
mod build;
mod catalogue;
mod corpus;
mod dist;
mod fresh;
mod install;
mod past;
mod steps;
mod test;
mod tools;
mod verdicts;

use std::process::ExitCode;

use xtask::sh;

const HELP: &str = "\
For a new machine
  cargo xtask install [--yes]      build tollgate, install it, register the agents found here
  cargo xtask test                 run every check, installing what they need
For contributors
  cargo xtask build                build the release binary and print its path
  cargo xtask test --quick         format, lints and the fast tests
  cargo xtask fresh [install|test] run both in a new clone with an empty home
  cargo xtask tidy                 check layers, lengths and generated pages
  cargo xtask docs                 write the generated pages under docs/
  cargo xtask book                 build the documentation as a website
  cargo xtask e2e [AGENT=VERSION…] drive the real clients, as pinned or in another version
  cargo xtask record [AGENT…] [--store]
                                   record the clients' payloads and show what changed
  cargo xtask catalogue show NAME  print what is known of a program
  cargo xtask catalogue check      compare known options with what programs print
  cargo xtask corpus FILE          judge a file of real commands (JSON lines with `command`)
  cargo xtask verdicts record|compare [FILE…]
                                   record how every case is judged; show what a change moved
  cargo xtask dist [--twice]       make the release packages; twice, and compare them
Measurements
  cargo xtask bench                time the hook against an empty program
  cargo xtask bench --scale        check that judging is linear in the text
  cargo xtask bench --index [N]    index N events and query them
  cargo xtask bench --replay [N]   judge N past calls again";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let has = |option: &str| rest.iter().any(|arg| arg == option);
    let result = match args.first().map(String::as_str) {
        Some("install") => install::run(rest),
        Some("build") => build::release().map(|binary| println!("{}", binary.display())),
        Some("book") => book::build().map(|page| println!("{}", page.display())),
        Some("test") if has("--quick") => test::quick(),
        Some("test") => test::run(),
        Some("e2e") => test::clients(rest),
        Some("dist") => dist::run(has("--twice")),
        Some("fresh") => fresh::run(rest),
        Some("tidy" | "docs" | "record") => devtools(&args),
        Some("bench") => bench(rest),
        Some("catalogue") => catalogue::run(rest),
        Some("corpus") => corpus::run(rest.first().map(String::as_str)),
        Some("verdicts") => verdicts::run(rest),
        _ => {
            println!("{HELP}");
            return ExitCode::from(2);
        }
    };
    finish(result)
}

/// Commands that need the product's own crates.
fn devtools(args: &[String]) -> anyhow::Result<()> {
    sh::check(sh::command(&["cargo", "run", "--locked", "--quiet", "-p", "devtools", "--"]).args(args))
}

fn bench(args: &[String]) -> anyhow::Result<()> {
    if let Some(("--scale", rest)) = args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return bench::scale(rest);
    }
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
