//! `cargo xtask verdicts`: shows that a change of the analysis moves no verdict.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use xtask::sh;

/// `record [FILE…]` judges every case of the repository, and the commands of the files; `compare [FILE…]` does so again and
/// shows what is judged differently. Records lie in the target directory: cases of others do not belong in the repository.
pub fn run(args: &[String]) -> Result<()> {
    let folder = sh::target_dir().join("verdicts");
    std::fs::create_dir_all(&folder)?;
    let (recorded, current) = (folder.join("recorded.jsonl"), folder.join("current.jsonl"));
    match args.split_first() {
        Some((verb, files)) if verb == "record" => record(&recorded, files),
        Some((verb, files)) if verb == "compare" => {
            if !recorded.exists() {
                bail!("nothing is recorded; run `cargo xtask verdicts record` on the commit to compare with");
            }
            record(&current, files)?;
            sh::check(example().arg("compare").args([&recorded, &current]))
        }
        _ => bail!("usage: cargo xtask verdicts record|compare [FILE…]"),
    }
}

fn record(out: &Path, files: &[String]) -> Result<()> {
    let files = files.iter().map(std::fs::canonicalize).collect::<std::io::Result<Vec<PathBuf>>>()?;
    sh::check(example().arg("record").arg(out).args(files))
}

fn example() -> std::process::Command {
    sh::command(&[
        "cargo",
        "run",
        "--quiet",
        "--locked",
        "-p",
        "tollgate-pipeline",
        "--example",
        "verdicts",
        "--",
    ])
}
