//! Short flags that carry passwords, which only mean that after certain programs.

use super::scan::{Found, Scanner};
use super::tokens::is_word;
use super::value::{Value, is_placeholder, value_at};

/// How a flag takes its password.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// `-pX`
    Attached,
    /// `-p X`
    Next,
    /// `-pX` or `-p X`
    Both,
    /// `-u user:X`, attached or not.
    User(u8),
}

/// A program's password flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    program: &'static str,
    letter: u8,
    form: Form,
}

const fn flag(program: &'static str, letter: u8, form: Form) -> Flag {
    Flag { program, letter, form }
}

/// A program may stand here more than once. `login` is a subcommand of many.
const FLAGS: [Flag; 59] = [
    flag("curl", b'u', Form::User(b':')),
    flag("curl", b'U', Form::User(b':')),
    flag("http", b'a', Form::User(b':')),
    flag("https", b'a', Form::User(b':')),
    flag("xh", b'a', Form::User(b':')),
    flag("mysql", b'p', Form::Attached),
    flag("mysqldump", b'p', Form::Attached),
    flag("mysqladmin", b'p', Form::Attached),
    flag("mysqlimport", b'p', Form::Attached),
    flag("mysqlcheck", b'p', Form::Attached),
    flag("mysqlshow", b'p', Form::Attached),
    flag("mysqlsh", b'p', Form::Attached),
    flag("mariadb", b'p', Form::Attached),
    flag("mariadb-dump", b'p', Form::Attached),
    flag("mariadb-admin", b'p', Form::Attached),
    flag("mycli", b'p', Form::Both),
    flag("sshpass", b'p', Form::Both),
    flag("redis-cli", b'a', Form::Next),
    flag("mongo", b'p', Form::Next),
    flag("mongosh", b'p', Form::Next),
    flag("mongodump", b'p', Form::Next),
    flag("mongorestore", b'p', Form::Next),
    flag("mongoexport", b'p', Form::Next),
    flag("mongoimport", b'p', Form::Next),
    flag("login", b'p', Form::Both),
    flag("ldapsearch", b'w', Form::Both),
    flag("ldapmodify", b'w', Form::Both),
    flag("ldapadd", b'w', Form::Both),
    flag("ldapdelete", b'w', Form::Both),
    flag("ldapwhoami", b'w', Form::Both),
    flag("sqlcmd", b'P', Form::Both),
    flag("bcp", b'P', Form::Both),
    flag("7z", b'p', Form::Attached),
    flag("7za", b'p', Form::Attached),
    flag("7zz", b'p', Form::Attached),
    flag("rar", b'p', Form::Attached),
    flag("unrar", b'p', Form::Attached),
    flag("zip", b'P', Form::Both),
    flag("unzip", b'P', Form::Both),
    flag("smbclient", b'U', Form::User(b'%')),
    flag("rpcclient", b'U', Form::User(b'%')),
    flag("evil-winrm", b'p', Form::Next),
    flag("crackmapexec", b'p', Form::Next),
    flag("nxc", b'p', Form::Next),
    flag("influx", b'p', Form::Next),
    flag("ipmitool", b'P', Form::Both),
    flag("snmpget", b'c', Form::Next),
    flag("sudo", b'S', Form::Next),
    flag("ssh-keygen", b'N', Form::Next),
    flag("ssh-keygen", b'P', Form::Next),
    flag("twine", b'p', Form::Next),
    flag("lftp", b'u', Form::User(b',')),
    flag("security", b'w', Form::Next),
    flag("openssl", b'k', Form::Next),
    flag("openssl", b'K', Form::Next),
    flag("doctl", b't', Form::Next),
    flag("vercel", b't', Form::Next),
    flag("flyctl", b't', Form::Next),
    flag("fly", b't', Form::Next),
];

/// The letters of all flags, for the scanner.
pub(crate) const LETTERS: [u8; 12] = [b'u', b'U', b'a', b'p', b'w', b'P', b'c', b'S', b'N', b'k', b'K', b't'];

/// A password behind the short flag at `at`, of the program that this command runs.
pub(crate) fn short_flag(scanner: &mut Scanner, at: usize) -> Option<Found> {
    let text = scanner.text;
    let letter = *text.get(at..)?.strip_prefix(b"-")?.first()?;
    let attached = text.get(at + 2).is_some_and(|byte| !byte.is_ascii_whitespace());
    let program = scanner.program(at)?;
    if (program, letter) == ("sudo", b'S') {
        return super::assign::piped(text, at);
    }
    let fits = |flag: &&Flag| flag.program == program && flag.letter == letter;
    let form = FLAGS.iter().find(fits)?.form;
    if (form == Form::Attached && !attached) || (form == Form::Next && attached) {
        return None;
    }
    let spaces = text.get(at + 2..)?.iter().take_while(|&&byte| byte == b' ').count();
    let value = value_at(text, at + 2 + spaces)?;
    let value = match form {
        Form::User(separator) => behind(text, value, separator)?,
        _ => value,
    };
    let bytes = value.of(text);
    let flag_next = spaces > 0 && bytes.starts_with(b"-");
    (!flag_next && !is_placeholder(bytes, value.quote)).then(|| Found {
        start: value.start,
        end: value.whole(text),
        kind: "password",
    })
}

/// `--user name:X` of curl.
pub(crate) fn long_user(scanner: &mut Scanner, at: usize) -> Option<Found> {
    let text = scanner.text;
    let rest = text.get(at..)?.strip_prefix(b"--")?;
    let name = [b"user".as_slice(), b"proxy-user"].into_iter().find(|name| rest.starts_with(name))?;
    let sign = at + 2 + name.len();
    text.get(sign).filter(|byte| b" =".contains(byte))?;
    if scanner.program(at) != Some("curl") {
        return None;
    }
    let value = behind(text, value_at(text, sign + 1)?, b':')?;
    let secret = !is_placeholder(value.of(text), value.quote);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "password" })
}

/// The part behind the user's name; a pair of numbers is a user and a group.
fn behind(text: &[u8], value: Value, separator: u8) -> Option<Value> {
    let bytes = value.of(text);
    let place = bytes.iter().position(|&byte| byte == separator)?;
    let (user, password) = (bytes.get(..place)?, bytes.get(place + 1..)?);
    let numbers = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    if password.is_empty() || (numbers(user) && numbers(password)) {
        return None;
    }
    Some(Value { start: value.start + place + 1, ..value })
}

/// Follows the text from flag to flag, and knows which program the present command runs. Each byte is read once.
#[derive(Default)]
pub(crate) struct Commands {
    read: usize,
    quote: Option<u8>,
    program: Option<&'static str>,
}

impl Commands {
    /// The last program with password flags that is named before `at` in the same command.
    pub(crate) fn program(&mut self, text: &[u8], at: usize) -> Option<&'static str> {
        while self.read < at {
            self.step(text);
        }
        self.program
    }

    fn step(&mut self, text: &[u8]) {
        let at = self.read;
        self.read += 1;
        let Some(&byte) = text.get(at) else { return };
        let before = at.checked_sub(1).and_then(|place| text.get(place)).copied();
        match (byte, self.quote) {
            (b'"' | b'\'', None) => self.quote = Some(byte),
            (_, Some(quote)) if quote == byte => self.quote = None,
            (b';' | b'|' | b'&', None) => self.program = None,
            (b'\n', _) if before != Some(b'\\') => (self.quote, self.program) = (None, None),
            _ if before.is_none_or(|before| !is_word(before) && !b"-.".contains(&before)) => {
                self.program = named(text, at).or(self.program);
            }
            _ => {}
        }
    }
}

fn named(text: &[u8], at: usize) -> Option<&'static str> {
    let rest = text.get(at..)?;
    let length = rest.iter().take(16).take_while(|&&byte| is_word(byte) || byte == b'-').count();
    let word = rest.get(..length).filter(|word| word.len() > 1)?;
    let lengths = LENGTHS.get(usize::from(*word.first()?))?;
    if lengths >> word.len() & 1 == 0 {
        return None;
    }
    FLAGS.iter().map(|flag| flag.program).find(|program| program.as_bytes() == word)
}

/// How long the programs' names are that begin with a byte, one bit for each length: most words of a text are none of them.
static LENGTHS: [u32; 256] = lengths();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error of the build"
)]
const fn lengths() -> [u32; 256] {
    let mut lengths = [0; 256];
    let mut at = 0;
    while at < FLAGS.len() {
        let program = FLAGS[at].program.as_bytes();
        lengths[program[0] as usize] |= 1 << program.len();
        at += 1;
    }
    lengths
}
