//! Shows the tasks of a batch on one screen: those without an output first, with their reasons.

use std::fmt::Write as _;

use gemicro_engine::{BatchAnswer, BatchStatus, ItemAnswer, ItemState};

use crate::commands::batch::gist;
use crate::screen::{Paint, numbers, text};

/// Maximum number of tasks listed.
const MANY: usize = 12;
/// Maximum number of lines of a reason.
const REASON_LINES: usize = 3;
/// Width of the marker and of the space between the columns.
const BETWEEN: usize = 8;

/// The tasks, as many as fit.
pub(super) fn tasks(batch: &BatchAnswer, paint: Paint, columns: usize) -> String {
    let mut shown: Vec<&ItemAnswer> = batch.results.iter().collect();
    let are_many = shown.len() > MANY;
    if are_many {
        shown.sort_by_key(|item| match item.status {
            BatchStatus::Failed => 0,
            BatchStatus::Pending => 1,
            BatchStatus::Completed => 2,
        });
        shown.truncate(MANY);
    }
    let widest = |words: fn(&ItemAnswer) -> &str, most: usize| {
        let widths = shown.iter().map(|item| text::width(words(item)));
        widths.max().unwrap_or(0).min(most)
    };
    let name = widest(|item| &item.task_id, 24);
    let state = widest(|item| item.state.as_str(), 14);
    let room = columns.saturating_sub(BETWEEN + name + state).max(20);
    let mut page = String::new();
    for item in &shown {
        let lines = match item.state {
            ItemState::Failed | ItemState::Rejected | ItemState::Interrupted if !are_many => {
                text::wrap_markdown(&gist(item), room)
            }
            _ => text::cut(&gist(item), room),
        };
        let mut lines = lines.lines().take(REASON_LINES);
        let head = format!(
            "  {} {}  {}  {}",
            mark(item.state, paint),
            text::pad(&text::cut(&item.task_id, name), name),
            text::pad(item.state.as_str(), state),
            lines.next().unwrap_or_default()
        );
        let _ = writeln!(page, "{}", head.trim_end());
        for line in lines {
            let _ = writeln!(page, "{}{line}", " ".repeat(BETWEEN + name + state));
        }
    }
    if batch.results.len() > shown.len() {
        let n_more = batch.results.len() - shown.len();
        let _ = writeln!(page, "  … and {} more", numbers::count(n_more, "task"));
    }
    page
}

/// Whether any task can be retried.
pub(super) fn can_be_retried(batch: &BatchAnswer) -> bool {
    let counts = batch.counts;
    counts.failed + counts.cancelled + counts.expired + counts.skipped + counts.interrupted > 0
}

fn mark(state: ItemState, paint: Paint) -> String {
    match state {
        ItemState::Completed => paint.good("✓"),
        ItemState::Failed
        | ItemState::Cancelled
        | ItemState::Expired
        | ItemState::Rejected
        | ItemState::Interrupted => paint.bad("✗"),
        ItemState::Skipped => paint.warn("-"),
        ItemState::Running => "•".to_owned(),
        ItemState::Queued | ItemState::Parked | ItemState::InputRequired => paint.warn("‖"),
    }
}
