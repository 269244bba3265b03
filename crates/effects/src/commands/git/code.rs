//! Commands that run other commands, or that stay.

use tollgate_model::{Audience, Carried, Certainty, EffectKind, Lasting, NetDirection, Protection};
use tollgate_shell::eval::Outcome;

use super::{Git, Verb, settings};
use crate::commands::interpreters;
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[
    ("bisect", bisect),
    ("rebase", rebase),
    ("merge", merge),
    ("hook", hook),
    ("for-each-repo", for_each_repo),
    ("mergetool", mergetool),
    ("send-email", send_email),
    ("imap-send", send_email),
    ("daemon", serve),
    ("instaweb", serve),
    ("http-backend", serve),
    ("maintenance", maintenance),
    ("web--browse", web_browse),
    ("shell", restricted_shell),
    ("merge-index", merge_index),
    ("remote-ext", remote_ext),
];

fn bisect(git: &mut Git) -> Outcome {
    match git.args.split_first() {
        Some((verb, command)) if verb.is("run") => {
            let command: Vec<Word> = command.iter().skip_while(|word| word.is("--")).cloned().collect();
            git.run.inner(&command)
        }
        _ => git.run.derived(),
    }
}

/// The options of `git rebase`.
pub(super) const REBASE: &str = "onto= keep-base no-keep-base no-verify verify q,quiet v,verbose n,no-stat stat signoff \
    committer-date-is-author-date reset-author-date ignore-date C= ignore-whitespace whitespace= f,force-rebase,no-ff ff \
    continue skip abort quit edit-todo show-current-patch apply m,merge i,interactive rerere-autoupdate \
    no-rerere-autoupdate empty= autosquash no-autosquash update-refs no-update-refs S,gpg-sign? no-gpg-sign autostash \
    no-autostash x,exec= r,rebase-merges? no-rebase-merges fork-point no-fork-point s,strategy= X,strategy-option= \
    root reschedule-failed-exec no-reschedule-failed-exec reapply-cherry-picks no-reapply-cherry-picks";

fn rebase(git: &mut Git) -> Outcome {
    let options = git.options(REBASE);
    if options.has("no-verify") {
        git.skips_hooks();
    }
    for command in options.values("x").cloned().collect::<Vec<_>>() {
        git.code(&command);
    }
    git.run.derived()
}

fn merge(git: &mut Git) -> Outcome {
    let spec = "commit no-commit e,edit no-edit cleanup= ff no-ff ff-only S,gpg-sign? no-gpg-sign log? no-log signoff no-signoff \
        n,no-stat stat squash no-squash no-verify verify s,strategy= X,strategy-option= verify-signatures \
        no-verify-signatures summary q,quiet v,verbose progress no-progress autostash no-autostash allow-unrelated-histories \
        m,message= into-name= F,file= rerere-autoupdate no-rerere-autoupdate overwrite-ignore no-overwrite-ignore abort quit \
        continue";
    let options = git.options(spec);
    if options.has("no-verify") || git.hooks_are_off() {
        git.push(
            EffectKind::Weaken { protection: Protection::GitHooks, how: String::new() },
            Certainty::Certain,
        );
    }
    git.run.derived()
}

/// `git hook run pre-commit` runs the file of that name.
fn hook(git: &mut Git) -> Outcome {
    let options = git.options("ignore-missing to-stdin=");
    if let [verb, name, ..] = options.operands.as_slice()
        && verb.is("run")
    {
        let folder = git.setting_here("core.hookspath").or_else(|| {
            let repo = git.sites().into_iter().find_map(|site| site.repo)?;
            Some(format!("{}/hooks", repo.common_dir))
        });
        let file = Word::literal_at(&format!("{}/{}", folder.unwrap_or_default(), name.shown()), name.span);
        if git.exists(&file) {
            let args = git.args_after().unwrap_or_default().to_vec();
            return interpreters::file(git.run, &file, &args);
        }
    }
    git.run.derived()
}

/// Runs git in every repository that a setting lists.
fn for_each_repo(git: &mut Git) -> Outcome {
    let options = read(&git.args, "config= keep-going", Order::First);
    let folder = git.run.shell.cwd().clone();
    git.enter_unknown_folder();
    let mut words = vec![Word::literal_at("git", git.run.call.span)];
    words.extend(options.operands);
    let outcome = git.run.inner(&words);
    git.run.shell.set_cwd(&folder);
    outcome
}

/// The tool itself comes from settings, which are looked at where they are made.
fn mergetool(git: &mut Git) -> Outcome {
    git.run.derived()
}

fn send_email(git: &mut Git) -> Outcome {
    let spec = "to= cc= bcc= subject= from= smtp-server= smtp-server-port= smtp-user= smtp-pass= smtp-encryption= sendmail-cmd= \
        to-cmd= cc-cmd= header-cmd= dry-run annotate compose reply-to= in-reply-to= identity= confirm= suppress-cc= \
        force validate no-validate quiet";
    let options = git.options(spec);
    for name in ["sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd"] {
        for command in options.values(name).cloned().collect::<Vec<_>>() {
            git.code(&command);
        }
    }
    if let Some(program) =
        options.value("smtp-server").filter(|server| server.text.prefix().starts_with('/')).cloned()
    {
        git.code(&program);
    }
    if !super::holds(&options, "dry-run", "dry-run") {
        let host = options.value("smtp-server").map(Word::shown).unwrap_or_default();
        for patch in options.operands.iter().filter(|word| word.text.suffix().contains('.')) {
            git.run.read(patch, false);
        }
        let carries = options.operands.iter().map(|word| Carried::Named(word.shown())).collect();
        git.push(EffectKind::Net { host, direction: NetDirection::Out, carries }, Certainty::Certain);
    }
    git.run.derived()
}

/// Shows repositories to whoever can reach this machine.
fn serve(git: &mut Git) -> Outcome {
    let options = git.options("l,local d,httpd= m,module-path= p,port= b,browser= start stop restart");
    for name in ["d", "b"] {
        if let Some(program) = options.value(name).filter(|program| !settings::is_ordinary(program)).cloned()
        {
            git.code(&program);
        }
    }
    if git.verb == "daemon" {
        git.push(
            EffectKind::Publish {
                target: Audience::Other("whoever can reach this machine (git daemon)".into()),
            },
            Certainty::Certain,
        );
    }
    git.run.derived()
}

fn maintenance(git: &mut Git) -> Outcome {
    if git.args.first().is_some_and(|word| word.is("start")) {
        git.push(
            EffectKind::Persist { kind: Lasting::Job, what: "git maintenance".into() },
            Certainty::Certain,
        );
    }
    git.run.derived()
}

fn web_browse(git: &mut Git) -> Outcome {
    let options = git.options("b,browser= t,tool= c,config=");
    for name in ["b", "t"] {
        if let Some(program) = options.value(name).filter(|program| !settings::is_ordinary(program)).cloned()
        {
            git.code(&program);
        }
    }
    git.run.derived()
}

/// `git merge-index program -a` runs the program for every file that two sides changed.
fn merge_index(git: &mut Git) -> Outcome {
    let options = read(&git.args, "o q", Order::First);
    if let Some(program) =
        options.operands.first().filter(|program| !program.text.prefix().starts_with("git-merge-"))
    {
        let program = program.clone();
        return git.run.inner(std::slice::from_ref(&program));
    }
    git.run.derived()
}

/// `git remote-ext name 'command words'` runs the command.
fn remote_ext(git: &mut Git) -> Outcome {
    match git.args.get(1).cloned() {
        Some(command) => git.code(&command),
        None => git.run.derived(),
    }
}

/// `git shell -c` takes only git's own server commands.
fn restricted_shell(git: &mut Git) -> Outcome {
    git.run.derived()
}
