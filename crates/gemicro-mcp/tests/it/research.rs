//! The research tool.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::research::ResearchConfig;
use gemicro_engine::{Backend, Plan, Request, ResearchKind, ResearchRequest, StartResearchParameters};
use gemicro_mcp::McpSetup;
use serde_json::json;

use crate::client::Client;
use crate::desk::FakeDesk;
use crate::script::{Script, at, raw};

const BOUND: Duration = Duration::from_secs(45);

fn planning(desk: &FakeDesk) -> McpSetup {
    McpSetup {
        research: Arc::new(|parameters: StartResearchParameters| {
            Plan::of(&Request::Research(Box::new(ResearchRequest {
                question: parameters.question,
                sources: parameters.sources.into_iter().map(PathBuf::from).collect(),
                backend: Backend::Offline,
                config: ResearchConfig::default(),
                limits: gemicro_core::budget::Limits::default(),
                base: None,
            })))
        }),
        ..desk.setup(BOUND)
    }
}

fn found() -> Script {
    let data = json!({
        "answer": "31 metres [1]",
        "metadata": {
            "total_tokens": 0, "duration_ms": 5, "sub_queries_succeeded": 1, "sub_queries_failed": 0, "micro_usd": 0,
        },
        "citations": [], "contradictions": [], "unanswered": [],
    });
    vec![at(50, raw("final_result", data))]
}

#[tokio::test(start_paused = true)]
async fn an_answer_and_its_sources() {
    let desk = FakeDesk::new(found());
    let mut client = Client::connect(planning(&desk)).await;
    let arguments = json!({ "question": "How high?", "sources": ["/tmp"], "offline": true });
    let answer = client.call("research", arguments).await;
    let run = desk.run();
    assert_eq!(answer["error_kind"], "still_running");
    assert_eq!(
        (&answer["tool"], &answer["error_detail"]["run_id"]),
        (&json!("research"), &json!(run))
    );
    let answer = client.call("run_result", json!({ "run_id": run })).await;
    let expected = json!({
        "success": true,
        "tool": "research",
        "run_id": run,
        "result": "31 metres [1]",
        "metadata": {
            "total_tokens": 0, "duration_ms": 5, "sub_queries_succeeded": 1, "sub_queries_failed": 0, "micro_usd": 0,
        },
        "citations": [],
        "contradictions": [],
        "unanswered": [],
        "duration": "0m0s",
    });
    assert_eq!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn parameters_are_read_strictly_and_handed_on() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments = json!({
        "question": "Why?", "sources": ["/tmp", "https://example.com/a"], "backend": "openai", "model": "m",
        "web": false, "max_queries": 3, "budget": "50k", "max_duration": 90,
    });
    let answer = client.call("research", arguments).await;
    assert_eq!(
        (answer["tool"].as_str(), answer["error_kind"].as_str()),
        (Some("research"), Some("auth_failed"))
    );
    let expected = StartResearchParameters {
        kind: ResearchKind::Research,
        question: "Why?".to_owned(),
        sources: vec!["/tmp".to_owned(), "https://example.com/a".to_owned()],
        offline: false,
        backend: Some("openai".to_owned()),
        model: Some("m".to_owned()),
        web: Some(false),
        max_queries: Some(3),
        budget: Some("50k".to_owned()),
        max_seconds: Some(90),
    };
    assert_eq!(desk.researched(), [expected]);
    for (arguments, name) in [
        (json!({}), "question"),
        (json!({ "question": "x", "sources": "/tmp" }), "sources"),
        (json!({ "question": "x", "sources": ["docs"] }), "sources"),
        (json!({ "question": "x", "sources": [1] }), "sources"),
        (json!({ "question": "x", "max_queries": 0 }), "max_queries"),
        (json!({ "question": "x", "max_duration": "10m" }), "max_duration"),
        (json!({ "question": "x", "depth": 3 }), "depth"),
    ] {
        let answer = client.call("research", arguments).await;
        assert_eq!(answer["error_kind"], "invalid_input");
        assert!(
            answer["error"].as_str().unwrap().contains(&format!("`{name}`")),
            "{answer}"
        );
    }
    assert_eq!(desk.researched().len(), 1);
}
