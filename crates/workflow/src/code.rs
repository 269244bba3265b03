//! Marks in code, such as `#[test]`: what stands in a string or a comment is none.

/// How files end whose comments and strings are written as in C.
const LIKE_C: &[&str] = &[
    "rs", "c", "h", "cc", "cpp", "hpp", "cs", "d", "go", "java", "js", "jsx", "kt", "mjs", "scala", "swift",
    "ts", "tsx", "zig",
];

/// Is one of these marks in a file's code? A mark that is itself a string or a comment may stand anywhere.
pub fn has_any(path: &str, text: &str, marks: &[String]) -> bool {
    let mut found = marks.iter().filter(|mark| text.contains(mark.as_str())).peekable();
    if found.peek().is_none() {
        return false;
    }
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    if !LIKE_C.contains(&extension) {
        return true;
    }
    let code = Reader { rest: text, rust: extension == "rs" }.code();
    let is_text = |mark: &str| mark.contains(['"', '\'', '`']) || mark.contains("//") || mark.contains("/*");
    found.any(|mark| is_text(mark) || code.contains(mark.as_str()))
}

/// Reads code up to its end.
struct Reader<'t> {
    rest: &'t str,
    rust: bool,
}

impl Reader<'_> {
    /// The code without what is in its strings and comments.
    fn code(mut self) -> String {
        let mut code = String::with_capacity(self.rest.len());
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                '/' if self.rest.starts_with("//") => {
                    self.skip(self.rest.find('\n').unwrap_or(self.rest.len()))
                }
                '/' if self.rest.starts_with("/*") => self.comment(),
                '"' => self.quoted('"'),
                '`' if !self.rust => self.quoted('`'),
                '\'' if !self.rust => self.quoted('\''),
                '\'' => self.character(),
                'r' if self.rust && !ends_word(&code) && self.raw() => {}
                _ => {
                    code.push(letter);
                    self.skip(letter.len_utf8());
                    continue;
                }
            }
            code.push(' ');
        }
        code
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// A comment over lines; in Rust one may hold others.
    fn comment(&mut self) {
        let mut depth = 0;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") && (self.rust || depth == 0) {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.skip(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.letter();
            }
        }
    }

    fn letter(&mut self) {
        self.skip(self.rest.chars().next().map_or(1, char::len_utf8));
    }

    fn quoted(&mut self, quote: char) {
        self.letter();
        while let Some(letter) = self.rest.chars().next() {
            self.letter();
            match letter {
                '\\' => self.letter(),
                _ if letter == quote => return,
                _ => {}
            }
        }
    }

    /// `'a'` is a character, `'a` a lifetime.
    fn character(&mut self) {
        let mut letters = self.rest.chars().skip(1);
        match (letters.next(), letters.next()) {
            (Some('\\'), _) => self.quoted('\''),
            (Some(_), Some('\'')) => (0..3).for_each(|_| self.letter()),
            _ => self.letter(),
        }
    }

    /// `r"…"`, `r#"…"#`; false when it is a name.
    fn raw(&mut self) -> bool {
        let behind = self.rest.get(1..).unwrap_or_default();
        let text = behind.trim_start_matches('#');
        let hashes = behind.len() - text.len();
        let Some(text) = text.strip_prefix('"') else { return false };
        let end = format!("\"{}", "#".repeat(hashes));
        self.rest = text.split_once(&end).map_or("", |(_, rest)| rest);
        true
    }
}

fn ends_word(code: &str) -> bool {
    // `br"…"` is a raw string as well.
    let mut letters = code.chars().rev();
    match (letters.next(), letters.next()) {
        (Some('b' | 'c'), before) => before.is_some_and(is_word),
        (Some(letter), _) => is_word(letter),
        (None, _) => false,
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_count_in_code_only() {
        let marks = ["#[test]".to_owned(), "#[cfg(test)]".to_owned()];
        let check = |path: &str, text: &str, expected: bool| {
            assert_eq!(has_any(path, text, &marks), expected, "{path}: {text}");
        };
        for text in [
            "fn a() {}\n#[test]\nfn b() {}",
            "const A: &str = \"x\"; #[cfg(test)] mod tests {}",
            "fn a<'a>(x: &'a str) {}\n#[test]\nfn b() {}",
            "const Q: char = '\"';\n#[test]\nfn b() {}",
            "const Q: char = '\\'';\n#[test]\nfn b() {}",
            "const R: &str = r#\"a\"b\"#;\n#[test]\nfn b() {}",
            "let for_r = 1; /* a /* b */ c */ #[test] fn b() {}",
            "const P: &str = \"a // b\";\n#[test]\nfn b() {}",
        ] {
            check("src/a.rs", text, true);
        }
        for text in [
            "fn a() {}",
            "// #[test]\nfn a() {}",
            "/// As in `#[test]`.\nfn a() {}",
            "/* #[test] */ fn a() {}",
            "/* /* x */ #[test] */ fn a() {}",
            "const A: &str = \"#[test]\"; fn a() {}",
            "const A: &str = \"\\\"#[test]\"; fn a() {}",
            "const A: &str = r\"\\\"; const B: &str = \"#[test]\"; fn a() {}",
            "const A: &str = r#\"\"#[test]\"#; fn a() {}",
            "const A: &[u8] = br##\"\"# #[test] \"##; fn a() {}",
        ] {
            check("src/a.rs", text, false);
        }
        check("src/a.js", "const a = '#[test]'; const b = `#[test]`", false);
        check("src/a.py", "'''#[test]'''", true);
        assert!(has_any("a.zig", "// test \"a\" {}", &["test \"".to_owned()]), "a mark with a quote");
    }
}
