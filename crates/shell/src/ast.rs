//! The syntax tree of a shell script. Every node carries a byte span into the source text.
//!
//! Invariant: the tree is total. Whatever the input, `parse` returns a `Script`; a part that could
//! not be read is a `Broken` command and a `Problem`, and reading goes on after it.

use tollgate_model::Span;

/// Which shell's grammar and builtins apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// GNU bash, and the superset read when nothing is known.
    #[default]
    Bash,
    /// POSIX sh, dash, busybox ash.
    Posix,
    /// zsh, where unquoted expansions do not split and there are more glob forms.
    Zsh,
}

/// A whole script: statements in order, and what could not be understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Statements in the order they stand.
    pub items: Vec<Item>,
    /// Everything that went wrong while reading.
    pub problems: Vec<Problem>,
    /// The whole text read.
    pub span: Span,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What kind.
    pub kind: ProblemKind,
}

/// Kinds of reading problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// A token that no grammar rule expects here.
    Unexpected,
    /// A quote, bracket, substitution or compound command that never closes, or a heredoc of which shells disagree
    /// where it does.
    Unclosed,
    /// A heredoc without the line that ends it: every shell that runs it takes the body as it was read.
    OpenHeredoc,
    /// NUL, or a carriage return that does not end a line: shells and terminals disagree about them.
    StrangeByte,
    /// A character that is not seen, or not seen as what it is, outside of quoted data. The text is read as
    /// shells read it.
    Deceptive(char),
    /// A budget ran out: size, node count or nesting. What follows was not read.
    Budget,
}

/// One and-or list, ended by `;`, a newline or `&`.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The first pipeline.
    pub first: Pipeline,
    /// What follows after `&&` and `||`.
    pub rest: Vec<(AndOr, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
    /// From the first word to the end of the last.
    pub span: Span,
}

/// The connective before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOr {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// `[time] [!] a | b |& c`
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// An odd number of `!`.
    pub negated: bool,
    /// The stages, at least one.
    pub stages: Vec<Stage>,
    /// The whole pipeline.
    pub span: Span,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The command.
    pub command: Command,
    /// Joined to the next stage by `|&` (standard error goes down the pipe too).
    pub stderr_too: bool,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Redirections in the order written.
    pub redirects: Vec<Redirect>,
    /// The command with its redirections.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Simple),
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if … then … elif … else … fi`
    If {
        /// Condition and body of `if` and each `elif`.
        arms: Vec<(Script, Script)>,
        /// The `else` body.
        otherwise: Option<Script>,
    },
    /// `for name in words; do …; done`, and `select`.
    For {
        /// The loop variable (zsh allows several).
        names: Vec<String>,
        /// `None` means `"$@"`.
        words: Option<Vec<Word>>,
        /// The body.
        body: Script,
        /// True for `select`.
        select: bool,
    },
    /// `for ((init; test; step)) do …; done`
    CFor {
        /// The three expressions.
        header: [Arith; 3],
        /// The body.
        body: Script,
    },
    /// `while …; do …; done` or `until`.
    While {
        /// The condition.
        condition: Script,
        /// The body.
        body: Script,
        /// True for `until`.
        until: bool,
    },
    /// `case word in …) … ;; esac`
    Case {
        /// What is matched.
        subject: Word,
        /// Patterns and bodies.
        arms: Vec<CaseArm>,
    },
    /// `name() …` or `function name …`
    Function {
        /// Its name (several in zsh).
        name: Word,
        /// Its body: usually a group.
        body: Box<Command>,
        /// Written as dash does not read it: there the lines of the body run where they stand.
        loose: bool,
    },
    /// `[[ … ]]`: the words between, operators included as literal words.
    Test(Vec<Word>),
    /// `(( … ))`
    Arith(Arith),
    /// `coproc [name] command`
    Coproc {
        /// The given name.
        name: Option<String>,
        /// What runs.
        body: Box<Command>,
    },
    /// Text that could not be read. Its words, as far as they could be told apart.
    Broken(Vec<Word>),
}

/// How a `case` arm ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&`
    FallThrough,
    /// `;;&` (zsh `;|`)
    Continue,
}

/// One arm of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// Its patterns.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: Script,
    /// How it ends.
    pub end: CaseEnd,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simple {
    /// Assignments before the command word.
    pub assigns: Vec<Assign>,
    /// Command word and arguments. `declare a=(1 2)` keeps its array words as `Word` with an `Array` part.
    pub words: Vec<Word>,
}

/// `name=value`, `name+=value`, `name[sub]=value`, `name=(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    /// The variable.
    pub name: String,
    /// The subscript.
    pub subscript: Option<Word>,
    /// `+=`
    pub append: bool,
    /// The value.
    pub value: AssignValue,
    /// From the name to the end of the value.
    pub span: Span,
}

/// What is assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignValue {
    /// One word; empty parts for `x=`.
    Scalar(Word),
    /// An array: optional subscript and value of each element.
    Array(Vec<(Option<Word>, Word)>),
}

/// One redirection.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// The file descriptor written before the operator, or `{name}`.
    pub fd: Option<RedirectFd>,
    /// The operator and its operand.
    pub kind: RedirectKind,
    /// From the descriptor to the end of the operand.
    pub span: Span,
}

/// The left side of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectFd {
    /// `2>`
    Number(u32),
    /// `{fd}>`
    Name(String),
}

/// Redirection operators.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectKind {
    /// `< word`
    Read(Word),
    /// `> word`
    Write(Word),
    /// `>| word`
    Clobber(Word),
    /// `>> word`
    Append(Word),
    /// `<> word`
    ReadWrite(Word),
    /// `&> word`, `>& word` where the word is no number.
    WriteBoth(Word),
    /// `&>> word`
    AppendBoth(Word),
    /// `<& word`, `>& word` where the word is a number, `-` or dynamic.
    Duplicate {
        /// The descriptor named, or `-`.
        target: Word,
        /// True for `>&`.
        output: bool,
    },
    /// `<< word`, `<<- word`: the body, its tabs already removed for `<<-`.
    Heredoc {
        /// The body; one quoted `Text` part when the delimiter was quoted, else parts as in double quotes.
        body: Word,
        /// The delimiter was quoted, so nothing in the body expands.
        literal: bool,
    },
    /// `<<< word`
    HereString(Word),
}

/// A word: parts that join up after expansion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// The source text of the word.
    pub span: Span,
}

/// One part of a word, quotes and escapes already removed.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Literal text. Unquoted text may hold active glob, brace and (at the start) tilde characters;
    /// an escaped character is a quoted part of its own.
    Text {
        /// Decoded: `$'\x41'` is `A`, `\a` is `a`, backslash-newline is gone.
        text: String,
        /// In quotes or escaped: no globbing, no braces, no tilde.
        quoted: bool,
    },
    /// `$x`, `${…}`
    Param {
        /// What is expanded and how.
        expansion: Box<Param>,
        /// In double quotes: no splitting and no globbing.
        quoted: bool,
        /// Where.
        span: Span,
    },
    /// `$( … )`, backticks (already unescaped), `${ …; }`
    Command {
        /// The script inside. Its spans point into the outer source where the text is verbatim;
        /// for unescaped backticks they all are the span of the substitution.
        script: Script,
        /// In double quotes.
        quoted: bool,
        /// Where.
        span: Span,
    },
    /// `$(( … ))`, `$[ … ]`
    Arith {
        /// The expression.
        expression: Arith,
        /// In double quotes.
        quoted: bool,
        /// Where.
        span: Span,
    },
    /// `<( … )`, `>( … )`, zsh `=( … )`
    Process {
        /// The script inside.
        script: Script,
        /// True for `>( … )`.
        output: bool,
        /// Where.
        span: Span,
    },
    /// `( … )` as an operand of `declare`, `local`, `export`, …
    Array(Vec<(Option<Word>, Word)>),
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// `x`, `1`, `@`, `*`, `#`, `?`, `-`, `$`, `!`, `0`
    pub name: String,
    /// `[…]`: `@` and `*` included.
    pub subscript: Option<Word>,
    /// `${!x}`
    pub indirect: bool,
    /// What is done with the value.
    pub op: ParamOp,
}

/// Operators of `${…}`.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamOp {
    /// `$x`
    None,
    /// `${#x}`
    Length,
    /// `-`, `=`, `?`, `+`; with a colon an empty value counts as unset.
    Default {
        /// `-` `=` `?` `+`
        kind: char,
        /// With `:`.
        colon: bool,
        /// The operand.
        word: Word,
    },
    /// `#` `##` `%` `%%`
    Trim {
        /// From the end.
        suffix: bool,
        /// The longest match.
        longest: bool,
        /// The pattern.
        pattern: Word,
    },
    /// `/` `//` `/#` `/%`
    Replace {
        /// `/`, `//` → all, `/#` → at the start, `/%` → at the end.
        anchor: ReplaceAnchor,
        /// The pattern.
        pattern: Word,
        /// The replacement.
        with: Word,
    },
    /// `${x:offset:length}`
    Slice {
        /// Offset.
        offset: Arith,
        /// Length.
        length: Option<Arith>,
    },
    /// `^` `^^` `,` `,,`
    Case {
        /// Upper.
        upper: bool,
        /// Every character.
        all: bool,
        /// Only characters matching this.
        pattern: Option<Word>,
    },
    /// `${x@P}` and the like: the letter.
    Transform(char),
    /// `${!prefix*}`, `${!prefix@}`, `${!a[@]}`
    Names,
    /// A form we do not know (zsh flags and the like): its raw text.
    Unknown(String),
}

/// Where a replacement applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceAnchor {
    /// First match.
    First,
    /// Every match.
    All,
    /// At the start.
    Start,
    /// At the end.
    End,
}

/// An arithmetic expression, kept as a word (as in double quotes) so that substitutions in it are seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arith {
    /// The text with its expansions.
    pub word: Word,
}
