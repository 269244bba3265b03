//! Programs that make or change files of their own accord: formatters, editors, compressors, generators. No rule
//! minds them; a way of working that binds writes does. A catalogue.

use super::Run;
use crate::names::{Sieve, sieve};
use crate::word::Word;

/// What a program makes or changes.
#[derive(Clone, Copy)]
enum Target {
    /// What its operands name, from this one on.
    Operands(usize),
    /// The same, and the current folder when there are none.
    Tree,
    /// Its last operand, when there is another before it.
    Last,
    /// What these options name.
    Options(&'static [&'static str]),
    /// The current folder.
    Here,
}

/// A program, or one verb of it.
struct Row {
    programs: &'static [&'static str],
    /// The words that come first, one that ends with `*` by its start; none means whatever comes.
    verb: &'static [&'static str],
    /// One of these must be there.
    only: &'static [&'static str],
    /// With one of these it only looks.
    unless: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    target: Target,
}

const ANY: Row =
    Row { programs: &[], verb: &[], only: &[], unless: &[], valued: &[], target: Target::Operands(0) };

const fn tree(programs: &'static [&'static str], verb: &'static [&'static str]) -> Row {
    Row { programs, verb, target: Target::Tree, ..ANY }
}

const ROWS: &[Row] = &[
    Row { programs: &["touch"], valued: &["-d", "-r", "-t", "-A", "--date", "--reference", "--time"], ..ANY },
    Row { programs: &["mkfifo"], valued: &["-m", "--mode"], ..ANY },
    Row { programs: &["mknod"], valued: &["-m", "--mode"], target: Target::Operands(0), ..ANY },
    Row { programs: &["mktemp"], unless: &["-t", "-u"], valued: &["-p", "--suffix"], ..ANY },
    Row { programs: &["mktemp"], target: Target::Options(&["-p", "--tmpdir"]), ..ANY },
    Row {
        programs: &[
            "gzip",
            "gunzip",
            "bzip2",
            "bunzip2",
            "xz",
            "unxz",
            "lzma",
            "unlzma",
            "zstd",
            "unzstd",
            "lz4",
            "unlz4",
            "compress",
            "uncompress",
            "pigz",
            "unpigz",
            "brotli",
        ],
        unless: &["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"],
        valued: &["-S", "--suffix", "-o", "--output", "-T", "--threads", "-D"],
        ..ANY
    },
    Row {
        programs: &["split"],
        valued: &["-a", "-b", "-C", "-l", "-n", "-t", "--filter"],
        target: Target::Operands(1),
        ..ANY
    },
    Row { programs: &["csplit"], target: Target::Options(&["-f", "--prefix"]), ..ANY },
    Row {
        programs: &["rename", "prename", "mmv"],
        unless: &["-n", "--nono"],
        target: Target::Operands(1),
        ..ANY
    },
    Row {
        programs: &["ed", "ex", "nano", "pico", "micro", "joe", "emacs", "kak", "hx", "helix", "mcedit"],
        ..ANY
    },
    Row { programs: &["dos2unix", "unix2dos", "mac2unix"], unless: &["-i", "--info", "-n"], ..ANY },
    Row {
        programs: &["gawk", "awk"],
        only: &["inplace"],
        valued: &["-i", "-f", "-v", "-F"],
        target: Target::Operands(0),
        ..ANY
    },
    Row { programs: &["fallocate"], valued: &["-l", "-o", "--length", "--offset"], ..ANY },
    Row { programs: &["strip", "objcopy"], unless: &["-o"], ..ANY },
    Row { programs: &["xxd"], only: &["-r"], target: Target::Operands(1), ..ANY },
    Row { programs: &["rustfmt", "nixfmt", "stylua"], unless: &["--check"], ..tree(&[], &[]) },
    Row {
        programs: &["prettier", "dprint", "shfmt", "gofmt", "goimports", "gofumpt", "remark"],
        only: &["--write", "-w", "fmt", "-o"],
        ..tree(&[], &[])
    },
    Row { programs: &["black", "yapf3", "ufmt"], unless: &["--check", "--diff"], ..tree(&[], &[]) },
    Row {
        programs: &["isort"],
        unless: &["--check", "--check-only", "-c", "--diff", "-d"],
        ..tree(&[], &[])
    },
    Row { programs: &["ruff"], unless: &["--check", "--diff"], ..tree(&[], &["format"]) },
    Row { only: &["--fix", "--fix-only"], ..tree(&["ruff"], &[]) },
    Row {
        only: &["--fix", "-a", "-A", "--autocorrect", "--autocorrect-all", "-F"],
        ..tree(
            &[
                "eslint",
                "stylelint",
                "oxlint",
                "standard",
                "xo",
                "markdownlint",
                "rubocop",
                "ktlint",
                "golangci-lint",
                "swiftlint",
                "sqlfluff",
            ],
            &[],
        )
    },
    Row {
        only: &["-i", "--in-place"],
        ..tree(&["autopep8", "yapf", "clang-format", "docformatter", "swift-format", "autoflake"], &[])
    },
    Row { unless: &["-check", "-check=true"], ..tree(&["terraform", "tofu", "packer"], &["fmt"]) },
    Row { only: &["--write", "--apply", "--fix"], ..tree(&["biome", "rome"], &[]) },
    Row { unless: &["--check"], ..tree(&["deno", "zig", "taplo", "just"], &["fmt"]) },
    Row { unless: &["--check-formatted"], ..tree(&["mix"], &["format"]) },
    Row { unless: &["--dry-run"], ..tree(&["php-cs-fixer"], &["fix"]) },
    Row { unless: &["--set-exit-if-changed"], ..tree(&["dart"], &["format"]) },
    Row { unless: &["--check"], target: Target::Here, ..tree(&["cargo"], &["fmt"]) },
    Row { only: &["--fix"], target: Target::Here, ..tree(&["cargo"], &["clippy"]) },
    Row { target: Target::Here, ..tree(&["cargo"], &["fix"]) },
    Row { unless: &["--dry-run"], target: Target::Here, ..tree(&["cargo"], &["add"]) },
    Row { unless: &["--dry-run"], target: Target::Here, ..tree(&["cargo"], &["remove"]) },
    Row { valued: &["--name", "--edition", "--vcs"], ..tree(&["cargo"], &["init"]) },
    Row {
        valued: &["--name", "--edition", "--vcs"],
        target: Target::Operands(0),
        ..tree(&["cargo"], &["new"])
    },
    Row { target: Target::Here, ..tree(&["go"], &["fmt"]) },
    Row { target: Target::Here, ..tree(&["go"], &["fix"]) },
    Row { target: Target::Here, ..tree(&["go"], &["get"]) },
    Row { target: Target::Here, ..tree(&["go"], &["generate"]) },
    Row { target: Target::Here, ..tree(&["go"], &["mod", "tidy"]) },
    Row { target: Target::Here, ..tree(&["go"], &["mod", "init"]) },
    Row { target: Target::Options(&["-o"]), ..tree(&["go"], &["build"]) },
    Row {
        target: Target::Here,
        ..tree(
            &["npm", "pnpm", "yarn", "bun", "poetry", "uv", "pdm", "composer", "bundle", "deno", "dotnet"],
            &["init"],
        )
    },
    Row { target: Target::Here, ..tree(&["npm", "pnpm", "yarn", "bun", "npx", "dotnet"], &["create"]) },
    Row {
        target: Target::Here,
        ..tree(&["pnpm", "yarn", "bun", "poetry", "uv", "pdm", "bundle", "deno", "dotnet"], &["add"])
    },
    Row {
        target: Target::Here,
        ..tree(&["npm", "pnpm", "yarn", "bun", "poetry", "uv", "pdm", "composer", "deno"], &["remove"])
    },
    Row { target: Target::Here, ..tree(&["npm", "pnpm"], &["uninstall"]) },
    Row { target: Target::Here, ..tree(&["composer"], &["require"]) },
    Row {
        target: Target::Options(&["-o", "--output"]),
        ..tree(
            &[
                "gcc", "cc", "clang", "g++", "c++", "clang++", "rustc", "tcc", "ld", "pandoc", "nasm", "as",
                "dot",
            ],
            &[],
        )
    },
    Row { target: Target::Options(&["--outDir", "--outFile"]), ..tree(&["tsc"], &[]) },
    Row {
        target: Target::Options(&["-f", "--file", "--result-file", "-r"]),
        ..tree(&["pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump"], &[])
    },
    Row {
        unless: &["-y", "-l", "-F", "-H", "-R"],
        target: Target::Options(&["-f"]),
        ..tree(&["ssh-keygen"], &[])
    },
    Row { target: Target::Last, ..tree(&["ffmpeg", "convert", "magick", "sox", "cwebp"], &[]) },
    Row { target: Target::Here, ..tree(&["hg"], &["update"]) },
    Row { target: Target::Here, ..tree(&["hg"], &["import"]) },
    Row { ..tree(&["hg", "svn"], &["revert"]) },
    Row { ..tree(&["svn"], &["update"]) },
    Row { target: Target::Here, ..tree(&["svn"], &["merge"]) },
    Row { target: Target::Operands(1), ..tree(&["hg"], &["clone"]) },
    Row { target: Target::Operands(1), ..tree(&["svn"], &["checkout"]) },
    Row { target: Target::Operands(1), ..tree(&["gh", "glab"], &["repo", "clone"]) },
    Row { target: Target::Here, ..tree(&["gh", "glab", "hub"], &["pr", "checkout"]) },
    Row { target: Target::Here, ..tree(&["glab"], &["mr", "checkout"]) },
    Row { target: Target::Operands(1), ..tree(&["svn"], &["co"]) },
    tree(&["svn"], &["up"]),
    tree(&["svn"], &["switch"]),
    Row { target: Target::Operands(1), ..tree(&["degit", "tiged", "giget", "sftp"], &[]) },
    Row { target: Target::Options(&["-o"]), ..tree(&["unar", "cookiecutter", "swag"], &[]) },
    Row { only: &["--init"], target: Target::Here, ..tree(&["tsc", "eslint"], &[]) },
    Row { target: Target::Here, ..tree(&["cookiecutter", "copier", "yo", "plop", "hygen"], &[]) },
    Row {
        target: Target::Here,
        ..tree(
            &["prisma", "cargo", "sqlc", "buf", "rails", "ng", "nx", "nest", "openapi-generator"],
            &["generate"],
        )
    },
    Row { target: Target::Here, ..tree(&["rails", "ng", "nx", "nest"], &["g"]) },
    Row {
        target: Target::Here,
        ..tree(&["rails", "ng", "nest", "dotnet", "mix", "hugo", "stack"], &["new"])
    },
    Row { target: Target::Here, ..tree(&["flutter", "dart"], &["create"]) },
    Row { target: Target::Here, ..tree(&["swag"], &["init"]) },
    Row { target: Target::Here, ..tree(&["django-admin"], &["start*"]) },
    Row { target: Target::Here, ..tree(&["python", "python3"], &["manage.py", "start*"]) },
    Row { target: Target::Here, ..tree(&["python", "python3"], &["manage.py", "makemigrations"]) },
    Row { target: Target::Here, ..tree(&["php"], &["artisan", "make:*"]) },
    Row { target: Target::Here, ..tree(&["alembic"], &["revision"]) },
    Row { programs: &["pyupgrade", "reorder-python-imports", "add-trailing-comma"], ..ANY },
    Row { target: Target::Last, ..tree(&["wkhtmltopdf", "wkhtmltoimage", "setfattr"], &[]) },
];

static PROGRAMS: Sieve = sieve!(ROWS, row => row.programs);

/// Takes down what a program makes or changes of its own accord.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    if run.args.iter().any(|word| word.is("--help") || word.is("--version")) {
        return;
    }
    for row in PROGRAMS.sift(ROWS, program).iter().filter(|row| row.programs.contains(&program)) {
        if let Some(words) = row.targets(run.args) {
            words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
        }
    }
    installs(run);
    if program.starts_with("create-") {
        let words = tree(&[], &[]).targets(run.args).unwrap_or_default();
        words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
    }
}

/// A package that is named goes into the project's list of them. What is only fetched anew changes nothing.
fn installs(run: &mut Run) {
    let manager = matches!(run.program, "npm" | "pnpm" | "bun");
    let verb = run.args.first().and_then(Word::literal).unwrap_or_default();
    let global = run.args.iter().any(|word| word.is("-g") || word.is("--global") || word.is("--no-save"));
    let named = run.args.iter().skip(1).any(|word| !word.text.prefix().starts_with('-'));
    if manager && matches!(verb, "install" | "i") && named && !global {
        run.analyst.alter(&here(run.args), false, run.shell);
    }
}

impl Row {
    /// The places that the words name; none when this row is not about them.
    fn targets(&self, args: &[Word]) -> Option<Vec<Word>> {
        let operands = operands(args, self.valued);
        let fits = |(verb, word): (&&str, &&Word)| match verb.strip_suffix('*') {
            Some(start) => word.text.prefix().starts_with(start),
            None => word.is(verb),
        };
        let named = operands.len() >= self.verb.len() && self.verb.iter().zip(&operands).all(fits);
        let has = |flags: &[&str]| args.iter().any(|word| flags.iter().any(|flag| is_flag(word, flag)));
        if !named || has(self.unless) || !self.only.is_empty() && !has(self.only) {
            return None;
        }
        let operands = || operands.iter().skip(self.verb.len()).map(|word| (*word).clone());
        Some(match self.target {
            Target::Operands(from) => operands().skip(from).collect(),
            Target::Tree if operands().next().is_some() => operands().collect(),
            Target::Tree | Target::Here => vec![here(args)],
            Target::Last => operands().skip(1).last().or_else(|| last_behind(args)).into_iter().collect(),
            Target::Options(names) => names.iter().flat_map(|name| values(args, name)).collect(),
        })
    }
}

/// The last word, where an option before it names what is read.
fn last_behind(args: &[Word]) -> Option<Word> {
    let (last, before) = args.split_last()?;
    (!before.is_empty() && !last.text.prefix().starts_with('-')).then(|| last.clone())
}

fn here(args: &[Word]) -> Word {
    Word::literal_at(".", args.first().map(|word| word.span).unwrap_or_default())
}

/// The words that are no options and no values of them.
fn operands<'w>(args: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
    let mut operands = Vec::new();
    let mut rest = args.iter();
    let mut ended = false;
    while let Some(word) = rest.next() {
        if ended || !word.text.prefix().starts_with('-') {
            operands.push(word);
        } else if word.is("--") {
            ended = true;
        } else if valued.iter().any(|name| word.is(name)) {
            rest.next();
        }
    }
    operands
}

/// The values of an option: the next word, what follows `=`, or what is attached to a letter.
fn values(args: &[Word], name: &str) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let rest = word.text.prefix().strip_prefix(name).map(str::to_owned);
        match rest.as_deref() {
            Some("") if word.is(name) => values.extend(args.get(at + 1).cloned()),
            Some(rest) if rest.starts_with('=') => values.push(word.after('=')),
            Some(_) if name.len() == 2 => values.push(word.from(2)),
            _ => {}
        }
    }
    values
}

/// Is a word this option, alone, with a value, or as a letter among others?
pub(super) fn is_flag(word: &Word, flag: &str) -> bool {
    let text = word.text.prefix();
    let letters = || {
        let own = flag.strip_prefix('-').filter(|letter| letter.len() == 1);
        let among = text.strip_prefix('-').filter(|rest| rest.len() < 5);
        own.zip(among).is_some_and(|(letter, among)| {
            among.contains(letter) && among.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    word.is(flag) || text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')) || letters()
}
