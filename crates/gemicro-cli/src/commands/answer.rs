//! `gemicro answer`: answers the question that a run, or a task of a batch, waits on.

use clap::Args;
use gemicro_core::command::AgentCommand;
use gemicro_engine::{ItemQuestion, LocalRunService, question_to_answer, tell};
use gemicro_event::{ErrorKind, Json};

use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::session::{Context, find_run, run_error};

/// Arguments of `gemicro answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run, or a batch with one waiting task: the start of its id, or `last`
    pub(crate) run: String,
    /// The answer: one word, such as yes or no, or JSON
    pub(crate) answer: String,
}

/// Answers a run, or the task of a batch that asks.
pub(crate) fn run(ctx: &Context, args: &AnswerArgs) -> Result<(), CommandError> {
    runtime::block_on(async {
        let here = LocalRunService::new(ctx.plain_engine().await?);
        let answered = answer(ctx, &here, args).await;
        here.engine().close().await;
        answered
    })
}

async fn answer(ctx: &Context, here: &LocalRunService, args: &AnswerArgs) -> Result<(), CommandError> {
    let store = here.engine().store();
    let named = find_run(store, &args.run).await?;
    let asked = question_to_answer(store, &store.run(&named).await?).await;
    let ItemQuestion { run_id, key, .. } = asked.map_err(|failure| {
        let hint = format!("`gemicro show {named}` shows its state and its question");
        CommandError::from(failure).with_hint(hint)
    })?;
    let answer =
        serde_json::from_str(&args.answer).unwrap_or_else(|_| serde_json::Value::String(args.answer.clone()));
    let command = AgentCommand::answer(&key, &Json::from(answer));
    let command = match ctx.environment.user() {
        Some(who) => command.by(&who),
        None => command,
    };
    match tell(here, &run_id, command).await {
        Ok(()) => output::say(&format!("Answered {key} of run {run_id}.")),
        Err(failure) => match failure.kind {
            ErrorKind::StillRunning => output::say(&format!(
                "The answer is saved, but run {run_id} is not running. To continue it: gemicro resume {named}"
            )),
            ErrorKind::InvalidInput => {
                let hint = format!("gemicro answer {run_id} yes (or no)");
                return Err(CommandError::from(failure).with_hint(hint));
            }
            ErrorKind::Conflict => {
                let hint = format!("if the first answer was wrong, end the run: gemicro cancel {named}");
                return Err(CommandError::from(failure).with_hint(hint));
            }
            _ => return Err(run_error(failure, &run_id)),
        },
    }
    Ok(())
}
