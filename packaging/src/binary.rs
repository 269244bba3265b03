//! A built binary, and what packages have to know of it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::platform::Platform;

/// The program for one platform.
pub struct Binary {
    /// The platform it runs on.
    pub platform: &'static Platform,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}

impl Binary {
    /// Reads the file.
    pub fn read(platform: &'static Platform, path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        if bytes.is_empty() {
            bail!("`{}` is empty", path.display());
        }
        Ok(Self { platform, bytes })
    }

    /// Does it run without the C library of the machine? Only then it may claim to run on any Linux.
    pub fn is_static(&self) -> bool {
        self.bytes.starts_with(b"\x7fELF\x02\x01") && !self.has_interpreter()
    }

    /// Does a program header of the ELF file name a dynamic loader?
    fn has_interpreter(&self) -> bool {
        const INTERPRETER: u64 = 3;
        let start = self.number(32, 8);
        let (size, count) = (self.number(54, 2), self.number(56, 2));
        (0..count).any(|index| {
            let at = start.saturating_add(index.saturating_mul(size));
            usize::try_from(at).is_ok_and(|at| self.number(at, 4) == INTERPRETER)
        })
    }

    /// A little-endian number; zero beyond the end.
    fn number(&self, at: usize, length: usize) -> u64 {
        let bytes = at.checked_add(length).and_then(|end| self.bytes.get(at..end)).unwrap_or_default();
        bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_program_is_told_from_a_dynamic_one() {
        let platform = Platform::host().unwrap();
        let shell = Binary::read(platform, Path::new("/bin/sh")).unwrap();
        assert!(!shell.is_static());
        let mut header = vec![0; 64 + 56];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (header[32], header[54], header[56], header[64]) = (64, 56, 1, 1);
        assert!(Binary { platform, bytes: header.clone() }.is_static());
        header[64] = 3;
        assert!(!Binary { platform, bytes: header }.is_static());
        assert!(!Binary { platform, bytes: b"#!/bin/sh\n".to_vec() }.is_static());
    }
}
