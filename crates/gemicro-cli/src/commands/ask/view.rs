//! An agent at work: its words as they come on a terminal, the tool's answer as JSON.

use gemicro_core::ask::{AgentTrouble, AskReaders, ToolAnswer, ToolExtras};
use gemicro_core::live::LiveItem;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Event};

use super::command::AskDisplay;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::screen::{Screen, branch, text};
use crate::view::{RunEnd, RunView};

/// Lines of the agent's output that a failure shows on a screen; `--format json` has more.
const SHOWN_LINES: usize = 5;

/// Shows one run of one task.
pub(super) struct AskView {
    format: DataFormat,
    extras: ToolExtras,
    screen: Screen,
    output: CommandOutput,
    /// What was streamed of the attempt that is running.
    streamed: String,
    attempt: u32,
    /// The events that the tool's answer is made of: all but the text on its way.
    events: Vec<Event>,
}

impl AskView {
    pub(super) fn new(shown: AskDisplay<'_>, screen: &Screen) -> Self {
        Self {
            format: shown.format,
            extras: shown.extras,
            screen: screen.clone(),
            output: CommandOutput::new(shown.out),
            streamed: String::new(),
            attempt: 0,
            events: Vec::new(),
        }
    }

    fn streams(&self) -> bool {
        self.format == DataFormat::Text && self.screen.stdout_is_terminal && self.output.is_stdout()
    }

    fn end_line(&mut self) -> Result<(), CommandError> {
        if !self.streamed.is_empty() && !self.streamed.ends_with('\n') {
            self.output.write(b"\n")?;
        }
        self.streamed.clear();
        Ok(())
    }

    fn answer(&mut self, spent: Charge) -> Result<(), CommandError> {
        let answered = self
            .events
            .iter()
            .rev()
            .find_map(|event| event.update.as_agent_answered());
        let Some(answered) = answered else {
            return Ok(());
        };
        let answer = answered.answer;
        // Not everything that was streamed is the answer, and not every agent streams it.
        if self.streamed.trim().ends_with(answer.text.trim()) {
            self.end_line()?;
        } else {
            self.end_line()?;
            self.output
                .write(format!("{}\n", text::neutral(answer.text.trim_end())).as_bytes())?;
        }
        if let Some(landed) = &answer.branch {
            output::say(&format!("[•] {}", branch::move_text(landed)));
            for line in branch::about(landed) {
                output::say(&format!("    {line}"));
            }
        }
        let paint = self.screen.on_stderr();
        let mut words = vec![answered.agent.to_string(), format!("sandbox {}", answer.tier)];
        words.extend(spent.in_words());
        if answer.access == "observed" {
            words.push("login: tokens and money are not limited".to_owned());
        }
        output::say(&paint.faint(&words.join(" · ")));
        if let Some(session) = &answer.session {
            output::say(&paint.faint(&format!("continue: gemicro ask --session {session} \"…\"")));
        }
        Ok(())
    }
}

impl RunView for AskView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        if self.format == DataFormat::Text {
            let update = &event.update;
            let words = match update.event_type.as_str() {
                "agent_started" => update.as_agent_started().map(|started| {
                    let failed = self
                        .events
                        .iter()
                        .rev()
                        .find_map(|event| event.update.as_step_failed());
                    let takes_over = failed.map_or_else(String::new, |failed| {
                        format!(
                            "[!] {}: switching to {}\n",
                            text::one_line(&failed.error.message),
                            started.agent
                        )
                    });
                    let model = started.model.as_ref();
                    let model = model.map_or_else(String::new, |model| format!(" with {model}"));
                    format!(
                        "{takes_over}[•] {}{model} {} ({})",
                        started.agent,
                        started.workplace(),
                        started.sandbox
                    )
                }),
                "step_retrying" => update
                    .as_step_retrying()
                    .map(|retrying| format!("[!] {}; trying again", text::one_line(&retrying.error.message))),
                "step_alarm" | "agent_noise" | "repository_changed" | "run_parked" | "run_woken"
                | "budget_adjusted" | "budget_warning" => {
                    Some(format!("[!] {}", text::one_line(&update.message)))
                }
                _ => None,
            };
            if let Some(words) = words {
                self.end_line()?;
                output::say(&words);
            }
        }
        self.events.push(event.clone());
        Ok(())
    }

    fn live(&mut self, item: &LiveItem) -> Result<(), CommandError> {
        if !self.streams() {
            return Ok(());
        }
        if item.attempt != self.attempt {
            self.end_line()?;
            self.attempt = item.attempt;
        }
        self.output.write(text::neutral(&item.text).as_bytes())?;
        self.streamed.push_str(&item.text);
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        output::say(words);
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError> {
        match (self.format, end) {
            (DataFormat::Text, RunEnd::Completed { result, .. }) => {
                let spent = result
                    .as_ref()
                    .map_or(Charge::ZERO, |result| result.metadata.charge());
                self.answer(spent)?;
                self.output.finish()
            }
            (DataFormat::Text, RunEnd::Failed(failure)) => {
                let trouble = AgentTrouble::of(failure);
                if !self.streamed.trim().ends_with(trouble.partial.trim()) {
                    self.end_line()?;
                    self.output
                        .write(format!("{}\n", text::neutral(trouble.partial.trim_end())).as_bytes())?;
                }
                self.end_line()?;
                // Where gemicro itself ended it, its output explains nothing.
                let shown = if explains(failure.kind) { SHOWN_LINES } else { 0 };
                // Messages of its protocol are for programs.
                let words: Vec<&String> = trouble
                    .last_lines
                    .iter()
                    .filter(|line| !line.trim_start().starts_with('{'))
                    .collect();
                for line in &words[words.len().saturating_sub(shown)..] {
                    let line = text::cut(
                        &text::one_line(line),
                        self.screen.stderr_width().saturating_sub(4),
                    );
                    output::say(&self.screen.on_stderr().faint(&format!("  | {line}")));
                }
                Ok(())
            }
            (DataFormat::Text, RunEnd::Suspended(_)) => self.end_line(),
            (DataFormat::Json | DataFormat::Jsonl, _) => {
                let answer =
                    ToolAnswer::of(&self.events).map(|answer| answer.with_extras(self.extras, &self.events));
                let Some(line) = answer.and_then(|answer| serde_json::to_string(&answer).ok()) else {
                    return Ok(());
                };
                self.output.write(format!("{line}\n").as_bytes())?;
                self.output.finish()
            }
        }
    }
}

/// Whether the agent's own output says more about this.
fn explains(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::BudgetExceeded | ErrorKind::Cancelled | ErrorKind::AuthFailed
    )
}
