//! Scripts for the comparison with bash. Only stubs may be named: `run tool wipe bad say bash`.

#[rustfmt::skip]
pub const SCRIPTS: &[&str] = &[
    // Quotes, escapes, literals.
    "run a 'b c' \"d e\" f\\ g", "r\\un 'a'\"b\"c", "$'\\x72un' $'a\\tb' $'\\101' $'\\u00e9'", "run $\"loc\"", "run '' \"\" a''b",
    "ru\\\nn split", "run a#b #c\nrun d", "run \"a\\$b\\`c\\\\d\\e\"", "'run' \"\\\"\"", "run -- --x=y",
    // Parameters.
    "x=run; $x a", "x='run a b'; $x", "x='a  b'; run $x \"$x\"", "x=; run $x a \"$x\"", "run $nope a \"$nope\"", "x=a; x+=b; run $x",
    "x=1; x=2 run $x; run $x", "x=1 y=$x run \"$y\"", "run ${x:-d} ${x-e} ${x:+f}", "x=v; run ${x:-d} ${x:+f g} ${x+\"f g\"}",
    "run ${x:=a b} $x", "x=abcabc; run ${x#a} ${x##*b} ${x%c} ${x%%b*} ${x/b/X} ${x//b/X} ${x/#a/X} ${x/%c/X} ${x//b}",
    "x=hello; run ${x:1} ${x:1:3} ${x: -3} ${x: -3:2} ${x:1:-1} ${#x}", "x=hELLo; run ${x^} ${x^^} ${x,} ${x,,} ${x^^l}",
    "x=y; y=z; run ${!x} \"${!x}\"", "x='a b'; run ${x@Q} ${x@U}", "x=a; y=${x}b${x}; run $y", "run \"${x:-a b}\" ${x:-'c d'} ${x:-\"e f\"}",
    "x=/a/b/c.txt; run ${x##*/} ${x%/*} ${x%.*}", "x='*'; run \"$x\"", "x=a; run \"${x}\"'${x}'", "set -- 1 2 3; run $# $1 ${2} \"$*\"",
    "x=abc; run ${x/b/\"Q\"} ${x/b/$x}", "x=aXbXc; run ${x//X/ }", "p=a*; x=aab; run ${x#$p} ${x#\"$p\"}", "x=aab; run ${x/a*/z}",
    "unset x; run ${x+a}b", "x=a:b; run ${x%%:*} ${x##*:}", "x=5; run ${x:$((1-1)):1}", "IFS_=1; run ${!IFS_@}",
    // Arrays.
    "a=(1 '2 3' 4); run \"${a[@]}\"; run ${a[@]}; run \"${a[*]}\"; run ${#a[@]} ${a[1]} \"${a[1]}\"", "a=(x y z); run ${a[@]:1} ${a[@]:0:2} ${a[-1]}",
    "a=(); run \"${a[@]}\" e", "a[3]=d; a[1]=b; run \"${a[@]}\" ${!a[@]}", "a=(b); a+=(c d); run ${a[@]}", "declare -A m=([a]=1 [b]=2); run ${m[a]} ${m[b]}",
    "declare -A m; m[x]=1; k=x; run ${m[$k]} ${m[nope]}", "declare -A m=([a]=1 [b]=2); for k in \"${!m[@]}\"; do run $k ${m[$k]}; done",
    "a=(one two); run \"x${a[@]}y\"", "a=(a.c b.c); run ${a[@]%.c} ${a[@]/a/z}", "a=([2]=x [5]=y z); run ${!a[@]} ${a[6]}", "a=(1 2 3); unset 'a[1]'; run ${a[@]}",
    "declare -n r=t; t=1; r=2; run $t $r ${!r}", "a=(run p q); \"${a[@]}\"", "x=(a b); run $x ${x[0]}", "a=(1 2); b=(\"${a[@]}\" 3); run \"${b[@]}\"",
    // Positional parameters.
    "set -- a 'b c' d; run \"$@\"; shift; run \"$@\" $#; shift 2; run \"$@\" end", "set -- a b c; run ${@:2} ${@:1:2} \"${*:2}\" ${@: -1}", "set -- \"x y\"; run $@ \"$@\"",
    "set -- a b; run \"pre$@post\"", "set --; run \"$@\" $* x", "set a b; run $1$2", "set -- -a b; run $1", "IFS=-; set -- a b; run \"$*\" $*", "r$@un a", "set -- 1 2; for i; do run $i; done",
    // Braces, globs, tilde.
    "run {a,b}{1,2} x{,y}z {1..4} {4..1..2} {a..d} {01..03} {a,{b,c}}", "run {a} {} {a,b a} \"{a,b}\" {a','b,c}", "{run,a,b}", "x=a; run {$x,b} {$x,\"c d\"}$x",
    "run nomatch*", "> f1; > f2; run f* f? f[12] 'f*' [f]1 x*", "> f1; x='f*'; run $x \"$x\"", "set -f; > f1; run f*", "run ~ ~/x \"~\" x~ ~nosuchuser_", "x=~; run $x", "x=~/a:~/b; run $x", "run a=~/x",
    "HOME=/h; run ~ ~/y", "> 'a b'; for f in *; do run \"$f\"; done", "> a.c; a=(*.c); run \"${a[@]}\"", "shopt -s nullglob; run zz*", "shopt -s extglob\n> ab; run @(ab|cd) !(ab)",
    // Splitting.
    "IFS=,; x=a,b,,c,; run $x", "IFS=' ,'; x=' a , b ,c '; run $x", "IFS=; x='a b'; run $x", "unset IFS; x=' a\tb '; run $x", "x='a b'; run p${x}s", "x=' a'; run p$x", "x='a '; run ${x}s", "run${IFS}a", "x=$'a\\nb'; run $x \"$x\"",
    "IFS=:; x=:a:; run $x; run p$x", "IFS=x; run $(echo axbxc)", "IFS=,; x=a,b; run \"$x\" $x,c", "IFS=; set -- a b; run \"$*\" $*",
    // Arithmetic.
    "run $((1+2*3)) $(( (1+2)*3 )) $((2**8)) $((-7/2)) $((-7%3)) $((1<<4|3))", "x=3; run $((x++)) $x $((--x)) $((x*=4)) $x", "x=2; y=x+1; run $((y*2))", "run $((5>3?1:2)) $((1&&0)) $((1||0)) $((!0))", "run $((16#ff)) $((010)) $((0x10))",
    "let 'x=1+1' y=3; run $x $y", "((x=5, y=x*2)); run $y", "i=0; ((i++)) || run zero; ((i++)) && run one", "a=(5 6); run $((a[0]+a[1]))", "declare -i n; n=2*4; run $n", "x=08; run $((10#$x))", "run $[1+1]", "x=; run $((x+1)) $((nope+1))",
    // Substitution.
    "run $(echo a b) \"$(echo a b)\"", "run `echo a` \"`echo 'b c'`\"", "run $(printf 'a\\nb\\n\\n')x", "x=$(echo run); $x y", "run $(echo $(echo deep))", "run \"$(echo \"q $(echo 'r  s')\")\"", "run $(say hi there)", "x=$(exit 3); run $?", "run $(x=1; echo $x) $x",
    "run $(if bad; then echo y; else echo n; fi)", "run $(for i in 1 2; do echo $i; done)", "run \"$(echo a; (echo b); { echo c; })\"", "echo 'a b' > f; run $(< f) \"$(< f)\"", "run $(echo '*')", "run a$(echo b c)d",
    // Printing.
    "run $(echo -n a) $(echo -e 'b\\tc\\x41') $(echo -E 'd\\n') $(echo -ne 'e\\n')", "run \"$(printf '%s|%5s|%-5s|' a b c)\" $(printf '%03d %x %o' 7 255 8)", "run $(printf '%s-%s ' a b c)", "run $(printf '\\162\\x75n') $(printf %b 'a\\tb')", "printf -v v '%s' z; run $v", "run \"$(printf '%q' 'a b$')\" $(printf %c xyz) $(printf %%)",
    "run \"$(printf '%s\\n' a 'b c')\"", "run $(printf '%d' \"'A\") $(printf '%.2s' abc) $(printf '%*d' 4 7)", "run $(printf hello) $(printf '%s')", "run \"$(echo 'a\\nb')\"",
    // Lists and status.
    "run a && run b || run c", "bad && run a || run b", "true && run a; false || run b; ! true || run c; ! false && run d", "bad; run $?; run $?", "false; run $?", "{ run a; run b; }; (run c)", "exit 0; run no", "bad || exit; run no", "(exit 1) || run yes", "run a & wait; run b",
    "run _x; run $_", "echo last word > /dev/null; run $_", "bad | run a; run $?", "set -e; bad; run no", "set -e; bad || run yes; run more", "exit 1 2; run yes", "x=1 exit; run no", "return; run yes",
    // Branches.
    "if bad; then run 1; elif run 2; then run 3; else run 4; fi", "if [ a = a ]; then run y; else run n; fi", "if [[ abc == a?c ]]; then run y; else run n; fi", "x=5; if [ $x -gt 3 -a $x -lt 9 ]; then run y; fi", "if [ -z \"$x\" ]; then run e; fi", "if [[ -n $x || 1 -eq 1 ]]; then run y; fi", "if [[ ! ( a == b ) && 2 -gt 1 ]]; then run y; fi",
    "case abc in a*) run 1;; *) run 2;; esac", "case x in a|x) run 1;& y) run 2;; *) run 3;; esac", "case x in x) run 1;;& [xyz]) run 2;; *) run 3;; esac", "x='a b'; case $x in 'a b') run y;; esac", "case $nope in '') run e;; *) run f;; esac", "p='a*'; case abc in $p) run glob;; esac; case abc in \"$p\") run no;; *) run lit;; esac", "[[ abc =~ b ]] && run y", "test a != b && run y", "[ ! a = b ] && run y", "[ ] || run e; [ x ] && run x",
    "> f; [ -f f ] && run there; [ -d f ] || run nodir", "[[ -v x ]] || run unset; x=1; [[ -v x ]] && run set", "[ \"\" ] || run empty", "[[ a < b ]] && run lt", "(( 0 )) || run zero",
    // Loops.
    "for i in a 'b c' d; do run \"$i\"; done", "for i in 1 2 3; do [ $i = 2 ] && continue; run $i; done", "for i in 1 2 3; do run $i; [ $i = 2 ] && break; done", "for i in 1 2; do for j in a b; do run $i$j; continue 2; done; done", "for i in 1 2; do for j in a b; do run $i$j; break 2; done; done; run $i",
    "i=0; while [ $i -lt 3 ]; do run $i; i=$((i+1)); done; run end $i", "i=3; until [ $i -eq 0 ]; do i=$((i-1)); run $i; done", "for ((i=0;i<3;i++)); do run $i; done; run $i", "while read l; do run \"$l\"; done <<< $'a b\\n c\\nd'", "printf 'x 1\\ny 2\\n' | while read a b; do run $b $a; done", "while read -r l; do run \"$l\"; done <<'E'\na\\b\n$x\nE",
    "x=0; while true; do x=$((x+1)); run $x; [ $x -ge 3 ] && break; done; run after", "for x in $(echo a b); do run $x; done; run $x", "x=a; for i in 1 2 3; do x=$x$i; done; run $x", "while bad; do run no; done; run $?", "for i in; do run no; done; run $?", "for i in 1 2; do x=$i; done | run a; run $x", "while :; do run once; exit; done", "until run a; do run no; done",
    "for f in a b; do run $f; done > log; run \"$(< log)\"", "for i in {1..5}; do (( i % 2 )) && run $i; done", "i=0; while (( i++ < 2 )); do run $i; done", "while break; do run no; done; run after",
    // Functions.
    "f() { run \"$1\" $#; }; f 'a b' c; f", "f() { local x=in; run $x; }; x=out; f; run $x", "f() { x=changed; }; x=a; f; run $x", "f() { return 3; run no; }; f; run $?", "f() ( x=sub; run $x ); x=a; f; run $x", "function f { run k; }; f", "f() { g \"$@\"; }; g() { run g \"$@\"; }; f 1 '2 3'", "f() { if [ $1 -gt 0 ]; then run $1; f $(($1-1)); fi; }; f 3", "run() { command run wrapped \"$@\"; }; run a",
    "f() { set -- x y; run $1; }; set -- a; f; run $1", "f() { shift; run \"$@\"; }; f 1 2 3", "f() { local a=(1 2); a+=(3); run \"${a[@]}\"; }; f; run \"${a[@]}\"", "f() { run $FUNCNAME; }; f", "f() { echo out; }; run $(f) \"$(f)\"", "f() { for i in \"$@\"; do run $i; done; }; f a b", "unset -f f; f() { run 1; }; unset -f f; f", "f() { run 1; }; f() { run 2; }; f", "x=1; f() { local x; run \"${x-unset}\"; }; f", "f() { declare -g G=1; }; f; run $G", "f() { eval 'local y=2'; run $y; }; f; run $y", "f() { break; run still; }; for i in 1; do f; run in; done",
    // Text as code.
    "eval run a '$x'; x=b; eval 'run $x'", "eval \"x='a b'\"; run \"$x\"", "x='run a; run b'; eval \"$x\"", "bash -c 'run $1 $2' zero a b", "x=1; export y=2; bash -c 'run \"${x-none}\" $y'", "echo 'run piped' | bash", "bash <<< 'run here'", "bash <<E\nrun doc $((1+1))\nE", "bash <<'E'\nx=1; run $x\nE", "echo 'run file' > s; bash s; . ./s; source ./s a", "bash <(echo run proc)", ". <(echo x=5); run $x", "echo run tee > >(bash); say x > /dev/null",
    "cat() { run fake; }; cat", "x=$(bash -c 'echo a b'); run $x", "echo 'run $1' > s; bash s arg", "f() { run exported; }; export -f f; bash -c f", "eval eval run deep", "eval 'for i in 1 2; do run $i; done'", "v=x; eval $v=3; run $x", "trap 'run bye' EXIT; run first", "trap 'run $x' EXIT; x=late", "a='b c'; eval run $a; eval \"run \\$a\"", "bash -c 'exit 3'; run $?", "bash -c 'run inner; exit'; run outer", "exec run last",
    "command run a; builtin echo x > /dev/null; command -v run > /dev/null && run b", "shopt -s expand_aliases\nalias r='run aliased'\nr x", "hash -p ./nope zz; run ok", "enable -n echo; echo() { run not builtin; }; echo", "alias q=run; q x; run y",
    // Reading.
    "read x <<< 'a b'; run $x \"$x\"", "read a b <<< '1 2 3'; run $a; run $b", "IFS=: read a b <<< 'x:y:z'; run $a $b", "read -r x <<< 'a\\b'; run \"$x\"; read x <<< 'a\\b'; run \"$x\"", "read -a w <<< 'p q r'; run ${w[1]} ${#w[@]}", "mapfile -t m <<< $'a\\nb c'; run \"${m[@]}\"", "echo 'a b' | { read x y; run $y $x; }", "echo x | read v; run \"[$v]\"", "shopt -s lastpipe; echo x | read v; run $v", "{ read a; read b; } <<< $'1\\n2'; run $b $a", "read <<< ' r '; run \"$REPLY\"", "while read -d, x; do run \"$x\"; done <<< 'a,b,c'",
    "read -n 2 x <<< abcd; run $x", "IFS= read -r x <<< '  keep  '; run \"$x\"", "while getopts ab: o -a -b val; do run $o \"$OPTARG\"; done", "printf 'a\\nb' | while read l || [ -n \"$l\" ]; do run $l; done", "IFS=, read -ra f <<< 'a,b c,d'; run \"${f[@]}\"",
    // Redirections and files.
    "echo a > f; echo b >> f; while read l; do run $l; done < f", "{ echo 1; echo 2; } > f; run $(< f)", "run a > out; run b 2>&1", "echo x > f; cd .; read v < f; run $v", "exec 3<<< 'fd three'; read -u 3 v; run $v", "exec 4> f; echo hi >&4; exec 4>&-; run $(< f)", "f() { echo inside; }; f > o; run $(< o)", "(echo sub > g); run $(< g)", "echo e >&2 2> f; run x", "{ echo err >&2; } 2> f; run $(< f)", "bad > /nonexistent/x; run $?", "true > /nonexistent/x || run failed", "x=1 > /nonexistent/y; run \"[$x]\"", "read v < <(echo ps); run $v", "echo one | tee() { run fn; }; run ok",
    "> f; run $(< f) e", "echo a > 'f g'; run \"$(< 'f g')\"", "exit > /nonexistent/x; run still", "cd /nonexistent && run no; run yes", "cd .. && run up; cd - > /dev/null && run back", "echo run dyn > s; n=s; bash $n; bash ./$n",
    // Arrays that are declared again.
    "a=(1 2); declare -A a; run \"${a[@]}\" ${a[1]}", "a=(1 2); declare -A a=([k]=v); run \"${a[@]}\"", "declare -A m=([k]=v); declare -a m=(q); run ${m[k]}", "x=1; declare -A x; run ${x[0]}", "x=1; declare -a x; run ${x[0]} $x", "x=out; f() { local -A x=([k]=v); run ${x[k]}; }; f; run $x", "a=(1 2); f() { declare -A a=([p]=q); run ${a[p]}; }; f; run ${a[1]}",
    "for i in 1 ${y^^}; do a[2]=z; done; run ${a[-1]}", "bad || a=(1 2 3); run ${a[-1]} ${a[-2]}", "f() { tool \"$*\"; }; f a $nope; f $nope b; f a $nope b", "declare -A m; m[k]=a; m[k]+=b; m[j]+=c; run ${m[k]} ${m[j]}", "a=(x y); a[1]+=z; a[5]+=w; run \"${a[@]}\"", "declare -i n=1; n+=2; run $n", "a=(1 2); declare -i a; a[0]+=5; run ${a[0]}", "declare m[k]=v; run ${m[0]}", "declare 'a[2]=z'; run ${a[2]}",
    // Joins and mixtures.
    "if bad; then x=1; else x=2; fi; run $x", "bad && x=1 || x='a b'; run $x", "x=a; (x=b; run $x); run $x", "x=a; { x=b; } ; run $x", "x=a; echo | x=b; run $x", "x=a; x=b & wait; run $x", "bad; [ $? -ne 0 ] && run nz", "x=; [ -n \"$x\" ] || x=def; run $x", "for i in 1 2; do bad || x=$i; done; run $x", "c=run; for a in x y; do $c $a; c=tool; done", "x='$y'; y=1; run $x; eval run $x", "a=1; b=a; c=b; run ${!c} ${!b}", "x='a;b|c&d'; run $x", "x='run z'; $x; \"$x\"", "f='run'; ${f}${nope} a", "set -- r u n; \"$1$2$3\" glued", "x=abc; run \"${x:0:1}${x:2}\"", "p=/usr/bin; run ${p:0:1}", "x=run; y=x; ${!y} ind", "coproc run co; wait; run after", "time run timed", "! run neg; run $?", "select_=1; run $select_", "x=$'run\\nrun b'; eval \"$x\"", "i=5; ((i-=2)); while ((i)); do run $i; ((i--)); done; run done", "run \"$(cat() { echo fn; }; cat)\"",
];

/// Ways in which bash runs code that is not written as a command. Run in bash only.
#[rustfmt::skip]
pub const HIDDEN: &[&str] = &[
    // Subscripts are arithmetic, and arithmetic runs substitutions.
    "a=(1); (( a[$(run sub)] ))", "x='a[$(run sub)]'; (( x ))", "x='a[$(run sub)]'; [[ $x -eq 0 ]]", "x='a[$(run sub)]'; y=$((x + 1))", "x='a[$(run sub)]'; [ \"$x\" -eq 1 ]", "[[ -v 'a[$(run sub)]' ]]", "test -v 'a[$(run sub)]'", "printf -v 'a[$(run sub)]' x", "a=(1); unset 'a[$(run sub)]'", "read 'a[$(run sub)]' <<< x", "x='a[$(run sub)]'; echo ${!x}", "declare 'a[$(run sub)]=1'", "let 'a[$(run sub)]=1'", "declare -i n; n='a[$(run sub)]'", "x='a[$(run sub)]'; a=(1 2); echo ${a[x]}", "x='a[$(run sub)]'; y=abc; echo ${y:x}", "x='a[$(run sub)]'; for ((i=x; i<1; i++)); do run in; done", "x='a[$(run sub)]'; a[x]=1", "x='a[`run sub`]'; echo $((x))", "declare -n r='a[$(run sub)]'; echo $r", "x='a[$(run sub)]'; echo $[x]", "x='a[$(run sub)]'; shift x", "local_=1; x='a[$(run sub)]'; return x; run next", "x='a[$(run sub)]'; exit x",  "x='a[$(run sub)]'; wait -n x", "getopts a 'a[$(run sub)]' -a", "mapfile 'a[$(run sub)]' <<< x", "x='a[$(run sub)]'; printf '%d' \"$x\"", "x='a[$(run sub)]'; echo {1..$((x))}", "y='b[$(run sub)]'; x=y; echo $((x))", "x='a[$(run sub)]'; echo ${x@A}", "a=([$(run key)]=v)", "declare -A m; m[$(run key)]=v; run ${m[@]}", "declare -A m; m[$(say key)]=v; run \"${!m[@]}\"",
    // Prompts and transformations.
    "x='$(run sub)'; echo \"${x@P}\"", "x='\\$(say hi)'; y=${x@P}; run \"$y\"", "x='a\\tb'; run \"${x@E}\"", "x='a b'; run ${x@Q}; eval run ${x@Q}", "x=run; run ${x@U} ${x@u}", "PS4='$(run sub)'; set -x; :", "PS4='$(run sub)'; set -o xtrace; :", "x=5; y=x; run ${!y}", "ab=1; ac=2; run ${!a*}; run \"${!a@}\"", "declare -n r=x; x=1; run $r; r=2; run $x", "f() { declare -n o=$1; o=changed; }; f x; run $x", "x=y; y=z; z=w; run ${!x}", "set -- a b; i=2; run ${!i}; run ${!#}", "a=(p q); r='a[1]'; run ${!r}; r='a[@]'; run \"${!r}\"",
    // Traps, handlers and other later code.
    "trap 'run debug' DEBUG; true", "trap 'run err' ERR; false", "f() { trap 'run ret' RETURN; }; f", "trap 'run term' TERM; kill $$", "trap 'run usr' USR1; kill -USR1 $$; :", "trap 'run ex' 0", "trap -- 'run ex' SIGINT EXIT", "trap run EXIT", "(trap 'run sub' EXIT)", "x=$(trap 'say sub' EXIT); run $x", "f() { run handler; }; trap f EXIT", "trap 'run a' EXIT; trap - EXIT", "trap 'run a' EXIT; trap '' EXIT", "command_not_found_handle() { run cnf \"$@\"; }; nosuch a b", "set -E; trap 'run err' ERR; f() { false; }; f", "set -T; trap 'run dbg' DEBUG; f() { :; }; f",
    "cat() { run cat; }; mapfile -C 'run cb' -c 1 a <<< $'x\\ny'", "readarray -c1 -C 'run cb' a <<< $'x\\ny'", "mapfile -tn1 -s 1 a <<< $'x\\ny\\nz'; run \"${a[@]}\"", "mapfile -td, a <<< 'x,y'; run \"${a[0]}\"", "a=(p q r); mapfile -O 1 -t a <<< z; run \"${a[@]}\"", "o=-r; x=ls; read $o x <<< 'run a'; run $x", "coproc { run co; }; wait", "coproc N { run co; }; wait", "coproc run co; wait", "complete -C 'run x' y; run done", "PROMPT_COMMAND='run prompt'; run a", "BASH_ENV=./env; echo 'run env' > env; export BASH_ENV; bash -c 'run inner'", "echo 'run env' > env; BASH_ENV=./env bash -c :", "echo 'run env' > env; ENV=./env bash -c 'run x'", "bind -x '\"a\":run x'; run done",
    // Scripts that come through descriptors.
    "exec 3<<< 'run fd'; bash <&3", "echo 'run f' > f; exec 3< f; bash <&3", "echo 'run f' > f; exec 3< f; bash /dev/fd/3", "echo 'run f' > f; exec 3< f; . /dev/fd/3", "source /dev/stdin <<< 'run in'", ". /dev/stdin <<'E'\nrun in\nE", "echo run in | source /dev/stdin", "bash -s a b <<< 'run \"$@\"'", "bash -s <<E\nrun $((1+1))\nE", "bash /dev/stdin x <<< 'run $1'", "bash <<< 'run in' 3<&0 <&3", "exec < <(echo run in); bash", "exec 3<> f; echo run in >&3; . ./f", "{ bash; } <<< 'run in'", "while read l; do eval \"$l\"; done <<< 'run in'", "bash -c \"$(say run in)\"; bash -c 'eval \"$0\"' 'run zero'", "bash -c -- 'run dashes'", "bash -ec 'run e'", "bash +x -c 'run p'", "bash --norc -c 'run n'", "bash -o pipefail -c 'run o'", "bash -c 'run $0' n; bash -xc 'run x'", "exec bash -c 'run ex'", "exec -a name bash -c 'run ex'", "command bash -c 'run com'", "eval \"$(printf 'run %s\\n' a b)\"", "printf '%s\\n' 'run p' | bash", "bash < <(printf 'run %s\\n' q)", "x='run in'; bash <<< \"$x\"", "f() { bash; }; echo run in | f", "bash -c 'bash -c \"run deep\"'", "cat <<'E' | bash\nrun piped\nE",
    ": {fd}<<< 'run a'; bash <&$fd", "{ exec 3<<< 'run x'; } > f; bash <&3", "{ exec 3<&0; } <<< 'run y'; bash <&3", "while :; do exec 4<<< 'run z'; break; done < /dev/null; bash <&4", "f() { exec 5<<< 'run f'; }; f > out; bash <&5", "{ read x; { read y; } <<< b; read z; } <<< $'a\nc'; run $x $y $z", "echo a | { read x; echo b | { read y; run $x $y; }; }",
    // Here-documents with odd delimiters.
    "bash <<-E\n\trun tab\n\tE\nrun after", "bash <<'A B'\nrun x\nA B\nrun after", "bash <<\"E\"$x\nrun x\nE$x\nrun after", "bash <<\\E\nrun $x\nE\nrun after", "bash <<E'F'\nrun x\nEF\nrun after", "bash <<''\nrun x\n\nrun after", "bash <<E; run same\nrun x\nE\nrun after", "bash <<A; bash <<B\nrun a\nA\nrun b\nB", "bash <<E\nrun a \\\nb\nE", "bash <<'E'\nrun a \\\nb\nE", "bash <<$'E'\nrun x\nE\nrun after", "x=$(bash <<E\nsay in\nE\n); run $x", "bash <<E\nrun `say in`\nE", "bash <<E\nrun \"\\$(say in)\"\nE",
    // Characters.
    "ru\\\nn joined", "r\\\nun a &\\\n& run b", "if\\\n true; then run y; fi", "run a;\\\nrun b", "run $\"x y\"", "run $'\\x61\\u0062\\103'", "x=$'run\\x20a'; $x", "run a\u{a0}b", "run\u{a0}x; run y", "run a\u{3000}b", "run 'a\rb'", "run a\r\nrun b", "run \u{e9}\u{301}", "run a#b # c", "run \\#a", "run a\u{b}b", "run a\u{c}b", "{run,a}", "run {a,b", "run a}b", "run ''a\"\"", "run \"a\\\nb\" 'c\\\nd'",
    // Other forms.
    "for i in a b; { run $i; }", "for ((i=0;i<2;i++)) { run $i; }", "select x in a; do run $x; break; done <<< 1", "case a in (a) run y;; esac", "function f() { run k; }; f", "f() if true; then run b; fi; f", "f() for i in a; do run $i; done; f", "f() ( run sub ); f", "f() { run $1; } > out; f a", "f() [[ a == a ]]; f && run y", "time -p run t", "! ! run n", "{ run a; } 2>&1 | { run b; }", "run a |& run b", "if [[ a =~ (a) ]]; then run ${BASH_REMATCH[1]}; fi", "while run c; do break; done", "until bad; do run u; break; done", "(( 1 )) && run y || run n", "[[ -n x && ( -z '' || x ) ]] && run y", "run $(( 2#101 )) $(( 0x1f )) $(( 010 ))", "run ${#}", "run \"${@:-none}\"", "run ${x:+a} ${x+b} ${x:-c}", "run \"${x/a/b}\"", "run a & wait; run b", "exec 3>&1; run a >&3", "run a >| f; run b &> f; run c &>> f", "run a 2>&1 > f | run b", "x=(run a); \"${x[@]}\" b", "x=run; y=x; ${!y} a", "set -- run a; \"$@\" b", "x=\"run a\"; $x b; IFS=_; x=run_a; $x b", "enable -n echo; echo() { run fn; }; echo", "builtin eval run e", "command eval run e", "builtin command run c", "command -p bash -c 'run p' || run q", "eval -- run e", "\\eval run e; 'eval' run f; e\"v\"al run g", "alias a=run; eval 'a x'", "shopt -s expand_aliases; alias a='run x;'; eval 'a run y'", "shopt -s expand_aliases; alias a='run '; alias b='c d'; eval 'a b'", "BASH_ALIASES[zz]='run al'; shopt -s expand_aliases; eval zz", "f() { run f; }; \\f; 'f'; \"f\"", "unset x; : ${x:=run a}; $x", "printf -v x 'run %s' a; $x", "read -r x <<< 'run a'; $x", "mapfile -t a <<< 'run a'; ${a[0]}", "IFS= read -r -d '' x <<< 'run a'; eval \"$x\"", "x=nur; y=; for ((i=2;i>=0;i--)); do y+=${x:i:1}; done; $y a", "x=run; x+=' a'; $x", "printf 'run a' > s; bash s; chmod() { :; }; . ./s", "echo 'f() { run lib; }' > lib; . ./lib; f", "eval 'f() { run ev; }'; f", "x='f() { run v; }'; eval \"$x\"; f", "declare -f f; f() { run z; }; eval \"$(declare -f f | bash -c 'cat' 2>/dev/null)\"; f", "run $(f() { echo in; }; f)", "{ f() { run grp; }; }; f", "x=$(exit 3) || run $?", "false || { run a; false; } || run b", "set -e; false; run never", "set -e; bad || run y; run z",
];

/// Words for scripts made at random.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    "a", "'b c'", "\"d  e\"", "$x", "\"$x\"", "${x}", "${x:-f g}", "\"${x:-h}\"", "${x#a}", "${y%?}",
    "${y/b/B}", "${#y}", "{p,q}", "{1..3}", "$(echo k l)", "\"$(echo m  n)\"", "$((1+2))", "$((n+1))",
    "\"${a[@]}\"", "${a[1]}", "${a[*]}", "\"$@\"", "$1", "$#", "x$y\"z\"", "$'t\\tu'", "\\$v", "~", "w*",
    "${y^^}", "${y:1:2}", "\"${!r}\"", "$?", "$z", "''", "\"\"", "${z-unset}", "$(say s)", "`echo b t`",
    "${y//[bc]/-}", "x{$y,2}", "${x+set}", "${m[k]}", "${m[$x]}", "${a[@]:1}", "${a[-1]}", "${@:2}",
    "\"${a[*]}\"", "$_", "${x@Q}", "${!a[@]}", "${a[@]#1}", "$((a[0]))", "\"${m[@]}\"",
    "${x:-$(echo d)}", "${x:=as}", "\"a${a[@]}b\"", "$*", "\"$*\"", "${y,,}", "${y%%b*}", "$((n>1?5:6))",
    "~/f",
];

/// Commands for scripts made at random, besides calls and assignments. None may start a shell that calls `f`
/// or `g`, whose bodies are made at random too: that would start shells without end.
#[rustfmt::skip]
pub const EFFECTS: &[&str] = &[
    "a=(1 '2 3')", "a+=(n)", "set -- p 'q r'", "shift", "n=$((n+1))", "IFS=,", "unset IFS", "unset x",
    "r=y", "x=b,c", "local l=1", "read x <<< 'u v'", "read x y <<< '1 2 3'", "((n+=2))", "export x",
    "x+=s", "false", "true", "f() { run in \"$@\"; }", "g() { x=$1; run g $x; }", "eval 'run e $x'",
    "printf -v y %s-%s A B", "set -f", "set +f", "echo 'run file $x' > s", "source s", ". ./s",
    "command run c", "unset -f f", "declare -u y=low", "x=$(echo $x)",
    "echo \"$x\" | while read l; do run \"$l\"; done", "[ \"$x\" = a ]", "[[ $y == *b* ]]",
    "trap 'run t' USR1", "declare -A m=([k]=v [a]=w)", "m[j]=\"x y\"", "readonly q=1", "q=2; run $q",
    "exec 3<<< 'l1'", "read -u 3 x", "mapfile -t a <<< $'l\\nm n'", "trap 'run bye $x' EXIT", "return",
    "exit", "break", "continue", "f & wait", "unset a", "a[2]=z", "x=${x^^}",
    "printf '%s\\n' \"$x\" >> log", "x=$(< log)", "bash -c 'run sub $x'", "h() { run h $1; }; export -f h; bash -c 'h z'",
    "eval \"g() { run evald \\\"\\$@\\\"; }\"", "set -- \"${a[@]}\"", "shopt -s nocasematch",
    "bash <<< 'run here $y'", "cd .", "x=$y$x", "y=${x:-$y}", "unset \"a[0]\"", "declare -i n=5",
    "declare -n r=x", "unset -n r", "{ read l; run $l; } < log", "a=(\"$@\" $x)", "IFS=b", "x='a b'",
    "y=abcb", "x=; y=", "c=run; $c $c", "for x in; do :; done", "(x=sub; exit 3)",
    "case $x in a*) c=tool;; esac", "x=$(f q)", "let n++", "n=0; ((n)) || run zero", "!  true",
    "export y; y=E", "shopt -s lastpipe", "echo q w | read x y", "f() { return ${1:-0}; }",
    "f() { local x=$1 y; y=$x; run $y; }", "set -o pipefail", "bad | run p", "x+=([3]=q)",
    "source <(echo x=psub)", "alias run=tool", "hash -r", ": ${x:?gone}", "set -u", "set -e",
];
