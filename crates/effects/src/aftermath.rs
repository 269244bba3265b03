//! What the changes of a call mean once all of them are known: for the agent's own settings, for what starts
//! by itself, and for what will be run later.

use std::collections::BTreeMap;

use tollgate_model::{
    Certainty, Effect, EffectKind, FileKind, Lasting, Mark, Place, Protection, Tampered, World, WriteMode,
    Zone, is_rebuildable,
};
use tollgate_shell::eval::Shell;
use tollgate_shell::first_lookalike;
use tollgate_shell::value::{Text, Value};

use crate::TEXT_LIMIT;
use crate::analyst::{Analyst, own_at};
use crate::carriers;
use crate::catalogue;
use crate::commands::written_settings;
use crate::content::{self, Extent};
use crate::hidden;
use crate::indexes;
use crate::instructions;
use crate::memory;
use crate::own_process::ends_gate;
use crate::paths;
use crate::pictures;
use crate::search::searched;
use crate::settings;
use crate::sources;
use crate::startup;
use tollgate_catalogue::Tag;

/// Adds what the effects found so far amount to.
pub(crate) fn settle(analyst: &mut Analyst, shell: &Shell) {
    let found = analyst.found().to_vec();
    let deleted = Deleted::of(&found);
    for (at, effect) in found.iter().enumerate() {
        let Effect { span, certainty, .. } = *effect;
        for kind in meaning(effect, &found, analyst, shell) {
            analyst.push(kind, span, certainty);
        }
        if !analyst.within {
            for kind in later(effect, &found, analyst.world, shell) {
                analyst.push(kind, span, certainty);
            }
            let kind = held(effect, analyst, shell, |path| deleted.holds_after(path, at));
            if let Some(kind) = kind {
                analyst.push(kind, span, certainty);
            }
        }
    }
    if !analyst.within {
        memory::leave_names(analyst);
    }
}

/// The paths that a call deletes, each with the last effect that does.
struct Deleted<'e>(BTreeMap<&'e str, usize>);

impl<'e> Deleted<'e> {
    fn of(effects: &'e [Effect]) -> Self {
        let path = |(at, effect): (usize, &'e Effect)| match &effect.kind {
            EffectKind::Delete { place, .. } => Some((place.path.trim_end_matches('/'), at)),
            _ => None,
        };
        Self(effects.iter().enumerate().filter_map(path).collect())
    }

    /// Is the file, or a folder that it lies in, deleted by a later effect than this one?
    fn holds_after(&self, path: &str, at: usize) -> bool {
        let is_later = |folder| self.0.get(folder).is_some_and(|later| *later > at);
        !self.0.is_empty() && paths::with_parents(path).any(is_later)
    }
}

/// What a file holds that is written and still there when the call has run.
fn held(
    effect: &Effect,
    analyst: &Analyst,
    shell: &Shell,
    is_deleted: impl Fn(&str) -> bool,
) -> Option<EffectKind> {
    let world = analyst.world;
    let (place, mode, content) = match &effect.kind {
        EffectKind::Write { place, mode, content } => (place, mode, content),
        EffectKind::Exec { program, argv, .. } => return memory::patched(program, argv, world),
        _ => return None,
    };
    if is_deleted(&place.path) {
        return None;
    }
    let texts = texts_after(place, *mode, content.as_deref(), shell);
    match memory::held(place, *mode, &texts, analyst, shell) {
        Some(mark) => Some(EffectKind::Leaves { place: place.clone(), mark }),
        None => memory::stirred(place, world),
    }
}

fn meaning(effect: &Effect, all: &[Effect], analyst: &Analyst, shell: &Shell) -> Vec<EffectKind> {
    let world = analyst.world;
    match &effect.kind {
        EffectKind::Write { place, mode, content } => {
            let texts = texts_after(place, *mode, content.as_deref(), shell);
            let source = content.as_deref().or(analyst.source.as_deref());
            let mut kinds = written(place, &texts, source, world);
            // A hook of a repository that this call has made to throw away is judged by what it does.
            if place.path.contains("/.git/hooks/") && analyst.is_new_there(&place.path) {
                kinds.retain(|kind| !matches!(kind, EffectKind::Persist { .. }));
            }
            if leads_to_own(place, &texts, all, world) {
                kinds.retain(|kind| !matches!(kind, EffectKind::Persist { .. }));
            }
            kinds.extend(settings::filled(place).or_else(|| gate_lookup(place, all)));
            kinds.extend(pictures::sent(place, &texts, world));
            kinds.extend(indexes::named(place, &texts, shell, world));
            // Of a text that is not known as a whole, what is put into it counts.
            let part = content.clone().or_else(|| added(place, *mode, shell)).filter(|_| texts.is_empty());
            let known: Vec<String> = texts.iter().cloned().chain(part).collect();
            kinds.extend(indexes::unproven(place, &known, world));
            kinds.extend(sources::strange(place, &known, world));
            kinds.extend(written_settings(place, &known, world));
            kinds.extend(settings::instructed(place, &texts, memory::is_from_network(place, shell)));
            kinds.extend(memory::left(place, effect.certainty, world, shell));
            kinds.extend(emptied(place, *mode, content.as_deref(), &texts));
            kinds
        }
        EffectKind::Delete { place, recursive, .. } => {
            let whole =
                settings::holder(place).filter(|_| *recursive && effect.certainty == Certainty::Certain);
            guarded(place, world).or(whole).or_else(|| gate_lookup(place, all)).into_iter().collect()
        }
        EffectKind::Exec { program, argv, .. } => uninstalls_gate(program, argv).into_iter().collect(),
        EffectKind::Permission { place, to, recursive } => {
            let mut kinds = permitted(place, to, world);
            if *recursive && place.zone == Zone::Workspace && opens_to_all(to) && holds_code(place, world) {
                kinds.push(EffectKind::Weaken {
                    protection: Protection::Machine,
                    how: format!("makes the code in {} world-writable", shown(place)),
                });
            }
            kinds.extend(gate_lookup(place, all));
            kinds
        }
        EffectKind::Net { host: name, .. } | EffectKind::Install { package: name, .. } => {
            disguised(name).into_iter().collect()
        }
        EffectKind::Process { target, action } => {
            let ours = ends_gate(target, action.name(), all).or_else(|| ends_agent(target, all));
            ours.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Is it a `.git` that leads to a folder which git makes in this call, and the call puts nothing into?
fn leads_to_own(place: &Place, texts: &[String], all: &[Effect], world: &dyn World) -> bool {
    let is_own = |folder: String| {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let made = |effect: &Effect| match &effect.kind {
            EffectKind::Exec { program, argv, .. } if program == "git" => {
                argv.iter().any(|word| matches!(word.as_str(), "clone" | "init"))
                    && argv.iter().any(|word| word.trim_end_matches('/').rsplit('/').next() == Some(name))
            }
            _ => false,
        };
        let filled = |effect: &Effect| match &effect.kind {
            EffectKind::Write { place, .. } => paths::within(&place.path, &folder),
            _ => false,
        };
        // What is there already is not made by this call, whatever else it makes of the same name.
        world.kind(&folder) == FileKind::Missing
            && searched(all).iter().any(made)
            && !searched(all).iter().any(filled)
    };
    !texts.is_empty()
        && texts.iter().all(|text| startup::git_folder_beside(&place.path, text).is_some_and(is_own))
}

/// What a written text means for those who run or read it later.
fn later(effect: &Effect, all: &[Effect], world: &dyn World, shell: &Shell) -> Vec<EffectKind> {
    let EffectKind::Write { place, mode, content } = &effect.kind else { return Vec::new() };
    let texts = texts_after(place, *mode, content.as_deref(), shell);
    // Of a file that cannot be read, what is put into it is judged by itself.
    let added = if texts.is_empty() && content.is_none() { added(place, *mode, shell) } else { None };
    let part = content.iter().filter(|_| texts.is_empty() && !place.pattern).chain(&added);
    let part = part.map(|text| (text, Extent::Part));
    let texts: Vec<(&String, Extent)> = texts.iter().map(|text| (text, Extent::Whole)).chain(part).collect();
    let mut kinds = read_later(place, &texts, world);
    kinds.extend(sourced(place, &texts, world));
    if effect.certainty == Certainty::Certain
        && let Some(danger) = danger(place, &texts, all, world)
    {
        kinds.push(EffectKind::Persist {
            kind: Lasting::Script,
            what: format!("{}, which {danger}", shown(place)),
        });
        kinds.push(EffectKind::Leaves { place: place.clone(), mark: Mark::Dangerous(danger) });
    }
    kinds
}

/// Files of variables are not kept, but a shell may read them: what runs then is remembered.
fn sourced(place: &Place, texts: &[(&String, Extent)], world: &dyn World) -> Option<EffectKind> {
    if place.zone != Zone::Secret || place.pattern {
        return None;
    }
    let runs = |text: &&(&String, Extent)| text.0.len() <= TEXT_LIMIT && text.0.contains(['$', '`']);
    let danger = texts.iter().filter(runs).find_map(|(text, _)| content::shell_dangers(text, world).pop())?;
    Some(EffectKind::Leaves { place: place.clone(), mark: Mark::Dangerous(danger) })
}

/// The whole texts that a file may have after the call; none when they are not known.
fn texts_after(place: &Place, mode: WriteMode, content: Option<&str>, shell: &Shell) -> Vec<String> {
    if place.pattern {
        return Vec::new();
    }
    let Some(stored) = shell.file(&Value::text(&place.path)) else {
        let whole = content.filter(|_| matches!(mode, WriteMode::Overwrite | WriteMode::Create));
        return whole.map(str::to_owned).into_iter().collect();
    };
    if !stored.value.is_known() || stored.value.any.len() > 8 {
        return Vec::new();
    }
    let texts: Vec<String> = stored.value.literals().map(str::to_owned).collect();
    // A file that was only opened is empty for a moment.
    let filled: Vec<String> = texts.iter().filter(|text| !text.is_empty()).cloned().collect();
    if filled.is_empty() { texts } else { filled }
}

/// What the call itself has put behind a text that is not known.
fn added(place: &Place, mode: WriteMode, shell: &Shell) -> Option<String> {
    let stored =
        shell.file(&Value::text(&place.path)).filter(|_| mode == WriteMode::Append && !place.pattern)?;
    let known: Vec<&str> = stored.value.any.iter().take(8).map(Text::suffix).collect();
    Some(known.join("\n")).filter(|known| !known.trim().is_empty())
}

/// A file of the person's that was opened to be written anew, and nothing was.
fn emptied(place: &Place, mode: WriteMode, content: Option<&str>, texts: &[String]) -> Option<EffectKind> {
    let theirs = matches!(place.zone, Zone::Home | Zone::OtherProject | Zone::Secret);
    let opened = mode == WriteMode::Overwrite && content.is_none();
    let nothing = theirs && opened && matches!(texts, [text] if text.is_empty());
    nothing.then(|| EffectKind::Write { place: place.clone(), mode, content: Some(String::new()) })
}

/// `source` is what a text that is not known as a whole was made from.
fn written(place: &Place, texts: &[String], source: Option<&str>, world: &dyn World) -> Vec<EffectKind> {
    let mut kinds = Vec::new();
    if own_at(place, false, world).is_some() {
        return kinds;
    }
    if place.zone == Zone::AgentConfig {
        kinds.extend(settings::written(place, texts, world));
    } else if settings::is_transcript(&place.path, world) {
        kinds.push(EffectKind::Tamper {
            target: Tampered::AgentControl,
            what: format!("its transcript {}", shown(place)),
        });
    } else if settings::is_editor_settings(&place.path) {
        kinds.extend(texts.iter().filter_map(|text| settings::editor(place, text, world)));
        let part = source.filter(|_| texts.is_empty());
        kinds.extend(part.and_then(|text| settings::editor_part(place, text)));
    } else {
        kinds.extend(settings::list_of_servers(place, texts, world));
    }
    kinds.extend(startup::left(place, texts, world));
    kinds
}

/// What a script would do that is grave, unless it only moves from elsewhere.
fn danger(place: &Place, texts: &[(&String, Extent)], all: &[Effect], world: &dyn World) -> Option<String> {
    let moved = |text: &str| {
        searched(all).iter().any(|effect| match &effect.kind {
            EffectKind::Delete { place, .. } => {
                world.read(&place.path, TEXT_LIMIT).is_some_and(|bytes| bytes == text.as_bytes())
            }
            _ => false,
        })
    };
    texts.iter().filter(|(text, _)| text.len() <= TEXT_LIMIT).find_map(|(text, extent)| {
        content::danger(&place.path, text, *extent, world).filter(|_| !moved(text))
    })
}

/// What is hidden in written texts, and what they tell an agent.
fn read_later(place: &Place, texts: &[(&String, Extent)], world: &dyn World) -> Vec<EffectKind> {
    let mut kinds = Vec::new();
    for (text, _) in texts {
        kinds.extend(planted(&place.path, &shown(place), text, world));
    }
    kinds
}

/// The same for one text of a file, wherever it lies.
pub(crate) fn planted(path: &str, shown: &str, text: &str, world: &dyn World) -> Vec<EffectKind> {
    let mut kinds = Vec::new();
    let for_agents = instructions::is_for_agents(path);
    let kind = match () {
        () if for_agents => hidden::Kind::Read,
        () if !hidden::is_code(path) => hidden::Kind::Other,
        () if carriers::is_test(path) => hidden::Kind::Test,
        () => hidden::Kind::Read,
    };
    if let Some(unseen) = hidden::first(text, kind)
        && !had_hidden(path, &unseen, kind, world)
    {
        kinds.push(EffectKind::Persist { kind: Lasting::HiddenText, what: format!("{shown}: \"{unseen}\"") });
    }
    if for_agents && let Some(poison) = instructions::poison(path, text, world) {
        kinds.push(EffectKind::Persist {
            kind: Lasting::Instructions,
            what: format!("{shown}, which tell an agent {poison}"),
        });
    }
    kinds
}

/// The text on disk begins to hide at the same place.
fn had_hidden(path: &str, unseen: &str, kind: hidden::Kind, world: &dyn World) -> bool {
    let old = world.read_disk(path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    old.is_some_and(|old| hidden::first(&old, kind).as_deref() == Some(unseen))
}

/// Settings and transcripts of agents are not deleted, moved away or locked.
fn guarded(place: &Place, world: &dyn World) -> Option<EffectKind> {
    let what = if place.zone == Zone::AgentConfig && own_at(place, true, world).is_none() {
        shown(place)
    } else if settings::is_transcript(&place.path, world) {
        format!("its transcript {}", shown(place))
    } else {
        return None;
    };
    Some(EffectKind::Tamper { target: Tampered::AgentControl, what: what.to_string() })
}

fn permitted(place: &Place, to: &str, world: &dyn World) -> Vec<EffectKind> {
    let mut kinds = Vec::new();
    if place.zone == Zone::AgentConfig && settings::is_hook_script(&place.path) && adds_execution(to) {
        kinds.push(settings::other(place, "makes a hook script executable"));
    } else {
        kinds.extend(guarded(place, world));
    }
    let exposed = matches!(place.zone, Zone::System | Zone::Home | Zone::Secret);
    if exposed && opens_to_all(to) {
        kinds.push(EffectKind::Weaken {
            protection: Protection::Machine,
            how: format!("makes {} world-writable", shown(place)),
        });
    }
    kinds
}

/// Does code lie in a folder, in plain sight?
fn holds_code(place: &Place, world: &dyn World) -> bool {
    const CODE: &[&str] = &[
        "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "rb", "go", "java", "kt", "scala", "c", "cc",
        "cpp", "h", "hpp", "cs", "swift", "php", "pl", "sh", "lua", "ex", "exs", "erl", "hs", "zig", "vue",
        "svelte",
    ];
    let ends = |name: &String| name.rsplit_once('.').is_some_and(|(_, end)| CODE.contains(&end));
    !place.pattern
        && !is_rebuildable(&place.path, world.workspace(), world)
        && world.list(&place.path, 500).iter().any(ends)
}

fn adds_execution(to: &str) -> bool {
    let symbolic = to.contains("+x") || to.contains("+rx");
    let digits = to.trim_start_matches('0');
    symbolic
        || (digits.len() == 3
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.starts_with('7')
            && !opens_to_all(to))
}

/// Does a mode let everybody write?
pub(crate) fn opens_to_all(to: &str) -> bool {
    let octal = to.len() >= 3 && to.bytes().all(|byte| byte.is_ascii_digit());
    if octal {
        return to.bytes().last().is_some_and(|digit| matches!(digit, b'2' | b'3' | b'6' | b'7'));
    }
    to.split(',').any(|clause| {
        if let Some((who, what)) = clause.rsplit_once(':') {
            return is_other(who) && what.contains('w');
        }
        let Some(at) = clause.find(['+', '=']) else { return false };
        let (who, what) = clause.split_at(at);
        (who.contains('o') || who.contains('a')) && what.contains('w')
    })
}

/// Does an entry of an access list mean somebody else: `o:`, `u:www-data`, `g:users`?
fn is_other(who: &str) -> bool {
    let who = who.trim_start_matches("d:").trim_start_matches("default:");
    match who.split_once(':') {
        Some((kind, name)) => {
            !name.is_empty() && matches!(kind, "u" | "user" | "g" | "group") || kind.starts_with('o')
        }
        None => who.starts_with('o'),
    }
}

/// A host or package whose name looks like another one.
fn disguised(name: &str) -> Option<EffectKind> {
    if name.is_ascii() {
        return None;
    }
    let letter = name.split(|c: char| c.is_ascii_punctuation()).find_map(first_lookalike)?;
    let why = format!("`{name}` contains U+{:04X}, a letter that looks like another one", u32::from(letter));
    Some(EffectKind::Opaque { why })
}

/// A path that is looked up, and the gate is what is looked for: `rm "$(which tollgate)"`.
fn gate_lookup(place: &Place, all: &[Effect]) -> Option<EffectKind> {
    let looks = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } => {
            matches!(
                program.as_str(),
                "which" | "command" | "type" | "whereis" | "whence" | "realpath" | "readlink"
            ) && argv.iter().skip(1).any(|word| word == "tollgate" || word.ends_with("/tollgate"))
        }
        _ => false,
    };
    let looked_up = place.shown == "*" || place.shown == "*/tollgate";
    (looked_up && searched(all).iter().any(looks))
        .then(|| EffectKind::Tamper { target: Tampered::Gate, what: "Tollgate's program".into() })
}

/// A package manager is told to take the gate away.
fn uninstalls_gate(program: &str, argv: &[String]) -> Option<EffectKind> {
    const AWAY: &[&str] = &[
        "uninstall",
        "remove",
        "rm",
        "un",
        "purge",
        "autoremove",
        "erase",
        "delete",
        "unlink",
        "unuse",
        "disable",
        "-r",
        "-R",
        "-Rs",
        "-Rns",
        "-e",
        "--erase",
        "--remove",
        "--purge",
        "-P",
    ];
    let named =
        |word: &String| word.rsplit('/').next().and_then(|name| name.split('@').next()) == Some("tollgate");
    let told = |word: &String| AWAY.contains(&word.as_str());
    let removes = catalogue::is(program, Tag::PackageManager)
        && argv.iter().any(told)
        && argv.iter().skip(1).any(named);
    // `cargo install --bin tollgate` puts another program in its place.
    let replaced = |pair: &[String]| matches!(pair, [flag, name] if flag == "--bin" && name == "tollgate");
    let replaces = program == "cargo"
        && argv.iter().any(|word| word == "install")
        && (argv.windows(2).any(replaced) || argv.iter().any(|word| word == "--bin=tollgate"));
    (removes || replaces)
        .then(|| EffectKind::Tamper { target: Tampered::Gate, what: "Tollgate's program".into() })
}

/// The agent's own process: the parent of its shell, or one that is looked up by its name.
fn ends_agent(target: &str, all: &[Effect]) -> Option<EffectKind> {
    const AGENTS: &[&str] = &[
        "claude",
        "codex",
        "gemini",
        "qwen",
        "copilot",
        "opencode",
        "cursor-agent",
        "auggie",
        "droid",
        "amp",
    ];
    let looked_up = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } => {
            matches!(program.as_str(), "pgrep" | "pidof")
                && argv.iter().skip(1).any(|word| AGENTS.contains(&word.as_str()))
        }
        _ => false,
    };
    let unknown = target.contains("unknown");
    (target == EffectKind::PARENT
        || AGENTS.contains(&target)
        || unknown && searched(all).iter().any(looked_up))
    .then(|| EffectKind::Tamper { target: Tampered::AgentControl, what: "its process".into() })
}

fn shown(place: &Place) -> String {
    format!("`{}`", if place.shown.is_empty() { &place.path } else { &place.shown })
}
