//! Tables in the Parquet format, as far as a log needs it: numbers, times and texts that may be missing, plainly
//! encoded, in compressed pages. A quarter of a thousand lines instead of a library of fifty thousand.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// Microseconds since 1970.
    Time,
    /// A text.
    Text,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    None,
    /// A number or a time.
    Number(i64),
    /// A text.
    Text(String),
}

/// Rows that are written together.
const GROUP: usize = 20_000;
const MAGIC: &[u8] = b"PAR1";

/// A table on its way into a file.
pub struct Table<W> {
    out: W,
    written: i64,
    columns: Vec<(&'static str, Kind)>,
    rows: Vec<Vec<Cell>>,
    groups: Vec<Group>,
}

/// Rows that were written: how many, and where each column stands.
struct Group {
    rows: i64,
    chunks: Vec<Chunk>,
}

struct Chunk {
    offset: i64,
    plain: i64,
    packed: i64,
}

impl<W: Write> Table<W> {
    /// Begins a table.
    pub fn new(mut out: W, columns: &[(&'static str, Kind)]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        let written = MAGIC.len() as i64;
        Ok(Self { out, written, columns: columns.to_vec(), rows: Vec::new(), groups: Vec::new() })
    }

    /// Adds a row, which has a cell for each column.
    pub fn row(&mut self, row: Vec<Cell>) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() >= GROUP { self.flush() } else { Ok(()) }
    }

    /// Writes what is left, and what the table is.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        let footer = self.footer();
        self.out.write_all(&footer)?;
        self.out.write_all(&u32::try_from(footer.len()).map_err(io::Error::other)?.to_le_bytes())?;
        self.out.write_all(MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let mut chunks = Vec::with_capacity(self.columns.len());
        for column in 0..self.columns.len() {
            let cells: Vec<&Cell> = rows.iter().filter_map(|row| row.get(column)).collect();
            chunks.push(self.chunk(&cells)?);
        }
        self.groups.push(Group { rows: rows.len() as i64, chunks });
        Ok(())
    }

    /// One page: which cells are there, then their values.
    fn chunk(&mut self, cells: &[&Cell]) -> io::Result<Chunk> {
        let page = page(cells);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&page)?;
        let packed = encoder.finish()?;
        let mut header = Thrift::default();
        header.i32(1, 0).i32(2, page.len() as i64).i32(3, packed.len() as i64);
        header.nested(5, |data| {
            data.i32(1, cells.len() as i64).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
        });
        let header = header.end();
        self.out.write_all(&header)?;
        self.out.write_all(&packed)?;
        let offset = self.written;
        let (plain, packed) = ((header.len() + page.len()) as i64, (header.len() + packed.len()) as i64);
        self.written += packed;
        Ok(Chunk { offset, plain, packed })
    }

    fn footer(&self) -> Vec<u8> {
        let mut footer = Thrift::default();
        footer.i32(1, 1);
        footer.structs(2, self.columns.len() + 1, |at, element| match at.checked_sub(1) {
            None => drop(element.text(4, "records").i32(5, self.columns.len() as i64)),
            Some(at) => {
                let Some((name, kind)) = self.columns.get(at) else { return };
                element.i32(1, kind.physical()).i32(3, OPTIONAL).text(4, name);
                if let Some(meaning) = kind.meaning() {
                    element.i32(6, meaning);
                }
            }
        });
        footer.i64(3, self.groups.iter().map(|group| group.rows).sum());
        footer.structs(4, self.groups.len(), |at, out| {
            if let Some(group) = self.groups.get(at) {
                self.group(group, out);
            }
        });
        footer.text(6, concat!("tollgate ", env!("CARGO_PKG_VERSION")));
        footer.end()
    }

    fn group(&self, group: &Group, out: &mut Thrift) {
        out.structs(1, group.chunks.len(), |at, column| {
            let (Some(chunk), Some((name, kind))) = (group.chunks.get(at), self.columns.get(at)) else {
                return;
            };
            column.i64(2, chunk.offset).nested(3, |meta| {
                meta.i32(1, kind.physical()).i32s(2, &[PLAIN, RLE]).texts(3, &[name]).i32(4, GZIP);
                meta.i64(5, group.rows).i64(6, chunk.plain).i64(7, chunk.packed).i64(9, chunk.offset);
            });
        });
        out.i64(2, group.chunks.iter().map(|chunk| chunk.plain).sum()).i64(3, group.rows);
    }
}

const PLAIN: i64 = 0;
const RLE: i64 = 3;
const GZIP: i64 = 2;
const OPTIONAL: i64 = 1;

impl Kind {
    fn physical(self) -> i64 {
        match self {
            Self::Number | Self::Time => 2,
            Self::Text => 6,
        }
    }

    fn meaning(self) -> Option<i64> {
        match self {
            Self::Number => None,
            Self::Time => Some(10),
            Self::Text => Some(0),
        }
    }
}

/// A bit per cell that says whether it is there, and the values of those that are.
fn page(cells: &[&Cell]) -> Vec<u8> {
    let mut levels = varint((cells.len().div_ceil(8) as u64) << 1 | 1);
    levels.extend(cells.chunks(8).map(|eight| {
        let there = eight.iter().enumerate().filter(|(_, cell)| ***cell != Cell::None);
        there.fold(0_u8, |byte, (bit, _)| byte | 1 << bit)
    }));
    let mut out = (levels.len() as u32).to_le_bytes().to_vec();
    out.append(&mut levels);
    for cell in cells {
        match cell {
            Cell::None => {}
            Cell::Number(number) => out.extend(number.to_le_bytes()),
            Cell::Text(text) => {
                out.extend((text.len() as u32).to_le_bytes());
                out.extend(text.as_bytes());
            }
        }
    }
    out
}

/// Thrift's compact protocol, in which Parquet describes itself.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    fn i32(&mut self, field: u8, value: i64) -> &mut Self {
        self.integer(field, 5, value)
    }

    fn i64(&mut self, field: u8, value: i64) -> &mut Self {
        self.integer(field, 6, value)
    }

    fn text(&mut self, field: u8, text: &str) -> &mut Self {
        self.field(field, 8);
        self.string(text);
        self
    }

    fn i32s(&mut self, field: u8, values: &[i64]) -> &mut Self {
        self.list(field, 5, values.len());
        values.iter().for_each(|value| self.bytes.extend(zigzag(*value)));
        self
    }

    fn texts(&mut self, field: u8, texts: &[&str]) -> &mut Self {
        self.list(field, 8, texts.len());
        texts.iter().for_each(|text| self.string(text));
        self
    }

    fn nested(&mut self, field: u8, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.field(field, 12);
        self.inner(fill);
        self
    }

    fn structs(&mut self, field: u8, count: usize, mut fill: impl FnMut(usize, &mut Self)) -> &mut Self {
        self.list(field, 12, count);
        (0..count).for_each(|at| self.inner(|inner| fill(at, inner)));
        self
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn inner(&mut self, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        fill(&mut inner);
        self.bytes.extend(inner.end());
    }

    fn integer(&mut self, field: u8, kind: u8, value: i64) -> &mut Self {
        self.field(field, kind);
        self.bytes.extend(zigzag(value));
        self
    }

    fn list(&mut self, field: u8, kind: u8, count: usize) {
        self.field(field, 9);
        match u8::try_from(count) {
            Ok(count) if count < 15 => self.bytes.push(count << 4 | kind),
            _ => {
                self.bytes.push(0xf0 | kind);
                self.bytes.extend(varint(count as u64));
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.bytes.extend(varint(text.len() as u64));
        self.bytes.extend(text.as_bytes());
    }

    /// Fields come in order, each with its distance from the one before, which is never more than fifteen here.
    fn field(&mut self, field: u8, kind: u8) {
        self.bytes.push(field.saturating_sub(self.last) << 4 | kind);
        self.last = field;
    }
}

fn zigzag(value: i64) -> Vec<u8> {
    varint(((value << 1) ^ (value >> 63)).cast_unsigned())
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_protocol_says() {
        for (value, bytes) in
            [(0, vec![0]), (-1, vec![1]), (1, vec![2]), (64, vec![0x80, 1]), (-65, vec![0x81, 1])]
        {
            assert_eq!(zigzag(value), bytes, "{value}");
        }
        assert_eq!(varint(u64::MAX).len(), 10);
    }

    #[test]
    fn a_page_says_which_cells_are_there() {
        let cells = [Cell::Number(7), Cell::None, Cell::Text("é".into())];
        let cells: Vec<&Cell> = cells.iter().collect();
        let expected =
            [&[2, 0, 0, 0, 3, 0b101][..], &7_i64.to_le_bytes(), &[2, 0, 0, 0], "é".as_bytes()].concat();
        assert_eq!(page(&cells), expected);
    }
}
