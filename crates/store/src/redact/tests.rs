//! What is taken out and what is left alone, as data. Every token is made up.

use super::*;

mod pieces;
mod stores;

/// Each case is a text and what is left of it; `‹x›` is short for the stand-in of kind x.
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let expected = expected.replace('‹', "‹secret:");
        // A text that was redacted before stays as it is.
        for text in [*text, &expected] {
            let seen = redact(text);
            if seen != expected {
                wrong.push(format!("{text}\n  became {seen}\n  not    {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn untouched(texts: &[&str]) {
    check(&texts.iter().map(|text| (*text, *text)).collect::<Vec<_>>());
}

const A36: &str = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
const HEX32: &str = "0123456789abcdef0123456789abcdef";

#[test]
fn tokens_by_prefix() {
    let long = A36.repeat(3);
    let cases = [
        ("ghp_", A36, "github-token"),
        ("gho_", A36, "github-token"),
        ("ghu_", A36, "github-token"),
        ("ghs_", A36, "github-token"),
        ("ghr_", A36, "github-token"),
        ("github_pat_", "11ABCDEFG0aB3dE5fG7hI9_jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1f", "github-token"),
        ("glpat-", "aB3dE5fG7hI9jK1lM3nO", "gitlab-token"),
        ("glpat-", "aB3dE5fG7hI9jK1lM3nO.01.0x1y2z3", "gitlab-token"),
        ("AKIA", "IOSFODNN7ABCDEFG", "aws-access-key"),
        ("ASIA", "IOSFODNN7ABCDEFG", "aws-access-key"),
        ("AIza", "SyA1bC3dE5fG7hI9jK1lM3nO5pQ7rS9tU1v", "google-api-key"),
        ("GOCSPX-", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9t", "google-oauth-secret"),
        ("ya29.", "a0AfH6SMBx_aB3dE5fG7hI9jK1lM3nO5pQ", "google-oauth-token"),
        ("xoxb-", "1234567890-1234567890123-aB3dE5fG7hI9jK1lM3nO5pQ7", "slack-token"),
        ("xoxp-", "1234567890-1234567890-1234567890-abcdef", "slack-token"),
        ("xapp-", "1-A012345-1234567890-abcdef0123456789", "slack-token"),
        ("sk_live_", "aB3dE5fG7hI9jK1lM3nO5pQ7", "stripe-key"),
        ("rk_live_", "aB3dE5fG7hI9jK1lM3nO5pQ7", "stripe-key"),
        ("sk_test_", "aB3dE5fG7hI9jK1lM3nO5pQ7", "stripe-key"),
        ("sk-", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3", "api-key"),
        ("sk-proj-", &long, "openai-key"),
        ("sk-ant-", "api03-aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "anthropic-key"),
        ("npm_", A36, "npm-token"),
        ("pypi-", &long, "pypi-token"),
        ("dckr_pat_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9", "docker-token"),
        ("hf_", "aBcdEfgHijKlmNopQrsTuvWxyZabCdefGh", "huggingface-token"),
        ("SG.", "aB3dE5fG7hI9jK1lM3nO5p.aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9d", "sendgrid-key"),
        ("SK", HEX32, "twilio-key"),
        ("dop_v1_", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "digitalocean-token"),
        ("shpat_", HEX32, "shopify-token"),
        ("lin_api_", A36, "linear-key"),
        ("dapi", HEX32, "databricks-token"),
        ("AGE-SECRET-KEY-", "1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPZRY9X8GF2TVDW0S3JN54KH", "age-key"),
        ("hvs.", "CAESIaB3dE5fG7hI9jK1lM3nO5pQ7rS9t", "vault-token"),
        ("glsa_", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW_0a1b2c3d", "grafana-token"),
    ];
    for (prefix, body, kind) in cases {
        let token = format!("{prefix}{body}");
        let stand_in = format!("‹secret:{kind}›");
        for (before, after) in
            [("", ""), ("x ", " y"), ("\"", "\""), ("=", "\n"), ("\\n", "\\n"), ("(", ")"), ("a: ", ".")]
        {
            assert_eq!(redact(&format!("{before}{token}{after}")), format!("{before}{stand_in}{after}"));
        }
    }
}

#[test]
fn tokens_by_shape() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    let bot = format!("12345678:AA{}", "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vWx");
    let discord = "MTA1MjM0NTY3ODkwMTIzNDU2.GaBcDe.aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA";
    check(&[
        (jwt, "‹jwt›"),
        (&format!("curl -H 'x: {jwt}' u"), "curl -H 'x: ‹jwt›' u"),
        ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "‹jwt›."),
        (&bot, "‹telegram-token›"),
        (
            &format!("https://api.telegram.org/bot{bot}/getMe"),
            "https://api.telegram.org/bot‹telegram-token›/getMe",
        ),
        (&format!("token {discord} end"), "token ‹discord-token› end"),
        (
            "https://hooks.slack.com/services/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",
            "https://‹slack-webhook›",
        ),
    ]);
}

#[test]
fn key_blocks() {
    let body = "MIIEpAIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun";
    for kind in ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP ", ""] {
        let block = if kind == "PGP " { " BLOCK" } else { "" };
        let (begin, end) = (
            format!("-----BEGIN {kind}PRIVATE KEY{block}-----"),
            format!("-----END {kind}PRIVATE KEY{block}-----"),
        );
        check(&[
            (&format!("a\n{begin}\n{body}\n{body}\n{end}\nb"), "a\n‹private-key›\nb"),
            (&format!("a {begin}\\n{body}\\n{end}\\n b"), "a ‹private-key›\\n b"),
            (&format!("a\n{begin}\n{body}\nMIIE"), "a\n‹private-key›"),
            (
                &format!("{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{body}"),
                "‹private-key›",
            ),
        ]);
    }
    check(&[
        (&format!("Private-Lines: 8\n{body}\n{body}"), "Private-Lines:‹private-key›"),
        (
            &format!(
                r#"{{"private_key_id":"abc","private_key":"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"}}"#
            ),
            r#"{"private_key_id":"abc","private_key":"‹private-key›"}"#,
        ),
    ]);
    untouched(&[
        "grep -r -- '-----BEGIN RSA PRIVATE KEY-----' .",
        "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0t\n-----END CERTIFICATE-----",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 me@host",
    ]);
}

#[test]
fn assignments_and_members() {
    check(&[
        ("DB_PASSWORD=hunter2 npm start", "DB_PASSWORD=‹password› npm start"),
        ("export API_KEY=abc123def; make", "export API_KEY=‹api-key›; make"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz", "AWS_SECRET_ACCESS_KEY=‹api-key›"),
        (
            "aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz",
            "aws configure set aws_secret_access_key ‹api-key›",
        ),
        (
            "aws_secret_access_key = /JalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz",
            "aws_secret_access_key = ‹api-key›",
        ),
        ("password: swordfish", "password: ‹password›"),
        ("password: \"two words\"\nuser: x", "password: \"‹password›\"\nuser: x"),
        ("secret: |\n  abc def\nuser: x", "secret: |\n  ‹secret›\nuser: x"),
        (r#"{"client_secret":"abcdef","n":1}"#, r#"{"client_secret":"‹secret›","n":1}"#),
        (r#"{\"apiKey\": \"abcdef123\", \"n\": 1}"#, r#"{\"apiKey\": \"‹api-key›\", \"n\": 1}"#),
        ("clientSecret = 'abcdef'", "clientSecret = '‹secret›'"),
        ("os.environ[\"API_TOKEN\"] = \"abcdef1\"", "os.environ[\"API_TOKEN\"] = \"‹token›\""),
        ("setenv(\"API_KEY\", \"abcdef12\")", "setenv(\"API_KEY\", \"‹api-key›\")"),
        ("if password == \"hunter2\":", "if password == \"‹password›\":"),
        ("'password' => 'hunter2',", "'password' => '‹password›',"),
        ("<password>hunter2</password>", "<password>‹password›</password>"),
        ("${DB_PASSWORD:-hunter2}", "${DB_PASSWORD:-‹password›}"),
        ("- name: DB_PASSWORD\n  value: hunter2\n", "- name: DB_PASSWORD\n  value: ‹password›\n"),
        (r#"{"name":"API_KEY","value":"abcdef"}"#, r#"{"name":"API_KEY","value":"‹api-key›"}"#),
        ("https://x.io/?access_token=abcdef1&x=1", "https://x.io/?access_token=‹token›&x=1"),
        ("Server=h;Password=abc;Database=d", "Server=h;Password=‹password›;Database=d"),
        (
            "DefaultEndpointsProtocol=https;AccountName=n;AccountKey=aB3dE5fG7hI9jK1lM3==;E=1",
            "DefaultEndpointsProtocol=https;AccountName=n;AccountKey=‹api-key›;E=1",
        ),
        ("DB_PASSWORD=a,b)c}d\nX=1", "DB_PASSWORD=‹password›\nX=1"),
        ("PASSWORD=abc\"d ef\"", "PASSWORD=‹password› ef\""),
        ("TOKEN=abcdef;rm -rf /", "TOKEN=‹token›;rm -rf /"),
        (
            "kubectl create secret generic x --from-literal=password=hunter2",
            "kubectl create secret generic x --from-literal=password=‹password›",
        ),
        ("//registry.npmjs.org/:_authToken=abcdef1", "//registry.npmjs.org/:_authToken=‹token›"),
        ("_auth=dXNlcjpwYXNzd29yZA==", "_auth=‹credential›"),
        ("machine h login me password hunter2", "machine h login me password ‹password›"),
        ("ALTER USER me WITH PASSWORD 'abc'", "ALTER USER me WITH PASSWORD '‹password›'"),
        ("CREATE USER me IDENTIFIED BY 'abc'", "CREATE USER me IDENTIFIED BY '‹password›'"),
        ("\\nTOKEN=abcdef\\nX=1", "\\nTOKEN=‹token›\\nX=1"),
        ("\\ntoken=abcdef\\nX=1", "\\ntoken=‹token›\\nX=1"),
        ("PASSWORD_2=hunter2", "PASSWORD_2=‹password›"),
        ("SECRET_KEY_BASE=abcdef", "SECRET_KEY_BASE=‹api-key›"),
        ("MY_TOKEN=ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "MY_TOKEN=‹github-token›"),
        ("fish: set -gx GITHUB_TOKEN abcdef1", "fish: set -gx GITHUB_TOKEN ‹token›"),
        (
            "npm config set //registry.npmjs.org/:_authToken abcdef1",
            "npm config set //registry.npmjs.org/:_authToken ‹token›",
        ),
        ("Driver=x;Uid=sa;Pwd=hunter2;", "Driver=x;Uid=sa;Pwd=‹password›;"),
        ("pin password=1234", "pin password=‹password›"),
    ]);
}

#[test]
fn headers_flags_and_addresses() {
    check(&[
        ("curl -H 'Authorization: Bearer abcdef' u", "curl -H 'Authorization: Bearer ‹authorization›' u"),
        (
            "curl -H \"Authorization: Basic dXNlcjpwYXNz\" u",
            "curl -H \"Authorization: Basic ‹authorization›\" u",
        ),
        ("Authorization: token abcdef\nHost: h", "Authorization: token ‹authorization›\nHost: h"),
        ("Authorization: abcdef123", "Authorization: ‹authorization›"),
        (r#"{"Authorization":"Bearer abc def"}"#, r#"{"Authorization":"Bearer ‹authorization›"}"#),
        ("Bearer a1b2c3d4e5", "Bearer ‹authorization›"),
        ("-H 'X-Api-Key: abcdef' u", "-H 'X-Api-Key: ‹api-key›' u"),
        ("-H 'Cookie: session=abcdef; x=1' u", "-H 'Cookie: ‹cookie›' u"),
        ("curl -u me:hunter2 https://h", "curl -u me:‹password› https://h"),
        ("curl -sS -ume:hunter2 https://h", "curl -sS -ume:‹password› https://h"),
        ("curl -H 'a; b' -u 'me:hunter 2' https://h", "curl -H 'a; b' -u 'me:‹password›' https://h"),
        ("curl --user me:hunter2 h", "curl --user me:‹password› h"),
        ("bash -c \"cd x; curl -u me:hunter2 h\"", "bash -c \"cd x; curl -u me:‹password› h\""),
        ("mysql -u root -phunter2 db", "mysql -u root -p‹password› db"),
        ("sshpass -p hunter2 ssh h", "sshpass -p ‹password› ssh h"),
        ("redis-cli -h h -a hunter2 ping", "redis-cli -h h -a ‹password› ping"),
        ("docker login -u me -p hunter2 r.io", "docker login -u me -p ‹password› r.io"),
        ("x --password hunter2 y", "x --password ‹password› y"),
        ("x --password=hunter2 y", "x --password=‹password› y"),
        ("x --password 'hunter 2' y", "x --password '‹password›' y"),
        ("ssh-keygen -t ed25519 -N hunter2 -f k", "ssh-keygen -t ed25519 -N ‹password› -f k"),
        ("lftp -u me,hunter2 h", "lftp -u me,‹password› h"),
        ("x --api-key abcdef1 y", "x --api-key ‹api-key› y"),
        ("x -storepass abc -y", "x -storepass ‹password› -y"),
        ("openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:‹password› -in k"),
        ("openssl enc -aes-256-cbc -k hunter2 -in a", "openssl enc -aes-256-cbc -k ‹password› -in a"),
        (
            "docker login -u me --password-stdin <<< hunter2",
            "docker login -u me --password-stdin <<< ‹password›",
        ),
        ("gh auth login --with-token <<< 'hunter2 x'", "gh auth login --with-token <<< '‹password›'"),
        ("cargo login Qz7xK9vB2nM4pL6wRt3Y", "cargo login ‹token›"),
        ("doctl auth init -t abcdef123", "doctl auth init -t ‹password›"),
        ("echo hunter2 | sudo -S ls", "echo ‹password› | sudo -S ls"),
        (
            "echo 'hunter2' | docker login --password-stdin",
            "echo '‹password›' | docker login --password-stdin",
        ),
        ("git clone https://me:hunter2@h.io/r.git", "git clone https://me:‹url-password›@h.io/r.git"),
        ("cat /w/logs/postgres:/me:hunter2@h/db", "cat /w/logs/postgres:/me:‹url-password›@h/db"),
        ("postgres://me:p@ss@h:5432/db", "postgres://me:‹url-password›@h:5432/db"),
        ("postgres://me:p/ss#1@h:5432/db", "postgres://me:‹url-password›@h:5432/db"),
        ("redis://:hunter2@h:6379", "redis://:‹url-password›@h:6379"),
        ("https://aB3dE5fG7hI9jK1lM3nO@h.io/x", "https://‹url-password›@h.io/x"),
        (
            "https://x:ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5@github.com/a/b",
            "https://x:‹github-token›@github.com/a/b",
        ),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn look_alikes_are_left_alone() {
    untouched(&[
        "git commit -m \"rotate token\"",
        "docker run -v data:/var/lib/x:ro image@sha256:0123",
        "docker build -t doctl-image . && kubectl get -k overlays/prod",
        "tar -t -k file",
        "gh auth login --with-token <<< \"$TOKEN\"",
        "docker login registry-2.example-company.com",
        "gcloud auth login someone@example.com && az login --tenant x",
        "aws ecr get-login-password --region eu-central-1",
        "rsync -a me@host:/srv/a:b backup",
        "scp build:/home/me/x:y me@other:z",
        "C:/Users/me:x@y",
        "git commit -m 'fix: password reset flow, secret santa'",
        "pip install sk-learn scikit-learn",
        "AKIA",
        "AKIAnot",
        "AIza",
        "ghp_",
        "ghp_short",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9",
        "xoxb-",
        "npm_config_registry=x",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "git show 3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d",
        "123e4567-e89b-12d3-a456-426614174000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "export TOKEN=$GITHUB_TOKEN",
        "export TOKEN=\"${GITHUB_TOKEN}\"",
        "TOKEN=$(gh auth token) make",
        "TOKEN=`cat t`",
        "docker login --password-stdin < f",
        "--password-file /run/x",
        "--token-file=t",
        "--no-password x",
        "ansible-playbook --ask-pass site.yml",
        "tokenizer=fast",
        "author=someone",
        "authority: x",
        "keyboard=us",
        "monkey=1",
        "compass: north",
        "max_tokens=4096",
        "\"max_tokens\": 4096",
        "token_count: 12345678",
        "password_file=/run/secrets/db",
        "PWD=/home/me/src",
        "password=",
        "password: ''",
        "password: null",
        "token: true",
        "PASSWORD=<your password>",
        "API_KEY=xxx",
        "API_KEY=********",
        "API_KEY=changeme",
        "api_key: YOUR_API_KEY",
        "SECRET={{ vault.secret }}",
        "secret=%SECRET%",
        "password: string;",
        "token: str = None",
        "fn f(token: &str)",
        "password: Option<String>",
        "secret?: string",
        "let token = getToken();",
        "token = await fetchToken()",
        "password=args.password",
        "token=self.token",
        "password=password",
        "secret = os.environ['X']",
        "api_key=settings.API_KEY",
        "token = lexer.next_token()",
        "token != nil",
        "tokens = text.split()",
        "const password = new_password",
        "pass: 12 fail: 0",
        "key=value",
        "public_key=abcdefghijk",
        "primary_key: id",
        "the token: see below for details",
        "Authorization: users must log in first",
        "the bearer token is long",
        "credentials: include",
        "auth: none",
        "\"auth\": \"oauth2\"",
        "secrets: inherit",
        "docker run -u 1000:1000 -p 8080:80 img",
        "docker run -p hunter2",
        "id -u root:x",
        "ssh -p 2222 h",
        "mysql -u root -p db",
        "mkdir -p a:b",
        "curl -u $USER:$PW h",
        "curl -p x",
        "http://localhost:3000/@scope/pkg",
        "git@github.com:a/b.git",
        "ssh://git@h/r",
        "https://h.io:8443/a@b",
        "docker://alpine:3.19@sha256:abc",
        "https://u:$PW@h",
        "https://user:password@h",
        "npm i left-pad@1.2.3",
        "SKIP=1",
        "SKU0123",
        "dapi",
        "SG.x",
        "M.N.O",
        "key-value",
        "secret_santa",
        "EAAA",
        "kubectl get secret my-secret-abc123-xyz",
        "gh secret set FOO",
        "vault token create",
        "docker build --secret id=npm,src=f .",
        "sort -k2 -u a:b",
        "echo hi | sudo tee x",
        "signature: none",
        "design=flat",
        "--cookie-jar c.txt",
        "find . -execdir pwd ';'",
        "echo pwd: `pwd`",
        "alias pwd='echo -n x'",
        "--masterkey path/to/dir",
        "ssh-keygen -N '' -f k",
        "pub const NO_TOKEN: u32x = 1008;",
        "passwd : windows_sys::core::PCWSTR)",
        "HTTP_COOKIE: u32 = a=bcdefgh",
        "SECRET_NAME=prod/db",
        "passwd: files systemd",
        "cut -d: -f1 /etc/passwd",
        "grep -i password app.log",
    ]);
}

#[test]
fn keyed_stand_ins_tell_secrets_apart() {
    let state = tempfile::tempdir().unwrap();
    let redactor = Redactor::at(&state.path().join("s"));
    let of = |secret: &str| redactor.text(&format!("--password={secret}")).into_owned();
    let (one, two) = (of("hunter2"), of("hunter3"));
    assert_eq!(one, of("hunter2"));
    assert_ne!(one, two);
    assert_eq!(one.len(), "--password=‹secret:password:9f2c›".len());
    assert_eq!(Redactor::at(&state.path().join("s")).text("--password=hunter2"), one, "the key is kept");
    let other = tempfile::tempdir().unwrap();
    let elsewhere = Redactor::at(&other.path().join("s")).text("--password=hunter2").into_owned();
    let more = Redactor::at(&other.path().join("s")).text("--password=hunter3").into_owned();
    assert_ne!((elsewhere, more), (one, two), "each installation has its own key");
}

#[test]
fn members_go_by_their_name() {
    let redactor = Redactor::default();
    let check = |name: &str, value: &str, expected: Option<&str>| {
        let expected = expected.map(|kind| format!("‹secret:{kind}›"));
        assert_eq!(redactor.member(name, value), expected, "{name}: {value}");
    };
    check("password", "hunter2", Some("password"));
    check("apiKey", "abcdef", Some("api-key"));
    check("Authorization", "Bearer abcdef", Some("authorization"));
    check("Authorization", "Bearer $TOKEN", None);
    check("--token", "abcdef", Some("token"));
    check("--ask-pass", "site.yml", None);
    check("command", "abcdef", None);
    check("token", "${TOKEN}", None);
    check("max_tokens", "4096", None);
    check("password", "123456", Some("password"));
}

/// Any mix of pieces that detectors look at, of any length, is read in linear time and without a panic.
#[test]
fn f29_no_text_is_slow_or_fatal() {
    let pieces = [
        "password=\"",
        "token: '",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAu1SU1LfVLPH",
        "://a:b",
        "eyJ",
        ".",
        "curl ",
        " -u a:b",
        "-p",
        "\\\"",
        "'",
        "Authorization: ",
        "Bearer ",
        "ghp_",
        "AKIA",
        "é",
        "‹",
        "›",
        "\u{2028}",
        " ",
        "\n",
        "a",
        "1",
        "_",
        "$",
        "{",
        "12345678:AA",
        "MTA",
        "| sudo -S ",
        "echo ",
        "key",
        "sig=",
        "identified by '",
        "--",
        "<password>",
    ];
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for _ in 0..2_000 {
        let text: String = (0..random() % 60).map(|_| pieces[random() % pieces.len()]).collect();
        let once = redact(&text).into_owned();
        let _ = redact(&once);
    }
    // The processor's time: how busy the machine is makes no difference.
    let now = || rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).tv_sec;
    let begun = now();
    for piece in pieces {
        let _ = redact(&piece.repeat((64 << 10) / piece.len()));
    }
    let took = now() - begun;
    assert!(took < 20, "{took} s for {} texts of 64 KiB", pieces.len());
}
