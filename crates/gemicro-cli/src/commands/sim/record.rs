//! `gemicro sim record`: records a scenario from a real API.
//!
//! The whole file is rewritten after each exchange: a kill loses no finished exchange.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use gemicro_core::drive::StopSignals;
use gemicro_event::ErrorKind;
use gemicro_sim::scenario::{Scenario, ScenarioError};
use gemicro_sim::{RecordError, Recorder, RunningRecorder};
use serde_json::json;

use super::place::{PlaceArgs, not_started};
use super::upstream::HttpUpstream;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::numbers;
use crate::session::Context;
use crate::signals;

/// Arguments of `gemicro sim record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// The address of the real API.
    #[arg(
        long,
        value_name = "URL",
        help = "The address of the real API, such as https://generativelanguage.googleapis.com"
    )]
    upstream: String,
    /// The scenario file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    place: PlaceArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

/// Records until a signal arrives.
pub(super) async fn record(ctx: &Context, args: &RecordArgs) -> Result<(), CommandError> {
    let upstream = Arc::new(HttpUpstream::new(&args.upstream)?);
    let addr = args.place.addr()?;
    output::check_target(&args.out)?;
    let (out, name) = (args.out.display(), name_of(&args.out));
    let stop = signals::listen()?;
    let heading = ctx.screen.on_stderr().strong("Recording:");
    let heading_line = format!(
        "{heading} requests are forwarded to {}; keys are never recorded",
        upstream.host()
    );
    let recorder = Recorder::start(upstream, addr)
        .await
        .map_err(|error| not_started(&error))?;
    let url = recorder.url();
    output::print(&match args.format {
        DataFormat::Text => format!("{url}\n"),
        DataFormat::Json | DataFormat::Jsonl => {
            format!("{}\n", json!({ "url": url, "scenario": name, "out": args.out }))
        }
    })?;
    output::say(&format!(
        "{heading_line}
  use it         GOOGLE_GEMINI_BASE_URL={url} gemicro \"…\"
  as OpenAI API  {url}/v1
  stop it        Ctrl-C; then: gemicro sim serve --scenario {out}"
    ));
    keep_written(&recorder, &args.out, &name, &stop).await?;
    let recorded = recorder.shutdown(&name).await;
    if recorded.as_ref().is_ok_and(|scenario| scenario.rules.is_empty()) {
        output::say(&format!("Nothing was recorded; {out} was not touched."));
        return Ok(());
    }
    let n_exchanges = write(&args.out, recorded)?;
    output::say(&format!(
        "Wrote {} to {out}",
        numbers::count(n_exchanges, "exchange")
    ));
    Ok(())
}

/// Writes the file after each exchange until it is stopped.
async fn keep_written(
    recorder: &RunningRecorder,
    out: &Path,
    name: &str,
    stop: &StopSignals,
) -> Result<(), CommandError> {
    let mut n_ended = 0;
    loop {
        tokio::select! {
            () = stop.suspend.cancelled() => return Ok(()),
            n_now = recorder.ended_beyond(n_ended) => {
                n_ended = n_now;
                write(out, recorder.scenario(name))?;
            }
        }
    }
}

/// Writes the scenario and returns its number of exchanges.
fn write(out: &Path, recorded: Result<Scenario, RecordError>) -> Result<usize, CommandError> {
    let too_large = |error: RecordError| {
        CommandError::new_failure(
            ErrorKind::StorageError,
            format!("the recording ends here: {error}"),
            "what was recorded before is in the file; record less at a time",
        )
    };
    let unwritable = |error: ScenarioError| {
        CommandError::new_failure(ErrorKind::Internal, error.to_string(), "please report it")
    };
    let scenario = recorded.map_err(too_large)?;
    let yaml = scenario.to_yaml().map_err(unwritable)?;
    let written = output::replace(out, yaml.as_bytes());
    written.map_err(|stopped| stopped.with_hint("check free space and permissions of its folder"))?;
    Ok(scenario.rules.len())
}

/// The scenario is named after its file.
fn name_of(out: &Path) -> String {
    let stem = out.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| "recorded".to_owned())
}
