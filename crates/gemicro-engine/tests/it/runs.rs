//! Plans, whole runs, and what never reaches the journal.

use std::path::PathBuf;

use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::research::{ResearchConfig, ResearchFlow, ResearchPlan};
use gemicro_engine::{Backend, Plan, Request, ResearchRequest};
use gemicro_event::{ErrorKind, RunStatus};

use crate::support::{Place, calm_result, count, final_result, journal, plan_with, terminal};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_over_real_files_cites_them() {
    let result = calm_result().await;
    let mut docs: Vec<&str> = result
        .citations
        .iter()
        .map(|citation| citation.doc.as_str())
        .collect();
    docs.sort_unstable();
    assert_eq!(
        docs,
        ["bridge.md", "cable.md", "ferry.md", "ford.md", "tunnel.md"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_run_is_resumed_by_another_engine_with_the_texts_it_read() {
    let place = Place::new();
    let first = place.engine().await;
    let stop = gemicro_core::drive::StopSignals::default();
    stop.suspend.cancel();
    let run = first.start(&place.plan(), stop).await.expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("suspended");
    assert_eq!(
        first.store().run(&id).await.expect("listed").status,
        RunStatus::Suspended
    );
    let second = place.engine().await;
    let run = second.resume(&id, Default::default()).await.expect("resumes");
    run.wait().await.expect("ends");
    let events = journal(&second, &id).await;
    assert_eq!(count(&events, "sources_read"), 1);
    assert_eq!(final_result(&events).answer, calm_result().await.answer);
    assert_eq!(
        second.store().run(&id).await.expect("listed").status,
        RunStatus::Completed
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offline_run_of_an_older_version_asks_no_web_address() {
    let place = Place::new();
    let engine = place.engine().await;
    let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a server");
    server.set_nonblocking(true).expect("watched");
    let host = server.local_addr().expect("an address").to_string();
    // Older versions let such a plan pass, and journals hold it.
    let good = plan_with(vec![place.path().join("docs")], Backend::Offline);
    let mut plan: ResearchPlan = good.read().expect("a plan of research");
    plan.sources = vec![format!("http://{host}/page")];
    let run = engine
        .start(&Plan::new(&ResearchFlow, &plan, good.limits), Default::default())
        .await
        .expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("ends");
    let events = journal(&engine, &id).await;
    let message = terminal(&events).update.message.clone();
    assert!(
        message.contains("offline research opens no connection"),
        "{message}"
    );
    assert_eq!(count(&events, "step_started"), 0, "no step was begun");
    let asked = server.accept().expect_err("nobody connects");
    assert_eq!(asked.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_plan_that_cannot_work_is_refused_before_anything_is_written() {
    let place = Place::new();
    let request = |question: &str, source: PathBuf, backend: Backend| {
        Request::Research(Box::new(ResearchRequest {
            question: question.to_owned(),
            sources: vec![source],
            backend,
            config: ResearchConfig::default(),
            limits: Limits::default(),
            base: None,
        }))
    };
    let docs = place.path().join("docs");
    let model = || Backend::Model {
        llm: LlmConfig::default(),
        web: false,
    };
    let cases = [
        (request(" ", docs.clone(), model()), ErrorKind::InvalidInput),
        (
            request(&"x".repeat(20_000), docs.clone(), model()),
            ErrorKind::InvalidInput,
        ),
        (
            request("Why?", docs.join("nowhere"), model()),
            ErrorKind::NotFound,
        ),
    ];
    for (request, kind) in cases {
        assert_eq!(
            Plan::of(&request).map_err(|failure| failure.kind),
            Err(kind),
            "{request:?}"
        );
    }
    Plan::of(&request("Why?", docs, Backend::Offline)).expect("a good plan");
    assert!(!place.path().join("home").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_in_a_question_never_reaches_the_journal() {
    let place = Place::new();
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let good = place.plan();
    let mut plan: ResearchPlan = good.read().expect("a research plan");
    plan.question = format!("Which crossing is the best, says {key}?");
    let engine = place.engine().await;
    let run = engine
        .start(&Plan::new(&ResearchFlow, &plan, good.limits), Default::default())
        .await
        .expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("ends");
    let events = journal(&engine, &id).await;
    let whole: String = events
        .iter()
        .map(|event| serde_json::to_string(event).expect("JSON"))
        .collect();
    assert!(!whole.contains(&key), "the key was written down");
}
