//! Formats the search result as text for people and models.

use std::fmt::Write;

use gemicro_batch::types::{MemoryOutput, MemoryPlace};
use gemicro_event::text;

use super::{Best, RankedEntry, SearchBounds};

/// Lists the best entries, and what was not searched.
pub(super) fn summary(best: Best, bounds: SearchBounds, mut notes: Vec<String>) -> MemoryOutput {
    if best.has_cut() {
        notes.push(format!(
            "long entries were searched up to {} bytes",
            bounds.entry_bytes
        ));
    }
    let n_found = best.n_found();
    let nothing = match best.keywords() {
        [] => "Nothing is remembered.".to_owned(),
        keywords => format!("Nothing is remembered about {}.", keywords.join(", ")),
    };
    let (mut text, mut sources) = (String::new(), Vec::new());
    for found in best.into_found() {
        let entry = entry_text(sources.len() + 1, &found);
        if text.len() + entry.len() > bounds.summary_bytes {
            break;
        }
        text.push_str(&entry);
        sources.push(found.source);
    }
    if n_found == 0 {
        text = format!("{nothing}\n");
    } else if n_found > sources.len() as u64 {
        notes.insert(0, format!("{} of {n_found} entries are shown", sources.len()));
    }
    if !notes.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "Incomplete: {}.", notes.join("; "));
    }
    MemoryOutput {
        memory_summary: text,
        sources,
    }
}

/// One entry: its location, its title, its excerpt.
fn entry_text(number: usize, found: &RankedEntry) -> String {
    let mut entry = if number > 1 {
        "\n".to_owned()
    } else {
        String::new()
    };
    let source = &found.source;
    let _ = match &source.place {
        MemoryPlace::File { path, line } => write!(entry, "{number}. {path}, line {line}"),
        MemoryPlace::Conversation {
            conversation_id,
            turn,
        } => {
            write!(entry, "{number}. conversation {conversation_id}, turn {turn}")
        }
        MemoryPlace::Run { run_id } => write!(entry, "{number}. run {run_id}"),
    };
    let _ = write!(entry, " ({})", source.at);
    if !found.title.is_empty() {
        let _ = write!(entry, ": {}", text::one_line(&found.title));
    }
    entry.push('\n');
    for line in found.excerpt.lines() {
        let _ = writeln!(entry, "{}", format!("   {line}").trim_end());
    }
    entry
}

#[cfg(test)]
mod tests {
    use gemicro_batch::types::MemoryPlace;
    use gemicro_event::{StreamId, Timestamp};

    use super::summary;
    use crate::memory::{Best, Keywords, SearchBounds, SearchedEntry};

    fn entry(place: MemoryPlace, at: i64, text: &str) -> SearchedEntry {
        SearchedEntry {
            place,
            at: Timestamp::from_millis(at),
            title: String::new(),
            text: text.to_owned(),
        }
    }

    fn line(line: u64) -> MemoryPlace {
        MemoryPlace::File {
            path: "AGENT_MEMORY.md".to_owned(),
            line,
        }
    }

    fn id(text: &str) -> StreamId {
        StreamId::new(text).expect("an id")
    }

    fn summarise(
        keywords: &[&str],
        limit: u32,
        bounds: SearchBounds,
        entries: Vec<SearchedEntry>,
    ) -> (String, usize) {
        let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
        let mut best = Best::new(Keywords::new(&keywords), limit, bounds);
        for entry in entries {
            best.look_at(entry);
        }
        let output = summary(best, bounds, Vec::new());
        (output.memory_summary, output.sources.len())
    }

    #[test]
    fn more_keywords_come_first_and_then_newer_ones() {
        let entries = vec![
            entry(line(4), 9_000, "only OODA, but new"),
            SearchedEntry {
                title: "the   oxidation\nrun".to_owned(),
                ..entry(
                    MemoryPlace::Run { run_id: id("run1") },
                    1_000,
                    "of the ooda loop\n\nas planned",
                )
            },
            entry(line(2), 2_000, "nothing of both"),
            entry(
                MemoryPlace::Conversation {
                    conversation_id: id("talk"),
                    turn: 7,
                },
                3_000,
                "Oxidation",
            ),
        ];
        let (text, n_sources) = summarise(&["ooda", "oxid"], 20, SearchBounds::default(), entries);
        let expected = "1. run run1 (1970-01-01T00:00:01.000Z): the oxidation run\n   of the ooda loop\n\n   as planned\n\n\
                        2. AGENT_MEMORY.md, line 4 (1970-01-01T00:00:09.000Z)\n   only OODA, but new\n\n\
                        3. conversation talk, turn 7 (1970-01-01T00:00:03.000Z)\n   Oxidation\n";
        assert_eq!((text.as_str(), n_sources), (expected, 3));
    }

    #[test]
    fn without_keywords_all_are_reported_the_newest_first() {
        let entries = vec![
            entry(line(2), 5, "b"),
            entry(line(1), 5, "a"),
            entry(line(9), 7, "c"),
        ];
        let (text, _) = summarise(&[], 20, SearchBounds::default(), entries);
        let order: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("   ")).collect();
        assert_eq!(order, ["c", "b", "a"]);
    }

    #[test]
    fn it_says_what_is_not_shown() {
        let entries = || {
            (1..=9)
                .map(|n| entry(line(n), 0, &format!("entry {n} {}", "x".repeat(50))))
                .collect()
        };
        let (text, n_sources) = summarise(&[], 2, SearchBounds::default(), entries());
        assert_eq!(n_sources, 2);
        assert!(
            text.ends_with("\n\nIncomplete: 2 of 9 entries are shown.\n"),
            "{text}"
        );
        let bounds = SearchBounds {
            summary_bytes: 250,
            entry_bytes: 20,
            ..SearchBounds::default()
        };
        let (text, n_sources) = summarise(&["entry"], 20, bounds, entries());
        let note = "Incomplete: 2 of 9 entries are shown; long entries were searched up to 20 bytes.\n";
        assert_eq!(n_sources, 2);
        assert!(text.ends_with(note), "{text}");
    }

    #[test]
    fn it_says_that_there_is_nothing() {
        assert_eq!(
            summarise(&[], 20, SearchBounds::default(), Vec::new()).0,
            "Nothing is remembered.\n"
        );
        let (text, n_sources) = summarise(
            &["moon", "sun"],
            20,
            SearchBounds::default(),
            vec![entry(line(1), 0, "stars")],
        );
        assert_eq!(
            (text.as_str(), n_sources),
            ("Nothing is remembered about moon, sun.\n", 0)
        );
    }
}
