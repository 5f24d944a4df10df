//! `gemicro completions`: shell completions on stdout.

use clap::Args;
use clap_complete::Shell;

use crate::args::tree;
use crate::command_error::CommandError;
use crate::output::CommandOutput;

/// Arguments of `gemicro completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut tree(), "gemicro", &mut script);
    CommandOutput::Stdout.write(&script)?;
    Ok(())
}
