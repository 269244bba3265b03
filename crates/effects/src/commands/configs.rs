//! Editors of settings in one format or another: they change a file in place.

use tollgate_model::WriteMode;
use tollgate_shell::eval::Outcome;

use super::{Commands, Run};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("crudini", crudini),
    ("dasel", dasel),
    ("kwriteconfig5", kwriteconfig),
    ("kwriteconfig6", kwriteconfig),
    ("plutil", plutil),
    ("xmlstarlet", xmlstarlet),
];

fn crudini(run: &mut Run) -> Outcome {
    let spec = "set del merge get format= output= inplace list list-sep= verbose existing? ini-options=";
    let options = read(run.args, spec, Order::Anywhere);
    let file = options.operands.first().cloned();
    if options.has("get") || options.value("output").is_some_and(|output| output.is("-")) {
        return reads(run, file);
    }
    edits(run, options.value("output").cloned().or(file))
}

fn dasel(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "f,file= o,out= r,read= w,write= t,type= v,value= s,selector= p,parser=",
        Order::Anywhere,
    );
    let file = options.value("f").cloned();
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let prints = options.value("o").is_some_and(|output| output.is("-") || output.is("stdout"));
    match verb.as_str() {
        "put" | "delete" if !prints => edits(run, options.value("o").cloned().or(file)),
        _ => reads(run, file),
    }
}

/// Below the folder of settings, unless the path says otherwise.
fn kwriteconfig(run: &mut Run) -> Outcome {
    let options = read(run.args, "file= group= key= type= delete notify", Order::Anywhere);
    let file =
        options.value("file").cloned().unwrap_or_else(|| Word::literal_at("kdeglobals", run.call.span));
    let file = match file.literal().filter(|path| !path.contains('/')) {
        Some(name) => Word::literal_at(&format!("{}/.config/{name}", run.analyst.world.home()), file.span),
        None => file,
    };
    edits(run, Some(file))
}

fn plutil(run: &mut Run) -> Outcome {
    let changes = ["-replace", "-remove", "-insert", "-convert"];
    let elsewhere =
        run.args.iter().position(|word| word.is("-o")).and_then(|at| run.args.get(at + 1)).cloned();
    let file = run.args.last().cloned();
    match run.args.first() {
        Some(verb) if changes.iter().any(|change| verb.is(change)) => edits(run, elsewhere.or(file)),
        _ => reads(run, file),
    }
}

fn xmlstarlet(run: &mut Run) -> Outcome {
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
