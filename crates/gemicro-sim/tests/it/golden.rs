//! Transcripts in `golden/`: every request and the whole response. `GEMICRO_UPDATE_GOLDEN=1` writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Answer, Ended, KEY, open, read, start, with};

/// One request: method, path, body.
pub(crate) type Ask<'a> = (&'a str, &'a str, &'a str);

/// Headers that are part of the contract.
const HEADERS: &[&str] = &[
    "content-type",
    "retry-after",
    "x-goog-request-id",
    "x-request-id",
    "request-id",
    "x-extra",
];

/// Runs the requests against a fresh simulator and compares the transcript.
pub(crate) async fn check(name: &str, scenario: &str, asks: &[Ask<'_>]) {
    check_with(name, scenario, asks, &[("x-goog-api-key", KEY)]).await;
}

/// The same with other headers.
pub(crate) async fn check_with(name: &str, scenario: &str, asks: &[Ask<'_>], headers: &[(&str, &str)]) {
    let simulator = start(scenario).await;
    let mut transcript = String::new();
    for (method, path, body) in asks {
        let answer = read(open(simulator.addr(), method, path, body, headers).await).await;
        let _ = writeln!(transcript, "> {method} {path}");
        if !body.is_empty() {
            let _ = writeln!(transcript, "> {body}");
        }
        transcript.push_str(&shown(&answer));
    }
    simulator.shutdown().await;
    compare(name, &transcript);
}

/// Faults that every API answers in the same order, each for a whole answer and for a stream: those of `plain`, those
/// that all have, those of `spoilt`. The request is its path, its body and its headers.
pub(crate) async fn check_faults(
    name: &str,
    (path, body, headers): (&str, Value, &[(&str, &str)]),
    plain: &[&str],
    spoilt: &[&str],
) {
    let plain = plain
        .iter()
        .chain(&[
            "{ html: {} }",
            "{ rate_limit: { seconds: 1.5 } }",
            "{ daily_quota: {} }",
        ])
        .map(|fault| format!("  - {{ times: 2, fault: {fault} }}\n"));
    let reply = "{ text: 'one two six', chunks: { sizes: [4] } }";
    let spoilt = [
        "{ cut: { after_chunks: 2 } }",
        "{ cut: { clean: true } }",
        "garbage",
        "empty",
        "{ content_type: text/html }",
        "noise",
        "{ max_tokens: { keep: 1 } }",
    ]
    .iter()
    .chain(spoilt)
    .map(|fault| format!("  - {{ times: 2, reply: {reply}, fault: {fault} }}\n"));
    let faults: Vec<String> = plain.chain(spoilt).collect();
    let scenario = format!("scenario: faults\nrules:\n{}", faults.concat());
    let (whole, streamed) = (body.to_string(), with(body, json!({"stream": true})));
    let pair = [("POST", path, whole.as_str()), ("POST", path, streamed.as_str())];
    check_with(name, &scenario, &pair.repeat(faults.len()), headers).await;
}

fn shown(answer: &Answer) -> String {
    let mut text = format!("< {}\n", answer.status);
    for name in HEADERS {
        for (_, value) in answer.headers.iter().filter(|(found, _)| found == name) {
            let _ = writeln!(text, "< {name}: {value}");
        }
    }
    let _ = writeln!(text, "{}", times_removed(&answer.body).replace('\r', "\\r"));
    match answer.ended {
        Ended::Whole => {}
        Ended::Broken => text.push_str("<<< the connection broke off >>>\n"),
        Ended::Silent => text.push_str("<<< nothing more came >>>\n"),
    }
    text.push('\n');
    text
}

/// `"created":"…"` and its like, without the time.
fn times_removed(body: &str) -> String {
    let mut text = body.to_owned();
    for field in ["\"created\":\"", "\"updated\":\""] {
        let mut from = 0;
        while let Some(start) = text[from..].find(field).map(|place| from + place + field.len()) {
            let end = start
                + text[start..]
                    .find('"')
                    .expect("the simulator and the test are well-formed");
            text.replace_range(start..end, "TIME");
            from = start;
        }
    }
    // Chats and responses have it in seconds, in every frame; models have a fixed one.
    for field in ["\"created\":", "\"created_at\":"] {
        let mut parts = text.split(field);
        let mut without = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            without.push_str(field);
            without.push_str(if rest.len() < part.len() { "SECONDS" } else { "" });
            without.push_str(rest);
        }
        text = without;
    }
    text
}

fn compare(name: &str, found: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/golden")
        .join(format!("{name}.txt"));
    if std::env::var("GEMICRO_UPDATE_GOLDEN").is_ok() {
        std::fs::write(&path, found).expect("the simulator and the test are well-formed");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{} differs; found:\n{found}", path.display());
}
