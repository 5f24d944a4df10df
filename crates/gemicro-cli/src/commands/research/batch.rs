//! Many questions over the same sources: one run each, answers in the order of the file.

use std::path::Path;

use futures_util::StreamExt;
use gemicro_core::drive::StopSignals;
use gemicro_core::research::{Citation, RelatedPassage};
use gemicro_engine::{LocalRunService, Plan, RunService};
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde_json::{Value, json};

use super::questions::{self, BatchQuestion};
use super::{ResearchArgs, ResolvedSettings};
use crate::approval::{PlanApproval, PlanAsker};
use crate::args::PrintFormat;
use crate::command_error::{CommandError, STOPPED};
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::signals::STOPPING;
use crate::view::{RunEnd, answer_markdown, result_json};
use crate::{runtime, signals};

/// Runs at the same time; answers still come in order.
const AT_ONCE: usize = 4;

/// Makes a plan from a question.
type Planner<'a> = &'a dyn Fn(String) -> Result<Plan, CommandError>;

/// A question with its run and what came of it.
struct AnsweredQuestion {
    question: BatchQuestion,
    run: Option<StreamId>,
    end: RunEnd,
}

/// Answers every question of a file.
pub(super) fn run(
    ctx: &Context,
    args: &ResearchArgs,
    opened: ResolvedSettings<'_>,
    file: &Path,
    plan: Planner<'_>,
) -> Result<(), CommandError> {
    let questions = questions::read(file)?;
    // One plan before all work: sources and settings are the same for every question.
    plan(questions[0].question.clone()).or_else(|stopped| match stopped.exit_code() {
        2 if questions[0].question.trim().is_empty() => plan("?".to_owned()),
        _ => Err(stopped),
    })?;
    runtime::block_on(answer_all(ctx, args, opened, &questions, plan))
}

async fn answer_all(
    ctx: &Context,
    args: &ResearchArgs,
    opened: ResolvedSettings<'_>,
    questions: &[BatchQuestion],
    plan: Planner<'_>,
) -> Result<(), CommandError> {
    let stop = signals::listen()?;
    let here = LocalRunService::new(ctx.engine(opened.layers, opened.settings).await?);
    let mut output = CommandOutput::new(args.out.as_deref());
    let answering = questions
        .iter()
        .map(|question| answer_one(&here, &stop, question, plan));
    let mut answers = futures_util::stream::iter(answering).buffered(AT_ONCE);
    let mut n_done = 0;
    let mut failure: Option<Failure> = None;
    while let Some(answered) = answers.next().await {
        let answered = answered?;
        if matches!(answered.end, RunEnd::Suspended(_)) {
            break;
        }
        n_done += 1;
        if let RunEnd::Failed(failed) = &answered.end
            && failed.kind != ErrorKind::NoEvidence
        {
            failure.get_or_insert_with(|| {
                let message = format!("question {}: {}", answered.question.id, failed.message);
                Failure {
                    message,
                    ..failed.clone()
                }
            });
        }
        output.write(format_answer(&answered, args.format).as_bytes())?;
        output::say(&progress(&answered, n_done, questions.len()));
    }
    drop(answers);
    here.engine().close().await;
    if stop.suspend.is_cancelled() {
        output::say(STOPPING);
        output::say(&format!(
            "Stopped after {n_done} of {}. `gemicro runs --status suspended` lists what can be resumed.",
            questions.len()
        ));
        return Err(CommandError::AlreadyReported(STOPPED));
    }
    output.finish()?;
    match failure {
        None => Ok(()),
        Some(failure) => Err(CommandError::from(failure)),
    }
}

async fn answer_one(
    here: &LocalRunService,
    stop: &StopSignals,
    question: &BatchQuestion,
    plan: Planner<'_>,
) -> Result<AnsweredQuestion, CommandError> {
    let question = question.clone();
    if stop.suspend.is_cancelled() {
        return Ok(AnsweredQuestion {
            question,
            run: None,
            end: RunEnd::Suspended(ErrorKind::Interrupted),
        });
    }
    // A question that cannot be asked is an answer of its own; the others continue.
    let plan = match plan(question.question.clone()) {
        Ok(plan) => plan,
        Err(CommandError::Report(report)) => {
            return Ok(AnsweredQuestion {
                question,
                run: None,
                end: RunEnd::Failed(report.failure),
            });
        }
        Err(stopped) => return Err(stopped),
    };
    let watching = here.start(plan).await?;
    let id = watching.run.clone();
    let watch = RunWatch {
        desk: here,
        views: Vec::new(),
        stop,
        asker: Box::new(PlanAsker::new(PlanApproval::Granted)),
        resume: RESUME,
    };
    let end = follow(watch, watching).await?;
    Ok(AnsweredQuestion {
        question,
        run: Some(id),
        end,
    })
}

/// One answer in the asked format.
fn format_answer(answered: &AnsweredQuestion, format: PrintFormat) -> String {
    match format {
        PrintFormat::Jsonl => format!("{}\n", line(answered)),
        PrintFormat::Json => {
            let mut object = line(answered);
            if let (RunEnd::Completed { data, .. }, Some(run)) = (&answered.end, &answered.run) {
                object["result"] = result_json(run, data);
            }
            format!("{object}\n")
        }
        PrintFormat::Text | PrintFormat::Markdown => block(answered),
    }
}

/// `{"id", "answer", "citations", "related", "outcome", "run"}`, and why there is no answer.
fn line(answered: &AnsweredQuestion) -> Value {
    let id = &answered.question.id;
    match &answered.end {
        RunEnd::Completed {
            result: Some(result), ..
        } => json!({
            "id": id,
            "answer": result.answer,
            "citations": citations(&result.citations),
            "related": result.related,
            "outcome": "answered",
            "run": answered.run,
        }),
        end => {
            let related = match end {
                RunEnd::Failed(failure) => RelatedPassage::of_failure(failure),
                RunEnd::Suspended(_) | RunEnd::Completed { .. } => Vec::new(),
            };
            let (outcome, reason) = match end {
                RunEnd::Failed(failure) => (failure.kind, failure.message.as_str()),
                RunEnd::Suspended(kind) => (*kind, "the run was suspended"),
                RunEnd::Completed { .. } => {
                    (ErrorKind::MalformedOutput, "the result is not a research result")
                }
            };
            json!({
                "id": id,
                "answer": "",
                "citations": [],
                "related": related,
                "outcome": outcome,
                "reason": reason,
                "run": answered.run,
            })
        }
    }
}

fn citations(citations: &[Citation]) -> Vec<Value> {
    citations
        .iter()
        .map(|citation| json!({ "doc": citation.doc, "span": citation.span, "grade": citation.grade }))
        .collect()
}

fn block(answered: &AnsweredQuestion) -> String {
    let question = &answered.question;
    let answer = match &answered.end {
        RunEnd::Completed {
            result: Some(result), ..
        } => answer_markdown(result),
        RunEnd::Failed(failure) => {
            let related = RelatedPassage::closest(&RelatedPassage::of_failure(failure));
            let reason = format!("No answer ({}): {}\n\n{related}", failure.kind, failure.message);
            reason.trim_end().to_owned()
        }
        RunEnd::Completed { result: None, .. } | RunEnd::Suspended(_) => "No answer".to_owned(),
    };
    format!(
        "# {}: {}\n\n{}\n\n",
        text::one_line(&question.id),
        text::one_line(&question.question),
        text::neutral(&answer)
    )
}

fn progress(answered: &AnsweredQuestion, n_done: usize, n_questions: usize) -> String {
    let standing = match &answered.end {
        RunEnd::Completed {
            result: Some(result), ..
        } => format!("✓ {}", numbers::count(result.citations.len(), "source")),
        RunEnd::Completed { result: None, .. } | RunEnd::Suspended(_) => "✗".to_owned(),
        RunEnd::Failed(failure) => format!("✗ {}", failure.kind),
    };
    format!(
        "[{n_done}/{n_questions}] {} {standing}",
        text::one_line(&answered.question.id)
    )
}
