//! Programs that print or copy what is in files, and filters.

use tollgate_model::phrase::PRINTED;
use tollgate_model::{Certainty, EffectKind, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{Commands, Run, secrets};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("cat", cat),
    ("tac", copies),
    ("bat", cat),
    ("batcat", cat),
    ("nl", filter),
    ("rev", rev),
    ("head", copies),
    ("tail", copies),
    ("less", copies),
    ("more", copies),
    ("most", copies),
    ("od", filter),
    ("hexdump", filter),
    ("hd", filter),
    ("strings", filter),
    ("wc", filter),
    ("cut", filter),
    ("paste", filter),
    ("sort", filter),
    ("uniq", filter),
    ("fold", filter),
    ("fmt", filter),
    ("pr", filter),
    ("expand", filter),
    ("unexpand", filter),
    ("column", filter),
    ("shuf", filter),
    ("split", filter),
    ("csplit", filter),
    ("diff", filter),
    ("colordiff", filter),
    ("sdiff", filter),
    ("cmp", filter),
    ("comm", filter),
    ("join", filter),
    ("md5sum", filter),
    ("sha1sum", filter),
    ("sha224sum", filter),
    ("sha256sum", filter),
    ("sha384sum", filter),
    ("sha512sum", filter),
    ("b2sum", filter),
    ("cksum", filter),
    ("sum", filter),
    ("iconv", filter),
    ("basenc", filter),
    ("basez", filter),
    ("uuencode", filter),
    ("look", filter),
    ("ptx", filter),
    ("tsort", filter),
    ("ul", filter),
    ("col", filter),
    ("colrm", filter),
    ("pg", copies),
    ("moar", copies),
    ("zcat", copies),
    ("gzcat", copies),
    ("bzcat", copies),
    ("xzcat", copies),
    ("zstdcat", copies),
    ("zless", copies),
    ("zmore", copies),
    ("glow", copies),
    ("mdcat", copies),
    ("ccat", copies),
    ("lolcat", copies),
    ("highlight", copies),
    ("pygmentize", copies),
    ("hexyl", copies),
    ("fx", copies),
    ("gron", copies),
    ("jless", copies),
    ("plutil", filter),
    ("xmllint", filter),
    ("pandoc", filter),
    ("m4", filter),
    ("cpp", filter),
    ("nroff", filter),
    ("troff", filter),
    ("groff", filter),
    ("soelim", filter),
    ("tbl", filter),
    ("eqn", filter),
    ("pic", filter),
    ("readelf", filter),
    ("objdump", filter),
    ("nm", filter),
    ("shasum", filter),
    ("md5", filter),
    ("dos2unix", filter),
    ("nano", filter),
    ("jq", pattern_first),
    ("yq", pattern_first),
    ("xq", pattern_first),
    ("grep", grep),
    ("egrep", grep),
    ("fgrep", grep),
    ("zgrep", grep),
    ("rg", grep),
    ("ag", grep),
    ("ack", grep),
];

/// The options of each reader, so that no file is taken for an option's value.
fn spec(program: &str) -> &'static str {
    match program {
        "head" | "tail" => {
            "n,lines= c,bytes= q v z f F r s,sleep-interval= pid= retry follow? max-unchanged-stats="
        }
        "tac" => "b,before r,regex s,separator=",
        "less" | "more" | "most" => {
            "b= h= j= k= o= O= p= P= t= T= x= y= z= D= e E f F g G i I K L M n N q Q r R s S u U V w W X c l d"
        }
        "nl" => "b= d= f= h= i= l= n= p s= v= w=",
        "od" => "A,address-radix= j,skip-bytes= N,read-bytes= S= t,format= w? v a b c d f i l o s x endian=",
        "hexdump" | "hd" => "b c C d e= f= n= o s= v x",
        "strings" => "a f n,bytes= o t,radix= T= e,encoding= s,output-separator= w d",
        "wc" => "c m l w L files0-from=",
        "cut" => "b,bytes= c,characters= d,delimiter= f,fields= n s z output-delimiter= complement",
        "paste" => "d,delimiters= s,serial z",
        "sort" => {
            "b d f g i M h n R r V c C m s u z k,key= o,output= t,field-separator= S,buffer-size= \
            T,temporary-directory= parallel= batch-size= compress-program= files0-from= sort= random-source="
        }
        "uniq" => "c d D i u z f,skip-fields= s,skip-chars= w,check-chars=",
        "fold" => "b s w,width=",
        "fmt" => "c s t u w,width= p,prefix= g,goal=",
        "pr" => {
            "a c d D= e? F f h,header= i? J l,length= m n? N= o,indent= r s? S? t T v w,width= W,page-width="
        }
        "expand" | "unexpand" => "a i t,tabs= first-only",
        "column" => {
            "t s,separator= o,output-separator= c,output-width= N= R= T= H= O= W= E= d e i= p= r= n= J x L l="
        }
        "shuf" => "e i,input-range= n,head-count= o,output= r z random-source=",
        "split" => {
            "a,suffix-length= b,bytes= C,line-bytes= d e l,lines= n,number= t,separator= u x filter= \
            additional-suffix="
        }
        "csplit" => "b= f= k n= s z suppress-matched",
        "diff" | "colordiff" | "sdiff" => {
            "q s c C,context= u U,unified= e n y W,width= p F,show-function-line= label= t T tabsize= l r N \
            x,exclude= X,exclude-from= S,starting-file= i E Z b w B I,ignore-matching-lines= a D,ifdef= d o= \
            line-format= unchanged-line-format="
        }
        "cmp" => "b i,ignore-initial= l n,bytes= s",
        "comm" => "1 2 3 z output-delimiter= total",
        "join" => "a= e= i j= o= t= v= 1= 2= z header",
        "iconv" => "f,from-code= t,to-code= l c s o,output=",
        "basenc" => "d,decode i,ignore-garbage w,wrap=",
        "look" => "a,alternative d,alphanum f,ignore-case t,terminate=",
        "pandoc" => {
            "f,from,r,read= t,to,w,write= o,output= s V,variable= M,metadata= H= B= A= c,css= F,filter= L= template="
        }
        "m4" | "cpp" => "D= U= I= include= imacros= iquote= isystem= P E o= x= std= B= H= L= F= R=",
        _ => "a,algorithm= l,length= b c t w= z o= f= e n s d",
    }
}

/// `cat`: what is in the files, one after the other.
fn cat(run: &mut Run) -> Outcome {
    let spec = "A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting \
        p,plain l,language= style= paging= theme= color= decorations= r,line-range= H,highlight-line=";
    let options = read(run.args, spec, Order::Anywhere);
    let stdout = contents(run, &options.operands);
    Outcome { stdout, status: Status::Either }
}

/// Programs that print what they read, more or less of it.
fn copies(run: &mut Run) -> Outcome {
    let options = read(run.args, spec(run.program), Order::Anywhere);
    let whole = contents(run, &options.operands);
    // A part of known text is not the whole of it, but all of it may be there.
    Outcome { stdout: whole, status: Status::Either }
}

fn filter(run: &mut Run) -> Outcome {
    let options = read(run.args, spec(run.program), Order::Anywhere);
    let whole = contents(run, &options.operands);
    for list in options.values("files0-from").cloned().collect::<Vec<_>>() {
        run.read(&list, false);
    }
    if run.program == "sort" {
        if let Some(output) = options.value("o") {
            run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell);
        }
        super::flags::values(run, &["--compress-program"]);
    }
    Outcome::unknown(whole.taint)
}

fn rev(run: &mut Run) -> Outcome {
    let whole = contents(run, run.args);
    match whole.as_literal() {
        Some(text) => {
            let lines: Vec<String> = text.split('\n').map(|line| line.chars().rev().collect()).collect();
            Outcome {
                stdout: Value::text(&lines.join("\n")).with_taint(whole.taint),
                status: Status::Success,
            }
        }
        None => Outcome::unknown(whole.taint),
    }
}

/// A program of which nothing is known and that is given a file of secrets to work on may show it. Options are
/// left out: `--key server.key` and `--env-file .env` are how secrets are used without being shown.
pub(super) fn unknown(run: &mut Run) {
    if LOOKERS.contains(&run.program) {
        return;
    }
    let mut option = false;
    for word in run.args {
        let is_option = word.text.prefix().starts_with('-');
        let is_path = word.literal().is_some_and(|text| text.contains(['.', '/']));
        if !is_option && !option && is_path {
            for (place, _) in run.analyst.places(word, run.shell) {
                if place.zone == Zone::Secret {
                    let kind = EffectKind::Read { place, recursive: false };
                    run.analyst.push(kind, word.span, Certainty::Possible);
                }
            }
        }
        option = is_option && !word.text.prefix().contains('=');
    }
}

/// Programs without effects of their own that look at a file's name, rights or size, or open it for a person.
const LOOKERS: &[&str] = &[
    "ls",
    "dir",
    "vdir",
    "exa",
    "eza",
    "lsd",
    "tree",
    "stat",
    "file",
    "test",
    "[",
    "[[",
    "du",
    "df",
    "realpath",
    "readlink",
    "dirname",
    "basename",
    "pathchk",
    "namei",
    "lsattr",
    "getfacl",
    "xattr",
    "getfattr",
    "echo",
    "printf",
    "print",
    "type",
    "which",
    "open",
    "xdg-open",
    "code",
    "cursor",
    "zed",
    "subl",
    "idea",
    "lsof",
    "fuser",
    "ssh-add",
    "inotifywait",
    "fswatch",
    "mkcert",
    "keytool",
    "certtool",
    "restorecon",
    "chcon",
    "export",
    "unset",
    "cd",
    "pushd",
    "return",
    "exit",
    "true",
    "false",
    "dotenv-linter",
    "git-crypt",
    "mdfind",
    "mdls",
    "locate",
    "read",
    "local",
    "declare",
    "typeset",
    "readonly",
    "alias",
    "hash",
    "let",
    "shift",
    ":",
];

fn pattern_first(run: &mut Run) -> Outcome {
    let spec = "f,from-file= L= arg= argjson= slurpfile= rawfile= indent= tab o= p= i,inplace,in-place I= C M r,raw-output s,slurp n,null-input";
    let options = read(run.args, spec, Order::Anywhere);
    let skip = usize::from(!options.has("f"));
    if let Some(program) = options.operands.first().filter(|_| skip == 1 && run.program == "jq").cloned() {
        environment_of_jq(run, &program);
    }
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let whole = contents(run, &files);
    if run.program != "jq" && options.has("i") {
        files.iter().for_each(|file| run.analyst.write(file, WriteMode::Edit, None, run.shell));
    }
    Outcome::unknown(whole.taint)
}

/// `env` and `$ENV` of jq are the whole environment, `env.NAME` and `$ENV.NAME` one variable of it.
fn environment_of_jq(run: &mut Run, program: &Word) {
    let Some(text) = program.literal() else { return };
    let starts = text.match_indices("env").chain(text.match_indices("ENV"));
    for (at, found) in starts {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + found.len()..).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let whole = !rest.starts_with(is_name);
        let stands_alone = !before.is_some_and(|c| is_name(c) || matches!(c, '.' | '"' | '$' | '\''));
        let is_environment = whole && if found == "ENV" { before == Some('$') } else { stands_alone };
        // `{env: 1}` and `{env}` name a member.
        let opens = text.get(..at).unwrap_or_default().trim_end().ends_with(['{', ',']);
        let closes = rest.trim_start().starts_with(['}', ',', ':']);
        if !is_environment || (opens && closes) {
            continue;
        }
        let name: String =
            rest.trim_start_matches(['.', '[', '"']).chars().take_while(|c| is_name(*c)).collect();
        let names = match (rest.starts_with(['.', '[']) && !name.is_empty(), secrets::is_secret_name(&name)) {
            (true, true) => vec![format!("{PRINTED}{name}")],
            (true, false) => continue,
            (false, _) => Vec::new(),
        };
        run.push(EffectKind::EnvRead { names });
    }
}

fn grep(run: &mut Run) -> Outcome {
    let spec = "e,regexp= f,file= r,recursive R,dereference-recursive i,ignore-case v,invert-match A,after-context= \
        B,before-context= C,context= m,max-count= g,glob= t,type= T,type-not= j,threads= M,max-columns= include= \
        exclude= exclude-dir= exclude-from= label= d,directories= D,devices= color? colour? iglob= max-depth= \
        hidden no-ignore u,unrestricted n,line-number l,files-with-matches c,count o,only-matching w,word-regexp \
        x,line-regexp q,quiet s,no-messages h,no-filename H,with-filename E F G P a z L";
    let options = read(run.args, spec, Order::Anywhere);
    if run.program == "rg" {
        super::flags::values(run, &["--pre", "--hostname-bin"]);
    }
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let walks = options.has("r") || options.has("R") || matches!(run.program, "rg" | "ag" | "ack");
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let mut marks = run.stdin().map(|value| value.taint).unwrap_or_default();
    for word in options.values("f").chain(&files) {
        marks = marks.union(run.read(word, walks).taint);
    }
    Outcome::unknown(marks)
}

/// What is in these files, or on standard input when there are none.
pub(super) fn contents(run: &mut Run, files: &[Word]) -> Value {
    let input = run.stdin().cloned();
    let mut whole: Option<Value> = None;
    for word in files {
        let content =
            if word.is("-") { input.clone().unwrap_or_else(Value::empty) } else { run.read(word, false) };
        whole = Some(match whole {
            Some(before) => before.concat(&content),
            None => content,
        });
    }
    whole.or(input).unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE))
}
