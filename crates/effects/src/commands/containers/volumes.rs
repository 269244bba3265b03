//! Volumes that have a name and are a folder of the machine all the same.

use super::Mount;
use crate::commands::Run;
use crate::options::{Order, read};
use crate::word::Word;

/// `volume create --opt device=/folder NAME`: what is in the volume is what is in the folder.
pub(super) fn create(run: &mut Run, words: &[Word]) {
    let spec = "d,driver= label= n,name= o,opt= availability= group= limit-bytes= required-bytes= scope= secret= \
        sharing= topology-preferred= topology-required= type= ignore";
    let options = read(words, spec, Order::Anywhere);
    let device = options.values("o").filter(|word| word.text.prefix().starts_with("device=")).last();
    let name = options.operands.get(1).or(options.value("n"));
    let (Some(device), Some(name)) = (device.map(|word| word.after('=')), name.and_then(Word::literal))
    else {
        return;
    };
    if let Some(folder) = run.shell.resolve(&device.value()).as_literal().filter(|path| path.starts_with('/'))
    {
        run.analyst.links.link(&data(name), folder);
    }
}

/// `NAME:there[:options]`, where the session has made the volume from a folder.
pub(super) fn named(run: &Run, word: &Word) -> Option<Mount> {
    let shown = word.shown();
    let (name, rest) = shown.split_once(':')?;
    let (there, options) = rest.split_once(':').unwrap_or((rest, ""));
    let read_only = options.split(',').any(|option| option == "ro" || option == "readonly");
    Some(Mount { here: folder(run, name, word)?, there: there.to_owned(), read_only })
}

/// `type=volume,source=NAME,target=there`, likewise.
pub(super) fn mounted(run: &Run, word: &Word) -> Option<Mount> {
    let shown = word.shown();
    let fields = || shown.split(',').filter_map(|part| part.split_once('='));
    let field = |names: &[&str]| fields().find(|(name, _)| names.contains(name)).map(|(_, value)| value);
    let there = field(&["target", "dst", "destination"])?.to_owned();
    let read_only =
        shown.split(',').any(|part| matches!(part, "readonly" | "ro" | "readonly=true" | "ro=true"));
    Some(Mount { here: folder(run, field(&["source", "src"])?, word)?, there, read_only })
}

fn folder(run: &Run, name: &str, word: &Word) -> Option<Word> {
    if name.is_empty() || name.contains(['/', '*']) {
        return None;
    }
    let path = data(name);
    let led = run.analyst.links.is_link(&path) || run.analyst.world.memory().link_on(&path).is_some();
    led.then(|| Word::literal_at(&path, word.span))
}

/// Where the data of a volume lies.
fn data(name: &str) -> String {
    format!("/var/lib/docker/volumes/{name}/_data")
}
