//! Background runs, gates, cancelling, and how it all ends.

use std::time::{Duration, Instant};

use gemicro_sim::{Simulator, StartError};
use serde_json::{Value, json};

use crate::client::{Ended, KEY, Next, get, next, open, post, start, text};

const GATED: &str = "scenario: s\nrules:\n  - reply: { text: 'one two three', chunks: { sizes: [4] }, gate: { name: g, after_chunks: 1 } }\n";

fn body(more: Value) -> Value {
    let mut body = json!({"model": "gemini-3.8-flash", "input": "x"});
    body.as_object_mut()
        .expect("an object")
        .extend(more.as_object().expect("an object").clone());
    body
}

#[tokio::test]
async fn a_background_run_from_start_to_end() {
    let simulator = start(GATED).await;
    let addr = simulator.addr();
    let begun = post(addr, "/v1/interactions", &body(json!({"background": true})))
        .await
        .json();
    assert_eq!(begun["status"], "in_progress");
    let id = begun["id"].as_str().unwrap();
    simulator.gates().wait_until_reached("g", 1).await;
    let path = format!("/v1/interactions/{id}");
    let running = get(addr, &path).await.json();
    assert_eq!(running["status"], "in_progress");
    assert_eq!(running["steps"].as_array().unwrap().len(), 1, "{running}");
    let next_turn = post(
        addr,
        "/v1/interactions",
        &body(json!({"previous_interaction_id": id})),
    )
    .await;
    assert_eq!(next_turn.status, 400, "{}", next_turn.body);
    let opened = post(addr, "/_sim/gates/g/open", &json!({})).await;
    assert_eq!(opened.status, 200);
    let streamed = get(addr, &format!("{path}?stream=true")).await;
    assert_eq!(streamed.text(), "one two three");
    let done = get(addr, &path).await.json();
    assert_eq!(done["status"], "completed");
    assert_eq!(done["steps"][1]["content"][0]["text"], "one two three");
    assert_eq!(
        post(addr, &format!("{path}/cancel"), &json!({})).await.status,
        400
    );
    simulator.shutdown().await;
}

#[tokio::test]
async fn a_cancelled_run_reports_its_readers() {
    let simulator = start(GATED).await;
    let addr = simulator.addr();
    let begun = post(addr, "/v1/interactions", &body(json!({"background": true})))
        .await
        .json();
    let id = begun["id"].as_str().unwrap().to_owned();
    simulator.gates().wait_until_reached("g", 1).await;
    let path = format!("/v1/interactions/{id}?stream=true");
    let reader = tokio::spawn(async move { get(addr, &path).await });
    let cancelled = post(addr, &format!("/v1/interactions/{id}/cancel"), &json!({}))
        .await
        .json();
    assert_eq!(cancelled["status"], "cancelled");
    let read = reader.await.unwrap();
    assert_eq!(
        read.events().last().unwrap()["interaction"]["status"],
        "cancelled"
    );
    assert_eq!(simulator.gates().n_waiting("g"), 0);
    simulator.shutdown().await;
}

#[tokio::test]
async fn a_gate_holds_the_rest_of_a_stream() {
    let simulator = start(GATED).await;
    let request = body(json!({"stream": true})).to_string();
    let headers = [("x-goog-api-key", KEY)];
    let response = open(simulator.addr(), "POST", "/v1/interactions", &request, &headers)
        .await
        .unwrap();
    let mut stream = response.into_body();
    simulator.gates().wait_until_reached("g", 1).await;
    let mut seen = String::new();
    let ended = loop {
        match next(&mut stream).await {
            Next::Data(data) => seen.push_str(&String::from_utf8_lossy(&data)),
            Next::End(ended) => break ended,
        }
        if seen.contains("one ") && simulator.gates().n_waiting("g") == 1 {
            assert!(!seen.contains("two"));
            simulator.gates().open("g");
        }
    };
    assert_eq!(ended, Ended::Whole);
    assert!(seen.contains("\"two \""), "{seen}");
    simulator.shutdown().await;
}

#[tokio::test]
async fn an_agent_works_in_the_background() {
    let scenario = gemicro_sim::scenario::BUILTIN[0].1;
    let simulator = start(scenario).await;
    let addr = simulator.addr();
    let request = json!({
        "agent": "deep-research-preview-04-2026", "input": "Why is the sky blue?", "background": true, "stream": true,
        "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
    });
    let events = post(addr, "/v1beta/interactions", &request).await.events();
    let id = events[0]["interaction"]["id"].as_str().unwrap();
    assert!(
        events
            .iter()
            .any(|event| event["delta"]["type"] == "thought_summary")
    );
    let done = get(addr, &format!("/v1beta/interactions/{id}")).await.json();
    let report = done["steps"].as_array().unwrap().last().unwrap()["content"][0].clone();
    assert_eq!(report["text"], text(&events));
    let written = report["text"].as_str().unwrap();
    for citation in report["annotations"].as_array().unwrap() {
        let place = |name: &str| usize::try_from(citation[name].as_u64().unwrap()).unwrap();
        assert!(
            written[place("start_index")..place("end_index")].ends_with('.'),
            "{citation}"
        );
    }
    simulator.shutdown().await;
}

#[tokio::test]
async fn shutdown_ends_what_hangs() {
    let simulator = start("scenario: s\nrules:\n  - { fault: { hang: {} } }\n").await;
    let addr = simulator.addr();
    let mut asked = Vec::new();
    for more in [json!({}), json!({"stream": true}), json!({"background": true})] {
        asked.push(tokio::spawn(async move {
            let headers = [("x-goog-api-key", KEY)];
            let text = body(more).to_string();
            open(addr, "POST", "/v1/interactions", &text, &headers)
                .await
                .map(|response| response.status())
        }));
    }
    while simulator.log().entries().len() < 3 {
        tokio::task::yield_now().await;
    }
    let before = Instant::now();
    simulator.shutdown().await;
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "{:?}",
        before.elapsed()
    );
    for one in asked {
        let _ = one.await;
    }
    assert!(tokio::net::TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn reset_forgets() {
    let simulator = start(GATED).await;
    let addr = simulator.addr();
    let begun = post(addr, "/v1/interactions", &body(json!({"background": true})))
        .await
        .json();
    simulator.gates().open("g");
    assert_eq!(post(addr, "/_sim/reset", &json!({})).await.status, 200);
    assert!(simulator.log().entries().is_empty());
    assert_eq!(simulator.rules(), [("rule 1".to_owned(), 0)]);
    let gone = get(
        addr,
        &format!("/v1/interactions/{}", begun["id"].as_str().unwrap()),
    )
    .await;
    assert_eq!(gone.status, 404);
    simulator.shutdown().await;
}

#[tokio::test]
async fn only_loopback() {
    let scenario = gemicro_sim::scenario::Scenario::builtin("default").unwrap();
    let refused = Simulator::start(scenario, "0.0.0.0:0".parse().unwrap()).await;
    assert!(matches!(refused, Err(StartError::NotLoopback(_))));
}
