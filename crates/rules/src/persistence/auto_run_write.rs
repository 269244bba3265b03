use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Asks before changing a project file that runs automatically: git hooks, `.envrc`, editor tasks.
    ///
    /// ## Instead
    /// Put the command into a script or a task that is run by its name.
    pub struct AutoRunWrite;
    id: "auto-run-write", pack: Persistence, level: Ask,
    instead: ["npm run build"],
    examples: [
        hit Write(".git/hooks/post-merge"),
        hit Shell("cat > .git/hooks/pre-commit <<'E'\n#!/bin/sh\nmake lint\nE"),
        hit Write(".envrc"),
        hit Write(".vscode/tasks.json\n{\"tasks\":[{\"command\":\"x\",\"runOptions\":{\"runOn\":\"folderOpen\"}}]}"),
        hit Shell("ln -sf ../../hook.sh .git/hooks/pre-push"),
        hit Write(".husky/pre-commit"),
        hit Write(".npmrc\nscript-shell=./x.sh"),
        pass Write(".vscode/tasks.json\n{\"tasks\":[{\"command\":\"make\"}]}"),
        pass Write(".npmrc\nsave-exact=true"),
        pass Shell("ls .git/hooks"),
        pass Shell("cat .git/hooks/pre-commit.sample"),
        pass Write("hooks/pre-commit"),
        pass Write(".envrc.example"),
        pass Write(".pre-commit-config.yaml"),
        pass Write(".github/workflows/ci.yml"),
    ],
}

impl Rule for AutoRunWrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::AutoRunFile,
            |place| format!("changes {place}, which runs automatically"),
            "put the command into a script or a task that is run by its name",
        )
    }
}
