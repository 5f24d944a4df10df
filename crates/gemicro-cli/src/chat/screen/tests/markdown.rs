//! Markdown as lines.

use super::super::markdown::lay_out;
use super::super::segments::SegmentedText;
use super::Theme;

const THEME: Theme = Theme { has_colour: false };

fn check(source: &str, columns: usize, expected: &str) {
    let lines = lay_out(source, columns, THEME);
    let lines: Vec<String> = lines
        .iter()
        .map(|line| line.to_string().trim_end().to_owned())
        .collect();
    assert_eq!(lines.join("\n"), expected, "{source}");
}

#[test]
fn blocks_stand_apart_and_lists_hang() {
    check(
        "# Head\ntext one\ntwo\n\nthree",
        40,
        "Head\n\ntext one two\n\nthree",
    );
    check(
        "- one two three\n- four\n  1. five six\n  2. seven",
        10,
        "- one two\n  three\n- four\n  1. five\n     six\n  2. seven",
    );
    check("7. a\n8. b", 10, "7. a\n8. b");
    check("- [x] done\n- [ ] open\n-", 20, "- [x] done\n- [ ] open\n-");
    check("> quoted words here", 12, "▎ quoted\n▎ words here");
    check("a\n\n---\n\nb", 4, "a\n\n────\n\nb");
}

#[test]
fn code_is_cut_not_wrapped() {
    check(
        "```rust\nlet a = 1;\n\n  let b = 2;\n```\nend",
        9,
        "  let a =\n   1;\n\n    let b\n   = 2;\n\nend",
    );
    check("```\nnot closed", 20, "  not closed");
    check("a `b c` **d** *e* ~~f~~", 40, "a b c d e f");
}

#[test]
fn links_name_their_address_once() {
    check(
        "[words](https://a.example) <https://b.example>",
        60,
        "words (https://a.example) https://b.example",
    );
    check("![alt](x.png)", 60, "alt (x.png)");
}

#[test]
fn tables_fit() {
    let table = "| name | n |\n|---|--:|\n| a long name | 1 |\n| b | 22 |";
    check(
        table,
        40,
        "name        │  n\n────────────┼───\na long name │  1\nb           │ 22",
    );
    check(
        table,
        12,
        "name    │  n\n────────┼───\na long  │  1\nname    │\nb       │ 22",
    );
    check(table, 4, "name\nn\na\nlong\nname\n1\nb\n22");
}

#[test]
fn nothing_active_comes_through_not_even_spelled_out() {
    check(
        "a\x1b[2Jb &#27;c &#x202e;d\tx `\x07`",
        60,
        "a␛[2Jb ␛c \u{fffd}d    x ␇",
    );
    check("```\n\x1b]0;title\x07\n```", 60, "  ␛]0;title␇");
    check("<b>\x1b</b>", 60, "<b>␛</b>");
}

#[test]
fn a_text_in_pieces_is_the_text() {
    let code = format!("```\n{}```\n", "code line\n".repeat(5_000));
    let prose = "A sentence of some words.\n\n".repeat(1_000);
    let endless = "x".repeat(100_000);
    let text = format!("{prose}{code}{prose}{endless}\n\nend");
    let whole = SegmentedText::new(&text);
    let mut grown = SegmentedText::default();
    for chunk in text.as_bytes().chunks(97) {
        grown.push(std::str::from_utf8(chunk).unwrap());
    }
    assert!(whole.len() > 10);
    assert_eq!(whole.len(), grown.len());
    let mut joined = String::new();
    for idx in 0..whole.len() {
        let (segment, words) = whole.get(idx).unwrap();
        assert_eq!(grown.get(idx), Some((segment, words)));
        assert!(words.len() <= 17 << 10, "{}", words.len());
        assert_eq!(segment.fence.is_some(), words.starts_with("code line"));
        joined.push_str(words);
    }
    assert_eq!(joined, text);
}
