//! Editors of settings in one format or another, and programs that replace text: they change files in place.

pub(super) mod members;

use tollgate_model::{FileKind, WriteMode};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Taint;

use super::{Run, find, stream};
use crate::options::{Order, read};
use crate::word::Word;

/// A program that replaces text: its options, the ones that make it write or keep it from that, and how many
/// operands come before the files.
struct Replacer {
    programs: &'static [&'static str],
    spec: &'static str,
    writes: &'static [&'static str],
    shows: &'static [&'static str],
    before: usize,
    /// The option that names the files, where no operand does.
    named: &'static str,
    /// Without files it goes through the current folder.
    walks: bool,
}

const REPLACERS: &[Replacer] = &[
    Replacer {
        programs: &["sd"],
        spec: "p,preview F,fixed-strings,s,string-mode n,max-replacements= f,flags= A,across",
        writes: &[],
        shows: &["p"],
        before: 2,
        named: "",
        walks: false,
    },
    Replacer {
        programs: &["rpl"],
        spec: "L,license h,help i,ignore-case m,match-case w,whole-words b,backup q,quiet v,verbose s,dry-run R,recursive \
            e,escape p,prompt f,force d,keep-times t,use-tmpdir x= E,encoding= F,fixed-strings",
        writes: &[],
        shows: &["s"],
        before: 2,
        named: "",
        walks: false,
    },
    Replacer {
        programs: &["ruplacer"],
        spec: "go t,type= T,type-not= no-regex subvert hidden ignored color= preserve-case word-regex quiet",
        writes: &["go"],
        shows: &[],
        before: 2,
        named: "",
        walks: true,
    },
    Replacer {
        programs: &["fastmod"],
        spec: "accept-all F,fixed-strings i,ignore-case m,multiline d,dir= e,extensions= g,glob= iglob= hidden \
            print-changed-files no-ignore",
        writes: &[],
        shows: &[],
        before: 2,
        named: "d",
        walks: true,
    },
    Replacer {
        programs: &["ambr"],
        spec: "rep-file= key-from-file= max-threads= size-per-thread= bin-check-bytes= mmap-bytes= regex no-recursive \
            no-interactive preserve-time",
        writes: &[],
        shows: &[],
        before: 2,
        named: "",
        walks: true,
    },
    Replacer {
        programs: &["comby"],
        spec: "i,in-place d,directory= f,file-patterns= m,matcher= stdin stdout match-only diff stats review json-lines \
            rule= templates= config= exclude= exclude-dir= jobs= timeout= z,zip=",
        writes: &["i", "review"],
        shows: &["stdout", "diff", "match-only"],
        before: 2,
        named: "d",
        walks: true,
    },
    Replacer {
        programs: &["ast-grep"],
        spec: "p,pattern= r,rewrite,rule= l,lang= U,update-all i,interactive json? c,config= inline-rules= filter= globs= \
            j,threads= selector= strictness= debug-query? color= heading= stdin A,after= B,before= C,context= no-ignore=",
        writes: &["U", "i"],
        shows: &[],
        before: 1,
        named: "",
        walks: true,
    },
    Replacer {
        programs: &["json"],
        spec: "I,in-place f= e= E= c= C= d,D= a,array g,group merge deep-merge o= j i,p k,keys q items= A H,n validate",
        writes: &["I"],
        shows: &[],
        before: usize::MAX,
        named: "f",
        walks: false,
    },
    Replacer {
        programs: &["jaq"],
        spec: "i,in-place n,null-input R,raw-input s,slurp c,compact-output r,raw-output j,join-output S,sort-keys \
            C,color-output M,monochrome-output tab indent= from= to= f,from-file= L,library-path= e,exit-status",
        writes: &["i"],
        shows: &[],
        before: 1,
        named: "",
        walks: false,
    },
];

pub(super) fn replaces(run: &mut Run) -> Outcome {
    let Some(row) = REPLACERS.iter().find(|row| row.programs.contains(&run.program)) else {
        return run.derived();
    };
    let options = read(run.args, row.spec, Order::Anywhere);
    let given = |names: &[&str]| names.iter().any(|name| options.has(name));
    let mut files: Vec<Word> = options.operands.iter().skip(row.before).cloned().collect();
    files.extend(options.values(row.named).cloned());
    if files.is_empty() && row.walks {
        files.push(Word::literal_at(".", run.call.span));
    }
    if !(row.writes.is_empty() || given(row.writes)) || given(row.shows) {
        let taint = files.iter().fold(Taint::NONE, |taint, file| taint.union(run.read(file, false).taint));
        return Outcome::unknown(taint);
    }
    let code = options.values("e").filter(|_| run.program == "json").filter_map(Word::literal);
    let sets: Vec<members::Set> = code.filter_map(|code| members::sets(code, &[])).flatten().collect();
    for file in files {
        if !sets.is_empty() {
            members::edit(run, &file, &sets);
        }
        let places = run.analyst.places(&file, run.shell);
        let folder = places.iter().any(|(place, _)| run.analyst.world.kind(&place.path) == FileKind::Dir);
        // What is put in is in the file, too, if it is run.
        if !folder && let [old, new, ..] = options.operands.as_slice() {
            let script = [format!("s\u{1}{}\u{1}{}\u{1}g", old.shown(), new.shown())];
            let edit = |text: &str| crate::languages::edits::edited(&script, text, true, false);
            let added = format!("{}\n", new.shown());
            stream::in_place(
                run,
                &file,
                &edit,
                if added.contains(' ') { std::slice::from_ref(&added) } else { &[] },
            );
        }
        edits(run, Some(if row.walks && folder { find::all_below(&file) } else { file }));
    }
    run.derived()
}

pub(super) fn crudini(run: &mut Run) -> Outcome {
    let spec = "set del merge get format= output= inplace list list-sep= verbose existing? ini-options=";
    let options = read(run.args, spec, Order::Anywhere);
    let file = options.operands.first().cloned();
    if options.has("get") || options.value("output").is_some_and(|output| output.is("-")) {
        return reads(run, file);
    }
    edits(run, options.value("output").cloned().or(file))
}

pub(super) fn dasel(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "f,file= o,out= r,read= w,write= t,type= v,value= s,selector= p,parser=",
        Order::Anywhere,
    );
    let file = options.value("f").cloned();
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let prints = options.value("o").is_some_and(|output| output.is("-") || output.is("stdout"));
    let selector = options.operands.get(1).or(options.value("s")).and_then(Word::literal);
    if let (Some(file), Some(path), Some(text), "put", false) =
        (&file, selector, options.value("v").and_then(Word::literal), verb.as_str(), prints)
    {
        members::edit(run, file, &[members::Set::text(path, text)]);
    }
    match verb.as_str() {
        "put" | "delete" if !prints => edits(run, options.value("o").cloned().or(file)),
        _ => reads(run, file),
    }
}

/// Below the folder of settings, unless the path says otherwise.
pub(super) fn kwriteconfig(run: &mut Run) -> Outcome {
    let options = read(run.args, "file= group= key= type= delete notify", Order::Anywhere);
    let file =
        options.value("file").cloned().unwrap_or_else(|| Word::literal_at("kdeglobals", run.call.span));
    let file = match file.literal().filter(|path| !path.contains('/')) {
        Some(name) => Word::literal_at(&format!("{}/.config/{name}", run.analyst.world.home()), file.span),
        None => file,
    };
    edits(run, Some(file))
}

pub(super) fn plutil(run: &mut Run) -> Outcome {
    let changes = ["-replace", "-remove", "-insert", "-convert"];
    let elsewhere =
        run.args.iter().position(|word| word.is("-o")).and_then(|at| run.args.get(at + 1)).cloned();
    let file = run.args.last().cloned();
    match run.args.first() {
        Some(verb) if changes.iter().any(|change| verb.is(change)) => edits(run, elsewhere.or(file)),
        _ => reads(run, file),
    }
}

pub(super) fn xmlstarlet(run: &mut Run) -> Outcome {
    let in_place = run.args.iter().any(|word| word.is("-L") || word.is("--inplace"));
    let file = run.args.last().cloned();
    if in_place { edits(run, file) } else { reads(run, file) }
}

fn edits(run: &mut Run, file: Option<Word>) -> Outcome {
    if let Some(file) = file.filter(|file| !file.is("-")) {
        run.analyst.write(&file, WriteMode::Edit, None, run.shell);
    }
    run.derived()
}

fn reads(run: &mut Run, file: Option<Word>) -> Outcome {
    match file.filter(|file| !file.is("-")) {
        Some(file) => Outcome::unknown(run.read(&file, false).taint),
        None => run.derived(),
    }
}
