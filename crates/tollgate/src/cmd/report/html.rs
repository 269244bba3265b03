//! A report as one page: styles and drawings are in it, nothing is fetched and nothing runs.

use tollgate_index::{Histogram, Row, bucket, value};

use super::data::Report;
use super::text::{headline, period, tables};
use crate::table::{Table, number};
use crate::{usage, when};

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut body = format!("<h1>{}</h1>\n", escape(&report.title));
    if let Some(period) = period(report) {
        body.push_str(&format!("<p class=\"period\">{}</p>\n", escape(&period)));
    }
    body.push_str(&figures(report));
    if !report.timeline.is_empty() {
        body.push_str(&section("Calls over time", &timeline(&report.timeline)));
    }
    if report.gate.total() > 0 {
        body.push_str(&section("How long the gate took", &distribution(&report.gate)));
    }
    for (title, rows) in tables(report) {
        body.push_str(&section(title, &table(&rows)));
    }
    usage::notes(&report.spent).iter().for_each(|note| body.push_str(&format!("<p>{}</p>\n", escape(note))));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{}</title>\n<style>{STYLE}</style></head>\n\
         <body><main>\n{body}</main></body></html>\n",
        escape(&report.title)
    )
}

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1c1c1e;--pale:#6b6b70;--line:#d9d9de;--paper:#fff;--run:#5b8def;--ask:#e0a63a;--deny:#d6524a}
@media(prefers-color-scheme:dark){:root{--ink:#ececf0;--pale:#9a9aa2;--line:#3a3a40;--paper:#17171a}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}.period{color:var(--pale);margin:.2rem 0 1.5rem}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr));gap:.75rem}
.figure{border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem}
.figure b{display:block;font-size:1.3rem;font-variant-numeric:tabular-nums}.figure span{color:var(--pale);font-size:.85rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:right}
th{color:var(--pale);font-weight:500}th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
svg{width:100%;height:auto}line{stroke:var(--pale);stroke-dasharray:3 3}.none{opacity:.5}.wide{overflow-x:auto}.run{fill:var(--run)}.ask{fill:var(--ask)}.deny{fill:var(--deny)}
svg text{fill:var(--pale);font-size:11px}.key{color:var(--pale);font-size:.85rem}.key i{display:inline-block;width:.7rem;height:.7rem;margin:0 .3rem 0 .8rem;border-radius:.15rem}
";

fn figures(report: &Report) -> String {
    let head = headline(report);
    let compared = report.against.is_some();
    let cards: String = head
        .rows
        .iter()
        .zip(&report.headline)
        .map(|(row, figure)| {
            let pale = if figure.value == 0.0 { " none" } else { "" };
            let cell = |at: usize| escape(row.get(at).map_or("", String::as_str));
            let change = if compared { format!(" <span>{}</span>", cell(3)) } else { String::new() };
            format!("<div class=\"figure{pale}\"><b>{}{change}</b><span>{}</span></div>\n", cell(1), cell(0))
        })
        .collect();
    let against = report.against.as_ref().map_or(String::new(), |against| {
        format!("<p class=\"key\">Changes are against {}.</p>\n", escape(against))
    });
    format!("<div class=\"figures\">\n{cards}</div>\n{against}")
}

/// Stacked bars: ran, asked, refused.
fn timeline(rows: &[Row]) -> String {
    let (width, height) = (900.0, 160.0);
    let most = rows.iter().map(|row| row.calls).max().unwrap_or(0).max(1) as f64;
    let step = width / rows.len().max(1) as f64;
    let mut bars = String::new();
    for (at, row) in rows.iter().enumerate() {
        let mut top = height + ROOM;
        let told = format!("{}: {} calls, {} asked, {} refused", row.name, row.calls, row.asked, row.denied);
        bars.push_str(&format!("<g><title>{}</title>", escape(&told)));
        let rest = row.calls.saturating_sub(row.asked + row.denied);
        for (class, count) in [("run", rest), ("ask", row.asked), ("deny", row.denied)] {
            let size = count as f64 / most * height;
            top -= size;
            if count > 0 {
                bars.push_str(&format!(
                    "<rect class=\"{class}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{size:.1}\"/>",
                    at as f64 * step,
                    (step - 1.0).max(0.5)
                ));
            }
        }
        bars.push_str("</g>");
    }
    let label = |row: Option<&Row>| escape(row.map_or("", |row| row.name.as_str()));
    format!(
        "<svg viewBox=\"0 0 900 198\" role=\"img\" aria-label=\"calls over time\">{bars}\
         <line x1=\"0\" y1=\"18\" x2=\"900\" y2=\"18\"/>\
         <text x=\"0\" y=\"194\">{}</text><text x=\"900\" y=\"194\" text-anchor=\"end\">{}</text>\
         <text x=\"0\" y=\"13\">{} calls</text></svg>\n<p class=\"key\"><i class=\"run\" style=\"background:var(--run)\"></i>ran\
         <i style=\"background:var(--ask)\"></i>asked<i style=\"background:var(--deny)\"></i>refused</p>\n",
        label(rows.first()),
        label(rows.last()),
        number(most as u64)
    )
}

/// Room for a label above the bars.
const ROOM: f64 = 18.0;

/// Bars over the logarithm of the time.
fn distribution(times: &Histogram) -> String {
    let first = times.counts.first().map_or(0, |(bucket, _)| *bucket);
    let last = times.counts.last().map_or(0, |(bucket, _)| *bucket);
    let most = times.counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1) as f64;
    let step = 900.0 / f64::from(last - first + 1);
    let bars: String = times
        .counts
        .iter()
        .map(|(bucket, count)| {
            let size = (*count as f64 / most * 140.0).max(1.0);
            format!(
                "<rect class=\"run\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{size:.1}\"><title>{}: {}</title></rect>",
                f64::from(bucket - first) * step,
                150.0 + ROOM - size,
                (step - 1.0).max(0.5),
                when::duration(value(*bucket)),
                number(*count)
            )
        })
        .collect();
    let marks = marks(times, first, step);
    format!(
        "<svg viewBox=\"0 0 900 188\" role=\"img\" aria-label=\"distribution\">{bars}{marks}<text x=\"0\" y=\"184\">{}</text>\
         <text x=\"900\" y=\"184\" text-anchor=\"end\">{}</text></svg>\n",
        when::duration(value(first)),
        when::duration(value(last))
    )
}

/// Lines at the percentiles. Their names stay within the picture, and apart.
fn marks(times: &Histogram, first: u32, step: f64) -> String {
    const NAME: f64 = 28.0;
    let mut free = NAME / 2.0;
    let mut out = String::new();
    for (at, (name, share)) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)].into_iter().enumerate() {
        let Some(time) = times.percentile(share) else { continue };
        let x = (f64::from(bucket(time).saturating_sub(first)) + 0.5) * step;
        let after = (2 - at) as f64;
        let middle = x.max(free).min(900.0 - NAME / 2.0 - after * NAME);
        free = middle + NAME;
        out.push_str(&format!(
            "<line x1=\"{x:.1}\" y1=\"{ROOM}\" x2=\"{x:.1}\" y2=\"168\"/><text x=\"{middle:.1}\" y=\"13\" text-anchor=\"middle\">{name}</text>"
        ));
    }
    out
}

fn table(table: &Table) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
    let head = row(&table.head, "th");
    format!("<div class=\"wide\"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>\n")
}

fn section(title: &str, content: &str) -> String {
    format!("<section><h2>{}</h2>\n{content}</section>\n", escape(title))
}

/// Text that cannot become anything else.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_percentiles_stay_in_the_picture_and_apart() {
        for counts in
            [vec![(3, 1)], vec![(3, 100), (40, 1)], vec![(3, 1), (40, 100)], vec![(1, 50), (2, 49), (9, 1)]]
        {
            let times = Histogram { counts };
            let (first, last) = (times.counts[0].0, times.counts[times.counts.len() - 1].0);
            let drawn = marks(&times, first, 900.0 / f64::from(last - first + 1));
            let places: Vec<f64> = drawn
                .split("<text x=\"")
                .skip(1)
                .map(|text| text.split('"').next().unwrap().parse().unwrap())
                .collect();
            assert!(places.len() == 3 && places[0] >= 14.0 && places[2] <= 886.0, "{places:?}");
            assert!(places.windows(2).all(|two| two[1] - two[0] >= 27.9), "{places:?}");
        }
    }

    #[test]
    fn nothing_in_a_page_can_run_or_be_fetched() {
        let row = Row { name: "<script>alert('x')</script>".into(), calls: 3, denied: 1, ..Row::default() };
        let report = Report {
            title: "\"><img src=x onerror=alert(1)>".into(),
            timeline: vec![row.clone()],
            tools: vec![row],
            gate: Histogram { counts: vec![(3, 2), (40, 1)] },
            ..Report::default()
        };
        let page = page(&report);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("http://"), "{page}");
        assert!(page.contains("default-src 'none'") && page.contains("&lt;script&gt;"));
    }
}
