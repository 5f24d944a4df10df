//! A loop at work: one block per phase on stderr, the table or the JSON on stdout.

use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::ooda::{OodaActed, OodaReaders, ProposalReaders};
use gemicro_event::{Event, StreamId};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::screen::{Screen, numbers, text};
use crate::view::{RunEnd, RunView, failure_json};

/// Gaps that are shown when the loop orients.
const SHOWN_GAPS: usize = 3;
/// Columns before what is said about a phase.
const INDENT: usize = 10;
/// Lines of output that a rejection shows.
const SHOWN_LINES: usize = 6;

pub(super) struct OodaView {
    format: DataFormat,
    run: StreamId,
    screen: Screen,
    output: CommandOutput,
    /// The gaps are shown with the question about them.
    asks: bool,
}

impl OodaView {
    pub(super) fn new(format: DataFormat, run: &StreamId, screen: &Screen, output: CommandOutput) -> Self {
        Self {
            format,
            run: run.clone(),
            screen: screen.clone(),
            output,
            asks: false,
        }
    }

    /// One entry of a phase; on a terminal it is wrapped.
    fn say(&self, phase: &str, words: &str) {
        self.say_marked(phase, "", words);
    }

    /// The same after a mark that has its colour already.
    fn say_marked(&self, phase: &str, mark: &str, words: &str) {
        let width = match self.screen.stderr_is_terminal {
            true => self.screen.stderr_width().saturating_sub(INDENT).max(30),
            false => usize::MAX,
        };
        let mut lines = vec![String::new()];
        for word in text::one_line(words).split(' ') {
            let last = lines.len() - 1;
            let is_full = text::width(&lines[last]) + 1 + text::width(word) > width;
            match (lines[last].is_empty(), is_full) {
                (true, _) => lines[last].push_str(word),
                (false, true) => lines.push(word.to_owned()),
                (false, false) => lines[last] += &format!(" {word}"),
            }
        }
        for (idx, line) in lines.iter().enumerate() {
            let head = if idx == 0 { phase } else { "" };
            let mark = if idx == 0 { mark } else { "" };
            output::say(&format!("{} {mark}{line}", text::pad(head, INDENT - 1)));
        }
    }

    fn show_act(&self, acted: &OodaActed) {
        let paint = self.screen.on_stderr();
        if !acted.files.is_empty() {
            let files: Vec<String> = acted
                .files
                .iter()
                .map(|file| match (file.is_new, file.deletions) {
                    (true, _) => format!("{} (new, {} lines)", file.path, file.insertions),
                    (false, 0) => format!("{} +{}", file.path, file.insertions),
                    (false, deletions) => format!("{} +{} -{deletions}", file.path, file.insertions),
                })
                .collect();
            self.say("", &files.join(", "));
        }
        match &acted.rejection {
            None => {
                let mut words = vec![match acted.newly_covered {
                    1 => "1 more line is covered".to_owned(),
                    n => format!("{n} more lines are covered"),
                }];
                if acted.mutations.tried > 0 {
                    words.push(format!(
                        "{} of {} mutants detected",
                        acted.mutations.noticed, acted.mutations.tried
                    ));
                }
                if let Some(landed) = &acted.landed {
                    let short: String = landed.commit.chars().take(7).collect();
                    words.push(format!("commit {short} on {}", landed.branch));
                }
                let mark = format!("{} ", paint.good("✓"));
                self.say_marked("", &mark, &format!("accepted: {}", words.join("; ")));
            }
            Some(rejection) => {
                let mut lines = rejection.message.lines();
                let first = lines.next().unwrap_or_default();
                let mark = format!("{} ", paint.bad("✗"));
                self.say_marked("", &mark, &format!("rejected: {first}"));
                let output: Vec<&str> = lines.chain(rejection.output.trim_end().lines()).collect();
                for line in &output[output.len().saturating_sub(SHOWN_LINES)..] {
                    let line = text::cut(
                        &text::one_line(line),
                        self.screen.stderr_width().saturating_sub(14),
                    );
                    output::say(&paint.faint(&format!("          | {line}")));
                }
            }
        }
    }

    fn show(&self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "ooda_observed" => {
                let Some(observed) = update.as_ooda_observed() else {
                    return;
                };
                let totals = observed.observation.totals;
                self.say(
                    "Observe",
                    &format!(
                        "{} covered: {} of {} lines",
                        totals.percent_text(),
                        numbers::thousands(totals.covered),
                        numbers::thousands(totals.lines)
                    ),
                );
                for warning in &observed.observation.warnings {
                    self.say("", &format!("[!] {warning}"));
                }
            }
            "ooda_oriented" => {
                let Some(oriented) = update.as_ooda_oriented() else {
                    return;
                };
                self.say("Orient", &numbers::count(oriented.n_gaps as usize, "gap"));
                if self.asks {
                    return;
                }
                for (idx, it) in oriented.gaps.iter().take(SHOWN_GAPS).enumerate() {
                    self.say(
                        "",
                        &format!("{}. {}: {}", idx + 1, it.gap.name(), it.reasons.join("; ")),
                    );
                }
            }
            "ooda_decided" => {
                let words = update.message.trim_start_matches("Decide: ");
                self.say("Decide", words);
            }
            "test_proposed" => {
                if let Some(proposed) = update.as_test_proposed() {
                    self.say(
                        "Act",
                        &format!("{} proposed a test; running it …", proposed.model),
                    );
                }
            }
            "ooda_acted" => {
                if let Some(acted) = update.as_ooda_acted() {
                    self.show_act(&acted);
                }
            }
            "step_retrying" => {
                if let Some(retrying) = update.as_step_retrying() {
                    self.say("", &format!("[!] {}; trying again", retrying.error.message));
                }
            }
            "step_alarm" | "agent_noise" | "repository_changed" | "run_parked" | "run_woken"
            | "budget_adjusted" | "budget_warning" => {
                self.say("", &format!("[!] {}", update.message));
            }
            _ => {}
        }
    }
}

impl RunView for OodaView {
    fn event(&mut self, event: &Event) -> Result<(), CommandError> {
        if let Some(started) = event.update.as_run_started() {
            self.asks = started.plan.get("decider").and_then(|it| it.as_str()) == Some("human");
        }
        self.show(event);
        Ok(())
    }

    fn notice(&mut self, words: &str) {
        output::say(words);
    }

    fn end(&mut self, end: &RunEnd) -> Result<(), CommandError> {
        match (self.format, end) {
            (DataFormat::Text, RunEnd::Completed { data, .. }) => {
                let said = |key: &str| {
                    data.get(key)
                        .and_then(|it| it.as_str())
                        .unwrap_or_default()
                        .to_owned()
                };
                output::say("");
                self.output
                    .write(format!("{}\n", text::neutral(&said("answer"))).as_bytes())?;
                self.output.finish()?;
                output::say(&format!("\nStopped: {}.", said("stopped_because")));
                let metadata = data.get("metadata").cloned().unwrap_or_default();
                let metadata = serde_json::from_value::<ResultMetadata>(metadata).unwrap_or_default();
                if let Some(used) = metadata.charge().in_words() {
                    output::say(&format!("Used: {used}."));
                }
                let taken = data.get("taken").and_then(|it| it.as_array()).map_or(0, Vec::len);
                if taken > 0 {
                    output::say(&format!(
                        "{} on {branch}: git log -p {branch}",
                        numbers::count(taken, "new test"),
                        branch = said("branch")
                    ));
                }
                output::say(
                    &self
                        .screen
                        .on_stderr()
                        .faint(&format!("gemicro show {}", self.run)),
                );
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
