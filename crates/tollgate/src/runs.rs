//! The runner of tests that gives a call its status, through the scripts of a package.

use tollgate_effects::Deciding;
use tollgate_model::World;
use tollgate_model::json::{self, Value};

pub const NOT_ITS_STATUS: &str = "its status is not the call's. Run the tests as the last command of the call, without \
     a pipe, `||` or a task runner around them, or with `set -o pipefail` before a pipe";
const HIDDEN: &str = "the script of the package is no run of tests whose status is the script's";
const PRINTED: &str = "the call prints counts of its own beside those of the tests";

/// How many scripts a call may go through.
const DEEPEST: usize = 4;
/// The longest list of scripts that is read.
const LONGEST: usize = 1 << 20;

/// The words of the command that decides, with the scripts of packages followed to what they run.
///
/// # Errors
/// Why the runner's status is not the call's.
pub fn followed(
    text: &str,
    decides: Deciding,
    cwd: &str,
    world: &dyn World,
) -> Result<Vec<String>, &'static str> {
    let mut folder = in_folder(text, &decides, cwd);
    let mut words = alone(text, decides)?;
    for _ in 0..DEEPEST {
        let Some(script) = tollgate_workflow::script(&words) else { return Ok(words) };
        folder = folder.map(|folder| joined(&folder, script.folder.unwrap_or_default()));
        let own = folder.as_deref().and_then(|folder| scripts(folder, script.name, world));
        let Some(own) = own else { return if script.perhaps { Ok(words) } else { Err(HIDDEN) } };
        let more = script.more.iter().filter(|word| *word != "--").cloned().collect::<Vec<_>>();
        words = alone(&own, tollgate_effects::status_of(&own).ok_or(HIDDEN)?)?;
        words.extend(more);
    }
    Err(HIDDEN)
}

/// The words of the command that decides, if nothing in the call prints what looks like counts.
fn alone(text: &str, decides: Deciding) -> Result<Vec<String>, &'static str> {
    if tollgate_workflow::tells_counts(text) { Err(PRINTED) } else { Ok(decides.words) }
}

/// Where the command that decides runs; none when that is only known when it does.
fn in_folder(text: &str, decides: &Deciding, cwd: &str) -> Option<String> {
    if decides.span.of(text).contains("cd ") {
        return None;
    }
    let before = text.get(..usize::try_from(decides.span.start).ok()?)?;
    let steps = before.split(['\n', ';', '&']).map(|step| step.trim_matches([' ', '\t', '(', '{']));
    let mut folder = cwd.to_owned();
    for step in steps {
        let Some(to) = step.strip_prefix("cd ").or_else(|| step.strip_prefix("pushd ")) else { continue };
        let to = to.trim().trim_matches(['"', '\'']);
        if to.contains(['$', '`', '*', '?', '~', '\\', ' ']) || to.starts_with('-') {
            return None;
        }
        folder = joined(&folder, to);
    }
    Some(folder)
}

fn joined(folder: &str, to: &str) -> String {
    if to.starts_with('/') { to.to_owned() } else { format!("{folder}/{to}") }
}

/// The text of a script of the package in a folder.
fn scripts(folder: &str, name: &str, world: &dyn World) -> Option<String> {
    let text = world.read(&format!("{folder}/package.json"), LONGEST)?;
    let package = json::parse(&text).ok()?;
    package.get("scripts")?.get(name).and_then(Value::as_str).map(str::to_owned)
}
