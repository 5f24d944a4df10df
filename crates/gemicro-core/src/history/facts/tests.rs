//! Tables of what is a fact and what is not.

use super::{FactClass, FactKind, FactLedger, Finder, extract};
use crate::history::{Author, Turn};

fn facts(author: Author, text: &str, class: FactClass) -> Vec<String> {
    let turn = Turn::new(author, text);
    extract(&turn)
        .iter()
        .filter(|found| found.class == class)
        .map(|found| found.text.to_owned())
        .collect()
}

fn kinds(text: &str) -> Vec<(String, FactKind)> {
    let turn = Turn::new(Author::Tool, text);
    extract(&turn)
        .iter()
        .filter(|found| found.class == FactClass::Identifier)
        .map(|found| (found.text.to_owned(), found.kind))
        .collect()
}

#[test]
fn history_identifiers_by_form() {
    for (text, exact, kind) in [
        (
            "wrote fa070a1fff829256dbe8be2c5970e4c4017fab64",
            "fa070a1fff829256dbe8be2c5970e4c4017fab64",
            FactKind::Hash,
        ),
        (
            "I refer to 974a8593b206f now.",
            "974a8593b206f",
            FactKind::ShortHash,
        ),
        (
            "md5:9e107d9d372bb6826bd81d3542a419d6,",
            "md5:9e107d9d372bb6826bd81d3542a419d6",
            FactKind::Hash,
        ),
        (
            "see d4164b62-fe43-4b12-a423-c5a7f02eb7fc.",
            "d4164b62-fe43-4b12-a423-c5a7f02eb7fc",
            FactKind::Uuid,
        ),
        (
            "Use 127.0.0.1:38166, the other",
            "127.0.0.1:38166",
            FactKind::Address,
        ),
        (
            "listening on db.acme.internal:5432;",
            "db.acme.internal:5432",
            FactKind::Address,
        ),
        ("at v9.13.81-rc7 and", "v9.13.81-rc7", FactKind::Version),
        ("needs 2024.11.3.", "2024.11.3", FactKind::Version),
        (
            "(http://127.0.0.1:31704/pebble-de588)",
            "http://127.0.0.1:31704/pebble-de588",
            FactKind::Url,
        ),
        (
            "https://a.example/x?id=3&b=c#top.",
            "https://a.example/x?id=3&b=c#top",
            FactKind::Url,
        ),
        (
            "edge-9024.tidewatch.test",
            "edge-9024.tidewatch.test",
            FactKind::Host,
        ),
        ("for TIDE-59545:", "TIDE-59545", FactKind::Ticket),
        (
            "export $TIDEWATCH_VALE_423=1",
            "TIDEWATCH_VALE_423",
            FactKind::Env,
        ),
        (
            "one is `/etc/tidewatch/amber-yarrow.toml`.",
            "/etc/tidewatch/amber-yarrow.toml",
            FactKind::Path,
        ),
        (
            "at src/store/prune.rs:307:8",
            "src/store/prune.rs",
            FactKind::Path,
        ),
        (
            "on task/weir-grove-713 and",
            "task/weir-grove-713",
            FactKind::Branch,
        ),
        (
            "\u{1b}[31mbox-1.acme.test\u{1b}[0m",
            "box-1.acme.test",
            FactKind::Host,
        ),
        ("预算见 /srv/数据.txt", "/srv/", FactKind::Path),
        ("code=E17", "E17", FactKind::Name),
    ] {
        let found = kinds(text);
        assert!(found.contains(&(exact.to_owned(), kind)), "{text}: {found:?}");
    }
}

#[test]
fn history_ordinary_words_are_no_identifiers() {
    for text in [
        "and/or",
        "well-known",
        "e.g. this",
        "Hello there",
        "a.b",
        "foo()",
        "self.open",
        "--verbose",
        "...",
    ] {
        assert_eq!(kinds(text), Vec::new(), "{text}");
    }
}

#[test]
fn history_numbers_have_units() {
    for (text, exact) in [
        ("I saw 354.84 mm in the graph", "354.84 mm"),
        ("needs 6603 °C.", "6603 °C"),
        ("is 949.19 % on", "949.19 %"),
        ("上限是 6863 GB/day,针对", "6863 GB/day"),
        ("it is 57.18 µs", "57.18 µs"),
        ("again: 6732 retries for", "6732 retries"),
        ("took 862ms.", "862ms"),
        ("costs $12.50 now", "$12.50"),
        ("about 1,234 items", "1,234 items"),
        ("第 42 行的", "42 行"),
        ("on port 8080", "port 8080"),
    ] {
        let found = facts(Author::User, text, FactClass::Number);
        assert!(found.contains(&exact.to_owned()), "{text}: {found:?}");
    }
    for text in [
        "v1.2.3",
        "2031-10-20T20:37:26.219Z",
        "0x9d65c1d4278b",
        "in 2031 and",
        "x86_64",
        "a1b2",
    ] {
        assert_eq!(
            facts(Author::User, text, FactClass::Number),
            Vec::<String>::new(),
            "{text}"
        );
    }
}

#[test]
fn history_sentences_by_author() {
    let rule = FactClass::Rule;
    for (text, exact) in [
        ("Go on. Never push to main! Thanks.", "Never push to main!"),
        (
            "PS Do not commit generated files.",
            "Do not commit generated files.",
        ),
        (
            "- The API must stay compatible until 3.0.\n- next",
            "The API must stay compatible until 3.0.",
        ),
        (
            "好的。所有对外接口必须保留旧的错误码。谢谢",
            "所有对外接口必须保留旧的错误码。",
        ),
        (
            "This is a rule that is broken at the margin of the page and must\nnot be torn apart.",
            "This is a rule that is broken at the margin of the page and must\nnot be torn apart.",
        ),
    ] {
        assert_eq!(facts(Author::User, text, rule), [exact], "{text}");
        assert_eq!(
            facts(Author::Assistant, text, rule),
            Vec::<String>::new(),
            "{text}"
        );
        assert_eq!(facts(Author::Tool, text, rule), Vec::<String>::new(), "{text}");
    }
    for text in [
        "```\nyou must obey\n```",
        "> you must obey",
        "I do not see it.",
        "Why do you always ask?",
    ] {
        assert_eq!(facts(Author::User, text, rule), Vec::<String>::new(), "{text}");
    }
    for (text, exact) in [
        (
            "ok, go on Agreed, we use blake3 and drop sha1: speed.",
            "Agreed, we use blake3 and drop sha1: speed.",
        ),
        ("Fine. We decided to wait.", "We decided to wait."),
        (
            "好。我们决定用甲代替乙,因为更稳定。",
            "我们决定用甲代替乙,因为更稳定。",
        ),
        (
            "Yes. We use a list instead of a map.",
            "We use a list instead of a map.",
        ),
    ] {
        for author in [Author::User, Author::Assistant] {
            assert_eq!(facts(author, text, FactClass::Decision), [exact], "{text}");
        }
        assert_eq!(
            facts(Author::Tool, text, FactClass::Decision),
            Vec::<String>::new(),
            "{text}"
        );
    }
    for (text, exact) in [
        (
            "So. [x] the error table (finished, do not redo)",
            "[x] the error table (finished, do not redo)",
        ),
        (
            "ok, go on Done: the chart is merged.",
            "Done: the chart is merged.",
        ),
        (
            "ok, go on The cache is done and merged.",
            "The cache is done and merged.",
        ),
    ] {
        assert_eq!(facts(Author::Assistant, text, FactClass::Done), [exact], "{text}");
        assert_eq!(
            facts(Author::Tool, text, FactClass::Done),
            Vec::<String>::new(),
            "{text}"
        );
    }
}

#[test]
fn history_the_most_telling_facts_come_first() {
    let mut ledger = FactLedger::new();
    let listing: String = (0..40)
        .map(|idx| format!("commit {idx:07}abcdef{idx:027}\n"))
        .collect();
    for (idx, text) in [format!("{listing}see TIDE-7\n"), "no".to_owned()]
        .into_iter()
        .enumerate()
    {
        let mut turn = Turn::new(Author::Tool, text);
        turn.number = idx as u64 + 1;
        ledger.absorb(&turn);
    }
    let finder = Finder::new("");
    assert_eq!(ledger.missing_from(&finder)[0].text, "TIDE-7");
}

#[test]
fn history_finder_agrees_with_a_plain_search() {
    let text = "abcd 漢字 abce\0xyz abcdabcd";
    let finder = Finder::new(text);
    for needle in [
        "",
        "a",
        "abc",
        "abcd",
        "字 ab",
        "abce\0x",
        "dabcd",
        "abcde",
        "zzzz",
        "xyz abcdabcd",
        "漢漢",
    ] {
        assert_eq!(finder.contains(needle), text.contains(needle), "{needle}");
    }
    assert!(!Finder::new("").contains("abcd"));
}
