//! Error words and limit texts, as tables.

use chrono::DateTime;
use gemicro_event::ErrorKind;
use proptest::prelude::*;

use super::{Clue, classify, is_terminal_error, wait_ms};

const NOW: &str = "2026-11-15T14:00:00+01:00";
const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

fn kind(http_status: Option<u16>, text: &str) -> ErrorKind {
    classify(Clue { http_status, text })
}

#[test]
fn words_decide_before_the_status() {
    assert_eq!(kind(Some(400), "API key not valid."), ErrorKind::AuthFailed);
    assert_eq!(kind(Some(400), "bad"), ErrorKind::InvalidInput);
    assert_eq!(kind(Some(429), "rate"), ErrorKind::RateLimited);
    assert_eq!(
        kind(Some(429), "You have exhausted your daily quota"),
        ErrorKind::QuotaExhausted
    );
    assert_eq!(kind(Some(529), "overloaded"), ErrorKind::UpstreamError);
    assert_eq!(
        kind(Some(429), "{\"error\":\"budget_exceeded\"}"),
        ErrorKind::BudgetExceeded
    );
    assert_eq!(kind(None, "models/x is not found"), ErrorKind::UnknownModel);
    assert_eq!(
        kind(None, "prompt is too long: 300000 tokens"),
        ErrorKind::InvalidInput
    );
    assert_eq!(kind(None, "something else"), ErrorKind::UpstreamError);
}

#[test]
fn a_status_is_found_in_the_text() {
    assert_eq!(
        kind(None, "unexpected status 401 Unauthorized: bad key"),
        ErrorKind::AuthFailed
    );
    assert_eq!(
        kind(None, "exceeded retry limit, last status: 429"),
        ErrorKind::RateLimited
    );
    assert_eq!(
        kind(None, "API Error: Request rejected (429) · x"),
        ErrorKind::RateLimited
    );
    assert_eq!(
        kind(None, "[API Error: {\"error\":{\"code\":403,\"message\":\"no\"}}]"),
        ErrorKind::AuthFailed
    );
    assert_eq!(kind(None, "took (4290) ms"), ErrorKind::UpstreamError);
}

#[test]
fn limits_say_when_they_end() {
    let now = DateTime::parse_from_rfc3339(NOW).unwrap();
    let cases: &[(&str, Option<u64>)] = &[
        ("Suggested retry after 1s.]", Some(1_000)),
        ("Please retry in 34.074824224s.", Some(34_075)),
        ("Please retry in 500ms", Some(500)),
        ("\"retryDelay\":\"35s\"", Some(35_000)),
        ("retry-after: 30", Some(30_000)),
        (
            "try again in 3 days, 4 hours and 5 minutes.",
            Some(76 * HOUR + 5 * MINUTE),
        ),
        (
            "Your quota will reset after 18h20m5s.",
            Some(18 * HOUR + 20 * MINUTE + 5_000),
        ),
        ("Claude AI usage limit reached|1794751200", Some(HOUR)),
        ("usage limit reached|1794751200000", Some(HOUR)),
        ("usage limit reached|1700000000", Some(0)),
        ("5-hour limit reached ∙ resets 3pm", Some(HOUR)),
        ("You've hit your limit · resets 3pm (Europe/Berlin)", Some(HOUR)),
        (
            "You've hit your limit · resets 3:30pm (UTC)",
            Some(2 * HOUR + 30 * MINUTE),
        ),
        ("resets 1pm", Some(23 * HOUR)),
        ("resets at 12am", Some(10 * HOUR)),
        ("resets at 15:05.", Some(HOUR + 5 * MINUTE)),
        ("weekly limit reached ∙ resets Nov 17, 2pm", Some(48 * HOUR)),
        (
            "or try again at Nov 16th, 2026 2:05 PM.",
            Some(24 * HOUR + 5 * MINUTE),
        ),
        ("try again at 3:05 PM.", Some(HOUR + 5 * MINUTE)),
        ("resets at 2026-11-15T14:00:00Z", Some(HOUR)),
        ("resets Jan 1, 2am", None),
        ("the parser resets 3 counters", None),
        ("nothing to wait for", None),
    ];
    for (text, expected) in cases {
        assert_eq!(wait_ms(text, now), *expected, "{text}");
    }
}

#[test]
fn terminal_errors_are_no_answers() {
    assert!(is_terminal_error("Error: stdin is not a terminal"));
    assert!(is_terminal_error("the input device is not a TTY\n"));
    assert!(is_terminal_error(
        "Raw mode is not supported on the current process.stdin"
    ));
    assert!(is_terminal_error(
        "stty: 'standard input': Inappropriate ioctl for device"
    ));
    assert!(!is_terminal_error(
        "The message \"the input device is not a TTY\" means that docker got -t."
    ));
    assert!(!is_terminal_error("Error handling is done."));
    assert!(!is_terminal_error(&format!(
        "Error: not a tty. {}",
        "Long explanation. ".repeat(30)
    )));
}

proptest! {
    #[test]
    fn no_text_makes_them_panic(text in "\\PC*", http_status: Option<u16>) {
        let now = DateTime::parse_from_rfc3339(NOW).unwrap();
        let _ = kind(http_status, &text);
        let _ = is_terminal_error(&text);
        for lead in ["", "retry in ", "resets ", "try again at nov ", "limit reached|", "{", "status "] {
            let text = format!("{lead}{text}");
            let _ = wait_ms(&text, now);
            let _ = kind(None, &text);
        }
    }

    #[test]
    fn no_number_makes_them_panic(number in "[0-9.:]{0,40}", unit in "(d|h|m|s|ms|pm|am| pm| days)?") {
        let now = DateTime::parse_from_rfc3339(NOW).unwrap();
        for lead in ["retry in ", "resets ", "resets nov ", "|"] {
            let _ = wait_ms(&format!("{lead}{number}{unit}"), now);
        }
    }
}
