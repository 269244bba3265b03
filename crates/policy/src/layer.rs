//! Whose policy file it is: the machine's, the user's or a project's.

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Of whoever manages the machine: nobody loosens it.
    Managed,
    /// The user's: sets what the managed one leaves open.
    User,
    /// A project's: only tightens.
    Project,
}

impl Layer {
    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
        }
    }

    /// Whether it is a person's own file, or one that manages the machine.
    pub(crate) fn is_trusted(self) -> bool {
        self != Self::Project
    }
}
