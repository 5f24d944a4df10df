//! Results that were handed in by the tool `submit_result`, alone and beside what the answer says.

use gemicro_pipeline::payload::{
    ExpectedSubmission, PayloadReading, PayloadShape, ReadState, Submissions, example, marks, read_with,
    tag_line,
};
use serde_json::{Value, json};

const REVIEW: &str = "docs/dev_docs/reviews/r.md";

fn expected(shape: PayloadShape) -> ExpectedSubmission {
    ExpectedSubmission {
        shape,
        nonce: "4f1c09ab77de2350".parse().unwrap(),
    }
}

fn verdict(word: &str) -> Value {
    json!({ "verdict": word, "review_path": REVIEW })
}

fn call(result: &Value) -> String {
    json!({ "nonce": "4f1c09ab77de2350", "result": result }).to_string()
}

/// Reads an auditor's answer beside what it submitted; `@` stands for its tag line.
fn reading(submitted: &[Value], answer: &str) -> PayloadReading {
    let expected = expected(PayloadShape::Auditor);
    let mut submissions = Submissions::default();
    for result in submitted {
        let _ = submissions.submit(&expected, &call(result));
    }
    let answer = answer.replace('@', &tag_line(&expected.nonce));
    read_with(
        &answer,
        submissions.counted_results(),
        expected.shape,
        &expected.nonce,
    )
}

fn read_result(submitted: &[Value], answer: &str) -> (ReadState, Option<&'static str>) {
    let reading = reading(submitted, answer);
    assert!(reading.tagged, "{answer}");
    let word = reading.payload.map(|payload| payload.decision().word());
    (reading.state, word)
}

#[test]
fn a_submission_alone_counts_like_a_block() {
    for word in ["PASS", "FAIL"] {
        assert_eq!(
            read_result(&[verdict(word)], "Done."),
            (ReadState::Ok, Some(word))
        );
    }
    let reading = reading(&[verdict("PASS")], "Done.");
    assert!(!marks(&reading).gate);
}

#[test]
fn a_block_must_say_the_same() {
    let (pass, fail) = (verdict("PASS"), verdict("FAIL"));
    let other_order = r#"{ "review_path": "docs/dev_docs/reviews/r.md", "verdict": "PASS", }"#;
    for (submitted, block, expected) in [
        (
            vec![pass.clone()],
            pass.to_string(),
            (ReadState::Ok, Some("PASS")),
        ),
        (
            vec![pass.clone()],
            other_order.to_owned(),
            (ReadState::Ok, Some("PASS")),
        ),
        (
            vec![pass.clone(), pass.clone()],
            pass.to_string(),
            (ReadState::Ok, Some("PASS")),
        ),
        (vec![pass.clone()], fail.to_string(), (ReadState::Ambiguous, None)),
        (vec![fail.clone()], pass.to_string(), (ReadState::Ambiguous, None)),
        (
            vec![pass.clone()],
            "{\"verdict\": \"PASS\"".to_owned(),
            (ReadState::Ambiguous, None),
        ),
        (
            vec![pass.clone()],
            r#"{"verdict":"PASS","review_path":"docs/dev_docs/reviews/r.md","feedback":"x"}"#.to_owned(),
            (ReadState::Ambiguous, None),
        ),
        // The example of the prompt, repeated, says nothing.
        (
            vec![pass.clone()],
            example(PayloadShape::Auditor),
            (ReadState::Ok, Some("PASS")),
        ),
    ] {
        let answer = format!("Done.\n\n@\n{block}\n```\n");
        assert_eq!(
            read_result(&submitted, &answer),
            expected,
            "{submitted:?} {block}"
        );
    }
}

#[test]
fn two_submissions_that_differ_count_for_nothing() {
    let (pass, fail) = (verdict("PASS"), verdict("FAIL"));
    for submitted in [
        [pass.clone(), fail.clone(), pass.clone()],
        [fail.clone(), pass.clone(), pass.clone()],
    ] {
        assert_eq!(read_result(&submitted, "Done."), (ReadState::Ambiguous, None));
        let answer = format!("@\n{pass}\n```\n");
        assert_eq!(read_result(&submitted, &answer), (ReadState::Ambiguous, None));
    }
}

#[test]
fn a_pass_is_taken_back_by_a_later_object() {
    let fail = verdict("FAIL").to_string();
    assert_eq!(
        read_result(&[verdict("PASS")], &fail),
        (ReadState::Ambiguous, None)
    );
    // What the block says after it, it says for good.
    let answer = format!("{fail}\n\n@\n{}\n```\n", verdict("PASS"));
    assert_eq!(
        read_result(&[verdict("PASS")], &answer),
        (ReadState::Ok, Some("PASS"))
    );
    assert_eq!(
        read_result(&[verdict("FAIL")], "PASS"),
        (ReadState::Ok, Some("FAIL"))
    );
}

#[test]
fn later_rules_hold_for_submissions() {
    let crash =
        json!({ "verdict": "PASS", "review_path": REVIEW, "feedback": { "crash": "it crashed at exit" } });
    assert!(marks(&reading(&[crash], "Done.")).honesty);
    let outside = json!({ "verdict": "PASS", "review_path": "../r.md" });
    assert!(marks(&reading(&[outside], "Done.")).path);
}

#[test]
fn calls_that_cannot_be_taken_say_why() {
    let good = verdict("PASS");
    let with_nonce = |nonce: &Value| json!({ "nonce": nonce, "result": good }).to_string();
    let object = "not one JSON object";
    for (arguments, why) in [
        ("".to_owned(), object),
        ("null".to_owned(), object),
        ("[]".to_owned(), object),
        (format!("{}{}", call(&good), call(&good)), object),
        (
            call(&good).replace("\"verdict\":", "\"verdict\":\"FAIL\",\"verdict\":"),
            object,
        ),
        (
            call(&good).replace("\"result\":", "\"result\":{},\"result\":"),
            object,
        ),
        (
            call(&json!({ "verdict": "PASS", "review_path": "x".repeat(65_536) })),
            object,
        ),
        (format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)), object),
        (json!({ "result": good }).to_string(), "`nonce`"),
        (with_nonce(&json!("4f1c09ab77de2351")), "`nonce`"),
        (with_nonce(&json!("4F1C09AB77DE2350")), "`nonce`"),
        (with_nonce(&json!(" 4f1c09ab77de2350")), "`nonce`"),
        (with_nonce(&json!(null)), "`nonce`"),
        (
            json!({ "nonce": "4f1c09ab77de2350" }).to_string(),
            "`result` is missing",
        ),
        (call(&json!("PASS")), "not an object"),
        (call(&verdict("pass")), "one of PASS, FAIL"),
        (call(&verdict("PASS ")), "one of PASS, FAIL"),
        (call(&verdict("P\u{410}SS")), "one of PASS, FAIL"),
        (call(&json!({ "verdict": "PASS" })), "`review_path`, a path"),
        (
            call(&json!({ "verdict": "PASS", "review_path": "<path of the review>" })),
            "placeholder",
        ),
        (
            call(&json!({ "verdict": "PASS", "Verdict": "FAIL", "review_path": REVIEW })),
            "upper and lower case",
        ),
        (
            call(&json!({ "verdict": "PASS", "review_path": REVIEW, "backlog_items": "x" })),
            "backlog_items",
        ),
        (
            call(&json!({ "verdict": "PASS", "review_path": REVIEW, "lessons": [1] })),
            "lessons",
        ),
        (
            call(&json!({ "verdict": "PASS", "review_path": REVIEW, "feedback": 1 })),
            "feedback",
        ),
    ] {
        let mut submissions = Submissions::default();
        let refusal = submissions.submit(&expected(PayloadShape::Auditor), &arguments);
        let refusal = refusal.unwrap_err();
        assert!(refusal.contains(why), "{arguments:.200}: {refusal}");
        assert!(submissions.counted_results().is_empty());
    }
}

#[test]
fn a_call_that_was_refused_can_be_fixed() {
    let mut submissions = Submissions::default();
    let expected = expected(PayloadShape::Auditor);
    assert!(submissions.submit(&expected, &call(&verdict("ok"))).is_err());
    assert!(submissions.submit(&expected, &call(&verdict("FAIL"))).is_ok());
    assert_eq!(submissions.counted_results(), [verdict("FAIL")]);
}

#[test]
fn what_a_cli_adds_to_a_call_is_no_part_of_the_result() {
    let mut arguments: Value = serde_json::from_str(&call(&verdict("PASS"))).unwrap();
    arguments["wait_for_previous"] = true.into();
    let taken = expected(PayloadShape::Auditor).accept(&arguments.to_string());
    assert_eq!(taken.unwrap(), verdict("PASS"));
}

#[test]
fn a_positive_verdict_opens_a_gate() {
    for (shape, result, expected_to) in [
        (PayloadShape::Auditor, verdict("PASS"), true),
        (PayloadShape::Auditor, verdict("FAIL"), false),
        (PayloadShape::PlanReviewer, json!({ "verdict": "APPROVE" }), true),
        (
            PayloadShape::PlanReviewer,
            json!({ "verdict": "REJECT", "feedback": "x" }),
            false,
        ),
        (
            PayloadShape::Architect,
            json!({ "plan_path": "docs/dev_docs/plans/p.md" }),
            false,
        ),
    ] {
        assert_eq!(expected(shape).opens_gate(&result), expected_to, "{result}");
    }
}

#[test]
fn the_schema_knows_every_shape_and_no_nonce() {
    for shape in PayloadShape::ALL {
        let schema = expected(shape).input_schema();
        let result = &schema["properties"]["result"];
        for key in shape.keys() {
            assert!(result["properties"][key].is_object(), "{shape} {key}");
        }
        assert!(!schema.to_string().contains("4f1c09ab77de2350"));
    }
    let schema = expected(PayloadShape::Developer).input_schema();
    assert_eq!(
        schema["properties"]["result"]["required"],
        json!(["status"]),
        "an honest failure has no commit"
    );
    let failed = json!({ "status": "failed", "reason": "there is no compiler" });
    assert!(expected(PayloadShape::Developer).accept(&call(&failed)).is_ok());
}
