//! `capture-hook RECORDS ANSWERS [LABEL]`: records its call in RECORDS and answers as ANSWERS tells it.

use std::env;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    tollgate_e2e::capture::hook(&args)
}
