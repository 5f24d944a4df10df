//! Finds the unanswered questions of runs.
//!
//! [`question_to_answer`] finds the question of a run or of the tasks of a batch; [`report_questions`] reports
//! questions to the parent run.

use futures_util::StreamExt;
use gemicro_batch::contract::ItemQuestion;
use gemicro_batch::flow::{BatchItemAnswered, BatchItemAsks};
use gemicro_core::execute::StepReporter;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::{AnswerGiven, AnswerRequested, RunReaders};
use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, Event, Failure, Json, StreamId, Timestamp};
use gemicro_store::DurableStore;

use crate::board::{answer_of_board, counts_of_board};
use crate::flows::{flow_named, has_board};

/// The questions that a run, or the tasks of a batch, wait on. Questions whose answer is stored until the run resumes
/// are not included.
///
/// # Errors
/// When the store fails.
pub async fn open_questions(store: &DurableStore, row: &RunRow) -> Result<Vec<ItemQuestion>, Failure> {
    let mut open = Vec::new();
    for question in asked_questions(store, row).await? {
        if !is_answered(store, &question).await? {
            open.push(question);
        }
    }
    Ok(open)
}

/// The question that this run itself waits on, and when it was asked; `None` also if its answer is stored until the run
/// resumes.
///
/// # Errors
/// When the store fails.
pub(crate) async fn open_question_of_run(
    store: &DurableStore,
    run: &StreamId,
) -> Result<Option<(ItemQuestion, Timestamp)>, Failure> {
    let mut questions = Questions::new(run);
    let events = store.read(run, 0, usize::MAX).await?.events;
    events.iter().for_each(|event| questions.fold(event));
    Ok(match questions.open {
        Some(question) if !is_answered(store, &question).await? => Some((question, questions.asked_at)),
        Some(_) | None => None,
    })
}

/// The question that an answer to this run is for: its own, or that of the only asking task of a batch.
///
/// # Errors
/// `conflict` when its last question was answered already; `invalid_input` when there is no question, or when several
/// tasks of a batch ask.
pub async fn question_to_answer(store: &DurableStore, row: &RunRow) -> Result<ItemQuestion, Failure> {
    let open = open_questions(store, row).await?;
    // If all are answered, a second answer is refused when it is sent, with the first one.
    let asked = if open.is_empty() {
        asked_questions(store, row).await?
    } else {
        open
    };
    let invalid = |message| Err(Failure::new(ErrorKind::InvalidInput, message));
    match asked.as_slice() {
        [one] => Ok(one.clone()),
        [] => match last_answer(store, row).await? {
            Some(AnswerGiven { key, answer, .. }) => {
                let message = already_answered(&row.run, &key, &answer);
                Err(Failure::new(ErrorKind::Conflict, message))
            }
            None => invalid(format!("run {} is not waiting for an answer", row.run)),
        },
        several => {
            let runs: Vec<String> = several
                .iter()
                .map(|it| format!("{} ({})", it.run_id, it.text))
                .collect();
            invalid(format!(
                "{} tasks of batch {} wait for an answer; answer the run of one of them: {}",
                several.len(),
                row.run,
                runs.join(", ")
            ))
        }
    }
}

/// The last answer in the journal of a run that is no batch.
async fn last_answer(store: &DurableStore, row: &RunRow) -> Result<Option<AnswerGiven>, Failure> {
    if has_board(row) {
        return Ok(None);
    }
    let events = store.read(&row.run, 0, usize::MAX).await?.events;
    let mut latest_first = events.iter().rev();
    Ok(latest_first.find_map(|event| event.update.as_answer_given()))
}

/// Refuses a second answer to a question.
pub(crate) fn already_answered(run: &StreamId, key: &str, answer: &Json) -> String {
    format!("`{key}` of run {run} was answered already, with {answer}, and the first answer counts")
}

/// The questions without an answer in the journal of the asking run.
async fn asked_questions(store: &DurableStore, row: &RunRow) -> Result<Vec<ItemQuestion>, Failure> {
    let mut runs = vec![row.run.clone()];
    if has_board(row) {
        let counts = counts_of_board(&store.board_tallies(&row.run).await?);
        if row.status.is_terminal() || counts.is_none_or(|counts| counts.input_required == 0) {
            return Ok(Vec::new());
        }
        let answer = answer_of_board(row, store.board(&row.run).await?);
        let items = answer.into_iter().flat_map(|answer| answer.results);
        runs = items.filter_map(|item| Some(item.question?.run_id)).collect();
    }
    let mut asked = Vec::new();
    for run in runs {
        asked.extend(asked_in(&run, &store.read(&run, 0, usize::MAX).await?.events));
    }
    Ok(asked)
}

/// The question in a run's events that has no answer there.
#[must_use]
pub fn asked_in(run: &StreamId, events: &[Event]) -> Option<ItemQuestion> {
    let mut questions = Questions::new(run);
    events.iter().for_each(|event| questions.fold(event));
    questions.open
}

/// Reports the questions and answers of a child run to its batch. Ends only with the run.
pub(crate) async fn report_questions(store: &DurableStore, run: &StreamId, reporter: &StepReporter) {
    let Ok(row) = store.run(run).await else {
        return;
    };
    let mut asked = Questions::new(run);
    let mut reported: Option<ItemQuestion> = None;
    let mut events = store.subscribe(run, 0);
    while let Some(Ok(event)) = events.next().await {
        asked.fold(&event);
        // Earlier questions count only if they are still open.
        if event.seq < row.n_events || asked.open == reported {
            continue;
        }
        if let Some(ItemQuestion { run_id, key, .. }) = reported.take() {
            reporter.fact(&BatchItemAnswered { run_id, key });
        }
        if let Some(question) = &asked.open
            && !is_answered(store, question).await.unwrap_or(false)
        {
            reporter.fact(&BatchItemAsks {
                question: question.clone(),
            });
            reported = Some(question.clone());
        }
    }
}

/// Whether an answer is stored that the run has not taken yet.
async fn is_answered(store: &DurableStore, question: &ItemQuestion) -> Result<bool, Failure> {
    let kept = store.open_commands(&question.run_id).await?;
    Ok(kept.iter().any(|command| {
        let key = command.data.get("key").and_then(|key| key.as_str());
        command.command_type == "answer" && key == Some(question.key.as_str())
    }))
}

/// The questions of a run, folded from its journal.
struct Questions {
    run: StreamId,
    flow: String,
    plan: Json,
    open: Option<ItemQuestion>,
    /// When the last question was asked.
    asked_at: Timestamp,
}

impl Questions {
    fn new(run: &StreamId) -> Self {
        Self {
            run: run.clone(),
            flow: String::new(),
            plan: Json::empty(),
            open: None,
            asked_at: Timestamp::default(),
        }
    }

    fn fold(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "run_started" => {
                if let Some(started) = update.as_run_started() {
                    (self.flow, self.plan) = (started.flow, started.plan);
                }
            }
            "answer_requested" => {
                self.asked_at = update.timestamp;
                self.open = update.as_answer_requested().map(|asked| ItemQuestion {
                    run_id: self.run.clone(),
                    text: text(&self.flow, &self.plan, &asked),
                    key: asked.key,
                });
            }
            "answer_given" => {
                let given = update.as_answer_given().map(|given| given.key);
                self.open.take_if(|open| given.as_ref() == Some(&open.key));
            }
            other if gemicro_event::is_terminal(other) => self.open = None,
            _ => {}
        }
    }
}

/// The question's text: the workflow's question for a gate, the tool and its action, or the key.
fn text(flow: &str, plan: &Json, asked: &AnswerRequested) -> String {
    let of_gate = || flow_named(flow)?.question(plan, &asked.key);
    let of_tool = || {
        let tool = asked.tool.as_ref()?;
        Some(match &asked.what {
            Some(what) => format!("May {tool} do this? {what}"),
            None => format!("May {tool} be used?"),
        })
    };
    of_gate()
        .or_else(of_tool)
        .unwrap_or_else(|| format!("May it continue ({})?", asked.key))
}
