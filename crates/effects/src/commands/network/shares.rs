//! Servers that show a folder to whoever asks for it.

use tollgate_model::{EffectKind, NetDirection, Zone, phrase};

use super::super::Run;
use crate::paths::within;
use crate::word::Word;

/// Programs that show the folder among their operands, or that an option names; the present one without.
const SERVERS: &[(&str, &[&str])] = &[
    ("serve", &[]),
    ("http-server", &[]),
    ("live-server", &[]),
    ("miniserve", &[]),
    ("darkhttpd", &[]),
    ("webfsd", &["-r"]),
    ("httpd", &["-h"]),
    ("php", &["-t"]),
    ("caddy", &["--root", "-r"]),
    ("http.server", &["-d", "--directory"]),
    ("SimpleHTTPServer", &[]),
    ("ruby", &[]),
];

/// Takes a server down that shows a home or the whole machine.
pub(super) fn served(run: &mut Run) {
    let module = run.program.starts_with("python") && run.args.first().is_some_and(|word| word.is("-m"));
    let name = match run.args.get(1).filter(|_| module) {
        Some(module) => module.shown(),
        None => run.program.to_owned(),
    };
    let Some((_, options)) = SERVERS.iter().find(|(server, _)| *server == name) else { return };
    let has = |flag: &str| run.args.iter().any(|word| word.text.prefix().starts_with(flag));
    let serves = match name.as_str() {
        "php" => has("-S"),
        "caddy" => has("file-server"),
        "ruby" => has("-run") && run.args.iter().any(|word| word.is("httpd")),
        "httpd" => has("-f") || has("-p"),
        _ => true,
    };
    if !serves {
        return;
    }
    let mut folders = folders(run, options);
    if folders.is_empty() {
        folders.push(Word::literal_at(".", run.call.span));
    }
    for folder in folders {
        let home = run.analyst.world.home();
        let places = run.analyst.places(&folder, run.shell);
        let wide = places.iter().any(|(place, _)| within(home, &place.path) || place.zone == Zone::Secret);
        if wide {
            let carries = vec![format!("{}`{name}`, which shows `{}`", phrase::TUNNEL, folder.shown())];
            run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
        }
    }
}

/// The folders that are shown.
fn folders(run: &Run, options: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in run.args.iter().enumerate() {
        let text = word.text.prefix();
        let before = at.checked_sub(1).and_then(|at| run.args.get(at)).map(Word::shown).unwrap_or_default();
        let named = options.contains(&before.as_str());
        let operand = options.is_empty() && text.starts_with(['/', '~', '.']) && !before.starts_with('-');
        let operand = operand || options.is_empty() && before == "httpd";
        if text.split_once('=').is_some_and(|(name, _)| options.contains(&name)) {
            found.push(word.after('='));
        } else if named || operand {
            found.push(word.clone());
        }
    }
    found
}
