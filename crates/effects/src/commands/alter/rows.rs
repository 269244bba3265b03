//! Which programs make or change what, by the options and verbs of their own. A catalogue.

/// What a program makes or changes.
#[derive(Clone, Copy)]
pub(super) enum Target {
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
    /// Its first operand.
    First,
    /// Its last word, unless that is an option.
    Trailing,
    /// Its first word and its last, where they are no options.
    Ends,
    /// Every operand, where all options but these take the next word.
    Free(&'static [&'static str]),
    /// Its last operand but one or more, before the first of these words.
    Before(&'static [&'static str]),
    /// What stands behind this word.
    Behind(&'static str),
    /// What an office program makes of each operand, in the folder it is told.
    Converted,
}

/// A program, or one verb of it.
pub(super) struct Row {
    pub programs: &'static [&'static str],
    /// The words that come first, one that ends with `*` by its start; none means whatever comes.
    pub verb: &'static [&'static str],
    /// One of these must be there.
    pub only: &'static [&'static str],
    /// With one of these it only looks.
    pub unless: &'static [&'static str],
    /// Options that take the next word.
    pub valued: &'static [&'static str],
    pub target: Target,
}

pub(super) const ANY: Row =
    Row { programs: &[], verb: &[], only: &[], unless: &[], valued: &[], target: Target::Operands(0) };

pub(super) const fn tree(programs: &'static [&'static str], verb: &'static [&'static str]) -> Row {
    Row { programs, verb, target: Target::Tree, ..ANY }
}

const fn here_by(programs: &'static [&'static str], verb: &'static [&'static str]) -> Row {
    Row { programs, verb, target: Target::Here, ..ANY }
}

pub(super) const ROWS: &[Row] = &[
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
    Row { target: Target::Options(&["-D", "--dir"]), ..tree(&["gh"], &["run", "download"]) },
    Row { unless: &["-D", "--dir"], ..here_by(&["gh"], &["run", "download"]) },
    Row {
        target: Target::Options(&["-D", "--dir", "-O", "--output"]),
        ..tree(&["gh", "glab"], &["release", "download"])
    },
    Row { unless: &["-D", "--dir", "-O", "--output"], ..here_by(&["gh", "glab"], &["release", "download"]) },
    Row { target: Target::Options(&["-p", "--path"]), ..tree(&["glab"], &["job", "artifact"]) },
    Row { target: Target::Options(&["-p", "--path"]), ..tree(&["glab"], &["ci", "artifact"]) },
    Row { target: Target::Options(&["-o", "--output"]), ..tree(&["kustomize"], &["build"]) },
    here_by(&["kustomize"], &["create"]),
    here_by(&["kustomize"], &["edit"]),
    Row { target: Target::Options(&["--output-dir"]), ..tree(&["helm"], &["template"]) },
    Row { target: Target::Options(&["-d", "--destination", "--untardir"]), ..tree(&["helm"], &["pull"]) },
    Row { target: Target::Options(&["-d", "--destination"]), ..tree(&["helm"], &["package"]) },
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
