//! Timestamps: round trips, other spellings, refusals.

use std::time::Duration;

use gemicro_event::Timestamp;
use proptest::prelude::*;

#[test]
fn other_spellings_are_read() {
    for (text, printed) in [
        ("2026-11-15T09:30:00Z", "2026-11-15T09:30:00.000Z"),
        ("2026-11-15T09:30:00.1Z", "2026-11-15T09:30:00.100Z"),
        ("2026-11-15T09:30:00.123999Z", "2026-11-15T09:30:00.123Z"),
        ("2026-11-15T11:00:00.5+01:30", "2026-11-15T09:30:00.500Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ] {
        assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), printed);
    }
}

#[test]
fn what_is_no_moment_is_refused() {
    for text in [
        "",
        "now",
        "2026-11-15",
        "2026-11-15T09:30:00",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-11-15T25:00:00Z",
        "20261115T093000Z",
        "2026-11-15T09:30:00Z ",
        "1763199000",
        "2026-11-15T09:30:00.Z",
    ] {
        assert!(text.parse::<Timestamp>().is_err(), "{text}");
        assert!(
            serde_json::from_value::<Timestamp>(text.into()).is_err(),
            "{text}"
        );
    }
    assert!(serde_json::from_str::<Timestamp>("1763199000000").is_err());
}

#[test]
fn arithmetic_stays_in_range() {
    let last = Timestamp::from_millis(i64::MAX);
    assert_eq!(last.to_string(), "9999-12-31T23:59:59.999Z");
    assert_eq!(last.plus(Duration::MAX), last);
    assert_eq!(
        Timestamp::from_millis(i64::MIN).to_string(),
        "0000-01-01T00:00:00.000Z"
    );
    assert_eq!(Timestamp::default().since(last), Duration::ZERO);
    assert_eq!(
        Timestamp::from_millis(1500).since(Timestamp::from_millis(500)),
        Duration::from_secs(1)
    );
}

proptest! {
    #[test]
    fn moments_make_the_round_trip_and_sort_as_text(first in any::<i64>(), second in any::<i64>()) {
        let (first, second) = (Timestamp::from_millis(first), Timestamp::from_millis(second));
        prop_assert_eq!(first.to_string().parse::<Timestamp>().unwrap(), first);
        prop_assert_eq!(first.cmp(&second), first.to_string().cmp(&second.to_string()));
    }
}
