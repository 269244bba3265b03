//! Characters in a written text that nobody sees, or that make it look like another. Scripts and emoji that need
//! such characters keep them.

/// What of a text is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Code and instructions for agents: everything unseen counts.
    Read,
    /// Code of tests: what has no width may stand in a quoted text, for that is how its handling is tried.
    Test,
    /// Other texts: what has no use but to hide something.
    Other,
}

/// How many characters are shown before and after the first that hides.
const AROUND: usize = 24;
/// How many hidden characters are shown.
const SHOWN: usize = 12;

/// What is read by machines as it stands.
const CODE: &[&str] = &[
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "pyi", "rb", "pl", "pm", "php", "sh", "bash",
    "zsh", "fish", "ps1", "go", "rs", "c", "h", "cc", "cpp", "hpp", "cs", "java", "kt", "kts", "scala",
    "swift", "m", "mm", "dart", "ex", "exs", "erl", "hs", "lua", "r", "jl", "sql", "tf", "hcl", "gradle",
    "groovy", "vue", "svelte", "sol", "zig", "nim", "toml", "yml", "yaml", "mk", "cmake", "nix", "mdc",
];

/// Is a file code, by its name?
pub(crate) fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    CODE.contains(&extension)
        || matches!(name, "Makefile" | "makefile" | "justfile" | "Justfile" | "Jenkinsfile" | ".envrc")
        || name.starts_with("Dockerfile")
}

/// The first hidden characters of a text, written out with what stands around them.
pub(crate) fn first(text: &str, kind: Kind) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    text.lines().enumerate().find_map(|(number, line)| in_line(line, kind, number == 0))
}

fn in_line(line: &str, kind: Kind, is_first: bool) -> Option<String> {
    if line.is_ascii() {
        return None;
    }
    let chars: Vec<char> = line.chars().collect();
    let right_to_left = chars.iter().any(|c| is_right_to_left(*c));
    let turns_back = right_to_left && is_balanced(&chars);
    let at = (0..chars.len()).find(|at| {
        let around = Around { chars: &chars, at: *at, right_to_left, turns_back };
        let mark = is_first && *at == 0 && around.own() == '\u{feff}';
        !mark && around.hides(kind)
    });
    let at = at.or_else(|| (kind != Kind::Other).then(|| disguised(&chars)).flatten())?;
    Some(rendered(&chars, at))
}

/// A character with its neighbours.
struct Around<'l> {
    chars: &'l [char],
    at: usize,
    /// The line holds letters that are written from right to left.
    right_to_left: bool,
    /// And every direction that it opens is closed in it.
    turns_back: bool,
}

impl Around<'_> {
    fn own(&self) -> char {
        self.chars.get(self.at).copied().unwrap_or_default()
    }

    fn before(&self) -> char {
        self.at.checked_sub(1).and_then(|at| self.chars.get(at)).copied().unwrap_or(' ')
    }

    fn after(&self) -> char {
        self.chars.get(self.at + 1).copied().unwrap_or(' ')
    }

    fn hides(&self, kind: Kind) -> bool {
        let c = self.own();
        if c.is_ascii() {
            return false;
        }
        let always = match c {
            '\u{e0000}'..='\u{e007f}' => !self.in_flag(),
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => self.varies_nothing(),
            '\u{2061}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => true,
            _ => false,
        };
        let quoted = kind == Kind::Test && has_no_width(c) && self.is_quoted();
        always || kind != Kind::Other && !quoted && self.hides_in_code(c)
    }

    /// Does it stand in a text in quotes, which both begins and ends in this line?
    fn is_quoted(&self) -> bool {
        let (before, after) = self.chars.split_at_checked(self.at).unwrap_or_default();
        let count = |part: &[char], quote: char| part.iter().filter(|c| **c == quote).count();
        ['"', '\'', '`'].iter().any(|quote| count(before, *quote) % 2 == 1 && count(after, *quote) > 0)
    }

    fn hides_in_code(&self, c: char) -> bool {
        let foreign = |c: char| c.is_alphabetic() && !c.is_ascii();
        match c {
            '\u{200b}' => !(is_spaceless(self.before()) || is_spaceless(self.after())),
            '\u{200c}' | '\u{200d}' => !(joins(self.before()) || joins(self.after())),
            '\u{2060}' | '\u{180e}' | '\u{34f}' => !(foreign(self.before()) || foreign(self.after())),
            '\u{feff}' => true,
            // A soft hyphen is at home in the words of prose.
            '\u{ad}' => !(self.before().is_alphabetic() && self.after().is_alphabetic()),
            '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => {
                !(is_hangul(self.before()) || is_hangul(self.after()))
            }
            '\u{17b4}' | '\u{17b5}' => !is_spaceless(self.before()),
            '\u{200e}' | '\u{200f}' | '\u{61c}' => !self.right_to_left,
            '\u{202a}'..='\u{202c}' | '\u{2066}'..='\u{2069}' => !self.turns_back,
            '\u{202d}' | '\u{202e}' => true,
            _ => false,
        }
    }

    /// Tags spell a region after a black flag, and nowhere else.
    fn in_flag(&self) -> bool {
        let is_tag = |c: &char| matches!(c, '\u{e0000}'..='\u{e007f}');
        let start = self.chars.get(..self.at).unwrap_or_default().iter().rposition(|c| !is_tag(c));
        let Some(start) = start.filter(|start| self.chars.get(*start) == Some(&'\u{1f3f4}')) else {
            return false;
        };
        let tags: Vec<char> =
            self.chars.get(start + 1..).unwrap_or_default().iter().copied().take_while(is_tag).collect();
        let spells = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
        match tags.split_last() {
            Some(('\u{e007f}', region)) => (3..=6).contains(&region.len()) && region.iter().all(spells),
            _ => false,
        }
    }

    /// A selector needs something that has variants, and one is enough.
    fn varies_nothing(&self) -> bool {
        let before = self.before();
        let is_selector = matches!(before, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
        let keycap = before.is_ascii_digit() || matches!(before, '#' | '*');
        is_selector || before.is_ascii() && !keycap
    }
}

/// Each direction that is opened in the line is closed in it.
fn is_balanced(chars: &[char]) -> bool {
    let count = |from: char, to: char| chars.iter().filter(|c| (from..=to).contains(*c)).count();
    count('\u{202d}', '\u{202e}') == 0
        && count('\u{202a}', '\u{202b}') == count('\u{202c}', '\u{202c}')
        && count('\u{2066}', '\u{2068}') == count('\u{2069}', '\u{2069}')
}

/// The first word of Latin letters with others among them that are drawn like Latin ones.
fn disguised(chars: &[char]) -> Option<usize> {
    let mut start = 0;
    for word in chars.split(|c| !c.is_alphanumeric() && *c != '_') {
        let foreign = |c: &&char| is_cyrillic(**c);
        let latin = word.iter().any(char::is_ascii_alphabetic);
        if latin
            && word.iter().any(|c| is_cyrillic(*c))
            && word.iter().filter(foreign).all(|c| looks_latin(*c))
        {
            return word.iter().position(|c| is_cyrillic(*c)).map(|at| start + at);
        }
        start += word.len() + 1;
    }
    None
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{60b}' | '\u{60d}'..='\u{61b}' | '\u{61d}'..='\u{8ff}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Scripts that write no blanks between words.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3000}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Emoji, and scripts whose letters join: Arabic, Syriac, those of India and their kin.
fn joins(c: char) -> bool {
    is_right_to_left(c)
        || matches!(c, '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{2190}'..='\u{2bff}' | '\u{a8e0}'..='\u{a8ff}'
            | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}' | '\u{3131}'..='\u{3163}' | '\u{3165}'..='\u{318e}'
        | '\u{ac00}'..='\u{d7fb}' | '\u{ffa1}'..='\u{ffdc}')
}

fn is_cyrillic(c: char) -> bool {
    matches!(c, '\u{400}'..='\u{52f}')
}

/// Letters that are drawn like Latin ones.
fn looks_latin(c: char) -> bool {
    "асеорхуіјѕһԁԛԝӏАВЕКМНОРСТХУІЈЅ".contains(c)
}

/// The first hidden character with what is around it, each hidden one as its number.
fn rendered(chars: &[char], at: usize) -> String {
    let start = at.saturating_sub(AROUND);
    let mut out = String::new();
    let mut hidden = 0;
    for c in chars.get(start..).unwrap_or_default().iter().take(2 * AROUND + SHOWN) {
        if c.is_ascii_graphic() || *c == ' ' || c.is_alphanumeric() && !is_cyrillic(*c) && *c != '\u{3164}' {
            out.push(*c);
        } else if hidden < SHOWN {
            hidden += 1;
            out.push_str(&format!("\\u{{{:x}}}", u32::from(*c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_told_from_scripts() {
        for (text, read, other) in [
            ("Use npm.\u{e0072}\u{e006d}", true, true),
            ("a \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} b", false, false),
            ("\u{1f3f4}\u{e0067}\u{e0062} rm", true, true),
            ("x\u{fe01}\u{fe02}", true, true),
            ("❤\u{fe0f} 1\u{fe0f}\u{20e3}", false, false),
            ("葛\u{e0100}城", false, false),
            ("a\u{200b}b", true, false),
            ("สวัสดี\u{200b}ครับ", false, false),
            ("👩\u{200d}💻", false, false),
            ("می\u{200c}خواهم", false, false),
            ("क\u{94d}\u{200d}ष", false, false),
            ("pass\u{200d}word", true, false),
            ("{ timeout,\u{3164}}", true, false),
            ("한\u{3164}글", false, false),
            ("if (x) { /*\u{202e} } \u{2066}if\u{2069} */", true, false),
            ("שלום \u{2066}abc\u{2069} עולם", false, false),
            ("\u{feff}first", false, false),
            ("x\u{feff}y", true, false),
            ("const p\u{0430}ssword = 1", true, false),
            ("привет мир", false, false),
            ("Δt, µs, naïve, 東京", false, false),
            ("plain", false, false),
        ] {
            assert_eq!(first(text, Kind::Read).is_some(), read, "{text:?} in code");
            assert_eq!(first(text, Kind::Other).is_some(), other, "{text:?} elsewhere");
        }
    }

    #[test]
    fn what_hides_is_written_out() {
        assert_eq!(
            first("Use npm.\u{e0072}\u{e006d} ok", Kind::Other).as_deref(),
            Some("Use npm.\\u{e0072}\\u{e006d} ok")
        );
    }
}
