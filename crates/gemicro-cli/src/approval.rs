//! Asks a person to approve the plan of a run (`--plan`).

use std::io::{self, IsTerminal as _};
use std::thread;

use futures_util::future::BoxFuture;
use gemicro_core::research::PLAN_QUESTION;
use gemicro_core::research::events::ResearchReaders;
use gemicro_event::{Event, Json};
use rustix::termios::{QueueSelector, tcflush};
use serde_json::json;
use tokio::sync::oneshot;

use crate::asker::Asker;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;

/// Who approves a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanApproval {
    /// The person at the terminal.
    Ask,
    /// Everything is approved: `--yes`.
    Granted,
}

/// Asks whether the plan of a research run is right.
pub(crate) struct PlanAsker {
    approval: PlanApproval,
    sub_queries: Vec<String>,
}

impl PlanAsker {
    pub(crate) fn new(approval: PlanApproval) -> Self {
        Self {
            approval,
            sub_queries: Vec::new(),
        }
    }
}

impl Asker for PlanAsker {
    fn event(&mut self, event: &Event) {
        if let Some(complete) = event.update.as_decomposition_complete() {
            self.sub_queries = complete.sub_queries;
        }
    }

    fn answers(&self, key: &str) -> bool {
        key == PLAN_QUESTION
    }

    /// Ends the line of the question that was asked.
    fn withdraw(&mut self) {
        output::say("");
    }

    /// Shows the sub-queries and waits for an answer, in the form the run understands.
    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, CommandError>> {
        let sub_queries = self.sub_queries.clone();
        discard_early_input();
        show(&sub_queries);
        match self.approval {
            PlanApproval::Granted => Box::pin(std::future::ready(Ok(Some(answer(true, None))))),
            PlanApproval::Ask => Box::pin(at_keyboard(move || converse(sub_queries))),
        }
    }
}

/// Forgets what was typed before a question is shown: it cannot be an answer to it. Call it before showing the question.
pub(crate) fn discard_early_input() {
    if io::stdin().is_terminal() {
        // A terminal that cannot do this is asked all the same.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }
}

/// Waits for the result of a dialogue at the keyboard.
pub(crate) async fn at_keyboard(
    converse: impl FnOnce() -> Result<Option<Json>, CommandError> + Send + 'static,
) -> Result<Option<Json>, CommandError> {
    let (tell, answer) = oneshot::channel();
    // On a separate thread: reading a keyboard cannot be cancelled, so nothing must wait for it.
    thread::spawn(move || tell.send(converse()));
    answer.await.unwrap_or(Ok(None))
}

fn converse(sub_queries: Vec<String>) -> Result<Option<Json>, CommandError> {
    let mut edited: Option<Vec<String>> = None;
    loop {
        output::ask("Continue? [Y]es, [e]dit, [n]o: ");
        let Some(typed) = read_line()? else {
            return Ok(None);
        };
        match typed.trim().to_lowercase().as_str() {
            "" | "y" | "yes" => return Ok(Some(answer(true, edited))),
            "n" | "no" => return Ok(Some(answer(false, None))),
            "e" | "edit" => {
                output::say(
                    "Type one sub-query per line; end with an empty line (an empty line first keeps the plan).",
                );
                let lines = read_block()?;
                if !lines.is_empty() {
                    edited = Some(lines);
                }
                show(edited.as_deref().unwrap_or(&sub_queries));
            }
            other => output::say(&format!("`{}` is not y, e or n.", text::cut(other, 20))),
        }
    }
}

fn answer(approve: bool, edited: Option<Vec<String>>) -> Json {
    Json::from(match edited {
        Some(sub_queries) => json!({ "approve": approve, "sub_queries": sub_queries }),
        None => json!({ "approve": approve }),
    })
}

fn show(sub_queries: &[String]) {
    output::say("\nThe plan:");
    for (idx, sub_query) in sub_queries.iter().enumerate() {
        output::say(&format!("  {}. {}", idx + 1, text::one_line(sub_query)));
    }
}

fn read_block() -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    loop {
        output::ask("  > ");
        match read_line()? {
            Some(line) if !line.trim().is_empty() => lines.push(line.trim().to_owned()),
            Some(_) | None => return Ok(lines),
        }
    }
}

/// Reads a line; `None` at the end of input.
pub(crate) fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
}
