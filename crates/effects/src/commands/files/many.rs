//! Programs that change many files at once: new names for all of them, or away with those that are there twice.

use tollgate_model::{Place, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Text, Value};

use super::super::{Run, find, screens};
use super::joined::{joins_names, renames_all};
use crate::options::{Order, read};
use crate::word::Word;

/// What was thrown away can be taken back until then.
pub(in crate::commands) fn trash_empty(run: &mut Run) -> Outcome {
    let folder = format!("{}/.local/share/Trash", run.analyst.world.home());
    run.analyst.delete(&Word::literal_at(&folder, run.call.span), true, run.shell);
    Outcome::silent(Status::Either)
}

/// `zmv [-C | -L | -p program] pattern name` of zsh: a program for each file that fits the pattern.
pub(in crate::commands) fn zmv(run: &mut Run) -> Outcome {
    let options = read(run.args, "f i n q Q s v w W C L M p= P= o=", Order::First);
    let (Some(pattern), false) = (options.operands.first(), options.has("n")) else { return run.derived() };
    let named = options.value("p").or(options.value("P")).map(Word::shown);
    let usual = match run.program {
        "zcp" => "cp",
        "zln" => "ln",
        _ if options.has("C") => "cp",
        _ if options.has("L") => "ln",
        _ => "mv",
    };
    let plain = pattern.shown().replace(['(', ')'], "");
    let path = match plain.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", run.analyst.world.home()),
        None => plain,
    };
    let found = Word { text: crate::paths::globbed(&path), ..pattern.clone() };
    let target = options.operands.get(1).cloned();
    let program = Word::literal_at(named.as_deref().unwrap_or(usual), pattern.span);
    run.inner(&[Some(program), Some(found), target].into_iter().flatten().collect::<Vec<_>>())
}

/// Finders of files that are there twice, told to keep one of each without asking.
pub(in crate::commands) fn duplicates(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "r,recurse d,delete N,noprompt q,quiet f,omitfirst A n,noempty s,symlinks H S,size 1 m,summarize L,linkhard B",
        Order::Anywhere,
    );
    if options.has("d") && options.has("N") {
        for folder in options.operands.clone() {
            run.analyst.delete(&find::somewhere_below(&folder), false, run.shell);
        }
    }
    run.derived()
}

/// `rdfind -deleteduplicates true folder`; without it, or with `-dryrun true`, it only looks.
pub(in crate::commands) fn rdfind(run: &mut Run) -> Outcome {
    let says = |name: &str| {
        run.args.windows(2).any(
            |pair| matches!(pair, [option, value] if option.shown().trim_start_matches('-') == name && value.is("true")),
        )
    };
    if says("deleteduplicates") && !says("dryrun") && !says("n") {
        let mut option = false;
        let folders = run.args.iter().filter(|word| {
            let is_value = std::mem::replace(&mut option, word.text.prefix().starts_with('-'));
            !is_value && !option
        });
        for folder in folders.cloned().collect::<Vec<_>>() {
            run.analyst.delete(&find::somewhere_below(&folder), false, run.shell);
        }
    }
    run.derived()
}

/// `rmlint folder` writes a script that deletes what it found, for somebody to run.
pub(in crate::commands) fn rmlint(run: &mut Run) -> Outcome {
    let spec = "T,types= o,output= O,add-output= c,config= z,perms= a,algorithm= s,size= d,max-depth= S,rank-by= \
        k,keep-all-tagged K,must-match-tagged m,keep-all-untagged M,must-match-untagged n,newer-than-stamp= \
        N,newer-than= y,sort-by= x,no-crossdev t,threads= u,limit-mem= q,clamp-low= Q,clamp-top= cmd= \
        mtime-window= C,cache= r,hidden f,followlinks v V g,progress G";
    let options = read(run.args, spec, Order::Anywhere);
    let named = |word: &&Word| word.text.prefix().starts_with("sh:");
    let script = options.values("o").chain(options.values("O")).find(named).map(|word| word.after(':'));
    let script = script.unwrap_or_else(|| Word::literal_at("rmlint.sh", run.call.span));
    let mut text = Text::literal("#!/bin/sh\n");
    for folder in options.operands.iter().filter(|word| !word.is("//")) {
        text.push_str("rm -f ");
        text.append(&find::somewhere_below(folder).text);
        text.push_str("\n");
    }
    let content = Value::of([text], Taint::NONE);
    run.analyst.write(&script, WriteMode::Overwrite, Some(&content), run.shell);
    run.derived()
}

/// Which files its cleaners find, only it knows.
pub(in crate::commands) fn bleachbit(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "c,clean s,shred w,wipe-free-space p,preview l,list-cleaners sysinfo preset o,overwrite v,version h,help gui",
        Order::Anywhere,
    );
    if options.has("s") {
        for file in options.operands.clone() {
            super::beyond::overwritten(run, &file, true);
        }
    } else if options.has("c") && !options.has("p") {
        run.analyst.opaque("which files `bleachbit` deletes is known only at run time", run.call.span);
    }
    run.derived()
}

/// What has not been used for a while goes, in every folder that is named behind the time.
pub(in crate::commands) fn reaped(run: &mut Run) -> Outcome {
    let spec = "a,all m,mtime c,ctime u,atime M,dirmtime f,force d,nodirs t,test q,quiet s,symlinks T,runtime= protect= \
        delay? showdeleted x,exclude= X,exclude-pattern= U,exclude-user= l,nosymlinks verbose v";
    let options = read(run.args, spec, Order::Anywhere);
    if !options.has("t") {
        for folder in options.operands.get(1..).unwrap_or_default() {
            run.analyst.delete(&find::somewhere_below(folder), false, run.shell);
        }
    }
    run.derived()
}

/// `czkawka_cli dup -d folder -D method`: the same, and other files that nobody misses.
pub(in crate::commands) fn leftovers(run: &mut Run) -> Outcome {
    let spec = "d,directories= D,delete-method= delete-files delete-folders e,excluded-directories= \
        E,excluded-items= m,minimal-file-size= x,allowed-extensions= f,file-to-save= s,search-method= Q,dryrun \
        dry-run R,not-recursive";
    let options = read(run.args, spec, Order::Anywhere);
    let told = options.value("D").is_some_and(|method| !method.is("NONE") && !method.is("HARD"));
    let deletes = told || options.has("delete-files") || options.has("delete-folders");
    if deletes && !options.has("Q") && !options.has("dry-run") {
        for folder in options.values("d").cloned().collect::<Vec<_>>() {
            run.analyst.delete(&find::somewhere_below(&folder), false, run.shell);
        }
    }
    run.derived()
}

/// `rename` of Perl and of util-linux, and `mmv`, give files other names. One of them may be another file's name, or
/// lead out of the folder.
pub(in crate::commands) fn rename(run: &mut Run) -> Outcome {
    let spec = "s,symlink v,verbose n,no-act,nono o,no-overwrite a,all l,last i,interactive f,force e= E= d,filename \
        0,null path u,unicode? h,help m,man V,version X,transcode= N,counter-format= p,mkpath k,keep-extension c,lower-case \
        C,upper-case S= x r,hidden t g";
    let options = read(run.args, spec, Order::Anywhere);
    let looks = if run.program == "mmv" { "nothing" } else { "n" };
    if options.has(looks) || options.has("h") || options.has("V") {
        return run.derived();
    }
    let told = match run.program {
        // A pattern for the old names, and one for the new.
        "mmv" => 0,
        "rename.ul" => 2,
        _ if options.has("e") => 0,
        _ if options.operands.first().is_some_and(|word| is_perl(&word.shown())) => 1,
        _ => 2,
    };
    let perl = told == 1 || options.has("e");
    let script = options.value("e").or(options.operands.first()).map(Word::shown).unwrap_or_default();
    // Perl's leaves a file alone whose new name is taken; util-linux's does so when it is told to.
    let keeps = if perl {
        !options.has("f") && !renames_all(&script)
    } else {
        options.has("o") && run.program != "mmv"
    };
    let files = options.operands.get(told..).unwrap_or_default();
    let files = if run.program == "mmv" { files.get(..1).unwrap_or_default() } else { files };
    files.iter().for_each(|file| run.shell.remove_folder(&file.value()));
    // Of names that fall together the last one is left.
    let many = files.len() > 1 || files.iter().any(|file| file.literal().is_none());
    let together = perl && many && options.has("f") && joins_names(&script);
    for file in files.iter().filter(|_| !keeps).cloned() {
        let many = Word { text: unfolded(&file), ..file };
        let own = |place: &Place| matches!(place.zone, Zone::Workspace | Zone::Temp | Zone::Unknown);
        if together || !run.analyst.places(&many, run.shell).iter().all(|(place, _)| own(place)) {
            run.analyst.remove(&many, false, run.shell);
        }
    }
    Outcome::silent(Status::Either)
}

/// Names of files as an editor leaves them: a file whose line is gone is deleted. With a program for an editor nobody
/// sees which.
pub(in crate::commands) fn vidir(run: &mut Run) -> Outcome {
    let options = read(run.args, "v,verbose", Order::Anywhere);
    let editor = ["VISUAL", "EDITOR"].iter().find_map(|name| run.variable(name));
    if editor.is_none_or(|editor| editor.literals().any(screens::is_plain)) {
        return run.derived();
    }
    let here = [Word::literal_at(".", run.call.span)];
    for folder in if options.operands.is_empty() { &here[..] } else { &options.operands } {
        run.analyst.delete(&find::right_below(folder), false, run.shell);
    }
    run.derived()
}

/// `s/a/b/`, `y/a/b/` or any other expression of Perl; util-linux takes a plain text.
fn is_perl(text: &str) -> bool {
    text.contains(['/', '$', '{', ';', '|', '('])
}

/// `mmv` reads patterns itself, so that a quoted one is a pattern too.
fn unfolded(word: &Word) -> Text {
    let Some(text) = word.literal().filter(|text| text.contains(['*', '?'])) else {
        return word.text.clone();
    };
    let mut pattern = Text::default();
    let folder = text.rfind('/').map_or(0, |at| at + 1);
    pattern.push_str(text.get(..folder).unwrap_or_default());
    pattern.push(tollgate_shell::value::Piece::Glob(text.get(folder..).unwrap_or_default().into()));
    pattern
}
