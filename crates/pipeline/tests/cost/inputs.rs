//! Inputs that may be expensive to judge: nesting, multiplication, long chains, expensive files, and commands of the
//! cases with pieces repeated.

#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

use tollgate_model::{StillFile, StillWorld};

/// The largest input that is generated.
pub const LARGEST: usize = 64 << 10;

/// One call, and the files of the project that it may read.
#[derive(Clone)]
pub struct Input {
    /// What it is, for a message.
    pub name: String,
    /// The tool, as in rules' examples.
    pub tool: String,
    /// The command, or what the tool is given.
    pub text: String,
    /// Paths below the project, and what they hold.
    pub files: Vec<(&'static str, String)>,
}

impl Input {
    fn shell(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), tool: "Shell".to_owned(), text: text.into(), files: Vec::new() }
    }

    fn with_file(name: &str, text: &str, path: &'static str, content: String) -> Self {
        Self { files: vec![(path, content)], ..Self::shell(name, text) }
    }

    /// Puts the files into a world.
    pub fn furnish(&self, world: &mut StillWorld) {
        for (path, content) in &self.files {
            let file = StillFile::File(content.as_bytes().to_vec());
            world.files.insert(format!("/home/user/project/{path}"), file);
        }
    }
}

/// Programs that run another program, each as it stands before that one.
const WRAPPERS: &[&str] = &[
    "env A=1 ",
    "env ",
    "env -S ",
    "sudo ",
    "sudo -u x ",
    "doas ",
    "nice ",
    "nice -n 5 ",
    "nohup ",
    "time ",
    "timeout 5 ",
    "xargs ",
    "xargs -I{} ",
    "find -exec xargs ",
    "find . -exec ",
    "find . -name x -exec ",
    "parallel ",
    "watch ",
    "setsid ",
    "stdbuf -oL ",
    "ionice -c 3 ",
    "chroot / ",
    "command ",
    "builtin ",
    "exec ",
    "eval ",
    "sh -c ",
    "bash -c ",
    "busybox ",
    "flock /tmp/x ",
    "strace ",
    "ltrace ",
    "script -c ",
    "su -c ",
    "ssh host ",
    "docker run x ",
    "docker exec x ",
    "kubectl exec x -- ",
    "npx ",
    "uv run ",
    "poetry run ",
    "bundle exec ",
    "systemd-run ",
    "unshare ",
    "nsenter -t 1 ",
    "taskset 1 ",
    "chrt 1 ",
    "entr ",
    "make -f - ",
    "git -c alias.x=! ",
    "tmux new ",
    "screen -dm ",
    "at now ",
    "trap ",
    "coproc ",
    "! ",
    "time -p ",
    "noglob ",
    "repeat 9 ",
    "if ",
    "while ",
    "runuser -u x ",
    "caffeinate ",
    "direnv exec . ",
    "dotenv ",
    "mise exec -- ",
    "nix-shell --run ",
    "conda run ",
    "pipx run ",
    "cargo run -- ",
    "go run x ",
    "python3 -c ",
    "perl -e ",
    "awk ",
    "sed ",
    "gdb --args ",
    "valgrind ",
    "dbus-run-session ",
    "xvfb-run ",
    "A=1 ",
    "A=$B ",
    "> x ",
    "< x ",
    "2>&1 ",
    "a | ",
    "a && ",
    "a || ",
    "a & ",
    "a ; ",
    "a |& ",
    "rm ",
    "echo ",
    "cat <<< ",
    "ls | xargs ",
    "test x && ",
    "[ x ] && ",
    "[[ x ]] && ",
    "source ",
    ". ",
    "alias a=",
    "export A=",
    "declare A=",
    "local A=",
    "read A; ",
    "shift; ",
    "cd x; ",
    "cd ..; ",
    "pushd x; ",
    "set -- a; ",
    "f() { ",
    "printf %s ",
    "tee x | ",
];

/// Text that opens something, stands inside, and closes it.
const NESTS: &[(&str, &str, &str)] = &[
    ("$(", "a", ")"),
    ("`", "a", "`"),
    ("<(", "a", ")"),
    (">(", "a", ")"),
    ("(", "a", ")"),
    ("{ ", "a", ";}"),
    ("$((", "1", "))"),
    ("((", "1", "))"),
    ("${a:-", "b", "}"),
    ("${a:+", "b", "}"),
    ("${a#", "b", "}"),
    ("${a/", "b/c", "}"),
    ("${a[", "1", "]}"),
    ("\"$(", "a", ")\""),
    ("\"${a:-", "b", "}\""),
    ("[[ ", "a", " ]]"),
    ("if a; then ", "b", "; fi"),
    ("while a; do ", "b", "; done"),
    ("for i in a b; do ", "c", "; done"),
    ("for i in $x; do ", "c", "; done"),
    ("for ((i=0;i<9;i++)); do ", "c", "; done"),
    ("case a in *) ", "b", ";; esac"),
    ("case $a in a) b;; *) ", "b", ";; esac"),
    ("f() { ", "a", "; }; f"),
    ("select i in a; do ", "b", "; done"),
    ("until a; do ", "b", "; done"),
    ("echo @(", "a", ")"),
    ("echo +(a|", "a", ")"),
    ("echo !(", "a", ")"),
    ("?(", "a", ")"),
    ("[[ x == @(", "a", ") ]]"),
    ("{", "a,b", "}"),
    ("{a,", "b", "}"),
    ("x{1..3}", "", ""),
    ("eval \"", "a", "\""),
    ("sh -c '", "a", "'"),
    ("! (", "a", ")"),
    ("a && (", "b", ")"),
    ("a | { ", "b", "; }"),
    ("a & { ", "b", "; }"),
    ("x=(", "a", ")"),
    ("x+=$(", "a", ")"),
    ("coproc { ", "a", "; }"),
    ("time (", "a", ")"),
    ("trap '", "a", "' EXIT"),
    ("cat <<A\n$(", "a", ")\nA\n"),
    ("a <<< $(", "b", ")"),
    ("a < <(", "b", ")"),
    ("a > >(", "b", ")"),
    ("[ a -o ", "b", " ]"),
    ("[[ a || ", "b", " ]]"),
    ("[[ ( ", "a", " ) ]]"),
    ("$[", "1", "]"),
    ("${!", "a", "}"),
    ("${#", "a", "}"),
    ("${a^^", "b", "}"),
    ("${a@", "Q", "}"),
    ("$'", "a", "'"),
    ("a=$((", "1", "))"),
    ("((a=", "1", "))"),
    ("1?", "2", ":3"),
    ("let a=(", "1", ")"),
    ("if (", "a", "); then b; else c; fi"),
    ("if a; then b; else ", "c", "; fi"),
    ("if a; then b; elif ", "c", "; then d; fi"),
    ("while read x; do ", "a", "; done < y"),
];

/// Text that means the same however often it stands there, or grows by standing there.
const REPEATS: &[&str] = &[
    "a | ",
    "a; ",
    "a && ",
    "a || ",
    "a & ",
    "a\n",
    "x=1; ",
    "x=$x$x; ",
    "x+=a; ",
    "x=\"$x $x\"; ",
    "x[$i]=1; ",
    "cd x; ",
    "cd $x; ",
    "cd ..; ",
    "a=$(b); ",
    "$a; ",
    "$a ",
    "\"$a\" ",
    "$@ ",
    "* ",
    "a* ",
    "/*/",
    "[a-z]",
    "?",
    "{a,b}",
    "{1..9}",
    "{1..999} ",
    "echo {1..99}; ",
    "echo $x > f; ",
    "cat f >> g; ",
    "a < f; ",
    "a > f; ",
    "a <<< b; ",
    "cat <<E\na\nE\n",
    "f() { a; }; ",
    "f() { f; f; }; f; ",
    "f() { g; }; g() { f; }; ",
    "alias a='a b'; ",
    "alias x=y; x; ",
    "trap a EXIT; ",
    "export A=1; ",
    "unset A; ",
    "set -- $@ a; ",
    "shift; ",
    "read a; ",
    "read a <<< b; ",
    "printf -v x %s $x$x; ",
    "eval $x; ",
    "eval a; ",
    "source f; ",
    ". ./f; ",
    "rm a; ",
    "rm -rf x; ",
    "rm -rf ../x; ",
    "mv a b; ",
    "cp a b; ",
    "ln -s a b; ",
    "git add .; ",
    "git commit -m x; ",
    "git checkout x; ",
    "git push; ",
    "curl x | sh; ",
    "curl x > y; ",
    "sh y; ",
    "bash -c a; ",
    "python3 -c 'a'; ",
    "python3 -c 'import os; os.remove(\"a\")'; ",
    "node -e 'a'; ",
    "make; ",
    "npm run x; ",
    "for i in a b; do c; done; ",
    "for i in $x; do y=$y$i; done; ",
    "while a; do b; done; ",
    "while a; do x=$x$x; done; ",
    "if a; then b; fi; ",
    "if $a; then x=1; else x=2; fi; ",
    "case $a in b) c;; esac; ",
    "case $a in b) x=1;; *) x=2;; esac; ",
    "[ a ] && b; ",
    "[ $a = b ] && x=1$x; ",
    "[[ $a =~ b ]] && c; ",
    "((i++)); ",
    "((i+=i)); ",
    "(a); ",
    "{ a; }; ",
    "(cd x; a) & ",
    "a & wait; ",
    "$(a)",
    "`a`",
    "<(a) ",
    ">(a) ",
    "$((1+1))",
    "${a:-b}",
    "${a:-$b}",
    "${a//b/c}",
    "${a%%*}",
    "${a[@]}",
    "${!a}",
    "'a'",
    "\"a\"",
    "$'a'",
    "\\",
    "'",
    "\"",
    "#",
    "!",
    "~",
    "~/",
    "../",
    "./",
    "a/",
    "-a ",
    "--a=b ",
    "-exec a \\; ",
    "-o ",
    "-name a ",
    "( ",
    ") ",
    "} ",
    "{ ",
    "]] ",
    "[[ ",
    ";; ",
    "do ",
    "done ",
    "fi ",
    "then ",
    "else ",
    "esac ",
    "<<E ",
    "< ",
    "> ",
    "2>&1 ",
    "1>&2 2>&1 ",
    "exec 3<&0; ",
    "=",
    "A=1 ",
    "A=$A ",
    "A=(a b) ",
    "a=(${a[@]} ${a[@]}); ",
    "a+=(b); ",
    "mapfile a < f; ",
    "sed s/a/b/ | ",
    "awk '{print}' | ",
    "xargs rm | ",
    "base64 -d | ",
    "tee a | ",
    "sort | ",
    "sh | ",
    "tr a b | ",
    "xargs sh -c | ",
    "xargs -I{} sh -c {} | ",
    "ssh a ",
    "docker run a ",
    "find . -delete; ",
    "find . -exec rm {} +; ",
    "psql -c 'select 1'; ",
    "psql -c 'drop table a'; ",
    "kubectl delete a; ",
    "terraform apply; ",
    "chmod 777 a; ",
    "dd if=a of=b; ",
    "tar xf a; ",
    "unzip a; ",
    "echo a | base64 -d | sh; ",
    "perl -e 'a'; ",
    "ruby -e 'a'; ",
    "php -r 'a'; ",
    "é",
    "\u{202e}",
    "\t",
    "\r\n",
    "a\\\n",
    "\0",
];

/// Code of other languages: what is repeated, with `#` where a number goes.
const CODE: &[(&str, &str, &str)] = &[
    ("python3", "class A#:\n  def f(self):\n    return self.g()\n", "A1().f()\n"),
    ("python3", "class A#(B):\n  def f(self): self.f()\n  def g(self): self.f(); self.g()\n", ""),
    ("python3", "def f#(x):\n  return f#(f#(x))\n", "f1(1)\n"),
    ("python3", "def f#(x):\n  f1(x); f2(x); f3(x)\n", "f1(1)\n"),
    ("python3", "@f\n", "def f(x):\n  return x\n"),
    ("python3", "@d#\ndef f#(x): return f1(x)\n", ""),
    ("python3", "x = x + x\n", ""),
    ("python3", "x = [x, x]\n", ""),
    ("python3", "x = f(x, x)\n", ""),
    ("python3", "x += 'a'\n", ""),
    ("python3", "x = {'a': x}\n", ""),
    ("python3", "if a:\n  x = #\nelse:\n  x = y\n", ""),
    ("python3", "for i in range(999): x = x + [i]\n", ""),
    ("python3", "for i in x:\n  for j in x:\n    y = y + i\n", ""),
    ("python3", "while x: x = x + x\n", ""),
    ("python3", "try:\n  a()\nexcept: b()\n", ""),
    ("python3", "import os; os.remove('a#')\n", ""),
    ("python3", "import subprocess; subprocess.run('ls #', shell=True)\n", ""),
    ("python3", "os.system('python3 -c \"import os; os.system(1)\"')\n", ""),
    ("python3", "exec('a')\n", ""),
    ("python3", "eval('a+b')\n", ""),
    ("python3", "lambda x: ", "1"),
    ("python3", "with open('a#') as f: f.write(x)\n", ""),
    ("python3", "[x for x in y]\n", ""),
    ("python3", "f'{x}{x}'\n", ""),
    ("python3", "x = f'{x}{x}'\n", ""),
    ("python3", "x = x.replace('a', x)\n", ""),
    ("python3", "x = '%s%s' % (x, x)\n", ""),
    ("python3", "x = x * 9\n", ""),
    ("python3", "def f(a=f, b=f):\n  return a(b)\n", "f()"),
    ("python3", "f = lambda x, f=f: f(f(x))\n", "f(1)"),
    ("python3", "class A(A):\n  x = A()\n", "A()"),
    ("python3", "a.b.c.d(e.f.g)\n", ""),
    ("python3", "not ", "x"),
    ("python3", "x if y else ", "z"),
    ("node", "function f#(x) { return f#(f#(x)); }\n", "f1(1)"),
    ("node", "class A# { f() { this.g(); } }\n", "new A1().f()"),
    ("node", "x = x + x;\n", ""),
    ("node", "x = [x, ...x];\n", ""),
    ("node", "if (a) x = #; else x = y;\n", ""),
    ("node", "for (const i of x) y += i;\n", ""),
    ("node", "require('fs').rmSync('a#');\n", ""),
    ("node", "require('child_process').execSync('ls #');\n", ""),
    ("node", "a(() => ", "1"),
    ("node", "`${x}${x}`;", ""),
    ("node", "x = `${x}${x}`;", ""),
    ("node", "a.then(x => x).", "b"),
    ("node", "a?b:", "c"),
    ("node", "{", "}"),
    ("node", "async () => await ", "a"),
    ("node", "x = {...x, a: x};\n", ""),
    ("node", "const f# = (g) => g(g); f#(f1);\n", ""),
    ("node", "switch (a) { case 1: b(); }\n", ""),
    ("node", "eval('a');\n", ""),
    ("ruby", "def f#(x)\n f1(x); f2(x)\nend\n", "f1(1)\n"),
    ("ruby", "x = x + x\n", ""),
    ("ruby", "`ls`\n", ""),
    ("ruby", "class A#\n def f\n  g\n end\nend\n", ""),
    ("perl", "sub f# { f1(); f2(); }\n", "f1();"),
    ("perl", "$x = $x . $x;\n", ""),
    ("perl", "unlink 'a#';\n", ""),
    ("perl", "s/a/b/e;\n", ""),
    ("php", "<?php function f#($x) { f1($x); f2($x); }\n", ""),
    ("php", "$x = $x . $x;\n", ""),
    ("lua", "function f#(x) return f#(f#(x)) end\n", "f1(1)"),
    ("lua", "x = x .. x\n", ""),
    ("pwsh -c -", "function f# { f1; f2 }\n", "f1"),
    ("pwsh -c -", "$x = $x + $x\n", ""),
    ("pwsh -c -", "rm a# | ", "iex"),
    ("awk -f /dev/stdin", "function f#(x) { return f1(x) f2(x) }\n", ""),
    ("awk -f /dev/stdin", "{ x = x x }\n", ""),
    ("sed -f /dev/stdin x", "s/a/b/e\n", ""),
    ("psql", "select # from a;\n", ""),
    ("psql", "drop table a#;\n", ""),
    ("psql", "do $$ begin execute 'drop table a#'; end $$;\n", ""),
    ("psql", "select (select ", "1"),
    ("psql", "with a# as (select 1) ", "select 1"),
    ("psql", "delete from a where b = # or c in (select 1);\n", ""),
    ("psql", "x := x || x;\n", ""),
    ("mysql", "set @x = concat(@x, @x);\n", ""),
    ("psql", "create function f#() returns void as $$ select f#() $$;\n", ""),
    ("sqlite3 a.db", "begin; delete from a; ", ""),
    ("tclsh", "proc f# {x} { f1 $x; f2 $x }\n", "f1 1"),
    ("tclsh", "set x $x$x\n", ""),
    ("emacs --script /dev/stdin", "(defun f# (x) (f1 x) (f2 x))\n", "(f1 1)"),
    ("Rscript -", "f# <- function(x) f1(f2(x))\n", "f1(1)"),
    ("Rscript -", "x <- c(x, x)\n", ""),
    ("groovy -", "def f#(x) { f1(x); f2(x) }\n", ""),
    ("ex -s x", "!ls\n", ""),
    ("make -f -", "a#: a1 a2\n\tmake a#\n", ""),
    ("bash", "f#() { f1; f2; }\n", "f1\n"),
    ("bash", "step_#() { for i in a b c; do echo $i > f; done; }; step_#\n", ""),
    ("bash", "x=$(cat a#)\n", ""),
    ("bash", "f#() { x=$(f1); x=$(f2); }\n", "f1\n"),
    ("bash", "f#() { f$((#+1)); f$((#+1)); }\n", "f0\n"),
    ("bash", "if a; then x#=1; else x#=2; fi; echo $x#\n", ""),
    ("bash", "rm -rf $x# &\n", ""),
    ("crontab -", "* * * * * a#\n", ""),
    ("tee a.yml", "a#: &a# [*a1, *a2]\n", ""),
    ("tee .github/workflows/a.yml", "  - run: a#\n    env: {A#: '${{ secrets.A# }}'}\n", ""),
    ("docker build -", "RUN a#\n", ""),
    ("kubectl apply -f -", "---\nkind: a#\n", ""),
    ("git apply", "--- a/a#\n+++ b/a#\n@@ -1 +1 @@\n-a\n+b\n", ""),
    ("tee package.json", "{\"scripts\": {\"a#\": \"npm run a1\"},", ""),
    ("tee Makefile", "a#: a1\n\tmake a#\n", ""),
    ("tee a.ipynb", "{\"cells\": [", ""),
    ("tee Dockerfile", "RUN a#\n", ""),
    ("tee a.html", "<script>a#</script>", ""),
    ("xargs -I{} sh -c {}", "rm a#\n", ""),
];

/// Replaces `#` by the number of the repetition.
fn numbered(piece: &str, count: usize) -> String {
    (0..count).map(|number| piece.replace('#', &number.to_string())).collect()
}

/// So many times, but not beyond the largest size.
fn times(piece: &str, count: usize) -> String {
    piece.repeat(count.min(LARGEST / piece.len().max(1)))
}

/// The inputs that were found by hand, and their neighbours.
#[expect(clippy::too_many_lines, reason = "a table of cases")]
pub fn known() -> Vec<Input> {
    let mut all = vec![
        Input::shell("brace and substitution", "echo {1..999}$(a & b < c* | d); rm -rf ~"),
        Input::shell("brace and substitution, reversed", "echo $(a & b < c* | d){1..999}; rm -rf ~"),
        Input::shell("braces and substitution", "echo {a,b}{1..999}\"$(a | b)\"${x:-$(c & d)}; rm -rf ~"),
        Input::shell("brace and process", "echo {1..999}<(a & b < c* | d)"),
        Input::shell("env chain", format!("{}rm -rf ~", "env A=1 ".repeat(1000))),
        Input::shell("find chain", format!("{}rm -rf ~", "find -exec xargs ".repeat(320))),
        Input::shell("extglob", format!("echo {}a{}", "@(".repeat(20_000), ")".repeat(20_000))),
        Input::shell("pipeline", format!("a{}", " | a".repeat(20_000))),
        Input::shell("pipeline of patterns", format!("a*{}", " | a*".repeat(8_000))),
    ];
    let makefile = |piece: &str, count| numbered(piece, count);
    let files = [
        ("recursive targets", "make a1", makefile("a#: a1 a2\n\t$(MAKE) a#\n\tmake a1\n", 2_000)),
        (
            "targets in a row",
            "make a1",
            (0..2_000).map(|n| format!("a{n}: a{}\n\tmake a{}\n", n + 1, n + 2)).collect(),
        ),
        ("many recipes", "make", makefile("all: a#\na#:\n\trm -rf a#\n", 2_000)),
        ("makefile variables", "make", makefile("A# = $(A1)$(A2)$(A#)\nall:\n\techo $(A#)\n", 1_000)),
        (
            "makefile variables in a row",
            "make",
            (0..40)
                .map(|n| format!("A{n} = $(A{0})$(A{0})\n", n + 1))
                .chain(["all:\n\techo $(A0)\n".to_owned()])
                .collect(),
        ),
    ];
    all.extend(files.map(|(name, text, content)| Input::with_file(name, text, "Makefile", content)));
    let scripts: String =
        (0..1_500).map(|n| format!("\"a{n}\": \"npm run a{} && npm run a{}\",", n + 1, n + 2)).collect();
    all.push(Input::with_file(
        "npm scripts",
        "npm run a0",
        "package.json",
        format!("{{\"scripts\": {{{scripts}\"z\": \"a\"}}}}"),
    ));
    all.push(Input::with_file(
        "npm script with itself",
        "npm run a",
        "package.json",
        "{\"scripts\": {\"a\": \"npm run a; npm run a; sh a.sh; make\"}}".to_owned(),
    ));
    for (name, content) in [
        ("script that runs itself", "sh a.sh; sh a.sh; . ./a.sh; bash a.sh & a=$(sh a.sh)\n".to_owned()),
        ("script of many scripts", "sh a.sh $1a\n".repeat(2_000)),
        ("script of many lines", "a=$(b); if $a; then c=$a$c; fi\n".repeat(2_000)),
        ("script of functions", numbered("f#() { for i in a b; do f1 $i; done; }; f#\n", 1_000)),
    ] {
        all.push(Input::with_file(name, "sh a.sh", "a.sh", content));
    }
    let python: String = numbered(
        "class A#:\n  def f(self, x):\n    return A1().f(A2().f(x))\n  def g(self):\n    self.f(self.g())\n",
        200,
    );
    all.push(Input::with_file("python classes", "python3 a.py", "a.py", format!("{python}A1().f(1)\n")));
    all.push(Input::with_file(
        "python imports itself",
        "python3 a.py",
        "a.py",
        "import a\nfrom a import *\n".repeat(500),
    ));
    all
}

/// Each wrapper chained with itself, and with others.
pub fn chains() -> Vec<Input> {
    let mut all = Vec::new();
    for wrapper in WRAPPERS {
        for count in [64, 1024, 8192] {
            all.push(Input::shell(
                format!("{wrapper:?} x {count}"),
                format!("{}rm -rf ~", times(wrapper, count)),
            ));
        }
    }
    for (index, wrapper) in WRAPPERS.iter().enumerate() {
        for step in [1, 7, 19] {
            let other = WRAPPERS[(index + step) % WRAPPERS.len()];
            let pair = format!("{wrapper}{other}");
            all.push(Input::shell(format!("{pair:?} x 512"), format!("{}rm -rf ~", times(&pair, 512))));
        }
    }
    all
}

/// Each nesting construct in itself, in others, and after a multiplier.
pub fn nests() -> Vec<Input> {
    let mut all = Vec::new();
    let nest = |(open, inside, close): &(&str, &str, &str), inner: &str, count: usize| {
        let count = count.min(LARGEST / (open.len() + close.len()).max(1));
        let inside = if inner.is_empty() { inside } else { inner };
        format!("{}{inside}{}", open.repeat(count), close.repeat(count))
    };
    for shape in NESTS {
        for count in [12, 60, 1_000, 20_000] {
            for before in ["", "echo ", "echo {1..99}", "x="] {
                all.push(Input::shell(
                    format!("{before}{shape:?} x {count}"),
                    format!("{before}{}; rm -rf ~", nest(shape, "", count)),
                ));
            }
        }
    }
    for (index, outer) in NESTS.iter().enumerate() {
        for step in [1, 5, 11, 23] {
            let inner = &NESTS[(index + step) % NESTS.len()];
            let text = (0..12).fold("a* b".to_owned(), |text, _| nest(outer, &nest(inner, &text, 1), 1));
            all.push(Input::shell(format!("{outer:?} in {inner:?}"), format!("{text}; rm -rf ~")));
        }
    }
    all
}

/// Each repeated text, alone and inside something that repeats it again.
pub fn repeats() -> Vec<Input> {
    let mut all = Vec::new();
    let around = [
        "@",
        "for i in {1..99}; do @; done",
        "f() { @; }; f; f; f",
        "echo $(@)",
        "x=$(@); $x",
        "bash -c \"@\"",
        "a | while read l; do @; done",
        "while a; do @; done",
        "echo {1..99}$(@)",
        "find . -exec sh -c '@' \\;",
        "x=\"@\"; eval $x",
        "cat <<E | sh\n@\nE\n",
    ];
    for piece in REPEATS {
        for count in [100, 2_000, 20_000] {
            all.push(Input::shell(
                format!("{piece:?} x {count}"),
                format!("{}; rm -rf ~", times(piece, count)),
            ));
        }
        for frame in &around[1..] {
            let text = frame.replace('@', &times(piece, 60));
            all.push(Input::shell(format!("{piece:?} x 60 in {frame:?}"), format!("{text}; rm -rf ~")));
        }
    }
    all
}

/// Code of other languages, in growing numbers.
pub fn code() -> Vec<Input> {
    let mut all = Vec::new();
    for (program, piece, end) in CODE {
        for count in [20, 200, 2_000] {
            let mut code = numbered(piece, count);
            code.truncate(LARGEST.min(code.len()));
            let text = format!("{program} <<'END_OF_CODE'\n{code}{end}\nEND_OF_CODE\nrm -rf ~");
            all.push(Input::shell(format!("{program} {piece:?} x {count}"), text));
        }
    }
    all
}

/// Commands of a cases with pieces repeated, cut and put into one another; the same ones each time.
pub fn mutated(commands: &[(String, String)], rounds: usize, seed: u64) -> Vec<Input> {
    let mut random = Random(seed | 1);
    (0..rounds)
        .map(|round| {
            let (tool, text) = random.pick(commands).clone();
            let mut text = text;
            for _ in 0..=random.below(3) {
                random.change(&mut text, commands);
            }
            let mut end = text.len().min(LARGEST);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            Input { name: format!("mutation {round} of {seed}"), tool, text, files: Vec::new() }
        })
        .collect()
}

/// A small generator of numbers, so that every run is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A piece of the text from the start of a word to the start of another.
    fn piece(&mut self, text: &str) -> (usize, usize) {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices([' ', '\n', ';', '|', '(', '{', '$', '"', '\'']).map(|(at, _)| at))
            .chain([text.len()])
            .collect();
        let first = self.below(starts.len());
        let last = (first + 1 + self.below(6)).min(starts.len() - 1);
        (starts[first], starts[last])
    }

    fn change(&mut self, text: &mut String, commands: &[(String, String)]) {
        let (start, end) = self.piece(text);
        let piece = text[start..end].to_owned();
        match self.below(8) {
            0..=2 => {
                let count = 1 << self.below(13);
                text.replace_range(start..end, &times(&piece, count));
            }
            3 => {
                let (open, _, close) = *self.pick(NESTS);
                let count = 1 << self.below(7);
                text.replace_range(
                    start..end,
                    &format!("{}{piece}{}", open.repeat(count), close.repeat(count)),
                );
            }
            4 => text.insert_str(start, &times(self.pick::<&str>(WRAPPERS), 1 << self.below(10))),
            5 => text.insert_str(start, &times(self.pick::<&str>(REPEATS), 1 << self.below(10))),
            6 => {
                let (_, other) = self.pick(commands).clone();
                let (from, to) = self.piece(&other);
                text.replace_range(start..end, &other[from..to]);
            }
            _ => text.insert_str(
                start,
                self.pick::<&str>(&[
                    "{1..999}",
                    "{a,b}{c,d}{e,f}{g,h}",
                    " $(",
                    "`",
                    "for i in {1..99}; do ",
                    "while a; do ",
                    "xargs ",
                    " | ",
                    " & ",
                ]),
            ),
        }
    }
}
