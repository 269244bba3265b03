//! Walks over files that run or delete: `find`, `fd`, `xargs`, `parallel`.

mod agents;
mod expression;
pub(super) mod fd;
mod format;
mod items;
mod parts;

use tollgate_model::{Place, WriteMode, work};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use self::expression::Action;
pub(super) use self::fd::below;
use super::{Run, limits};
use crate::options::{Options, Order, read};
use crate::paths;
use crate::word::{EVERYWHERE, Word, emptied};
use items::{Cut, items};
use parts::{folder, name, stem};

pub(super) fn find(run: &mut Run) -> Outcome {
    let start = run.args.iter().position(|word| starts_expression(&word.shown())).unwrap_or(run.args.len());
    let (roots, expression) = run.args.split_at(start);
    let roots: Vec<Word> = roots.iter().filter(|word| !is_global(&word.shown())).cloned().collect();
    let here = Word::literal_at(".", run.call.span);
    let mut roots = if roots.is_empty() { vec![here] } else { roots };
    if run.args.iter().any(|word| word.is("-L") || word.is("-follow")) {
        roots.extend(links_below(run, &roots));
    }
    format::lists_of_names(run);
    let walk = expression::read(&expression.iter().map(settled).collect::<Vec<_>>());
    for action in &walk.actions {
        if !work::charge(run.args.len() + action.ways.iter().map(Vec::len).sum::<usize>() * 4) {
            break;
        }
        act(run, action, &roots);
    }
    let printed: Vec<&Action> =
        walk.actions.iter().filter(|action| action.name.starts_with("-print")).collect();
    let mut texts: Vec<Text> =
        printed.iter().flat_map(|action| format::printed_by(run, action, &roots)).collect();
    if printed.is_empty() {
        texts.extend(walk.ways.iter().flat_map(|passed| files(run, &roots, passed)).map(|word| word.text));
    }
    Outcome { stdout: Value::of(texts, tollgate_shell::value::Taint::NONE), status: Status::Either }
}

/// `-dele${x}te`: a word of the expression whose open part is taken to be empty, where that makes an action of it.
fn settled(word: &Word) -> Word {
    const ACTIONS: &[&str] = &["-delete", "-exec", "-execdir", "-ok", "-okdir"];
    let whole = if word.literal().is_some() { None } else { emptied(&word.text) };
    match whole.as_ref().and_then(Text::as_literal) {
        Some(action) if ACTIONS.contains(&action) => Word::literal_at(action, word.span),
        _ => word.clone(),
    }
}

/// Links that this call has made below the folders, and those that lie right in them: a walk that follows links walks
/// where they lead, too.
pub(super) fn links_below(run: &Run, roots: &[Word]) -> Vec<Word> {
    let places: Vec<Place> =
        roots.iter().flat_map(|root| run.analyst.places(root, run.shell)).map(|(place, _)| place).collect();
    let made = run.analyst.links.made().iter().map(|(name, _)| name);
    let below = made.filter(|name| places.iter().any(|place| paths::within(name, &place.path)));
    let there = places.iter().flat_map(|place| links_in(run, &place.path));
    below.cloned().chain(there).map(|name| Word::literal_at(&name, run.call.span)).collect()
}

/// The links that lie in a folder.
fn links_in(run: &Run, folder: &str) -> Vec<String> {
    let names = run.analyst.world.links(folder, LISTED).into_iter();
    names.map(|name| format!("{}/{name}", folder.trim_end_matches('/'))).collect()
}

/// The most names of a folder that are looked at for links.
const LISTED: usize = 2000;

fn starts_expression(text: &str) -> bool {
    (text.starts_with('-') && text.len() > 1 && !is_global(text)) || matches!(text, "(" | ")" | "!" | ",")
}

fn is_global(text: &str) -> bool {
    matches!(text, "-H" | "-L" | "-P") || text.starts_with("-O") || text == "-D"
}

/// A file that a search finds, somewhere below a folder.
pub(super) fn somewhere_below(root: &Word) -> Word {
    let narrow = [Word::literal_at("-size", root.span)];
    found(root, &narrow)
}

/// The files that the walk finds and that passed the tests: any, and one that this call made.
fn files(run: &Run, roots: &[Word], passed: &[Word]) -> Vec<Word> {
    let any = roots.iter().map(|root| found(root, passed));
    let made = roots.iter().filter_map(|root| made(run, root, passed));
    any.chain(made).chain(secrets(run, roots, passed)).chain(agents::found(run, roots, passed)).collect()
}

/// The secrets that the walk is meant to find by their names or their paths.
fn secrets(run: &Run, roots: &[Word], passed: &[Word]) -> Vec<Word> {
    let Some(glob) = expression::path(passed) else { return Vec::new() };
    roots.iter().flat_map(|root| run.analyst.meant(root, &glob, run.shell)).collect()
}

/// What lies right in a folder.
pub(super) fn right_below(folder: &Word) -> Word {
    let mut text = folder.text.clone();
    if !text.suffix().ends_with('/') {
        text.push_str("/");
    }
    text.push(Piece::Glob("*".into()));
    Word { text, ..folder.clone() }
}

/// Every file below a folder.
pub(super) fn all_below(root: &Word) -> Word {
    found(root, &[])
}

/// A file that the walk finds: somewhere below the root, with the name that was asked for.
fn found(root: &Word, passed: &[Word]) -> Word {
    let mut text = root.text.clone();
    if !text.suffix().ends_with('/') {
        text.push_str("/");
    }
    // A walk that leaves nothing out is certain to find everything.
    let narrows = expression::narrows(passed) && !expression::is_riddle(passed);
    let all = Piece::Glob(EVERYWHERE.into());
    let some = Piece::Hole(Hole::nonempty(HoleSource::Output));
    let open = narrows || expression::chooses(passed);
    let name = expression::name(passed).or_else(|| expression::below(passed, &root.shown()));
    text.push(if open { some } else { all });
    match name {
        Some(name) if name.contains(['*', '?', '[']) => {
            text.push_str("/");
            text.push(Piece::Glob(name.into()));
        }
        Some(name) => text.push_str(&format!("/{name}")),
        None if narrows => text.push_str(".found"),
        None => {}
    }
    Word { text, ..root.clone() }
}

/// A file of the name that was asked for, if this call made it.
fn made(run: &Run, root: &Word, passed: &[Word]) -> Option<Word> {
    let name = passed.windows(2).find(|pair| pair.first().is_some_and(|test| test.is("-name")))?.get(1)?;
    let path = format!("{}/{}", root.literal()?.trim_end_matches('/'), name.literal()?);
    let word = Word::literal_at(&path, name.span);
    run.shell.file(&word.value()).map(|_| word)
}

/// The links right in a folder that a search for links finds.
fn linked(run: &Run, root: &Word, passed: &[Word]) -> Vec<Word> {
    let asks = |test: &str, value: &str| {
        passed.windows(2).any(|pair| {
            pair.first().is_some_and(|word| word.is(test)) && pair.get(1).is_some_and(|word| word.is(value))
        })
    };
    if !asks("-type", "l") {
        return Vec::new();
    }
    let places = run.analyst.places(root, run.shell);
    let links = places.iter().flat_map(|(place, _)| links_in(run, &place.path));
    let fits = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        expression::name(passed).is_none_or(|glob| paths::glob_could_be(&glob, name))
    };
    links.filter(fits).map(|path| Word::literal_at(&path, root.span)).collect()
}

/// May the folder that a walk starts from be found by it? The present one is never removed.
fn finds(root: &Word, passed: &[Word]) -> bool {
    let shown = root.shown();
    let name = shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let deeper = |pair: &[Word]| matches!(pair, [test, _] if test.is("-mindepth"));
    !matches!(name, "." | "..")
        && expression::takes_folders(passed)
        && !passed.windows(2).any(deeper)
        && expression::name(passed).is_none_or(|glob| paths::glob_could_be(&glob, name))
}

fn act(run: &mut Run, action: &Action, roots: &[Word]) {
    let found = |run: &Run| -> Vec<Word> {
        action.ways.iter().flat_map(|passed| files(run, roots, passed)).collect()
    };
    match action.name.as_str() {
        "-delete" => {
            for file in found(run) {
                run.analyst.remove(&file, true, run.shell);
            }
            for root in roots.iter().filter(|root| action.ways.iter().any(|passed| finds(root, passed))) {
                run.shell.remove_folder(&root.value());
            }
            if action.ways.iter().any(|passed| expression::takes_folders(passed)) {
                roots.iter().for_each(|root| run.shell.doubt_folders(&root.value()));
            }
        }
        "-exec" | "-execdir" | "-ok" | "-okdir" => {
            let mark = run.analyst.mark();
            let links = action.ways.iter().flat_map(|passed| roots.iter().map(move |root| (root, passed)));
            let links: Vec<Word> = links.flat_map(|(root, passed)| linked(run, root, passed)).collect();
            for file in found(run).into_iter().chain(links) {
                run.inner(&filled(&action.words, "{}", &file));
            }
            run.analyst.deepen(mark);
        }
        "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
            if let Some(file) = action.words.first() {
                run.analyst.write(file, WriteMode::Overwrite, None, run.shell);
                if is_document(file) {
                    run.analyst.cut(file, run.shell);
                }
            }
        }
        _ => {}
    }
}

/// Is it called like a document, a picture, a record or an archive? A list of names is none.
fn is_document(file: &Word) -> bool {
    const ENDS: &[&str] = &[
        "odt", "ods", "odp", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "pdf", "rtf", "pages", "numbers",
        "key", "epub", "jpg", "jpeg", "png", "gif", "heic", "webp", "tif", "tiff", "psd", "svg", "raw",
        "mp3", "flac", "wav", "ogg", "m4a", "mp4", "mov", "mkv", "avi", "webm", "zip", "tar", "gz", "tgz",
        "7z", "iso", "db", "sqlite", "sqlite3", "kdbx", "mbox", "eml", "ics", "vcf",
    ];
    let end = file.text.suffix().rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    end.is_some_and(|end| ENDS.contains(&end.as_str()))
}

/// The command with every `mark` replaced by the file.
fn filled(command: &[Word], mark: &str, file: &Word) -> Vec<Word> {
    command.iter().map(|word| replaced(word, mark, file)).collect()
}

fn replaced(word: &Word, mark: &str, file: &Word) -> Word {
    let holds = |piece: &Piece| matches!(piece, Piece::Text(known) if known.contains(mark));
    if mark.is_empty() || !word.text.pieces.iter().any(holds) {
        return word.clone();
    }
    let mut text = Text::default();
    for piece in &word.text.pieces {
        let Piece::Text(known) = piece else {
            text.push(piece.clone());
            continue;
        };
        for (at, part) in known.split(mark).enumerate() {
            if at > 0 {
                text.append(&file.text);
            }
            text.push_str(part);
        }
    }
    Word { text, span: word.span, splits: word.splits || file.splits, taint: word.taint.union(file.taint) }
}

/// The command with the file, or a part of its name, for every mark that `parallel` and `fd` know. Numbers stand for
/// one of several sources: any item may be there.
fn filled_with_parts(command: &[Word], file: &Word) -> Vec<Word> {
    let mut words = filled(command, "{}", file);
    let marked = |piece: &Piece| matches!(piece, Piece::Text(known) if known.contains('{'));
    if !words.iter().any(|word| word.text.pieces.iter().any(marked)) {
        return words;
    }
    let parts = [
        ("", file.clone()),
        (".", stem(file)),
        ("/", name(file)),
        ("/.", stem(&name(file))),
        ("//", folder(file)),
    ];
    for (sign, part) in &parts {
        for number in ["", "1", "2", "3", "4", "5"] {
            words = filled(&words, &format!("{{{number}{sign}}}"), part);
        }
    }
    words
}

/// How many runs of a command are followed, each with its own item; and how many items of one run.
const RUNS: usize = 256;
const ITEMS: usize = 2048;

pub(super) fn xargs(run: &mut Run) -> Outcome {
    let spec = "0,null a,arg-file= d,delimiter= E= e,eof? I= i,replace? L,max-lines= l? n,max-args= P,max-procs= \
        o,open-tty p,interactive r,no-run-if-empty s,max-chars= t,verbose x,exit show-limits process-slot-var=";
    let options = read(run.args, spec, Order::First);
    let mark = options.value("I").or(options.value("i")).map(Word::shown);
    let mark = mark.or_else(|| options.has("i").then(|| "{}".to_owned()));
    let input = match options.value("a") {
        Some(file) => run.read(&file.clone(), false),
        None => run.stdin().cloned().unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE)),
    };
    let mut command = options.operands.clone();
    if command.is_empty() {
        command.push(Word::literal_at("echo", run.call.span));
    }
    if options.unsure && command.first().is_some_and(|word| word.literal().is_some()) {
        run.analyst.opaque("what `xargs` runs is known only at run time", run.call.span);
    }
    let most = if mark.is_some() { RUNS } else { ITEMS };
    let items = match Cut::of_xargs(&options, mark.is_some()) {
        Some(cut) => items(&input, cut, most, run),
        // All of it is one word, of which nothing is known.
        None => items(&Value::output(input.taint), Cut::Plain, most, run),
    };
    match mark {
        Some(mark) => items.iter().for_each(|item| drop(run.inner(&marked(&command, &mark, item)))),
        None => {
            command.extend(items);
            return run.inner(&command);
        }
    }
    run.derived()
}

/// GNU's and BSD's `xargs` never put an item into the program's name, busybox's does. So `-I url curl url` runs `curl`,
/// and of a mark that no name holds by chance an item may be in it.
fn marked(command: &[Word], mark: &str, item: &Word) -> Vec<Word> {
    let mut words = filled(command, mark, item);
    let by_chance =
        |program: &&Word| !program.is(mark) && mark.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if let (Some(first), Some(program)) = (words.first_mut(), command.first().filter(by_chance)) {
        *first = program.clone();
    }
    words
}

/// `xe` puts one line at a time behind the command, or where `{}` stands.
pub(super) fn xe(run: &mut Run) -> Outcome {
    let options = read(run.args, "0 A,a f= F I= j= k L n N= p q R s= v x,X", Order::First);
    let input = run.stdin().cloned().unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE));
    let items = items(&input, Cut::Plain, RUNS, run);
    if let Some(code) = options.value("s").cloned() {
        super::interpreters::code(run, &code.value(), code.span);
    }
    // Whatever comes in, it may be more than is known.
    if items.is_empty() && !options.operands.is_empty() {
        run.inner(&options.operands);
    }
    for item in items.iter().filter(|_| !options.operands.is_empty()) {
        let marked = options.operands.iter().any(|word| word.shown().contains("{}"));
        let mut words = filled(&options.operands, "{}", item);
        words.extend((!marked).then(|| item.clone()));
        run.inner(&words);
    }
    run.derived()
}

/// `lr` lists what lies below its operands.
pub(super) fn lr(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "0 1 A B C= D F G H L Q S X= d e= f= g= h l o= p P s t= U v x", Order::Anywhere);
    let here = [Word::literal_at(".", run.call.span)];
    let roots = if options.operands.is_empty() { &here[..] } else { &options.operands };
    let found = roots.iter().map(|root| all_below(root).text);
    Outcome { stdout: Value::of(found, tollgate_shell::value::Taint::NONE), status: Status::Either }
}

/// The names in a list, one in each line: that of a file, or standard input.
pub(super) fn listed(run: &mut Run, list: Option<&Word>) -> Vec<Word> {
    let file = list.filter(|list| !list.is("-") && !list.is("/dev/stdin"));
    let input = match file {
        Some(file) => {
            let content = run.read(file, false);
            run.analyst.script(file, run.shell).unwrap_or(content)
        }
        None => run.stdin().cloned().unwrap_or_else(Value::empty),
    };
    let mut names = items(&input, Cut::Plain, ITEMS, run);
    // A name of which not even the beginning is known says nothing.
    names.retain(|name| !name.text.prefix().is_empty());
    names
}

/// An argument as it is put into shell text.
fn quoted(item: &Word) -> Word {
    match item.literal() {
        Some(text) if text.contains([' ', ';', '|', '&', '$', '`', '"', '(']) => {
            Word::literal_at(&format!("'{}'", text.replace('\'', "'\\''")), item.span)
        }
        _ => item.clone(),
    }
}

const PARALLEL: &str = "j,jobs= k,keep-order a,arg-file= colsep= C= I= N,max-args= n= L= X m d,delimiter= tag bar eta progress \
        dry-run halt= joblog= results= S,sshlogin= timeout= retries= delay= will-cite 0,null q,quote env= workdir= \
        pipe block= recstart= recend= u,ungroup nice= linebuffer,lb no-notice shuf fg id= wait wd= tagstring= tmpdir= \
        compress-program= decompress-program= resume resume-failed sshloginfile= slf= tf= transferfile= return= cleanup \
        load= memfree= profile= J= rpl= header= trim= basefile= bf= ctag line-buffer group max-procs= P= s= max-chars= x t,verbose \
        semaphoretimeout= st= semaphorename= tty termseq= limit= hgrp hostgroups plus no-run-if-empty r pipepart pipe-part cat fifo";

/// Runs its words once, whatever comes in.
pub(super) fn sem(run: &mut Run) -> Outcome {
    let options = read(run.args, PARALLEL, Order::First);
    if options.operands.is_empty() {
        run.derived()
    } else {
        super::interpreters::joined(run, &options.operands)
    }
}

pub(super) fn parallel(run: &mut Run) -> Outcome {
    let options = read(run.args, PARALLEL, Order::First);
    let split = options
        .operands
        .iter()
        .position(|word| matches!(word.shown().as_str(), ":::" | "::::" | ":::+" | "::::+"));
    let (command, sources) = options.operands.split_at(split.unwrap_or(options.operands.len()));
    let files = sources.first().is_some_and(|word| word.shown().starts_with("::::"));
    let mut given: Vec<Word> =
        sources.iter().filter(|word| !word.shown().starts_with(":::")).cloned().collect();
    if given.is_empty() || files {
        let named = options.values("a").chain(given.iter().filter(|_| files)).cloned().collect::<Vec<_>>();
        let contents = named.iter().map(|file| {
            let read = run.read(file, false);
            run.analyst.script(file, run.shell).map_or(read.clone(), |text| text.with_taint(read.taint))
        });
        let input = match contents.reduce(|left, right| left.union(&right)) {
            Some(contents) => contents,
            None => run.stdin().cloned().unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE)),
        };
        given = items(&input, Cut::Plain, RUNS, run);
    }
    if options.has("dry-run") {
        return run.derived();
    }
    for log in
        ["joblog", "results"].into_iter().filter_map(|name| options.value(name)).cloned().collect::<Vec<_>>()
    {
        run.analyst.write(&log, WriteMode::Overwrite, None, run.shell);
    }
    let before = run.shell.cwd().clone();
    if let Some(folder) = options.value("workdir").or(options.value("wd")) {
        run.shell.set_cwd(&folder.value());
    }
    let outcome = jobs(run, &options, command, &given);
    run.shell.set_cwd(&before);
    outcome
}

/// `parset name command ::: words` puts what the commands print into variables.
pub(super) fn parset(run: &mut Run) -> Outcome {
    let mut command = vec![Word::literal_at("parallel", run.call.span)];
    command.extend(run.args.iter().skip(1).cloned());
    run.inner(&command)
}

/// The command for each of the words.
fn jobs(run: &mut Run, options: &Options, command: &[Word], given: &[Word]) -> Outcome {
    if options.has("pipe") || options.has("pipepart") || options.has("pipe-part") {
        // What comes in goes on to the command.
        return super::interpreters::joined(run, command);
    }
    for item in &limits::first_words(given.to_vec(), RUNS) {
        if command.is_empty() {
            super::interpreters::code(run, &item.value(), item.span);
            continue;
        }
        let item = &quoted(item);
        let mut words = filled_with_parts(command, item);
        if words == command {
            words.push(item.clone());
        }
        // The command is a shell text: one word may hold several.
        super::interpreters::joined(run, &words);
    }
    run.derived()
}
