//! How an answer looks: the JSON of the contract, one task a line, or a table; and the exit code it means.

use gemicro_engine::{BatchAnswer, BatchStatus, Counts, ItemAnswer, ItemQuestion, ItemState};
use gemicro_event::{ErrorKind, Failure, FailureClass, StreamId};
use serde::Serialize;
use serde_json::Value;

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Paint, Screen, numbers, table, text};

/// Questions whose answers are explained.
const MAX_QUESTIONS: usize = 10;
/// The status of a batch that ended with tasks that did not complete.
pub(crate) const IN_PART: &str = "completed in part";
/// Characters of an output without texts that are looked at: no screen is wider.
const MAX_GIST: usize = 400;

/// The format that was asked for; by default text on a terminal, JSON for programs.
pub(super) fn answer_format(given: Option<DataFormat>, screen: &Screen) -> DataFormat {
    given.unwrap_or(match screen.stdout_is_terminal {
        true => DataFormat::Text,
        false => DataFormat::Json,
    })
}

pub(crate) fn print(answer: &BatchAnswer, format: DataFormat, screen: &Screen) -> Result<(), CommandError> {
    output::print(&render_answer(answer, format, screen))
}

/// An answer as it is printed.
pub(crate) fn render_answer(answer: &BatchAnswer, format: DataFormat, screen: &Screen) -> String {
    match format {
        DataFormat::Json => line(answer),
        DataFormat::Jsonl => answer.results.iter().map(line).collect(),
        DataFormat::Text => page(answer, screen),
    }
}

/// The exit code of a batch: 0 when every task completed. Programs learn the rest from the answer.
///
/// # Errors
/// `still_running` while it is pending, or `input_required` where it continues only after a person has answered; `tasks_failed` when only some tasks completed; the error of the first task that
/// failed when none did.
pub(crate) fn outcome(answer: &BatchAnswer) -> Result<(), CommandError> {
    let (failure, hint) = match answer.status {
        BatchStatus::Completed if !is_in_part(&answer.counts) => return Ok(()),
        BatchStatus::Completed => {
            let message = format!(
                "some tasks of batch {} did not complete: {}",
                answer.response_id,
                summary(answer)
            );
            (Failure::new(ErrorKind::TasksFailed, message), retry_hint(answer))
        }
        BatchStatus::Pending if answer.counts.waits_for_person() => {
            let message = format!(
                "batch {} is waiting for an answer: {}",
                answer.response_id,
                summary(answer)
            );
            let how: Vec<String> = questions(answer).map(how_to_answer).collect();
            (
                Failure::new(ErrorKind::InputRequired, message),
                how.join("\n        "),
            )
        }
        BatchStatus::Pending if answer.paused => {
            let message = format!("batch {} is paused: {}", answer.response_id, summary(answer));
            let resume = format!("`gemicro resume {}` continues it", answer.response_id);
            let hint = match answer.counts.interrupted {
                0 => resume,
                _ => format!("{resume}; {}", retry_hint(answer)),
            };
            (Failure::new(ErrorKind::StillRunning, message), hint)
        }
        BatchStatus::Pending => {
            let message = format!("batch {} is not done: {}", answer.response_id, summary(answer));
            let hint = format!("gemicro batch wait {}", answer.response_id);
            (Failure::new(ErrorKind::StillRunning, message), hint)
        }
        BatchStatus::Failed => {
            let failed = || answer.results.iter().filter(|item| item.error_kind.is_some());
            // A skipped task says less than the task it was skipped for.
            let first = failed()
                .find(|item| item.state != ItemState::Skipped)
                .or_else(|| failed().next());
            let kind = first.and_then(|item| item.error_kind);
            // The exit code of these means that the batch is not done.
            let kind = kind.filter(|kind| kind.class() != FailureClass::Busy);
            let why = first.and_then(|item| Some(format!("{}: {}", item.task_id, item.error.as_ref()?)));
            let message = format!(
                "no task of batch {} completed; {}",
                answer.response_id,
                why.unwrap_or_default()
            );
            let kind = kind.unwrap_or(ErrorKind::UpstreamError);
            (Failure::new(kind, message), retry_hint(answer))
        }
    };
    let stopped = CommandError::from(failure).with_hint(hint);
    Err(match StreamId::new(answer.response_id.as_str()) {
        // It was printed; nothing more of it is.
        Ok(run) => stopped.about(&run),
        Err(_) => stopped,
    })
}

/// What tasks ask a person.
fn questions(answer: &BatchAnswer) -> impl Iterator<Item = &ItemQuestion> {
    let items = answer.results.iter();
    items
        .filter_map(|item| item.question.as_ref())
        .take(MAX_QUESTIONS)
}

/// `gemicro answer RUN yes    # or no: the question`.
fn how_to_answer(asked: &ItemQuestion) -> String {
    format!(
        "gemicro answer {} yes    # or no: {}",
        asked.run_id,
        text::one_line(&asked.text)
    )
}

fn retry_hint(answer: &BatchAnswer) -> String {
    let (id, counts) = (&answer.response_id, &answer.counts);
    let lists = format!("`gemicro batch results {id} --format text` lists the tasks");
    let can_retry =
        counts.failed + counts.interrupted + counts.skipped + counts.cancelled + counts.expired > 0;
    let is_over_budget = |item: &ItemAnswer| item.error_kind == Some(ErrorKind::BudgetExceeded);
    match (counts.interrupted, can_retry) {
        (0, false) => {
            "`gemicro batch types` lists the task types, `gemicro batch schema TYPE` their parameters"
                .to_owned()
        }
        // The same budget would be used up again.
        (0, true) if answer.results.iter().any(is_over_budget) => {
            format!("submit it again with a larger --budget; {lists}")
        }
        (0, true) => format!("`gemicro batch retry {id}` runs them again; {lists}"),
        _ => format!("`gemicro batch retry {id} --only interrupted` reruns the interrupted tasks; {lists}"),
    }
}

/// Whether tasks of an ended batch did not complete.
pub(crate) fn is_in_part(counts: &Counts) -> bool {
    counts.completed < counts.total
}

/// `3 of 4 tasks completed, 1 rejected`.
pub(crate) fn summary(answer: &BatchAnswer) -> String {
    let Counts {
        total,
        queued,
        running,
        parked,
        input_required,
        completed,
        failed,
        cancelled,
        expired,
        rejected,
        skipped,
        interrupted,
    } = answer.counts;
    let others = [
        (failed, "failed"),
        (interrupted, "interrupted"),
        (skipped, "skipped"),
        (cancelled, "cancelled"),
        (expired, "expired"),
        (rejected, "rejected"),
        (running, "running"),
        (parked, "parked"),
        (input_required, "waiting for an answer"),
        (queued, "queued"),
    ];
    let others = others.iter().filter(|(n, _)| *n > 0);
    let others: String = others
        .map(|(n, word)| format!(", {} {word}", numbers::thousands(*n)))
        .collect();
    format!(
        "{} of {} completed{others}",
        numbers::thousands(completed),
        tasks(total)
    )
}

/// What a task gave back, or why it did not, in a line.
pub(crate) fn gist(item: &ItemAnswer) -> String {
    if let Some(asked) = &item.question {
        return format!("asks: {}", text::one_line(&asked.text));
    }
    if let Some(error) = &item.error {
        return text::one_line(error);
    }
    let Value::Object(fields) = &*item.output else {
        return String::new();
    };
    match fields.get("exit_code").and_then(Value::as_i64) {
        Some(code) => {
            let printed = ["stdout", "stderr"]
                .iter()
                .filter_map(|name| fields.get(*name))
                .find_map(first_line);
            let printed = printed.unwrap_or_else(|| "(printed nothing)".to_owned());
            match code {
                0 => printed,
                _ => format!("exit {code}: {printed}"),
            }
        }
        None if fields.is_empty() => String::new(),
        None => fields.values().find_map(first_line).unwrap_or_else(|| {
            let beginning: String = item.output.text().chars().take(MAX_GIST).collect();
            text::one_line(&beginning)
        }),
    }
}

/// The first line of a text that says something.
fn first_line(value: &Value) -> Option<String> {
    let line = value.as_str()?.lines().find(|line| !line.trim().is_empty())?;
    Some(text::one_line(line))
}

fn page(answer: &BatchAnswer, screen: &Screen) -> String {
    let paint = screen.on_stdout();
    let status = match answer.status {
        BatchStatus::Pending if answer.counts.waits_for_person() => paint.warn("waiting for an answer"),
        BatchStatus::Pending if answer.paused => paint.warn("paused"),
        BatchStatus::Pending => paint.warn("pending"),
        BatchStatus::Completed if is_in_part(&answer.counts) => paint.warn(IN_PART),
        BatchStatus::Completed => paint.good("completed"),
        BatchStatus::Failed => paint.bad("failed"),
    };
    let heads = ["STATE", "TASK", "OUTPUT OR ERROR"].map(str::to_owned);
    let items = answer.results.iter().map(|item| {
        let state = item.state.as_str().to_owned();
        [state, text::one_line(&item.task_id), gist(item)]
    });
    let lines: Vec<[String; 3]> = std::iter::once(heads).chain(items).collect();
    let has_error = |idx: usize| idx > 0 && answer.results[idx - 1].error.is_some();
    let table = table::thirds(&lines, screen.width(), has_error);
    let head = paint.strong(&format!("Batch {}", answer.response_id));
    let mut page = format!("{head} · {status}\n{}\n", summary(answer));
    if let Some(trouble) = &answer.trouble {
        page.push_str(&format!(
            "{} {}\n",
            paint.warn("Blocked, retrying:"),
            text::one_line(trouble)
        ));
    }
    page.push('\n');
    let states = answer.results.iter().map(|item| Some(item.state));
    for (line, state) in table.iter().zip(std::iter::once(None).chain(states)) {
        page.push_str(&paint_state(line, state, paint));
        page.push('\n');
    }
    if answer.counts.input_required > 0 {
        page.push('\n');
    }
    for asked in questions(answer) {
        page.push_str(&format!("{}\n", how_to_answer(asked)));
    }
    page
}

/// A line whose first word is a state, or a heading.
fn paint_state(line: &str, state: Option<ItemState>, paint: Paint) -> String {
    let Some(state) = state else {
        return paint.strong(line);
    };
    let word = state.as_str();
    // A narrow screen may have cut it.
    let Some(rest) = line.strip_prefix(word) else {
        return line.to_owned();
    };
    let word = match state.status() {
        BatchStatus::Pending => paint.warn(word),
        BatchStatus::Completed => paint.good(word),
        BatchStatus::Failed => paint.bad(word),
    };
    word + rest
}

fn tasks(n_tasks: u64) -> String {
    numbers::count(usize::try_from(n_tasks).unwrap_or(usize::MAX), "task")
}

fn line(shown: &impl Serialize) -> String {
    let json = serde_json::to_string(shown).expect("an answer has string keys only");
    json + "\n"
}
