//! Tables of what a turn says, and what a message finds.

use super::{StatementIndex, statements};
use crate::history::{Author, Turn};
use crate::tokens::CautiousCount;

/// The statements of a turn; pasted ones with a bar before them.
fn split(author: Author, text: &str) -> Vec<String> {
    let turn = Turn::new(author, text);
    let found = statements(&turn);
    for statement in &found {
        let end = statement.start + statement.text.len();
        assert_eq!(&turn.text[statement.start..end], statement.text);
    }
    let mark = |is_prose| if is_prose { "" } else { "|" };
    let found = found.iter();
    found
        .map(|statement| format!("{}{}", mark(statement.is_prose), statement.text))
        .collect()
}

#[test]
fn history_turns_are_split_by_their_form() {
    for (text, expected) in [
        ("One. Two! 三。四?", &["One.", "Two!", "三。", "四?"][..]),
        ("Use v1.2 of e.g. serde here.", &["Use v1.2 of e.g. serde here."]),
        (
            "See:\n```\nlet a = 1;\nb. c\n```\nDone.",
            &["See:", "|let a = 1;", "|b. c", "Done."],
        ),
        (
            "# Plan\n1. First. Then\n- [x] second",
            &["Plan", "First.", "Then", "[x] second"],
        ),
        (
            "> quoted words\n| a | b |\n    indented",
            &["|> quoted words", "|| a | b |", "|indented"],
        ),
        (
            "2031-10-20T20:37:26Z WARN late",
            &["|2031-10-20T20:37:26Z WARN late"],
        ),
        (
            "0x9d65c1 0x4931eb 0xb49eae 0x1234",
            &["|0x9d65c1 0x4931eb 0xb49eae 0x1234"],
        ),
        ("a\u{2028}b", &["a", "b"]),
        (" \n---\n", &[]),
    ] {
        assert_eq!(split(Author::User, text), expected, "{text}");
    }
    assert_eq!(
        split(Author::Tool, "You must obey. Now."),
        ["|You must obey. Now."]
    );
    let long = "word ".repeat(400);
    assert!(split(Author::User, &long).iter().all(|part| part.len() <= 600));
}

#[test]
fn history_a_message_finds_statements_by_folded_words() {
    let mut index = StatementIndex::default();
    let texts = [
        "We name seats by row letters.",
        "The kiosk prints in blue.",
        "最终定案:座位用排号命名。",
        "Die Entscheidungen stehen im Protokoll.",
        "Short question: is it covered? The relevant one is TIDE-7.",
    ];
    for (number, text) in (1..).zip(texts) {
        let turn = Turn {
            number,
            ..Turn::new(Author::User, text)
        };
        index.absorb(&turn, &CautiousCount);
    }
    for (message, turn) in [
        ("naming of a seat", 1),
        ("printing kiosks", 2),
        ("座位怎么命名?", 3),
        ("welche Entscheidung?", 4),
        ("what was covered in that question", 5),
    ] {
        let found = index.search(message, 5);
        assert_eq!(
            found.first().map(|statement| statement.turn),
            Some(turn),
            "{message}"
        );
        assert!(
            index
                .search(message, turn - 1)
                .iter()
                .all(|statement| statement.turn < turn)
        );
    }
    // What stands beside it in its turn finds a sentence as well.
    let found = index.search("short question covered", 5);
    assert_eq!(found.iter().filter(|statement| statement.turn == 5).count(), 2);
}
