//! The disguised words of `docs/threats.md`: each resolves to the plain command, and the look-alikes stay what they are.

mod eval_support;

use eval_support::{check, check_as, run};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::Note;
use tollgate_shell::value::Piece;

#[test]
fn c01_quote_splice() {
    check(&[
        ("s'hr'ed -u \"$HOME\"/k", &["shred -u /home/u/k"]),
        (r#"\d\d of"="/dev/x"#, &["dd of=/dev/x"]),
        (r#"'k''i'"l"l -9 -1"#, &["kill -9 -1"]),
        (r#"grep 'shred -u' notes.txt"#, &["grep 'shred -u' notes.txt"]),
    ]);
}

#[test]
fn c02_ansi_c_quoting() {
    check(&[
        (r"$'\x6d\166' ~ $'\x2ftmp'", &["mv /home/u /tmp"]),
        (r"$'\u0072m' $'-r\x66' x", &["rm -rf x"]),
        (r#"$"dd" if=x"#, &["dd if=x"]),
        (r"printf 'a\x41' > log; run $'plain'", &["run plain"]),
    ]);
}

#[test]
fn c03_empty_and_ifs_expansions() {
    check(&[
        ("dd${IFS}if=a${IFS}of=b", &["dd if=a of=b"]),
        ("s$@h$*red -u x", &["shred -u x"]),
        ("e=; d${e}d of=x", &["dd of=x"]),
        ("IFS=_; c='mv_a_b'; $c", &["mv a b"]),
        ("ba${nothing}sh x", &["ba‹nothing›sh… x", "bash x"]),
    ]);
}

#[test]
fn c04_globs() {
    check(&[
        ("/usr/bin/shre? -u x", &["/usr/bin/shre? -u x"]),
        ("mv /ho[m]e/* /tmp", &["mv /ho[m]e/* /tmp"]),
        ("g='/b*/m?'; $g a b", &["/b*/m? a b"]),
        ("ls '*.log'", &["ls *.log"]),
    ]);
    let notes = run("/usr/bin/shre? -u x", Dialect::Bash).notes;
    assert!(matches!(notes.as_slice(), [Note::Unresolved { .. }]));
}

#[test]
fn c05_braces() {
    check(&[
        ("{mv,/home/u,/tmp/x}", &["mv /home/u /tmp/x"]),
        ("{d,}d if=/x", &["dd d if=/x"]),
        (
            "rm -r /home/{u,guest}/{a..c}",
            &["rm -r /home/u/a /home/u/b /home/u/c /home/guest/a /home/guest/b /home/guest/c"],
        ),
        ("awk '{print,x}'", &["awk {print,x}"]),
    ]);
}

#[test]
fn c06_indirection() {
    check(&[
        ("t=/home/u; c=(mv \"$t\" /tmp); \"${c[@]}\"", &["mv /home/u /tmp"]),
        ("w=xmvx; ${w:1:2} a b", &["mv a b"]),
        ("n=cmd; cmd=mv; ${!n} a b", &["mv a b"]),
        ("declare -n r=p; p=mv; $r a b", &["mv a b"]),
        ("printf -v c 'm%c' v; $c a b", &["mv a b"]),
        ("read -r c _ <<< 'mv x'; $c a b", &["mv a b"]),
        ("set -- mv a b; \"$@\"", &["mv a b"]),
        ("mv \"$PREFIX\"/* /tmp", &["mv ‹PREFIX›/* /tmp"]),
        ("rm -rf \"${OUT:?}/\"", &["rm -rf ‹OUT›/"]),
        ("declare -A m=([go]=mv); ${m[go]} a b", &["mv a b"]),
        ("a=vm; mapfile -t l < <(echo mv); ${l[0]} a b", &["mv a b"]),
    ]);
}

/// `"$X/"` may be `/`; `"${X:?}/"` may not.
#[test]
fn c06_maybe_empty() {
    let maybe_empty = |source: &str| {
        let found = run(source, Dialect::Bash);
        let call = found.calls.iter().find(|call| call.name() == Some("rm")).expect("rm is called");
        let value = &call.argv.last().expect("an operand").value;
        let bare = |piece: &Piece| match piece {
            Piece::Hole(hole) => !hole.nonempty,
            Piece::Text(text) => &**text == "/",
            Piece::Glob(_) => false,
        };
        value.any.iter().any(|text| text.pieces.iter().all(bare))
    };
    for source in
        ["rm -rf \"$X/\"", "rm -rf $X/", "X=$(find .); rm -rf \"$X/\"", "[ -z \"$X\" ] || a; rm -rf \"$X/\""]
    {
        assert!(maybe_empty(source), "{source}");
    }
    for source in [
        "rm -rf \"${X:?}/\"",
        "[ -n \"$X\" ] && rm -rf \"$X/\"",
        "if [ -z \"$X\" ]; then exit; fi; rm -rf \"$X/\"",
        "[[ -n $X ]] || exit; rm -rf \"$X/\"",
        "X=${X:-build}; rm -rf \"$X/\"",
        "test \"$X\" && rm -rf \"$X/\"",
    ] {
        assert!(!maybe_empty(source), "{source}");
    }
}

#[test]
fn c07_decoded_text() {
    check(&[
        (r"printf '\155\166 a b' | sh", &["sh", "mv a b"]),
        (r"eval $(echo -e '\x6dv a b')", &["mv a b"]),
        ("x=$(printf 'v%s' m); $x", &["vm"]),
        ("eval \"$(decode data)\"", &["decode data", "‹?›…"]),
        ("echo 'b a vm' | rev | sh", &["rev", "sh", "‹?›…"]),
    ]);
}

#[test]
fn c08_script_on_stdin() {
    check(&[
        ("zsh <<< 'mv a b'", &["zsh", "mv a b"]),
        ("sh <<X\nmv $HOME /tmp\nX", &["sh", "mv /home/u /tmp"]),
        (". <(printf 'mv a b')", &["mv a b"]),
        ("bash /dev/fd/3 3<<< 'mv a b'", &["bash /dev/fd/3", "mv a b"]),
        ("cat <<'X' > doc.md\nmv ~ /tmp\nX", &["cat"]),
        ("git commit -F - <<< 'mv ~ /tmp'", &["git commit -F -"]),
    ]);
}

#[test]
fn c09_substitutions_anywhere() {
    check(&[
        ("printf %s \"$(mv a b)\"", &["mv a b"]),
        ("cd \"`mv a b`\"", &["mv a b"]),
        ("echo $(( m[$(mv a b)] ))", &["mv a b"]),
        (": ${x:=$(mv a b)}", &["mv a b"]),
        ("cat <<X\n$(mv a b)\nX", &["mv a b", "cat"]),
        ("> \"$(mv a b)\"", &["mv a b"]),
        ("x='$(mv a b)'; : \"${x@P}\"", &["mv a b"]),
        ("declare -i n='a[$(mv a b)]'", &["mv a b"]),
        ("a[$(mv a b)]=1", &["mv a b"]),
        ("case $(mv a b) in *) ;; esac", &["mv a b"]),
        ("[[ x -eq 'a[$(mv a b)]' ]]", &["mv a b"]),
        ("for x in $(mv a b); do :; done", &["mv a b"]),
        ("diff <(mv a b) x", &["mv a b", "diff /dev/fd/63 x"]),
        ("echo '$(mv a b)'", &[]),
        ("grep '`mv a b`' f", &["grep '`mv a b`' f"]),
    ]);
}

#[test]
fn c10_strange_characters() {
    check(&[
        ("m\u{200b}v a", &["m\u{200b}v a"]),
        ("mv\u{a0}a", &["'mv\u{a0}a'"]),
        ("echo \u{f0000} > f; x=\u{f0001}; run $x", &["run \u{f0001}"]),
        ("eval 'run \u{f0000}'", &["run \u{f0000}"]),
    ]);
}

#[test]
fn c11_comments_newlines_heredocs() {
    check(&[
        ("echo ok#no comment; mv a b", &["mv a b"]),
        ("echo # mv x\nmv a b", &["mv a b"]),
        ("m\\\nv a \\\n b", &["mv a b"]),
        ("cat <<E\ntext\nE\nmv a b", &["cat", "mv a b"]),
        ("# mv a b", &[]),
    ]);
}

#[test]
fn c12_length() {
    let padded = format!("{}mv a b", ":;".repeat(200));
    let spaces = format!("run{}x; mv a b", " ".repeat(65_536));
    check(&[(&padded, &["mv a b"]), (&spaces, &["run x", "mv a b"])]);
    let deep = format!("{}mv a b{}", "$(".repeat(300), ")".repeat(300));
    assert!(!run(&deep, Dialect::Bash).notes.is_empty());
}

#[test]
fn c13_control_flow() {
    check(&[
        ("make && mv a b", &["make", "mv a b"]),
        ("false || { true; mv a b; }", &["mv a b"]),
        ("trap 'mv a b' 0; true", &["mv a b"]),
        ("f() { mv a b; }; f &", &["mv a b"]),
        ("(sleep 9; mv a b) &", &["sleep 9", "mv a b"]),
        ("while sleep 1; do mv a b; done", &["sleep 1", "mv a b"]),
        ("exit 0; mv a b", &[]),
        ("if false; then mv a b; fi", &[]),
    ]);
}

#[test]
fn c14_redefined_names() {
    check(&[
        ("ls() { command shred -u \"$@\"; }; ls x", &["shred -u x"]),
        ("alias ls='shred -u'; ls x", &["ls x", "shred -u x"]),
        ("hash -p /usr/bin/shred ls; ls -u x", &["/usr/bin/shred -u x"]),
        ("enable -n test; test x", &["test x"]),
        ("exit() { :; }; exit; mv a b", &["mv a b"]),
        ("true() { false; }; true || mv a b", &["mv a b"]),
        ("builtin cd /; command -- mv a b", &["mv a b"]),
    ]);
    check_as(
        Dialect::Zsh,
        &[
            // The text of the alias is seen by itself, and where it stands; whether it is one is up to the shell.
            ("alias -g Z='| mv a b'; ls Z", &["mv a b", "ls Z", "ls"]),
            ("alias -g A=-rf; mv A b", &["-rf", "mv A b", "mv -rf b"]),
            ("alias -s md=mv; a.md", &["mv ‹?›…", "a.md", "mv a.md"]),
        ],
    );
    check(&[
        ("alias up='cd / &&'; alias t='mv a'; up t b", &["up t b", "t b", "mv a b"]),
        ("alias r='mv '; alias f='a '; alias h='b'; r f h", &["r f h", "mv a b"]),
        ("exec -a poweroff /bin/systemctl --force", &["poweroff --force"]),
        ("exec -a worker /bin/systemctl --force", &["/bin/systemctl --force"]),
    ]);
}
