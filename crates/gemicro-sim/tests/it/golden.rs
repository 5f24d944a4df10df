//! Transcripts in `golden/`: every request and the whole response. `GEMICRO_UPDATE_GOLDEN=1` writes them anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::client::{Answer, Ended, KEY, open, read, start};

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
