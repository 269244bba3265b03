//! What can be made again: build outputs, installed packages, caches. A catalogue.

use crate::git::GitAsk;
use crate::{FileKind, Mark, World};

/// Names that only tools give, and that they make again on their next run.
const MADE_BY_TOOLS: &[&str] = &[
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".pytype",
    ".pyre",
    ".hypothesis",
    ".tox",
    ".nox",
    ".eggs",
    ".egg-info",
    ".pyc",
    ".pyo",
    ".coverage",
    ".nyc_output",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".astro",
    ".angular",
    ".parcel-cache",
    ".turbo",
    ".docusaurus",
    ".expo",
    ".swc",
    ".vite",
    ".wireit",
    ".eslintcache",
    ".stylelintcache",
    ".tsbuildinfo",
    ".sass-cache",
    ".dart_tool",
    ".gradle",
    ".stack-work",
    ".zig-cache",
    ".aws-sam",
    ".DS_Store",
];

/// How files end that nobody misses.
const RUBBISH: &[&str] = &[".log", ".tmp", ".orig", ".rej", ".swp"];

/// What `configure` makes from what lies beside it.
const CONFIGURED: &[(&str, &str)] = &[
    ("Makefile", "Makefile.in"),
    ("config.h", "config.h.in"),
    ("stamp-h1", "config.h.in"),
    ("config.status", "configure"),
    ("config.cache", "configure"),
    ("libtool", "configure"),
];

/// Manifests from which a project is built.
const MANIFESTS: &[&str] = &[
    "package.json",
    "tsconfig.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Cargo.toml",
    "go.mod",
    "CMakeLists.txt",
    "meson.build",
    "configure",
    "configure.ac",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "pom.xml",
    "build.sbt",
    "composer.json",
    "pubspec.yaml",
    "BUILD.bazel",
    "justfile",
];

/// Output names, each with the manifests that make it.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("node_modules", &["package.json"]),
    ("bower_components", &["bower.json"]),
    ("jspm_packages", &["package.json"]),
    ("target", &["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]),
    ("dist", MANIFESTS),
    ("build", MANIFESTS),
    ("out", MANIFESTS),
    (".output", MANIFESTS),
    (".build", &["Package.swift"]),
    (".cache", MANIFESTS),
    ("coverage", MANIFESTS),
    ("htmlcov", MANIFESTS),
    ("test-results", MANIFESTS),
    ("playwright-report", MANIFESTS),
    ("storybook-static", &["package.json"]),
    ("vendor", &["go.mod", "composer.json", "Gemfile"]),
    ("bin", &[".csproj", ".fsproj", ".vbproj"]),
    ("obj", &[".csproj", ".fsproj", ".vbproj"]),
    ("Pods", &["Podfile"]),
    ("Carthage", &["Cartfile"]),
    ("_build", &["mix.exs", "rebar.config", "dune-project", "conf.py", "Makefile"]),
    ("deps", &["mix.exs"]),
    ("elm-stuff", &["elm.json"]),
    ("dist-newstyle", &["cabal.project", ".cabal"]),
    ("zig-cache", &["build.zig"]),
    ("zig-out", &["build.zig"]),
    ("site", &["mkdocs.yml"]),
    ("_site", &["_config.yml"]),
    (".terraform", &[".tf"]),
    ("cmake-build-debug", &["CMakeLists.txt"]),
    ("cmake-build-release", &["CMakeLists.txt"]),
    ("bazel-bin", &["WORKSPACE", "MODULE.bazel"]),
    ("bazel-out", &["WORKSPACE", "MODULE.bazel"]),
    ("bazel-testlogs", &["WORKSPACE", "MODULE.bazel"]),
];

/// How a cache says of itself that it is one.
const CACHE_TAG_NAME: &str = "CACHEDIR.TAG";

/// Does a file say of the folder it lies in that it can be made again?
#[must_use]
pub fn is_claim(path: &str) -> bool {
    path.rsplit('/').next() == Some(CACHE_TAG_NAME)
}

const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Is what stands at a path made again by the tool that made it? The path, or a folder above it that lies
/// below `base`, must be a known output next to the manifest that produces it, or a tagged cache.
#[must_use]
pub fn is_rebuildable(path: &str, base: &str, world: &dyn World) -> bool {
    has_part(path, base, |folder, name| is_output(folder, name, world))
}

/// Does a path lie in what a build makes, next to the manifest that it is made from? Other than caches and logs, that is
/// what others are to see.
#[must_use]
pub fn is_built(path: &str, base: &str, world: &dyn World) -> bool {
    has_part(path, base, |folder, name| has_maker(folder, name, world))
}

/// Is what git ignores, seen from the root of its work tree, an output by its name? In the root the name is enough. Further
/// down a folder may be called so for another reason (`data/out/results.csv`): a manifest of a folder above it has to make
/// such outputs, and the committed ignore rules have to name it.
#[must_use]
pub fn is_ignored_output(path: &str, root: &str, world: &dyn World) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    OUTPUTS.iter().any(|(output, _)| *output == first)
        || has_part(&format!("{root}/{path}"), root, |folder, name| {
            has_maker_above(folder, name, root, world) && is_named_in_commit(folder, name, root, world)
        })
}

/// Does a folder from `root` down to this one hold the manifest of such an output?
fn has_maker_above(folder: &str, name: &str, root: &str, world: &dyn World) -> bool {
    from(root, folder).any(|above| has_maker(above, name, world))
}

/// Do ignore rules that everybody has, and that nobody has changed since, end with this name?
fn is_named_in_commit(folder: &str, name: &str, root: &str, world: &dyn World) -> bool {
    let names = |path: &String| {
        let text = world.read_disk(path, RULES).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(|line| last_name(line) == Some(name))
    };
    let files: Vec<String> = from(root, folder).map(|above| format!("{above}/.gitignore")).collect();
    let naming: Vec<String> = files.into_iter().filter(names).collect();
    let is_committed = |path: &String| {
        let ask = GitAsk { paths: vec![path.clone()], untracked: true, ignored: true, ..GitAsk::default() };
        world.git_status(root, &ask).is_some_and(|status| status.is_empty())
    };
    naming.iter().any(is_committed)
}

/// The most of a list of ignored names that is read.
const RULES: usize = 64 * 1024;

/// The name that a line of an ignore file ends with: `dist` of `/packages/*/dist/`.
fn last_name(line: &str) -> Option<&str> {
    let line = line.trim();
    let rule = !line.starts_with(['#', '!']);
    rule.then(|| line.trim_end_matches("/**").trim_end_matches("/*").trim_end_matches('/'))?
        .rsplit('/')
        .next()
}

/// A folder and those above it, up to `root`.
fn from<'a>(root: &'a str, folder: &'a str) -> impl Iterator<Item = &'a str> {
    let inside =
        move |at: &&str| at.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    std::iter::successors(Some(folder), |at| at.rsplit_once('/').map(|(above, _)| above)).take_while(inside)
}

/// Is something true of a part of the path below `base`, in the folder in which it lies?
fn has_part(path: &str, base: &str, test: impl Fn(&str, &str) -> bool) -> bool {
    let base = base.trim_end_matches('/');
    let Some(inside) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let mut folder = base.to_owned();
    for name in inside.split('/').filter(|name| !name.is_empty()) {
        if test(&folder, name) {
            return true;
        }
        folder.push('/');
        folder.push_str(name);
    }
    false
}

fn is_output(folder: &str, name: &str, world: &dyn World) -> bool {
    let made = |known: &&str| {
        name == *known
            || name.len() > known.len()
                && known.starts_with('.')
                && is_suffix(known)
                && name.ends_with(*known)
    };
    if MADE_BY_TOOLS.iter().any(made)
        || RUBBISH.iter().any(|end| name.len() > end.len() && name.ends_with(end))
    {
        return true;
    }
    if has_maker(folder, name, world) || is_configured(folder, name, world) {
        return true;
    }
    let path = format!("{folder}/{name}");
    world.kind(&format!("{path}/pyvenv.cfg")) == FileKind::File
        || is_tagged(&format!("{path}/{CACHE_TAG_NAME}"), world)
}

/// Is it called like an output, next to the manifest that produces it?
fn has_maker(folder: &str, name: &str, world: &dyn World) -> bool {
    let manifests = OUTPUTS.iter().find(|(output, _)| *output == name).map(|(_, manifests)| *manifests);
    manifests.is_some_and(|manifests| manifests.iter().any(|manifest| has_manifest(folder, manifest, world)))
}

/// Is it made by `configure`? What the session itself has put beside it does not count.
fn is_configured(folder: &str, name: &str, world: &dyn World) -> bool {
    CONFIGURED.iter().filter(|(made, _)| *made == name).any(|(_, from)| {
        has_manifest(folder, from, world) && !world.memory().has_changed(&format!("{folder}/{from}"))
    })
}

/// Does a tag say that its folder is a cache? One that the session itself has put there does not count.
fn is_tagged(tag: &str, world: &dyn World) -> bool {
    world.read(tag, CACHE_TAG.len()).is_some_and(|text| text == CACHE_TAG)
        && !world.memory().marks(tag).contains(&&Mark::Claim)
}

/// Entries of the first table that end a name rather than being one.
fn is_suffix(known: &str) -> bool {
    matches!(known, ".egg-info" | ".pyc" | ".pyo" | ".tsbuildinfo")
}

/// A name that starts with a dot and has no other stands for every file that ends so: `.csproj`.
fn has_manifest(folder: &str, manifest: &str, world: &dyn World) -> bool {
    if manifest.starts_with('.') {
        return world.list(folder, 1000).iter().any(|name| name.ends_with(manifest));
    }
    world.kind(&format!("{folder}/{manifest}")) == FileKind::File
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::GitStatus;
    use crate::{StillFile, StillGit, StillWorld};

    #[test]
    fn what_configure_makes_is_made_again() {
        let file = || StillFile::File(Vec::new());
        let names = ["configure", "src/Makefile.in", "config.h.in", "own/Makefile.in"];
        let files = names.map(|name| (format!("/w/{name}"), file())).into();
        let path = "/w/own/Makefile.in".to_owned();
        let memory = crate::Memory::of(vec![crate::Entry::File { path, mark: Mark::Edited }]);
        let world = StillWorld { workspace: "/w".into(), files, memory, ..StillWorld::default() };
        for path in ["/w/config.status", "/w/libtool", "/w/src/Makefile", "/w/config.h", "/w/stamp-h1"] {
            assert!(is_rebuildable(path, "/w", &world), "{path}");
        }
        for path in ["/w/Makefile", "/w/src/config.h", "/w/src/notes", "/w/own/Makefile"] {
            assert!(!is_rebuildable(path, "/w", &world), "{path}");
        }
    }

    #[test]
    fn what_a_build_makes_is_neither_cache_nor_log() {
        let files = [("/w/package.json".into(), StillFile::File(Vec::new()))];
        let world = StillWorld { files: files.into(), ..StillWorld::default() };
        for (path, expected) in [
            ("/w/dist", true),
            ("/w/dist/a.js", true),
            ("/w/src/dist", false),
            ("/w/app.log", false),
            ("/w/.next", false),
            ("/w/src/a.js", false),
            ("/other/dist", false),
        ] {
            assert_eq!(is_built(path, "/w", &world), expected, "{path}");
        }
    }

    #[test]
    fn ignored_outputs_further_down_need_a_maker_above_and_a_committed_rule() {
        let rules = "web/dist/\n/packages/*/build\nout/\n*.csv\nlib/target/\n";
        let file = |path: &str, text: &str| (path.into(), StillFile::File(text.as_bytes().to_vec()));
        let files = [
            file("/w/package.json", ""),
            file("/w/.gitignore", rules),
            file("/w/new/.gitignore", "coverage/"),
        ];
        let status = GitStatus { untracked: vec!["new/.gitignore".into()], ..GitStatus::default() };
        let git = [("/w".to_owned(), StillGit { status, ..StillGit::default() })];
        let world = StillWorld { files: files.into(), git: git.into(), ..StillWorld::default() };
        for (path, expected) in [
            ("dist/", true),
            ("web/dist/", true),
            ("web/dist/x.js", true),
            ("packages/a/build/", true),
            ("data/", false),
            ("data/build.csv", false),
            ("lib/target/", false),
            ("new/coverage/", false),
            ("new/htmlcov/", false),
            ("uploads/web/", false),
        ] {
            assert_eq!(is_ignored_output(path, "/w", &world), expected, "{path}");
        }
    }

    #[test]
    fn outputs_need_what_makes_them() {
        let mut files = vec![
            ("/w/Cargo.toml", ""),
            ("/w/web/package.json", ""),
            ("/w/net/app.csproj", ""),
            ("/w/env/pyvenv.cfg", ""),
            ("/w/hand/CACHEDIR.TAG", "not a tag"),
        ];
        let tag = String::from_utf8(CACHE_TAG.to_vec()).unwrap();
        files.push(("/w/tagged/CACHEDIR.TAG", &tag));
        let files =
            files.iter().map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())));
        let world = StillWorld { files: files.collect(), ..StillWorld::default() };
        let check =
            |path: &str, expected: bool| assert_eq!(is_rebuildable(path, "/w", &world), expected, "{path}");
        for path in [
            "/w/target",
            "/w/target/debug/x",
            "/w/web/node_modules",
            "/w/web/dist",
            "/w/src/__pycache__",
            "/w/a/b.pyc",
            "/w/x.egg-info",
            "/w/env",
            "/w/tagged",
            "/w/net/obj",
            "/w/.next",
            "/w/build",
            "/w/src/x.log",
        ] {
            check(path, true);
        }
        for path in [
            "/w",
            "/w/src",
            "/w/node_modules",
            "/w/web/target",
            "/w/hand",
            "/w/bin",
            "/elsewhere/target",
            "/w/data",
            "/w/pyc",
            "/w/log",
        ] {
            check(path, false);
        }
    }
}
