//! Words: what each kind of expansion makes of them.

mod eval_support;

use eval_support::{check, check_as};
use tollgate_shell::ast::Dialect;

#[test]
fn quotes_and_literals() {
    check(&[
        ("rm -rf /", &["rm -rf /"]),
        (r"\r\m -r'f' \/", &["rm -rf /"]),
        ("$'\\x72m' -rf ~", &["rm -rf /home/u"]),
        ("'' x", &["'' x"]),
        ("a \"b c\" 'd e'", &["a 'b c' 'd e'"]),
    ]);
}

#[test]
fn variables() {
    check(&[
        ("x=rm; $x -rf /", &["rm -rf /"]),
        ("x='rm -rf /'; $x", &["rm -rf /"]),
        ("x='a b'; run \"$x\" $x", &["run 'a b' a b"]),
        ("run $UNSET", &["run ‹UNSET›…"]),
        ("run \"$UNSET/\"", &["run ‹UNSET›/"]),
        ("run $UNSET/x", &["run ‹UNSET›/x…"]),
        ("x=; run $x y", &["run y"]),
        ("x=; run \"$x\" y", &["run '' y"]),
        ("unset HOME; run $HOME/x", &["run /x"]),
        ("x=1; x=${x}2; x+=3; run $x", &["run 123"]),
        ("run $HOME ~ ~/a ~ann/b ~+", &["run /home/u /home/u /home/u/a /home/ann/b /w"]),
        ("echo rm; $_ -rf x", &["rm -rf x"]),
        ("x=1 run $x", &["run ‹x›…"]),
        ("x=1; x=2 run $x; run $x", &["run 1"]),
    ]);
}

#[test]
fn operators() {
    check(&[
        (
            "run ${X:-a b} ${X:-\"a b\"}",
            &["run ‹X›… ‹X›…", "run ‹X›… 'a b'", "run a b ‹X›…", "run a b 'a b'"],
        ),
        ("x=; run ${x:-d} ${x-d} ${x:+e} ${x+e}", &["run d e"]),
        ("unset x; run ${x:-d} ${x-d} ${x:+e} ${x+e}", &["run d d"]),
        ("unset x; run ${x:=v}; run $x", &["run v"]),
        ("run \"${X:?}/\"", &["run ‹X›/"]),
        ("x=/a/b.tar.gz; run ${x%.*} ${x%%.*} ${x#*/} ${x##*/}", &["run /a/b.tar /a/b a/b.tar.gz b.tar.gz"]),
        (
            "x=banana; run ${x/a/o} ${x//a/o} ${x/#b/B} ${x/%a/A} ${x//an}",
            &["run bonana bonono Banana bananA ba"],
        ),
        ("x=abcdef; run ${x:1:2} ${x:3} ${x: -2} ${x:0:-1} ${#x}", &["run bc def ef abcde 6"]),
        ("x=aBc; run ${x^} ${x^^} ${x,,} ${x^^b} ${x@U} ${x@Q}", &["run ABc ABC abc aBc ABC 'aBc'"]),
        ("x=y; y=z; run ${!x}", &["run z"]),
        ("p_a=1; p_b=2; unset p_b; set -- q; run ${#} ${1} $*", &["run 1 q q"]),
        ("run \"${X%/}/x\"", &["run ‹X›/x"]),
        ("X=$HOME/a/b; run ${X%/*}", &["run /home/u/a"]),
    ]);
}

#[test]
fn arrays() {
    check(&[
        ("a=(rm -rf '/a b'); \"${a[@]}\"", &["rm -rf '/a b'"]),
        ("a=(rm -rf '/a b'); ${a[@]}", &["rm -rf /a b"]),
        ("a=(x y z); run ${a[1]} ${#a[@]} ${a[-1]} ${a[@]:1:2} ${!a[@]}", &["run y 3 z y z 0 1 2"]),
        ("a=(x y); a+=(z); a[0]=w; run \"${a[*]}\"", &["run 'w y z'"]),
        ("declare -A m=([k]=v); run ${m[k]} ${m[none]}", &["run v"]),
        ("a=(1 2); run pre\"${a[@]}\"post", &["run pre1 2post"]),
        ("a=(); run \"${a[@]}\" x", &["run x"]),
        ("declare a=(p q); run ${a[1]}", &["run q"]),
        ("a=(*.c); run \"${a[@]}\"", &["run *.c"]),
        ("a=(a b c); unset 'a[1]'; run \"${a[@]}\"", &["run a c"]),
        ("readarray -t l <<< $'x\\ny'; run \"${l[@]}\"", &["run x y"]),
        ("c && x=1 || x=2; export y=$x; run $y", &["c", "run 1|2"]),
        ("a[2]=z; run ${a[@]:1} ${a[@]:3}", &["run z… z…"]),
        ("declare -n r=t; t=5; r=6; run $t $r", &["run 6 6"]),
    ]);
}

#[test]
fn positional() {
    check(&[
        (
            "set -- a 'b c'; run \"$@\"; run $@; run \"$*\"; run $#",
            &["run a 'b c'", "run a b c", "run 'a b c'", "run 2"],
        ),
        ("set -- a b c; shift; run $1 $#; shift 2; run \"$@\" x", &["run b 2", "run x"]),
        ("f() { run \"$@\"; }; f 1 '2 3'", &["run 1 '2 3'"]),
        ("m$@v x", &["mv x"]),
        ("f() { run \"$@\" z; }; f a $X -r /", &["run a ‹X›… -r / z"]),
        ("f() { shift; run \"$1\" \"$2\"; }; f a b $X c", &["run b ‹X›|c|"]),
        ("run ${@:2}", &["run"]),
        ("set -- a b c; run ${@:2} ${@:1:1} ${*: -1}", &["run b c a c"]),
    ]);
}

#[test]
fn braces_and_globs() {
    check(&[
        ("{rm,-rf,/}", &["rm -rf /"]),
        ("run {1..3} x{a,b}y {a..c..2}", &["run 1 2 3 xay xby a c"]),
        ("run \"{a,b}\" {a} {} {a,b", &["run {a,b} {a} {} {a,b"]),
        ("run {$HOME,/tmp}/x", &["run /home/u/x /tmp/x"]),
        ("run *.c /b?n/[r]m '*'", &["run *.c /b?n/[r]m *"]),
        ("x='*'; run $x \"$x\"", &["run * *"]),
        ("x={a,b}; run $x", &["run {a,b}"]),
    ]);
}

#[test]
fn splitting() {
    check(&[
        ("IFS=,; x=a,b,,c; run $x", &["run a b '' c"]),
        ("IFS=:; x=:a:; run $x", &["run '' a"]),
        ("IFS=' :'; x=' a : b:c '; run $x", &["run a b c"]),
        ("IFS=; x='a b'; run $x", &["run 'a b'"]),
        ("run${IFS}a${IFS}b", &["run a b"]),
        ("x=' a '; run p$x\"q\"", &["run p a q"]),
        ("IFS=,; set -- a b; run \"$*\"", &["run a,b"]),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("run $((1+2*3)) $((2**10)) $((7/2)) $((7%3)) $((1<2?5:6))", &["run 7 1024 3 1 5"]),
        ("x=5; run $((x+1)) $((x++)) $x $((++x)) $((x+=3))", &["run 6 5 6 7 10"]),
        ("run $((0x1f)) $((017)) $((2#101)) $((~0)) $((!3)) $((-3))", &["run 31 15 5 -1 0 -3"]),
        ("a=(3 4); i=1; run $((a[i]*2)) $((a[0]))", &["run 8 3"]),
        ("run $((X+1))", &["run ‹?›"]),
        ("let y=4*2; ((y+=1)); run $y", &["run 9"]),
        ("declare -i n=2+3; run $n", &["run 5"]),
        ("run $(( a[$(hidden)] ))", &["hidden", "run ‹?›"]),
        ("x='a[$(hidden)]'; run $((x))", &["hidden", "run ‹?›"]),
        ("x=3; ((x=$Y)); run $x", &["run ‹?›…"]),
    ]);
}

#[test]
fn substitutions() {
    check(&[
        ("run $(echo a b) \"$(echo a b)\" `echo c`", &["run a b 'a b' c"]),
        ("$(printf '%s -%s' rm rf) /", &["rm -rf /"]),
        ("run \"$(printf 'a\\n\\n')\"", &["run a"]),
        ("run $(inner)", &["inner", "run ‹?›…"]),
        ("x=$(echo rm); $x", &["rm"]),
        ("run \"$(if maybe > /dev/null; then echo a; else echo b; fi)\"", &["maybe", "run a|b"]),
        ("run $(for i in 1 2 3; do echo $i; done)", &["run 1 2 3"]),
        ("run $(echo b; exit; echo c)", &["run b"]),
        ("run \"$(cat <<< hi)\"", &["cat", "run hi"]),
    ]);
}

#[test]
fn printing() {
    check(&[
        (r"run $(echo -e 'a\x41') $(echo -n b) $(printf '%03d' 7) $(printf '%x' 255)", &["run aA b 007 ff"]),
        (r"run $(printf '\162\155') $(printf '%b' '\x72m') $(printf '%c' xyz)", &["run rm rm x"]),
        ("run $(printf '%s-' a b c)", &["run a-b-c-"]),
        ("printf -v x '%s' rm; $x y", &["rm y"]),
        ("run $(printf '%5s|%-3s|%.2s' a b cdef)", &["run a|b |cd"]),
        ("run $(printf %q 'a b')", &["run a\\ b"]),
    ]);
}

#[test]
fn zsh_does_not_split() {
    check_as(Dialect::Zsh, &[("x='a b'; run $x", &["run 'a b'"]), ("x=; run $x y", &["run y"])]);
}
