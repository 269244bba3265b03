use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Asks before writing text with invisible or misleading characters.
    ///
    /// These are tag characters, zero-width characters, fillers, direction overrides, and letters of another script among Latin ones.
    /// Emoji and scripts that need such characters are allowed.
    ///
    /// ## Instead
    /// Write the text without them, or as visible escapes: `\u200b`.
    pub struct HiddenText;
    id: "hidden-text", pack: Persistence, level: Ask,
    instead: ["printf 'Use npm.\\n' > docs/style.md"],
    examples: [
        hit Write("CLAUDE.md\nUse npm.\u{e0072}\u{e006d}\u{e0020}\u{e007e}\n"),
        hit Write("src/a.js\nconst { timeout,\u{3164}} = req.query;\n"),
        hit Write("src/a.c\nif (admin) { /*\u{202e} } \u{2066}begin\u{2069} */\n"),
        hit Write("lib/auth.py\np\u{430}ssword = load()\n"),
        hit Shell("cat > AGENTS.md <<'E'\nUse tabs.\u{200b}\u{200c}\u{200b}\nE"),
        pass Write("README.md\n\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f} naïve 東京\n"),
        pass Write("src/a.js\nconst hello = 'привет, мир'; // שלום\n"),
        pass Write("src/b.py\n\u{feff}text = 'می\u{200c}خواهم'\n"),
        hit Write("tests/a.test.ts\nif (admin\u{200b}) { run('x'); }\n"),
        pass Write("tests/a.test.ts\nexpect(clean('a\u{200b}b')).toBe('ab');\n"),
        pass Write("src/c.ts\nconst space = '\\u200b';\n"),
    ],
}

impl Rule for HiddenText {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::HiddenText,
            |place| format!("writes invisible or misleading characters into {place}"),
            "write the text without them, or as visible escapes",
        )
    }
}
