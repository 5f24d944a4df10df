//! `gemicro man`: manual pages on stdout.

use clap::Args;

use crate::args::tree;
use crate::command_error::CommandError;
use crate::output::CommandOutput;

/// Arguments of `gemicro man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command [default: gemicro as a whole]
    pub(crate) command: Option<String>,
}

/// Prints a manual page; `gemicro man | man -l -` shows it.
pub(crate) fn run(args: &ManArgs) -> Result<(), CommandError> {
    let mut tree = tree();
    tree.build();
    let page = match &args.command {
        None => tree,
        Some(name) => {
            let found = tree.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| {
                CommandError::usage(
                    format!("there is no command `{name}`"),
                    "`gemicro --help` lists the commands",
                )
            })?;
            let full_name = format!("gemicro-{name}");
            found.name(full_name)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    CommandOutput::Stdout.write(&text)?;
    Ok(())
}
