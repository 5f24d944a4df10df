//! Nine scripted models, one table of outcomes; and not one invented citation in any of them.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_core::flow::StepFailure;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::llm::{LlmBackend, LlmChunk, LlmRequest};
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Json};

use crate::support::{ResearchSetup, count, documents, final_result, terminal};

/// Every citation stands in its document, and every number in the text is one of them.
fn check_citations(events: &[Event]) {
    let Some(result) = final_result(events) else {
        return;
    };
    for citation in &result.citations {
        let (_, text) = *documents()
            .iter()
            .find(|(doc, _)| *doc == citation.doc)
            .expect("a document that was read");
        assert_eq!(&text[citation.range.clone()], citation.span);
    }
    let body = result.answer.split("\n## Sources").next().unwrap_or_default();
    for marker in body.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        let number: usize = marker
            .parse()
            .unwrap_or_else(|_| panic!("marker [{marker}] in {body}"));
        assert!(
            (1..=result.citations.len()).contains(&number),
            "[{number}] names no source: {body}"
        );
    }
    assert!(!result.answer.contains("evil.example"), "{}", result.answer);
}

async fn outcome(setup: &ResearchSetup) -> (Result<(), ErrorKind>, Vec<Event>) {
    let events = setup.events().await;
    check_citations(&events);
    let outcome = match terminal(&events).update.as_run_failed() {
        Some(failed) => Err(failed.error.kind),
        None => Ok(()),
    };
    (outcome, events)
}

#[tokio::test]
async fn every_part_ends_as_it_should() {
    let quick = |part| ResearchSetup::new(part).edit_llm(|llm| llm.max_attempts = 1);
    let table = [
        (Part::Perfect, Ok(())),
        (Part::Liar, Err(ErrorKind::NoEvidence)),
        (Part::Lossy, Err(ErrorKind::NoEvidence)),
        (Part::Bloater, Ok(())),
        (Part::Echo, Err(ErrorKind::NoEvidence)),
        (Part::Garbage, Err(ErrorKind::NoEvidence)),
        (Part::Spender, Ok(())),
    ];
    for (part, expected) in table {
        let (outcome, events) = outcome(&quick(part)).await;
        assert_eq!(outcome, expected, "{part:?}");
        if outcome.is_ok() {
            let result = final_result(&events).expect("a result");
            assert_eq!((result.citations.len(), &result.partial), (5, &None), "{part:?}");
        }
    }
}

/// Models whose answers cannot be used give what `--offline` gives, and the result says so.
#[tokio::test]
async fn without_a_verified_quote_the_search_answers() {
    let question = "How often does the ferry run?";
    let offline = ResearchSetup::new(Part::Perfect).offline(question).events().await;
    let offline = final_result(&offline).expect("an answer without a model");
    for part in [Part::Liar, Part::Lossy, Part::Garbage] {
        let mut setup = ResearchSetup::new(part).edit_llm(|llm| llm.max_attempts = 1);
        setup.plan.question = question.to_owned();
        setup.plan.config.max_sub_queries = 1;
        let (outcome, events) = outcome(&setup).await;
        assert_eq!(outcome, Ok(()), "{part:?}");
        let result = final_result(&events).expect("a result");
        assert_eq!(result.citations, offline.citations, "{part:?}");
        let note = "_Answered without the model: its answer had no verified quote._";
        assert_eq!(result.answer.replace(&format!("{note}\n\n"), ""), offline.answer);
        assert!(result.answer.contains(note), "{}", result.answer);
        let completed = events
            .iter()
            .find_map(|event| event.update.as_sub_query_completed());
        let without_model = completed.and_then(|it| it.without_model);
        assert_eq!(without_model.as_deref(), Some("its answer had no verified quote"));
        assert_eq!(result.without_model.len(), 1, "{part:?}");
        assert_eq!(result.metadata.sub_queries_succeeded, 1);
    }
}

#[tokio::test]
async fn a_model_that_never_answers_times_out_with_its_kind() {
    let setup = ResearchSetup::new(Part::Hanger).edit_llm(|llm| {
        llm.max_attempts = 1;
        llm.timeout_ms = 10;
    });
    let (outcome, events) = outcome(&setup).await;
    assert_eq!(outcome, Err(ErrorKind::AllSubQueriesFailed));
    let failed: Vec<_> = events
        .iter()
        .filter_map(|event| event.update.as_step_failed())
        .collect();
    assert!(
        failed.len() == 2 && failed.iter().all(|it| it.error.kind == ErrorKind::Timeout),
        "{failed:?}"
    );
    let split = events
        .iter()
        .find_map(|event| event.update.as_decomposition_complete())
        .expect("it went on");
    assert_eq!(split.sub_queries, [setup.plan.question]);
    assert!(
        split
            .note
            .expect("it says why")
            .contains("no complete answer within 0.01 s")
    );
}

#[tokio::test]
async fn a_flaky_model_is_asked_again_until_it_answers() {
    let setup = ResearchSetup::new(Part::Flaky).edit_llm(|llm| llm.max_attempts = 8);
    let (outcome, events) = outcome(&setup).await;
    assert_eq!(outcome, Ok(()));
    assert!(count(&events, "step_retrying") >= 4, "every other call failed");
    assert_eq!(final_result(&events).expect("a result").citations.len(), 5);
}

#[tokio::test]
async fn without_sources_a_model_may_answer_but_cites_nothing() {
    for part in [Part::Perfect, Part::Liar] {
        let (outcome, events) = outcome(&ResearchSetup::new(part).without_sources()).await;
        assert_eq!(outcome, Ok(()), "{part:?}");
        let result = final_result(&events).expect("a result");
        assert_eq!(result.citations, [], "{part:?}");
    }
}

/// Answers like one part and writes the report like another.
struct TwoFaced(ScriptedModel, ScriptedModel);

impl LlmBackend for TwoFaced {
    fn name(&self) -> &str {
        "two-faced"
    }

    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let model = if request.label == "synthesize" {
            &self.1
        } else {
            &self.0
        };
        model.stream(request, handle)
    }
}

#[tokio::test]
async fn a_lying_report_keeps_only_what_was_verified() {
    let model = TwoFaced(ScriptedModel::new(Part::Perfect), ScriptedModel::new(Part::Liar));
    let (outcome, events) = outcome(&ResearchSetup::with_model(Arc::new(model))).await;
    assert_eq!(outcome, Ok(()));
    let result = final_result(&events).expect("a result");
    assert!(result.answer.contains("(link removed)"), "{}", result.answer);
}

#[tokio::test]
async fn a_report_that_cites_nothing_is_replaced_by_the_findings() {
    for part in [Part::Lossy, Part::Garbage] {
        let model = TwoFaced(ScriptedModel::new(Part::Perfect), ScriptedModel::new(part));
        let (outcome, events) = outcome(&ResearchSetup::with_model(Arc::new(model))).await;
        assert_eq!(outcome, Ok(()), "{part:?}");
        let result = final_result(&events).expect("a result");
        assert!(
            result.answer.contains("**Part 1 of: "),
            "{part:?}: {}",
            result.answer
        );
        assert!(
            result.partial.expect("it says so").contains("plain list"),
            "{part:?}"
        );
    }
}

/// Fails the answers to some sub-queries for good.
struct HalfDown(ScriptedModel);

impl LlmBackend for HalfDown {
    fn name(&self) -> &str {
        "half down"
    }

    fn stream(
        &self,
        request: LlmRequest,
        handle: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let is_down = ["Part 2", "Part 4"]
            .iter()
            .any(|part| request.prompt.contains(part));
        if request.label == "answer" && is_down {
            let failure = crate::support::free_failure(ErrorKind::QuotaExhausted);
            return futures_util::stream::once(async { Err(failure) }).boxed();
        }
        self.0.stream(request, handle)
    }
}

#[tokio::test]
async fn a_failed_sub_query_is_data_and_the_report_says_so() {
    let setup = ResearchSetup::with_model(Arc::new(HalfDown(ScriptedModel::new(Part::Perfect))));
    let (outcome, events) = outcome(&setup).await;
    assert_eq!(outcome, Ok(()));
    let result = final_result(&events).expect("a result");
    assert_eq!(
        (
            result.metadata.sub_queries_succeeded,
            result.metadata.sub_queries_failed
        ),
        (3, 2)
    );
    assert_eq!(result.unanswered.len(), 2);
    assert_eq!(result.partial.as_deref(), Some("2 of the sub-queries failed"));
    assert!(
        result.answer.contains("## Without an answer"),
        "{}",
        result.answer
    );
}

#[tokio::test]
async fn a_question_the_sources_do_not_speak_of_costs_no_answer() {
    let mut setup = ResearchSetup::new(Part::Perfect);
    setup.library = crate::support::MemoryLibrary::new(&[("a.md", "Zebra quagga okapi.")]);
    let events = setup.events().await;
    let failed = terminal(&events)
        .update
        .as_run_failed()
        .expect("no evidence, no prose");
    assert_eq!(failed.error.kind, ErrorKind::NoEvidence);
    let n_answers = events.iter().filter_map(|event| event.update.as_step_started());
    assert_eq!(
        n_answers.filter(|started| started.kind == "llm").count(),
        1,
        "only the decomposition was asked"
    );
}
