//! What a research run does next.

use gemicro_event::{ErrorKind, Failure, Json};

use super::flow::{PLAN_QUESTION, QueryProgress, ResearchState};
use super::{findings, report, steps};
use crate::flow::{Decision, Outcome, RunWait};
use crate::run::RunState;

/// Sources, then decomposition, then all sub-queries at once, then the report.
pub(super) fn decide(state: &ResearchState, run: &RunState) -> Decision {
    if let Some(failure) = &state.broken {
        return finish(Outcome::Failed(failure.clone()));
    }
    if let Some(composed) = &state.report {
        let result = report::with_figures(composed.result.clone(), state, run);
        return finish(completed_outcome(&result));
    }
    if state.sources.is_none() && state.plan.has_sources() {
        // Journals of older versions hold plans that were not checked for this.
        if let Err(failure) = state.plan.check_offline() {
            return finish(Outcome::Failed(failure));
        }
        return want(vec![steps::sources(&state.plan)]);
    }
    let Some(sub_queries) = &state.sub_queries else {
        return want(vec![steps::decompose(state, run)]);
    };
    if state.plan.config.approve_plan {
        match run.answers.get(PLAN_QUESTION) {
            None => {
                let wait = RunWait::Answer {
                    key: PLAN_QUESTION.to_owned(),
                };
                return Decision {
                    waits: vec![wait],
                    ..Decision::default()
                };
            }
            Some(answer) if is_refusal(answer) => {
                let failure = Failure::new(ErrorKind::Cancelled, "the plan was not approved");
                return finish(Outcome::Failed(failure));
            }
            Some(_) => {}
        }
    }
    let open: Vec<usize> = (0..sub_queries.len())
        .filter(|id| matches!(sub_queries[*id].progress, QueryProgress::Open))
        .collect();
    if !open.is_empty() {
        return want(steps::sub_queries(state, run, &open));
    }
    let fetches = steps::fetches(state, run);
    if !fetches.is_empty() {
        return want(fetches);
    }
    if state.completed_queries().is_empty() && !steps::can_do_without_findings(&state.plan) {
        return finish(Outcome::Failed(nothing_found(state)));
    }
    let synthesis = steps::synthesis(state, run);
    if !run.is_done(&synthesis.key) {
        return want(vec![synthesis]);
    }
    // The model could not write the report, or may not any more: it is put together without it.
    let report = report::without_model(state, synthesis_gap(run));
    finish(completed_outcome(&report::with_figures(report, state, run)))
}

fn want(steps: Vec<crate::flow::Step>) -> Decision {
    Decision {
        want: steps,
        ..Decision::default()
    }
}

fn finish(outcome: Outcome) -> Decision {
    Decision {
        finish: Some(outcome),
        ..Decision::default()
    }
}

fn completed_outcome(result: &super::events::FinalResult) -> Outcome {
    use gemicro_event::Payload;
    let data = Json::of(result).expect("a result has string keys only");
    Outcome::Completed {
        message: result.message(),
        data,
    }
}

fn is_refusal(answer: &Json) -> bool {
    answer.get("approve").and_then(serde_json::Value::as_bool) == Some(false)
}

/// Why the report was made without a model.
fn synthesis_gap(run: &RunState) -> Option<String> {
    run.steps.iter().find_map(|(key, step)| match step {
        crate::run::StepState::Failed(failure) if *key == steps::synthesis_key() => Some(format!(
            "the report is a plain list of the findings, because {}",
            failure.message
        )),
        _ => None,
    })
}

/// Not one sub-query was answered: no prose, a typed failure with every reason.
fn nothing_found(state: &ResearchState) -> Failure {
    let failed = state.failed_queries();
    let reasons: Vec<String> = failed
        .iter()
        .map(|(query, failed)| format!("{query}: {}", failed.error))
        .collect();
    let kinds: Vec<ErrorKind> = failed.iter().map(|(_, failed)| failed.error_kind).collect();
    let kind = match kinds.first() {
        // Alike failures keep their kind: "no evidence" and "budget exceeded" are not the backend's fault.
        Some(first) if kinds.iter().all(|kind| kind == first) && keeps_its_kind(*first) => *first,
        Some(_) | None => ErrorKind::AllSubQueriesFailed,
    };
    let message = match (kind, reasons.as_slice()) {
        (ErrorKind::NoEvidence, [_]) => format!("no evidence: {}", failed[0].1.error),
        (ErrorKind::NoEvidence, _) => {
            format!("no evidence for any part of the question: {}", reasons.join("; "))
        }
        (_, [_]) => failed[0].1.error.clone(),
        _ => format!("all {} sub-queries failed: {}", reasons.len(), reasons.join("; ")),
    };
    let mut detail = serde_json::json!({ "reasons": reasons });
    let related = findings::related_passages(state);
    if !related.is_empty() {
        detail["related"] = serde_json::json!(related);
    }
    let detail = Json::from(detail);
    Failure {
        kind,
        message,
        detail: Some(detail),
        retry_after_ms: None,
    }
}

fn keeps_its_kind(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NoEvidence
            | ErrorKind::BudgetExceeded
            | ErrorKind::AuthFailed
            | ErrorKind::UnknownModel
            | ErrorKind::QuotaExhausted
            | ErrorKind::StorageError
    )
}
