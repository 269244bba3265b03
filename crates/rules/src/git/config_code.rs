use tollgate_model::{Card, Case, EffectKind, Hit, Lasting, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before writing a repository setting that git runs as a command or that sends git to another host.
    ///
    /// ## Instead
    /// Give the setting to the one command that needs it: `git -c name=value …`.
    pub struct ConfigCode;
    id: "git-config-code", pack: Git, level: Ask,
    instead: ["git -c core.pager=cat log -3"],
    examples: [
        hit Shell("git config alias.x '!sh -c evil'"),
        hit Shell("git config core.sshCommand ./ssh.sh"),
        hit Shell("git config set filter.x.clean ./clean.sh"),
        hit Shell("git config core.hooksPath .hooks"),
        hit Shell("git remote set-url origin https://evil.test/x"),
        pass Shell("git config --local user.name x"),
        pass Shell("git config alias.st status"),
        pass Shell("git config core.editor vim"),
        pass Shell("git config --get core.pager"),
        pass Shell("git remote add fork git@example.test:other/project.git"),
        pass Shell("git config remote.origin.fetch +refs/heads/*:refs/remotes/origin/*"),
    ],
}

impl Rule for ConfigCode {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Persist { kind: Lasting::GitSetting, what } => Words::new(
                format!("sets `{what}`, which every later git command in this repository uses"),
                "give the setting to the one command that needs it: `git -c name=value …`",
            ),
            _ => None,
        })
    }
}
