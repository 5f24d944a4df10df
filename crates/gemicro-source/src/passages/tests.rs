//! Cutting long blocks.

use gemicro_core::corpus::BlockKind;

use super::cut::cut;
use super::{HARD_LIMIT, SOFT_LIMIT, cut_passages};
use crate::parse::parse;

fn pieces(text: &str, kind: BlockKind) -> Vec<&str> {
    cut(text, kind).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn long_text_is_cut_at_sentence_ends() {
    let sentence = "Dr. A. Hall of Great St. Mary paid 4.1 crowns (on 4. Mai 2031) to No. 7, e.g. The Mill. ";
    let text = sentence.repeat(60);
    let cut = pieces(text.trim(), BlockKind::Paragraph);
    assert!(cut.len() > 3);
    for piece in cut {
        assert!(
            piece.starts_with("Dr. A.") && piece.ends_with("The Mill."),
            "{piece}"
        );
        assert!(piece.len() <= SOFT_LIMIT);
    }
    let text = "寰屿仓库位于北岸。".repeat(100);
    assert!(
        pieces(&text, BlockKind::Paragraph)
            .iter()
            .all(|piece| piece.ends_with('。'))
    );
}

#[test]
fn a_long_sentence_stays_whole_up_to_the_hard_limit() {
    let long = "word ".repeat(500);
    let text = format!("Short. A {}. Short.", long.trim());
    let cut = pieces(&text, BlockKind::Paragraph);
    assert_eq!((cut.len(), cut[0], cut[2]), (3, "Short.", "Short."));
    let text = "word ".repeat(5_000);
    for piece in pieces(text.trim(), BlockKind::Paragraph) {
        assert!(piece.len() <= HARD_LIMIT && piece.starts_with("word") && piece.ends_with("word"));
    }
    assert!(pieces(&"é".repeat(10_000), BlockKind::Paragraph).len() >= 5);
}

#[test]
fn code_is_cut_at_line_ends_and_short_items_stay_apart() {
    let text = "let a = b. C;\n".repeat(200);
    assert!(
        pieces(text.trim(), BlockKind::Code)
            .iter()
            .all(|piece| piece.ends_with(';'))
    );
    let document = parse("a.md", "# H\n\n- a\n- b\n\n## I\n\nc".to_owned());
    let passages = cut_passages(&document);
    let seen: Vec<_> = passages
        .iter()
        .map(|p| (p.ordinal, p.text.as_str(), p.heading.as_deref()))
        .collect();
    let expected = [
        (0, "H", None),
        (1, "a", Some("H")),
        (2, "b", Some("H")),
        (3, "I", Some("H")),
        (4, "c", Some("I")),
    ];
    assert_eq!(seen, expected);
}
