//! The live log of a pipeline, one line per event: the time, the speaker, the text.
//!
//! [`Log`] turns events into [`RunLogEntry`]s and writes nothing. A line of a role is what its agent says; a line of
//! gemicro is what gemicro itself did or observed.

use gemicro_core::run::events::RunReaders;
use gemicro_engine::pipeline::flow::is_gate;
use gemicro_engine::pipeline::flow::{PhaseAnswered, PhaseEnded, PhaseImported, PipelineReaders};
use gemicro_event::{Event, Timestamp};

use super::log_words::{self, LogText};
use crate::screen::{Paint, numbers, text};
use crate::story::{PipelineStory, answer_word, shown_name};

/// The speaker when no role speaks.
const GEMICRO: &str = "GEMICRO";
/// Width of `[11:00:00] `; only the time uses these columns.
const INDENT: usize = 11;
/// Maximum number of lines of one detail.
const DETAIL_LINES: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunLogEntry {
    at: Timestamp,
    speaker: String,
    words: LogText,
}

impl RunLogEntry {
    /// The lines for a screen; on a terminal each fits the width.
    pub(super) fn lines(&self, paint: Paint, columns: usize) -> Vec<String> {
        let moment = numbers::moment(self.at);
        let time = moment.get(11..).unwrap_or(&moment);
        let speaker = text::one_line(&self.speaker);
        let room = columns.saturating_sub(INDENT).max(20);
        let words = text::one_line(&format!("{speaker}: {}", self.words.line));
        let mut wrapped = text::wrap_markdown(&words, room);
        if let Some(rest) = wrapped.strip_prefix(&speaker) {
            wrapped = format!("{}{rest}", paint.strong(&speaker));
        }
        let time = paint.faint(&format!("[{time}]"));
        let indent = " ".repeat(INDENT);
        let first = wrapped.lines().enumerate().map(|(idx, line)| match idx {
            0 => format!("{time} {line}"),
            _ => format!("{indent}{line}"),
        });
        let details = self.words.details.iter().flat_map(|detail| below(detail, room));
        first
            .chain(details.map(|line| format!("{indent}{line}")))
            .collect()
    }
}

/// A detail as a few lines: a sentence is wrapped, output is cut.
fn below(detail: &str, room: usize) -> Vec<String> {
    let detail = text::one_line(detail);
    if detail.starts_with('|') {
        return vec![format!("  {}", text::cut(&detail, room.saturating_sub(2)))];
    }
    let wrapped = text::wrap_markdown(&format!("- {detail}"), room);
    let n_lines = wrapped.lines().count();
    let lines = wrapped.lines().take(DETAIL_LINES).enumerate();
    lines
        .map(
            |(idx, line)| match idx + 1 == DETAIL_LINES && n_lines > DETAIL_LINES {
                true => {
                    text::cut(line, room.saturating_sub(2))
                        .trim_end_matches('…')
                        .to_owned()
                        + " …"
                }
                false => line.to_owned(),
            },
        )
        .collect()
}

/// Turns events into log entries.
#[derive(Debug, Default)]
pub(super) struct Log {
    story: PipelineStory,
    /// Faults of the running phase that were already reported.
    reported: Vec<String>,
}

impl Log {
    /// The fold of all events so far.
    pub(super) fn story(&self) -> &PipelineStory {
        &self.story
    }

    /// The entries for an event; usually one or none.
    pub(super) fn entries(&mut self, event: &Event) -> Vec<RunLogEntry> {
        let update = &event.update;
        if let Some(started) = update.as_run_started() {
            self.story = PipelineStory::of_plan(&started.plan).unwrap_or_default();
        }
        self.story.fold(event);
        if let Some(answered) = update.as_phase_answered() {
            return vec![self.answer_entry(&answered, update.timestamp)];
        }
        let words = match update.as_pipeline_prepared() {
            Some(it) => log_words::branch_texts(&it.prepared, self.story.goes_on_from.as_ref()),
            None => Vec::from_iter(self.words(event)),
        };
        let entry = |words| RunLogEntry {
            at: update.timestamp,
            speaker: GEMICRO.to_owned(),
            words,
        };
        words.into_iter().map(entry).collect()
    }

    fn words(&mut self, event: &Event) -> Option<LogText> {
        let update = &event.update;
        match update.event_type.as_str() {
            "run_started" => Some(LogText::line(format!(
                "Task received (run {}; times are in UTC).",
                event.stream
            ))),
            "phase_started" => {
                self.reported.clear();
                log_words::start_text(&update.as_phase_started()?)
            }
            "phase_imported" => Some(self.import_entry(&update.as_phase_imported()?)),
            "phase_checked" => {
                let evidence = update.as_phase_checked()?.evidence;
                self.reported.extend(evidence.faults());
                Some(log_words::check_text("Running checks", &evidence))
            }
            "phase_recorded" => {
                let recorded = update.as_phase_recorded()?.recorded;
                Some(log_words::record_text(&recorded))
            }
            "branch_merged" => Some(log_words::merge_text(&update.as_branch_merged()?.merged)),
            "pipeline_delivered" => {
                let delivered = update.as_pipeline_delivered()?.delivered;
                Some(log_words::delivery_text(&self.story.branch, &delivered))
            }
            "phase_ended" => self.end_text(&update.as_phase_ended()?),
            "final_result" => Some(LogText::line(update.message.clone())),
            _ => self.aside(event),
        }
    }

    /// The text for an event that is not specific to a phase.
    fn aside(&self, event: &Event) -> Option<LogText> {
        let update = &event.update;
        match update.event_type.as_str() {
            "answer_requested" => {
                let key = update.as_answer_requested()?.key;
                let phase = self.story.gate(&key).filter(|_| is_gate(&key))?;
                Some(LogText::line(format!(
                    "Waiting for your approval before phase {} ({}).",
                    phase.name, phase.label
                )))
            }
            "answer_given" => {
                let given = update.as_answer_given().filter(|given| is_gate(&given.key))?;
                let who = given.by.as_deref().map(shown_name);
                let who = who.unwrap_or_else(|| "A person".to_owned());
                Some(LogText::line(format!(
                    "{who} said {}.",
                    answer_word(&given.answer)
                )))
            }
            "step_retrying" => {
                let message = update.as_step_retrying()?.error.message;
                Some(LogText::line(format!("Trying again: {message}")))
            }
            "step_alarm" => Some(LogText::line(format!(
                "ALARM: {}",
                update.as_step_alarm()?.message
            ))),
            "agent_noise" | "repository_changed" => Some(LogText::line(format!("Note: {}", update.message))),
            "run_parked"
            | "run_woken"
            | "run_resumed"
            | "budget_adjusted"
            | "budget_warning"
            | "deadline_passed"
            | "owner_instructed"
            | "owner_notes_changed"
            | "cancel_requested" => Some(LogText::line(format!(
                "{}.",
                update.message.trim_end_matches('.')
            ))),
            _ => None,
        }
    }

    fn answer_entry(&mut self, answered: &PhaseAnswered, at: Timestamp) -> RunLogEntry {
        let mut words = log_words::answer_text(answered);
        let (speaker, usable) = match answered.refused.is_none() && answered.payload.is_some() {
            true => (answered.role.to_uppercase(), true),
            false => (GEMICRO.to_owned(), false),
        };
        if let Some(phase) = self.story.last().filter(|_| usable) {
            let took = numbers::duration(phase.worked_ms(at));
            let figures = std::iter::once(took).chain(phase.charge.in_short());
            words.line += &format!("  ({})", figures.collect::<Vec<_>>().join(", "));
        }
        self.reported.extend(answered.dishonest.clone());
        RunLogEntry { at, speaker, words }
    }

    fn import_entry(&mut self, imported: &PhaseImported) -> LogText {
        self.reported.extend(imported.refused.clone());
        let faults = imported
            .taken
            .iter()
            .flat_map(|taken| taken.faults.iter().cloned());
        self.reported.extend(faults);
        let shape = self.story.last().and_then(|phase| phase.shape);
        log_words::import_text(imported, shape)
    }

    fn end_text(&self, ended: &PhaseEnded) -> Option<LogText> {
        let is_reported = |reason: &&String| {
            self.reported
                .iter()
                .any(|reported| reason.contains(reported.as_str()))
        };
        let reasons: Vec<String> = ended
            .reasons
            .iter()
            .filter(|it| !is_reported(it))
            .cloned()
            .collect();
        let verdict = self.story.last().and_then(|phase| phase.verdict.as_deref());
        let next = ended
            .next
            .as_deref()
            .map(|name| match self.story.phase_plan(name) {
                Some(phase) => format!("{name} ({})", phase.label),
                None => name.to_owned(),
            });
        log_words::phase_end_text(ended, verdict, next.as_deref().unwrap_or("the end"), &reasons)
    }
}
