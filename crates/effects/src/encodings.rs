//! Texts in other encodings: Base64, Base32 and hexadecimal.

/// Bytes that were written in base 64.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    bits(text, 6, base64_digit)
}

/// Bytes that were written in base 32.
pub(crate) fn from_base32(text: &str) -> Option<Vec<u8>> {
    bits(text, 5, base32_digit)
}

/// Bytes that were written in hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    bits(text, 4, |byte| char::from(byte).to_digit(16))
}

/// Digits of a base that is a power of two, to bytes. Anything else is skipped, padding ends it.
fn bits(text: &str, width: u32, digit: fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut buffer, mut filled) = (0_u32, 0);
    for value in text.bytes().take_while(|byte| *byte != b'=').filter_map(digit) {
        buffer = (buffer << width) | value;
        filled += width;
        if filled >= 8 {
            filled -= 8;
            out.push(u8::try_from((buffer >> filled) & 0xff).ok()?);
            buffer &= (1 << filled) - 1;
        }
    }
    Some(out)
}

fn base64_digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn base32_digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a',
        b'2'..=b'7' => byte - b'2' + 26,
        _ => return None,
    };
    Some(u32::from(value))
}
