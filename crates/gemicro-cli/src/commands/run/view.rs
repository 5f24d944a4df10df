//! A pipeline at work: the live log on stderr, with a board below it on a terminal; the result on stdout.

use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::pipeline::flow::is_gate;
use gemicro_event::{Event, Json, StreamId};

use super::board::PhaseBoard;
use super::command::RunDisplay;
use super::log::Log;
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::screen::{Screen, numbers, text};
use crate::story::{PipelineStory, hint, words};
use crate::view::{RunEnd, RunView, failure_json, result_json};

/// Columns of a line that nobody sees on a terminal.
const LINE_IN_FILE: usize = 400;

pub(super) struct PipelineView {
    format: PrintFormat,
    run: StreamId,
    screen: Screen,
    output: CommandOutput,
    /// What has to be typed before the commands of the summary.
    first: Option<String>,
    log: Log,
    board: Option<PhaseBoard>,
    /// A person is asked, and types below the log.
    is_asking: bool,
}

impl PipelineView {
    pub(super) fn new(run: &StreamId, screen: &Screen, shown: &RunDisplay<'_>) -> Self {
        Self {
            format: shown.format,
            run: run.clone(),
            screen: screen.clone(),
            output: CommandOutput::new(shown.out),
            first: shown.first.clone(),
            log: Log::default(),
            board: PhaseBoard::new(screen),
            is_asking: false,
        }
    }

    fn say(&self, words: &str) {
        match &self.board {
            Some(board) => board.say(words),
            None => output::say(words),
        }
    }
}

impl RunView for PipelineView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        let columns = match self.screen.stderr_is_terminal {
            true => self.screen.stderr_width(),
            false => LINE_IN_FILE,
        };
        for entry in self.log.entries(event) {
            for line in entry.lines(self.screen.on_stderr(), columns) {
                self.say(&line);
            }
        }
        match event.update.event_type.as_str() {
            "answer_requested" => {
                let asked = event.update.as_answer_requested();
                self.is_asking = asked.is_some_and(|asked| is_gate(&asked.key));
            }
            "answer_given" => self.is_asking = false,
            _ => {}
        }
        match (&mut self.board, self.is_asking) {
            (Some(board), false) => board.draw(self.log.story()),
            (Some(board), true) => board.remove(),
            (None, _) => {}
        }
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        self.say(words);
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError> {
        if let Some(board) = &mut self.board {
            board.remove();
        }
        let story = self.log.story();
        match (self.format, end) {
            (PrintFormat::Text, RunEnd::Completed { data, .. }) => {
                output::say("");
                let columns = match self.screen.stdout_is_terminal {
                    true => self.screen.width(),
                    false => usize::MAX,
                };
                let first = self.first.iter().map(|first| ("First", first.clone()));
                let lines = first.chain(summary(story, &self.run, data));
                let page: String = lines.map(|it| line(it, columns)).collect();
                self.output.write(page.as_bytes())?;
                self.output.finish()
            }
            (PrintFormat::Markdown, RunEnd::Completed { data, .. }) => {
                let text = data
                    .get("answer")
                    .and_then(|text| text.as_str())
                    .unwrap_or_default();
                self.output.write(format!("{}\n", text.trim_end()).as_bytes())?;
                self.output.finish()
            }
            (PrintFormat::Json | PrintFormat::Jsonl, RunEnd::Completed { data, .. }) => {
                let object = result_json(&self.run, data);
                self.output.write(format!("{object}\n").as_bytes())?;
                self.output.finish()
            }
            (PrintFormat::Json | PrintFormat::Jsonl, RunEnd::Failed(_) | RunEnd::Suspended(_)) => {
                let mut report = end.error_report(&self.run);
                if let RunEnd::Failed(failure) = end {
                    report.hint = Some(hint(failure, &self.run, story));
                }
                let object = failure_json(&report);
                self.output.write(format!("{object}\n").as_bytes())?;
                self.output.finish()
            }
            (PrintFormat::Text | PrintFormat::Markdown, RunEnd::Failed(_)) => {
                leftover_work(story, &self.run)
                    .iter()
                    .for_each(|line| output::say(line));
                Ok(())
            }
            (PrintFormat::Text | PrintFormat::Markdown, RunEnd::Suspended(_)) => Ok(()),
        }
    }
}

/// What a run that went all the way leaves behind, and how to look at it.
pub(super) fn summary(story: &PipelineStory, run: &StreamId, data: &Json) -> Vec<(&'static str, String)> {
    let tip = story.tip.as_deref().map(words::short).unwrap_or_default();
    let mut lines = vec![("Branch", format!("{} at {tip}", story.branch))];
    lines.extend(story.worktree.iter().map(|folder| ("Worktree", folder.clone())));
    lines.extend(story.reports.iter().map(|report| ("Inspect", report.clone())));
    let url = story
        .delivered
        .as_ref()
        .and_then(|delivered| delivered.url.clone());
    lines.push((
        "Request",
        url.unwrap_or_else(|| format!("its text: gemicro show {run} --format markdown")),
    ));
    lines.push(("Changes", format!("gemicro diff {run}")));
    // A main of the same name may lie behind the one that was merged, and then shows the work of others.
    let main = story.main_in_it().map(words::short);
    lines.extend(main.map(|main| ("", format!("git diff {main} {}", story.branch))));
    lines.push(("Story", format!("gemicro show {run}")));
    let metadata = data.get("metadata").cloned();
    let metadata = metadata.and_then(|it| serde_json::from_value::<ResultMetadata>(it).ok());
    if let Some(it) = metadata {
        let parts = std::iter::once(numbers::duration(it.duration_ms)).chain(it.charge().in_words());
        let parts: Vec<String> = parts.collect();
        lines.push(("Total", parts.join(", ")));
    }
    lines
}

/// A label and its value, wrapped at words.
pub(super) fn line((name, value): (&str, String), columns: usize) -> String {
    const LABEL: usize = 10;
    let value = text::wrap_markdown(&text::one_line(&value), columns.saturating_sub(LABEL));
    let below = format!("\n{}", " ".repeat(LABEL));
    format!("{}{}\n", text::pad(name, LABEL), value.replace('\n', &below))
}

/// Where the work of a run is that ended early.
pub(super) fn leftover_work(story: &PipelineStory, run: &StreamId) -> Option<String> {
    let prepared = story.prepared.as_ref()?;
    // Somebody may have moved the branch: the commit is what the run knows.
    Some(format!(
        "The work so far is commit {} on branch '{}': gemicro diff {run}",
        words::short(story.tip.as_ref().unwrap_or(&prepared.tip)),
        text::one_line(&story.branch)
    ))
}
