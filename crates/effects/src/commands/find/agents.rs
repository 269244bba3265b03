//! Settings of coding agents that a walk finds by their names.

use tollgate_model::FileKind;

use super::super::Run;
use super::expression;
use crate::paths;
use crate::word::Word;

/// Those that the walk finds.
pub(super) fn found(run: &Run, roots: &[Word], passed: &[Word]) -> Vec<Word> {
    let Some(glob) = expression::name(passed) else { return Vec::new() };
    let world = run.analyst.world;
    let named = paths::agent_settings().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or_default();
        paths::glob_could_be(&glob, name)
    });
    let all = named.flat_map(|path| [world.home(), world.workspace()].map(|base| format!("{base}/{path}")));
    let all: Vec<String> = all.filter(|path| world.kind(path) == FileKind::File).collect();
    let below = |root: &Word| {
        let places = run.analyst.places(root, run.shell);
        let inside =
            all.iter().filter(|path| places.iter().any(|(place, _)| paths::within(path, &place.path)));
        inside.map(|path| Word::literal_at(path, root.span)).collect::<Vec<_>>()
    };
    roots.iter().flat_map(below).collect()
}
