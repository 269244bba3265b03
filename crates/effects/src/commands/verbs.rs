//! Tools that are told what to do by verbs, as data: which of their options take a value, and what each verb
//! does. Their handlers, if any, run as well.

pub(super) use tollgate_catalogue::Deed;
use tollgate_catalogue::{Program, Verbs};
use tollgate_model::{Audience, Certainty, EffectKind, InfraTool, ProcessAction, Protection};
use tollgate_shell::eval::Stream;
use tollgate_shell::value::Taint;

mod targets;

use targets::Stage;

use super::network::is_near;
use super::{Run, frameworks, infrastructure, openings, packages, runners, services};
use crate::analyst::taint;
use crate::catalogue;
use crate::url;
use crate::word::Word;

/// A program that is told by verbs what to do.
#[derive(Clone, Copy)]
pub(super) struct Tool {
    pub names: &'static [&'static str],
    pub verbs: &'static Verbs,
}

impl Tool {
    fn of(program: &'static Program) -> Option<Self> {
        Some(Self { names: program.names, verbs: program.verbs? })
    }
}

/// Takes a whole environment away.
pub(super) const DESTROY: Deed = Deed::Infra("destroy");
/// Prints what a store of secrets holds.
pub(super) const SECRET: Deed = Deed::Infra("read-secret");
/// Prints a token that is made to be handed to another command.
pub(super) const TOKEN: Deed = Deed::Infra("print-token");

/// Takes down what the verbs of a command do. Gives the marks of what it prints.
pub(super) fn notice(run: &mut Run) -> Taint {
    packages::notice(run);
    frameworks::notice_script(run);
    runners::notice(run);
    let Some(tool) = find(run.program) else { return Taint::NONE };
    judge(run, tool, run.args)
}

/// The tool of this name.
pub(super) fn find(name: &str) -> Option<Tool> {
    Tool::of(catalogue::find(name)?)
}

/// Is nothing known of the tool of this name but what it takes away?
pub(super) fn is_partly_known(name: &str) -> bool {
    find(name).is_some_and(|tool| tool.verbs.only_losses)
}

/// Takes down what these words tell a tool to do.
pub(super) fn judge(run: &mut Run, tool: Tool, words: &[Word]) -> Taint {
    let line = Line::read(words, tool.verbs.values, tool.verbs.one_dash);
    if line.asks_for_help() {
        return Taint::NONE;
    }
    let found = tool.verbs.deeds.iter().find(|(pattern, _)| line.fits(pattern, run));
    let Some((pattern, deed)) = found else {
        warn_of_unknown(run, tool, &line);
        if !is_emulated(run, &line) {
            openings::cloud(run, &line);
        }
        in_production(run, &line);
        return Taint::NONE;
    };
    if is_emulated(run, &line) || *deed == packages::INDEX && packages::indexes::keeps(run.program, &line) {
        return Taint::NONE;
    }
    let mut what = line.shown(tool.names.first().copied().unwrap_or_default(), pattern);
    if matches!(deed, Deed::Database(_)) {
        match targets::stage(run, tool, &line) {
            Stage::Test => return Taint::NONE,
            Stage::Production => what.push_str(" in production"),
            Stage::Unknown => what = targets::without_tasks(tool, &what),
        }
    }
    let deed = &match *deed {
        TOKEN if run.call.stdout == Stream::Outer && !run.call.piped_to => SECRET,
        TOKEN => return taint::SECRET,
        other => other,
    };
    if let Some(kind) = effect(*deed, run.program, what) {
        let certainty = if line.unsure { Certainty::Possible } else { Certainty::Certain };
        run.analyst.push(kind, run.call.span, certainty);
    }
    if *deed == SECRET { taint::SECRET } else { Taint::NONE }
}

/// A cloud that runs on this machine, as LocalStack does, holds nothing but what tests put there.
pub(super) fn is_emulated(run: &Run, line: &Line) -> bool {
    let is_local = |address: &str| url::is_this_machine(&url::host(address));
    let named = || {
        let addresses: Vec<&Word> = line.values(&["endpoint-url"]).collect();
        (!addresses.is_empty()).then(|| addresses.iter().all(|word| word.literal().is_some_and(is_local)))
    };
    let set = || run.variable("AWS_ENDPOINT_URL")?.as_literal().map(is_local);
    match run.program {
        "awslocal" => true,
        "aws" => named().or_else(set).unwrap_or(false),
        _ => false,
    }
}

/// What tools of clusters and clouds change, and how they are told whose.
const TARGETS: &[(&[&str], &str, &[&str])] = &[
    (
        &["kubectl", "oc", "k"],
        "apply|create|replace|patch|edit|set|scale|rollout|cordon|exec|run|cp|autoscale|expose",
        &["KUBECONFIG"],
    ),
    (&["helm", "helm3"], "upgrade|install", &["KUBECONFIG"]),
    (
        &["aws"],
        "put-*|update-*|create-*|modify-*|run-*|start-*|stop-*|invoke|attach-*|cp|mv|sync|send-command",
        &["AWS_PROFILE", "AWS_DEFAULT_PROFILE"],
    ),
    (
        &["gcloud"],
        "create|update|deploy|set-*|restart|stop|start|import",
        &["CLOUDSDK_CORE_PROJECT", "CLOUDSDK_ACTIVE_CONFIG_NAME"],
    ),
    (&["az"], "create|update|deploy|set|restart|stop|start|import", &["AZURE_SUBSCRIPTION_ID"]),
];

/// A change of something that is named for production, by an option or the environment.
fn in_production(run: &mut Run, line: &Line) {
    let Some((_, verbs, variables)) = TARGETS.iter().find(|(names, ..)| names.contains(&run.program)) else {
        return;
    };
    let changes = line.operands.iter().take(4).any(|word| word_fits(verbs, &word.shown()));
    let options = [
        "context",
        "kube-context",
        "n",
        "namespace",
        "kubeconfig",
        "cluster",
        "profile",
        "project",
        "configuration",
        "subscription",
    ];
    let looks = line.has("dry-run") || line.has("dryrun") || line.has("what-if");
    if !changes || looks {
        return;
    }
    let named = line.values(&options).map(Word::shown);
    let set = variables.iter().filter_map(|name| run.variable(name)?.as_literal().map(str::to_owned));
    let target = named.chain(set).find(|name| infrastructure::is_production(name));
    if let Some(target) = target {
        let what = format!("{} {} on `{target}`", run.program, line.verb(0));
        let kind = EffectKind::Infra {
            tool: InfraTool::Named(run.program.to_owned()),
            operation: "apply".to_owned(),
            target: what,
        };
        run.push(kind);
    }
}

fn effect(deed: Deed, tool: &str, what: String) -> Option<EffectKind> {
    Some(match deed {
        Deed::Safe => return None,
        Deed::Infra(operation) => EffectKind::Infra {
            tool: InfraTool::Named(tool.to_owned()),
            operation: operation.to_owned(),
            target: what,
        },
        Deed::Publish(registry) => EffectKind::Publish { target: Audience::Registry(registry.to_owned()) },
        Deed::Database(operation) => EffectKind::Database { operation: operation.to_owned(), object: what },
        Deed::WeakensFirewall => weaken(Protection::Firewall, format!("(`{what}`)")),
        Deed::ChangesPackageIndex => weaken(Protection::PackageIndex, format!("(`{what}`)")),
        Deed::WeakensMachine(how) => weaken(Protection::Machine, format!("{how} (`{what}`)")),
        Deed::Power => EffectKind::Process { action: ProcessAction::Power, target: "the machine".into() },
    })
}

fn weaken(protection: Protection, how: String) -> EffectKind {
    EffectKind::Weaken { protection, how }
}

/// A verb that is only known when it runs may be the one that destroys.
fn warn_of_unknown(run: &mut Run, tool: Tool, line: &Line) {
    let destroys = tool.verbs.deeds.iter().any(|(_, deed)| *deed == DESTROY);
    let unknown = line.operands.first().is_some_and(|word| word.text.prefix().is_empty() && !word.is(""));
    if destroys && unknown {
        run.analyst.opaque(format!("what `{}` does is known only at run time", run.program), run.call.span);
    }
}

/// The words of a command, options told apart from the rest.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Words that are no options.
    pub operands: Vec<Word>,
    /// Options by name without dashes, with the value if there is one.
    options: Vec<(String, Option<Word>)>,
    /// Options of which nothing is known, with the word behind, which may be their value.
    loose: Vec<(String, Word)>,
    /// What stands behind `--`.
    pub after: Vec<Word>,
    /// Words from which a verb may start: behind an option of which nothing is known.
    starts: Vec<usize>,
    /// A word before the verb may be any number of words.
    unsure: bool,
}

/// Options by which tools only say what they would do.
const TRIALS: &[&str] = &["dry-run", "dryrun", "simulate", "pretend", "no-act", "plan"];

impl Line {
    /// Reads a command's words.
    pub fn read(words: &[Word], values: &str, one_dash: bool) -> Self {
        let mut line = Self { starts: vec![0], ..Self::default() };
        let mut rest = words.iter().peekable();
        let mut stranger = false;
        while let Some(word) = rest.next() {
            let text = word.text.prefix();
            if word.is("--") {
                line.after.extend(rest.cloned());
                break;
            }
            if text.len() < 2 || !text.starts_with('-') {
                line.unsure |= word.splits && line.operands.is_empty();
                line.operands.push(word.clone());
                if std::mem::take(&mut stranger) && line.operands.len() == 1 {
                    line.starts.push(1);
                }
                continue;
            }
            let name = text.trim_start_matches('-').split('=').next().unwrap_or_default().to_owned();
            let long = text.starts_with("--") || one_dash;
            if text.contains('=') && (long || name.len() == 1) {
                line.options.push((name, Some(word.after('='))));
            } else if long {
                let takes = takes_value(values, &name);
                let value = if takes { rest.next().cloned() } else { None };
                if let Some(next) = rest.peek().filter(|_| !takes) {
                    line.loose.push((name.clone(), (*next).clone()));
                }
                stranger = !takes && line.operands.is_empty();
                line.options.push((name, value));
            } else {
                line.letters(word, values, &mut rest);
            }
        }
        line.take_back_trials();
        line
    }

    /// `--dry-run --no-dry-run`, `--dry-run false`: it is done after all.
    fn take_back_trials(&mut self) {
        let off = |word: &Word| matches!(word.shown().as_str(), "false" | "none" | "0");
        let denied = |name: &str| {
            self.has(&format!("no-{name}")) || self.given().any(|(given, value)| given == name && off(value))
        };
        let denied: Vec<&str> = TRIALS.iter().copied().filter(|name| denied(name)).collect();
        self.options.retain(|(name, _)| !denied.contains(&name.as_str()));
    }

    fn letters<'w>(&mut self, word: &Word, values: &str, rest: &mut impl Iterator<Item = &'w Word>) {
        let letters = word.text.prefix();
        for (at, letter) in letters.char_indices().skip(1) {
            let name = letter.to_string();
            if !takes_value(values, &name) {
                self.options.push((name, None));
                continue;
            }
            let attached = word.from(at + letter.len_utf8());
            let value = if attached.text.is_empty() { rest.next().cloned() } else { Some(attached) };
            self.options.push((name, value));
            return;
        }
    }

    /// Was the option given? The name has no dashes.
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }

    /// The values of an option, by any of these names.
    pub fn values<'l>(&'l self, names: &'l [&'l str]) -> impl Iterator<Item = &'l Word> {
        self.options
            .iter()
            .filter(|(given, _)| names.contains(&given.as_str()))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// Every option that may have a value, with it.
    pub fn given(&self) -> impl Iterator<Item = (&str, &Word)> {
        let known = self.options.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_ref()?)));
        known.chain(self.loose.iter().map(|(name, value)| (name.as_str(), value)))
    }

    /// The word at this place among those that are no options, as shown.
    pub fn verb(&self, at: usize) -> String {
        self.operands.get(at).map(Word::shown).unwrap_or_default()
    }

    /// True when nothing is done but to tell about the tool.
    pub fn asks_for_help(&self) -> bool {
        let bare = |name: &str| self.options.iter().any(|(given, value)| given == name && value.is_none());
        bare("help") || (bare("version") && self.operands.is_empty()) || self.verb(0) == "help"
    }

    fn fits(&self, pattern: &str, run: &Run) -> bool {
        let items = || pattern.split_ascii_whitespace();
        let is_option = |item: &&str| item.starts_with(['-', '!', '<', '$']);
        let options = items().filter(is_option).all(|item| self.option_fits(item, run));
        options && {
            let verbs: Vec<&str> = items().filter(|item| !is_option(item)).collect();
            self.starts.iter().any(|start| words_fit(&verbs, self.operands.get(*start..).unwrap_or_default()))
        }
    }

    fn option_fits(&self, item: &str, run: &Run) -> bool {
        if item == "<" {
            return matches!(run.call.stdin.stream, Stream::Pipe | Stream::Here | Stream::File(_));
        }
        if let Some(unwanted) = item.strip_prefix('!') {
            return !self.option_fits(unwanted, run);
        }
        if let Some((name, wanted)) = item.strip_prefix('$').and_then(|item| item.split_once('=')) {
            let value = run.variable(name);
            return value.is_some_and(|value| value_fits(wanted, value.as_literal().unwrap_or_default()));
        }
        let (names, wanted) = match item.split_once('=') {
            Some((names, wanted)) => (names, Some(wanted)),
            None => (item, None),
        };
        let named = |given: &str| names.split(',').any(|name| name.trim_start_matches('-') == given);
        let off = |word: &Word| matches!(word.shown().as_str(), "false" | "none" | "0");
        let loose = |wanted: &str| {
            self.loose.iter().any(|(given, next)| named(given) && value_fits(wanted, &next.shown()))
        };
        wanted.is_some_and(loose)
            || self.options.iter().filter(|(given, _)| named(given)).any(|(_, value)| match (wanted, value) {
                (None, value) => !value.as_ref().is_some_and(off),
                (Some(wanted), Some(value)) => value_fits(wanted, &value.shown()),
                (Some(_), None) => false,
            })
    }

    /// The command for people: its verbs, and the options that made the difference.
    fn shown(&self, tool: &str, pattern: &str) -> String {
        let mut words = vec![tool.to_owned()];
        words.extend(self.operands.iter().take(6).map(Word::shown));
        let options = pattern.split_ascii_whitespace().filter(|item| item.starts_with('-'));
        words.extend(
            options.filter_map(|item| item.split('=').next()?.split(',').next_back()).map(str::to_owned),
        );
        words.join(" ").chars().filter(|letter| !letter.is_control()).take(120).collect()
    }
}

fn takes_value(values: &str, name: &str) -> bool {
    values.split_ascii_whitespace().any(|known| known == name)
}

fn words_fit(pattern: &[&str], words: &[Word]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return true };
    if *first == "**" {
        return (0..=words.len().min(64)).any(|skip| words_fit(rest, words.get(skip..).unwrap_or_default()));
    }
    match words.split_first() {
        Some((word, others)) => word_fits(first, &word.shown()) && words_fit(rest, others),
        None => false,
    }
}

/// One of several texts, with `*` for anything.
fn word_fits(pattern: &str, word: &str) -> bool {
    pattern.split('|').any(|one| match one {
        "@own" => services::is_own(word),
        "@essential" => packages::is_essential(word),
        "@many" => word.parse::<u32>().is_ok_and(|count| count > 1),
        "@bucket" => is_bucket(word),
        "@local" => !word.contains("://"),
        "@near" => word.split(',').all(is_near_address),
        _ => glob_fits(one, word),
    })
}

/// The same for a value, where `^` stands for any other.
fn value_fits(pattern: &str, value: &str) -> bool {
    match pattern.strip_prefix('^') {
        Some(others) => !word_fits(others, value),
        None => word_fits(pattern, value),
    }
}

/// A server of development, by its address or its name.
fn is_near_address(text: &str) -> bool {
    let host = url::host(text);
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    !host.is_empty() && is_name && is_near(&host)
}

/// A store of objects without the name of one of them: `s3://name/`.
fn is_bucket(word: &str) -> bool {
    word.split_once("://").is_some_and(|(_, rest)| !rest.trim_end_matches('/').contains('/'))
}

/// Is the word this text, with `*` for anything?
pub(super) fn glob_fits(pattern: &str, word: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == word };
    let Some(mut word) = word.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return word.ends_with(part);
        }
        let Some((_, behind)) = word.split_once(part) else { return false };
        word = behind;
    }
    true
}
