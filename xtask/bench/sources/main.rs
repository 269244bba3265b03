use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
struct Args {
    /// The file to import
    file: PathBuf,
    /// Do not write anything
    #[arg(long)]
    dry_run: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let text = match fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", args.file.display());
            return ExitCode::FAILURE;
        }
    };
    let (orders, problems) = importer::parse(&text);
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    if !args.dry_run {
        fs::write("orders.json", importer::to_json(&orders)).expect("cannot write orders.json");
    }
    println!("{} orders, {} problems", orders.len(), problems.len());
    ExitCode::from(u8::from(!problems.is_empty()))
}
