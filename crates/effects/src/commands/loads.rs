//! Files and folders that programs take code from because an option names them: settings, plugins, start-up files.
//! Those of the project are its own. One in a place where anybody may write is read, and when it cannot be, it is
//! asked about. A catalogue from the programs' own manuals.

use tollgate_model::Zone;
use tollgate_shell::value::Value;

use super::flags::given;
use super::interpreters::{self, languages};
use super::strangers::{self, either, possibly};
use super::{Run, clusters};
use crate::analyst::taint;
use crate::languages::Language;
use crate::names::{Names, index};
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

/// Options with a file or folder of code, by program.
const LOADERS: &[(&[&str], &str)] = &[
    (
        &["eslint", "eslint_d", "standard", "xo"],
        "c,config= rulesdir= f,format= parser= resolve-plugins-relative-to=",
    ),
    (&["prettier", "prettierd"], "config= plugin="),
    (&["stylelint"], "config= custom-syntax= custom-formatter="),
    (
        &["jest"],
        "c,config= env,testEnvironment= globalSetup= globalTeardown= runner= resolver= setupFilesAfterEnv= reporters=",
    ),
    (&["mocha", "_mocha"], "r,require= config= R,reporter="),
    (
        &[
            "vitest",
            "vite",
            "tsup",
            "playwright",
            "rspack",
            "unbuild",
            "tailwindcss",
            "lint-staged",
            "wrangler",
        ],
        "c,config=",
    ),
    (&["webpack", "webpack-cli", "webpack-dev-server"], "c,config="),
    (&["rollup"], "c,config= p,plugin="),
    (&["babel", "babel-node"], "config-file= presets= plugins="),
    (&["postcss"], "config= u,use="),
    (&["gulp"], "f,gulpfile="),
    (&["grunt"], "gruntfile= tasks="),
    (&["cypress"], "C,config-file="),
    (&["commitlint"], "g,config="),
    (&["semantic-release"], "e,extends="),
    (&["knex"], "knexfile="),
    (&["sequelize", "sequelize-cli"], "config= options-path="),
    (&["svgo", "nodemon", "c8", "typedoc", "serve", "pm2"], "config="),
    (&["nyc"], "require="),
    (&["ts-node", "tsx"], "r,require="),
    (&["bun"], "r,preload= c,config="),
    (&["hardhat", "truffle"], "config="),
    (&["pytest", "py.test"], "c,config-file= rootdir= confcutdir="),
    (&["pylint"], "rcfile="),
    (&["mypy", "dmypy"], "config-file="),
    (&["sphinx-build"], "c="),
    (&["tox"], "c,conf="),
    (&["nox"], "f,noxfile="),
    (&["gunicorn", "hypercorn"], "c,config="),
    (&["jupyter", "ipython"], "config="),
    (&["locust"], "f,locustfile="),
    (&["fab", "invoke", "inv"], "r,search-root= f,config="),
    (&["pre-commit"], "c,config="),
    (&["alembic"], "c,config="),
    (&["mkdocs"], "f,config-file="),
    (&["mitmproxy", "mitmdump", "mitmweb"], "s,scripts="),
    (&["rake"], "f,rakefile= r,require= R,rakelibdir="),
    (&["rspec"], "r,require= O,options="),
    (&["rubocop", "standardrb"], "r,require= c,config="),
    (&["irb", "pry", "sidekiq", "cucumber"], "r,require="),
    (&["puma"], "C,config="),
    (&["unicorn"], "c,config-file="),
    (&["guard"], "G,guardfile="),
    (&["prove", "perl"], "I="),
    (&["vim", "vi", "view", "ex", "gvim", "nvim", "vimdiff"], "u= U= S="),
    (&["emacs"], "l,load= L,directory= script= init-directory="),
    (&["nano"], "f,rcfile="),
    (&["tmux"], "f="),
    (&["screen"], "c="),
    (&["gdb", "lldb"], "x,command= s,source= ix,init-command="),
    (&["bash"], "init-file,rcfile="),
    (&["ssh"], "F= I="),
    (&["scp"], "F="),
    (&["sftp"], "F= b="),
    (&["lftp"], "f="),
    (&["man"], "C,config-file="),
    (&["crond"], "c="),
    (&["anacron"], "t="),
    (&["podman"], "hooks-dir= module="),
    (&["ssh-keygen"], "D= w="),
    (&["lynx"], "cfg="),
    (&["mutt", "neomutt"], "F="),
    (&["gradle", "gradlew"], "I,init-script= b,build-file= c,settings-file="),
    (&["mvn", "mvnw"], "s,settings= gs,global-settings= f,file="),
    (&["ant"], "f,file,buildfile= lib="),
    (&["bazel", "bazelisk"], "bazelrc="),
    (&["cpack"], "config="),
    (&["ctest"], "S,script= SP,script-new-process="),
    (&["xinetd"], "f="),
    (&["ninja"], "f="),
    (&["scons"], "f,file,sconstruct="),
    (&["make", "gmake", "bmake", "pmake", "remake"], "f,file,makefile="),
    (&["just"], "f,justfile="),
    (&["task", "go-task"], "t,taskfile="),
    (&["ansible-playbook", "ansible"], "i,inventory= M,module-path= playbook-dir="),
    (&["terraform", "tofu"], "plugin-dir="),
    (&["supervisord"], "c,configuration="),
    (&["openvpn"], "config="),
    (&["dnsmasq"], "C,conf-file="),
    (&["nginx"], "c="),
    (&["sshd"], "f="),
    (&["curl"], "K,config= engine="),
    (&["pandoc"], "L,lua-filter="),
    (&["sqlite3"], "init="),
    (&["openssl"], "provider-path="),
    (&["wget"], "config="),
    (&["ctags"], "options="),
    (&["nmap"], "script="),
    (&["awk", "gawk"], "l,load="),
    (&["lua", "luajit"], "l="),
    (&["ruby"], "I="),
    (&["php", "php-cgi"], "c,php-ini= z,zend-extension="),
    (&["julia"], "L,load= J,sysimage="),
    (&["clang", "clang++"], "config="),
    (&["npm", "pnpm", "yarn"], "userconfig= globalconfig= use-yarnrc="),
    // Its users may be known by what a program says, which it runs.
    (&["kubectl", "oc", "helm", "k9s", "flux", "istioctl", "argocd", "velero"], "kubeconfig="),
    (&["nodemon", "watchexec"], "config="),
    (&["conan"], "pr,profile="),
    (&["protoc"], "plugin="),
];

/// Programs whose operands, behind these verbs, are files of code that no other family reads, and their options.
const OPERANDS: &[(&[&str], &[&str], &str)] = &[
    (
        &["ansible-playbook"],
        &[],
        "i,inventory= l,limit= e,extra-vars= t,tags= skip-tags= u,user= f,forks= c,connection= T,timeout= M,module-path= \
         start-at-task= vault-id= vault-password-file= become-method= become-user= private-key= ssh-common-args=",
    ),
    (&["run-parts"], &[], "a,arg= u,umask= regex="),
    (&["karma"], &["start"], ""),
    (&["rackup"], &[], "p,port= o,host= s,server= E,env= I,include= r,require= P,pid= O= q= e,eval="),
    (
        &["k6"],
        &["run"],
        "u,vus= d,duration= i,iterations= s,stage= o,out= e,env= c,config= a,address= summary-export= summary-mode= tag= \
         rps= max-redirects= batch= batch-per-host= user-agent= execution-segment= log-output= log-format= console-output= \
         local-ips= dns= blacklist-ip= block-hostnames= system-tags= summary-trend-stats= summary-time-unit= traces-output=",
    ),
    (&["wg-quick"], &["up"], ""),
    (&["runsv", "runsvdir", "supervise", "svscan", "s6-svscan", "s6-supervise"], &[], "P c= t= d="),
    (&["incrontab", "fcrontab"], &[], "u= l e r d"),
    (&["mutool"], &["run"], ""),
    (
        &["redis-server"],
        &[],
        "port= loglevel= dir= dbfilename= logfile= pidfile= daemonize= bind= save= appendonly= requirepass= maxmemory= \
         maxmemory-policy= unixsocket= unixsocketperm= databases= protected-mode= replicaof= cluster-enabled= \
         cluster-config-file= cluster-node-timeout= appendfilename= tcp-backlog= timeout= syslog-enabled= sentinel",
    ),
];

/// Files of code that a program takes by itself where it runs.
const USUAL: &[(&[&str], &[&str])] = &[(
    &["gradle", "gradlew"],
    &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"],
)];

static LOADING: Names<512> = index!(LOADERS, (programs, _) => programs);
static TAKING: Names<256> = index!(OPERANDS, (programs, _, _) => programs);

/// Takes down what the files do that a program's options name as code.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    for (_, spec) in LOADING.rows(LOADERS, program, |(names, _)| names) {
        for value in given(run, spec) {
            load(run, &value);
        }
    }
    clusters::settings(run);
    for (_, files) in USUAL.iter().filter(|(names, _)| names.contains(&program)) {
        for file in files.iter().map(|name| Word::literal_at(name, run.call.span)) {
            if run.analyst.own_text(&file, run.shell).is_some() {
                load(run, &file);
            }
        }
    }
    if program == "cmake" {
        let options = read(run.args, "C= P= toolchain= D= G= B= S= W= U= T= A= E=", Order::Anywhere);
        for file in ["C", "P", "toolchain"].iter().flat_map(|name| options.values(name)) {
            load(run, file);
        }
    }
    if program.starts_with("php") {
        // `-d auto_prepend_file=x`: any of its settings may name a file of code.
        for setting in given(run, "d,define=") {
            load(run, &setting.after('='));
        }
    }
    let taking = TAKING.rows(OPERANDS, program, |(names, _, _)| names);
    for (_, verbs, spec) in taking {
        let operands = read(run.args, spec, Order::Anywhere).operands;
        let told =
            verbs.iter().enumerate().all(|(at, verb)| operands.get(at).is_some_and(|word| word.is(verb)));
        for file in operands.iter().skip(verbs.len()).filter(|_| told) {
            load(run, file);
        }
    }
}

/// A file or folder that a program takes code from.
pub(super) fn load(run: &mut Run, file: &Word) {
    // A name without a slash is one of a package.
    let written = run.analyst.own_text(file, run.shell).is_some();
    run.analyst.recall(file, run.shell);
    if !written && !file.shown().contains('/') {
        return;
    }
    if !written && !is_open(run, file) {
        return;
    }
    let Some(text) = run.analyst.script(file, run.shell) else {
        let why = format!("`{}` takes code from `{}`, which cannot be read here", run.program, file.shown());
        return run.analyst.opaque(why, file.span);
    };
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, file.span);
    }
    code(run, file, &text);
}

/// A program that a setting names: one where anybody may write is read, and asked about when it cannot be.
pub(super) fn tool(run: &mut Run, setting: &str, value: &Value) {
    let first = value.as_literal().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    if !first.contains('/') {
        return;
    }
    let word = Word::literal_at(first, run.call.span);
    if is_open(run, &word) && run.analyst.script(&word, run.shell).is_none() {
        run.analyst
            .opaque(format!("`{setting}` has `{first}` run, which cannot be read here"), run.call.span);
    }
}

/// A program that only a setting or a variable starts, and that cannot be read, is not let through.
pub(super) fn unread(run: &mut Run, name: &str, value: &Value) {
    let first = value.as_literal().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    if !first.contains('/') || first.contains('%') {
        return;
    }
    let word = Word::literal_at(first, run.call.span);
    let near = |zone: Zone| matches!(zone, Zone::Temp | Zone::Workspace);
    let here = run.analyst.places(&word, run.shell).iter().any(|(place, _)| near(place.zone));
    if here && run.analyst.script(&word, run.shell).is_none() {
        run.analyst.opaque(format!("`{name}` has `{first}` run, which cannot be read here"), run.call.span);
    }
}

/// Is it in a place where anybody may write?
pub(super) fn is_open(run: &Run, word: &Word) -> bool {
    const OPEN: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
    let world = run.analyst.world;
    let roots = || OPEN.iter().copied().chain(world.temp_dirs().iter().map(String::as_str));
    run.analyst.places(word, run.shell).iter().any(|(place, _)| {
        place.zone != Zone::Workspace
            && place.path != world.workspace()
            && roots().any(|root| paths::within(&place.path, root))
    })
}

/// Code in the language that the file's name tells, and else the commands that may be in it.
fn code(run: &mut Run, file: &Word, text: &Value) {
    let name = file.shown();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let language = match extension {
        "js" | "cjs" | "mjs" | "ts" | "cts" | "mts" => Some(Language::JavaScript),
        "py" => Some(Language::Python),
        "rb" => Some(Language::Ruby),
        "pl" | "pm" => Some(Language::Perl),
        "php" => Some(Language::Php),
        "lua" => Some(Language::Lua),
        "el" => Some(Language::Lisp),
        "gradle" | "groovy" | "kts" => Some(Language::Slashed),
        _ => None,
    };
    let known = text.as_literal().map(str::to_owned);
    match (language, known) {
        (Some(Language::Slashed), Some(text)) => {
            languages::from_file(run, Language::Slashed, file, &[]);
            strangers::run_quoted(run, &Word::literal_at(&text, file.span));
        }
        (Some(language), _) => drop(languages::from_file(run, language, file, &[])),
        (None, Some(text)) => {
            if run.program == "ansible-playbook" {
                super::ansible::playbook(run, file, &text);
            }
            possibly(run, |run| {
                for command in commands(&text) {
                    interpreters::code(run, &Value::text(command), file.span);
                }
            });
            let whole = Word::literal_at(&text, file.span);
            possibly(run, |run| either(run, &whole));
        }
        (None, None) => {}
    }
}

/// What may be a command in lines of settings: each line, and what follows its first word, `=`, `:` or `!`.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let behind = |line: &'_ str, marks: &[char]| line.find(marks).map(|at| at + 1);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES).flat_map(move |line| {
        let marks: [&[char]; 3] = [&[' ', '\t'], &['=', ':'], &['!']];
        let rests = marks.map(|marks| behind(line, marks).and_then(|at| line.get(at..)).map(unquoted));
        std::iter::once(line).chain(rests.into_iter().flatten()).filter(|text| text.contains(' '))
    })
}

/// How many lines of settings are looked at.
const LINES: usize = 512;

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// The text of the file that a variable names, where this call has written it.
pub(super) fn written(run: &Run, value: &Value) -> Option<String> {
    run.shell.file(value)?.value.as_literal().map(str::to_owned)
}

/// What a shell reads first, where this call has written it: it is run as what it says.
pub(super) fn is_followed(run: &mut Run, value: &Value) -> bool {
    let Some(text) = written(run, value) else { return false };
    interpreters::code(run, &Value::text(&text), run.call.span);
    true
}

/// Options that load nothing.
pub(super) fn is_plain_option(value: &Value) -> bool {
    let loads = ["-r", "-I", "-M", "-m", "-d", "-e", "--require"];
    value.as_literal().is_some_and(|text| {
        text.split_whitespace()
            .all(|word| word.starts_with('-') && !loads.iter().any(|flag| word.starts_with(flag)))
    })
}
