use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Stops the deletion of the root, a home directory, the workspace itself or its `.git`.
    ///
    /// Nothing brings these back. The same command on a folder inside the workspace is another matter.
    ///
    /// ## Instead
    /// Name the folder inside the workspace that should go: `rm -rf build`.
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
                    format!("deletes {}, which nothing brings back", shown(place)),
                    "name the folder inside the workspace that should go",
                )
            }
            _ => None,
        })
    }
}
