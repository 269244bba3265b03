//! Programs that make or change files of their own accord: formatters, editors, compressors, generators. No rule
//! minds them; a way of working that binds writes does. What a build leaves behind is none of them. A catalogue.

use tollgate_model::{Certainty, EffectKind};

use super::Run;
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
    /// What these options of a compiler name, unless that is what compilers make.
    Compiled(&'static [&'static str]),
    /// The folder for a build that these options name, unless it is called like one.
    Built(&'static [&'static str]),
    /// What options that end so name: `--python_out=src`.
    Ending(&'static str),
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

const fn here_by(programs: &'static [&'static str], verb: &'static [&'static str]) -> Row {
    Row { programs, verb, target: Target::Here, ..ANY }
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
    Row { target: Target::Compiled(&["-o"]), ..tree(&["go"], &["build"]) },
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
        target: Target::Compiled(&["-o", "--output"]),
        ..tree(
            &[
                "gcc", "cc", "clang", "g++", "c++", "clang++", "rustc", "tcc", "ld", "nasm", "as", "ar",
                "ghc", "gfortran", "swiftc", "ocamlc", "ocamlopt",
            ],
            &[],
        )
    },
    Row { target: Target::Options(&["-o", "--output"]), ..tree(&["pandoc", "dot"], &[]) },
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
    Row { target: Target::Ending("_out"), ..tree(&["protoc", "grpc_tools.protoc"], &[]) },
    Row { target: Target::Options(&["-o"]), ..tree(&["protoc"], &[]) },
    Row { unless: &["-B", "--build", "-P", "-E", "--install", "--open"], ..here_by(&["cmake"], &[]) },
    Row { target: Target::Built(&["-B"]), ..tree(&["cmake"], &[]) },
    Row { target: Target::Built(&[]), ..tree(&["meson"], &["setup"]) },
    Row {
        unless: &["-o", "-t"],
        ..here_by(&["flatc", "thrift", "bison", "yacc", "flex", "lex", "antlr4"], &[])
    },
    Row {
        target: Target::Options(&["-o", "-out", "--output", "--output-file"]),
        ..tree(&["flatc", "thrift", "bison", "yacc", "flex", "lex", "antlr4", "swig"], &[])
    },
    here_by(&["autoconf", "autoreconf", "automake", "aclocal", "libtoolize", "autoheader"], &[]),
    Row { target: Target::Operands(1), ..tree(&["sphinx-build", "lessc"], &[]) },
    Row {
        target: Target::Options(&["-o", "--output-dir"]),
        ..tree(&["sphinx-apidoc", "sphinx-autogen"], &[])
    },
    Row { only: &["-g"], ..here_by(&["doxygen"], &[]) },
    Row { target: Target::Last, ..tree(&["sass"], &[]) },
    Row {
        target: Target::Options(&["-o", "-d", "--out-file", "--out-dir", "--output", "--dir"]),
        ..tree(&["babel", "swc", "postcss", "tailwindcss"], &[])
    },
    Row { only: &["--replace", "-r"], ..tree(&["postcss"], &[]) },
    Row {
        target: Target::Options(&["--outfile", "--outdir", "--outDir", "-o", "--output-path", "--dir"]),
        ..tree(&["esbuild", "vite", "rollup", "webpack", "parcel", "tsup", "ncc"], &[])
    },
    Row { unless: &["--stdout"], ..tree(&["jupyter"], &["nbconvert"]) },
    Row { target: Target::Options(&["--output", "--set-kernel", "-o"]), ..tree(&["jupytext"], &[]) },
    Row { only: &["--sync", "--to", "-u", "--update"], ..tree(&["jupytext"], &[]) },
    Row { target: Target::Operands(0), ..tree(&["helm"], &["create"]) },
    here_by(
        &["kubebuilder", "operator-sdk", "cdk", "sam", "sls", "serverless", "pulumi", "gradle"],
        &["init"],
    ),
    here_by(&["kubebuilder", "operator-sdk", "sls", "serverless"], &["create"]),
    here_by(&["pulumi"], &["new"]),
    here_by(&["gradle", "gradlew"], &["wrapper"]),
    here_by(&["gradle", "gradlew"], &["spotlessApply"]),
    here_by(&["gradle", "gradlew"], &["ktlintFormat"]),
    here_by(&["mvn", "mvnw"], &["archetype:*"]),
    here_by(&["mvn", "mvnw"], &["versions:set*"]),
    here_by(&["mvn", "mvnw"], &["spotless:apply"]),
    here_by(&["mvn", "mvnw"], &["fmt:format"]),
    here_by(&["dotnet"], &["ef", "migrations", "add"]),
    here_by(&["dotnet"], &["format"]),
    here_by(&["flask"], &["db", "migrate"]),
    here_by(&["flask"], &["db", "revision"]),
    here_by(&["flask"], &["db", "init"]),
    here_by(&["alembic", "aerich"], &["init"]),
    here_by(&["typeorm", "typeorm-ts-node-commonjs"], &["migration:generate"]),
    here_by(&["typeorm", "typeorm-ts-node-commonjs"], &["migration:create"]),
    here_by(&["knex"], &["migrate:make"]),
    here_by(&["knex"], &["seed:make"]),
    here_by(&["knex", "sequelize", "sequelize-cli"], &["init*"]),
    here_by(&["sequelize", "sequelize-cli"], &["migration:*"]),
    here_by(&["sequelize", "sequelize-cli"], &["model:*"]),
    here_by(&["drizzle-kit"], &["generate*"]),
    here_by(&["prisma"], &["init"]),
    here_by(&["prisma"], &["format"]),
    here_by(&["prisma"], &["migrate", "dev"]),
    here_by(&["prisma"], &["db", "pull"]),
    here_by(&["rails", "rake"], &["db:migrate*"]),
    here_by(&["mix"], &["ecto.gen.*"]),
    here_by(&["mix"], &["phx.gen.*"]),
    here_by(&["mix"], &["phx.new"]),
    here_by(&["php"], &["bin/console", "make:*"]),
    here_by(&["console", "symfony"], &["make:*"]),
    here_by(&["shadcn", "shadcn-ui"], &["add"]),
    here_by(&["shadcn", "shadcn-ui", "nuxi", "storybook", "husky", "changeset"], &["init"]),
    here_by(&["nuxi"], &["add"]),
    here_by(&["changeset"], &["add"]),
    here_by(&["changeset"], &["version"]),
    Row { unless: &["--dry-run"], ..here_by(&["cargo"], &["update"]) },
    here_by(&["cargo"], &["insta", "accept"]),
    here_by(&["cargo"], &["insta", "review"]),
    Row { target: Target::Operands(0), ..tree(&["cargo"], &["vendor"]) },
    here_by(&["npm"], &["version"]),
    here_by(&["npm"], &["pkg", "set"]),
    here_by(&["npm"], &["pkg", "delete"]),
    here_by(&["npm"], &["set-script"]),
    here_by(&["npm"], &["audit", "fix"]),
    here_by(&["npm"], &["shrinkwrap"]),
    here_by(&["npm", "pnpm", "yarn", "bun", "composer", "bundle", "poetry", "pdm", "pipenv"], &["update"]),
    here_by(&["npm", "pnpm", "yarn"], &["dedupe"]),
    here_by(&["pnpm", "yarn"], &["up"]),
    here_by(&["yarn"], &["upgrade"]),
    here_by(&["poetry", "uv", "pdm", "pipenv", "bundle"], &["lock"]),
    Row { target: Target::Options(&["-o", "--output-file"]), ..tree(&["pip-compile"], &[]) },
    Row { unless: &["-o", "--output-file", "--dry-run"], ..here_by(&["pip-compile"], &[]) },
    Row {
        target: Target::Options(&["-t", "--target", "--prefix", "--root", "--src"]),
        ..tree(&["pip", "pip3"], &["install"])
    },
    Row { target: Target::Options(&["-d", "--dest", "-w", "--wheel-dir"]), ..tree(&["pip", "pip3"], &[]) },
    here_by(&["go"], &["mod", "edit"]),
    here_by(&["go"], &["mod", "vendor"]),
    here_by(&["go"], &["work", "init"]),
    here_by(&["go"], &["work", "use"]),
    here_by(&["go"], &["work", "sync"]),
    here_by(&["dart", "flutter"], &["pub", "add"]),
    here_by(&["swift"], &["package", "init"]),
    here_by(&["swift"], &["package", "update"]),
    Row {
        only: &["-u", "--updateSnapshot", "--update", "--update-snapshots"],
        ..here_by(&["jest", "vitest", "playwright", "ava"], &[])
    },
    Row {
        only: &["--snapshot-update", "--inline-snapshot", "--force-regen", "--regen-all"],
        ..here_by(&["pytest", "py.test"], &[])
    },
    here_by(&["lint-staged"], &[]),
    Row { unless: &["--check", "-c"], ..tree(&["alejandra", "nixpkgs-fmt", "ormolu", "fourmolu"], &[]) },
    Row { only: &["-i", "--inplace", "--mode=inplace"], ..tree(&["ormolu", "fourmolu", "cabal-fmt"], &[]) },
    Row {
        only: &["-i", "-w", "--write", "-inplace"],
        ..tree(&["perltidy", "fish_indent", "buf", "jsonnetfmt"], &[])
    },
    Row { unless: &["--mode=check", "-mode=check", "--lint", "-lint"], ..tree(&["buildifier"], &[]) },
];

/// Options by which programs agree to change what they look at.
const IN_PLACE: &[&str] =
    &["--fix", "--write", "--in-place", "--inplace", "--autofix", "--auto-fix", "--overwrite"];

/// How the names of what compilers make end.
const PRODUCTS: &[&str] = &[
    "o", "a", "so", "dylib", "exe", "out", "obj", "lib", "dll", "elf", "bin", "wasm", "d", "class", "jar",
    "rlib", "rmeta", "hi", "map", "hex", "pdb", "bc", "ll", "s", "cmo", "cmi", "cmx", "gch", "pcm", "test",
];

/// How the names of folders for builds begin.
const FOLDERS: &[&str] = &["build", "_build", ".build", "cmake-build", "out", "obj", "bin", "target"];

/// Which first letters and lengths the names of the catalogue have: most programs are told apart by that.
const SHAPES: [u32; 128] = shapes();

/// Takes down what a program makes or changes of its own accord.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    if run.args.iter().any(|word| word.is("--help") || word.is("--version")) {
        return;
    }
    let rows = || ROWS.iter().filter(|row| row.programs.contains(&program));
    if may_be_known(program) && rows().next().is_some() {
        for words in rows().filter_map(|row| row.targets(run.args)) {
            words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
        }
    } else {
        in_place(run);
    }
    installs(run);
    if matches!(program, "sqlite3" | "sqlite" | "duckdb") {
        database(run);
    }
    if program.starts_with("create-") {
        let words = tree(&[], &[]).targets(run.args).unwrap_or_default();
        words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
    }
}

/// May be what an option says of a program that nobody knows.
fn in_place(run: &mut Run) {
    if run.args.iter().any(|word| IN_PLACE.iter().any(|flag| word.is(flag))) {
        let words = tree(&[], &[]).targets(run.args).unwrap_or_default();
        words.iter().for_each(|word| perhaps(run, word));
    }
}

/// Takes down what may be made or changed.
pub(super) fn perhaps(run: &mut Run, word: &Word) {
    for (place, certainty) in run.analyst.places(word, run.shell) {
        let certainty = certainty.min(Certainty::Possible);
        run.analyst.push(EffectKind::Alter { place, folder: false }, word.span, certainty);
    }
}

/// A database in a file changes, unless it is only asked.
fn database(run: &mut Run) {
    let file = Target::database(run.args);
    let Some((file, texts)) = file.filter(|(file, _)| !file.shown().contains(":memory:")) else { return };
    let literal = |word: &Word| word.literal().map(str::to_owned);
    let given = if texts.is_empty() {
        run.stdin().and_then(|input| input.as_literal()).map(str::to_owned)
    } else {
        texts.iter().map(literal).collect::<Option<Vec<_>>>().map(|texts| texts.join(";\n"))
    };
    match given {
        Some(sql) if only_asks(&sql) => {}
        Some(_) => run.analyst.alter(&file, false, run.shell),
        None => perhaps(run, &file),
    }
}

/// Does every statement, and every command of the client, only ask?
fn only_asks(sql: &str) -> bool {
    let lines = || sql.lines().map(str::trim);
    let is_command = |line: &&str| line.starts_with('.');
    let asking = |line: &str| line.split_whitespace().next().is_none_or(|word| COMMANDS.contains(&word));
    let statements: Vec<&str> = lines().filter(|line| !is_command(line) && !line.starts_with("--")).collect();
    let mut quoted = false;
    let ends = |letter: char| {
        quoted ^= letter == '\'';
        letter == ';' && !quoted
    };
    lines().filter(is_command).all(asking) && statements.join("\n").split(ends).all(asks)
}

/// Commands of `sqlite3` and `duckdb` that show something or say how it is shown.
const COMMANDS: [&str; 18] = [
    ".tables",
    ".schema",
    ".dump",
    ".mode",
    ".headers",
    ".header",
    ".indexes",
    ".databases",
    ".show",
    ".help",
    ".quit",
    ".exit",
    ".width",
    ".timer",
    ".stats",
    ".fullschema",
    ".nullvalue",
    ".separator",
];

fn asks(statement: &str) -> bool {
    const CHANGING: [&str; 6] = ["insert", "update", "delete", "replace", "create", "drop"];
    let words = statement.split(|letter: char| letter.is_whitespace() || letter == '(');
    let words = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    match words.first().map(String::as_str) {
        None | Some("select" | "explain" | "values" | "describe" | "show" | "summarize") => true,
        Some("pragma") => !statement.contains('='),
        Some("with") => !words.iter().any(|word| CHANGING.contains(&word.as_str())),
        Some(_) => false,
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
            Target::Options(names) => named_by(args, names).collect(),
            Target::Compiled(names) => named_by(args, names).filter(|word| !is_product(word)).collect(),
            Target::Built([]) => operands().take(1).filter(|word| !is_for_builds(word)).collect(),
            Target::Built(names) => named_by(args, names).filter(|word| !is_for_builds(word)).collect(),
            Target::Ending(end) => args.iter().filter_map(|word| ending(word, end)).collect(),
        })
    }
}

impl Target {
    /// The file of a database, and the statements that are given with it.
    fn database(args: &[Word]) -> Option<(Word, Vec<Word>)> {
        const TAKES: [&str; 9] =
            ["separator", "newline", "nullvalue", "mmap", "vfs", "init", "heap", "maxsize", "f"];
        let mut operands: Vec<Word> = Vec::new();
        let mut texts = Vec::new();
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let shown = word.shown();
            match shown.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
                Some("readonly") => return None,
                Some("cmd" | "c" | "s") => texts.extend(rest.next().cloned()),
                Some(name) if TAKES.contains(&name) => drop(rest.next()),
                Some(_) => {}
                None => operands.push(word.clone()),
            }
        }
        let (file, more) = operands.split_first()?;
        texts.extend(more.iter().cloned());
        Some((file.clone(), texts))
    }
}

fn named_by<'w>(args: &'w [Word], names: &'w [&str]) -> impl Iterator<Item = Word> + use<'w> {
    names.iter().flat_map(|name| values(args, name))
}

/// `--go_out=paths=source_relative:src` names the folder behind its settings.
fn ending(word: &Word, end: &str) -> Option<Word> {
    let text = word.literal()?;
    let (name, value) = text.split_once('=')?;
    let place = value.rsplit_once(':').map_or(value, |(_, place)| place);
    name.ends_with(end).then(|| Word::literal_at(place, word.span))
}

fn last_part(word: &Word) -> String {
    let shown = word.shown();
    shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

/// Is it called like what compilers make?
fn is_product(word: &Word) -> bool {
    let name = last_part(word);
    name.rsplit_once('.').is_none_or(|(_, end)| PRODUCTS.contains(&end))
}

fn is_for_builds(word: &Word) -> bool {
    let name = last_part(word);
    FOLDERS.iter().any(|start| name.starts_with(start))
}

#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
const fn shapes() -> [u32; 128] {
    let mut shapes = [0; 128];
    let mut rows = ROWS;
    while let [row, others @ ..] = rows {
        let mut names = row.programs;
        while let [name, more @ ..] = names {
            if let [first, ..] = name.as_bytes() {
                shapes[(*first & 127) as usize] |= 1 << (name.len() & 31);
            }
            names = more;
        }
        rows = others;
    }
    shapes
}

fn may_be_known(program: &str) -> bool {
    let first = program.as_bytes().first().map_or(0, |first| usize::from(*first & 127));
    SHAPES.get(first).is_some_and(|lengths| lengths & (1 << (program.len() & 31)) != 0)
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
