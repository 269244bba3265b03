//! `systemd-tmpfiles`: files that say what to make and what to remove.

use tollgate_model::WriteMode;
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use crate::commands::{Run, loads};
use crate::options::{Order, read};
use crate::word::Word;

pub(in crate::commands) fn tmpfiles(run: &mut Run) -> Outcome {
    let spec = "create clean remove purge user boot graceful dry-run prefix= exclude-prefix= E root= image= image-policy= \
        replace= no-pager cat-config tldr h,help version inline";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("dry-run") || options.has("cat-config") || options.has("tldr") {
        return run.derived();
    }
    for file in &options.operands {
        let text = match file {
            file if options.has("inline") => file.value(),
            file if file.is("-") => run.stdin().cloned().unwrap_or_else(Value::empty),
            file => {
                loads::load(run, file);
                run.analyst.script(file, run.shell).unwrap_or_else(Value::empty)
            }
        };
        for line in text.literals().flat_map(str::lines).take(512).map(str::to_owned).collect::<Vec<_>>() {
            self::line(
                run,
                &line,
                file,
                options.has("remove") || options.has("purge"),
                options.has("create"),
            );
        }
    }
    run.derived()
}

/// `R /path`, `f+ /path mode user group age text`.
fn line(run: &mut Run, line: &str, file: &Word, removes: bool, makes: bool) {
    let mut words = line.split_whitespace();
    let (Some(kind), Some(path)) = (words.next(), words.next()) else { return };
    let home = run.analyst.world.home().to_owned();
    let path = Word::literal_at(&path.replace("%h", &home), file.span);
    let again = kind.contains('+');
    let text = words.skip(4).collect::<Vec<_>>().join(" ");
    match kind.chars().next() {
        Some('R' | 'D') if removes => run.analyst.delete(&path, true, run.shell),
        Some('r') if removes => run.analyst.delete(&path, false, run.shell),
        Some('L' | 'C') if makes && again => run.analyst.delete(&path, true, run.shell),
        Some('f' | 'F' | 'w' | 'L' | 'C') if makes => {
            let mode = if kind.starts_with('w') { WriteMode::Append } else { WriteMode::Overwrite };
            run.analyst.write(&path, mode, Some(&Value::text(&text)), run.shell);
        }
        _ => {}
    }
}
