//! Prints one plain line per relevant event on stderr: for logs, pipes and `--verbose`.

use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_event::Event;

use super::board::sources_words;
use super::sub_queries::{SubQueries, SubQueryState};
use super::{RunEnd, RunView};
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, text};

pub(crate) struct LineView {
    verbose: bool,
    sub_queries: SubQueries,
}

impl LineView {
    /// With every event, or only with relevant ones.
    pub(crate) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            sub_queries: SubQueries::default(),
        }
    }

    fn words(&self, event: &Event) -> Option<String> {
        let update = &event.update;
        let words = match update.event_type.as_str() {
            "sources_read" => {
                let read = update.as_sources_read()?;
                format!("[✓] {}", sources_words(read.n_documents, read.n_skipped))
            }
            "decomposition_started" => "[•] Decomposing query...".to_owned(),
            "decomposition_complete" => {
                let complete = update.as_decomposition_complete()?;
                decomposed_words(complete.sub_queries.len(), complete.note.as_deref())
            }
            "synthesis_started" => "[•] Synthesizing results...".to_owned(),
            "final_result" => "[✓] Synthesis complete".to_owned(),
            kind if is_notice(kind) => format!("[!] {}", notice_words(event)),
            _ => return None,
        };
        Some(words)
    }

    fn sub_query_words(&self, id: usize) -> String {
        let (query, standing) = &self.sub_queries.list[id];
        let standing = match standing {
            SubQueryState::Waiting => "waiting".to_owned(),
            SubQueryState::Running => "...".to_owned(),
            SubQueryState::Complete(used) => format!("✓ Complete ({used})"),
            SubQueryState::Failed(reason) => format!("✗ Failed: {}", text::one_line(reason)),
        };
        format!(
            "  [{}/{}] {} {standing}",
            id + 1,
            self.sub_queries.list.len(),
            text::cut(query, 60)
        )
    }
}

impl RunView for LineView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        let changed = self.sub_queries.fold(event);
        if self.verbose {
            output::say(&event_line(event));
            return Ok(());
        }
        if let Some(words) = self.words(event) {
            output::say(&words);
        }
        // The start of a sub-query says nothing that its end does not.
        if let Some(id) = changed.filter(|id| self.sub_queries.list[*id].1 != SubQueryState::Running) {
            output::say(&self.sub_query_words(id));
        }
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        output::say(words);
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), CommandError> {
        Ok(())
    }
}

/// `[✓] Decomposed into 5 sub-queries`, or why the question was not split.
pub(super) fn decomposed_words(n_sub_queries: usize, note: Option<&str>) -> String {
    let parts = numbers::count(n_sub_queries, "sub-query");
    match note {
        None => format!("[✓] Decomposed into {parts}"),
        Some(note) => format!("[•] {parts}: {}", text::one_line(note)),
    }
}

/// Whether an event of this kind gets its own line.
pub(super) fn is_notice(event_type: &str) -> bool {
    let worth = [
        "budget_adjusted",
        "budget_warning",
        "deadline_passed",
        "run_resumed",
        "step_retrying",
        "run_parked",
        "run_woken",
        "step_alarm",
        "source_not_fetched",
    ];
    worth.contains(&event_type)
}

/// The text of a notice; a time is shown without its date.
pub(super) fn notice_words(event: &Event) -> String {
    match event.update.as_run_parked() {
        Some(parked) => {
            let until = numbers::moment(parked.until);
            let time = until.get(11..).unwrap_or(&until);
            format!("Parked until {time} UTC: {}", text::one_line(&parked.reason))
        }
        None => text::one_line(&event.update.message),
    }
}

/// `   12 09:30:00.123 sub_query_completed   Sub-query 1 completed`.
pub(crate) fn event_line(event: &Event) -> String {
    let time = event.update.timestamp.to_string();
    let time = time.get(11..23).unwrap_or(&time);
    let reason = event
        .update
        .as_step_failed()
        .map(|failed| format!(" ({})", failed.error.kind))
        .unwrap_or_default();
    format!(
        "{:>5} {time} {:<24} {}{reason}",
        event.seq,
        text::one_line(&event.update.event_type),
        text::one_line(&event.update.message)
    )
}
