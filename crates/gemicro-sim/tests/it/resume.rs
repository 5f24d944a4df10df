//! A stream that breaks is taken up again: the same generation, nothing twice, nothing lost.

use serde_json::json;

use crate::client::{Ended, get, post, start, text};

#[tokio::test]
async fn a_cut_stream_continues() {
    let simulator = start("scenario: s\nrules:\n  - { name: answered, reply: { text: 'one two three four five', chunks: { sizes: [3] } }, fault: { cut: { after_chunks: 2 } } }\n").await;
    let addr = simulator.addr();
    let body = json!({"model": "gemini-3.8-flash", "input": "x", "stream": true});
    let first = post(addr, "/v1/interactions", &body).await;
    assert_eq!(first.ended, Ended::Broken);
    let events = first.events();
    assert_eq!(text(&events), "one tw");
    let id = events[0]["interaction"]["id"].as_str().unwrap().to_owned();
    let last = events.last().unwrap()["event_id"].as_str().unwrap().to_owned();
    let rest = get(
        addr,
        &format!("/v1/interactions/{id}?stream=true&last_event_id={last}"),
    )
    .await;
    assert_eq!(rest.ended, Ended::Whole);
    assert_eq!(text(&events) + &rest.text(), "one two three four five");
    let ids: Vec<String> = events
        .iter()
        .chain(&rest.events())
        .map(|event| event["event_id"].as_str().unwrap().to_owned())
        .collect();
    let expected: Vec<String> = (1..=ids.len()).map(|n| n.to_string()).collect();
    assert_eq!(ids, expected);
    assert!(rest.body.ends_with("event: done\ndata: [DONE]\n\n"));
    // Nothing was generated twice, and the whole answer can be fetched.
    assert_eq!(simulator.rules(), [("answered".to_owned(), 1)]);
    let whole = get(addr, &format!("/v1/interactions/{id}")).await.json();
    assert_eq!(whole["steps"][1]["content"][0]["text"], "one two three four five");
    simulator.shutdown().await;
}

#[tokio::test]
async fn a_resumed_stream_can_break_again() {
    let simulator = start("scenario: s\nrules:\n  - { when: { endpoint: get_interaction, stream: true }, times: 1, fault: { cut: { after_chunks: 1 } } }\n  - { reply: { text: 'abcdefgh', chunks: { sizes: [2] } }, fault: { cut: { after_chunks: 1 } } }\n").await;
    let body = json!({"model": "gemini-3.8-flash", "input": "x", "stream": true});
    let mut answer = post(simulator.addr(), "/v1/interactions", &body).await;
    let mut events = answer.events();
    let id = events[0]["interaction"]["id"].as_str().unwrap().to_owned();
    let mut n_resumed = 0;
    while answer.ended != Ended::Whole {
        let last = events.last().unwrap()["event_id"].as_str().unwrap().to_owned();
        answer = get(
            simulator.addr(),
            &format!("/v1/interactions/{id}?stream=true&last_event_id={last}"),
        )
        .await;
        events.extend(answer.events());
        n_resumed += 1;
    }
    assert_eq!((text(&events).as_str(), n_resumed), ("abcdefgh", 2));
    simulator.shutdown().await;
}
