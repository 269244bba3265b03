//! The chain's head in the system's log, where whoever rewrites our log cannot rewrite it too.

use std::os::unix::net::UnixDatagram;
use std::path::Path;

use serde_json::Value;

use crate::{Trouble, text};

/// Facility `authpriv`, severity `notice`.
const PRIORITY: u32 = 10 * 8 + 5;

/// Notes the last record of a delivery.
pub(crate) fn note(socket: &Path, records: &[Value]) -> Result<(), Trouble> {
    let told = |error: std::io::Error| Trouble::later(format!("`{}`: {error}", socket.display()));
    let Some(last) = records.last() else { return Ok(()) };
    let seq = last.get("seq").and_then(Value::as_u64).unwrap_or_default();
    let line = format!("<{PRIORITY}>tollgate[{}]: head {seq}:{}", std::process::id(), text(last, "hash"));
    let from = UnixDatagram::unbound().map_err(told)?;
    from.set_nonblocking(true).map_err(told)?;
    from.send_to(line.as_bytes(), socket).map(drop).map_err(told)
}
