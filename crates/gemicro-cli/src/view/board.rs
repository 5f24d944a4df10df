//! The live display on a terminal: a spinner per sub-query, everything on stderr.
//!
//! Finished phases are printed as plain lines and stay; only running parts are redrawn.

use std::time::Duration;

use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_event::Event;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::lines::{decomposed_words, is_notice, notice_words};
use super::sub_queries::{SubQueries, SubQueryState};
use super::{RunEnd, RunView};
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Screen, numbers, text};
use crate::signals::{self, AtOnce};

const TICK: Duration = Duration::from_millis(100);
const SPINNER: &str = "⣾⣽⣻⢿⡿⣟⣯⣷ ";

/// Draws a run on a terminal.
pub(crate) struct TerminalBoard {
    screen: Screen,
    sub_queries: SubQueries,
    moving: MovingPart,
}

/// The part that is being redrawn.
enum MovingPart {
    Nothing,
    /// One line, such as `[•] Decomposing query...`.
    Phase {
        bar: ProgressBar,
        _at_once: AtOnce,
    },
    /// One line per sub-query.
    SubQueries {
        bars: Vec<ProgressBar>,
        together: MultiProgress,
        _at_once: AtOnce,
    },
}

impl TerminalBoard {
    /// A board on stderr.
    pub(crate) fn new(screen: &Screen) -> Self {
        Self {
            screen: screen.clone(),
            sub_queries: SubQueries::default(),
            moving: MovingPart::Nothing,
        }
    }

    fn begin_phase(&mut self, words: &str) {
        self.settle();
        let bar = ProgressBar::new_spinner();
        bar.set_style(spinner("[{spinner}] {msg}"));
        bar.set_message(words.to_owned());
        bar.enable_steady_tick(TICK);
        let cleared = bar.clone();
        self.moving = MovingPart::Phase {
            bar,
            _at_once: signals::at_once(move || cleared.finish_and_clear()),
        };
    }

    fn end_phase(&mut self, words: &str) {
        self.settle();
        output::say(&format!("[{}] {words}", self.screen.on_stderr().good("✓")));
    }

    /// Leaves the moving part on the screen, or removes it if a final line follows.
    fn settle(&mut self) {
        match std::mem::replace(&mut self.moving, MovingPart::Nothing) {
            MovingPart::Nothing => {}
            MovingPart::Phase { bar, .. } => bar.finish_and_clear(),
            MovingPart::SubQueries { bars, together, .. } => {
                for (id, bar) in bars.iter().enumerate() {
                    bar.set_style(spinner("{msg}"));
                    let words = match &self.sub_queries.list[id].1 {
                        SubQueryState::Waiting | SubQueryState::Running => self.line(id, "‖ Stopped"),
                        SubQueryState::Complete(_) | SubQueryState::Failed(_) => self.ended_line(id),
                    };
                    bar.finish_with_message(words);
                }
                drop(together);
                // The first line end finishes the last bar's line.
                output::say("\n");
            }
        }
    }

    fn show_sub_queries(&mut self) {
        self.settle();
        output::say("\nExecuting parallel research:");
        let together = MultiProgress::new();
        let ids = 0..self.sub_queries.list.len();
        let bars: Vec<ProgressBar> = ids
            .map(|id| {
                let bar = together.add(ProgressBar::new_spinner());
                bar.set_style(spinner("{msg}"));
                bar.set_message(self.line(id, "(waiting)"));
                bar
            })
            .collect();
        let cleared = together.clone();
        self.moving = MovingPart::SubQueries {
            bars,
            together,
            _at_once: signals::at_once(move || {
                let _ = cleared.clear();
            }),
        };
    }

    fn change_sub_query(&mut self, id: usize) {
        if !matches!(self.moving, MovingPart::SubQueries { .. }) {
            self.show_sub_queries();
        }
        let (is_running, words) = match &self.sub_queries.list[id].1 {
            SubQueryState::Waiting | SubQueryState::Running => (true, self.line(id, "⣾ (in progress)")),
            SubQueryState::Complete(_) | SubQueryState::Failed(_) => (false, self.ended_line(id)),
        };
        let MovingPart::SubQueries { bars, .. } = &self.moving else {
            return;
        };
        let Some(bar) = bars.get(id) else { return };
        if is_running {
            bar.set_style(spinner("{msg} {spinner} (in progress)"));
            bar.set_message(words.trim_end_matches("⣾ (in progress)").trim_end().to_owned());
            bar.enable_steady_tick(TICK);
        } else {
            bar.disable_steady_tick();
            bar.set_style(spinner("{msg}"));
            bar.finish_with_message(words);
        }
    }

    fn ended_line(&self, id: usize) -> String {
        let paint = self.screen.on_stderr();
        match &self.sub_queries.list[id].1 {
            SubQueryState::Complete(used) => self
                .line(id, &format!("✓ Complete ({used})"))
                .replace('✓', &paint.good("✓")),
            SubQueryState::Failed(reason) => {
                let words = format!("✗ Failed: {}", text::cut(reason, self.reason_room(id)));
                self.line(id, &words).replace('✗', &paint.bad("✗"))
            }
            SubQueryState::Waiting | SubQueryState::Running => self.line(id, ""),
        }
    }

    /// Width for a reason: the sub-query keeps at most a third of the line.
    fn reason_room(&self, id: usize) -> usize {
        let columns = self
            .screen
            .stderr_width()
            .saturating_sub(text::width("  [10/10]  ✗ Failed: "));
        let query = text::width(&self.sub_queries.list[id].0).clamp(8, (columns / 3).max(8));
        columns.saturating_sub(query + 1)
    }

    /// `  [2/5] text… words`, cut so that it fits the terminal.
    fn line(&self, id: usize, words: &str) -> String {
        let number = format!("  [{}/{}] ", id + 1, self.sub_queries.list.len());
        let columns = self.screen.stderr_width().saturating_sub(1);
        let room = columns
            .saturating_sub(text::width(&number) + text::width(words) + 1)
            .max(8);
        format!(
            "{number}{} {words}",
            text::cut(&self.sub_queries.list[id].0, room)
        )
    }
}

impl RunView for TerminalBoard {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        let update = &event.update;
        let changed = self.sub_queries.fold(event);
        match update.event_type.as_str() {
            "step_started"
                if update
                    .as_step_started()
                    .is_some_and(|step| step.kind == "sources") =>
            {
                self.begin_phase("Reading sources...");
            }
            "sources_read" => {
                if let Some(read) = update.as_sources_read() {
                    self.end_phase(&sources_words(read.n_documents, read.n_skipped));
                }
            }
            "decomposition_started" => self.begin_phase("Decomposing query..."),
            "decomposition_complete" => {
                self.settle();
                let note = update.as_decomposition_complete().and_then(|it| it.note);
                let words = decomposed_words(self.sub_queries.list.len(), note.as_deref());
                output::say(&words.replace('✓', &self.screen.on_stderr().good("✓")));
            }
            "synthesis_started" => self.begin_phase("Synthesizing results..."),
            "final_result" => self.end_phase("Synthesis complete"),
            kind if is_notice(kind) => self.notice(&format!("[!] {}", notice_words(event))),
            _ => {}
        }
        if let Some(id) = changed {
            self.change_sub_query(id);
        }
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        match &self.moving {
            MovingPart::Nothing => output::say(words),
            MovingPart::Phase { bar, .. } => bar.suspend(|| output::say(words)),
            MovingPart::SubQueries { together, .. } => together.suspend(|| output::say(words)),
        }
    }

    fn end(&mut self, _end: &RunEnd) -> Result<(), CommandError> {
        self.settle();
        Ok(())
    }
}

/// `Read 12 documents (3 skipped)`.
pub(super) fn sources_words(n_documents: usize, n_skipped: usize) -> String {
    let skipped = if n_skipped > 0 {
        format!(" ({n_skipped} skipped)")
    } else {
        String::new()
    };
    format!("Read {}{skipped}", numbers::count(n_documents, "document"))
}

fn spinner(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.tick_chars(SPINNER)
}
