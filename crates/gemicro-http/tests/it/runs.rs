//! Runs over HTTP: listed, shown, followed and told what to do.

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::server::{House, answer, prompts};

#[derive(Debug, Clone, PartialEq)]
struct Sent {
    id: u64,
    event: String,
    data: Value,
}

fn read(text: &str) -> Vec<Sent> {
    let blocks = text.split("\n\n").filter(|block| block.starts_with("id: "));
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {block}")).to_owned()
    };
    blocks
        .map(|block| Sent {
            id: field(block, "id: ").parse().unwrap(),
            event: field(block, "event: "),
            data: serde_json::from_str(&field(block, "data: ")).unwrap(),
        })
        .collect()
}

fn stream(house: &House, run: &str) -> reqwest::RequestBuilder {
    let request = house.server.request("GET", &format!("/v1/runs/{run}/events"));
    request.header("accept", "text/event-stream")
}

#[tokio::test]
async fn research_is_started_and_followed_to_its_end() {
    let house = House::new().await;
    let server = &house.server;
    let body =
        json!({ "question": "How high is the lighthouse?", "sources": [house.docs()], "offline": true });
    let started = server.post("/v1/runs", body.to_string()).await;
    assert_eq!(started.status, 202, "{started:?}");
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let streamed = answer(stream(&house, &run)).await;
    assert_eq!(streamed.headers["content-type"], "text/event-stream");
    let sent = read(&streamed.text);
    let ids: Vec<u64> = sent.iter().map(|sent| sent.id).collect();
    assert_eq!(ids, (1..=sent.len() as u64).collect::<Vec<_>>());
    assert_eq!(sent[0].event, "run_started");
    assert_eq!(sent.last().unwrap().event, "final_result");
    // The page has the same events.
    let page = server.get(&format!("/v1/runs/{run}/events")).await.json();
    let events: Vec<&Value> = sent.iter().map(|sent| &sent.data).collect();
    assert_eq!(
        page["events"].as_array().unwrap().iter().collect::<Vec<_>>(),
        events
    );
    assert_eq!(
        (&page["last_seq"], &page["ended"]),
        (&json!(sent.len()), &json!(true))
    );
    let part = server
        .get(&format!("/v1/runs/{run}/events?after=1&limit=2"))
        .await
        .json();
    let seqs: Vec<&Value> = part["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["seq"])
        .collect();
    assert_eq!(seqs, [&json!(2), &json!(3)]);
    // Going on after any event gives the rest, and after the last one there is nothing left to wait for.
    let rest = answer(stream(&house, &run).header("Last-Event-ID", "3")).await;
    assert_eq!(read(&rest.text), sent[3..]);
    let over = answer(stream(&house, &run).header("Last-Event-ID", sent.len())).await;
    assert_eq!((over.status, over.text.as_str()), (204, ""));
    let odd = answer(stream(&house, &run).header("Last-Event-ID", "three")).await;
    assert_eq!(odd.status, 400);
    let row = server.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(
        (&row["status"], &row["flow"]),
        (&json!("completed"), &json!("research"))
    );
}

#[tokio::test]
async fn a_stream_follows_a_run_as_it_happens() {
    let house = House::new().await;
    let first = house.server.post("/v1/batches", prompts(&["one"])).await.json();
    let run = first["response_id"].as_str().unwrap();
    let response = stream(&house, run).send().await.unwrap();
    let mut chunks = response.bytes_stream();
    let mut text = String::new();
    while !text.contains("event: run_started") {
        text += std::str::from_utf8(&chunks.next().await.unwrap().unwrap()).unwrap();
    }
    // The reader leaves and comes back with the last number it saw.
    let seen = read(&text);
    drop(chunks);
    house.answer(1);
    let last_seen = seen.last().unwrap().id;
    let rest = answer(stream(&house, run).header("Last-Event-ID", last_seen)).await;
    let rest = read(&rest.text);
    assert_eq!(rest[0].id, last_seen + 1);
    assert_eq!(rest.last().unwrap().event, "final_result");
}

#[tokio::test]
async fn runs_are_listed_page_by_page() {
    let house = House::new().await;
    let server = &house.server;
    let mut ids = Vec::new();
    for question in ["one?", "two?", "three?"] {
        let body = json!({ "question": question, "sources": [house.docs()], "offline": true });
        let started = server.post("/v1/runs", body.to_string()).await.json();
        ids.insert(0, started["run"].clone());
        let _ = answer(stream(&house, started["run"].as_str().unwrap())).await;
    }
    let runs = async |query: &str| {
        let list = server.get(&format!("/v1/runs?{query}")).await.json();
        let rows = list["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["run"].clone());
        rows.collect::<Vec<Value>>()
    };
    assert_eq!(runs("").await, ids);
    assert_eq!(runs("limit=2").await, ids[..2]);
    let before = ids[1].as_str().unwrap();
    assert_eq!(runs(&format!("before={before}")).await, ids[2..]);
    assert_eq!(runs("flow=research").await, ids);
    assert_eq!(runs("flow=batch").await, [] as [Value; 0]);
    assert_eq!(runs("status=running").await, [] as [Value; 0]);
    for query in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "status=odd",
        "before=..",
        "page=2",
    ] {
        let refused = server.get(&format!("/v1/runs?{query}")).await;
        assert_eq!(
            (refused.status, refused.error().0.as_str()),
            (400, "invalid_input"),
            "{query}"
        );
    }
    assert_eq!(server.get("/v1/runs?before=unknown0").await.status, 404);
}

#[tokio::test]
async fn commands_are_answered_and_a_run_is_ended() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one", "two"])).await.json();
    let run = first["response_id"].as_str().unwrap();
    let path = |verb: &str| format!("/v1/runs/{run}/{verb}");
    let cut =
        json!({ "command_type": "cancel_items", "data": { "task_ids": ["t1"] }, "command_id": "mine-1" });
    let done = server.post(&path("commands"), cut.to_string()).await;
    assert_eq!(done.status, 200, "{done:?}");
    let ack = done.json();
    assert_eq!(
        (&ack["command_id"], &ack["status"]),
        (&json!("mine-1"), &json!("completed"))
    );
    // The same command again is the same command.
    assert_eq!(server.post(&path("commands"), cut.to_string()).await.json(), ack);
    let odd = server
        .post(&path("commands"), r#"{"command_type": "dance"}"#)
        .await;
    assert_eq!((odd.status, odd.error().0.as_str()), (409, "conflict"), "{odd:?}");
    for body in [
        "",
        "[]",
        r#"{"command_type": "cancel", "data": 7}"#,
        r#"{"command_type": "cancel", "command_id": "../x"}"#,
        r#"{"command_type": "cancel", "more": 1}"#,
    ] {
        let refused = server.post(&path("commands"), body).await;
        assert_eq!(
            (refused.status, refused.error().0.as_str()),
            (400, "invalid_input"),
            "{body}"
        );
    }
    let ended = server.post(&path("cancel"), r#"{"reason": "enough"}"#).await;
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(ended.json(), json!({ "run": run, "outcome": "cancelled" }));
    let again = server.post(&path("cancel"), "").await;
    assert_eq!(again.json(), json!({ "run": run, "outcome": "already_ended" }));
    let row = server.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(row["status"], "cancelled");
}

#[tokio::test]
async fn research_that_cannot_begin_says_why() {
    let house = House::new().await;
    let server = &house.server;
    for (body, status, kind) in [
        (json!({}), 400, "invalid_input"),
        (
            json!({ "question": "x", "sources": ["docs"] }),
            400,
            "invalid_input",
        ),
        (json!({ "question": "x", "max_queries": 0 }), 400, "invalid_input"),
        (
            json!({ "question": "x", "max_seconds": 86_401 }),
            400,
            "invalid_input",
        ),
        (json!({ "question": "x", "budjet": "1k" }), 400, "invalid_input"),
        (json!({ "question": "x" }), 424, "auth_failed"),
        (
            json!({ "question": "x", "offline": true, "sources": ["/nowhere/at/all"] }),
            404,
            "not_found",
        ),
    ] {
        let refused = server.post("/v1/runs", body.to_string()).await;
        assert_eq!(
            (refused.status, refused.error().0.as_str()),
            (status, kind),
            "{body} {refused:?}"
        );
    }
}
