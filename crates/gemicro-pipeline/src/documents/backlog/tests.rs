//! What becomes of a backlog.

use proptest::prelude::*;

use super::{BacklogOrigin, add_to_backlog};
use crate::documents::Feature;

fn add(text: Option<&str>, items: &[&str]) -> String {
    let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
    let feature = Feature::parse("dark-mode").unwrap();
    let origin = BacklogOrigin {
        feature: &feature,
        date: "2026-11-16",
        run: "ab12",
        title: "Backlog",
    };
    add_to_backlog(text, &items, origin)
}

const HEADING: &str = "## dark-mode (2026-11-16, run ab12)";

#[test]
fn a_new_backlog_has_a_title() {
    assert_eq!(
        add(None, &["One", "Two"]),
        format!("# Backlog\n\n{HEADING}\n\n- One\n- Two\n")
    );
    assert_eq!(
        add(Some("\n"), &["One"]),
        format!("\n# Backlog\n\n{HEADING}\n\n- One\n")
    );
    assert_eq!(add(None, &[]), "# Backlog\n");
}

#[test]
fn what_is_there_is_kept() {
    let cases = [
        (
            "# Mine\r\n- Old\r\n",
            format!("# Mine\r\n- Old\r\n\n{HEADING}\n\n- New\n"),
        ),
        ("no end", format!("no end\n\n{HEADING}\n\n- Old\n- New\n")),
        (
            "# Backlog\n\n## dark-mode (2026-11-16, run ab12)\n\n- Old\n",
            format!("# Backlog\n\n{HEADING}\n\n- Old\n- New\n"),
        ),
        (
            "# Backlog\n\n## dark-mode (2026-11-16, run ab12)\n\n- Old\n\n## Other\n",
            format!("# Backlog\n\n{HEADING}\n\n- Old\n\n## Other\n\n{HEADING}\n\n- New\n"),
        ),
    ];
    for (before, after) in cases {
        assert_eq!(add(Some(before), &["Old", "New"]), after);
    }
}

#[test]
fn no_item_is_there_twice() {
    let once = add(None, &["Cache the index", "cache  the INDEX.", "Cache the index"]);
    assert_eq!(once, format!("# Backlog\n\n{HEADING}\n\n- Cache the index\n"));
    assert_eq!(add(Some(&once), &["Cache the index"]), once);
    assert_eq!(
        add(Some("* Cache the index"), &["Cache the index"]),
        "* Cache the index\n"
    );
}

#[test]
fn items_become_harmless_lines() {
    let cases = [
        ("# Heading", "Heading"),
        ("> - ## x", "x"),
        ("one\n## two\r\n- three", "one ## two - three"),
        ("```json gemicro:abc", "json gemicro:abc"),
        ("see ```code", "see '''code"),
        ("a <!-- b", "a &lt;!-- b"),
        ("a\u{202e}b\u{2028}c\0", "ab c"),
    ];
    for (item, line) in cases {
        assert_eq!(
            add(None, &[item]),
            format!("# Backlog\n\n{HEADING}\n\n- {line}\n"),
            "{item}"
        );
    }
    for nothing in ["", "  \n", "###", "- > *"] {
        assert_eq!(add(None, &[nothing]), "# Backlog\n", "{nothing}");
    }
    assert_eq!(
        add(None, &[&"x".repeat(10_000)]).len(),
        "# Backlog\n\n\n\n- \n".len() + HEADING.len() + 500
    );
}

proptest! {
    #[test]
    fn the_old_text_is_a_prefix(text in any::<Option<String>>(), items in prop::collection::vec(any::<String>(), 0..5)) {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let after = add(text.as_deref(), &items);
        prop_assert!(after.starts_with(text.as_deref().unwrap_or_default()));
        prop_assert!(after.ends_with('\n'));
        prop_assert_eq!(add(Some(&after), &items), after);
    }
}
