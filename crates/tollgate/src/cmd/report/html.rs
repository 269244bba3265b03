//! A report as one page: styles and drawings are in it, nothing is fetched and nothing runs.

use tollgate_index::{Histogram, Row, bucket, value};

use super::data::{Figure, Report};
use super::text::{cards, change, nothing, period, tables, written};
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
    usage::notes(&report.spent)
        .iter()
        .for_each(|note| body.push_str(&format!("<p class=\"pale\">{}</p>\n", escape(note))));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>\n<style>{STYLE}</style></head>\n\
         <body><main>\n{body}<footer class=\"pale\">Tollgate {}, {} UTC</footer>\n</main></body></html>\n",
        escape(&report.title),
        env!("CARGO_PKG_VERSION"),
        when::minute(when::now())
    )
}

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1c1c1e;--pale:#65656b;--line:#dcdce1;--paper:#fff;--soft:#f3f5fb;--run:#5b8def;--ask:#d99a2b;--deny:#d6524a}
@media(prefers-color-scheme:dark){:root{--ink:#ececf0;--pale:#a0a0a8;--line:#38383e;--paper:#161619;--soft:#22242c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2.2rem 0 .5rem}
.pale,.period{color:var(--pale);font-size:.9rem}.period{margin:.2rem 0 1.5rem}footer{margin:3rem 0 1rem;border-top:1px solid var(--line);padding-top:.5rem}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem}
.figure{background:var(--soft);border-radius:.5rem;padding:.6rem .8rem}
.figure b{display:block;font-size:1.35rem;line-height:1.3;font-variant-numeric:tabular-nums}
.figure span{display:block;color:var(--pale);font-size:.85rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right}
th{color:var(--pale);font-weight:500;font-size:.85rem}
th:first-child,td:first-child{text-align:left;padding-left:0;max-width:22rem;overflow:hidden;text-overflow:ellipsis}
.text{text-align:left}
td.bar{background:linear-gradient(var(--soft),var(--soft)) right/var(--w) 100% no-repeat}
.chart{position:relative;margin-top:1.3rem}
.chart svg{display:block;width:100%;height:10rem;border-bottom:1px solid var(--line)}
.chart .mark{position:absolute;top:0;bottom:0;border-left:1px dashed var(--pale)}
.chart .mark i{position:absolute;top:-1.3rem;transform:translateX(-50%);white-space:nowrap;font:normal .8rem system-ui,sans-serif;color:var(--pale)}
.chart .most{position:absolute;top:-1.3rem;left:0;font-size:.8rem;color:var(--pale)}
.ends{display:flex;justify-content:space-between;color:var(--pale);font-size:.8rem;margin-top:.2rem}
.run{fill:var(--run)}.ask{fill:var(--ask)}.deny{fill:var(--deny)}
.ends i{display:inline-block;width:.7rem;height:.7rem;margin:0 .3rem 0 .8rem;border-radius:.15rem}
@media(max-width:34rem){main{margin-top:1rem}th:first-child,td:first-child{max-width:11rem}.figures{grid-template-columns:repeat(2,1fr)}}
@media print{main{max-width:none}section{break-inside:avoid}}
";

fn figures(report: &Report) -> String {
    let compared = report.against.is_some();
    let cards: String = cards(report)
        .into_iter()
        .map(|(figure, details)| {
            let mut lines: Vec<String> = vec![figure.name.clone()];
            lines.extend(details.iter().map(|one| format!("{} {}", written(one, one.value), one.short())));
            lines.extend(compared.then(|| was(figure)).flatten());
            let lines: String = lines.iter().map(|line| format!("<span>{}</span>", escape(line))).collect();
            format!("<div class=\"figure\"><b>{}</b>{lines}</div>\n", escape(&written(figure, figure.value)))
        })
        .collect();
    let notes = [
        nothing(report),
        report.against.as_ref().map_or(String::new(), |against| format!("Changes are against {against}.")),
    ];
    let notes = notes.iter().filter(|note| !note.is_empty());
    let notes: String = notes.map(|note| format!("<p class=\"pale\">{}</p>\n", escape(note))).collect();
    format!("<div class=\"figures\">\n{cards}</div>\n{notes}")
}

fn was(figure: &Figure) -> Option<String> {
    figure.before.map(|before| format!("{}, was {}", change(figure), written(figure, before)))
}

/// Stacked bars: ran, asked, refused. A picture is a hundred high and as wide as its bars are many; the page stretches
/// it.
fn timeline(rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.calls).max().unwrap_or(0).max(1) as f64;
    let mut bars = String::new();
    for (at, row) in rows.iter().enumerate() {
        let mut top = 100.0;
        let told = format!("{}: {} calls, {} asked, {} refused", row.name, row.calls, row.asked, row.denied);
        bars.push_str(&format!("<g><title>{}</title>", escape(&told)));
        let rest = row.calls.saturating_sub(row.asked + row.denied);
        for (class, count) in [("run", rest), ("ask", row.asked), ("deny", row.denied)] {
            let size = count as f64 / most * 100.0;
            top -= size;
            if count > 0 {
                bars.push_str(&bar(class, at as f64, top, size, ""));
            }
        }
        bars.push_str("</g>");
    }
    let label = |row: Option<&Row>| escape(row.map_or("", |row| row.name.as_str()));
    let inner = format!("<span class=\"most\">{} calls</span>", number(most as u64));
    let key = "<span><i style=\"background:var(--run)\"></i>ran<i style=\"background:var(--ask)\"></i>asked\
               <i style=\"background:var(--deny)\"></i>refused</span>";
    chart("calls over time", rows.len(), &bars, &inner, [&label(rows.first()), key, &label(rows.last())])
}

/// Bars over the logarithm of the time.
fn distribution(times: &Histogram) -> String {
    let first = times.counts.first().map_or(0, |(bucket, _)| *bucket);
    let last = times.counts.last().map_or(0, |(bucket, _)| *bucket);
    let most = times.counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1) as f64;
    let bars: String = times
        .counts
        .iter()
        .map(|(bucket, count)| {
            let size = (*count as f64 / most * 100.0).max(0.7);
            let told = format!("{}: {}", when::duration(value(*bucket)), number(*count));
            bar("run", f64::from(bucket - first), 100.0 - size, size, &told)
        })
        .collect();
    let width = last - first + 1;
    let ends = [when::duration(value(first)), String::new(), when::duration(value(last))];
    chart(
        "distribution",
        width as usize,
        &bars,
        &marks(times, first, width),
        ends.each_ref().map(String::as_str),
    )
}

fn bar(class: &str, at: f64, top: f64, size: f64, told: &str) -> String {
    let told = if told.is_empty() { String::new() } else { format!("<title>{}</title>", escape(told)) };
    format!(
        "<rect class=\"{class}\" x=\"{:.2}\" y=\"{top:.1}\" width=\"0.9\" height=\"{size:.1}\">{told}</rect>",
        at + 0.05
    )
}

fn chart(name: &str, bars: usize, drawn: &str, over: &str, [left, middle, right]: [&str; 3]) -> String {
    format!(
        "<div class=\"chart\"><svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{name}\">{drawn}</svg>{over}</div>\n\
         <div class=\"ends\"><span>{left}</span>{middle}<span>{right}</span></div>\n",
        bars.max(1)
    )
}

/// Lines at the percentiles, in hundredths of the width. Two that fall together have one name.
fn marks(times: &Histogram, first: u32, width: u32) -> String {
    const APART: f64 = 8.0;
    let mut marks: Vec<(f64, String)> = Vec::new();
    for (name, share) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
        let Some(time) = times.percentile(share) else { continue };
        let at = (f64::from(bucket(time).saturating_sub(first)) + 0.5) * 100.0 / f64::from(width.max(1));
        match marks.last_mut().filter(|(before, _)| at - *before < APART) {
            Some((_, names)) => names.push_str(&format!(" {name}")),
            None => marks.push((at, name.to_owned())),
        }
    }
    let mark = |(at, names): &(f64, String)| {
        let at = at.clamp(4.0, 96.0);
        format!("<span class=\"mark\" style=\"left:{at:.1}%\"><i>{names}</i></span>")
    };
    marks.iter().map(mark).collect()
}

/// The first figure of each row is also drawn, behind it.
fn table(table: &Table) -> String {
    let digits =
        |cell: &str| cell.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>().ok();
    let counts = table.head.get(1).is_some_and(|head| matches!(head.as_str(), "calls" | "fires" | "runs"));
    let size = |row: &[String]| row.get(1).filter(|_| counts).and_then(|cell| digits(cell));
    let side = |at: usize| if table.is_text(at) { " class=\"text\"" } else { "" };
    let most = table.rows.iter().filter_map(|row| size(row)).max().unwrap_or(0).max(1);
    let rows: String = table
        .rows
        .iter()
        .map(|row| {
            let share = size(row).map(|size| size as f64 * 100.0 / most as f64);
            let cell = |(at, cell): (usize, &String)| match share.filter(|_| at == 1) {
                Some(share) => format!("<td class=\"bar\" style=\"--w:{share:.0}%\">{}</td>", escape(cell)),
                None => format!("<td{}>{}</td>", side(at), escape(cell)),
            };
            format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>())
        })
        .collect();
    let head = table.head.iter().enumerate();
    let head: String = head.map(|(at, name)| format!("<th{}>{}</th>", side(at), escape(name))).collect();
    format!("<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>\n")
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
            let drawn = marks(&times, first, last - first + 1);
            let places: Vec<f64> = drawn
                .split("left:")
                .skip(1)
                .map(|text| text.split('%').next().unwrap().parse().unwrap())
                .collect();
            assert!(["p50", "p95", "p99"].iter().all(|name| drawn.contains(name)), "{drawn}");
            assert!(!places.is_empty() && places.iter().all(|at| (4.0..=96.0).contains(at)), "{places:?}");
            assert!(places.windows(2).all(|two| two[1] - two[0] >= 4.0), "{places:?}");
        }
    }

    #[test]
    fn nothing_in_a_page_can_run_or_be_fetched() {
        let row = Row { name: "<script>alert('x')</script>".into(), calls: 3, denied: 1, ..Row::default() };
        let report = Report {
            title: "\"><img src=x onerror=alert(1)>".into(),
            timeline: vec![row.clone()],
            tools: crate::cmd::stats::Tools { rows: vec![row], ..Default::default() },
            gate: Histogram { counts: vec![(3, 2), (40, 1)] },
            ..Report::default()
        };
        let page = page(&report);
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("http://"), "{page}");
        assert!(page.contains("default-src 'none'") && page.contains("&lt;script&gt;"));
    }
}
