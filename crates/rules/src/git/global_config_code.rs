use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Blocks changing a global git setting that git runs as a command.
    ///
    /// It would apply to every repository of the user.
    ///
    /// ## Instead
    /// Give the setting to the one command that needs it: `git -c name=value …`.
    pub struct GlobalConfigCode;
    id: "git-global-config-code", pack: Git, level: Deny,
    instead: ["git -c core.pager=cat log -3"],
    examples: [
        hit Shell("git config --global alias.st '!evil'"),
        hit Shell("git config --global core.pager ./pager.sh"),
        hit Shell("git config --system credential.helper /tmp/helper"),
        hit Shell("git config -f ~/.gitconfig core.fsmonitor 'sh x'"),
        hit Shell("git config --global core.hooksPath /tmp/hooks"),
        pass Shell("git config --global user.email a@b.test"),
        pass Shell("git config --global core.editor nano"),
        pass Shell("git config --global credential.helper store"),
        pass Shell("git config --global alias.co checkout"),
        pass Shell("git config --global init.defaultBranch main"),
        pass Shell("git config --global --add safe.directory /work"),
    ],
}

impl Rule for GlobalConfigCode {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::GlobalGitSetting,
            |place| format!("sets `{place}` for every repository; git runs it as a command"),
            "give the setting to the one command that needs it: `git -c name=value …`",
        )
    }
}
