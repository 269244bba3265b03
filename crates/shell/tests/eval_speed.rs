//! temp
use std::time::Instant;
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::*;
use tollgate_shell::value::*;
struct H;
impl Host for H {
    fn command(&mut self, _: &Call, _: &mut Shell) -> Outcome { Outcome::unknown(Taint::NONE) }
    fn open(&mut self, _: &Open, _: &mut Shell) -> Option<Value> { None }
    fn note(&mut self, _: Note) {}
    fn is_dir(&self, _: &str) -> Option<bool> { None }
    fn environment(&self, _: &str) -> Option<String> { None }
    fn home_of(&self, _: &str) -> Option<String> { None }
}
#[test]
fn speed() {
    for s in ["ls -la", "git commit -m 'fix the parser for nested quotes' && git push", "cd /work/project && cargo build --release 2>&1 | tail -20", "x=$(git rev-parse HEAD); echo \"$x\" | sed 's/a/b/' > out.txt", "for f in a b c; do rm -rf \"$f\"; done"] {
        let n = 20000;
        let t = Instant::now();
        for _ in 0..n { std::hint::black_box(tollgate_shell::parse(s, Dialect::Bash)); }
        let p = t.elapsed() / n;
        let script = tollgate_shell::parse(s, Dialect::Bash);
        let t = Instant::now();
        for _ in 0..n { std::hint::black_box(Shell::new(Dialect::Bash, Some("/w")).run_script(&script, &mut H)); }
        println!("parse {p:?} eval {:?} {s}", t.elapsed() / n);
    }
    let s = format!("for i in {{1..200}}; do for j in {{1..200}}; do {} done; done; last", "run $i $j; ".repeat(40));
    let t = Instant::now(); Shell::new(Dialect::Bash, Some("/w")).run(&s, &mut H); println!("{:?} loops", t.elapsed());
    let s = format!("cat > f <<EOF\n{}\nEOF", "some text with $HOME and $x in it, and \\$escapes\n".repeat(6000));
    let t = Instant::now(); Shell::new(Dialect::Bash, Some("/w")).run(&s, &mut H); println!("{:?} heredoc {}", t.elapsed(), s.len());
}
