//! What a description or a request opens up: a cluster's rights, a forge's protections, a cloud's walls. Whatever the
//! form in which it is given (YAML, JSON, forms, options, values of a program), it is read as names with their values.

pub(crate) mod clouds;
pub(crate) mod forges;
pub(crate) mod leaves;
pub(crate) mod manifests;

use tollgate_model::{EffectKind, InfraTool, Protection};

pub(crate) use leaves::Leaves;

/// Something that would be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// How.
    pub how: How,
    /// What, in words.
    pub what: String,
}

/// How something is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// To everybody.
    Public,
    /// By rights or keys that somebody is given.
    Grant,
    /// By taking a protection away.
    Weaker,
}

impl Opening {
    /// An opening of one kind.
    pub fn new(how: How, what: impl Into<String>) -> Self {
        Self { how, what: what.into() }
    }

    /// As an effect of the tool that is told to do it.
    pub fn effect(self, tool: &str) -> EffectKind {
        let operation = match self.how {
            How::Public => "public",
            How::Grant => "grant-admin",
            How::Weaker => {
                return EffectKind::Weaken { protection: Protection::Machine, how: self.what.to_string() };
            }
        };
        EffectKind::Infra {
            tool: InfraTool::Named(tool.to_owned()),
            operation: operation.to_owned(),
            target: self.what,
        }
    }
}

#[cfg(test)]
mod tests;
