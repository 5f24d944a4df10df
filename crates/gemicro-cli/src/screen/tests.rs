//! Tests of texts and numbers on the screen.

use super::{numbers, text};

#[test]
fn no_text_moves_the_cursor() {
    assert_eq!(
        text::neutral("a\x1b[2Jb\u{9b}c\u{202e}d\x7f\r\n\te"),
        "a␛[2Jb�c�d␡␍\n\te"
    );
    assert_eq!(text::one_line("a\n b\t\x07c"), "a b ␇c");
}

#[test]
fn no_text_hides_in_another() {
    let hidden = "a\u{200b}\u{200c}\u{200d}\u{2060}\u{2063}\u{feff}\u{ad}\u{34f}\u{180e}\u{3164}b\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{fe01}c";
    assert_eq!(text::neutral(hidden), "abc");
    assert_eq!(text::one_line(hidden), "abc");
    assert_eq!(text::cut(hidden, 3), "abc");
    let shown = "naïve e\u{301} ☀\u{fe0f} 漢字";
    assert_eq!(text::neutral(shown), shown);
}

#[test]
fn cuts_by_columns_not_by_characters() {
    for (given, columns, expected) in [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("exactly ten", 9, "exactly…"),
        ("漢字漢字", 5, "漢字…"),
    ] {
        let cut = text::cut(given, columns);
        assert_eq!(cut, expected);
        assert!(text::width(&cut) <= columns);
    }
}

#[test]
fn wraps_lists_with_a_hanging_indent_and_leaves_code_alone() {
    let given =
        "one two three four\n- five six seven eight\n12. nine ten eleven\n```\nlong line of code stays\n```";
    let expected = "one two three\nfour\n- five six\n  seven eight\n12. nine ten\n    eleven\n```\nlong line of code stays\n```";
    assert_eq!(text::wrap_markdown(given, 13), expected);
}

#[test]
fn numbers_read_well() {
    assert_eq!(
        ["0", "999", "1,247", "12,345,678"],
        [0, 999, 1247, 12_345_678]
            .map(numbers::thousands)
            .each_ref()
            .map(String::as_str)
    );
    assert_eq!(
        ["0.0s", "23.4s", "2m 05s", "3h 07m"],
        [9, 23_400, 125_000, 11_220_000]
            .map(numbers::duration)
            .each_ref()
            .map(String::as_str)
    );
    assert_eq!(
        ["512 B", "1.2 kB", "48 kB", "1.5 GB"],
        [512, 1_234, 48_000, 1_500_000_000]
            .map(numbers::bytes)
            .each_ref()
            .map(String::as_str)
    );
    assert_eq!(
        ["$0.00", "$0.0123", "$1.50"],
        [0, 12_300, 1_500_000]
            .map(gemicro_event::money)
            .each_ref()
            .map(String::as_str)
    );
    assert_eq!(numbers::count(1, "sub-query"), "1 sub-query");
    assert_eq!(numbers::count(2, "sub-query"), "2 sub-queries");
}

#[test]
fn sizes_and_ages_are_read_or_refused() {
    assert_eq!(numbers::parse_bytes("1.5G"), Ok(1_500_000_000));
    assert_eq!(numbers::parse_bytes("500MB"), Ok(500_000_000));
    assert_eq!(numbers::parse_age("30d").map(|age| age.as_secs()), Ok(2_592_000));
    for bad in ["", "d", "x", "-1", "1parsec", "99999999999999999999d"] {
        assert!(numbers::parse_age(bad).is_err(), "{bad}");
    }
    for bad in ["", "G", "-1G", "NaN", "inf"] {
        assert!(numbers::parse_bytes(bad).is_err(), "{bad}");
    }
}

#[test]
fn commands_and_addresses_are_not_broken_and_paths_are_at_folders() {
    for (line, wrapped) in [
        ("do `git fetch a b` then go", "do\n`git fetch a b`\nthen go"),
        ("do (`git fetch a`) and go on", "do\n(`git fetch a`)\nand go on"),
        // A mark that nothing closes is none.
        ("it ` is no mark at all", "it ` is no\nmark at all"),
        ("`a` and `b` and `c d`", "`a` and `b`\nand `c d`"),
        ("- in /aa/bb/cc/dd/ee/ff", "- in\n  /aa/bb/cc/\n  dd/ee/ff"),
        ("/a-name-without-end/b c", "/a-name-without-end/b\nc"),
        ("at https://a/b/c/d/e", "at\nhttps://a/b/c/d/e"),
    ] {
        assert_eq!(text::wrap_markdown(line, 12), wrapped, "{line}");
    }
}
