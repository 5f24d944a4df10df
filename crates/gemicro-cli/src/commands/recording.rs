//! `gemicro recording`: what is in a recording.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use gemicro_event::Failure;
use gemicro_recording::{RecordingSummary, RunSummary, read_file};
use serde_json::json;

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::story::kind_words;

/// Arguments of `gemicro recording`.
#[derive(Debug, Args)]
pub(crate) struct RecordingArgs {
    #[command(subcommand)]
    pub(crate) command: RecordingCommand,
}

/// What can be done with a recording.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordingCommand {
    /// Show its runs, steps, models, tokens and times
    Show {
        /// The recording
        file: PathBuf,
        /// Output format; jsonl prints one run per line
        #[arg(long, value_enum, default_value_t)]
        format: DataFormat,
    },
}

impl RecordingArgs {
    pub(crate) fn wants_json(&self) -> bool {
        let RecordingCommand::Show { format, .. } = &self.command;
        *format == DataFormat::Json
    }
}

/// Shows a recording.
pub(crate) fn run(ctx: &Context, args: &RecordingArgs) -> Result<(), CommandError> {
    let RecordingCommand::Show { file, format } = &args.command;
    let recording = read_file(file).map_err(Failure::from)?;
    let summary = RecordingSummary::of(&recording);
    match format {
        DataFormat::Text => output::print(&page(ctx, &summary)),
        DataFormat::Json => output::print(&format!("{}\n", json!(summary))),
        DataFormat::Jsonl => {
            let lines = summary.runs.iter().map(|run| format!("{}\n", json!(run)));
            output::print(&lines.collect::<String>())
        }
    }
}

fn page(ctx: &Context, summary: &RecordingSummary) -> String {
    let paint = ctx.screen.on_stdout();
    let mut page = format!(
        "{}\n{} · {} · {} · {} · recorded by {} (format {})\n",
        paint.strong(&format!("{} {}", summary.kind, summary.root)),
        numbers::count(summary.n_events, "event"),
        numbers::count(summary.runs.len(), "run"),
        numbers::count(summary.n_blobs, "blob"),
        numbers::count(summary.n_live, "live text"),
        text::one_line(&summary.program),
        summary.version
    );
    for run in &summary.runs {
        page.push_str(&run_lines(run, &paint.strong(&text::one_line(&run.title))));
    }
    page
}

fn run_lines(run: &RunSummary, title: &str) -> String {
    let words = |kind: &String| match kind_words(kind) {
        "" => kind.replace('_', " "),
        words => words.to_owned(),
    };
    let steps = run.steps.iter().map(|(kind, n)| format!("{n} × {}", words(kind)));
    let steps: Vec<String> = steps.collect();
    let models: Vec<&str> = run.models.iter().map(String::as_str).collect();
    let started = run.started_at.map(numbers::moment).unwrap_or_default();
    let mut lines = format!(
        "\n{title}\n  {} {} · {started} · {} · {} tokens · ended with {}\n  steps: {}\n",
        run.flow,
        run.run,
        numbers::duration(run.duration_ms),
        numbers::thousands(run.tokens),
        text::one_line(&run.ended_with),
        text::one_line(&steps.join(", "))
    );
    if !models.is_empty() {
        lines.push_str(&format!("  models: {}\n", text::one_line(&models.join(", "))));
    }
    lines
}
