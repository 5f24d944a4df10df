//! Canaries in every form, at every cut; texts that must stay as they are; properties.

mod properties;

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use super::{MASK, RedactStream, Redactor};

/// A value with everything that encoders treat in their own way.
const CANARY: &str = "cänary/Key+42=\"x\\y\" <&>";
const PLAIN: &str = "hunter2-correct-horse";

fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0u32, |group, &byte| group << 8 | u32::from(byte))
            << (8 * (3 - chunk.len()));
        for idx in 0..=chunk.len() {
            text.push(char::from(alphabet[(group >> (18 - 6 * idx) & 63) as usize]));
        }
    }
    text
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn percent(text: &str, keep: impl Fn(u8) -> bool, upper: bool) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        match (keep(byte), upper) {
            (true, _) => encoded.push(char::from(byte)),
            (false, true) => write!(encoded, "%{byte:02X}").unwrap(),
            (false, false) => write!(encoded, "%{byte:02x}").unwrap(),
        }
        encoded
    })
}

fn ascii_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1]
        .chars()
        .fold(String::new(), |mut ascii, letter| {
            if letter.is_ascii() {
                ascii.push(letter);
            } else {
                letter
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| write!(ascii, "\\u{unit:04x}").unwrap());
            }
            ascii
        })
}

/// Every form of a secret, with a name; none may come out.
fn forms(secret: &str) -> Vec<(&'static str, String)> {
    let json = Value::from(secret).to_string();
    let inner = json[1..json.len() - 1].to_owned();
    let twice = Value::from(inner.clone()).to_string();
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let mut forms = vec![
        ("raw", secret.to_owned()),
        ("json", inner.clone()),
        ("json twice", twice[1..twice.len() - 1].to_owned()),
        ("json ascii", ascii_json(secret)),
        ("json with slashes", inner.replace('/', "\\/")),
        (
            "json for html",
            inner
                .replace('<', "\\u003c")
                .replace('>', "\\u003e")
                .replace('&', "\\u0026"),
        ),
        ("percent", percent(secret, unreserved, true)),
        ("percent lower", percent(secret, unreserved, false)),
        ("percent all", percent(secret, |_| false, true)),
        (
            "form",
            percent(secret, |byte| unreserved(byte) || byte == b' ', true).replace(' ', "+"),
        ),
    ];
    for n_before in 0..3 {
        for (name, alphabet) in [("base64", STANDARD), ("base64url", URL_SAFE)] {
            let bytes = [&b"abc"[..n_before], secret.as_bytes(), b"tail"].concat();
            let text = base64(&bytes, alphabet);
            // The characters that this secret decides alone.
            let core = &text[(n_before * 8).div_ceil(6)..(n_before + secret.len()) * 8 / 6];
            forms.push((name, core.to_owned()));
            forms.push(("base64 in a URL", percent(core, unreserved, true)));
        }
    }
    forms
}

fn tokens() -> Vec<String> {
    let body = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4eFg7H";
    let mut tokens: Vec<String> = [
        "AIzaSy",
        "AQ.",
        "sk-",
        "sk-proj-",
        "sk-ant-api03-",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "ya29.a0",
    ]
    .iter()
    .map(|prefix| format!("{prefix}{body}"))
    .collect();
    tokens.push("xoxb-123456789012-abcdefGHIJ".to_owned());
    tokens.push("xoxp-2345-678-abcdef".to_owned());
    tokens.push("AKIAIOSFODNN7EXAMPLE".to_owned());
    tokens
        .push("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P".to_owned());
    tokens.push("sk-or-v1-0123456789abcdef0123456789abcdef".to_owned());
    tokens
}

fn pem(line_end: &str) -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        line,
        line,
        "Zm9vYg==",
        "-----END RSA PRIVATE KEY-----",
    ]
    .join(line_end)
}

fn check_gone(redactor: &Redactor, name: &str, secret: &str) {
    for (before, after) in [
        ("", ""),
        ("key=", "&x=1"),
        ("text ", " text"),
        ("{\"k\":\"", "\"}"),
        ("\\n", "\\n"),
        ("«", "»"),
    ] {
        let text = format!("{before}{secret}{after}");
        let redacted = redactor.redact(&text);
        assert!(!redacted.contains(secret), "{name}: {text} -> {redacted}");
        assert!(redacted.contains(MASK), "{name}: {text} -> {redacted}");
    }
}

#[test]
fn every_form_of_a_known_secret_goes() {
    for secret in [
        CANARY,
        PLAIN,
        "12345678",
        "пароль-и-ключ",
        "two\nlines of\tsecret",
        "🔑🔑🔑🔑🔑🔑🔑🔑",
    ] {
        let redactor = Redactor::new([secret]);
        for (name, form) in forms(secret) {
            check_gone(&redactor, name, &form);
        }
    }
}

#[test]
fn every_token_shape_goes() {
    let redactor = Redactor::default();
    for token in tokens() {
        check_gone(&redactor, "token", &token);
    }
    for line_end in ["\n", "\r\n", "\\n", "\\r\\n"] {
        let text = format!("before {} after", pem(line_end));
        assert_eq!(redactor.redact(&text), "before *** after");
    }
    let encrypted = pem("\n").replace(
        "KEY-----\nM",
        "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\nM",
    );
    assert_eq!(redactor.redact(&encrypted), MASK);
    let cut_off = &pem("\n")[..120];
    assert_eq!(redactor.redact(cut_off), MASK);
}

#[test]
fn headers_lose_their_value_and_keep_their_name() {
    let redactor = Redactor::default();
    for (text, expected) in [
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        (
            "authorization: bearer abc.def-123\r\nHost: x",
            "authorization: bearer ***\r\nHost: x",
        ),
        (
            r#"{"Authorization":"Bearer abc.def-123"}"#,
            r#"{"Authorization":"Bearer ***"}"#,
        ),
        (
            r#""{\"authorization\": \"Basic dXNlcjpwYXNz\"}""#,
            r#""{\"authorization\": \"Basic ***\"}""#,
        ),
        ("x-goog-api-key: abcdefgh12", "x-goog-api-key: ***"),
        (
            "curl -H 'X-Goog-Api-Key: abcdefgh12' u",
            "curl -H 'X-Goog-Api-Key: ***' u",
        ),
        ("x-api-key=abcdefgh12 rest", "x-api-key=*** rest"),
        ("got bearer 0123456789abcdef0123 today", "got bearer *** today"),
    ] {
        assert_eq!(redactor.redact(text), expected);
    }
}

#[test]
fn ordinary_text_stays() {
    let redactor = Redactor::new([PLAIN, CANARY, "short", "  tiny\n", "abc***defghi"]);
    for text in [
        "",
        "short tiny abc***defghi ***",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "550e8400-e29b-41d4-a716-446655440000",
        "/srv/ada/task-2026-11-15-001-final-version/disk-0123456789abcdef0123.img",
        "a task-ab12cd34ef56ab12cd34ef56 and risk-0123456789012345678901234",
        "sk-circle-fade-dot-animation-delay is a class",
        "https://example.org/a/b?key=value&next=%2Fhome#frag",
        "The bearer of this letter may enter. Authorization is required: see below.",
        "Authorization: none. x-api-key: short",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "ASIAPACIFICREGIONALOFFICE AKIAK eyJ eyJhbGciOiJIUzI1NiJ9 eyJ.a.b",
        "AIza ghp_ ghp_short github_pat_ glpat-x xoxb-abcdefghijkl sk-1 ya29.x",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "let npm_config_registry = std::env::var(\"HF_HOME\"); // hf_transfer_is_enabled_by_default_here",
        "日本語のテキスト、русский текст, نص عربي 🎉",
    ] {
        assert!(
            matches!(redactor.redact(text), Cow::Borrowed(same) if same == text),
            "{text}"
        );
        let mut stream = redactor.stream();
        let out: String = text
            .chars()
            .map(|letter| stream.push(&letter.to_string()))
            .collect();
        assert_eq!(out + &stream.finish(), text);
    }
}

#[test]
fn escapes_before_a_token_do_not_hide_it() {
    let key = "sk-Ab3dEf6hIj9lMn2pQr5tUv8x";
    let redactor = Redactor::default();
    for before in [
        "\\n",
        "\\u000a",
        "%0A",
        "\u{1b}[31m",
        "\\u001b[1;31m",
        "\"",
        "=",
        "\\\\n\\n",
    ] {
        assert!(
            !redactor.redact(&format!("x{before}{key} y")).contains("Ab3d"),
            "{before}"
        );
    }
}

#[test]
fn json_stays_json_where_a_secret_stands_outside_of_strings() {
    let redactor = Redactor::new(["12345678", "nfoobarbaz", "endswith\\", "a\": \"bcdef"]);
    for (text, expected) in [
        (
            r#"{"n":12345678,"m":[912345678.5]}"#,
            r#"{"n":"***","m":["***"]}"#,
        ),
        (r#"{"k":"\nfoobarbaz"}"#, r#"{"k":"***"}"#),
        (r#"{"k":"\\nfoobarbaz"}"#, r#"{"k":"\\***"}"#),
        (r#"{"k":"endswith\"x"}"#, r#"{"k":"***x"}"#),
        (r#"{"xa": "bcdefy"}"#, r#"{"x***": "***y"}"#),
        (
            "{\"a\":\"12345678\"}\n{\"a\":1}\n",
            "{\"a\":\"***\"}\n{\"a\":1}\n",
        ),
    ] {
        assert_eq!(redactor.redact(text), expected);
    }
    let deep = format!("{}12345678{}", "[".repeat(300), "]".repeat(300));
    assert_eq!(redactor.redact(&deep), deep.replace("12345678", "\"***\""));
}

#[test]
fn overlapping_secrets_go_together() {
    let redactor = Redactor::new(["abcdefghij", "ghijklmnop"]);
    assert_eq!(redactor.redact("x abcdefghijklmnop y"), "x *** y");
    assert_eq!(in_pieces(&redactor, "x abcdefghijklmnop y", 9), "x *** y");
}

#[test]
fn no_cut_lets_a_secret_out_of_a_stream() {
    let redactor = Redactor::new([CANARY, PLAIN]);
    let mut secrets: Vec<String> = forms(CANARY).into_iter().map(|(_, form)| form).collect();
    secrets.extend(tokens());
    secrets.push(pem("\n"));
    for secret in &secrets {
        let text = format!("say {secret} end \\");
        let whole = redactor.redact(&text).into_owned();
        assert!(!whole.contains(secret.as_str()));
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            assert_eq!(in_pieces(&redactor, &text, cut), whole, "cut at {cut} of {text}");
        }
        let mut stream = redactor.stream();
        let by_letter: String = text
            .chars()
            .map(|letter| stream.push(&letter.to_string()))
            .collect();
        assert_eq!(by_letter + &stream.finish(), whole);
    }
}

#[test]
fn a_stream_holds_back_little_and_masks_what_never_ends() {
    let mut stream = Redactor::default().stream();
    let mut out = stream.push("start AIza");
    for _ in 0..200 {
        out += &stream.push(&"x1".repeat(200));
        assert!(stream.buffered_bytes() <= RedactStream::HELD + 1024);
    }
    out += &stream.push(" end. More");
    assert_eq!(out + &stream.finish(), "start *** end. More");

    let mut stream = Redactor::default().stream();
    let mut out = stream.push("-----BEGIN PRIVATE KEY-----\n");
    for _ in 0..2000 {
        out += &stream.push("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n");
    }
    assert_eq!(out + &stream.push("!") + &stream.finish(), "***!");
}

#[test]
fn debug_output_names_no_secret() {
    let redactor = Redactor::new([PLAIN]);
    assert!(!format!("{redactor:?}").contains("hunter2"));
}

/// A careless scanner would be quadratic here and run into the test runner's limit.
#[test]
fn hostile_text_is_scanned_to_its_end() {
    let redactor = Redactor::new(["aaaaaaaaaaaaaaab"]);
    for piece in [
        "sk-",
        "eyJ",
        "a",
        "-----BEGIN PRIVATE KEY-----",
        "%61",
        "\\",
        "bearer ",
        "AIzaSy0",
        "eyJaaaaaaaa.bbbb.c",
    ] {
        let text = piece.repeat(120_000 / piece.len());
        let marked = format!("{text} aaaaaaaaaaaaaaab");
        assert!(!redactor.redact(&marked).contains("aaaaaaaaaaaaaaab"), "{piece}");
    }
}

fn in_pieces(redactor: &Redactor, text: &str, cut: usize) -> String {
    let mut stream = redactor.stream();
    let out = stream.push(&text[..cut]) + &stream.push(&text[cut..]);
    out + &stream.finish()
}
