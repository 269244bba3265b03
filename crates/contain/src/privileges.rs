//! Capabilities of a command that root runs. Those of anybody else are none.

use rustix::io::Result;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Keeps what packages, archives and servers need, as in a container, and nothing that reaches the machine. The
/// `no_new_privs` of the other limits keeps the rest from coming back when a program starts.
pub fn drop_most(network: bool) -> Result<()> {
    let had = capabilities(None)?;
    if had.permitted.is_empty() {
        return Ok(());
    }
    let mut kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::KILL
        | CapabilitySet::SETGID
        | CapabilitySet::SETUID
        | CapabilitySet::SETPCAP;
    if network {
        kept |= CapabilitySet::NET_BIND_SERVICE | CapabilitySet::NET_RAW;
    }
    let permitted = had.permitted & kept;
    let effective = had.effective & kept;
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable: CapabilitySet::empty() })
}
