//! How a command ended: 0 fine, 1 found something, 2 usage or fault.

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(u8);

impl ExitCode {
    /// Fine.
    pub const SUCCESS: Self = Self(0);
}

impl From<u8> for ExitCode {
    fn from(code: u8) -> Self {
        Self(code)
    }
}

impl From<ExitCode> for i32 {
    fn from(code: ExitCode) -> Self {
        Self::from(code.0)
    }
}
