//! Answers of our own making, one line each: what is easy to get wrong, and what somebody could try.
//!
//! `@` stands for the tag line of the step, `FENCE` for a closing fence.

use gemicro_pipeline::payload::{Nonce, PayloadReading, PayloadShape, example, marks, read, tag_line};

const NONCE: &str = "4f1c09ab77de2350";

fn reading(shape: PayloadShape, answer: &str) -> PayloadReading {
    let nonce: Nonce = NONCE.parse().unwrap();
    let answer = answer.replace('@', &tag_line(&nonce)).replace("FENCE", "```");
    read(&answer, shape, &nonce)
}

/// The state, `+` when tagged, the decision, and the marks.
pub(crate) fn describe(shape: PayloadShape, answer: &str) -> String {
    let reading = reading(shape, answer);
    let found = marks(&reading);
    let mut words = format!(
        "{}{}",
        reading.state.as_str(),
        if reading.tagged { "+" } else { "" }
    );
    if let Some(payload) = &reading.payload {
        words = format!("{words} {}", payload.decision().word());
    }
    for (is_set, name) in [
        (found.gate, "gate"),
        (found.path, "path"),
        (found.honesty, "honesty"),
        (found.backlog, "backlog"),
    ] {
        if is_set {
            words = format!("{words} {name}");
        }
    }
    words
}

pub(crate) fn check(shape: PayloadShape, rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .map(|(answer, expected)| (answer, describe(shape, answer), expected))
        .filter(|(_, found, expected)| found != *expected)
        .map(|(answer, found, expected)| format!("{answer:?}\n  expected {expected}\n  found    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

pub(crate) const YES: &str = "ok+ APPROVE";
pub(crate) const NO: &str = "ok+ REJECT";

#[test]
fn tag_lines() {
    check(
        PayloadShape::PlanReviewer,
        &[
            ("@\n{\"verdict\":\"APPROVE\"}\nFENCE", YES),
            ("@\r\n{\"verdict\":\"APPROVE\"}\r\nFENCE\r\n", YES),
            (
                "``` json \t gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                YES,
            ),
            (
                "`````jSoN gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```\n`````",
                "unparsed+",
            ),
            (
                "```jsongemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                "missing",
            ),
            (
                "```json\u{a0}gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                "missing",
            ),
            (
                "```json GEMICRO:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                "missing",
            ),
            (
                "```json gemicro: 4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                "missing",
            ),
            (
                "```json5 gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n```",
                "missing",
            ),
            (
                "~~~~ json gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n~~~~",
                "missing",
            ),
            (
                "``json gemicro:4f1c09ab77de2350\n{\"verdict\":\"APPROVE\"}\n``",
                "ok APPROVE gate",
            ),
            ("> @\n> {\"verdict\":\"APPROVE\"}\n> FENCE", "missing"),
            ("- @\n  {\"verdict\":\"APPROVE\"}\n  FENCE", "ok APPROVE gate"),
            // A foreign block ends where ours begins, and ours where a foreign one does.
            ("```x gemicro:old\n@\n{\"verdict\":\"APPROVE\"}\nFENCE", YES),
            (
                "@\n{\"verdict\":\"APPROVE\"}\n~~~gemicro:\n{\"verdict\":\"REJECT\",\"feedback\":\"x\"}\n~~~",
                YES,
            ),
            // The fence of the other kind closes nothing.
            ("@\n{\"verdict\":\"APPROVE\"}\n~~~\nFENCE", "unparsed+"),
            ("~~~markdown\n@\n{\"verdict\":\"APPROVE\"}\nFENCE\n~~~", YES),
        ],
    );
}

#[test]
fn several_blocks_and_later_objects() {
    check(
        PayloadShape::PlanReviewer,
        &[
            (
                "@\n{\"verdict\":\"APPROVE\",\"n\":1}\nFENCE\n@\n{\"n\":1.0,\"verdict\":\"APPROVE\"}\nFENCE",
                YES,
            ),
            (
                "@\n{\"verdict\":\"APPROVE\",\"n\":1}\nFENCE\n@\n{\"verdict\":\"APPROVE\",\"n\":2}\nFENCE",
                "ambiguous+",
            ),
            // Veto: a later object that stands alone takes an APPROVE back, but makes no REJECT of it.
            (
                "@\n{\"verdict\":\"APPROVE\"}\nFENCE\nNo:\n{\"verdict\":\"REJECT\",\"feedback\":\"x\"}",
                "ambiguous+",
            ),
            (
                "@\n{\"verdict\":\"APPROVE\"}\nFENCE\n```json\n{\n\"verdict\":\"REJECT\",\n\"feedback\":\"x\"}\n```\n{\"verdict\":\"APPROVE\"}",
                "ambiguous+",
            ),
            (
                "@\n{\"verdict\":\"APPROVE\"}\nFENCE\nNo: {\"verdict\":\"REJECT\",\"feedback\":\"x\"}",
                YES,
            ),
            (
                "@\n{\"verdict\":\"APPROVE\"}\nFENCE\n{\"verdict\":\"REJECT\"}",
                YES,
            ),
            (
                "{\"verdict\":\"REJECT\",\"feedback\":\"x\"}\n@\n{\"verdict\":\"APPROVE\"}\nFENCE",
                YES,
            ),
            (
                "@\n{\"verdict\":\"REJECT\",\"feedback\":\"x\"}\nFENCE\n{\"verdict\":\"APPROVE\"}",
                NO,
            ),
            (
                "@\n{\"verdict\":\"APPROVE\"}\nFENCE\n{\"verdict\":\"REJECT\",\"feedback\":\"x\"}\n@\n{\"verdict\":\"<APPROVE|REJECT>\"}\nFENCE",
                "ambiguous+",
            ),
        ],
    );
}

#[test]
fn thoughts() {
    check(
        PayloadShape::PlanReviewer,
        &[
            (
                "<reasoning>\n@\n{\"verdict\":\"APPROVE\"}\nFENCE\n</reasoning>",
                "missing",
            ),
            (
                "<think>a</thinking>@\n</think>\n@\n{\"verdict\":\"APPROVE\"}\nFENCE",
                YES,
            ),
            ("<thinker>\n@\n{\"verdict\":\"APPROVE\"}\nFENCE", YES),
            ("@\n{\"verdict\":\"APPROVE\"}\nFENCE\n</thought>\n", "missing"),
            ("@\n{\"verdict\":\"APPROVE\"}\nFENCE\nsaid </thought> there", YES),
        ],
    );
}

#[test]
fn grammar() {
    let block = |body: &str| format!("@\n{body}\nFENCE");
    let rows: Vec<(String, &str)> = [
        ("{\"verdict\":\"APPROVE\"/**/}", YES),
        ("// a\n{\"verdict\":\"APPROVE\"} /* b */", YES),
        ("{\"verdict\":\"APPROVE\"} /* b", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",,}", "unparsed+"),
        ("{,\"verdict\":\"APPROVE\"}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":[,]}", "unparsed+"),
        ("{“verdict”:”APPROVE“}", YES),
        ("{“verdict\":\"APPROVE\"}", "unparsed+"),
        ("{\"verdict\":“APP\"ROVE”}", "unparsed+"),
        (
            "{\"verdict\":\"APPROVE\",\"verd\\u0069ct\":\"REJECT\"}",
            "unparsed+",
        ),
        ("{\"verdict\":\"APPROVE\",\"a\":{\"b\":1,\"b\":1}}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":\"\\ud83d\"}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":\"\\ude80\\ud83d\"}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":\"\\x41\"}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":01}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":1e999}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":-1.5e-3}", YES),
        ("{\"verdict\":\"APPROVE\",\"a\":.5}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":+1}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":NaN}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\"}\u{2028}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\",\"a\":\"\u{1b}\"}", "unparsed+"),
        ("{\"verdict\":\"APPROVE\"}{\"verdict\":\"APPROVE\"}", "unparsed+"),
        ("\u{feff}{\"verdict\":\"APPROVE\"}", YES),
    ]
    .map(|(body, expected)| (block(body), expected))
    .into();
    let rows: Vec<(&str, &str)> = rows
        .iter()
        .map(|(answer, expected)| (answer.as_str(), *expected))
        .collect();
    check(PayloadShape::PlanReviewer, &rows);
}

#[test]
fn depth_and_size_have_sharp_ends() {
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!("@\n{{\"verdict\":\"APPROVE\",\"a\":{open}{close}}}\nFENCE")
    };
    let long = |bytes: usize, before: &str, after: &str| {
        let frame = "{\"verdict\":\"REJECT\",\"feedback\":\"\"}".len();
        let text = "a".repeat(bytes - frame);
        format!("{before}{{\"verdict\":\"REJECT\",\"feedback\":\"{text}\"}}{after}")
    };
    let answers = [
        (deep(64), YES),
        (deep(65), "unparsed+"),
        (deep(60_000), "unparsed+"),
        (long(65_536, "@\n  ", "\t\n\nFENCE"), NO),
        (long(65_537, "@\n", "\nFENCE"), "unparsed+"),
        (long(65_536, "", ""), "ok REJECT"),
        (long(65_537, "", ""), "missing"),
    ];
    for (answer, expected) in answers {
        let start: String = answer.chars().take(40).collect();
        assert_eq!(
            describe(PayloadShape::PlanReviewer, &answer),
            expected,
            "{start} ({})",
            answer.len()
        );
    }
}

#[test]
fn objects_that_stand_alone() {
    check(
        PayloadShape::PlanReviewer,
        &[
            ("  \t{\"verdict\":\"APPROVE\"}\t ", "ok APPROVE gate"),
            ("{\"verdict\":\"APPROVE\"} // sure", "missing"),
            ("+{\"verdict\":\"APPROVE\"}", "missing"),
            ("<b>\n{\"verdict\":\"APPROVE\"}</b>", "missing"),
            ("[1,\n{\"verdict\":\"APPROVE\"}\n]\n", "missing"),
            ("{\"a\":\n{\"verdict\":\"APPROVE\"}\n} and so on\n", "missing"),
            // An attempt that failed hides nothing after its line.
            ("{ broken\n{\"verdict\":\"APPROVE\"}\n", "ok APPROVE gate"),
            (
                "[cut,\n{\"verdict\":\"REJECT\",\"feedback\":\"x\"}\n",
                "ok REJECT",
            ),
            ("{\"verdict\":\n```\n\"APPROVE\"}\n", "missing"),
            ("{\"verdict\":\"APPROVE\",\"verdict\":\"APPROVE\"}\n", "missing"),
            ("{\"verdict\":\"<APPROVE|REJECT>\"}\n", "missing"),
            ("判定：承認\n{\"verdict\":\"APPROVE\"}。\n", "missing"),
        ],
    );
}

#[test]
fn the_example_of_a_prompt_is_never_an_answer() {
    for shape in PayloadShape::ALL {
        let object = example(shape);
        assert_eq!(
            describe(shape, &format!("@\n{object}\nFENCE")),
            "schema_mismatch+",
            "{object}"
        );
        assert_eq!(describe(shape, &object), "missing", "{object}");
    }
    assert_eq!(
        example(PayloadShape::PlanReviewer),
        r#"{"verdict":"<APPROVE|REJECT>","feedback":"<needed for REJECT>"}"#
    );
}
