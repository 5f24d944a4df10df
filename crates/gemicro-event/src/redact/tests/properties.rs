//! Any text, any JSON and any cut: what always holds.

use proptest::prelude::*;
use serde_json::Value;

use super::super::Redactor;
use super::{CANARY, PLAIN, forms, pem, tokens};

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,8}",
        "[\\\\\"/n%u0-9a-f{}\\[\\]:, ]{0,10}",
        proptest::sample::select(tokens()),
        proptest::sample::select(forms(CANARY)).prop_map(|(_, form)| form),
        Just("Authorization: Bearer ".to_owned()),
        Just("x-goog-api-key: ".to_owned()),
        Just(pem("\n")),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
    ]
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        proptest::collection::vec(fragment(), 0..5).prop_map(|parts| Value::from(parts.concat())),
        any::<u32>().prop_map(Value::from),
        Just(Value::from(12_345_678)),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((fragment(), inner), 0..4)
                .prop_map(|pairs| pairs.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn redaction_is_idempotent_and_complete(parts in proptest::collection::vec(fragment(), 0..8), secret in "\\PC{8,14}") {
        let redactor = Redactor::new([CANARY, PLAIN, "12345678", secret.as_str()]);
        let text = parts.concat() + &secret;
        let once = redactor.redact(&text).into_owned();
        prop_assert_eq!(redactor.redact(&once), once.as_str());
        for known in [CANARY, PLAIN, "12345678"] {
            prop_assert!(!once.contains(known));
        }
    }

    #[test]
    fn json_stays_json(value in json(), secret in "[ -~]{8,12}", piece in 0usize..200) {
        let text = value.to_string();
        // A secret cut out of the text itself meets every kind of boundary.
        let start = (0..=piece.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let found: String = text[start..].chars().take(9).collect();
        let redactor = Redactor::new([CANARY, "12345678", secret.as_str(), found.as_str()]);
        let redacted = redactor.redact(&text).into_owned();
        prop_assert!(serde_json::from_str::<Value>(&redacted).is_ok(), "{text} -> {redacted}");
        prop_assert_eq!(redactor.redact(&redacted), redacted.as_str());
    }

    #[test]
    fn streams_agree_with_whole_texts(
        parts in proptest::collection::vec(fragment(), 0..8),
        sizes in proptest::collection::vec(1usize..20, 1..6),
    ) {
        let redactor = Redactor::new([CANARY, PLAIN]);
        // The sentence keeps the whole from being JSON, which streams do not look at.
        let text = format!("text: {}", parts.concat());
        let mut stream = redactor.stream();
        let mut out = String::new();
        let mut letters = text.chars().peekable();
        for size in sizes.iter().cycle() {
            let piece: String = letters.by_ref().take(*size).collect();
            out += &stream.push(&piece);
            if letters.peek().is_none() {
                break;
            }
        }
        prop_assert_eq!(out + &stream.finish(), redactor.redact(&text).into_owned());
    }
}
