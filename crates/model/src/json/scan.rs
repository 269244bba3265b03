/// Tells, while bytes arrive, when the first JSON object or list is complete, so that nobody has to wait for
/// the end of the stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner {
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Scanner {
    /// Takes more bytes in. True once the outermost bracket has closed.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            if self.step(byte) {
                return true;
            }
            // Nothing in a string counts but its end.
            let skip = if self.in_string && !self.escaped { plain_prefix(behind) } else { 0 };
            rest = behind.get(skip..).unwrap_or_default();
        }
        false
    }

    fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// How many bytes at the start of a text stand for themselves in a JSON string wherever it is read: printable ASCII, but no
/// quote and no backslash. Eight at a time, for most texts are made of nothing else.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let control = word.wrapping_sub(u64::from(b' ') * ONES) & !word;
        let [quote, backslash, delete] =
            [b'"', b'\\', 0x7f].map(|byte| zeros(word ^ (u64::from(byte) * ONES)));
        // Of the marked bytes only the first is sure to be one: those behind it may be marked by a carry.
        let marked = (word | control | quote | backslash | delete) & HIGH;
        if marked != 0 {
            return index * 8 + marked.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8 + rest.iter().take_while(|byte| is_plain(**byte)).count()
}

/// One of the bytes that most texts are made of, which needs no second look.
pub(super) fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

#[cfg(test)]
mod tests {
    use super::{is_plain, plain_prefix};

    #[test]
    fn a_plain_prefix_ends_at_the_first_byte_that_is_not_plain() {
        for before in 0..20 {
            for byte in 0..=u8::MAX {
                for behind in [b'a', b'"', b'!', 0, 0xff] {
                    let mut text = vec![b'a'; before];
                    text.extend([byte, behind, behind, b'#', b'~', b' ', b'}', behind, byte, b'z', b']']);
                    let expected = text.iter().take_while(|byte| is_plain(**byte)).count();
                    assert_eq!(plain_prefix(&text), expected, "{text:?}");
                }
            }
        }
    }
}
