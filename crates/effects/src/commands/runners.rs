//! Programs of package managers that run another command in their environment: npx, bundle exec, uv run, mise exec.

use tollgate_model::{EffectKind, EnvUse};
use tollgate_shell::eval::{Outcome, Stream};

use super::packages::{install, start};
use super::verbs::find;
use super::wrappers::reports::located;
use super::{Run, interpreters};
use crate::options::{Order, read};
use crate::word::Word;

/// `npm exec`, `pnpm dlx`, `yarn dlx`, `bun x`; and the programs of a project, which three of them run by name.
pub(super) fn notice(run: &mut Run) {
    if !matches!(run.program, "npm" | "pnpm" | "yarn" | "bun") {
        return;
    }
    // pnpm's letter only says that what follows is text for a shell.
    let spec = match run.program {
        "pnpm" => {
            "C,dir= prefix= filter,F= w,workspace-root r,recursive silent s verbose loglevel= c,shell-mode p,package= y,yes \
            ignore-workspace if-present no-install parallel stream aggregate-output"
        }
        _ => {
            "C,dir,cwd= prefix= filter,F= w,workspace= r,recursive silent s bun verbose loglevel= c,call= p,package= y,yes \
            workspace-root ignore-workspace if-present no-install parallel stream aggregate-output"
        }
    };
    let options = read(run.args, spec, Order::First);
    let Some((verb, rest)) = options.operands.split_first() else { return };
    let command = match (run.program, verb.shown().as_str()) {
        (_, "exec" | "x" | "dlx") => {
            let inside = read(rest, spec, Order::First);
            let named =
                inside.operands.first().into_iter().chain(inside.values("p")).chain(options.values("p"));
            // `pnpm exec` and `yarn exec` run what is there already.
            let fetches = run.program == "npm" || !verb.is("exec");
            for package in named.filter(|word| is_address(word) || fetches && is_repository(word)) {
                start(run, "npm", package);
            }
            if let Some(text) = inside.value("c").filter(|_| inside.operands.is_empty()).cloned() {
                interpreters::code(run, &text.value(), text.span);
                return;
            }
            // Yarn gives one text to a shell.
            if let ("yarn" | "pnpm", [text]) = (run.program, inside.operands.as_slice())
                && text.text.prefix().contains(' ')
            {
                interpreters::code(run, &text.value(), text.span);
                return;
            }
            // `npm exec package -- words`: the dashes are npm's.
            let mut words = inside.operands;
            if words.get(1).is_some_and(|word| word.is("--")) {
                words.remove(1);
            }
            words
        }
        ("npm", _) => return,
        (_, "run") if rest.first().is_some_and(|word| find(&word.shown()).is_some()) => rest.to_vec(),
        (_, name) if find(name).is_some() => options.operands.clone(),
        _ => return,
    };
    if let Some((first, rest)) = command.split_first() {
        let mut words = vec![without_version(first)];
        words.extend(rest.iter().cloned());
        run.inner(&words);
    }
}

/// The verb, the options before the command, and whether another word stands before it.
const EXEC: &[(&str, &[&str], &str)] = &[
    ("bundle", &["exec", "e"], "keep-file-descriptors gemfile="),
    ("bundler", &["exec", "e"], "keep-file-descriptors gemfile="),
    ("poetry", &["run"], ""),
    ("foreman", &["run"], "e,env= f,procfile= d,root= c,formation= p,port="),
    ("honcho", &["run"], "e,env= f,procfile= d,app-root="),
    ("pipenv", &["run"], ""),
    (
        "pipx",
        &["run"],
        "spec= python= pip-args= i,index-url= no-cache path pypackages system-site-packages fetch-missing-python \
         v,verbose q,quiet with=",
    ),
    ("devbox", &["run"], "e,env= env-file= c,config= environment= q,quiet"),
    ("pdm", &["run"], "p,project= e,env-file= s,site-packages"),
    ("hatch", &["run"], "e,env="),
    ("rye", &["run"], "p,pyproject="),
    ("pixi", &["run", "exec"], "e,environment= manifest-path= s,spec= c,channel="),
    ("conda", &["run"], "n,name= p,prefix= v,verbose no-capture-output live-stream cwd="),
    ("mamba", &["run"], "n,name= p,prefix= no-capture-output live-stream cwd= a,attach="),
    ("micromamba", &["run"], "n,name= p,prefix= a,attach= cwd="),
    ("mise", &["exec", "x"], "C,cd= j,jobs= E,env= raw c,command="),
    ("rtx", &["exec", "x"], "C,cd= j,jobs= E,env= raw c,command="),
    ("asdf", &["exec"], ""),
    ("rbenv", &["exec"], ""),
    ("pyenv", &["exec"], ""),
    ("nodenv", &["exec"], ""),
    ("dotenvx", &["run"], "f,env-file= e,env= overload q,quiet"),
    ("doppler", &["run"], "p,project= c,config= command= t,token= mount= name-transformer="),
    ("op", &["run"], "env-file= no-masking account="),
    ("infisical", &["run"], "env= path= token= projectId= c,command= watch"),
    ("teller", &["run"], "reset shell s"),
    ("ddev", &["exec"], "s,service= d,dir= raw q,quiet"),
    (
        "heroku",
        &["run", "run:detached", "run:inside", "local:run"],
        "a,app= r,remote= s,size= e,env= x,exit-code no-tty no-notify no-launcher type=",
    ),
    ("railway", &["run"], "s,service= e,environment= p,project="),
    ("dokku", &["run", "enter"], "e,env= rm rm-container detach"),
];

/// `verb … command`.
pub(super) fn exec(run: &mut Run) -> Outcome {
    // Managers of versions tell where a tool lies.
    if let Some((_, names)) = run.args.split_first().filter(|(verb, _)| verb.is("which")) {
        return located(names);
    }
    let Some((_, verbs, spec)) = EXEC.iter().find(|(name, _, _)| *name == run.program) else {
        return run.derived();
    };
    let at = run.args.iter().position(|word| verbs.contains(&word.shown().as_str()));
    // Only options may stand before the verb.
    let Some(at) = at.filter(|at| *at < 4) else { return run.derived() };
    let before = run.args.get(..at).unwrap_or_default();
    let operands = before.iter().filter(|word| !word.shown().starts_with('-')).count();
    let flags = before.len() - operands;
    if operands > flags {
        return run.derived();
    }
    let options = read(run.args.get(at + 1..).unwrap_or_default(), spec, Order::First);
    if let Some(text) = options.value("c").or(options.value("command")).cloned() {
        let is_code = matches!(run.program, "mise" | "rtx" | "doppler" | "infisical");
        if is_code && options.operands.is_empty() {
            return interpreters::code(run, &text.value(), text.span);
        }
    }
    // `mise exec node@20 -- node x.js` names tools first.
    let tools = if matches!(run.program, "mise" | "rtx") { dashes(run.args) } else { None };
    inner(run, &tools.unwrap_or(options.operands))
}

/// `pipx run tool …`; an address in its place is a script from the network.
pub(super) fn pipx(run: &mut Run) -> Outcome {
    let operands = run.args.iter().filter(|word| !word.text.prefix().starts_with('-'));
    let verbs: Vec<Word> = operands.take(2).cloned().collect();
    if let [verb, script] = verbs.as_slice()
        && verb.is("run")
        && is_address(script)
    {
        start(run, "pip", script);
    }
    exec(run)
}

fn dashes(words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| word.is("--"))?;
    Some(words.get(at + 1..).unwrap_or_default().to_vec())
}

fn inner(run: &mut Run, command: &[Word]) -> Outcome {
    if command.is_empty() { run.derived() } else { run.inner(command) }
}

/// `npx [options] command …`; `-c` takes shell text. A version in the name is not part of the command.
pub(super) fn npx(run: &mut Run) -> Outcome {
    let spec = "y,yes n,no p,package= c,call= w,workspace= ws,workspaces include-workspace-root q,quiet s,shell= bun no-install \
        ignore-existing prefer-offline legacy-peer-deps registry= silent verbose shell-mode";
    let options = read(run.args, spec, Order::First);
    if let Some(text) = options.value("c").cloned() {
        return interpreters::code(run, &text.value(), text.span);
    }
    let mut command = options.operands.clone();
    let named = command.first().into_iter().chain(options.values("p"));
    for package in named.filter(|word| is_address(word) || is_repository(word)) {
        start(run, "npm", package);
    }
    if let Some(first) = command.first_mut() {
        *first = without_version(first);
    }
    inner(run, &command)
}

/// A package that is named by an address, behind its name or alone.
fn is_address(word: &Word) -> bool {
    const FORGES: &[&str] = &["git+", "git@", "github:", "gitlab:", "bitbucket:", "gist:"];
    let text = word.text.prefix();
    let behind_name = text.split_once('@').map_or("", |(_, rest)| rest);
    text.contains("://")
        || FORGES.iter().any(|forge| text.starts_with(forge) || behind_name.starts_with(forge))
}

/// `owner/name`, which Node's managers look for on GitHub.
fn is_repository(word: &Word) -> bool {
    let Some((owner, name)) = word.literal().and_then(|text| text.split_once('/')) else { return false };
    let is_name = |text: &str| {
        let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !text.is_empty() && !text.starts_with('.') && text.chars().all(letter)
    };
    is_name(owner) && is_name(name.split('#').next().unwrap_or_default())
}

/// `prisma@5` runs `prisma`, `@scope/tool@1` runs `tool`.
pub(super) fn without_version(word: &Word) -> Word {
    let Some(text) = word.literal() else { return word.clone() };
    let name = text.rsplit('/').next().unwrap_or(text);
    let name = match name.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        _ => name,
    };
    // `@railway/cli` runs `railway`.
    let name = if name == "cli" {
        text.strip_prefix('@').and_then(|text| text.split('/').next()).unwrap_or(name)
    } else {
        name
    };
    let is_path = text.starts_with(['.', '/']);
    if is_path { word.clone() } else { Word::literal_at(name, word.span) }
}

pub(super) fn uvx(run: &mut Run) -> Outcome {
    let spec = "from= w,with= with-editable= with-requirements= p,python= isolated q,quiet v,verbose index= default-index= \
        i,index-url= extra-index-url= refresh U,upgrade n,no-cache offline env-file=";
    let options = read(run.args, spec, Order::First);
    let mut command = options.operands.clone();
    for package in
        options.values("from").chain(options.values("w")).chain(&command).filter(|word| is_address(word))
    {
        start(run, "pip", package);
    }
    if let Some(first) = command.first_mut() {
        *first = without_version(first);
    }
    inner(run, &command)
}

pub(super) fn uv(run: &mut Run) -> Outcome {
    let spec = "q,quiet v,verbose directory= project= config-file= no-config cache-dir= n,no-cache offline color= native-tls";
    let options = read(run.args, spec, Order::First);
    let words: Vec<String> = options.operands.iter().take(2).map(Word::shown).collect();
    let names: Vec<&str> = words.iter().map(String::as_str).collect();
    let (skip, spec) = match names.as_slice() {
        ["run", ..] => (
            1,
            "extra= all-extras no-dev dev only-dev group= no-group= only-group= all-groups m,module= env-file= no-env-file w,with= \
            with-editable= with-requirements= isolated active no-sync locked frozen s,script p,python= index= default-index= \
            i,index-url= extra-index-url= package= directory= project= no-project q,quiet v,verbose U,upgrade n,no-cache offline \
            exact gui-script no-editable inexact refresh all-packages",
        ),
        ["tool", "run"] => (2, "from= w,with= p,python= isolated q,quiet v,verbose with-editable= index="),
        _ => return run.derived(),
    };
    let inside = read(options.operands.get(skip..).unwrap_or_default(), spec, Order::First);
    for package in inside.values("from").chain(inside.values("w")).filter(|word| is_address(word)) {
        start(run, "pip", package);
    }
    if let Some(module) = inside.value("m").cloned() {
        let mut words =
            vec![Word::literal_at("python", module.span), Word::literal_at("-m", module.span), module];
        words.extend(inside.operands);
        return run.inner(&words);
    }
    let mut command = inside.operands;
    if command.first().is_some_and(|word| word.shown().ends_with(".py") || word.is("-")) {
        command.insert(0, Word::literal_at("python", run.call.span));
    }
    inner(run, &command)
}

/// `direnv exec folder command …`.
pub(super) fn direnv(run: &mut Run) -> Outcome {
    match run.args.split_first() {
        Some((verb, rest)) if verb.is("exec") => inner(run, rest.get(1..).unwrap_or_default()),
        // From now on the file runs whenever somebody comes by.
        Some((verb, [path, ..])) if matches!(verb.shown().as_str(), "allow" | "permit" | "grant") => {
            let name = if path.shown().ends_with(".envrc") { String::new() } else { "/.envrc".to_owned() };
            let mut file = path.clone();
            file.text.push_str(&name);
            super::loads::load(run, &file);
            run.derived()
        }
        _ => run.derived(),
    }
}

/// `chamber exec service -- command …`.
pub(super) fn chamber(run: &mut Run) -> Outcome {
    if !run.args.first().is_some_and(|verb| verb.is("exec")) {
        return run.derived();
    }
    let command = dashes(run.args).unwrap_or_else(|| run.args.get(2..).unwrap_or_default().to_vec());
    inner(run, &command)
}

/// Laravel's `sail artisan …` runs artisan in a container.
pub(super) fn sail(run: &mut Run) -> Outcome {
    let words = run.args.to_vec();
    match words.first().map(Word::shown).unwrap_or_default().as_str() {
        "artisan" | "art" | "a" => {
            let mut command = vec![Word::literal_at("artisan", run.call.span)];
            command.extend(words.into_iter().skip(1));
            run.inner(&command)
        }
        "php" | "composer" | "npm" | "npx" | "yarn" | "node" => run.inner(&words),
        "down" => {
            let mut command =
                ["docker", "compose"].map(|text| Word::literal_at(text, run.call.span)).to_vec();
            command.extend(words);
            run.inner(&command)
        }
        _ => run.derived(),
    }
}

/// Tools whose first word is itself a command: `lando artisan …`, `spring rails …`, `corepack npm …`.
pub(super) fn lando(run: &mut Run) -> Outcome {
    let words = run.args.to_vec();
    let first = words.first().map(Word::shown).unwrap_or_default();
    let runs = [
        "artisan", "php", "mysql", "psql", "drush", "wp", "composer", "npm", "pnpm", "yarn", "rails", "rake",
    ];
    if runs.contains(&first.as_str()) { run.inner(&words) } else { run.derived() }
}

/// `cross-env A=1 command`, `dotenv -e .env -- command`.
pub(super) fn plain(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "e= f,file= c? v= o p= r,rc-file= x,expand-envs silent fallback", Order::First);
    if run.program.starts_with("dotenv") {
        printed_variable(run, options.value("p"));
    }
    let assigns =
        |word: &&Word| word.text.prefix().split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    // Python's `dotenv` has a verb for it.
    let verb = |word: &&Word| run.program == "dotenv" && word.is("run");
    let command =
        options.operands.iter().skip_while(assigns).skip_while(verb).skip_while(|word| word.is("--"));
    let command: Vec<Word> = command.cloned().collect();
    inner(run, &command)
}

/// `dotenv -p NAME` prints what the file says; so do `get` and `list` of the Python one.
fn printed_variable(run: &mut Run, named: Option<&Word>) {
    let operands: Vec<String> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).map(Word::shown).collect();
    let names: Vec<String> = match (named, operands.iter().map(String::as_str).collect::<Vec<_>>().as_slice())
    {
        (Some(name), _) => vec![name.shown()],
        (None, ["get", name]) => vec![(*name).to_owned()],
        (None, ["list"]) => run.analyst.loaded.clone(),
        _ => return,
    };
    let seen = run.call.stdout == Stream::Outer && !run.call.piped_to;
    let secret = names.iter().filter(|name| run.analyst.is_secret_variable(name));
    let names: Vec<String> = secret.cloned().collect();
    if seen && !names.is_empty() {
        run.push(EffectKind::EnvRead { what: EnvUse::Printed(names) });
    }
}

pub(super) fn texts(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "n,names= c,prefix-colors= k,kill-others p,prefix= s,success= r,raw g,group m,max-processes= i,handle-input P",
        Order::Anywhere,
    );
    for text in options.operands.clone() {
        interpreters::code(run, &text.value(), text.span);
    }
    run.derived()
}

/// `nix develop -c cmd`, `nix shell pkgs -c cmd`, `nix run pkg -- …`.
pub(super) fn nix(run: &mut Run) -> Outcome {
    super::wrappers::nix_fetches(run);
    if run.args.first().is_some_and(|verb| verb.is("run") || verb.is("shell")) {
        let packages = super::packages::operands(run);
        for package in packages
            .iter()
            .skip(1)
            .filter(|word| is_address(word) && !word.text.prefix().starts_with("github:NixOS/"))
        {
            match run.args.first().is_some_and(|verb| verb.is("run")) {
                true => start(run, "nix", package),
                false => install(run, "nix", package),
            }
        }
    }
    // `nix run nixpkgs#tool -- words` runs the tool.
    if let ([verb, package, ..], Some(words)) = (run.args, dashes(run.args))
        && verb.is("run")
    {
        let shown = package.shown();
        let name = shown.rsplit(['#', '/']).next().unwrap_or_default().to_owned();
        let mut command = vec![Word::literal_at(&name, package.span)];
        command.extend(words);
        return run.inner(&command);
    }
    let at = run.args.iter().position(|word| word.is("-c") || word.is("--command"));
    match at {
        Some(at) => inner(run, run.args.get(at + 1..).unwrap_or_default()),
        None => run.derived(),
    }
}
