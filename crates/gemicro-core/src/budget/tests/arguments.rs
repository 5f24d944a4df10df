//! Limits as arguments: how they are read, printed and refused.

use super::super::{Limits, LimitsError};
use super::NONE;

#[test]
fn arguments_are_read_and_printed() {
    for (text, limits, printed) in [
        (
            "50k",
            Limits {
                tokens: Some(50_000),
                ..NONE
            },
            "50k",
        ),
        (
            "1.5M",
            Limits {
                tokens: Some(1_500_000),
                ..NONE
            },
            "1500k",
        ),
        (
            "2M",
            Limits {
                tokens: Some(2_000_000),
                ..NONE
            },
            "2M",
        ),
        (
            "20000",
            Limits {
                tokens: Some(20_000),
                ..NONE
            },
            "20k",
        ),
        (
            "123",
            Limits {
                tokens: Some(123),
                ..NONE
            },
            "123",
        ),
        (
            "$0.50",
            Limits {
                micro_usd: Some(500_000),
                ..NONE
            },
            "$0.50",
        ),
        (
            "$2",
            Limits {
                micro_usd: Some(2_000_000),
                ..NONE
            },
            "$2",
        ),
        (
            "$0.000001",
            Limits {
                micro_usd: Some(1),
                ..NONE
            },
            "$0.000001",
        ),
        (
            "10m",
            Limits {
                wall_ms: Some(600_000),
                ..NONE
            },
            "10m",
        ),
        (
            "90s",
            Limits {
                wall_ms: Some(90_000),
                ..NONE
            },
            "1m30s",
        ),
        (
            "1h30m",
            Limits {
                wall_ms: Some(5_400_000),
                ..NONE
            },
            "1h30m",
        ),
        (
            "1.5h",
            Limits {
                wall_ms: Some(5_400_000),
                ..NONE
            },
            "1h30m",
        ),
        (
            "250ms",
            Limits {
                wall_ms: Some(250),
                ..NONE
            },
            "250ms",
        ),
        (
            "12turns",
            Limits {
                turns: Some(12),
                ..NONE
            },
            "12turns",
        ),
        (
            " 50k, $1 ,1turn",
            Limits {
                tokens: Some(50_000),
                micro_usd: Some(1_000_000),
                turns: Some(1),
                ..NONE
            },
            "50k,$1,1turns",
        ),
        ("unlimited", NONE, "unlimited"),
    ] {
        assert_eq!(text.parse::<Limits>(), Ok(limits), "{text}");
        assert_eq!(limits.to_string(), printed);
        assert_eq!(printed.parse::<Limits>(), Ok(limits));
    }
}

#[test]
fn wrong_arguments_are_refused_with_the_text_and_an_example() {
    let sort = |error: &LimitsError| match error {
        LimitsError::Unreadable { .. } => "unreadable",
        LimitsError::Zero { .. } => "zero",
        LimitsError::Negative { .. } => "negative",
        LimitsError::TooFine { .. } => "fine",
        LimitsError::TooLarge { .. } => "large",
        LimitsError::Duplicate { .. } => "duplicate",
    };
    for (text, expected) in [
        ("", "unreadable"),
        ("k", "unreadable"),
        ("$", "unreadable"),
        ("5 0k", "unreadable"),
        ("50kk", "unreadable"),
        ("1e5", "unreadable"),
        ("0x10", "unreadable"),
        ("1.k", "unreadable"),
        (".5k", "unreadable"),
        ("5€", "unreadable"),
        ("٣k", "unreadable"),
        ("30m1h", "unreadable"),
        ("1m1m", "unreadable"),
        ("1h30", "unreadable"),
        ("+5k", "unreadable"),
        ("0", "zero"),
        ("$0.00", "zero"),
        ("0s", "zero"),
        ("0turns", "zero"),
        ("-5k", "negative"),
        ("$-1", "negative"),
        ("-$1", "negative"),
        ("1.5", "fine"),
        ("1.2345k", "fine"),
        ("$0.0000001", "fine"),
        ("0.5turns", "fine"),
        ("99999999999999999999", "large"),
        ("9007199254740992", "large"),
        ("99999999999M", "large"),
        ("$99999999999999", "large"),
        ("9999999999999h", "large"),
        ("50k,20k", "duplicate"),
    ] {
        let error = text.parse::<Limits>().expect_err(text);
        assert_eq!(sort(&error), expected, "{text}: {error}");
        assert!(
            sort(&error) == "duplicate" || error.to_string().contains(&format!("`{text}`")),
            "{error}"
        );
    }
    let twice = Limits::merge_all(["$1", "50k", "$2"].map(|text| text.parse().unwrap()));
    assert_eq!(
        twice.unwrap_err().to_string(),
        "two limits on money, $1 and $2: give one"
    );
}
