//! Files that go to a store of somebody's: buckets, gists, pastebins, mail. Only what is sent; what the same
//! programs do to infrastructure is told elsewhere.

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::{FileKind, WriteMode, Zone};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::super::verbs::{Line, is_emulated};
use super::super::{Run, archives};
use super::address::send;
use super::cargo::Cargo;
use super::{forge, sites};
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Order, read};
use crate::url;
use crate::word::Word;

/// Options of these tools whose value is no operand.
const VALUES: &str = "profile= region= endpoint-url= acl= exclude= include= storage-class= sse= sse-kms-key-id= content-type= \
    cache-control= metadata= output= query= project= account= zone= config= c= host= host-bucket= access_key= secret_key= bwlimit= \
    transfers= checkers= filter= filter-from= exclude-from= include-from= log-file= log-level= max-age= min-age= attr= encrypt= \
    m q r R n,dry-run dryrun delete remove quiet recursive P,progress v d a f o= u= h= J Z z= e= i U L";

/// Takes down what the command sends to a store.
pub(super) fn sent(run: &mut Run) {
    if run.program == "aws" && is_emulated(run, &Line::read(run.args, "endpoint-url", false)) {
        return;
    }
    let uses = catalogue::uses(run.program);
    if uses.iter().any(|way| way.role == Role::Copies) {
        if run.program == "aws" {
            sites::arguments(run);
        }
        return copied(run, uses);
    }
    let is_verb = |(verbs, word): (&&[&str], &Word)| verbs.iter().any(|verb| word.is(verb));
    let fits = |way: &&Use| {
        way.role == Role::Uploads
            && run.args.len() >= way.call.len()
            && way.call.iter().zip(run.args).all(is_verb)
    };
    if let Some(way) = uses.iter().find(fits) {
        uploaded(run, way);
    }
    match run.program {
        "gh" | "glab" => {
            forge::told(run);
            forge::gist(run);
        }
        "kaggle"
            if !run
                .args
                .iter()
                .any(|word| matches!(word.shown().as_str(), "create" | "version" | "push")) => {}
        "telegram-send" | "slack" | "signal-cli" | "kaggle" => {
            let files =
                after(run, &["--file", "-f", "--files", "--attachment", "-a", "--image", "-p", "--path"]);
            let service = service(run);
            upload(run, &files, &service);
        }
        "az" => azure(run),
        "restic" | "borg" | "borgmatic" | "kopia" | "duplicity" | "rustic" => backed_up(run),
        "netlify" | "ntl" | "vercel" | "vc" | "now" | "firebase" => site(run),
        "croc" | "wormhole" | "magic-wormhole" | "ffsend" | "transfer" => given(run),
        _ => {}
    }
    if run.program == "aws" {
        object(run);
    }
    sites::published(run);
}

fn copied(run: &mut Run, uses: &[Use]) {
    let options = read(run.args, VALUES, Order::Anywhere);
    if options.has("n") || options.has("dryrun") {
        return;
    }
    let verbs: Vec<String> = options.operands.iter().map(Word::shown).collect();
    let is_verb = |(known, verb): (&&[&str], &String)| known.contains(&verb.as_str());
    let fits = |way: &&Use| {
        way.role == Role::Copies && verbs.len() >= way.call.len() && way.call.iter().zip(&verbs).all(is_verb)
    };
    let Some(way) = uses.iter().find(fits) else {
        return object(run);
    };
    let operands = options.operands.get(way.call.len()..).unwrap_or_default();
    let Some((target, sources)) = operands.split_last() else { return };
    // What is no file here comes from a store of `mc`, and then its target is a file as likely as another store.
    let is_far = |source: &Word| is_store(source) || is_alias(run, source) && !is_here(run, source);
    let (far, near): (Vec<Word>, Vec<Word>) = sources.iter().cloned().partition(is_far);
    if !is_store(target) && (!is_alias(run, target) || near.is_empty()) {
        let last = way.call.len().checked_sub(1).and_then(|at| verbs.get(at));
        let mirrors = last.is_some_and(|verb| matches!(verb.as_str(), "sync" | "mirror" | "rsync"));
        let deletes =
            options.has("delete") || options.has("remove") || options.has("d") || run.program == "rclone";
        if mirrors && deletes {
            run.analyst.delete(target, true, run.shell);
        }
        return fetched(run, target, &far);
    }
    let mut cargo = Cargo::default();
    for source in &near {
        cargo.file(run, source, true);
    }
    if !cargo.is_empty() {
        let host = target.shown();
        send(run, target, &host, cargo, true);
    }
}

/// `mc` writes the stores that it knows as the first folder of a path, and looks for them first.
fn is_alias(run: &Run, target: &Word) -> bool {
    let shown = target.shown();
    let first = shown.split('/').next().unwrap_or_default();
    matches!(run.program, "mc" | "mcli") && shown.contains('/') && !matches!(first, "" | "." | ".." | "~")
}

fn is_here(run: &Run, file: &Word) -> bool {
    let places = run.analyst.places(file, run.shell);
    run.shell.file(&file.value()).is_some()
        || places
            .iter()
            .any(|(place, _)| place.pattern || run.analyst.world.kind(&place.path) != FileKind::Missing)
}

/// A file that comes from a store.
fn fetched(run: &mut Run, target: &Word, sources: &[Word]) {
    let name = |source: &Word| source.shown().rsplit('/').next().unwrap_or_default().to_owned();
    for source in sources {
        let folder = target.shown();
        let path = match folder.as_str() {
            "-" => continue,
            "." => name(source),
            folder if folder.ends_with('/') => format!("{folder}{}", name(source)),
            folder => folder.to_owned(),
        };
        let word = Word::literal_at(&path, target.span);
        let content = Value::output(taint::NET);
        run.analyst.write(&word, WriteMode::Overwrite, Some(&content), run.shell);
    }
}

/// `s3://…`, `remote:path`, and rclone's `:backend:path` and `:backend,option=value:path`.
fn is_store(word: &Word) -> bool {
    let shown = word.shown();
    let made_up = || shown.strip_prefix(':').is_some_and(|rest| rest.contains(':'));
    shown.contains("://")
        || made_up()
        || shown.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', '.']))
        || matches!(shown.split('/').next(), Some("s3" | "minio" | "gcs" | "play" | "myminio"))
}

/// `aws s3api put-object --body file`.
fn object(run: &mut Run) {
    let has = |text: &str| run.args.iter().any(|word| word.is(text));
    if run.program != "aws" || !(has("put-object") || has("upload-part") || has("upload-archive")) {
        return;
    }
    let body = after(run, &["--body"]);
    upload(run, &body, "aws");
}

fn azure(run: &mut Run) {
    let verbs: Vec<String> = run.args.iter().take(4).map(Word::shown).collect();
    if verbs.first().is_some_and(|verb| verb == "storage")
        && verbs.iter().any(|verb| verb.starts_with("upload"))
    {
        let files = after(run, &["-f", "--file", "-s", "--source"]);
        upload(run, &files, "azure storage");
    }
}

/// A site is put on the web: a folder of the project is everyday work, a home is not.
fn site(run: &mut Run) {
    let mut folders = after(run, &["--dir", "-d", "--public", "--cwd"]);
    folders.extend(run.args.iter().filter(|word| word.text.prefix().starts_with('/')).cloned());
    let wide = |word: &Word| {
        let places = run.analyst.places(word, run.shell);
        places.iter().any(|(place, _)| place.zone >= Zone::Home)
    };
    let wide: Vec<Word> = folders.into_iter().filter(wide).collect();
    let service = service(run);
    upload(run, &wide, &service);
}

fn uploaded(run: &mut Run, way: &Use) {
    let (skip, most) = match way.slot {
        Slot::Operand(at) => (at, 1),
        Slot::Operands(from) => (from, usize::MAX),
        _ => return,
    };
    let spec = "c,channel,configure= t,title= d,description,desc= f,filename= v,visibility= n,stream R,repo= r w Q progress \
        quiet noProgress contentType= sha1= threads= repo-type= revision= commit-message= token= project= domain=";
    let options = read(run.args, spec, Order::Anywhere);
    let is_file = |word: &&Word| run.program != "surge" || word.shown().starts_with(['.', '/']);
    let files: Vec<Word> =
        options.operands.iter().skip(way.call.len() + skip).take(most).filter(is_file).cloned().collect();
    let service = service(run);
    upload(run, &files, &service);
}

/// The service that a program was made for, which is none of this network.
pub(super) fn service(run: &Run) -> String {
    format!("the service of {}", run.program)
}

/// `croc send file`, `wormhole send file`.
fn given(run: &mut Run) {
    let is_verb = |word: &&Word| matches!(word.shown().as_str(), "send" | "upload" | "tx");
    let sends = run.program == "transfer" || run.args.iter().any(|word| is_verb(&word));
    let files: Vec<Word> =
        run.args.iter().filter(|word| !is_verb(word) && !word.shown().starts_with('-')).cloned().collect();
    if sends {
        let service = service(run);
        upload(run, &files, &service);
    }
}

/// Backups to a store on another machine: restic's and rustic's `s3:…`, `sftp:…`, borg's `ssh://…` and `host:path`,
/// duplicity's addresses. Where kopia's is, only its own settings tell.
fn backed_up(run: &mut Run) {
    let spec = "r,repo= repository-file= p,password-file= password-command= tag= host= H= e,exclude= iexclude= exclude-file= \
        exclude-from= files-from= C,compression= c,checkpoint-interval= o,option= comment= pattern= patterns-from= n,dry-run";
    let options = read(run.args, spec, Order::Anywhere);
    let mut words = options.operands.iter();
    let verb = if run.program == "duplicity" {
        String::new()
    } else {
        words.next().map(Word::shown).unwrap_or_default()
    };
    let mut files: Vec<Word> = words.cloned().collect();
    let named = options.value("r").cloned().or_else(|| {
        let name = if run.program == "borg" { "BORG_REPO" } else { "RESTIC_REPOSITORY" };
        let text = run.variable(name)?.single()?.clone();
        Some(Word { text, ..Word::literal_at("", run.call.span) })
    });
    let target = read(run.args, "t,target=", Order::Anywhere).value("t").cloned();
    let store = match (run.program, verb.as_str()) {
        ("restic" | "rustic", "restore") => {
            return target.iter().for_each(|folder| archives::extract(run, folder));
        }
        ("kopia", "restore") => {
            return files.last().into_iter().for_each(|folder| archives::extract(run, folder));
        }
        ("restic" | "rustic", "backup") => named,
        ("borg", "create") => (!files.is_empty())
            .then(|| files.remove(0))
            .filter(|first| !first.text.prefix().starts_with("::"))
            .or(named),
        ("duplicity", _) => files.pop(),
        ("kopia", "snapshot" | "snap") => return upload(run, &files, "the store of kopia"),
        _ => return,
    };
    let Some(store) = store.map(|store| store.shown()).filter(|store| is_elsewhere(store)) else { return };
    upload(run, &files, &store);
}

/// Is a store named by an address, or by a machine and a path?
fn is_elsewhere(store: &str) -> bool {
    let before = store.split("::").next().unwrap_or_default();
    before.split_once(':').is_some_and(|(scheme, rest)| {
        !matches!(scheme, "file" | "local")
            && !scheme.contains('/')
            && !url::is_this_machine(&url::host(rest))
    })
}

pub(super) fn upload(run: &mut Run, files: &[Word], host: &str) {
    let mut cargo = Cargo::default();
    files.iter().for_each(|file| cargo.file(run, file, true));
    if !cargo.is_empty() {
        let word = Word::literal_at(host, run.call.span);
        send(run, &word, host, cargo, true);
    }
}

/// The values of options, wherever they stand.
pub(super) fn after(run: &Run, names: &[&str]) -> Vec<Word> {
    let mut values = Vec::new();
    for (index, word) in run.args.iter().enumerate() {
        let prefix = word.text.prefix();
        let (name, attached) = prefix.split_once('=').map_or((prefix, false), |(name, _)| (name, true));
        if !names.contains(&name) {
            continue;
        }
        match run.args.get(index + 1) {
            _ if attached && name.starts_with("--") => values.push(word.after('=')),
            Some(value) => values.push(value.clone()),
            None => {}
        }
    }
    values
}

/// `pastebinit`, and other programs that put files or standard input on a public page.
pub(in crate::commands) fn paste(run: &mut Run) -> Outcome {
    let options = read(run.args, "i= b= a= f= t= u= P e l v h j m= r= E s= p= private", Order::Anywhere);
    let mut cargo = Cargo::default();
    let files: Vec<Word> = options.operands.iter().chain(options.values("i")).cloned().collect();
    files.iter().for_each(|file| cargo.file(run, file, false));
    if files.is_empty() {
        cargo.stdin(run);
    }
    let word = Word::literal_at("pastebin.com", run.call.span);
    send(run, &word, "pastebin.com", cargo, true);
    run.derived()
}

/// Mail: attachments, and the body on standard input.
pub(in crate::commands) fn mail(run: &mut Run) -> Outcome {
    let spec = "s,subject= a,attach= A,account= b= c= e= f,file= F= h= i,init= q= r= S= t,to= u= C= H= n p R x y z E B N V v d m= O= o= X= \
        server= from= body= header= add-header= data= auth-user= auth-password= host= port= tls read-envelope-from";
    let options = read(run.args, spec, Order::Anywhere);
    let mut cargo = Cargo::default();
    let attached = ["a", "attach"].iter().flat_map(|name| options.values(name));
    let named = options
        .values("body")
        .chain(options.values("data"))
        .filter(|word| word.text.prefix().starts_with('@'));
    let mut files: Vec<Word> = attached.cloned().chain(named.map(|word| word.from(1))).collect();
    // mutt takes files up to `--`; sendmail's `-A` and mailx's are accounts or files by flavour.
    files.extend(options.values("A").filter(|word| word.shown().contains(['/', '.'])).cloned());
    // GNU mail's `-a` is a header.
    files.retain(|word| !word.shown().contains(':'));
    files.iter().for_each(|file| cargo.file(run, file, false));
    cargo.stdin(run);
    let readers = options.operands.iter().chain(options.values("t"));
    for reader in readers.cloned().collect::<Vec<_>>() {
        let shown = reader.shown();
        let host = shown.rsplit('@').next().filter(|_| shown.contains('@')).unwrap_or("localhost").to_owned();
        send(run, &reader, &host, cargo.clone(), true);
    }
    if let Some(file) = options.value("r").filter(|_| run.program == "mutt").cloned() {
        run.analyst.write(&file, WriteMode::Append, None, run.shell);
    }
    run.derived()
}
