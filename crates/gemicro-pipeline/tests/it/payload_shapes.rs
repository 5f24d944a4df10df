//! Answers of our own making, by the shape of the payload.
//!
//! `@` is the tag line of the step, `FENCE` a closing fence.

use gemicro_pipeline::payload::PayloadShape;

use crate::payload_table::{NO, YES, check, describe};

#[test]
fn shapes() {
    check(
        PayloadShape::Developer,
        &[
            (
                "@\n{\"status\":\"failed\",\"reason\":\"no compiler\"}\nFENCE",
                "ok+ failed",
            ),
            (
                "@\n{\"status\":\"failed\",\"reason\":\" \"}\nFENCE",
                "schema_mismatch+",
            ),
            (
                "@\n{\"status\":\"failed\",\"reason\":\"<what stopped me>\"}\nFENCE",
                "schema_mismatch+",
            ),
            (
                "@\n{\"status\":\"failed\",\"reason\":\"x\",\"commit_hash\":\"7f3a2b1\"}\nFENCE",
                "schema_mismatch+",
            ),
            (
                "@\n{\"status\":\"failed\",\"reason\":\"x\",\"Reason\":\"y\"}\nFENCE",
                "schema_mismatch+",
            ),
            (
                "@\n{\"status\":\"success\",\"commit_hash\":\"7F3A2B1\"}\nFENCE",
                "ok+ done",
            ),
            (
                "@\n{\"status\":\"success\",\"commit_hash\":\"7f3a2b1g\"}\nFENCE",
                "schema_mismatch+",
            ),
            (
                "@\n{\"status\":\"success\",\"commit_hash\":\"7f3a2b1\",\"STATUS\":1}\nFENCE",
                "schema_mismatch+",
            ),
            ("{\"status\":\"failed\",\"reason\":\"no compiler\"}", "ok failed"),
        ],
    );
    check(
        PayloadShape::LeadAnalyst,
        &[
            (
                "@\n{\"verdict\":\"ESCALATE\",\"feedback\":null,\"backlog_items\":null}\nFENCE",
                "ok+ ESCALATE",
            ),
            ("@\n{\"verdict\":\"REJECT\",\"feedback\":{\"a\":1}}\nFENCE", NO),
            (
                "@\n{\"verdict\":\"APPROVE\",\"feedback\":\" … \"}\nFENCE",
                "schema_mismatch+",
            ),
            ("@\n{\"verdict\":\"APPROVE\\u200b\"}\nFENCE", "schema_mismatch+"),
            (
                "@\n{\"verdict\":\"APPROVE\",\"Feedback\":\"x\"}\nFENCE",
                "schema_mismatch+",
            ),
            ("@\n{\"verdict\":\"APPROVE\",\"status\":\"failed\"}\nFENCE", YES),
        ],
    );
}

#[test]
fn paths_and_backlog() {
    let plan = |path: &str| format!("@\n{{\"plan_path\":\"{path}\"}}\nFENCE");
    let long = format!("docs/dev_docs/{}", "a".repeat(1_011));
    for (path, expected) in [
        ("docs/dev_docs/plans/p.md", "ok+ done"),
        ("docs/dev_docs/p..md", "ok+ done"),
        ("docs/dev_docs/.gitignore", "ok+ done"),
        (&long[..1_024], "ok+ done"),
        (&long, "ok+ done path"),
        ("docs/dev_docs", "ok+ done path"),
        ("docs/dev_docs/", "ok+ done path"),
        ("docs/dev_docs/a/.", "ok+ done path"),
        ("docs/dev_docs/.GIT/config", "ok+ done path"),
        ("Docs/dev_docs/p.md", "ok+ done path"),
        (" docs/dev_docs/p.md", "ok+ done path"),
        ("docs/dev_docs/a\\u0085b.md", "ok+ done path"),
        ("C:/docs/dev_docs/p.md", "ok+ done path"),
    ] {
        assert_eq!(describe(PayloadShape::Architect, &plan(path)), expected, "{path}");
    }
    let items = |items: &str| {
        format!("@\n{{\"plan_path\":\"docs/dev_docs/p.md\",\"backlog_items\":[{items}]}}\nFENCE")
    };
    let (fits, too_long) = ("é".repeat(500), "é".repeat(501));
    for (item, expected) in [
        ("a # b - c > d", "ok+ done"),
        ("2.0 needs a migration", "ok+ done"),
        ("[API] limit the rate", "ok+ done"),
        ("__init__ is empty", "ok+ done"),
        (&fits, "ok+ done"),
        (&too_long, "ok+ done backlog"),
        ("> quoted", "ok+ done backlog"),
        ("  * item", "ok+ done backlog"),
        ("1) first", "ok+ done backlog"),
        ("| a | b |", "ok+ done backlog"),
        ("~~~", "ok+ done backlog"),
        ("[ ] todo", "ok+ done backlog"),
        ("a\\u001bb", "ok+ done backlog"),
        ("a\\u2028b", "ok+ done backlog"),
    ] {
        assert_eq!(
            describe(PayloadShape::Architect, &items(&format!("\"{item}\""))),
            expected,
            "{item}"
        );
    }
    let many = |n_items: usize| items(&vec!["\"a\""; n_items].join(","));
    assert_eq!(describe(PayloadShape::Architect, &many(50)), "ok+ done");
    assert_eq!(describe(PayloadShape::Architect, &many(51)), "ok+ done backlog");
}
