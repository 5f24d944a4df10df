//! `gemicro answer`: answers the question that a run waits on, whoever drives it.

use clap::Args;
use gemicro_core::command::AgentCommand;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::pipeline::flow::means_something;
use gemicro_engine::{Here, tell};
use gemicro_event::{ErrorKind, Json};

use crate::output;
use crate::runtime;
use crate::session::{Context, find_run, run_trouble};
use crate::trouble::Stopped;

/// Arguments of `gemicro answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run: the beginning of its id, or `last`
    pub(crate) run: String,
    /// The answer: JSON, or a word
    pub(crate) answer: String,
}

/// Answers a run.
pub(crate) fn run(ctx: &Context, args: &AnswerArgs) -> Result<(), Stopped> {
    runtime::block_on(async {
        let engine = ctx.plain_engine().await?;
        let id = find_run(engine.store(), &args.run).await?;
        let events = engine.store().read(&id, 0, usize::MAX).await?.events;
        let mut open = None;
        for event in &events {
            match event.update.event_type.as_str() {
                "answer_requested" => open = event.update.as_answer_requested().map(|asked| asked.key),
                "answer_given" => open = None,
                _ => {}
            }
        }
        let Some(key) = open else {
            return Err(Stopped::failed(
                ErrorKind::InvalidInput,
                format!("run {id} waits for no answer"),
                format!("see what it does: gemicro show {id}"),
            ));
        };
        let kept = engine.store().open_commands(&id).await?;
        let is_same = |it: &&AgentCommand| {
            let asked = it.data.get("key");
            it.command_type == "answer" && asked.and_then(|it| it.as_str()) == Some(key.as_str())
        };
        if let Some(kept) = kept.iter().find(is_same) {
            let told = kept
                .data
                .get("answer")
                .map(ToString::to_string)
                .unwrap_or_default();
            return Err(Stopped::failed(
                ErrorKind::Conflict,
                format!("run {id} was answered already, with {told}, and the first answer counts"),
                format!("if that was wrong, end the run before it goes on: gemicro cancel {id}"),
            ));
        }
        let answer = serde_json::from_str(&args.answer)
            .unwrap_or_else(|_| serde_json::Value::String(args.answer.clone()));
        let answer = Json::from(answer);
        if !means_something(&key, &answer) {
            return Err(Stopped::usage(
                format!(
                    "`{}` is neither yes nor no, and run {id} asks for one of them",
                    args.answer
                ),
                format!("gemicro answer {id} yes (or no)"),
            ));
        }
        let command = AgentCommand::answer(&key, &answer);
        let command = match ctx.environment.user() {
            Some(who) => command.by(&who),
            None => command,
        };
        let here = Here::new(engine);
        let told = tell(&here, &id, command).await;
        here.engine().store().close().await;
        match told {
            Ok(()) => output::say(&format!("Answered {key} of run {id}.")),
            Err(failure) if failure.kind == ErrorKind::StillRunning => output::say(&format!(
                "The answer is kept; nobody drives run {id} now. It is taken when it goes on: gemicro resume {id}"
            )),
            Err(failure) => return Err(run_trouble(failure, &id)),
        }
        Ok(())
    })
}
