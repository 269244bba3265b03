//! `fd`: a walk like that of `find`, with words of its own.

use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use super::{filled_with_parts, found, links_below, secrets};
use crate::commands::Run;
use crate::commands::readers::named_like;
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(in crate::commands) fn fd(run: &mut Run) -> Outcome {
    let spec = "H,hidden I,no-ignore u,unrestricted s,case-sensitive i,ignore-case g,glob F,fixed-strings a,absolute-path \
        L,follow p,full-path d,max-depth= min-depth= exact-depth= E,exclude= t,type= e,extension= S,size= o,owner= \
        changed-within= changed-before= x,exec= X,exec-batch= c,color= j,threads= base-directory= search-path= 0,print0 l,list-details";
    let args = split_exec(run.args);
    let split = args.iter().position(|word| word.is("-x") || word.is("-X"));
    let (before, command) = args.split_at(split.unwrap_or(args.len()));
    let options = read(before, spec, Order::Anywhere);
    let base = options.value("base-directory").cloned();
    let here = base.clone().unwrap_or_else(|| Word::literal_at(".", run.call.span));
    let pattern = options.operands.first().map(Word::shown).unwrap_or_default();
    // Bounds of a name, and dots that are meant, make a plain pattern no other.
    let pattern = pattern.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    let narrow = !matches!(pattern.as_str(), "" | "." | "*") || options.has("e") || options.has("S");
    let roots: Vec<Word> =
        options.operands.iter().skip(1).chain(options.values("search-path")).cloned().collect();
    let mut roots = match base {
        _ if roots.is_empty() => vec![here],
        Some(base) => roots.iter().map(|root| below(&base, root)).collect(),
        None => roots,
    };
    if options.has("L") {
        roots.extend(links_below(run, &roots));
    }
    // A plain pattern stands for the names that hold it.
    let plain = pattern.len() > 1
        && pattern.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        && !options.has("p");
    let all = matches!(pattern.as_str(), "" | "." | "*");
    let ending =
        options.value("e").and_then(Word::literal).filter(|_| all && options.values("e").count() == 1);
    let name = ending.as_ref().map_or_else(|| format!("*{pattern}*"), |ending| format!("*.{ending}"));
    let name = ["-name".to_owned(), name].map(|word| Word::literal_at(&word, run.call.span));
    let marker = [Word::literal_at("-empty", run.call.span)];
    let expression: &[Word] = match narrow {
        true if plain || ending.is_some() => &name,
        true => &marker,
        false => &[],
    };
    let mut found: Vec<Word> = roots.iter().map(|root| found(root, expression)).collect();
    found.extend(secrets(run, &roots, expression));
    if !all && leaves_nothing_out(&options) {
        found.extend(roots.iter().flat_map(|root| named_like(run, root, &pattern)));
    }
    let command: Vec<Word> = command.iter().skip(1).take_while(|word| !word.is(";")).cloned().collect();
    if !command.is_empty() {
        let mark = run.analyst.mark();
        for file in &found {
            let mut words = filled_with_parts(&command, file);
            if words == command {
                words.push(file.clone());
            }
            run.inner(&words);
        }
        run.analyst.deepen(mark);
    }
    let names = found.iter().map(|word| word.text.clone());
    Outcome { stdout: Value::of(names, Taint::NONE), status: Status::Either }
}

/// Does it show hidden and ignored files, whatever their ending?
fn leaves_nothing_out(options: &Options) -> bool {
    !options.has("e") && (options.has("u") || options.has("H") && options.has("I"))
}

/// A path as it is seen from a folder.
pub(in crate::commands) fn below(folder: &Word, path: &Word) -> Word {
    if path.text.prefix().starts_with('/') {
        return path.clone();
    }
    let mut text = folder.text.clone();
    text.push_str("/");
    text.append(&path.text);
    Word { text, ..path.clone() }
}

/// The words of `fd` with every spelling of its command option as `-x`, alone.
fn split_exec(words: &[Word]) -> Vec<Word> {
    let mut out = Vec::new();
    for word in words {
        let text = word.text.prefix();
        let option = Word::literal_at("-x", word.span);
        let cluster =
            text.strip_prefix('-').filter(|rest| !rest.starts_with('-') && rest.ends_with(['x', 'X']));
        match cluster {
            _ if word.is("--exec") || word.is("--exec-batch") => out.push(option),
            _ if text.starts_with("--exec=") || text.starts_with("--exec-batch=") => {
                out.extend([option, word.after('=')]);
            }
            Some(letters) if letters.len() > 1 => {
                let others = letters.trim_end_matches(['x', 'X']);
                out.extend([Word::literal_at(&format!("-{others}"), word.span), option]);
            }
            _ => out.push(word.clone()),
        }
    }
    out
}
