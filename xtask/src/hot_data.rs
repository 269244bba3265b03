//! The constants that a hook reads lie side by side in the binary, like the functions it runs through.
//!
//! Texts and tables are spread over the whole of the program's constants, one here and one there, and each page of them
//! that is touched brings fifteen neighbours along. `hot-data.txt` knows those without a name by what they hold, because
//! the compiler numbers them anew in every build; the linker is given a script that puts them first. A constant that is no more is left out.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use xtask::sh;

use crate::hot;

/// How the compiler calls the sections of constants that have no name of their own.
const UNNAMED: &str = ".rodata..Lanon.";
/// How the sections of all others begin: tables with a name, and those of a function's own jumps.
const TABLES: &str = ".rodata.";

/// The list, checked in.
pub fn list() -> PathBuf {
    sh::root().join("xtask/hot-data.txt")
}

/// A section of constants in an object file.
pub struct Section {
    pub name: String,
    /// What stands for it in every build: the name it was given, or what it holds.
    pub identity: String,
}

/// The script that puts the constants of the list, and the tables of hot functions, first. `None` where there are none.
pub fn script(objects: &[&String], is_hot: impl Fn(&str) -> bool) -> Result<Option<String>> {
    let list = std::fs::read_to_string(list()).unwrap_or_default();
    let wanted: HashSet<&str> = list.lines().collect();
    let mut lines = String::new();
    for object in objects {
        for section in sections(&std::fs::read(object)?).unwrap_or_default() {
            let hot = wanted.contains(section.identity.as_str()) || is_hot(&section.identity);
            // A name that a script would take for a pattern is not one of ours.
            if hot && !section.name.contains(['*', '?', '[', '(', ')', ' ', '"']) {
                writeln!(lines, "    *({})", section.name)?;
            }
        }
    }
    let script = format!("SECTIONS {{\n  .rodata.hot : {{\n{lines}  }}\n}} INSERT BEFORE .rodata;\n");
    Ok((!lines.is_empty()).then_some(script))
}

/// Writes down, for the record, what stands for the constants of the objects.
pub fn note(objects: &[&String], file: &Path) -> Result<()> {
    let mut text = String::new();
    for object in objects {
        for section in sections(&std::fs::read(object)?).unwrap_or_default() {
            writeln!(text, "{} {}", section.name, section.identity)?;
        }
    }
    Ok(std::fs::write(file, text)?)
}

/// Where each constant lies in the binary, by the linker's map and what was noted beside it.
pub struct Places {
    /// Start, end, what stands for it; sorted.
    all: Vec<(u64, u64, String)>,
}

impl Places {
    pub fn read(map: &Path, noted: &Path) -> Result<Self> {
        let noted = std::fs::read_to_string(noted).context("the linker noted nothing")?;
        let contents: std::collections::HashMap<&str, &str> =
            noted.lines().filter_map(|line| line.split_once(' ')).collect();
        let map = std::fs::read_to_string(map).context("the linker wrote no map")?;
        let mut all: Vec<_> = map.lines().filter_map(|line| place(line, &contents)).collect();
        all.sort_unstable();
        Ok(Self { all })
    }

    /// What stands for the constant at an address.
    pub fn at(&self, address: u64) -> Option<&str> {
        let next = self.all.partition_point(|(start, _, _)| *start <= address);
        let (_, end, content) = self.all.get(next.checked_sub(1)?)?;
        (address < *end).then_some(content)
    }
}

/// A line of the map: address, load address, size, alignment, `file:(section)`.
fn place(line: &str, contents: &std::collections::HashMap<&str, &str>) -> Option<(u64, u64, String)> {
    let name = line.rsplit_once(":(")?.1.strip_suffix(')')?;
    let content = contents.get(name)?;
    let mut fields = line.split_whitespace();
    let start = u64::from_str_radix(fields.next()?, 16).ok()?;
    let size = u64::from_str_radix(fields.nth(1)?, 16).ok()?;
    Some((start, start + size, (*content).to_owned()))
}

/// The addresses that valgrind's lackey says are read.
pub fn reads(trace: &str) -> impl Iterator<Item = u64> {
    trace.lines().filter_map(|line| {
        let rest = line.strip_prefix(" L ").or_else(|| line.strip_prefix(" M "))?;
        u64::from_str_radix(rest.split(',').next()?, 16).ok()
    })
}

/// The sections of an ELF object for 64 bits, little end first.
fn sections(file: &[u8]) -> Option<Vec<Section>> {
    const HEADER: usize = 64;
    let (half, word, long) = (number::<2>, number::<4>, number::<8>);
    file.strip_prefix(b"\x7fELF\x02\x01")?;
    let table = long(file, 0x28)?;
    let header = |index: usize| file.get(table + index * HEADER..table + (index + 1) * HEADER);
    let first = header(0)?;
    // More sections than two bytes can count are counted in the first of them.
    let count = Some(half(file, 0x3c)?).filter(|count| *count != 0).or_else(|| long(first, 0x20))?;
    let names = Some(half(file, 0x3e)?).filter(|at| *at != 0xffff).or_else(|| word(first, 0x28))?;
    let names = long(header(names)?, 0x18)?;
    let mut sections = Vec::new();
    for header in (1..count).filter_map(header) {
        let name = file.get(names + word(header, 0)?..)?;
        let name = name.split(|byte| *byte == 0).next().and_then(|name| std::str::from_utf8(name).ok())?;
        if name.starts_with(TABLES) {
            let (start, size) = (long(header, 0x18)?, long(header, 0x20)?);
            let identity = match name.strip_prefix(TABLES).filter(|_| !name.starts_with(UNNAMED)) {
                Some(symbol) => hot::plain(symbol),
                None => format!("{:016x}", digest(file.get(start..start + size)?)),
            };
            sections.push(Section { name: name.to_owned(), identity });
        }
    }
    Some(sections)
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + N)?;
    usize::try_from(bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))).ok()
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}
