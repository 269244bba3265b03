//! A session as one HTML file that needs nothing else: no script, no address, nothing that a browser would load.

use tollgate_index::SessionRow;

use crate::row::{Outcome, Row};
use crate::story::stamp;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1f24;\
background:#fff}h1{font-size:1.4rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;\
padding:.3rem .6rem;border-bottom:1px solid #d8dee4}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;\
font:13px/1.4 ui-monospace,monospace}.deny,.halt{color:#a40e26}.ask{color:#7a4b00}.prompt td{background:#f3f5f7}\
@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e9ec}th,td{border-color:#3a4046}.deny,.halt{color:#ff8f8f}\
.ask{color:#f0c068}.prompt td{background:#1e2328}}";

/// The page. Rows are oldest first.
pub(crate) fn page(session: &SessionRow, rows: &[Row], is_whole: bool) -> String {
    let title = format!("{} {}", session.agent, session.session);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{STYLE}</style></head><body>\n\
         <h1>{0}</h1>\n<p>{1} to {2} (UTC) in <code>{3}</code>: {4} prompts, {5} calls, {6} asked, {7} refused.</p>\n",
        escape(&title),
        minute(&stamp(session.first)),
        minute(&stamp(session.last)),
        escape(&session.cwd),
        session.prompts,
        session.calls,
        session.asked,
        session.denied,
    );
    if !is_whole {
        page.push_str(&format!("<p>Only the last {} events are in this file.</p>\n", rows.len()));
    }
    page.push_str("<table><thead><tr><th>Time<th>What<th>Verdict<th>Result</tr></thead><tbody>\n");
    rows.iter().for_each(|row| page.push_str(&line(row)));
    page.push_str("</tbody></table>\n</body></html>\n");
    page
}

fn line(row: &Row) -> String {
    let who = row.actor.as_ref().map_or(String::new(), |actor| format!("{}: ", actor.kind));
    let name = if row.tool.is_empty() { &row.phase } else { &row.tool };
    let reason = if row.reason.is_empty() { String::new() } else { format!("<br>{}", escape(&row.reason)) };
    let rules =
        if row.rules.is_empty() { String::new() } else { format!(" [{}]", escape(&row.rules.join(" "))) };
    let verdict =
        if row.is_call() { format!("{}{rules}{reason}", escape(&row.verdict)) } else { String::new() };
    format!(
        "<tr class=\"{}\"><td>{}<td>{}{}<pre>{}</pre><td class=\"{}\">{verdict}<td>{}</tr>\n",
        escape(&row.phase),
        minute(&row.at),
        escape(&who),
        escape(name),
        escape(&row.subject),
        escape(&row.verdict),
        escape(&result(row)),
    )
}

fn result(row: &Row) -> String {
    let took = row.took_ms.map_or(String::new(), |ms| format!(" in {ms} ms"));
    match row.outcome {
        Outcome::Event => String::new(),
        Outcome::Open => "no result yet".to_owned(),
        Outcome::None => "no result".to_owned(),
        Outcome::Refused => "refused".to_owned(),
        Outcome::Ran => format!("ran{took}"),
        Outcome::Failed => format!("failed{took}: {}", row.error),
    }
}

fn minute(time: &str) -> String {
    escape(&time.chars().take(19).collect::<String>().replace('T', " "))
}

/// Text as HTML shows it. What reorders or hides text is written out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                out.extend(letter.escape_default());
            }
            letter if letter.is_control() => out.extend(letter.escape_default()),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use tollgate_model::json;

    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        let record = json::parse(
            br#"{"seq":1,"ts":"2026-01-31T12:00:00Z\"><script>","agent":"<b>","session":"'\"><script>x</script>","phase":"pre-tool\" onclick=\"x","tool":"<img src=x onerror=x>","cwd":"/p","input":{"command":"</pre><script>alert(1)</script>\u202e\u001b[2J"},"verdict":"deny","findings":[{"rule":"<i>","verdict":"deny","what":"<svg onload=x>"}]}"#,
        )
        .unwrap();
        let row = Row::of(&record).unwrap();
        let session = SessionRow {
            agent: "<b>".into(),
            session: "'\"><script>".into(),
            cwd: "<u>".into(),
            ..SessionRow::default()
        };
        let page = page(&session, &[row], true);
        let body = page.split_once("<h1>").unwrap().1;
        for bad in ["<script", "<img", "<svg", "<i>", "<b>", "<u>", "onclick=\"", "\u{202e}", "\u{1b}"] {
            assert!(!body.contains(bad), "{bad}: {body}");
        }
    }
}
