//! Refuses answers that no driver would accept when they are sent, because no driver may be running to refuse them.

use gemicro_core::command::AgentCommand;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Failure, Json, StreamId};
use serde::Deserialize;

use crate::flows::flow_named;
use crate::questions::already_answered;

#[derive(Deserialize)]
struct AnswerText {
    key: String,
    answer: Json,
}

/// Refuses a second answer, an answer without a question, and one that is neither yes nor no for a gate.
pub(crate) async fn check(store: &dyn Store, run: &StreamId, command: &AgentCommand) -> Result<(), Failure> {
    if command.command_type != "answer" || store.acknowledgement(run, &command.command_id).await?.is_some() {
        return Ok(());
    }
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
