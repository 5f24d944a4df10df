//! The library's face: events as they happen, refusals typed, a dropped stream leaves a cancelled run (J4).

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_core::agent::{Agent, AgentContext, AgentError};
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::research::{DeepResearchAgent, ResearchConfig};
use gemicro_core::store::Store;
use gemicro_event::{AgentUpdate, ErrorKind, is_terminal};

use crate::support::{MemoryLibrary, ProbeStore, documents, terminal, types, until};

fn agent() -> DeepResearchAgent {
    DeepResearchAgent::new(ResearchConfig::default()).with_sources(["/docs"])
}

fn context(part: Part, store: &Arc<ProbeStore>) -> AgentContext {
    let store: Arc<dyn Store> = store.clone();
    AgentContext {
        llm: Some(Arc::new(ScriptedModel::new(part))),
        library: Some(MemoryLibrary::new(&documents())),
        store: Some(store),
        ..AgentContext::default()
    }
}

async fn collect(
    agent: &dyn Agent,
    question: &str,
    ctx: AgentContext,
) -> Vec<Result<AgentUpdate, AgentError>> {
    agent.execute(question, ctx).collect().await
}

#[tokio::test]
async fn the_stream_shows_the_journal_and_ends_with_its_terminal_event() {
    let store = ProbeStore::new();
    let shown = collect(
        &agent(),
        "Which crossing is the best?",
        context(Part::Perfect, &store),
    )
    .await;
    let shown: Vec<AgentUpdate> = shown.into_iter().map(|update| update.expect("a fact")).collect();
    let id = store.streams().pop().expect("one run");
    let stored = store.inner.read(&id, 0, usize::MAX).await.expect("stored").events;
    assert_eq!(
        shown,
        stored
            .iter()
            .map(|event| event.update.clone())
            .collect::<Vec<_>>()
    );
    let result = terminal(&stored).update.as_final_result().expect("a result");
    assert_eq!(
        (result.metadata.sub_queries_succeeded, result.citations.len()),
        (5, 5)
    );
}

#[tokio::test]
async fn events_come_when_they_happen() {
    let store = ProbeStore::new();
    let ctx = context(Part::Hanger, &store);
    let mut stream = agent().execute("Which crossing is the best?", ctx);
    let mut seen = Vec::new();
    // The model never answers, and still everything before its first word is there.
    while seen.last().map(String::as_str) != Some("decomposition_started") {
        seen.push(stream.next().await.expect("more").expect("a fact").event_type);
    }
    assert!(seen.contains(&"sources_read".to_owned()), "{seen:?}");
}

#[tokio::test]
async fn a_dropped_stream_leaves_a_cancelled_run() {
    let store = ProbeStore::new();
    let mut stream = agent().execute("Which crossing is the best?", context(Part::Hanger, &store));
    while stream.next().await.expect("more").expect("a fact").event_type != "decomposition_started" {}
    drop(stream);
    let id = store.streams().pop().expect("one run");
    let ended = |events: &[gemicro_event::Event]| {
        events
            .last()
            .is_some_and(|event| is_terminal(&event.update.event_type))
    };
    let events = until(&store, &id, ended).await;
    assert_eq!(
        terminal(&events).update.event_type,
        "run_cancelled",
        "{:?}",
        types(&events)
    );
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_no_one_polled_starts_nothing() {
    let store = ProbeStore::new();
    drop(agent().execute("Which crossing is the best?", context(Part::Perfect, &store)));
    // Paused time passes only when no task has anything left to do.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(store.streams(), []);
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_before_anything_is_written() {
    let long = "x".repeat(20_000);
    for question in ["", "  \n", &long] {
        let store = ProbeStore::new();
        let shown = collect(&agent(), question, context(Part::Perfect, &store)).await;
        let [Err(AgentError::Refused(failure))] = shown.as_slice() else {
            panic!("{shown:?}")
        };
        assert_eq!(failure.kind, ErrorKind::InvalidInput);
        assert_eq!(store.streams(), []);
    }
    // No model and no sources: nothing to answer from.
    let agent = DeepResearchAgent::new(ResearchConfig::default());
    let shown = collect(&agent, "Why?", AgentContext::default()).await;
    assert!(
        matches!(shown.as_slice(), [Err(AgentError::Refused(_))]),
        "{shown:?}"
    );
}

#[tokio::test]
async fn a_failing_journal_ends_the_stream_with_its_error() {
    let store = ProbeStore::over(Default::default(), crate::support::Death::Before(3));
    let shown = collect(
        &agent(),
        "Which crossing is the best?",
        context(Part::Perfect, &store),
    )
    .await;
    let (last, before) = shown.split_last().expect("an error at least");
    assert!(matches!(last, Err(AgentError::Drive(_))), "{last:?}");
    assert!(before.iter().all(Result::is_ok));
}

#[tokio::test]
async fn without_a_model_the_texts_themselves_answer() {
    let library = MemoryLibrary::new(&[("bridge.md", "The Lantern Bridge opened in 1931.")]);
    let ctx = AgentContext {
        library: Some(library),
        ..AgentContext::default()
    };
    let shown = collect(&agent(), "When did the Lantern Bridge open?", ctx).await;
    let last = shown.last().expect("events").as_ref().expect("a fact");
    let result = last.as_final_result().unwrap_or_else(|| panic!("{last:?}"));
    assert!(
        result.answer.contains("1931 [1]") || result.answer.contains("1931. [1]"),
        "{}",
        result.answer
    );
    assert_eq!(result.citations[0].span, "The Lantern Bridge opened in 1931.");
}
