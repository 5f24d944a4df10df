//! `gemicro instruct`: gives the agents of a pipeline an instruction.

use clap::Args;
use gemicro_core::command::AgentCommand;
use gemicro_engine::pipeline::INSTRUCT;
use serde_json::json;

use crate::command_error::CommandError;
use crate::flow_table::flow_row;
use crate::session::Context;
use crate::tell_run::tell_run;

/// Arguments of `gemicro instruct`.
#[derive(Debug, Args)]
#[command(
    after_help = "The agent that is working now does not get it. For notes that outlive a run, commit \
                        docs/dev_docs/HUMAN_REVIEW.md."
)]
pub(crate) struct InstructArgs {
    /// The pipeline: the start of its id, or `last`
    pub(crate) run: String,
    /// What the agents of the next and all later steps must follow
    pub(crate) text: String,
}

/// Sends the owner's words to a pipeline.
pub(crate) fn run(ctx: &Context, args: &InstructArgs) -> Result<(), CommandError> {
    let done = "The agents get it from the next step on.";
    tell_run(
        ctx,
        &args.run,
        |row| match flow_row(&row.flow).has_phases {
            true => Ok(AgentCommand::new(INSTRUCT, json!({ "text": args.text }))),
            false => Err(CommandError::usage(
                format!(
                    "run {} is a {} run; only pipelines take instructions",
                    row.run, row.flow
                ),
                "gemicro runs".to_owned(),
            )),
        },
        done,
    )
}
