use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Blocks deleting `/`, a home directory, the project itself or its `.git` folder.
    ///
    /// None of these can be restored. Other rules judge the deletion of a folder inside the project.
    ///
    /// ## Instead
    /// Delete one folder inside the project: `rm -rf build`.
    pub struct RootDelete;
    id: "root-delete", pack: Core, level: Deny,
    instead: ["rm -rf build"],
    examples: [
        hit Shell("rm -rf /"),
        hit Shell("rm -rf ~"),
        hit Shell("rm -r --force -- $HOME"),
        hit Shell("rm -rf ~/*"),
        hit Shell("cd / && rm -rf *"),
        hit Shell("find ~ -delete"),
        hit Shell("rm -rf .git"),
        hit Shell("mv ~ /tmp/x"),
        hit Shell("rm -rf \"$UNSET_PREFIX/\""),
        hit Shell("ln -s / r; mv r/home /tmp"),
        hit Shell("man --pager='mv ~ /tmp' ls"),
        hit Shell("sort --compress-program='rm -rf ~' big.txt"),
        hit Shell("rg --pre='rm -rf ~' x"),
        hit Shell("export GIT_EDITOR='rm -rf ~'; git rebase -i HEAD~2"),
        hit Shell("cp /bin/rm ./lint; ./lint -rf ~"),
        hit Shell("python3 -c 'import shutil, os; shutil.rmtree(os.path.expanduser(\"~\"))'"),
        hit Shell("node -e 'fs.rmSync(process.env.HOME, {recursive: true})'"),
        hit Shell("awk 'BEGIN{\"rm -rf ~\" | getline}'"),
        pass Shell("ln -s build out; rm -rf out/x"),
        pass Shell("rm -rf build"),
        pass Shell("rm -rf /tmp/x"),
        pass Shell("echo rm -rf /"),
        pass Shell("git commit -m 'drop rm -rf ~'"),
        pass Shell("find . -name '*.pyc' -delete"),
    ],
}

impl Rule for RootDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Delete { place, recursive, .. } if place.root && (*recursive || place.pattern) => {
                Words::new(
                    format!("deletes {} permanently", shown(place)),
                    "delete one folder inside the project instead: `rm -rf build`",
                )
            }
            _ => None,
        })
    }
}
