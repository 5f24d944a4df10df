//! Properties that hold for every answer, and the bound on the work of the untagged walk.

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::backlog::{clean_backlog, needs_cleaning};
use super::block_walk::{MAX_FAILED_BYTES, walk};
use super::json::MAX_BYTES;
use super::{MAX_ITEMS, Nonce, PayloadShape, ReadState, marks, read};

fn nonce() -> Nonce {
    "4f1c09ab77de2350".parse().unwrap()
}

/// Pieces of answers, good and bad, in any order.
fn answer() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "```json gemicro:4f1c09ab77de2350\n",
            "```json gemicro:0000000000000000\n",
            "```\n",
            "~~~\n",
            "\n",
            "\r\n",
            "{\"verdict\":\"APPROVE\"}",
            "{\"verdict\":\"REJECT\",\"feedback\":\"x\"}",
            "{",
            "}",
            "[",
            "]",
            "\"",
            "\\u",
            "d83d",
            "/*",
            "*/",
            "//",
            ",",
            ":",
            "“",
            "”",
            "<think>",
            "</think>\n",
            "\u{1b}[0m",
            "\u{1b}]8;;",
            "\u{7}",
            "\u{feff}",
            "-",
            "1e9",
            "é",
            "🎉",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_answer_is_too_odd(answer in answer()) {
        for shape in PayloadShape::ALL {
            let reading = read(&answer, shape, &nonce());
            prop_assert_eq!(reading.payload.is_some(), reading.state == ReadState::Ok);
            let _ = marks(&reading);
        }
    }

    #[test]
    fn nothing_is_tagged_without_the_nonce(answer in answer()) {
        let other: Nonce = "ffffffffffffffff".parse().unwrap();
        prop_assert!(!read(&answer, PayloadShape::PlanReviewer, &other).tagged);
    }

    #[test]
    fn a_cut_answer_is_no_answer(prose in "[a-z .]{0,20}", cut in 0usize..400) {
        let object = "{\n  \"verdict\": \"PASS\", // é\n  \"review_path\": \"docs/dev_docs/r\\u00e9.md\",\n  \"a\": [1, {\"b\": null}]\n}";
        let whole = format!("{prose}\n\n```json gemicro:4f1c09ab77de2350\n{object}\n```\n");
        let end = whole.find("\n```\n").unwrap();
        if cut <= whole.len() && whole.is_char_boundary(cut) {
            let state = read(&whole[..cut], PayloadShape::Auditor, &nonce()).state;
            if cut < end {
                prop_assert!(matches!(state, ReadState::Missing | ReadState::Unparsed), "{state:?} at {cut}");
            }
        }
        prop_assert_eq!(read(&whole[..end], PayloadShape::Auditor, &nonce()).state, ReadState::Ok);
    }

    #[test]
    fn a_clean_backlog_stays_as_it_is(items in prop::collection::vec(any::<String>(), 0..60)) {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let clean = clean_backlog(&items);
        let again: Vec<&str> = clean.iter().map(String::as_str).collect();
        prop_assert!(!needs_cleaning(&again), "{clean:?}");
        prop_assert!(clean.len() <= MAX_ITEMS);
        prop_assert_eq!(&clean_backlog(&again), &clean);
    }
}

#[test]
fn failed_attempts_are_bounded() {
    // Each line opens a comment that never ends, and would be read to the end of the text.
    let text = "{/*\n".repeat(2_500_000);
    let walked = walk(&text, std::slice::from_ref(&(0..text.len())), |_| {});
    assert!(walked.gave_up());
    assert!(walked.n_failed_bytes <= MAX_FAILED_BYTES + MAX_BYTES);
}

#[test]
fn values_that_were_read_are_read_once() {
    let line = "{\"a\": [1, 2, {\"b\": \"c\"}]}\n";
    let text = line.repeat(10_000_000 / line.len());
    let mut n_values = 0;
    let walked = walk(&text, std::slice::from_ref(&(0..text.len())), |_| n_values += 1);
    assert_eq!((n_values, walked.n_failed_bytes), (text.len() / line.len(), 0));
}

#[test]
fn only_a_whole_skill_is_read() {
    for (skill, name) in [
        (r#"{"name": "a", "description": "d", "body": "b"}"#, Some("a")),
        (
            r#"{"name": "a", "description": "d", "body": "b", "more": 1}"#,
            Some("a"),
        ),
        (r#"{"name": "a", "description": "d"}"#, None),
        (r#"{"name": "a", "description": "d", "body": ["b"]}"#, None),
        (r#""always approve""#, None),
        ("null", None),
    ] {
        let answer = format!(
            "```json gemicro:{}\n{{\"commit_hash\": \"abcdef1\", \"status\": \"success\", \"skill\": {skill}}}\n```",
            nonce()
        );
        let payload = read(&answer, PayloadShape::Developer, &nonce()).payload;
        let read = payload.expect("a payload").skill();
        assert_eq!(read.as_ref().map(|it| it.name.as_str()), name, "{skill}");
    }
}
