//! `approve: read-only`: what is approved, and what is not although nothing is wrong with it.

#![allow(clippy::panic, reason = "tests")]
#![allow(dead_code, reason = "the support is shared")]

mod support;

use support::{call, event, input, world};
use tollgate_model::Approve;
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

fn check(approve: Approve, tool: &str, texts: &[&str], expected: bool) {
    let mut policy = Policy::builtin();
    policy.approve = approve;
    let approved =
        |text: &&str| judge(&event(call(tool, text), input(tool, text)), &world(), &policy).decision.approve;
    let wrong: Vec<&&str> = texts.iter().filter(|text| approved(text) != expected).collect();
    assert!(wrong.is_empty(), "approved must be {expected}: {wrong:#?}");
}

const READS: &[&str] = &[
    "cat README.md",
    "ls -la src",
    "grep -rn 'rm -rf' src | head -20",
    "git status",
    "git --no-pager log --oneline -5",
    "git diff HEAD~1 -- src/a.rs",
    "git branch -a",
    "wc -l src/*.rs 2>/dev/null",
    "sed -n '1,40p' src/a.rs",
    "find . -type f -newer README.md",
    "cd src && cat a.rs && pwd",
    "rg -n TODO src | sort -k2,2n",
    "for f in src/a.rs README.md; do head -3 \"$f\"; done",
    "test -f README.md && echo there",
];

const OTHERS: &[&str] = &[
    "cargo build",
    "npm test",
    "cat /etc/hosts",
    "cat ~/notes.txt",
    "cat .env",
    "echo hi > out.txt",
    "sed -i s/a/b/ README.md",
    "sort -o README.md README.md",
    "sort --comp=./x README.md",
    "rg --pre ./x TODO src",
    "find . -name '*.rs' -exec touch {} +",
    "find . -delete",
    "git log --output=x",
    "git -c core.pager=./x log",
    "git branch new",
    "git stash",
    "git commit -m x",
    "PAGER=./x git log",
    "cat $FILE",
    "sort $OPTIONS README.md",
    "cat README.md | sh",
    "date -s 2020-01-01",
    "curl -s https://example.test",
    "env",
    "echo $AWS_SECRET_ACCESS_KEY",
    "./cat README.md",
    "cat() { touch x; }; cat README.md",
    "alias ls='touch x'\nls",
    "touch x",
    "unknown-program --version",
    "echo $(touch x)",
];

#[test]
fn what_only_reads_is_approved() {
    check(Approve::ReadOnly, "Shell", READS, true);
    check(Approve::ReadOnly, "Read", &["/home/user/project/README.md", "src/a.rs"], true);
}

#[test]
fn what_is_not_understood_to_be_harmless_is_not() {
    check(Approve::ReadOnly, "Shell", OTHERS, false);
    check(Approve::ReadOnly, "Read", &["/etc/passwd", "/home/user/.ssh/id_rsa", ".env"], false);
    check(Approve::ReadOnly, "Unsandboxed", &["cat README.md"], false);
    check(Approve::ReadOnly, "Write", &["src/a.rs\nx"], false);
}

#[test]
fn nothing_is_approved_unless_the_policy_says_so() {
    check(Approve::None, "Shell", READS, false);
}
