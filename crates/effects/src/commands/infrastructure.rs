//! Infrastructure as code: terraform, pulumi and their like.

use tollgate_shell::eval::Outcome;

use super::Run;
use super::verbs::Line;
use crate::word::Word;

/// Functions of terraform's language that read a file: `echo 'file("x")' | terraform console`.
const READERS: &[&str] =
    &["file", "filebase64", "templatefile", "filesha256", "filemd5", "filebase64sha256", "filesha512"];

/// What is typed into the console is shown.
fn console(run: &mut Run) {
    let Some(text) = run.stdin().and_then(|text| text.as_literal().map(str::to_owned)) else { return };
    for (at, _) in text.match_indices("(\"") {
        let name = text.get(..at).unwrap_or_default();
        let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let path = text.get(at + 2..).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        // It knows `~` only by `pathexpand`, which stands around it.
        let path = path
            .strip_prefix("~")
            .map_or_else(|| path.to_owned(), |rest| format!("{}{rest}", run.analyst.world.home()));
        if READERS.contains(&name) || name == "pathexpand" {
            run.read(&Word::literal_at(&path, run.call.span), false);
        }
    }
}

/// `TF_CLI_ARGS` and `TF_CLI_ARGS_apply` hold options that nobody typed.
pub(super) fn terraform(run: &mut Run) -> Outcome {
    let verb = run.args.iter().map(Word::shown).find(|word| !word.starts_with('-')).unwrap_or_default();
    if verb == "console" {
        console(run);
    }
    let names = ["TF_CLI_ARGS".to_owned(), format!("TF_CLI_ARGS_{verb}")];
    let exported = run.shell.exported().filter(|(name, _)| names.iter().any(|known| known == name));
    let texts: Vec<String> =
        exported.filter_map(|(_, value)| value.as_literal().map(str::to_owned)).collect();
    if !texts.is_empty()
        && let Some(tool) = super::verbs::find(run.program)
    {
        let mut words = run.args.to_vec();
        let more = texts.iter().flat_map(|text| text.split_whitespace());
        words.extend(more.map(|word| Word::literal_at(word, run.call.span)));
        super::verbs::judge(run, tool, &words);
    }
    run.derived()
}

/// `terragrunt run --all -- destroy`: what stands behind the dashes is terraform's.
pub(super) fn terragrunt(run: &mut Run) -> Outcome {
    let words: Vec<Word> = run.args.iter().filter(|word| !word.is("--")).cloned().collect();
    if words.len() < run.args.len()
        && let Some(tool) = super::verbs::find("terragrunt")
    {
        super::verbs::judge(run, tool, &words);
    }
    run.derived()
}

/// Is this the name of a production system?
pub(super) fn is_production(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut parts = lower.split(|letter: char| !letter.is_alphanumeric());
    parts.any(|part| {
        matches!(part, "prod" | "production" | "prd" | "live")
            || (part.starts_with("prod") && !part.starts_with("produc"))
            || part.ends_with("prod")
            || part.ends_with("production")
    })
}

/// A virtual machine of the project: its own data is lost, and what runs in it is not here.
pub(super) fn vagrant(run: &mut Run) -> Outcome {
    let line = Line::read(run.args, "c command p plain provider", false);
    match line.verb(0).as_str() {
        "destroy" => {
            let (tool, operation) = (run.program.to_owned(), "delete-data".to_owned());
            let target = "a virtual machine with all data in it".to_owned();
            run.push(tollgate_model::EffectKind::Infra {
                tool: tollgate_model::InfraTool::Named(tool),
                operation,
                target,
            });
            run.derived()
        }
        "ssh" => {
            let words = match line.values(&["c", "command"]).last().cloned() {
                Some(text) => {
                    vec![Word::literal_at("sh", text.span), Word::literal_at("-c", text.span), text]
                }
                None => line.after.clone(),
            };
            // The project lies there as `/vagrant`.
            let world = run.analyst.world;
            let mut there = crate::elsewhere::Elsewhere::new(world);
            there.mount("/vagrant", tollgate_shell::value::Text::literal(world.workspace()), false);
            super::containers::inside(run, there, None, &words)
        }
        _ => run.derived(),
    }
}
