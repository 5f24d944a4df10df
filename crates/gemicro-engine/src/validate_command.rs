//! Refuses commands that no driver would accept when they are sent, because no driver may be running to refuse them.

use gemicro_core::budget::Limits;
use gemicro_core::command::{ADJUST_BUDGET, AgentCommand};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure, Json, StreamId};
use gemicro_store::DurableStore;
use serde::Deserialize;

use crate::flows::flow_named;
use crate::questions::already_answered;

#[derive(Deserialize)]
struct AnswerText {
    key: String,
    answer: Json,
}

/// Refuses a command without effect. One that was sent before is not examined again.
pub(crate) async fn check(
    store: &DurableStore,
    run: &StreamId,
    command: &AgentCommand,
) -> Result<(), Failure> {
    if store.acknowledgement(run, &command.command_id).await?.is_some() {
        return Ok(());
    }
    match command.command_type.as_str() {
        "answer" => check_answer(store, run, command).await,
        // A cancellation of an ended run is answered by its caller.
        "cancel" => Ok(()),
        _ => {
            let status = store.run(run).await?.status;
            if status.is_terminal() {
                let message = format!(
                    "run {run} has ended ({}) and takes no more commands",
                    status.as_str()
                );
                return Err(Failure::new(ErrorKind::Conflict, message));
            }
            check_budget(store, run, command).await
        }
    }
}

/// Refuses limits that a run of this plan cannot keep.
async fn check_budget(store: &DurableStore, run: &StreamId, command: &AgentCommand) -> Result<(), Failure> {
    if command.command_type != ADJUST_BUDGET {
        return Ok(());
    }
    let limits = command
        .adjusted_limits(Limits::NONE)
        .map_err(|reason| Failure::new(ErrorKind::InvalidInput, reason))?;
    let events = store.read(run, 0, 1).await?.events;
    let started = events.first().and_then(|first| first.update.as_run_started());
    match started.and_then(|it| Some((flow_named(&it.flow)?, it.plan))) {
        Some((flow, plan)) => flow.check_limits(&plan, &limits),
        None => Ok(()),
    }
}

/// Refuses a second answer, an answer without a question, and one that is neither yes nor no for a gate.
async fn check_answer(store: &DurableStore, run: &StreamId, command: &AgentCommand) -> Result<(), Failure> {
    // An unreadable command is refused by the driver, like any other.
    let Ok(AnswerText { key, answer }) = command.data.parse() else {
        return Ok(());
    };
    let (mut flow, mut is_asked, mut given) = (None, false, None);
    for event in store.read(run, 0, usize::MAX).await?.events {
        match event.update.event_type.as_str() {
            "run_started" => flow = event.update.as_run_started().and_then(|it| flow_named(&it.flow)),
            "answer_requested" => {
                let asked = event.update.as_answer_requested();
                is_asked |= asked.is_some_and(|asked| asked.key == key);
            }
            "answer_given" => {
                let answer = event.update.as_answer_given().filter(|it| it.key == key);
                given = answer.map(|it| it.answer).or(given);
            }
            _ => {}
        }
    }
    let conflict = |message: String| Err(Failure::new(ErrorKind::Conflict, message));
    if !is_asked {
        return conflict(format!("run {run} did not ask `{key}`"));
    }
    let open = store.open_commands(run).await?.into_iter();
    let kept = open
        .filter(|it| it.command_type == command.command_type)
        .filter_map(|it| it.data.parse::<AnswerText>().ok())
        .find(|it| it.key == key);
    match given.or(kept.map(|it| it.answer)) {
        // The same answer sent twice.
        Some(first) if first == answer => Ok(()),
        Some(first) => conflict(already_answered(run, &key, &first)),
        None if !flow.is_none_or(|flow| flow.accepts(&key, &answer)) => {
            let message = format!("{answer} is neither yes nor no, and run {run} asks for one of them");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        None => Ok(()),
    }
}
