//! Random scripts that are sound by construction, written in as many ways as the grammar allows.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::parse_machine::Dice;

/// A script of a few commands, with heredocs or without.
pub fn script(dice: &mut Dice, heredocs: bool) -> String {
    let mut writer = Writer { dice, out: String::new(), bodies: Vec::new(), depth: 0, heredocs };
    writer.list();
    writer.newline();
    writer.out
}

struct Writer<'d> {
    dice: &'d mut Dice,
    out: String,
    /// Heredocs that begin after the next newline.
    bodies: Vec<String>,
    depth: usize,
    heredocs: bool,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn one_of(&mut self, texts: &[&str]) {
        let text = *self.dice.pick(texts);
        self.put(text);
    }

    fn newline(&mut self) {
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
    }

    /// What may stand between two tokens.
    fn blank(&mut self) {
        self.one_of(&[" ", " ", " ", "\t", "  ", " \\\n", "\\\n "]);
    }

    /// The end of a command: `;`, `&` or a newline, perhaps with a comment and empty lines.
    fn end(&mut self) {
        match self.dice.roll(6) {
            0 => self.put(" ; "),
            1 => self.put(";"),
            2 => self.put(" & "),
            3 => {
                self.put(" # it's a `comment` $( \"");
                self.newline();
            }
            4 => {
                self.newline();
                self.put("  \n");
            }
            _ => self.newline(),
        }
    }

    fn list(&mut self) {
        for _ in 0..=self.dice.roll(2) {
            self.and_or();
            self.end();
        }
    }

    fn and_or(&mut self) {
        self.pipeline();
        while self.dice.roll(4) == 0 {
            self.one_of(&[" && ", "||", " &&\\\n"]);
            self.optional_newline();
            self.pipeline();
        }
    }

    fn optional_newline(&mut self) {
        if self.dice.roll(4) == 0 {
            self.newline();
        }
    }

    fn pipeline(&mut self) {
        if self.dice.roll(8) == 0 {
            self.put("! ");
        }
        self.command();
        while self.dice.roll(5) == 0 {
            self.one_of(&[" | ", "|", " |& "]);
            self.optional_newline();
            self.command();
        }
    }

    fn command(&mut self) {
        if self.depth >= 3 || self.dice.roll(2) == 0 {
            self.simple();
            return;
        }
        self.depth += 1;
        match self.dice.roll(11) {
            0 => self.wrapped("{ ", "}"),
            1 => self.wrapped("( ", ")"),
            2 => self.if_command(),
            3 => self.loop_command(),
            4 => self.for_command(),
            5 => self.case_command(),
            6 => self.condition(),
            7 => self.one_of(&["((x = 1))", "(( (a) + (b) ))", "(( x < 3 && y ))"]),
            8 => self.function(),
            9 => self.wrapped("for ((i = 0; i < 3; i++)); do ", "done"),
            _ => self.wrapped("while read -r l; do ", "done"),
        }
        while self.dice.roll(4) == 0 {
            self.redirect();
        }
        self.depth -= 1;
    }

    fn wrapped(&mut self, open: &str, close: &str) {
        self.put(open);
        self.optional_newline();
        self.list();
        self.put(close);
    }

    fn if_command(&mut self) {
        self.put("if ");
        self.list();
        self.put("then ");
        self.list();
        while self.dice.roll(3) == 0 {
            self.put("elif ");
            self.list();
            self.put("then\\\n ");
            self.list();
        }
        if self.dice.roll(2) == 0 {
            self.put("else ");
            self.list();
        }
        self.put("fi");
    }

    fn loop_command(&mut self) {
        self.one_of(&["while ", "until "]);
        self.list();
        self.wrapped("do ", "done");
    }

    fn for_command(&mut self) {
        self.one_of(&["for x", "select x"]);
        if self.dice.roll(4) > 0 {
            self.put(" in");
            for _ in 0..self.dice.roll(4) {
                self.blank();
                self.word();
            }
        }
        self.put(";");
        self.wrapped(" do ", "done");
    }

    fn case_command(&mut self) {
        self.put("case ");
        self.word();
        self.put(" in ");
        self.optional_newline();
        for _ in 0..self.dice.roll(4) {
            self.one_of(&["(", ""]);
            self.word();
            while self.dice.roll(3) == 0 {
                self.one_of(&["|", " | "]);
                self.word();
            }
            self.put(") ");
            self.optional_newline();
            self.list();
            self.one_of(&[" ;;", " ;;", " ;&", " ;;&"]);
            self.newline();
        }
        self.put("esac");
    }

    fn condition(&mut self) {
        self.put("[[ ");
        self.term();
        while self.dice.roll(3) == 0 {
            self.one_of(&[" && ", " || "]);
            self.term();
        }
        self.put(" ]]");
    }

    fn term(&mut self) {
        match self.dice.roll(6) {
            0 => self.put("! $x"),
            1 => self.put("-f \"$y\""),
            2 => self.put("( $x -gt 3 )"),
            3 => self.put("$x =~ ^(a b|[[:space:]]+)$"),
            4 => self.put("$x < \"b c\""),
            _ => {
                self.put("$x == ");
                self.word();
            }
        }
    }

    fn function(&mut self) {
        self.one_of(&["f() ", "f () ", "function f ", "function f () "]);
        self.optional_newline();
        self.wrapped("{ ", "}");
    }

    fn simple(&mut self) {
        while self.dice.roll(5) == 0 {
            self.one_of(&["x=", "y+=", "a[1]=", "a[$i]="]);
            self.word();
            self.blank();
        }
        self.one_of(&["cmd", "echo", "c\\md", "'q r'", "$x", "declare"]);
        for _ in 0..self.dice.roll(4) {
            self.blank();
            self.word();
        }
        while self.dice.roll(4) == 0 {
            self.redirect();
        }
    }

    fn redirect(&mut self) {
        match self.dice.roll(5) {
            0 if self.heredocs => self.heredoc(),
            1 => self.one_of(&[" 2>&1", " >&2", " <&3", " 3>&-"]),
            2 => {
                self.put(" <<< ");
                self.word();
            }
            _ => {
                self.one_of(&[" >", " > ", " >> ", " 2> ", " < ", " &> ", " >| ", " <> ", " {fd}> "]);
                self.word();
            }
        }
    }

    fn heredoc(&mut self) {
        const LINES: &[&str] =
            &["plain text\n", " EOF\n", "EOF \n", "it's \"quoted\n", "a \\$ b\n", "\n", "# x )\n"];
        // A heredoc in the body of another must not end it.
        let delimiter = format!("EOF{}", self.depth);
        let (before, after, expands) = *self.dice.pick(&[
            ("<<", "", true),
            (" << ", "", true),
            ("<<'", "'", false),
            (" <<\\", "", false),
        ]);
        self.put(&format!(" {before}{delimiter}{after}"));
        let mut body = String::new();
        for _ in 0..self.dice.roll(4) {
            let line: &&str = self.dice.pick(LINES);
            body.push_str(line);
            if expands && self.dice.roll(2) == 0 {
                body.push_str(&self.apart(|inner| inner.quoted_expansion()));
                body.push('\n');
            }
        }
        body.push_str(&delimiter);
        body.push('\n');
        self.bodies.push(body);
    }

    /// What `write` writes, on its own.
    fn apart(&mut self, write: impl FnOnce(&mut Writer)) -> String {
        let (depth, heredocs) = (self.depth + 1, self.heredocs);
        let mut inner = Writer { dice: self.dice, out: String::new(), bodies: Vec::new(), depth, heredocs };
        write(&mut inner);
        inner.out
    }

    fn word(&mut self) {
        for _ in 0..=self.dice.roll(3) {
            match self.dice.roll(8) {
                0 => self.one_of(&["a", "b-c", "/x/y", "*.t", "[a-z]", "{a,b}", "x=1", "a#b", "%", "é"]),
                1 => self.one_of(&["'s q'", "'a\"b'", "'$x `y`'", "''", "'}'", "')'", "'\\'"]),
                2 => self.one_of(&["\\ ", "\\$", "\\'", "\\\"", "\\;", "\\)", "\\é"]),
                3 => self.one_of(&["\"\"", "\"a b\"", "\"it's\"", "\"\\\"\"", "\"a;b|c&d)\"", "\"#\""]),
                4 => {
                    self.put("\"");
                    let inner = self.apart(|inner| inner.quoted_expansion());
                    self.put(&inner);
                    self.put("\"");
                }
                5 => self.one_of(&[
                    "$x",
                    "${x}",
                    "$1",
                    "$@",
                    "${x:-d}",
                    "${x#*/}",
                    "${x//a/b}",
                    "${#x}",
                    "${a[@]}",
                    "${x:1:2}",
                    "$((1 + 2))",
                ]),
                6 => self.one_of(&["@(a|b)", "*(x y)", "!(z)", "+([0-9])"]),
                _ => {
                    let inner = self.apart(|inner| inner.substitution());
                    self.put(&inner);
                }
            }
        }
    }

    fn quoted_expansion(&mut self) {
        match self.dice.roll(5) {
            0 => self.one_of(&["$x", "${x}y", "${x:-\"d e\"}", "${x:+a b}", "${x%%\\}*}", "$((x + (1)))"]),
            1 => self.put("text "),
            _ => self.substitution(),
        }
    }

    fn substitution(&mut self) {
        if self.depth >= 3 {
            self.put("$(leaf)");
            return;
        }
        // Two parentheses in a row are another matter.
        self.put("$( ");
        self.optional_newline();
        self.list();
        if !self.bodies.is_empty() {
            self.newline();
        }
        self.put(")");
    }
}
