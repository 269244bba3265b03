//! How the layers' own rules add up.

use super::Part;
use crate::custom::Custom;
use crate::problem::{Problem, Severity, shown};

/// Every layer's rules, topmost first. A lower layer cannot change what a higher one has named.
pub(super) fn merge(parts: &[Part]) -> (Vec<Custom>, Vec<Problem>) {
    let (mut all, mut ignored): (Vec<Custom>, Vec<Problem>) = (Vec::new(), Vec::new());
    for part in parts {
        for (custom, at) in &part.settings.custom {
            let known = all.iter().find(|other| other.id == custom.id);
            if let Some(known) =
                known.filter(|known| known.condition != custom.condition || known.level < custom.level)
            {
                ignored.push(Problem {
                    path: part.path.to_owned(),
                    severity: Severity::Warning,
                    message: format!("another rule `{}`, which {} has", shown(&custom.id), known.file),
                    hint: "ignored: give it another id".to_owned(),
                    at: *at,
                });
            }
            if known.is_none() {
                let layer = part.layer.name().to_owned();
                all.push(Custom { layer, file: part.path.to_owned(), ..custom.clone() });
            }
        }
    }
    (all, ignored)
}
