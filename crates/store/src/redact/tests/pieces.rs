//! Secrets that stand in a text in pieces, or in another alphabet.

use super::*;

/// The halves of a token of which neither is one.
const HALVES: (&str, &str) = ("ghp_aB3dE5fG7hI9jK", "1lM3nO5pQ7rS9tU1vW3xY5");

fn filled(text: &str) -> String {
    text.replace("{1}", HALVES.0).replace("{2}", HALVES.1)
}

/// Neither half is left, nor any other long part of them.
fn gone(texts: &[&str]) {
    for text in texts {
        let text = filled(text);
        let left = redact(&text);
        assert!(left.contains("‹secret:"), "{text}\n  became {left}");
        for half in [HALVES.0, HALVES.1] {
            assert!(
                !left.contains(half.split_at(10).0) && !left.contains(half.split_at(half.len() - 10).1),
                "{text}\n  became {left}"
            );
        }
    }
}

#[test]
fn in_parts_of_one_word() {
    gone(&[
        "curl -d \"{1}\"'{2}' https://example.com",
        "curl -d {1}\"{2}\"",
        "curl -d {1}''{2}",
        "echo {1}\\{2}",
        "f(\"{1}\" + \"{2}\")",
        "$x = '{1}' . '{2}';",
        "x = (\"{1}\"\n     \"{2}\")",
        "x = \"{1}\" \\\n    \"{2}\"",
        "x = '{1}' + f'{2}'",
    ]);
}

#[test]
fn in_values_of_variables() {
    gone(&[
        "A={1}; B={2}; curl -d \"$A$B\"",
        "A='{1}'\nB='{2}'\nexport TOKEN=${A}${B}",
        "REST={2}; curl -d {1}$REST",
        "a = \"{1}\"\nb = \"{2}\"\nprint(a + b)",
        "a = '{1}'\nb = '{2}'\nprint(f'{a}{b}')",
    ]);
    let split = "A='Authorization: Bearer aB3dE5fG7h'; B='I9jK1lM3nO5pQ7rS9'; curl -H \"$A$B\"";
    assert!(!redact(split).contains("I9jK1lM3"), "{}", redact(split));
}

#[test]
fn in_another_alphabet() {
    for text in [
        "echo S0VZPWdocF9hQjNkRTVmRzdoSTlqSzFsTTNuTzVwUTdyUzl0VTF2VzN4WTUK | base64 -d > .env",
        "decode Z2hwX2FCM2RFNWZHN2hJOWpLMWxNM25PNXBRN3JTOXRVMXZXM3hZNQ",
        "https://example.com/x/Z2hwX2FCM2RFNWZHN2hJOWpLMWxNM25PNXBRN3JTOXRVMXZXM3hZNQ==",
        "echo 6768705f61423364453566473768493969 | xxd -r -p; echo 6768705f6142336445356647376849396a4b316c4d336e4f35705137725339745531765733785935",
        "curl 'https://example.com/?k=password%3DaB3dE5fG7hI9jK%21'",
    ] {
        assert!(redact(text).contains("‹secret:"), "{text}");
    }
}

#[test]
fn ordinary_texts_stay() {
    untouched(&[
        "echo \"it's\" 'a \"quoted\" word' don't",
        "DIR=/usr/local/share; ls $DIR/doc \"$DIR/man\"",
        "NAME=release VERSION=1.2.3 make \"$NAME-$VERSION.tar.gz\"",
        "git show 0123456789abcdef0123456789abcdef01234567",
        "printf '%s\\n' \"$HOME\" | sed 's/%20/ /g'",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "echo aGVsbG8gd29ybGQsIHRoaXMgaXMgcGxhaW4gdGV4dA== | base64 -d",
        "src/components/navigation/BreadcrumbNavigationElement",
        "x = \"a line of text \" +\n    \"and another one\"",
    ]);
}

#[test]
fn what_is_repeated_shows_no_beginning_of_a_secret() {
    let redactor = Redactor::default();
    let token = filled("{1}{2}");
    redactor.learn(&Value::String(format!("curl 'https://example.com/?q={token}'")));
    let cut = redactor.repeated(&format!("sends `https://example.com/?q={}", token.split_at(15).0));
    assert_eq!(cut, "sends `https://example.com/?q=‹secret:github-token›");
    // A stand-in that holds the secret's own beginning ends the search, too.
    redactor.learn(&Value::String("password=password-Zx9aB3dE5f".into()));
    assert!(!redactor.repeated("password-Zx9aB3dE5f").contains("Zx9"));
}
