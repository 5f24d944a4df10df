//! The life of a run over HTTP: started, paused, resumed, its text while it is written, its result.

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::server::{BEGINNING, House, answer, prompts};

#[tokio::test]
async fn a_run_is_paused_resumed_and_its_result_fetched() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one", "two"])).await.json();
    let run = first["response_id"].as_str().unwrap();
    let path = |verb: &str| format!("/v1/runs/{run}/{verb}");
    let early = server.get(&path("result")).await;
    assert_eq!(
        (early.status, early.error().0.as_str()),
        (409, "still_running"),
        "{early:?}"
    );
    assert_eq!(early.headers["retry-after"], "2");
    let paused = server.post(&path("pause"), "").await;
    assert_eq!(paused.status, 200, "{paused:?}");
    assert_eq!(paused.json(), json!({ "run": run, "outcome": "paused" }));
    let again = server.post(&path("pause"), "{}").await.json();
    assert_eq!(again["outcome"], "already_paused");
    let row = server.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(row["status"], "suspended");
    let stopped = server.get(&path("result?wait=60")).await;
    assert_eq!((stopped.status, stopped.error().0.as_str()), (409, "interrupted"));
    house.answer(2);
    let resumed = server.post(&path("resume"), "").await;
    assert_eq!(
        (resumed.status, &resumed.json()["run"]),
        (202, &json!(run)),
        "{resumed:?}"
    );
    let result = server.get(&path("result?wait=60")).await;
    assert_eq!(result.status, 200, "{result:?}");
    let result = result.json();
    assert_eq!(
        (
            &result["run"],
            &result["flow"],
            &result["status"],
            &result["error"]
        ),
        (&json!(run), &json!("batch"), &json!("completed"), &Value::Null)
    );
    let page = server.get(&path("events")).await.json();
    let last = page["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(result["result"], last["data"]);
    assert_eq!(
        server.post(&path("pause"), "").await.json()["outcome"],
        "already_ended"
    );
    let over = server.post(&path("resume"), "").await;
    assert_eq!((over.status, over.error().0.as_str()), (409, "conflict"));
    for (verb, body) in [
        ("pause", "[]"),
        ("pause", r#"{"x": 1}"#),
        ("resume", r#"{"x": 1}"#),
    ] {
        assert_eq!(server.post(&path(verb), body).await.status, 400, "{verb} {body}");
    }
    for missing in ["/v1/runs/nowhere0/pause", "/v1/runs/nowhere0/resume"] {
        assert_eq!(server.post(missing, "").await.status, 404, "{missing}");
    }
    assert_eq!(server.get("/v1/runs/nowhere0/result").await.status, 404);
}

#[tokio::test]
async fn a_run_that_did_not_complete_has_an_error_for_a_result() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one"])).await.json();
    let run = first["response_id"].as_str().unwrap();
    server
        .post(&format!("/v1/runs/{run}/cancel"), r#"{"reason": "enough"}"#)
        .await;
    let result = server.get(&format!("/v1/runs/{run}/result")).await.json();
    assert_eq!(
        (&result["status"], &result["result"]),
        (&json!("cancelled"), &Value::Null)
    );
    assert_eq!(result["error"]["kind"], "cancelled");
    assert!(
        result["error"]["message"].as_str().unwrap().contains("enough"),
        "{result}"
    );
}

#[tokio::test]
async fn runs_of_every_kind_are_started() {
    let house = House::new().await;
    let server = &house.server;
    let docs = house.docs();
    house.answer(1);
    let started = server
        .post(
            "/v1/runs",
            json!({ "kind": "prompt", "prompt": "Say it" }).to_string(),
        )
        .await;
    assert_eq!(started.status, 202, "{started:?}");
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let result = server.get(&format!("/v1/runs/{run}/result?wait=60")).await.json();
    assert!(result["result"].to_string().contains("Say it"), "{result}");
    let research = json!({ "kind": "research", "question": "How high?", "sources": [docs], "offline": true });
    assert_eq!(server.post("/v1/runs", research.to_string()).await.status, 202);
    // The edge of this test knows no agents: what reaches it was understood.
    let ask = json!({ "kind": "ask", "prompt": "x", "directory": docs, "agent": "claude", "sandbox": "read-only", "max_retries": 0 });
    let pipeline =
        json!({ "kind": "pipeline", "task": "x", "directory": docs, "mode": "bugfix", "branch": "task/x" });
    let ooda = json!({ "kind": "ooda", "file": docs, "auto": true, "target": 92.5 });
    for body in [ask, pipeline, ooda] {
        let refused = server.post("/v1/runs", body.to_string()).await;
        assert_eq!(
            (refused.status, refused.error().0.as_str()),
            (424, "sandbox_unavailable"),
            "{refused:?}"
        );
    }
    for (body, status) in [
        (json!({ "kind": "dance" }), 400),
        (json!({ "kind": "batch", "tasks": [] }), 400),
        (json!({ "kind": 7, "question": "x" }), 400),
        (json!({ "kind": "prompt", "prompt": " " }), 400),
        (json!({ "kind": "prompt", "question": "x" }), 400),
        (json!({ "kind": "ask", "prompt": "x" }), 400),
        (json!({ "kind": "ask", "prompt": "x", "directory": "docs" }), 400),
        (
            json!({ "kind": "ask", "prompt": "x", "directory": "/nowhere/at/all" }),
            404,
        ),
        (
            json!({ "kind": "ask", "prompt": "x", "directory": docs, "sandbox": "none" }),
            400,
        ),
        (
            json!({ "kind": "ask", "prompt": "x", "directory": docs, "max_retries": 11 }),
            400,
        ),
        (json!({ "kind": "pipeline", "task": "", "directory": docs }), 400),
        (json!({ "kind": "ooda", "file": docs, "target": 101 }), 400),
    ] {
        let refused = server.post("/v1/runs", body.to_string()).await;
        assert_eq!(refused.status, status, "{body} {refused:?}");
    }
}

#[tokio::test]
async fn a_batch_is_polled_page_by_page_or_by_its_counts() {
    let house = House::new().await;
    let server = &house.server;
    house.answer(5);
    let first = server
        .post("/v1/batches", prompts(&["a", "b", "c", "d", "e"]))
        .await
        .json();
    let path = format!("/v1/batches/{}", first["response_id"].as_str().unwrap());
    let whole = server.get(&format!("{path}?wait=60")).await.json();
    let results = whole["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    let counts = server.get(&format!("{path}?fields=counts")).await.json();
    assert_eq!(
        (&counts["results"], &counts["counts"]),
        (&json!([]), &whole["counts"])
    );
    assert_eq!(counts["status"], "completed");
    for (query, expected) in [
        ("offset=0&limit=2", &results[0..2]),
        ("offset=2&limit=2", &results[2..4]),
        ("offset=4&limit=2", &results[4..5]),
        ("offset=9", &results[5..5]),
        ("offset=3", &results[3..5]),
        ("fields=all&wait=1&limit=1", &results[0..1]),
    ] {
        let page = server.get(&format!("{path}?{query}")).await.json();
        assert_eq!(page["results"].as_array().unwrap(), expected, "{query}");
        assert_eq!(page["counts"], whole["counts"]);
    }
    for query in ["fields=none", "limit=0", "limit=10001", "offset=-1"] {
        assert_eq!(
            server.get(&format!("{path}?{query}")).await.status,
            400,
            "{query}"
        );
    }
}

/// Reads a stream until its text has `what`.
async fn until(
    chunks: &mut (impl StreamExt<Item = reqwest::Result<impl AsRef<[u8]>>> + Unpin),
    what: &str,
) -> String {
    let mut text = String::new();
    while !text.contains(what) {
        let chunk = chunks
            .next()
            .await
            .unwrap_or_else(|| panic!("no {what} in {text}"))
            .unwrap();
        text += std::str::from_utf8(chunk.as_ref()).unwrap();
    }
    text
}

fn deltas(text: &str) -> Vec<Value> {
    let blocks = text
        .split("\n\n")
        .filter(|block| block.starts_with("event: text_delta\n"));
    let data = blocks.map(|block| block.split_once("\ndata: ").unwrap().1);
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[tokio::test]
async fn text_is_streamed_while_it_is_written() {
    let house = House::new().await;
    let server = &house.server;
    let body = json!({ "kind": "prompt", "prompt": "slowly say it" });
    let started = server.post("/v1/runs", body.to_string()).await.json();
    let path = format!("/v1/runs/{}/events", started["run"].as_str().unwrap());
    let stream = |path: &str| server.request("GET", path).header("accept", "text/event-stream");
    let mut early = stream(&path).send().await.unwrap().bytes_stream();
    until(&mut early, BEGINNING).await;
    // Who comes later gets the text so far.
    let mut late = stream(&path).send().await.unwrap().bytes_stream();
    let text = until(&mut late, BEGINNING).await;
    let pieces = deltas(&text);
    assert_eq!(
        pieces[0]["data"],
        json!({ "attempt": 1, "offset": 0, "text": BEGINNING })
    );
    assert_eq!(
        (&pieces[0]["event_type"], &pieces[0]["stream"]),
        (&json!("text_delta"), &started["run"])
    );
    assert!(
        pieces[0]["seq"].is_u64() && pieces[0]["step"].is_string(),
        "{pieces:?}"
    );
    // A reader that does not want it gets only events.
    let quiet = tokio::spawn(answer(stream(&format!("{path}?text=false"))));
    house.answer(1);
    let rest = until(&mut late, "event: final_result").await;
    assert!(rest.contains("slowly say it"), "{rest}");
    assert_eq!(deltas(&quiet.await.unwrap().text), [] as [Value; 0]);
    // Nothing of it is in the journal, and nothing but events has an id.
    let whole = answer(stream(&path)).await.text;
    assert_eq!(deltas(&whole), [] as [Value; 0]);
    for block in (text + &rest)
        .split("\n\n")
        .filter(|block| block.contains("event: "))
    {
        assert_ne!(
            block.contains("id: "),
            block.contains("event: text_delta"),
            "{block}"
        );
    }
}
