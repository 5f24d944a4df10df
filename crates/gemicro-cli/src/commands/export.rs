//! `gemicro export`: a run or conversation in one file.

use std::path::PathBuf;

use clap::Args;

use crate::command_error::CommandError;
use crate::config::ChatSettings;
use crate::recorder::{RecordingExtras, write_recording};
use crate::session::{Context, find_run};
use crate::{output, runtime};

/// Arguments of `gemicro export`.
#[derive(Debug, Args)]
pub(crate) struct ExportRunArgs {
    /// The run or conversation: the start of its id, or `last` for the newest run
    pub(crate) run: String,
    /// The file to write; `gemicro replay` runs it again
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: PathBuf,
}

/// Writes the recording of a run that has ended.
pub(crate) fn run(ctx: &Context, args: &ExportRunArgs) -> Result<(), CommandError> {
    output::check_target(&args.recording)?;
    runtime::block_on(async {
        let store = ctx.store().await?;
        let mut extras = RecordingExtras::default();
        let id = match find_run(&store, &args.run).await {
            Err(not_found) => {
                let settings = ChatSettings::resolve(&ctx.layers()?, None, None, None)?;
                extras.max_prompt_tokens = Some(settings.max_tokens.value);
                store.find_conversation(&args.run).await.map_err(|_| not_found)?
            }
            Ok(id) => id,
        };
        write_recording(ctx, &store, &id, &args.recording, extras).await
    })
}
