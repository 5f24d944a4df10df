//! `gemicro sim serve`: a model API on this machine.

use clap::Args;
use gemicro_sim::Simulator;
use serde_json::json;

use super::place::{PlaceArgs, not_started};
use super::scenarios;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::session::Context;
use crate::signals;

/// Arguments of `gemicro sim serve`.
#[derive(Debug, Args)]
pub(crate) struct SimServeArgs {
    /// A built-in scenario (`gemicro sim scenarios` lists them) or a file
    #[arg(long, value_name = "NAME|FILE", default_value = scenarios::DEFAULT)]
    scenario: String,
    #[command(flatten)]
    place: PlaceArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: DataFormat,
}

/// Serves until a signal arrives.
pub(super) async fn serve(ctx: &Context, args: &SimServeArgs) -> Result<(), CommandError> {
    let scenario = scenarios::find(&args.scenario)?;
    let addr = args.place.addr()?;
    // Before the address is printed: its reader may send a signal at once.
    let stop = signals::listen()?;
    let (name, description) = (scenario.name.clone(), scenario.description.clone());
    let running = Simulator::start(scenario, addr)
        .await
        .map_err(|error| not_started(&error))?;
    let url = running.url();
    output::print(&match args.format {
        DataFormat::Text => format!("{url}\n"),
        DataFormat::Json | DataFormat::Jsonl => format!("{}\n", json!({ "url": url, "scenario": name })),
    })?;
    let heading = ctx.screen.on_stderr().strong(&format!("Scenario {name}:"));
    output::say(&format!(
        "{heading} {description}
  ask it         GOOGLE_GEMINI_BASE_URL={url} GEMINI_API_KEY=sim gemicro \"…\"
  as OpenAI API  {url}/v1
  its requests   curl {url}/_sim/log
  open a gate    curl -X POST {url}/_sim/gates/NAME/open
  start over     curl -X POST {url}/_sim/reset
  stop it        Ctrl-C"
    ));
    stop.suspend.cancelled().await;
    running.shutdown().await;
    Ok(())
}
