//! `gemicro batch schema`.

use clap::Args;
use gemicro_engine::{TASK_TYPES, task_type};

use crate::command_error::CommandError;
use crate::output;

/// Arguments of `gemicro batch schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// A task type; `gemicro batch types` lists them
    #[arg(value_name = "TYPE")]
    pub(crate) name: String,
}

/// Prints the JSON Schema of a type's parameters.
pub(super) fn schema(args: &SchemaArgs) -> Result<(), CommandError> {
    let known = task_type(&args.name).ok_or_else(|| {
        let names: Vec<&str> = TASK_TYPES.iter().map(|it| it.name).collect();
        CommandError::usage(
            format!("there is no task type `{}`", args.name),
            format!("use one of {}", names.join(", ")),
        )
    })?;
    output::print(&format!("{:#}\n", known.schema()))
}
