//! Programs that write over a file before they let go of it, so that nothing brings it back.

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};

use super::super::Run;
use crate::options::{Options, Order, read};
use crate::word::Word;

/// The options of each, as its manual has them.
const SPECS: &[(&[&str], &str)] = &[
    (
        &["shred", "gshred"],
        "f,force n,iterations= random-source= s,size= u remove? v,verbose x,exact z,zero help version",
    ),
    (
        &["srm", "sfill"],
        "d f l r,R,recursive v,verbose z m,medium s,simple P D,dod E,doe G,openbsd i,interactive x,one-file-system \
         h,help V,version C= B= I",
    ),
    (
        &["scrub"],
        "v,version r,remove p,pattern= b,blocksize= s,device-size= X,freespace D,dirent= f,force S,no-signature \
         L,no-link R,no-hwrand t,no-threads n,dry-run h,help",
    ),
    (&["wipe"], "a= b= c d e f F h i k l= M= n o= p= q Q= r R= s S= t T= v x= X= z Z"),
    (
        &["nwipe"],
        "autonuke autopoweroff sync? verify= m,method= l,logfile= p,prng= q,quiet r,rounds= noblank nousb nosignals \
         nogui e,exclude= v,verbose V,version h,help P,PDFreportpath=",
    ),
];

/// `shred notes`, with its name or without it; of a folder only some of them take everything.
pub(super) fn shred(run: &mut Run) -> Outcome {
    let spec = SPECS.iter().find(|(names, _)| names.contains(&run.program)).map_or("", |(_, spec)| spec);
    let options = read(run.args, spec, Order::Anywhere);
    // These only say something, or fill what nothing uses.
    if run.program == "sfill" || options.has("help") || options.has("version") || is_trial(run, &options) {
        return run.derived();
    }
    if options.has("autonuke") {
        let all = Word::literal_at("/dev/sd*", run.call.span);
        run.analyst.write(&all, WriteMode::Overwrite, None, run.shell);
    }
    let recursive = options.has("r") && run.program != "scrub";
    options.operands.iter().for_each(|word| overwritten(run, word, recursive || options.unsure));
    Outcome::silent(Status::Either)
}

fn is_trial(run: &Run, options: &Options) -> bool {
    run.program == "scrub" && (options.has("n") || options.has("X"))
}

/// Writes over a file and lets go of it: one after the other, of the same word, is how the rules know it.
pub(super) fn overwritten(run: &mut Run, word: &Word, recursive: bool) {
    run.analyst.write(word, WriteMode::Overwrite, None, run.shell);
    run.analyst.remove(word, recursive, run.shell);
}
