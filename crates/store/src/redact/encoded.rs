//! Secrets in another alphabet: a run of Base64 or of hexadecimal digits is read as the text that it stands for.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// A shorter run holds no secret.
pub(crate) const LEAST: usize = 24;
/// What is decoded of a run.
const MOST: usize = 16 << 10;
/// As many characters tell whether a run stands for a text.
const PROBE: usize = 16;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A run and the text that it stands for.
pub(crate) struct Decoded {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: Vec<u8>,
}

/// The runs that stand for a text.
pub(crate) fn of(text: &[u8]) -> Vec<Decoded> {
    let mut found = Vec::new();
    let mut at = 0;
    // No run begins before `at`. The last byte of the shortest run is looked at first: most texts are words, and what lies
    // before the end of a word need not be read.
    while let Some(window) = text.get(at..at + LEAST) {
        if let Some(end) = window.iter().rposition(|byte| !is_digit(*byte)) {
            at += end + 1;
            continue;
        }
        let rest = text.get(at + LEAST..).unwrap_or_default();
        let length = LEAST + rest.iter().take_while(|byte| is_digit(**byte)).count();
        found.extend(decoded(text, at, at + length));
        at += length + 1;
    }
    found
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// The run from its start, or from behind its last slash: that may be a path's.
fn decoded(text: &[u8], start: usize, end: usize) -> Option<Decoded> {
    let run = text.get(start..end)?;
    let slash = run.iter().rposition(|&byte| byte == b'/').map(|slash| start + slash + 1);
    [Some(start), slash].into_iter().flatten().find_map(|start| {
        let run = text.get(start..end).filter(|run| run.len() >= LEAST)?;
        let text = from_hex(run).or_else(|| from_base64(run))?;
        Some(Decoded { start, end, text })
    })
}

fn from_base64(run: &[u8]) -> Option<Vec<u8>> {
    let standard = |run: &[u8]| -> Vec<u8> {
        run.iter()
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => *other,
            })
            .collect()
    };
    let decode = |run: &[u8]| BASE64.decode(standard(run)).ok().filter(|text| is_text(text));
    decode(run.get(..PROBE)?)?;
    let run = run.get(..run.len().min(MOST))?;
    // One digit more than whole bytes belongs to something else.
    decode(run.get(..run.len() - usize::from(run.len() % 4 == 1))?)
}

fn from_hex(run: &[u8]) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let decode =
        |run: &[u8]| run.chunks(2).map(byte).collect::<Option<Vec<u8>>>().filter(|text| is_text(text));
    if run.len() % 2 == 1 {
        return None;
    }
    decode(run.get(..PROBE)?)?;
    decode(run.get(..run.len().min(MOST))?)
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run that is long enough, read byte by byte.
    fn runs(text: &[u8]) -> Vec<(usize, usize)> {
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 0..=text.len() {
            if text.get(at).is_none_or(|byte| !is_digit(*byte)) {
                runs.extend((at - start >= LEAST).then_some((start, at)));
                start = at + 1;
            }
        }
        runs
    }

    #[test]
    fn no_run_is_passed_over() {
        let run = |length: usize| {
            BASE64
                .encode("a plain text of some length, and more of it")
                .chars()
                .take(length)
                .collect::<String>()
        };
        for before in 0..60 {
            for length in [0, 1, 22, 23, 24, 25, 26, 40, 56] {
                for tail in ["", " ", " x", ", then some words behind it"] {
                    let text =
                        format!("{}{}{tail}", "ab ".repeat(20).get(60 - before..).unwrap(), run(length));
                    let own: Vec<(usize, usize)> =
                        of(text.as_bytes()).iter().map(|run| (run.start, run.end)).collect();
                    let expected: Vec<(usize, usize)> = runs(text.as_bytes())
                        .into_iter()
                        .filter_map(|(start, end)| decoded(text.as_bytes(), start, end))
                        .map(|run| (run.start, run.end))
                        .collect();
                    assert_eq!(own, expected, "{text:?}");
                }
            }
        }
        assert_eq!(of(format!("x {}", run(40)).as_bytes()).len(), 1);
    }
}
