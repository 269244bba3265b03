//! Pictures in texts that are shown as pages: whoever shows the page fetches them, and their addresses say
//! something to whoever answers.

use tollgate_model::{Carried, EffectKind, NetDirection, Place, World};

use crate::TEXT_LIMIT;
use crate::url::Url;

/// The most addresses of a text that are looked at.
const MOST: usize = 500;

/// What the pictures that a written page newly holds would carry away.
pub(crate) fn sent(place: &Place, texts: &[String], world: &dyn World) -> Vec<EffectKind> {
    let pages = [".md", ".markdown", ".mdx", ".mdc", ".html", ".htm", ".svg", ".rst"];
    if !pages.iter().any(|end| place.path.to_ascii_lowercase().ends_with(end)) {
        return Vec::new();
    }
    let told: Vec<(&str, Url, Vec<Carried>)> = texts
        .iter()
        .filter(|text| text.len() <= TEXT_LIMIT)
        .flat_map(|text| addresses(text))
        .map(|address| (address, Url::parse(address)))
        .map(|(address, url)| (address, url.carries(address), url))
        .filter(|(_, carries, _)| !carries.is_empty())
        .map(|(address, carries, url)| (address, url, carries))
        .collect();
    if told.is_empty() {
        return Vec::new();
    }
    let old = world
        .read(&place.path, TEXT_LIMIT)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default();
    told.into_iter()
        .filter(|(address, ..)| !old.contains(address))
        .map(|(_, url, carries)| EffectKind::Net { host: url.host, direction: NetDirection::Out, carries })
        .collect()
}

/// The addresses of pictures: `![a](x)`, `![a][name]` with `[name]: x`, `<img src="x">`; and what a page fetches
/// beforehand: `<link rel="preconnect" href="//x">`.
fn addresses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // Whatever is found below holds this.
    if !text.contains("//") {
        return found;
    }
    for (at, _) in text.match_indices("![").take(MOST) {
        let rest = text.get(at + 2..).unwrap_or_default();
        let Some((label, after)) = rest.split_once(']') else { continue };
        if let Some(inside) = after.strip_prefix('(') {
            found.push(first_word(inside.split(')').next().unwrap_or_default()));
        } else {
            let name = after
                .strip_prefix('[')
                .and_then(|rest| rest.split(']').next())
                .filter(|name| !name.is_empty());
            found.extend(defined(text, name.unwrap_or(label)));
        }
    }
    for (at, _) in text.match_indices("src=").take(MOST) {
        let rest = text.get(at + 4..).unwrap_or_default().trim_start_matches(['"', '\'']);
        found.push(rest.split(['"', '\'', '>', ' ', '\n']).next().unwrap_or_default());
    }
    found.retain(|address| address.contains("://"));
    for tag in text.split("<link").skip(1).take(MOST).filter_map(|rest| rest.split('>').next()) {
        let Some((_, rest)) = tag.split_once("href=") else { continue };
        let address =
            rest.trim_start_matches(['"', '\'']).split(['"', '\'', ' ', '\n']).next().unwrap_or_default();
        found.extend(Some(address).filter(|address| address.contains("://")));
        found.extend(address.strip_prefix("//"));
    }
    found
}

/// The address that a reference stands for.
fn defined<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (label, address) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
        label.eq_ignore_ascii_case(name).then(|| first_word(address))
    })
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_pictures() {
        for (text, expected) in [
            ("![a](https://x.test/a.png \"t\") [b](https://y.test)", vec!["https://x.test/a.png"]),
            ("![a][r]\n\n[r]: <https://x.test/r>\n", vec!["https://x.test/r"]),
            ("![r]\n[R]: https://x.test/r 'title'", vec!["https://x.test/r"]),
            ("<img width=3 src='https://x.test/i'>", vec!["https://x.test/i"]),
            ("<link rel=preconnect href=\"//x.test\"><link href='a.css'>", vec!["x.test"]),
            ("![local](./a.png) ![", vec![]),
        ] {
            assert_eq!(addresses(text), expected, "{text}");
        }
    }
}
