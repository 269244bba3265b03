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
        bytes.iter().any(|&byte| self.step(byte))
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
