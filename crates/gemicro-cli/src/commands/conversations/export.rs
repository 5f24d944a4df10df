//! `gemicro conversations export`: writes a conversation to a file of turns.

use std::path::PathBuf;

use clap::Args;
use gemicro_core::history::write_transcript;
use gemicro_event::{ErrorKind, Failure};

use super::open::load;
use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::session::Context;

/// Arguments of `gemicro conversations export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The conversation: the start of its id, or `last`
    pub(crate) id: String,
    /// The file to write [default: stdout]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Writes the turns; `import` creates an equal conversation from them.
pub(super) async fn export(ctx: &Context, args: &ExportArgs) -> Result<(), CommandError> {
    let file = args.file.as_deref().filter(|file| file.as_os_str() != "-");
    if let Some(file) = file {
        output::check_target(file)
            .map_err(|stopped| stopped.with_hint("choose a file in an existing folder"))?;
    }
    let conversation = load(ctx, &args.id).await?;
    let lines = write_transcript(&conversation.log)
        .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
    let mut output = CommandOutput::new(file);
    output.write(lines.as_bytes())?;
    output.finish()
}
