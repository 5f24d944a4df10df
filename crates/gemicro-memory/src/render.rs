//! Writes the live entries as Markdown.

use std::fmt::Write;

use gemicro_event::{StreamId, Timestamp};

use crate::blocks::COMMENT;
use crate::entry::MemoryKind;
use crate::memory::Memory;

/// The heading of the file.
pub(crate) const TITLE: &str = "Agent memory";
/// The start of the comment that names the stream and the event that the file shows.
pub(crate) const MARK: &str = "memory ";

/// The file that shows the memory at an event.
pub(crate) fn render(memory: &Memory, (stream, seq): (&StreamId, u64), now: Timestamp) -> String {
    let mut text = format!(
        "# {TITLE}\n\n{COMMENT}{MARK}{stream}@{seq}\nNotes for agents, shown by `gemicro memory`. Change, add or delete \
         list items here;\nthe next `gemicro memory list` or `gemicro run` reads your changes. -->\n"
    );
    let live = memory.live(now);
    for kind in MemoryKind::ALL {
        let mut of_kind = live.iter().filter(|entry| entry.kind == kind).peekable();
        if of_kind.peek().is_some() {
            let _ = write!(text, "\n## {}\n\n", kind.heading());
        }
        for entry in of_kind {
            let pinned = if entry.pinned { " pinned" } else { "" };
            let _ = writeln!(text, "- {} {COMMENT}{}{pinned} -->", entry.text, entry.id);
        }
    }
    text
}
