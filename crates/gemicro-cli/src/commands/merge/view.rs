//! A merge queue at work: what happens on stderr, the table or the JSON on stdout.

use gemicro_core::flow::Flow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::merge_queue::{MergeFlow, MergeState, MergeSummary};
use gemicro_event::{Event, StreamId};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::screen::{Screen, text};
use crate::view::{RunEnd, RunView, failure_json};

pub(super) struct MergeView {
    format: DataFormat,
    run: StreamId,
    screen: Screen,
    output: CommandOutput,
    state: Option<MergeState>,
    /// Lines of the log that were printed.
    n_said: usize,
}

/// What became of every branch, if the run completed.
pub(super) fn summary(end: &RunEnd) -> Option<MergeSummary> {
    match end {
        RunEnd::Completed { data, .. } => data.parse().ok(),
        RunEnd::Failed(_) | RunEnd::Suspended(_) => None,
    }
}

impl MergeView {
    pub(super) fn new(format: DataFormat, run: &StreamId, screen: &Screen, output: CommandOutput) -> Self {
        Self {
            format,
            run: run.clone(),
            screen: screen.clone(),
            output,
            state: None,
            n_said: 0,
        }
    }
}

impl RunView for MergeView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        if let Some(started) = event.update.as_run_started() {
            self.state = MergeFlow.start(&started.plan).ok();
            return Ok(());
        }
        if let Some(state) = &mut self.state {
            MergeFlow.fold(state, event);
            for line in &state.log()[self.n_said..] {
                output::say(&text::one_line(line));
            }
            self.n_said = state.log().len();
        }
        if matches!(
            event.update.event_type.as_str(),
            "step_alarm" | "repository_changed"
        ) {
            output::say(&format!("[!] {}", text::one_line(&event.update.message)));
        }
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        output::say(words);
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError> {
        match (self.format, end) {
            (DataFormat::Text, RunEnd::Completed { .. }) => {
                let summary = summary(end).unwrap_or_default();
                output::say("");
                self.output.write(text::neutral(&summary.text()).as_bytes())?;
                self.output.finish()?;
                for note in &summary.notes {
                    output::say(&format!("{} {note}", self.screen.on_stderr().warn("note:")));
                }
                if let Some(error) = &summary.push_error {
                    let mark = self.screen.on_stderr().warn("not pushed:");
                    output::say(&format!("{mark} {}", text::one_line(error)));
                }
                let show = format!("gemicro show {}", self.run);
                output::say(&self.screen.on_stderr().faint(&show));
                Ok(())
            }
            (DataFormat::Json | DataFormat::Jsonl, RunEnd::Completed { data, .. }) => {
                self.output.write(format!("{}\n", data.text()).as_bytes())?;
                self.output.finish()
            }
            (DataFormat::Json | DataFormat::Jsonl, RunEnd::Failed(_) | RunEnd::Suspended(_)) => {
                let report = end.error_report(&self.run);
                self.output
                    .write(format!("{}\n", failure_json(&report)).as_bytes())?;
                self.output.finish()
            }
            (DataFormat::Text, RunEnd::Failed(_) | RunEnd::Suspended(_)) => Ok(()),
        }
    }
}
