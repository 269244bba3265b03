//! Ports that `ssh` forwards, and who may use them.

use crate::options::Options;
use crate::word::Word;

/// Does a port of this machine that leads elsewhere stand open for others than this machine?
pub(super) fn is_shared(options: &Options) -> bool {
    let set = |wanted: &str| -> Vec<String> {
        let settings = options.values("o").map(Word::shown);
        let pairs = settings.filter_map(|text| {
            let (name, value) = text.split_once(['=', ' ', '\t'])?;
            let is_asked = name.trim().eq_ignore_ascii_case(wanted);
            is_asked.then(|| value.trim_matches(['=', ' ', '\t', '"']).to_owned())
        });
        pairs.collect()
    };
    let shown = |name: &str| options.values(name).map(Word::shown).collect::<Vec<_>>();
    // The file and the option write the same, with a blank before the target.
    let local = [shown("L"), set("localforward")].concat();
    let dynamic = [shown("D"), set("dynamicforward")].concat();
    let open = options.has("g") || set("gatewayports").iter().any(|value| value.eq_ignore_ascii_case("yes"));
    open && !(local.is_empty() && dynamic.is_empty())
        || local.iter().any(|text| is_wide(&text.replace([' ', '\t'], ":"), 4))
        || dynamic.iter().any(|text| is_wide(text, 2))
}

/// Does a forwarded port listen on every address? Of so many parts the first one says where it listens.
fn is_wide(text: &str, parts: usize) -> bool {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(bound, _)| bound);
    // IPv6 addresses may be told apart by slashes; a path is a socket.
    let separators: &[char] = if text.starts_with('/') { &[':'] } else { &[':', '/'] };
    let first = || text.split(separators).next().filter(|_| text.split(separators).count() >= parts);
    let bound = bracketed.or_else(first);
    bound.is_some_and(|bound| matches!(bound, "" | "*" | "0" | "0.0.0.0" | "::" | "::0"))
}
