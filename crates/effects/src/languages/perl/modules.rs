//! Modules of Perl: `use` and `require`, and where they are looked for.

use super::super::machine::Machine;
use super::super::ops::Known;
use super::super::token::Tok;
use super::super::value::Val;
use super::list;

/// `use lib "…";`, `use constant NAME => …;`, `use Module …;`
pub(super) fn bring_in(m: &mut Machine) {
    m.at += 1;
    let end = m.find(|tok| *tok == Tok::Op(";"));
    match m.name().as_deref() {
        Some("lib") => {
            let args = m.range(m.at..end, Machine::argument_list);
            m.search_first(&args);
        }
        Some("constant") => m.range(m.at..end, constants),
        Some("FindBin") => {
            let folder = m.known(Known::FileFolder);
            m.scope.set("$Bin", folder.clone());
            m.scope.set("$RealBin", folder);
        }
        Some(name) => {
            m.module(name);
        }
        None => {}
    }
    m.at = end;
}

/// A name with its value, or several in braces.
fn constants(m: &mut Machine) {
    if m.sees("{") {
        let close = m.pair();
        let args = m.range(m.at + 1..close, Machine::argument_list);
        args.named.into_iter().for_each(|(name, value)| m.scope.set(&name, value));
        return;
    }
    let Some(Tok::Str(parts)) = m.peek().cloned() else { return };
    m.at += 1;
    let name = m.string(&parts);
    if m.eat("=>")
        && let Some(name) = name.as_literal()
    {
        let value = list(m);
        let only = match &value {
            Val::List(values) if values.items.len() == 1 => values.items.first().cloned(),
            _ => None,
        };
        m.scope.set(name, only.unwrap_or(value));
    }
}

/// A module by its name, from the folders that were named for it.
pub(super) fn module(m: &mut Machine, name: &str) -> Val {
    let file = format!("{}.pm", name.replace("::", "/").replace('.', "/"));
    let Some(path) = m.searched(&[file]) else { return Val::unknown() };
    let outer = std::mem::take(&mut m.package);
    m.bring(&path);
    m.package = outer;
    Val::unknown()
}
