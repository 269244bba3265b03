//! Control flow and data flow: what runs, where, with which input, and what is only possible.

mod eval_support;

use eval_support::{FETCHED, Recorder, check, check_as, run, show};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Code, Note, OpenMode, Scope, Shell};
use tollgate_shell::value::Value;

#[test]
fn lists() {
    check(&[
        ("a; b && c || d & e", &["a", "b", "c", "d", "e"]),
        ("true && a; false && b; true || c; false || d", &["a", "d"]),
        ("! true && a; ! false && b", &["b"]),
        ("exit; a", &[]),
        ("a && exit; b", &["a", "b"]),
        ("exit 1 2; a", &["a"]),
        ("exit --help; a", &["a"]),
        ("exit > /nowhere/x; a", &["a"]),
        ("true > /nowhere/x || a", &["a"]),
        ("(exit); a", &["a"]),
        ("exit | b; c", &["b", "c"]),
        ("return; a", &["a"]),
        ("break; a", &["a"]),
        ("{ a; b; } | c", &["a", "b", "c"]),
        ("time a", &["a"]),
        ("coproc a; b", &["a", "b"]),
        (": ${X?no}; a", &["a"]),
        ("unset X; : ${X?$(b)}; a", &["b"]),
    ]);
}

#[test]
fn branches() {
    check(&[
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        ("if true; then a; else b; fi", &["a"]),
        ("if [ x = y ]; then a; else b; fi", &["b"]),
        ("x=1; if [ \"$x\" = 1 ] && [ -n \"$x\" ]; then a; else b; fi", &["a"]),
        ("if [[ abc == a* && ! -z x ]]; then a; else b; fi", &["a"]),
        ("if [[ $X == y ]]; then a \"$X\"; else b; fi", &["a y", "b"]),
        ("if ((3 > 2)); then a; else b; fi", &["a"]),
        ("if c; then x=1; else x=2; fi; run $x", &["c", "run 1|2"]),
        ("if c; then x='a b'; else x=d; fi; run $x", &["c", "run a b", "run d"]),
        ("if c; then x=rm; else x=ls; fi; $x f", &["c", "rm f", "ls f"]),
        ("x=b; case $x in a) run 1;; b|c) run 2;; *) run 3;; esac", &["run 2"]),
        ("case $X in a) run 1;; *) run 3;; esac", &["run 1", "run 3"]),
        ("case a in a) run 1;& b) run 2;; *) run 3;; esac", &["run 1", "run 2"]),
        ("case a in a) run 1;;& b) run 2;; *) run 3;; esac", &["run 1", "run 3"]),
        ("case a in b) run 1;; esac; run 2", &["run 2"]),
    ]);
}

#[test]
fn loops() {
    check(&[
        ("for i in a b c; do run $i; done", &["run a", "run b", "run c"]),
        ("for i in a b c; do run $i; break; done; end", &["run a", "end"]),
        ("for i in a b c; do [ $i = b ] && continue; run $i; done", &["run a", "run c"]),
        ("for i in 1 2; do for j in x y; do run $i$j; break 2; done; done", &["run 1x"]),
        ("for i in 1 2; do for j in x y; do run $i$j; continue 2; done; done", &["run 1x", "run 2x"]),
        ("for f in *.c; do run \"$f\"; done", &["run *.c"]),
        ("for f in $X; do run \"$f\"; done", &["run ‹X›"]),
        ("for f; do run $f; done", &[]),
        ("set -- p q; for f; do run $f; done", &["run p", "run q"]),
        ("select f in a b; do run $f; done", &["run a|b"]),
        (
            "i=0; while [ $i -lt 3 ]; do run $i; i=$((i+1)); done; run end$i",
            &["run 0", "run 1", "run 2", "run end3"],
        ),
        ("for ((i=0; i<2; i++)); do run $i; done", &["run 0", "run 1"]),
        ("i=0; until (( i == 2 )); do run $i; ((i++)); done", &["run 0", "run 1"]),
        ("while read -r x; do run \"$x\"; done <<< $'a b\\nc'", &["run 'a b'", "run c"]),
        ("printf 'a 1\\nb 2\\n' | while read x y; do run $y $x; done", &["run 1 a", "run 2 b"]),
        ("while read x; do run \"$x\"; done < f", &["run ‹?›"]),
        ("while c; do run $x; x=1; done; end $x", &["c", "run ‹x›…", "run 1", "end 1", "end ‹x›…"]),
        ("while :; do a; done; b", &["a", "b"]),
        ("while :; do a; break; done; b", &["a", "b"]),
    ]);
}

#[test]
fn later_passes_are_covered() {
    check(&[
        ("while [ $X ]; do echo run x; done | bash", &["bash", "run x", "‹?›…"]),
        ("p=safe; for i in $X; do $p x; p=rm; done", &["safe x", "rm x"]),
        (
            "p=one; while c; do $p x; if d; then p=two; else p=three; fi; done",
            &["c", "one x", "d", "two x", "three x"],
        ),
    ]);
}

/// A word that may come to nothing leaves its place to the next.
#[test]
fn unknown_command_words_may_vanish() {
    check(&[
        ("$X rm y", &["‹X›… rm y", "rm y"]),
        ("$X $Y rm y", &["‹X›… ‹Y›… rm y", "rm y"]),
        ("$(true) rm y", &["rm y"]),
        ("$(a) rm y", &["a", "‹?›… rm y", "rm y"]),
        ("${X:-} rm y", &["‹X›… rm y", "rm y"]),
        ("\"$@\" rm y", &["rm y"]),
        ("\"$X\" rm y", &["‹X› rm y"]),
        ("\"$X\"rm y", &["‹X›rm y", "rm y"]),
        ("r${X}m y", &["r‹X›m… y", "rm y"]),
        ("$X", &["‹X›…"]),
        ("$X eval 'rm y'", &["‹X›… eval 'rm y'", "rm y"]),
        ("$X f; f() { a; }", &["‹X›… f", "f"]),
        ("f() { a $1; }; $X f b", &["‹X›… f b", "a b"]),
        ("command $X rm y; exec $X rm z", &["‹X›… rm y", "rm y", "‹X›… rm z", "rm z"]),
        ("$X cd /; pwd", &["‹X›… cd /", "pwd"]),
        ("$X Y=1 rm z", &["‹X›… Y=1 rm z", "Y=1 rm z"]),
    ]);
    check_as(Dialect::Zsh, &[("$X rm y", &["‹X›… rm y", "rm y"])]);
    let supposed = |source: &str| run(source, Dialect::Bash).supposed;
    assert_eq!(supposed("$X rm y; rm z"), ["rm y"]);
    assert_eq!(supposed("f() { rm y; }; $X f; f; X=; $X f"), ["rm y"]);
}

#[test]
fn functions_and_aliases() {
    check(&[
        ("f() { rm \"$1\"; }; f /x", &["rm /x"]),
        ("cat() { command shred -u \"$@\"; }; cat ~/x", &["shred -u /home/u/x"]),
        ("function g { local v=$1; run $v; }; v=out; g in; run $v", &["run in", "run out"]),
        ("f() { return 1; run no; }; f || run yes", &["run yes"]),
        ("f() { x=1; }; f; run $x", &["run 1"]),
        ("c && f() { run 1; }; f", &["c", "run 1", "f"]),
        ("f() { run a; }; f() { run b; }; f", &["run b"]),
        ("f() { run a; }; unset -f f; f", &["f"]),
        ("f() { [ $1 -gt 0 ] && { run $1; f $(($1-1)); }; }; f 3", &["run 3", "run 2", "run 1"]),
        ("alias ll='rm -rf'; ll /x", &["ll /x", "rm -rf /x"]),
        ("alias s='sudo '; alias l='rm x'; s l", &["s l", "sudo rm x"]),
        ("alias a='run \"$X\"'; a 'b c'", &["a 'b c'", "run ‹X› 'b c'"]),
        ("hash -p /bin/rm ls; ls -rf x", &["/bin/rm -rf x"]),
        ("enable -n exit; exit; a", &["exit", "a"]),
        ("f() (cd /; run); f; pwd", &["run", "pwd"]),
        // The child may have been given another environment: then a program of that name runs.
        ("export -f f; f() { run 1; }; export -f f; bash -c f", &["bash -c f", "run 1", "f"]),
    ]);
}

#[test]
fn text_as_code() {
    check(&[
        ("eval 'rm -rf' /", &["rm -rf /"]),
        ("eval \"rm -rf $X/\"", &["rm -rf ‹X›/…"]),
        ("eval \"rm -rf '$X/'\"", &["rm -rf ‹X›/"]),
        ("x='run $y'; y=1; eval $x", &["run 1"]),
        ("bash -c 'run $0 $1' a b", &["bash -c 'run $0 $1' a b", "run a b"]),
        ("x=1; export y=2; bash -c 'run $x $y'", &["bash -c 'run $x $y'", "run ‹x›… 2"]),
        ("x=1 bash -c 'run $x'", &["bash -c 'run $x'", "run 1"]),
        ("echo 'run 1' | bash", &["bash", "run 1"]),
        ("bash <<< 'run 1'", &["bash", "run 1"]),
        ("bash <<E\nrun $HOME\nE", &["bash", "run /home/u"]),
        ("bash <<'E'\nrun $x\nE", &["bash", "run ‹x›…"]),
        ("bash <(echo run 1)", &["bash /dev/fd/63", "run 1"]),
        (". <(echo x=2); run $x", &["run 2"]),
        ("echo run 1 > f; bash f", &["bash f", "run 1"]),
        ("echo run 1 > f; echo run 2 >> f; cd sub; bash ../f", &["bash ../f", "run 1", "run 2"]),
        ("cat > f <<'E'\nrun 1\nE\nbash ./f", &["cat", "bash ./f", "run 1"]),
        ("echo run 1 | tee f; bash f", &["tee f", "bash f", "run 1"]),
        ("t=$(mktemp); echo run 1 > $t; bash $t", &["mktemp", "bash ‹?›…", "run 1"]),
        ("echo run 1 | tee >(bash)", &["tee /dev/fd/63", "bash", "run 1"]),
        ("echo run 1 > >(bash)", &["bash", "run 1"]),
        ("exec 3<<< 'run 1'; bash <&3", &["bash", "run 1"]),
        ("bash /dev/stdin <<< 'run 1'", &["bash /dev/stdin", "run 1"]),
        ("{ read x; bash; } <<E\nfirst\nrun 1\nE", &["bash", "run 1"]),
        ("trap 'rm \"$t\"' EXIT; t=/x", &["rm /x"]),
        ("trap 'rm \"$t\"' INT; t=/x", &["rm ‹t›", "rm /x"]),
        ("x='$(hidden)'; run \"${x@P}\"", &["hidden", "run ‹?›"]),
        ("PS4='$(hidden)'; set -x", &["hidden"]),
        ("[ -v 'a[$(hidden)]' ]", &["hidden"]),
        ("echo cnVu; source f 2>/dev/null; run", &["run"]),
        ("eval 'exit'; a", &[]),
        ("bash -c exit; a", &["bash -c exit", "a"]),
        ("command -v rm; command rm x; builtin echo; exec rm y", &["rm x", "rm y"]),
        ("command -p -- rm x; exec -a n rm z", &["rm x", "rm z"]),
    ]);
}

#[test]
fn reading() {
    check(&[
        ("read x <<< 'rm -rf'; $x /", &["rm -rf /"]),
        ("read -r a b <<< '1 2 3'; run $b $a", &["run 2 3 1"]),
        ("IFS=: read a b <<< x:y; run $b", &["run y"]),
        ("read -a w <<< 'p q'; run ${w[1]}", &["run q"]),
        ("read -d x -n 3 v <<< abcdef; run $v", &["run abc"]),
        ("mapfile -t m < <(printf 'a\\nb\\n'); run \"${m[@]}\"", &["run a b"]),
        ("read x; run \"$x\"", &["run ‹?›"]),
        ("shopt -s lastpipe; echo a | read x; run $x", &["run a", "run ‹x›…"]),
        ("echo a | read x; run $x", &["run ‹x›…"]),
        ("while getopts ab: o -a -b v; do run $o \"$OPTARG\"; done", &["run a|b|?|: -a|-b|v|"]),
    ]);
}

/// The directories in which `here` runs.
fn check_cwd(dirs: &[(&'static str, bool)], cases: &[(&str, &[&str])]) {
    for (source, expected) in cases {
        let mut recorder = Recorder { dirs: dirs.to_vec(), ..Recorder::default() };
        Shell::new(Dialect::Bash, Some("/w")).run(source, &mut recorder);
        let here = recorder.calls.iter().zip(&recorder.cwds).filter(|(call, _)| show(call) == "here");
        let found: Vec<&str> = here.map(|(_, cwd)| cwd.as_str()).collect();
        assert_eq!(found, *expected, "{source}");
    }
}

#[test]
fn directories() {
    let dirs = [("/w/there", true), ("/w/gone", false), ("/tmp", true), ("/w", true)];
    check_cwd(
        &dirs,
        &[
            ("here", &["/w"]),
            ("cd x; here", &["/w/x|/w"]),
            ("cd x && here", &["/w/x"]),
            ("cd x || here", &["/w"]),
            ("cd there; here", &["/w/there"]),
            ("cd gone; here", &["/w"]),
            ("cd gone && here", &[]),
            ("cd /tmp; cd -; here", &["/w"]),
            ("cd /tmp/.. && here", &["/"]),
            ("cd && here", &["/home/u"]),
            ("cd $X && here", &["‹X›"]),
            ("(cd /tmp; here); here", &["/tmp", "/w"]),
            ("cd /tmp | here; here", &["/w", "/w"]),
            ("pushd /tmp; here; popd; here", &["/tmp", "/w"]),
            ("f() { cd /tmp; }; f; here", &["/tmp"]),
            ("if c; then cd /tmp; fi; here", &["/tmp|/w"]),
            ("cd /tmp & here", &["/w"]),
            ("CDPATH=/a; cd b && here", &["/w/b|/a/b"]),
            ("cd /tmp; cd there && here", &["/tmp/there"]),
            ("for d in a b; do cd $d && here && cd ..; done", &["/w/a", "/w/b|/w/a/b"]),
        ],
    );
}

#[test]
fn what_is_conditional() {
    let conditional = |source: &str| {
        let found = run(source, Dialect::Bash);
        let call = found.calls.iter().find(|call| show(call) == "here").expect("`here` is called");
        call.conditional
    };
    for source in [
        "here",
        "a; here",
        "true && here",
        "if true; then here; fi",
        "(here)",
        "a | here",
        "for i in 1; do here; done",
    ] {
        assert!(!conditional(source), "{source}");
    }
    for source in [
        "a && here",
        "if a; then here; fi",
        "a && exit; here",
        "while a; do here; done",
        "trap here EXIT",
        "for i in $X; do here; done",
    ] {
        assert!(conditional(source), "{source}");
    }
}

#[test]
fn background_and_pipes() {
    let found = run("a & b | c", Dialect::Bash);
    let flags: Vec<_> = found.calls.iter().map(|call| (show(call), call.background, call.piped_to)).collect();
    let expected = [("a", true, false), ("b", false, true), ("c", false, false)];
    assert_eq!(flags, expected.map(|(name, background, piped)| (name.to_owned(), background, piped)));
}

#[test]
fn marks_travel_with_data() {
    let sources = [
        "fetch | sink",
        "sink <<< \"$(fetch)\"",
        "x=$(fetch); sink <<< $x",
        "fetch > f; sink < f",
        "fetch > f; cat f | sink",
        "sink < <(fetch)",
        "fetch | { read l; sink <<< \"$l\"; }",
        "f() { fetch; }; f | cat | sink",
        "if a; then x=$(fetch); fi; sink <<< \"x${x%y}\"",
        "a=($(fetch)); sink <<< \"${a[0]}\"",
        "printf -v y '%s' \"$(fetch)\"; sink <<< $y",
    ];
    for source in sources {
        let found = run(source, Dialect::Bash);
        let sink = found.calls.iter().find(|call| call.name() == Some("sink")).expect("`sink` is called");
        let taint = sink.stdin.value.as_ref().map(|value| value.taint).unwrap_or_default();
        assert_eq!(taint, FETCHED, "{source}");
    }
}

#[test]
fn files_opened() {
    let source = "a > o 2>> e < i; > empty; { b; } &> both; c <> rw; d >| cl; exec 3> three";
    let found = run(source, Dialect::Bash);
    let opens: Vec<_> =
        found.opens.iter().map(|open| (open.path.value.to_string(), open.mode, open.fd)).collect();
    let expected = [
        ("o", OpenMode::Write, 1),
        ("e", OpenMode::Append, 2),
        ("i", OpenMode::Read, 0),
        ("empty", OpenMode::Write, 1),
        ("both", OpenMode::Write, 1),
        ("rw", OpenMode::ReadWrite, 0),
        ("cl", OpenMode::Write, 1),
        ("three", OpenMode::Write, 3),
    ];
    assert_eq!(opens, expected.map(|(path, mode, fd)| (path.to_owned(), mode, fd)));
}

/// Things the shell does by itself, or differently when told so.
#[test]
fn hidden_ways() {
    check(&[
        ("command_not_found_handle() { rm x; }; nosuch", &["nosuch", "rm x"]),
        ("shopt -s nocasematch; [[ A == a ]] && yes1; case B in b) yes2;; esac", &["yes1", "yes2"]),
        ("shopt -s xpg_echo; echo 'run\\ty' | bash", &["bash", "runty", "run y"]),
        ("RANDOM=5; [ $RANDOM = 5 ] || a", &["a"]),
        ("x=rm; f() { local x=ls; g; $x y; }; g() { unset x; }; f", &["‹x›… y", "y"]),
        ("BASH_CMDS[ls]=/bin/rm; ls x", &["/bin/rm x"]),
        ("BASH_ALIASES[ls]='rm -r'; ls x", &["ls x", "rm -r x"]),
        ("exec {a}<<< 'run a' {b}<<< 'run b'; bash <&$a; bash <&$b", &["bash", "run a", "run b"]),
        ("(slow; bash f) & echo run late > f", &["slow", "bash f", "run late"]),
        ("bash f | echo run late > f", &["bash f", "run late"]),
        ("a | b > f; c & d > g", &["a", "b", "c", "d"]),
        ("f() { rm x; }; trap f EXIT; exit", &["rm x"]),
        ("set -o posix; x=rm :; $x y", &["rm y", "‹x›… y", "y"]),
        ("readonly x=rm; x=ls; $x y", &["rm y", "ls y"]),
        ("if c; then IFS=,; fi; x=a,b; run $x", &["c", "run a b", "run a,b"]),
    ]);
    check_as(
        Dialect::Posix,
        &[
            ("x=rm eval :; $x y", &["rm y", "‹x›… y", "y"]),
            ("{rm,x}", &["rm x", "{rm,x}"]),
            ("[[ a == b ]] || run", &["[[ a == b ]]", "run"]),
        ],
    );
    check_as(
        Dialect::Zsh,
        &[
            ("a=(ls rm); ${a[2]} x", &["rm x"]),
            ("a=(rm -rf /); $a", &["rm -rf /"]),
            ("=rm x", &["rm x"]),
            ("noglob rm *; nocorrect rm y; - rm z", &["rm *", "rm y", "rm z"]),
            ("functions[ls]='rm $1'; ls x", &["rm x"]),
            ("ls *(e:'rm x':)", &["rm x", "ls '*(e:rm\\ x:)'"]),
            ("f() { rm $REPLY; }; ls *(+f)", &["rm ‹REPLY›…", "ls *(+f)"]),
            ("ls *(.om[1,3]) x(the|end)", &["ls *(.om[1,3]) x(the|end)"]),
            ("() { rm $1; } y", &["rm y"]),
            ("x='$(rm y)'; run ${(e)x}", &["rm y", "run ‹›…"]),
            ("x=ls; : ${x::=rm}; $x y", &["‹x›… y", "y"]),
            ("repeat 2 rm y; foreach i (a b) rm $i; end", &["rm y", "rm a", "rm b"]),
            ("for i (a b) rm $i; for i in c; { rm $i }", &["rm a", "rm b", "rm c"]),
            ("setopt sh_word_split; x='rm y'; $x", &["'rm y'", "rm y"]),
            ("emulate sh -c 'rm y'; x='rm z'; $x", &["rm y", "'rm z'", "rm z"]),
            ("TRAPINT() { rm y }; f() { rm z }; chpwd_functions+=(f)", &["rm y", "rm z"]),
            ("alias -s txt='rm -f'; alias -g G='| rm y'", &["rm -f ‹?›…", "rm y"]),
            ("echo a | read x; run $x", &["run a", "run ‹x›…"]),
        ],
    );
}

/// A directory that was not there may have been made meanwhile.
#[test]
fn directories_made_meanwhile() {
    check_cwd(&[("/w/new", false)], &[("cd new && here", &[]), ("make new && cd new && here", &["/w/new"])]);
}

/// What a host may do to the shell from within a call.
#[test]
fn the_hosts_side() {
    let mut recorder = Recorder::default();
    let mut shell = Shell::new(Dialect::Bash, Some("/w"));
    shell.run("x=1; export y=2; f() { :; }; echo hi > out", &mut recorder);
    assert_eq!(shell.variable("x"), Some(Value::text("1")));
    assert_eq!(shell.exported().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(), ["y=2"]);
    assert!(shell.has_function("f") && !shell.has_function("g"));
    let content = |shell: &Shell, path: &str| {
        shell.file(&Value::text(path)).map(|file| (file.value.to_string(), file.certain))
    };
    assert_eq!(content(&shell, "/w/./out"), Some(("hi\n".to_owned(), true)));

    let code = |text: &str, scope, shell: &Shell| Code {
        text: Value::text(text),
        scope,
        dialect: shell.dialect(),
        name: None,
        args: None,
        span: Default::default(),
    };
    let inside = code("cd /tmp; x=3; echo in > in; exit", Scope::Same, &shell);
    shell.isolated(|shell| shell.run_text(&inside, &mut recorder));
    assert_eq!((shell.cwd().to_string(), shell.variable("x")), ("/w".to_owned(), Some(Value::text("1"))));

    let prints = code("echo a; echo b", Scope::Child, &shell);
    let (_, printed) = shell.captured(|shell| shell.run_text(&prints, &mut recorder));
    assert_eq!(printed, Value::text("a\nb\n"));

    shell.write_file(&Value::text("out"), &Value::text("more"), true);
    shell.doubt_files();
    assert_eq!(content(&shell, "out"), Some(("hi\nmore".to_owned(), false)));
    shell.forget_file(&Value::text("../w/out"));
    assert_eq!(content(&shell, "out"), None);
    shell.set_cwd(&Value::text("sub"));
    assert_eq!(shell.resolve(&Value::text("../a/./b")).to_string(), "/w/a/b");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn notes() {
    let kinds = |source: &str| -> Vec<String> {
        let found = run(source, Dialect::Bash);
        let name = |note: &Note| match note {
            Note::Problem(problem) => format!("problem {:?}", problem.kind),
            Note::Recursion { name, background, piped, .. } => {
                format!("recursion {name} {background} {piped}")
            }
            Note::Swarm { .. } => "swarm".to_owned(),
            Note::Flood { .. } => "flood".to_owned(),
            Note::Complaint { text, .. } => format!("complaint {text}"),
            Note::Budget { limit, .. } => format!("budget {limit:?}"),
            Note::Unresolved { word, .. } => format!("unresolved {word}"),
            Note::DynamicCode { text, .. } => format!("code {text}"),
        };
        found.notes.iter().map(name).collect()
    };
    assert_eq!(kinds("$X y"), ["unresolved ‹X›"]);
    assert_eq!(kinds("eval \"a $X\""), ["code a ‹X›"]);
    assert_eq!(kinds(": ${Y:?needs $X}"), ["complaint needs ‹X›"]);
    assert_eq!(kinds("/bin/r? x"), ["unresolved /bin/r?"]);
    assert_eq!(kinds(":(){ :|:& };:"), ["recursion : true true"]);
    assert_eq!(kinds("f() { f; }; f"), ["recursion f false false"]);
    assert_eq!(kinds("a() { b & }; b() { a; }; a"), ["recursion a true false"]);
    for endless in [
        "while :; do a & done",
        "until false; do a | b & done",
        "for ((;;)); do (a &) ; done",
        "while [ 1 ]; do n=1; for i in 1 2; do a & done; done",
    ] {
        assert_eq!(kinds(endless), ["swarm"], "{endless}");
    }
    for filling in [
        "while :; do a=$a$a; a=${a:-x}; done",
        "while true; do cp big.bin big.$RANDOM; done",
        "until false; do echo x >> log; done",
        "for ((;;)); do dd if=/dev/zero of=f$((i++)) count=9; done",
        "while :; do ((i++)); echo x > f$i; done",
        "while :; do mktemp -d; done",
    ] {
        assert_eq!(kinds(filling), ["flood"], "{filling}");
    }
    for ending in [
        "while :; do echo x >> log; sleep 1; done",
        "while :; do cp a a.$RANDOM || break; done",
        "while :; do echo x > \"$OUT\"; done",
        "while :; do cp a b; done",
        "while :; do echo x >> /dev/null; done",
        "while :; do ./poll >> log; done",
        "for i in 1 2 3; do cp a a.$RANDOM; done",
        "while read -r line; do echo \"$line\" >> log; done",
    ] {
        assert_eq!(kinds(ending), [""; 0], "{ending}");
    }
    for bounded in [
        "while :; do a & wait; done",
        "while :; do a & break; done",
        "while read -r f; do a & done",
        "while [ -e f ]; do a & done",
        "for ((i = 0; i < 9; i++)); do a & done",
        "while :; do a; done",
    ] {
        assert_eq!(kinds(bounded), Vec::<String>::new(), "{bounded}");
    }
    assert_eq!(kinds("echo 'unclosed"), ["problem Unclosed"]);
    assert_eq!(kinds("run ok"), Vec::<String>::new());
}

#[test]
fn spans_point_into_the_first_text() {
    let at = |source: &str, wanted: &str| {
        let found = run(source, Dialect::Bash);
        let call = found.calls.iter().find(|call| call.name() == Some(wanted)).expect("it is called");
        call.span.of(source).to_owned()
    };
    assert_eq!(at("a; rm -rf x; b", "rm"), "rm -rf x");
    assert_eq!(at("a; eval 'rm x' y; b", "rm"), "eval 'rm x' y");
    assert_eq!(at("f() { rm x; }; bash -c b; f", "rm"), "rm x");
    assert_eq!(at("echo $(rm x)", "rm"), "rm x");
    assert_eq!(at("eval 'f() { rm x; }'; f", "rm"), "eval 'f() { rm x; }'");
}
