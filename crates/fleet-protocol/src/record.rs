//! Batches of log records.

use serde::{Deserialize, Serialize};

/// The most records in a batch.
pub const MAX_RECORDS: usize = 2000;
/// The most bytes of a batch before it is compressed. A batch of one record may be larger, up to [`MAX_RECORD`].
pub const MAX_BATCH: usize = 8 << 20;
/// The most bytes of a record; `tollgate-store` writes none that is longer.
pub const MAX_RECORD: usize = 1 << 20;

/// The end of a chain: a record's number and hash, 32 hex digits. A chain without records ends at 0 and zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The number.
    pub seq: u64,
    /// The hash.
    pub hash: String,
}

impl Default for Head {
    fn default() -> Self {
        Self { seq: 0, hash: "0".repeat(32) }
    }
}

/// What stands before the records of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchHead {
    /// The record before the first one: its number, and the hash that the first one names as `prev`.
    pub after: Head,
    /// The end of the log at the moment of reading, as the log's own head says it.
    pub head: Option<Head>,
    /// Records that the server does not have yet and that no longer exist here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// Records that no longer exist on the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
    /// `pruned`, when the log says so itself; otherwise what is known.
    pub why: String,
}

/// The body of `POST /v1/records` before it is compressed with gzip (`content-encoding: gzip`): the head as one line of
/// JSON, then the lines of the log as they stand, each with a line end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch<'a> {
    /// What comes before the records.
    pub head: BatchHead,
    /// The lines, without their ends.
    pub lines: Vec<&'a str>,
}

/// Why a body is no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// It is not UTF-8.
    #[error("the batch is not UTF-8")]
    Encoding,
    /// The first line is no [`BatchHead`].
    #[error("the batch's first line is not its head")]
    Head,
    /// There are too many records.
    #[error("the batch has more than {MAX_RECORDS} records")]
    TooMany,
    /// A record is too long.
    #[error("a record of the batch is longer than {MAX_RECORD} bytes")]
    TooLong,
    /// The last line has no end.
    #[error("the batch is cut: its last line has no end")]
    Cut,
}

impl<'a> Batch<'a> {
    /// The body.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        let mut body = serde_json::to_vec(&self.head).unwrap_or_default();
        body.push(b'\n');
        for line in &self.lines {
            body.extend_from_slice(line.as_bytes());
            body.push(b'\n');
        }
        body
    }

    /// Reads a body.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(body: &'a [u8]) -> Result<Self, BatchError> {
        let text = std::str::from_utf8(body).map_err(|_| BatchError::Encoding)?;
        let (head, rest) = text.split_once('\n').ok_or(BatchError::Head)?;
        let head = serde_json::from_str(head).map_err(|_| BatchError::Head)?;
        if rest.is_empty() {
            return Ok(Self { head, lines: Vec::new() });
        }
        let rest = rest.strip_suffix('\n').ok_or(BatchError::Cut)?;
        let lines: Vec<&str> = rest.split('\n').take(MAX_RECORDS + 1).collect();
        if lines.len() > MAX_RECORDS {
            return Err(BatchError::TooMany);
        }
        if lines.iter().any(|line| line.len() > MAX_RECORD) {
            return Err(BatchError::TooLong);
        }
        Ok(Self { head, lines })
    }
}

/// The answer to a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// The end of the chain that the batch belongs to. Everything up to it is stored, exactly once, and on the disk.
    pub head: Head,
    /// How many records of the batch were new.
    pub new: u64,
    /// Kinds of incidents that this batch caused, for the machine's own log.
    #[serde(default)]
    pub incidents: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_read_as_it_was_written() {
        let after = Head { seq: 3, hash: "a".repeat(32) };
        let head = BatchHead { after, ..BatchHead::default() };
        for lines in [vec![], vec!["{\"v\":1}"], vec!["a", "", "b"]] {
            let batch = Batch { head: head.clone(), lines };
            assert_eq!(Batch::parse(&batch.to_body()), Ok(batch.clone()));
        }
    }

    #[test]
    fn what_is_no_batch_says_why() {
        let body = Batch { lines: vec!["a", "b"], ..Batch::default() }.to_body();
        assert_eq!(Batch::parse(&body[..body.len() - 1]), Err(BatchError::Cut));
        assert_eq!(Batch::parse(b""), Err(BatchError::Head));
        assert_eq!(Batch::parse(b"{}\n"), Err(BatchError::Head));
        assert_eq!(Batch::parse(b"\xff\n"), Err(BatchError::Encoding));
        let many = Batch { lines: vec![""; MAX_RECORDS + 1], ..Batch::default() }.to_body();
        assert_eq!(Batch::parse(&many), Err(BatchError::TooMany));
        let long = "x".repeat(MAX_RECORD + 1);
        let long = Batch { lines: vec![&long], ..Batch::default() }.to_body();
        assert_eq!(Batch::parse(&long), Err(BatchError::TooLong));
    }
}
