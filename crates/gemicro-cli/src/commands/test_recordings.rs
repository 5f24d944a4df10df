//! `gemicro test`: recordings replayed as tests.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gemicro_event::Failure;

use crate::command_error::CommandError;
use crate::replayer::{ReplayOptions, difference_of, load_workflow, replay_quietly};
use crate::report::escape;
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::{output, runtime};

/// Arguments of `gemicro test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The recordings
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Use this workflow for pipelines instead of the recorded one
    #[arg(long, value_name = "FILE")]
    pub(crate) workflow: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: TestFormat,
}

/// How the results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TestFormat {
    /// Readable text.
    #[default]
    Text,
    /// Test Anything Protocol, version 14.
    Tap,
    /// A JUnit report.
    Junit,
}

/// One recording and how its replay ended.
struct RecordingResult<'a> {
    file: &'a Path,
    replayed: Result<(usize, usize, u64), Failure>,
}

/// Replays each recording; the exit code is that of the last one that failed.
pub(crate) fn run(ctx: &Context, args: &TestArgs) -> Result<(), CommandError> {
    let options = ReplayOptions {
        workflow: load_workflow(args.workflow.as_deref())?,
        ..ReplayOptions::default()
    };
    let results = runtime::block_on(async {
        let mut results = Vec::new();
        for file in &args.files {
            let replayed = replay_quietly(file, options.clone()).await;
            results.push(RecordingResult { file, replayed });
        }
        Ok(results)
    })?;
    let page = match args.format {
        TestFormat::Text => text_page(ctx, &results),
        TestFormat::Tap => tap_page(&results),
        TestFormat::Junit => junit_page(&results),
    };
    output::print(&page)?;
    let mut failed = results.iter().filter_map(|result| result.replayed.as_ref().err());
    match failed.next_back() {
        Some(failure) => Err(CommandError::AlreadyReported(failure.kind.exit_code())),
        None => Ok(()),
    }
}

fn text_page(ctx: &Context, results: &[RecordingResult<'_>]) -> String {
    let paint = ctx.screen.on_stdout();
    let mut page = String::new();
    for RecordingResult { file, replayed } in results {
        let file = file.display();
        let _ = match replayed {
            Ok((n_events, n_runs, ms)) => writeln!(
                page,
                "{} {file}  {}, {}, {}",
                paint.good("✓"),
                numbers::count(*n_events, "event"),
                numbers::count(*n_runs, "run"),
                numbers::duration(*ms)
            ),
            Err(failure) => writeln!(page, "{} {file}  {}", paint.bad("✗"), indent_message(failure)),
        };
    }
    let n_failed = results.iter().filter(|result| result.replayed.is_err()).count();
    let _ = writeln!(page, "{} passed, {n_failed} failed", results.len() - n_failed);
    page
}

fn tap_page(results: &[RecordingResult<'_>]) -> String {
    let mut page = format!("TAP version 14\n1..{}\n", results.len());
    for (number, RecordingResult { file, replayed }) in (1..).zip(results) {
        let name = file.display().to_string().replace('#', "\\#");
        let _ = match replayed {
            Ok(_) => writeln!(page, "ok {number} - {name}"),
            Err(failure) => {
                let message = indent_message(failure);
                writeln!(
                    page,
                    "not ok {number} - {name}\n  ---\n  kind: {}\n  message: |\n    {message}\n  ...",
                    failure.kind
                )
            }
        };
    }
    page
}

fn junit_page(results: &[RecordingResult<'_>]) -> String {
    let n_failed = results.iter().filter(|result| result.replayed.is_err()).count();
    let mut page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"gemicro test\" tests=\"{}\" failures=\"{n_failed}\">\n",
        results.len()
    );
    for RecordingResult { file, replayed } in results {
        let name = escape(&file.display().to_string());
        let _ = match replayed {
            Ok((_, _, ms)) => {
                let seconds = std::time::Duration::from_millis(*ms).as_secs_f64();
                writeln!(page, "  <testcase name=\"{name}\" time=\"{seconds:.3}\"/>")
            }
            Err(failure) => writeln!(
                page,
                "  <testcase name=\"{name}\"><failure type=\"{}\">{}</failure></testcase>",
                failure.kind,
                escape(&whole_message(failure))
            ),
        };
    }
    page.push_str("</testsuite>\n");
    page
}

/// What happened, and below it where a replay differs.
fn whole_message(failure: &Failure) -> String {
    match difference_of(failure) {
        Some(difference) => format!("{}\n{}", failure.message, difference.trim_end()),
        None => failure.message.clone(),
    }
}

fn indent_message(failure: &Failure) -> String {
    text::neutral(&whole_message(failure)).replace('\n', "\n    ")
}
