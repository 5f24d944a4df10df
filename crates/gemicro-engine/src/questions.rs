//! What a run asks a person and has no answer to yet.
//!
//! [`open_question`] reads it from the journal of a run; [`report_questions`] tells the run above about it.

use futures_util::StreamExt;
use gemicro_batch::contract::ItemQuestion;
use gemicro_batch::flow::{BatchItemAnswered, BatchItemAsks};
use gemicro_core::execute::StepReporter;
use gemicro_core::flow::Flow;
use gemicro_core::run::events::{AnswerRequested, RunReaders};
use gemicro_core::store::Store;
use gemicro_event::{Event, Failure, Json, StreamId};
use gemicro_pipeline::flow::PipelineFlow;
use gemicro_store::DurableStore;

/// The question that a run waits on; none where it was answered, be it by an answer that is kept until the run goes on.
///
/// # Errors
/// When there is no such run, or the store fails.
pub async fn open_question(store: &DurableStore, run: &StreamId) -> Result<Option<ItemQuestion>, Failure> {
    let mut asked = Questions::new(run);
    for event in store.read(run, 0, usize::MAX).await?.events {
        asked.fold(&event);
    }
    match asked.open {
        Some(question) if !is_answered(store, &question).await? => Ok(Some(question)),
        Some(_) | None => Ok(None),
    }
}

/// Tells a batch what the run of its step asks, and when it was answered. Ends only with the run.
pub(crate) async fn report_questions(store: &DurableStore, run: &StreamId, reporter: &StepReporter) {
    let Ok(row) = store.run(run).await else {
        return;
    };
    let mut asked = Questions::new(run);
    let mut told: Option<ItemQuestion> = None;
    let mut events = store.subscribe(run, 0);
    while let Some(Ok(event)) = events.next().await {
        asked.fold(&event);
        // What was asked before is open only if nobody has answered it by now.
        if event.seq < row.n_events || asked.open == told {
            continue;
        }
        if let Some(ItemQuestion { run_id, key, .. }) = told.take() {
            reporter.fact(&BatchItemAnswered { run_id, key });
        }
        if let Some(question) = &asked.open
            && !is_answered(store, question).await.unwrap_or(false)
        {
            reporter.fact(&BatchItemAsks {
                question: question.clone(),
            });
            told = Some(question.clone());
        }
    }
}

/// Whether an answer is kept for a run that has not taken it yet.
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
    plan: Json,
    open: Option<ItemQuestion>,
}

impl Questions {
    fn new(run: &StreamId) -> Self {
        Self {
            run: run.clone(),
            plan: Json::empty(),
            open: None,
        }
    }

    fn fold(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "run_started" => self.plan = update.as_run_started().map(|it| it.plan).unwrap_or_default(),
            "answer_requested" => {
                self.open = update.as_answer_requested().map(|asked| ItemQuestion {
                    run_id: self.run.clone(),
                    text: text(&self.plan, &asked),
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

/// What is asked: the words of the workflow for a gate, what a tool wants to do, or the name of the question.
fn text(plan: &Json, asked: &AnswerRequested) -> String {
    let of_gate = || {
        let (place, _) = asked.key.split_once(":human")?;
        let (name, _) = place.rsplit_once('.')?;
        let state = PipelineFlow.start(plan).ok()?;
        let phases = &state.plan().workflow.phases;
        let phase = phases.iter().find(|phase| phase.name == name)?;
        phase.human.clone()
    };
    let of_tool = || {
        let tool = asked.tool.as_ref()?;
        Some(match &asked.what {
            Some(what) => format!("May {tool} do this? {what}"),
            None => format!("May {tool} be used?"),
        })
    };
    of_gate()
        .or_else(of_tool)
        .unwrap_or_else(|| format!("May it go on ({})?", asked.key))
}
