//! Asking a person whether the plan of a run is right (`--plan`).

use std::io;
use std::thread;

use gemicro_event::Json;
use serde_json::json;
use tokio::sync::oneshot;

use crate::output;
use crate::screen::text;
use crate::trouble::Stopped;

/// Who approves a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The person at the terminal.
    Ask,
    /// Everything is approved: `--yes`.
    Granted,
}

/// Shows the sub-queries and waits for an answer, in the form the run understands; `None` when
/// input ended without one.
pub(crate) async fn ask(approval: Approval, sub_queries: &[String]) -> Result<Option<Json>, Stopped> {
    show(sub_queries);
    if approval == Approval::Granted {
        return Ok(Some(answer(true, None)));
    }
    let sub_queries = sub_queries.to_vec();
    let (tell, told) = oneshot::channel();
    // A thread of its own: reading a keyboard cannot be stopped, so nobody must wait for it.
    thread::spawn(move || tell.send(converse(sub_queries)));
    told.await.unwrap_or(Ok(None))
}

fn converse(sub_queries: Vec<String>) -> Result<Option<Json>, Stopped> {
    let mut edited: Option<Vec<String>> = None;
    loop {
        output::ask("Go on? [Y]es, [e]dit, [n]o: ");
        let Some(typed) = read_line()? else {
            return Ok(None);
        };
        match typed.trim().to_lowercase().as_str() {
            "" | "y" | "yes" => return Ok(Some(answer(true, edited))),
            "n" | "no" => return Ok(Some(answer(false, None))),
            "e" | "edit" => {
                output::say("One sub-query per line; an empty line ends (at once: keep them as they are).");
                let lines = read_block()?;
                if !lines.is_empty() {
                    edited = Some(lines);
                }
                show(edited.as_deref().unwrap_or(&sub_queries));
            }
            other => output::say(&format!("`{}` is none of y, e, n.", text::cut(other, 20))),
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

/// `None` at the end of input.
fn read_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((io::stdin().read_line(&mut line)? > 0).then_some(line))
}
