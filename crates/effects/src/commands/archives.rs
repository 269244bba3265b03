//! Archives: what goes in is read, what comes out is written with names nobody knows yet, and several of their
//! options run programs or delete.

pub(super) mod patches;
pub(super) mod seven;

use tollgate_model::{Certainty, EffectKind, Mark, Place, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use super::{Run, find, interpreters};
use crate::analyst::{call_taint, taint};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(super) const TAR: &str = "c,create x,extract,get t,list r,append u,update d,diff,compare A,catenate,concatenate delete f,file= \
    C,directory,cd= z,gzip,gunzip,ungzip j,bzip2 J,xz Z,compress,uncompress zstd lzma lzip lzop a,auto-compress v,verbose \
    p,preserve-permissions,same-permissions P,absolute-names,absolute-paths k,keep-old-files keep-newer-files O,to-stdout \
    overwrite U,unlink-first recursive-unlink remove-files checkpoint? checkpoint-action= to-command= \
    I,use-compress-program= F,info-script,new-volume-script= rsh-command= rmt-command= T,files-from= X,exclude-from= exclude= \
    exclude-vcs exclude-vcs-ignores exclude-caches strip-components,strip-path= transform,xform= s wildcards no-wildcards \
    m,touch o,no-same-owner same-owner h,dereference l W,verify w,interactive b,blocking-factor= L,tape-length= \
    N,newer,after-date= g,listed-incremental= V,label= H,format= S,sparse owner= group= mode= mtime= sort= numeric-owner \
    one-file-system no-recursion recursion totals? warning= null anchored no-anchored no-same-permissions one-top-level? \
    skip-old-files no-overwrite-dir overwrite-dir full-time utc xattrs no-xattrs acls no-acls selinux no-selinux i n B q \
    posix pax-option= help version ignore-failed-read quoting-style= show-transformed-names options= include= passphrase= \
    G K= M R add-file= atime-preserve? backup? block-number check-device check-links clamp-mtime \
    confirmation delay-directory-restore exclude-backups exclude-caches-all exclude-caches-under \
    exclude-ignore= exclude-ignore-recursive= exclude-tag= exclude-tag-all= exclude-tag-under= force-local group-map= hard-dereference hole-detection= ignore-case ignore-command-error ignore-zeros \
    incremental index-file= keep-directory-symlink level= multi-volume newer-mtime= no-auto-compress no-check-device no-delay-directory-restore no-ignore-case no-ignore-command-error no-null no-quote-chars= no-seek no-unquote no-verbatim-files-from no-wildcards-match-slash occurrence? old-archive \
    owner-map= portability preserve-order quote-chars= read-full-records record-size= restrict rmt-command= same-order seek show-defaults show-omitted-dirs show-snapshot-field-ranges show-stored-names sparse-version= starting-file= suffix= test-label unquote verbatim-files-from volno-file= \
    wildcards-match-slash xattrs-exclude= xattrs-include=";

pub(super) fn tar(run: &mut Run) -> Outcome {
    let args = dashed(run.args);
    let options = read(&args, TAR, Order::Anywhere);
    for file in ["index-file", "volno-file", "g"].into_iter().flat_map(|name| options.values(name)) {
        run.analyst.write(file, WriteMode::Overwrite, None, run.shell);
    }
    for command in options.values("to-command").cloned().collect::<Vec<_>>() {
        fed(run, options.value("f"), &command);
    }
    for name in ["I", "F", "rsh-command", "rmt-command"] {
        for command in options.values(name).cloned().collect::<Vec<_>>() {
            interpreters::code(run, &command.value(), command.span);
        }
    }
    for action in options.values("checkpoint-action").cloned().collect::<Vec<_>>() {
        if action.text.prefix().starts_with("exec=") {
            interpreters::code(run, &action.after('=').value(), action.span);
        }
    }
    if options.has("x") {
        return unpack_tar(run, &options);
    }
    if options.has("c") || options.has("r") || options.has("u") {
        return pack_tar(run, &options);
    }
    if let Some(archive) = options.value("f").filter(|_| options.has("delete")).cloned() {
        lighten(run, &archive);
    }
    run.derived()
}

/// `--to-command`: every member is its standard input.
fn fed(run: &mut Run, archive: Option<&Word>, command: &Word) {
    let name = archive.map_or_else(|| Value::text("-"), Word::value);
    let text = Value::text("tar -xOf ").concat(&name).concat(&Value::text(" | ")).concat(&command.value());
    interpreters::code(run, &text, command.span);
}

fn unpack_tar(run: &mut Run, options: &Options) -> Outcome {
    let archive = options.value("f").filter(|archive| !archive.is("-")).cloned();
    let marks = source(run, archive.as_ref());
    for list in ["T", "X"].into_iter().flat_map(|name| options.values(name)) {
        run.read(list, false);
    }
    if options.has("O") {
        return members(run, &options.operands);
    }
    let folder = options.value("C").or(options.value("one-top-level")).cloned();
    for rename in options.values("transform").cloned().collect::<Vec<_>>() {
        renamed(run, &rename, folder.as_ref());
    }
    if options.has("P") {
        extract(run, &Word::literal_at("/", run.call.span));
    }
    unpack(run, archive.as_ref(), marks, &folder.unwrap_or_else(|| here(run)));
    Outcome::silent(Status::Either)
}

/// `--transform='s,old,new,'`: members get the new name, which may be that of any file.
fn renamed(run: &mut Run, rename: &Word, folder: Option<&Word>) {
    let shown = rename.shown();
    for one in shown.split(';').filter_map(|one| one.trim().strip_prefix('s')) {
        let Some(mark) = one.chars().next() else { continue };
        // The mark may stand behind a backslash in what it parts.
        let plain = one.replace(&format!("\\{mark}"), "\u{1}");
        let new = plain.split(mark).nth(2).unwrap_or_default().replace('\u{1}', &mark.to_string());
        if new.is_empty() || new.contains(['&', '\\']) {
            continue;
        }
        let before = run.shell.cwd().clone();
        if let Some(folder) = folder {
            run.shell.set_cwd(&folder.value());
        }
        let file = Word::literal_at(&new, rename.span);
        run.analyst.suppose(|analyst| analyst.write(&file, WriteMode::Overwrite, None, run.shell));
        run.shell.set_cwd(&before);
    }
}

fn pack_tar(run: &mut Run, options: &Options) -> Outcome {
    for list in options.values("X") {
        run.read(list, false);
    }
    let mut sources: Vec<Word> =
        options.operands.iter().filter(|word| !word.text.prefix().starts_with('@')).cloned().collect();
    for list in options.values("T").cloned().collect::<Vec<_>>() {
        sources.extend(find::listed(run, Some(&list)));
    }
    let folder = options.value("C").cloned();
    let before = run.shell.cwd().clone();
    if let Some(folder) = &folder {
        run.shell.set_cwd(&folder.value());
    }
    let mut marks = Taint::NONE;
    for word in &sources {
        marks = marks.union(run.read(word, true).taint);
        if options.has("remove-files") {
            run.analyst.delete(word, true, run.shell);
        }
    }
    run.shell.set_cwd(&before);
    let content = Value::output(marks);
    match options.value("f").filter(|archive| !archive.is("-")).cloned() {
        Some(archive) => run.analyst.write(&archive, WriteMode::Overwrite, Some(&content), run.shell),
        None => return Outcome { stdout: content, status: Status::Either },
    }
    Outcome::silent(Status::Either)
}

/// `tar xfC a.tar dir` as `tar -x -f a.tar -C dir`: the first word may be letters without a dash, whose values
/// follow in their order.
pub(super) fn dashed(args: &[Word]) -> Vec<Word> {
    let Some((first, rest)) = args.split_first() else { return Vec::new() };
    let Some(letters) = first.literal().filter(|text| !text.starts_with('-') && !text.is_empty()) else {
        return args.to_vec();
    };
    let mut rest = rest.iter().cloned();
    let mut words = Vec::new();
    for letter in letters.chars() {
        words.push(Word::literal_at(&format!("-{letter}"), first.span));
        if "fCbXTFILgNVHK".contains(letter) {
            words.extend(rest.next());
        }
    }
    words.extend(rest);
    words
}

/// `dpkg-deb -x archive folder`.
pub(super) fn dpkg_deb(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "x,extract X,vextract R,raw-extract b,build c,contents I,info e,control f,field W,show",
        Order::Anywhere,
    );
    if let [archive, folder] = options.operands.as_slice()
        && ["x", "X", "R"].iter().any(|name| options.has(name))
    {
        run.read(archive, false);
        extract(run, folder);
    }
    run.derived()
}

/// `stow -t folder` lays links for everything in a package.
pub(super) fn stow(run: &mut Run) -> Outcome {
    let spec =
        "t,target= d,dir= n,no,simulate S,stow D,delete R,restow v,verbose? ignore= defer= override= adopt";
    let options = read(run.args, spec, Order::Anywhere);
    if let Some(target) = options.value("t").filter(|_| !options.has("n") && !options.has("D")).cloned() {
        extract(run, &target);
    }
    run.derived()
}

fn here(run: &Run) -> Word {
    Word::literal_at(".", run.call.span)
}

/// Files with unknown names come into a folder.
pub(crate) fn extract(run: &mut Run, folder: &Word) {
    for (mut place, _) in run.analyst.places(folder, run.shell) {
        if place.pattern && place.path.is_empty() {
            continue;
        }
        place.path = format!("{}/*", place.path.trim_end_matches('/'));
        (place.pattern, place.root) = (true, false);
        let kind = EffectKind::Write { place, mode: WriteMode::Overwrite, content: None };
        run.analyst.push(kind, folder.span, Certainty::Possible);
    }
}

/// Reads an archive, or standard input: what its data came from.
fn source(run: &mut Run, archive: Option<&Word>) -> Taint {
    match archive {
        Some(archive) => run.read(archive, false).taint,
        None => run.stdin().map_or(Taint::NONE, |input| input.taint),
    }
}

/// Fills a folder from an archive. What came from the network is remembered, most often as one folder that is
/// called like the archive.
fn unpack(run: &mut Run, archive: Option<&Word>, marks: Taint, folder: &Word) {
    extract(run, folder);
    if taint::has(marks, taint::COMMITTED) {
        restore(run, folder);
    }
    if !taint::has(marks, taint::NET) {
        return;
    }
    run.analyst.unpacked = true;
    let name = archive.map(Word::shown).unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    let ends = [
        ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tar", ".tgz", ".txz", ".tbz2", ".zip", ".7z", ".rar",
    ];
    let stem = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|stem| !stem.is_empty());
    run.analyst.fetch_tree(folder, stem, &Mark::Downloaded, run.shell);
}

/// What is committed comes over what is not, as with `git checkout`.
fn restore(run: &mut Run, folder: &Word) {
    let kept = |(place, _): &(Place, Certainty)| place.zone != Zone::Temp;
    if !run.analyst.places(folder, run.shell).iter().any(kept) {
        return;
    }
    let at = |text: &str| Word::literal_at(text, folder.span);
    run.inner(&[at("git"), at("-C"), folder.clone(), at("checkout"), at("HEAD"), at("--"), at(".")]);
}

/// Members of an archive that are printed: one that is called like a secret is one.
fn members(run: &mut Run, names: &[Word]) -> Outcome {
    let marks = names.iter().fold(run.derived().stdout.taint, |all, name| {
        all.union(run.analyst.read(name, false, run.shell).taint)
    });
    Outcome::unknown(marks)
}

pub(super) fn unzip(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "d= l t p v z Z c f u n o j q a b C L M P= x: V W X K B D :", Order::Anywhere);
    if options.has(":") {
        // Members may name any folder of the machine.
        extract(run, &Word::literal_at("/", run.call.span));
    }
    let Some(archive) = options.operands.first().cloned() else { return run.derived() };
    let marks = source(run, Some(&archive));
    if options.has("p") || options.has("c") {
        return members(run, options.operands.get(1..).unwrap_or_default());
    }
    if ["l", "t", "v", "z", "Z"].into_iter().any(|name| options.has(name)) {
        return run.derived();
    }
    let folder = options.value("d").cloned();
    unpack(run, Some(&archive), marks, &folder.unwrap_or_else(|| here(run)));
    Outcome::silent(Status::Either)
}

pub(super) fn zip(run: &mut Run) -> Outcome {
    let spec = "r,recurse-paths R m,move d,delete u,update f,freshen j,junk-paths q,quiet v,verbose 0 1 2 3 4 5 6 7 8 9 \
        T,test TT,unzip-command= e,encrypt P,password= x,exclude= i,include= n,suffixes= b,temp-path= o,latest-time \
        y,symlinks X,no-extra D,no-dir-entries s= sf show-files FS,filesync F FF l ll A J k S t= tt= O,output-file= z c g @ h";
    // `-TT cmd` is two letters with a value.
    let mut command = None;
    let mut words = Vec::new();
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        match word.text.prefix() {
            "-TT" => command = rest.next().cloned(),
            text if text.starts_with("-TT") => command = Some(word.from(3)),
            // What is left out, or taken alone, is a list up to the next option.
            "-x" | "-i" | "--exclude" | "--include" => {
                let listed = |word: &&Word| !word.text.prefix().starts_with('-') && !word.is("@");
                while rest.clone().next().is_some_and(|word| listed(&word)) {
                    rest.next();
                }
            }
            _ => words.push(word.clone()),
        }
    }
    let options = read(&words, spec, Order::Anywhere);
    for command in command.iter().chain(options.values("TT")).cloned().collect::<Vec<_>>() {
        interpreters::code(run, &command.value(), command.span);
    }
    let Some((archive, sources)) = options.operands.split_first() else { return run.derived() };
    let listed = if options.has("@") { find::listed(run, None) } else { Vec::new() };
    if options.has("d") {
        lighten(run, archive);
        return Outcome::silent(Status::Either);
    }
    let mut marks = Taint::NONE;
    for word in sources.iter().chain(&listed) {
        marks = marks.union(run.read(word, options.has("r")).taint);
        if options.has("m") {
            run.analyst.delete(word, options.has("r"), run.shell);
        }
    }
    let content = Value::output(marks);
    if let Some(output) = options.value("O") {
        run.analyst.write(output, WriteMode::Overwrite, Some(&content), run.shell);
    }
    if archive.is("-") {
        return Outcome { stdout: content, status: Status::Either };
    }
    run.analyst.write(archive, WriteMode::Overwrite, Some(&content), run.shell);
    Outcome::silent(Status::Either)
}

/// Members are deleted from an archive, of which no other copy need be left.
fn lighten(run: &mut Run, archive: &Word) {
    run.analyst.write(archive, WriteMode::Overwrite, None, run.shell);
    run.analyst.cut(archive, run.shell);
}

pub(super) fn cpio(run: &mut Run) -> Outcome {
    let spec = "i,extract o,create p,pass-through t,list d,make-directories u,unconditional m v,verbose V a A B b c C= D,directory= \
        E,pattern-file= f F,file= H,format= I= O= k l L M= n 0,null no-absolute-filenames absolute-filenames quiet r R,owner= s S \
        rsh-command= to-stdout";
    let options = read(run.args, spec, Order::Anywhere);
    if let Some(command) = options.value("rsh-command").cloned() {
        interpreters::code(run, &command.value(), command.span);
    }
    if options.has("t") || options.has("to-stdout") {
        return run.derived();
    }
    if options.has("i") {
        let folder = options.value("D").cloned();
        let archive = options.value("F").or(options.value("I")).cloned();
        let marks = source(run, archive.as_ref());
        unpack(run, archive.as_ref(), marks, &folder.unwrap_or_else(|| here(run)));
        return Outcome::silent(Status::Either);
    }
    let names = find::listed(run, None);
    let marks = names.iter().fold(Taint::NONE, |marks, name| marks.union(run.read(name, false).taint));
    if options.has("p")
        && let Some(folder) = options.operands.first().cloned()
    {
        extract(run, &folder);
    }
    if options.has("o")
        && let Some(archive) = options.value("F").or(options.value("O")).cloned()
    {
        run.analyst.write(&archive, WriteMode::Overwrite, Some(&Value::output(marks)), run.shell);
    }
    Outcome::unknown(marks.union(call_taint(run.call)))
}

pub(super) fn ar(run: &mut Run) -> Outcome {
    let mut words = run.args.iter().filter(|word| !word.text.prefix().starts_with("--"));
    let (Some(verb), Some(archive)) = (words.next(), words.next()) else { return run.derived() };
    let verb = verb.shown();
    let verb = verb.trim_start_matches('-');
    if verb.starts_with(['r', 'q', 'd', 'm', 's']) {
        run.analyst.write(archive, WriteMode::Overwrite, None, run.shell);
    } else if verb.starts_with('x') {
        let archive = archive.clone();
        let marks = source(run, Some(&archive));
        unpack(run, Some(&archive), marks, &here(run));
    }
    run.derived()
}

/// `pax -r` unpacks here, `pax -w` packs, `pax -rw … folder` copies.
pub(super) fn pax(run: &mut Run) -> Outcome {
    let spec = "r w a b= B= c d D E= f= G= H i I k l L n N= o= O p= P s= t T= u U= v x= X Y z Z 0";
    let options = read(run.args, spec, Order::Anywhere);
    let (reads, writes) = (options.has("r"), options.has("w"));
    let mut marks = Taint::NONE;
    if writes && !reads {
        let named = options.operands.clone();
        let names = if named.is_empty() { find::listed(run, None) } else { named };
        marks = names.iter().fold(marks, |marks, name| marks.union(run.read(name, true).taint));
    }
    if reads && !writes {
        let archive = options.value("f").cloned();
        let marks = source(run, archive.as_ref());
        unpack(run, archive.as_ref(), marks, &here(run));
        // What its names are turned into may lie anywhere.
        if options.values("s").any(makes_absolute) {
            extract(run, &Word::literal_at("/", run.call.span));
        }
    } else if reads && let Some(folder) = options.operands.last().cloned() {
        extract(run, &folder);
    } else if let Some(archive) = options.value("f").filter(|_| writes).cloned() {
        run.analyst.write(&archive, WriteMode::Overwrite, Some(&Value::output(marks)), run.shell);
    }
    Outcome::unknown(marks.union(call_taint(run.call)))
}

/// Does `,old,new,` put a slash at the start of names?
fn makes_absolute(substitution: &Word) -> bool {
    let text = substitution.shown();
    let Some(mark) = text.chars().next() else { return false };
    text.split(mark).nth(2).is_some_and(|new| new.starts_with('/'))
}

pub(super) fn unsquashfs(run: &mut Run) -> Outcome {
    let lists =
        ["-l", "-ll", "-lln", "-lc", "-llc", "-ls", "-s", "-stat", "-cat", "-help", "-version", "-ps", "-pf"];
    if run.args.iter().any(|word| lists.contains(&word.shown().as_str())) {
        return run.derived();
    }
    let folder = run.args.windows(2).find_map(|pair| match pair {
        [flag, folder] if matches!(flag.shown().as_str(), "-d" | "-dest") => Some(folder.clone()),
        _ => None,
    });
    extract(run, &folder.unwrap_or_else(|| here(run)));
    run.derived()
}

/// `jar xf a.jar`, `jar --extract --dir folder --file a.jar`.
pub(super) fn jar(run: &mut Run) -> Outcome {
    let args = dashed(run.args);
    let spec = "c,create u,update t,list x,extract i,generate-index= d,describe-module f,file= C= e,main-class= m,manifest= \
        M,no-manifest n v,verbose 0,no-compress P dir= k,keep-old-files module-version= hash-modules= p,module-path= \
        release= validate date=";
    let options = read(&args, spec, Order::Anywhere);
    if options.has("x") {
        let folder = options.value("dir").or(options.value("C")).cloned();
        let archive = options.value("f").cloned();
        let marks = source(run, archive.as_ref());
        unpack(run, archive.as_ref(), marks, &folder.unwrap_or_else(|| here(run)));
    } else if let Some(archive) = options.value("f").filter(|_| options.has("c") || options.has("u")).cloned()
    {
        run.analyst.write(&archive, WriteMode::Overwrite, None, run.shell);
    }
    run.derived()
}
