//! What libraries do: tables that the build script makes from `catalogue/libraries`.

use tollgate_catalogue::libraries::{FileDeed, How, Known, Library, Make, Meaning, ProcessDeed, Role};

use crate::facts::Language;
use crate::frontends::Frontend;

#[cfg(feature = "python")]
static PYTHON: Library = include!(concat!(env!("OUT_DIR"), "/python.rs"));

/// How a language is read, and what its libraries do.
pub(crate) fn of(language: Language) -> (&'static dyn Frontend, &'static Library) {
    match language {
        #[cfg(feature = "python")]
        Language::Python => (&crate::frontends::python::Python, &PYTHON),
    }
}
