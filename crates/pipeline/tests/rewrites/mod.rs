//! Rewrites of a command that keep what it does. Each is checked against real bash with harmless commands.

mod source;

pub use source::Source;

/// One way to say the same thing.
pub struct Rewrite {
    pub name: &'static str,
    pub kind: Kind,
    /// A program beside bash that must be there to run it.
    pub needs: &'static str,
    pub apply: fn(&Source) -> Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Other quoting of the same words.
    Quoting,
    /// Words by way of variables, substitutions, other names of the same file.
    Words,
    /// The whole command inside something that runs it.
    Wrapping,
    /// The whole command as data that is decoded or handed to an interpreter.
    Code,
}

const fn row(kind: Kind, name: &'static str, apply: fn(&Source) -> Option<String>) -> Rewrite {
    Rewrite { name, kind, needs: "", apply }
}

const fn with(
    kind: Kind,
    name: &'static str,
    needs: &'static str,
    apply: fn(&Source) -> Option<String>,
) -> Rewrite {
    Rewrite { name, kind, needs, apply }
}

use Kind::{Code, Quoting, Words, Wrapping};

pub const REWRITES: &[Rewrite] = &[
    row(Quoting, "empty quotes inside words", |s| s.each_plain(|_, w| spliced(w, "\"\""))),
    row(Quoting, "empty single quotes inside words", |s| s.each_plain(|_, w| spliced(w, "''"))),
    row(Quoting, "single quotes", |s| s.each_plain(|_, w| format!("'{w}'"))),
    row(Quoting, "double quotes", |s| s.each_plain(|_, w| format!("\"{w}\""))),
    row(Quoting, "backslash before every letter", |s| {
        s.each_plain(|_, w| each_char(w, |c| format!("\\{c}")))
    }),
    row(Quoting, "ANSI hex", |s| s.each_plain(|_, w| ansi(w, |b| format!("\\x{b:02x}")))),
    row(Quoting, "ANSI octal", |s| s.each_plain(|_, w| ansi(w, |b| format!("\\{b:03o}")))),
    row(Quoting, "ANSI unicode", |s| s.each_plain(|_, w| ansi(w, |b| format!("\\u{b:04x}")))),
    row(Quoting, "locale quotes", |s| s.each_plain(|_, w| format!("$\"{w}\""))),
    row(Quoting, "line continued inside words", |s| s.each_plain(|_, w| spliced(w, "\\\n"))),
    row(Quoting, "line continued before words", |s| s.each_plain(|_, w| format!("\\\n{w}"))),
    row(Quoting, "a comment first", |s| Some(format!("# tidy up\n{}", s.text))),
    row(Words, "variables", variables),
    row(Words, "two variables per word", |s| {
        let set = prefix_of(s, |n, w| format!("p{n}={}\nq{n}={}\n", halves(w).0, halves(w).1))?;
        Some(set + &s.each_plain(|n, _| format!("\"$p{n}${{q{n}}}\""))?)
    }),
    row(Words, "default of an unset variable", |s| s.each_plain(|_, w| format!("${{no_such_thing:-{w}}}"))),
    row(Words, "a slice of a longer text", |s| {
        let set = prefix_of(s, |n, w| format!("v{n}=xyz{w}\n"))?;
        Some(set + &s.each_plain(|n, _| format!("\"${{v{n}:3}}\""))?)
    }),
    row(Words, "a prefix taken off", |s| {
        let set = prefix_of(s, |n, w| format!("v{n}=xyz{w}\n"))?;
        Some(set + &s.each_plain(|n, _| format!("\"${{v{n}#xyz}}\""))?)
    }),
    row(Words, "a part replaced", |s| {
        let set = prefix_of(s, |n, w| format!("v{n}={}%%{}\n", halves(w).0, halves(w).1))?;
        Some(set + &s.each_plain(|n, _| format!("\"${{v{n}/\\%\\%/}}\""))?)
    }),
    row(Words, "printf -v", |s| {
        let set = prefix_of(s, |n, w| {
            format!("printf -v v{n} '%s%s' {} {}\n", quoted(halves(w).0), quoted(halves(w).1))
        })?;
        Some(set + &s.each_plain(|n, _| format!("\"$v{n}\""))?)
    }),
    row(Words, "indirection", |s| {
        let set = prefix_of(s, |n, w| format!("v{n}={w}\nr{n}=v{n}\n"))?;
        Some(set + &s.each_plain(|n, _| format!("\"${{!r{n}}}\""))?)
    }),
    row(Words, "echo in place of words", |s| {
        s.each_plain(|_, w| if w.starts_with('-') { w.to_owned() } else { format!("$(echo {w})") })
    }),
    row(Words, "backticks in place of names", |s| s.each_name(|_, w| format!("`echo {w}`"))),
    row(Words, "printf in place of names", |s| s.each_name(|_, w| format!("$(printf %s {w})"))),
    row(Words, "printf in hex in place of names", |s| {
        s.each_name(|_, w| {
            format!("$(printf '{}')", w.bytes().map(|b| format!("\\x{b:02x}")).collect::<String>())
        })
    }),
    row(Words, "rev in place of names", |s| {
        s.each_name(|_, w| format!("$(echo {} | rev)", w.chars().rev().collect::<String>()))
    }),
    row(Words, "tr in place of names", |s| {
        s.each_name(|_, w| format!("$(echo {} | tr A-Za-z N-ZA-Mn-za-m)", rot13(w)))
    }),
    row(Words, "one-item braces", |s| {
        let words = s.plain_words()?;
        Some(format!("{{{}}}", words.join(",")))
    }),
    row(Words, "IFS between words", |s| Some(s.plain_words()?.join("${IFS}"))),
    row(Words, "an array", |s| Some(format!("a=({})\n\"${{a[@]}}\"", s.alone().map(|_| &s.text)?))),
    row(Words, "positional parameters", |s| Some(format!("set -- {}\n\"$@\"", s.alone().map(|_| &s.text)?))),
    row(Words, "the arguments of a function", |s| {
        Some(format!("f() {{ \"$@\"; }}\nf {}", s.alone().map(|_| &s.text)?))
    }),
    row(Words, "the path of programs", |s| on_disk(s, |w| format!("/usr/bin/{w}"))),
    row(Words, "a winding path of programs", |s| on_disk(s, |w| format!("/usr/../usr/./bin//{w}"))),
    row(Words, "$HOME for ~", |s| tilde(s, "\"$HOME\"")),
    row(Words, "${HOME} unquoted for ~", |s| tilde(s, "${HOME}")),
    row(Words, "a variable for ~", |s| Some(format!("h=~\n{}", tilde(s, "\"$h\"")?))),
    row(Words, "cd ~ first", |s| Some(format!("cd ~\n{}", at_home(s)?))),
    row(Words, "double slashes", |s| paths(s, |p| p.replace('/', "//"))),
    row(Words, "dots in paths", |s| paths(s, |p| p.replace('/', "/./"))),
    row(Words, "there and back in paths", |s| {
        paths(s, |p| {
            let top = p.split('/').nth(1).unwrap_or_default();
            format!("/{top}/..{p}")
        })
    }),
    row(Words, "an alias", |s| {
        let known = s.alone()?;
        let name = known
            .words
            .first()
            .map(|span| s.slice(*span))
            .filter(|name| name.chars().all(char::is_alphanumeric))?;
        Some(format!("shopt -s expand_aliases\nalias zz={name}\nzz {}", s.text.strip_prefix(name)?))
    }),
    row(Words, "a hashed name", |s| {
        let name = s.plain_words()?.first().copied()?;
        let rest = s.text.strip_prefix(name)?;
        (!matches!(name, "cd" | "echo" | "printf" | "enable" | "exec") && !name.contains('/'))
            .then(|| format!("hash -p /usr/bin/{name} zz\nzz{rest}"))
    }),
    row(Wrapping, "a group", |s| Some(format!("{{\n{}\n}}", s.text))),
    row(Wrapping, "a subshell", |s| Some(format!("(\n{}\n)", s.text))),
    row(Wrapping, "if true", |s| Some(format!("if true; then\n{}\nfi", s.text))),
    row(Wrapping, "else", |s| Some(format!("if false; then :; else\n{}\nfi", s.text))),
    row(Wrapping, "for one", |s| Some(format!("for once in 1; do\n{}\ndone", s.text))),
    row(Wrapping, "while, then break", |s| Some(format!("while true; do\n{}\nbreak; done", s.text))),
    row(Wrapping, "case", |s| Some(format!("case x in x)\n{}\n;; esac", s.text))),
    row(Wrapping, "a function", |s| Some(format!("zz() {{\n{}\n}}\nzz", s.text))),
    row(Wrapping, "a function with the keyword", |s| Some(format!("function zz {{\n{}\n}}; zz", s.text))),
    row(Wrapping, "after &&", |s| Some(format!("true && {{\n{}\n}}", s.text))),
    row(Wrapping, "after ||", |s| Some(format!("false || {{\n{}\n}}", s.text))),
    row(Wrapping, "after ;", |s| Some(format!("echo >/dev/null; {}", s.text))),
    row(Wrapping, "after a test", |s| Some(format!("[[ a == a ]] && {{\n{}\n}}", s.text))),
    row(Wrapping, "after arithmetic", |s| Some(format!("((1)) && {{\n{}\n}}", s.text))),
    row(Wrapping, "negated twice", |s| Some(format!("! ! {{\n{}\n}}", s.text))),
    row(Wrapping, "time", |s| Some(format!("time {{\n{}\n}}", s.text))),
    row(Wrapping, "time -p", |s| Some(format!("time -p {{\n{}\n}}", s.text))),
    row(Wrapping, "background", |s| Some(format!("{{\n{}\n}} &\nwait", s.text))),
    row(Wrapping, "a coprocess", |s| Some(format!("exec 5>&1\ncoproc {{\n{}\n}} >&5\nwait", s.text))),
    // A trap that is set at the end does not run any more.
    row(Wrapping, "trap at the end", |s| {
        (!s.text.contains("trap ")).then(|| format!("trap {} EXIT", quoted(&s.text)))
    }),
    row(Wrapping, "trap on an error", |s| Some(format!("trap {} ERR\nfalse", quoted(&s.text)))),
    row(Wrapping, "a trap of a signal", |s| Some(format!("trap {} USR1\nkill -USR1 $$", quoted(&s.text)))),
    row(Wrapping, "the first of a pipe", |s| Some(format!("{{\n{}\n}} | cat", s.text))),
    row(Wrapping, "the last of a pipe", |s| Some(format!("true | {{\n{}\n}}", s.text))),
    row(Wrapping, "a substitution", |s| Some(format!("echo \"$(\n{}\n)\"", s.text))),
    row(Wrapping, "a default with a substitution", |s| {
        Some(format!("echo \"${{no_such_thing:-$(\n{}\n)}}\"", s.text))
    }),
    row(Wrapping, "a process substitution", |s| Some(format!("cat <(\n{}\n)", s.text))),
    row(Wrapping, "a redirection in front", |s| Some(format!("2>/dev/null {}", s.alone().map(|_| &s.text)?))),
    row(Wrapping, "an assignment in front", |s| {
        s.alone()?;
        s.each_program(|_, w| format!("LC_ALL=C {w}"))
    }),
    row(Wrapping, "command", |s| s.each_program(|_, w| format!("command {w}"))),
    row(Wrapping, "exec", |s| s.single.then(|| s.each_program(|_, w| format!("exec {w}")))?),
    row(Wrapping, "exec under another name", |s| {
        // Such a program is whatever it is called by.
        let multicall = ["busybox", "toybox"].iter().any(|name| s.text.contains(name));
        (s.single && !multicall).then(|| s.each_program(|_, w| format!("exec -a ls {w}")))?
    }),
    row(Wrapping, "env", |s| s.each_program(|_, w| format!("env {w}"))),
    row(Wrapping, "env with a variable", |s| s.each_program(|_, w| format!("env -u FOO LC_ALL=C {w}"))),
    row(Wrapping, "timeout", |s| s.each_program(|_, w| format!("timeout 9 {w}"))),
    row(Wrapping, "timeout with options", |s| {
        s.each_program(|_, w| format!("timeout -k 1s --signal=TERM 9 {w}"))
    }),
    row(Wrapping, "nohup", |s| s.each_program(|_, w| format!("nohup {w}"))),
    row(Wrapping, "nice", |s| s.each_program(|_, w| format!("nice -n 5 {w}"))),
    with(Wrapping, "setsid", "setsid", |s| s.each_program(|_, w| format!("setsid -w {w}"))),
    with(Wrapping, "stdbuf", "stdbuf", |s| s.each_program(|_, w| format!("stdbuf -oL {w}"))),
    with(Wrapping, "sudo", "sudo", |s| s.each_program(|_, w| format!("sudo -n {w}"))),
    row(Wrapping, "many wrappers", |s| {
        s.each_program(|_, w| format!("command env nice timeout 9 nohup {w}"))
    }),
    row(Wrapping, "xargs", |s| {
        let words = s.plain_words()?;
        let (name, rest) = words.split_first()?;
        (!matches!(*name, "cd" | "exec")).then(|| format!("printf '%s\\n' {} | xargs {name}", rest.join(" ")))
    }),
    row(Wrapping, "xargs with the words in it", |s| {
        s.plain_words().filter(|words| !matches!(words.first(), Some(&("cd" | "exec"))))?;
        Some(format!("echo | xargs {}", s.text))
    }),
    row(Wrapping, "find -exec bash", |s| {
        let text = format!("find / -maxdepth 0 -exec bash -c {} \\;", quoted(&s.text));
        (!s.text.contains("{}")).then_some(text)
    }),
    row(Code, "eval", |s| Some(format!("eval {}", quoted(&s.text)))),
    row(Code, "eval of a variable", |s| Some(format!("code={}\neval \"$code\"", quoted(&s.text)))),
    row(Code, "eval of two halves", |s| {
        let (left, right) = halves(&s.text);
        Some(format!("a={}\nb={}\neval \"$a$b\"", quoted(left), quoted(right)))
    }),
    row(Code, "eval of what was read", |s| {
        (!s.text.contains('\n')).then(|| format!("IFS= read -r code <<< {}\neval \"$code\"", quoted(&s.text)))
    }),
    row(Code, "eval of lines", |s| {
        Some(format!("mapfile code <<< {}\neval \"${{code[*]}}\"", quoted(&s.text)))
            .filter(|_| !s.text.contains('\n'))
    }),
    row(Code, "bash -c", |s| Some(format!("bash -c {}", quoted(&s.text)))),
    row(Code, "bash -c of a variable", |s| Some(format!("code={}\nbash -c \"$code\"", quoted(&s.text)))),
    row(Code, "bash -c with other options", |s| {
        Some(format!("/bin/bash --norc -e -o pipefail -c {} x", quoted(&s.text))).filter(|_| s.single)
    }),
    row(Code, "env bash -c", |s| Some(format!("/usr/bin/env bash -c {}", quoted(&s.text)))),
    row(Code, "bash in bash in bash", |s| {
        let inner = format!("bash -c {}", quoted(&s.text));
        let inner = format!("bash -c {}", quoted(&inner));
        Some(format!("bash -c {}", quoted(&inner)))
    }),
    row(Code, "the environment of a shell", |s| {
        Some(format!("CODE={} bash -c 'eval \"$CODE\"'", quoted(&s.text)))
    }),
    row(Code, "an argument of a shell", |s| Some(format!("bash -c 'eval \"$1\"' x {}", quoted(&s.text)))),
    row(Code, "heredoc to bash", |s| Some(format!("bash <<'END_OF_IT'\n{}\nEND_OF_IT", s.text))),
    row(Code, "heredoc to bash -s", |s| {
        Some(format!("bash -s x <<-'END_OF_IT'\n{}\nEND_OF_IT", s.text)).filter(|_| !s.text.contains('\n'))
    }),
    row(Code, "heredoc through cat", |s| Some(format!("cat <<'END_OF_IT' | bash\n{}\nEND_OF_IT", s.text))),
    row(Code, "here-string to bash", |s| Some(format!("bash <<< {}", quoted(&s.text)))),
    row(Code, "here-string to source", |s| Some(format!("source /dev/stdin <<< {}", quoted(&s.text)))),
    row(Code, "another descriptor", |s| {
        // The text must not mean the descriptor itself.
        let free = !s.text.contains("&3");
        free.then(|| format!("bash /dev/fd/3 3<<'END_OF_IT'\n{}\nEND_OF_IT", s.text))
    }),
    row(Code, "a sourced process substitution", |s| {
        Some(format!("source <(printf '%s\\n' {})", quoted(&s.text)))
    }),
    row(Code, "a run process substitution", |s| {
        Some(format!("bash <(cat <<'END_OF_IT'\n{}\nEND_OF_IT\n)", s.text))
    }),
    row(Code, "echo to bash", |s| {
        (!s.text.contains('\\')).then(|| format!("echo {} | bash", quoted(&s.text)))
    }),
    row(Code, "printf to bash", |s| Some(format!("printf '%s\\n' {} | bash", quoted(&s.text)))),
    row(Code, "printf hex to bash", |s| {
        let hex: String = s.text.bytes().map(|b| format!("\\x{b:02x}")).collect();
        Some(format!("printf '{hex}' | bash"))
    }),
    row(Code, "echo -e octal to bash", |s| {
        let octal: String = s.text.bytes().map(|b| format!("\\0{b:03o}")).collect();
        Some(format!("echo -e '{octal}' | bash"))
    }),
    row(Code, "tee to bash", |s| {
        Some(format!("tee /tmp/code.sh <<'END_OF_IT' | bash\n{}\nEND_OF_IT", s.text))
    }),
    row(Code, "a script in a file", |s| {
        Some(format!(
            "cat > /tmp/tollgate-rewrite.sh <<'END_OF_IT'\n{}\nEND_OF_IT\nbash /tmp/tollgate-rewrite.sh",
            s.text
        ))
    }),
    row(Code, "a program in a file", |s| {
        Some(format!(
            "printf '%s\\n' '#!/bin/bash' {} > /tmp/tollgate-rewrite2.sh && chmod +x /tmp/tollgate-rewrite2.sh && /tmp/tollgate-rewrite2.sh",
            quoted(&s.text)
        ))
    }),
    row(Code, "base64 to bash", |s| Some(format!("echo {} | base64 -d | bash", base64(s.text.as_bytes())))),
    row(Code, "base64 here-string in a substitution", |s| {
        Some(format!("bash -c \"$(base64 --decode <<< {})\"", base64(s.text.as_bytes())))
    }),
    row(Code, "eval of base64", |s| {
        Some(format!("eval \"$(echo {} | base64 -d)\"", base64(s.text.as_bytes())))
    }),
    with(Code, "xxd to bash", "xxd", |s| {
        Some(format!(
            "echo {} | xxd -r -p | bash",
            s.text.bytes().map(|b| format!("{b:02x}")).collect::<String>()
        ))
    }),
    row(Code, "rev to bash", |s| {
        (s.text.is_ascii() && !s.text.contains('\n'))
            .then(|| format!("rev <<< {} | bash", quoted(&s.text.chars().rev().collect::<String>())))
    }),
    row(Code, "tr to bash", |s| {
        Some(format!("tr A-Za-z N-ZA-Mn-za-m <<'END_OF_IT' | bash\n{}\nEND_OF_IT", rot13(&s.text)))
    }),
    row(Code, "sed to bash", |s| {
        Some(format!("sed 's/^@@//' <<'END_OF_IT' | bash\n@@{}\nEND_OF_IT", s.text))
            .filter(|_| !s.text.contains('\n'))
    }),
    with(Code, "Python's os.system", "python3", |s| {
        Some(format!(
            "python3 -c {}",
            quoted(&format!("import os; os.system({})", literal(&format!("bash -c {}", quoted(&s.text)))))
        ))
    }),
    with(Code, "Python's subprocess", "python3", |s| {
        Some(format!(
            "python3 -c {}",
            quoted(&format!("import subprocess as p\np.run([\"bash\", \"-c\", {}])", literal(&s.text)))
        ))
    }),
    with(Code, "Python on standard input", "python3", |s| {
        Some(format!(
            "python3 - <<'END_OF_IT'\nfrom subprocess import call\ncall({}, shell=True, executable='/bin/bash')\nEND_OF_IT",
            literal(&s.text)
        ))
    }),
    with(Code, "Perl's system", "perl", |s| {
        let code = s.text.bytes().map(|b| format!("\\x{{{b:02x}}}")).collect::<String>();
        Some(format!("perl -e 'system(\"bash\", \"-c\", \"{code}\")'"))
    }),
    with(Code, "Node's execSync", "node", |s| {
        Some(format!(
            "node -e {}",
            quoted(&format!(
                "require('child_process').execSync({}, {{shell: '/bin/bash', stdio: 'inherit'}})",
                literal(&s.text)
            ))
        ))
    }),
    with(Code, "awk's system", "awk", |s| {
        let code = s.text.bytes().map(|b| format!("\\{b:03o}")).collect::<String>();
        (!s.text.contains('\'')).then(|| format!("awk 'BEGIN {{ system(\"bash -c \\047{code}\\047\") }}'"))
    }),
    with(Code, "setsid bash", "setsid", |s| Some(format!("setsid -w bash -c {}", quoted(&s.text)))),
    with(Code, "flock", "flock", |s| {
        Some(format!("flock /tmp/tollgate-rewrite.lock bash -c {}", quoted(&s.text)))
    }),
    row(Code, "xargs to bash", |s| Some(format!("echo x | xargs -I @@@ bash -c {}", quoted(&s.text)))),
];

/// Text in single quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn variables(source: &Source) -> Option<String> {
    let set = prefix_of(source, |number, word| format!("v{number}={word}\n"))?;
    Some(set + &source.each_plain(|number, _| format!("\"$v{number}\""))?)
}

/// Lines that set something for each plain word, in the order in which `each_plain` counts them.
fn prefix_of(source: &Source, line: impl Fn(usize, &str) -> String) -> Option<String> {
    let mut spans: Vec<_> = source.commands.iter().flat_map(|known| known.plain.clone()).collect();
    spans.sort_unstable();
    (!spans.is_empty())
        .then(|| spans.iter().enumerate().map(|(number, span)| line(number, source.slice(*span))).collect())
}

fn spliced(word: &str, between: &str) -> String {
    let (left, right) = halves(word);
    format!("{left}{between}{right}")
}

fn halves(text: &str) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(text.len() / 2))
}

fn each_char(word: &str, rewrite: impl Fn(char) -> String) -> String {
    word.chars().map(rewrite).collect()
}

fn ansi(word: &str, escape: impl Fn(u8) -> String) -> String {
    format!("$'{}'", word.bytes().map(escape).collect::<String>())
}

fn rot13(text: &str) -> String {
    let turn = |c: char, base: u8| char::from((c as u8 - base + 13) % 26 + base);
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, b'a'),
            'A'..='Z' => turn(c, b'A'),
            other => other,
        })
        .collect()
}

/// A double-quoted string that Python and JavaScript read alike.
fn literal(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place) & 63) as usize];
            out.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// Programs that lie in `/usr/bin` wherever they are at all.
const IN_USR_BIN: &[&str] = &[
    "awk", "base64", "basename", "bash", "cat", "chgrp", "chmod", "chown", "cp", "curl", "dd", "env", "find",
    "git", "grep", "head", "ln", "ls", "mkdir", "mv", "nc", "perl", "python3", "rm", "rmdir", "rsync", "scp",
    "sed", "sh", "shred", "ssh", "tail", "tar", "tee", "touch", "tr", "truncate", "unlink", "wget", "xargs",
];

fn on_disk(source: &Source, path: impl Fn(&str) -> String) -> Option<String> {
    let known = |word: &str| IN_USR_BIN.contains(&word);
    // Where the text says which folders programs are looked for in, a name is not this path.
    if source.text.contains("PATH=") {
        return None;
    }
    let text = source.each_program(|_, word| if known(word) { path(word) } else { word.to_owned() })?;
    (text != source.text).then_some(text)
}

/// Words that begin with `~` or `~/`, with something else for it.
fn tilde(source: &Source, home: &str) -> Option<String> {
    let words = source.commands.iter().flat_map(|known| known.words.clone());
    let spans: Vec<_> = words.filter(|span| matches!(source.slice(*span).split_once('~'), Some(("", rest)) if rest.is_empty() || rest.starts_with('/'))).collect();
    source.replaced(&spans, |_, word| word.replacen('~', home, 1))
}

/// One command with operands below home, as it reads from there.
fn at_home(source: &Source) -> Option<String> {
    let known = source.alone()?;
    let words: Vec<&str> = known.words.iter().map(|span| source.slice(*span)).collect();
    let is_below = |word: &&str| word.starts_with("~/") && word.len() > 2;
    let others = words.iter().skip(1).filter(|word| !is_below(word) && !word.starts_with('-')).count();
    let spans: Vec<_> = known.words.iter().copied().filter(|span| is_below(&source.slice(*span))).collect();
    (others == 0).then(|| source.replaced(&spans, |_, word| word.replacen("~/", "./", 1)))?
}

/// Folders whose names, with something below them, are paths wherever they stand; none is a link.
const TOPS: &[&str] = &["/etc/", "/home/", "/usr/", "/var/", "/dev/", "/root/", "/boot/", "/opt/"];

/// Absolute paths among the operands, said in another way.
fn paths(source: &Source, rewrite: impl Fn(&str) -> String) -> Option<String> {
    let patterns = ["find", "sed", "awk", "grep", "perl"];
    let commands = source
        .commands
        .iter()
        .filter(|known| known.words.first().is_none_or(|name| !patterns.contains(&source.slice(*name))));
    let plain = commands.flat_map(|known| known.plain.clone());
    let spans: Vec<_> =
        plain.filter(|span| TOPS.iter().any(|top| source.slice(*span).starts_with(top))).collect();
    source.replaced(&spans, |_, word| rewrite(word))
}
