//! Which entries a prompt is given.

use gemicro_event::Timestamp;

use super::{find, select};
use crate::entry::{EntryAuthor, MemoryEntry, MemoryKind};
use crate::memory::Memory;

fn entry(text: &str, second: i64) -> MemoryEntry {
    let at = Timestamp::from_millis(second * 1_000);
    Memory::default().new_entry((MemoryKind::Lesson, text), EntryAuthor::User, None, at)
}

fn selected<'e>(entries: &'e [MemoryEntry], about: &str, quota: u64) -> Vec<&'e str> {
    select(entries, about, quota)
        .iter()
        .map(|it| it.text.as_str())
        .collect()
}

#[test]
fn pinned_ones_come_first_then_relevance_then_time() {
    let entries = [
        entry("Parsers are tested by fuzzing.", 1),
        entry("The parser reads numbers as text.", 2),
        entry("A parser test needs a fixture.", 3),
        entry("The server listens on port 8080.", 4),
        MemoryEntry {
            pinned: true,
            ..entry("Never push.", 0)
        },
    ];
    let about = "Fix the parser so that the tests of numbers pass.";
    let expected = [
        "Never push.",
        "A parser test needs a fixture.",
        "The parser reads numbers as text.",
        "Parsers are tested by fuzzing.",
    ];
    assert_eq!(selected(&entries, about, 1_000), expected);
    let mut turned = entries.clone();
    turned.reverse();
    assert_eq!(selected(&turned, about, 1_000), expected);
}

#[test]
fn the_quota_holds_and_a_long_entry_does_not_stop_a_short_one() {
    let entries = [
        entry(&format!("The parser {}.", "is long ".repeat(100)), 2),
        entry("The parser is short.", 1),
    ];
    assert_eq!(selected(&entries, "the parser", 20), ["The parser is short."]);
    assert_eq!(selected(&entries, "the parser", 0), Vec::<&str>::new());
    assert_eq!(selected(&entries, "the parser", 10_000).len(), 2);
}

#[test]
fn entries_are_found_by_their_words() {
    let (one, two) = (
        entry("Tests of the parser are slow.", 1),
        entry("The server is slow.", 2),
    );
    let found = |words| {
        let found = find(&[&one, &two], words);
        found.iter().map(|it| it.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(found("slow testing"), [one.text.as_str(), two.text.as_str()]);
    assert_eq!(found("the"), Vec::<&str>::new());
}
