//! The classes of characters against Unicode's own tables, and the helpers.

use regex_syntax::hir::{Class, HirKind};

use super::*;

/// All characters of a class, as Unicode's tables have it.
fn class(pattern: &str) -> impl Fn(char) -> bool {
    let hir = regex_syntax::parse(pattern).expect("a class");
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
        panic!("{pattern} is no class");
    };
    let ranges: Vec<(char, char)> = class.iter().map(|range| (range.start(), range.end())).collect();
    move |c| ranges.iter().any(|(start, end)| (*start..=*end).contains(&c))
}

#[test]
fn the_classes_are_those_of_unicode() {
    let ignorable = class(r"\p{Default_Ignorable_Code_Point}");
    let format = class(r"[\p{Cf}--\p{Prepended_Concatenation_Mark}]");
    let bidi = class(r"\p{Bidi_Control}");
    let separators = class(r"[\p{Zl}\p{Zp}]");
    for c in '\0'..=char::MAX {
        assert_eq!(is_invisible(c), ignorable(c) || format(c), "{c:?}");
        assert_eq!(is_turning(c), bidi(c), "{c:?}");
        assert!(!separators(c) || is_line_end(c), "{c:?}");
        let is_shown = !c.is_control() && !separators(c) && !is_invisible(c);
        assert_eq!(is_hidden(c), !is_shown && !is_emoji_selector(c), "{c:?}");
    }
}

#[test]
fn a_table_of_characters() {
    // Category, a character, then whether it is invisible and whether it is hidden.
    for (category, c, invisible, hidden) in [
        ("letter", 'é', false, false),
        ("combining mark", '\u{301}', false, false),
        ("no-break space", '\u{a0}', false, false),
        ("control", '\u{1b}', false, true),
        ("control of Latin-1", '\u{9b}', false, true),
        ("line separator", '\u{2028}', false, true),
        ("zero-width space", '\u{200b}', true, true),
        ("zero-width joiner", '\u{200d}', true, true),
        ("word joiner", '\u{2060}', true, true),
        ("byte order mark", '\u{feff}', true, true),
        ("soft hyphen", '\u{ad}', true, true),
        ("grapheme joiner", '\u{34f}', true, true),
        ("right-to-left override", '\u{202e}', true, true),
        ("isolate", '\u{2066}', true, true),
        ("Arabic letter mark", '\u{61c}', true, true),
        ("deprecated format", '\u{206a}', true, true),
        ("Mongolian vowel separator", '\u{180e}', true, true),
        ("Hangul filler", '\u{3164}', true, true),
        ("annotation anchor", '\u{fff9}', true, true),
        ("variation selector", '\u{fe00}', true, true),
        ("emoji selector", '\u{fe0f}', true, false),
        ("ideographic selector", '\u{e0100}', true, true),
        ("tag", '\u{e0041}', true, true),
        ("Arabic number sign, which is drawn", '\u{600}', false, false),
    ] {
        assert_eq!((is_invisible(c), is_hidden(c)), (invisible, hidden), "{category}");
    }
}

#[test]
fn texts_become_short_lines() {
    assert_eq!(
        plain("a\u{1b}[2J\u{202e}b\u{e0041}\n❤\u{fe0f}c", 7),
        "a[2Jb❤\u{fe0f}"
    );
    assert_eq!(one_line("  a\tb \u{2028} c\r\n"), "a b c");
    for (text, shown) in [("", ""), ("äöü", "äöü"), ("äö üa", "äö…"), ("äöüa", "äöü…")] {
        assert_eq!(shortened(text, 3), shown);
    }
    for (n, first, last) in [
        (0, "", ""),
        (1, "a", ""),
        (2, "a", "ü"),
        (3, "aö", "ü"),
        (9, "aöü", "aöü"),
    ] {
        assert_eq!(
            (first_bytes("aöü", n), last_bytes("aöü", n)),
            (first, last),
            "{n}"
        );
    }
    assert_eq!(excerpt("a\u{1b}[2Jb\n c"), "a [2Jb c");
    assert_eq!(excerpt(" \0\n"), "(nothing)");
    assert_eq!(excerpt(&"ü".repeat(1_000)), format!("{}…", "ü".repeat(150)));
}
