//! Batches over HTTP: handed in, polled, waited for, stopped, done again.

use serde_json::{Value, json};

use crate::server::{House, answer, prompts};

#[tokio::test]
async fn a_batch_from_submit_to_its_last_answer() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one", "two"])).await;
    assert_eq!(first.status, 202, "{first:?}");
    let first = first.json();
    assert_eq!(first["status"], "pending");
    assert_eq!(
        first["results"][0],
        json!({ "task_id": "t1", "status": "pending", "output": {}, "error": null, "state": first["results"][0]["state"] })
    );
    let id = first["response_id"].as_str().unwrap();
    assert!(first["next_poll_interval_seconds"].as_u64().unwrap() >= 1);
    house.answer(2);
    let done = server.get(&format!("/v1/batches/{id}?wait=60")).await;
    assert_eq!(done.status, 200);
    let done = done.json();
    assert_eq!(
        (&done["status"], &done["next_poll_interval_seconds"]),
        (&json!("completed"), &json!(0))
    );
    assert_eq!(done["results"][1]["output"]["text"], "two");
    // The beginning of an id is enough, as everywhere.
    let again = server.get(&format!("/v1/batches/{}", &id[..8])).await;
    assert_eq!(again.json(), done);
    let list = server.get("/v1/batches?limit=1").await.json();
    assert_eq!(list["batches"][0]["response_id"], id);
    assert_eq!(list["batches"][0]["state"], "completed");
}

#[tokio::test]
async fn three_forms_and_one_key() {
    let house = House::new().await;
    let server = &house.server;
    let tasks = prompts(&["one"]);
    let lines = answer(
        server
            .request("POST", "/v1/batches")
            .header("content-type", "application/x-ndjson")
            .body(tasks.trim_matches(['[', ']']).to_owned()),
    );
    assert_eq!(lines.await.status, 202);
    let keyed = |key: &'static str, body: String| {
        let request = server.request("POST", "/v1/batches");
        let json = request.header("content-type", "application/json");
        answer(json.header("Idempotency-Key", key).body(body))
    };
    let first = keyed("night 1", tasks.clone()).await;
    assert_eq!(first.status, 202, "{first:?}");
    let id = first.json()["response_id"].clone();
    assert_eq!(keyed("night 1", tasks.clone()).await.json()["response_id"], id);
    let in_body = json!({ "key": "night 1", "tasks": serde_json::from_str::<Value>(&tasks).unwrap() });
    let same = server.post("/v1/batches", in_body.to_string()).await;
    assert_eq!(same.json()["response_id"], id);
    let other = keyed("night 1", prompts(&["another"])).await;
    assert_eq!((other.status, other.error().0.as_str()), (409, "conflict"));
    let two_keys = keyed("night 2", in_body.to_string()).await;
    assert_eq!(
        (two_keys.status, two_keys.error().0.as_str()),
        (400, "invalid_input")
    );
    let empty_key = keyed("", tasks).await;
    assert_eq!(empty_key.status, 400);
    // Nothing of what was refused is there.
    let list = server.get("/v1/batches").await.json();
    assert_eq!(list["batches"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_wrong_is_refused_whole_and_names_the_place() {
    let house = House::new().await;
    let server = &house.server;
    let task = |id: &str| json!({ "task_id": id, "type": "prompt", "parameters": { "prompt": "x" } });
    let cases = [
        (String::new(), "contains no tasks"),
        ("[]".to_owned(), "contains no tasks"),
        ("[".to_owned(), "line 1"),
        ("7".to_owned(), "array of tasks"),
        ("{}".to_owned(), "/0"),
        ("[{}]".to_owned(), "/0"),
        (json!([task("a"), task("a")]).to_string(), "/1/task_id"),
        (
            json!([{ "task_id": "a", "type": 7, "parameters": {} }]).to_string(),
            "/0/type",
        ),
        (
            json!({ "tasks": [task("a")], "deadline_seconds": 0 }).to_string(),
            "/deadline_seconds",
        ),
    ];
    for (body, place) in cases {
        let refused = server.post("/v1/batches", body.clone()).await;
        assert_eq!(refused.status, 400, "{body}");
        let (kind, message) = refused.error();
        assert_eq!(kind, "invalid_input", "{body}");
        assert!(message.contains(place), "{body}: {message}");
    }
    let list = server.get("/v1/batches").await.json();
    assert_eq!(list, json!({ "batches": [] }));
    // An unknown type is no error of the batch: that task is rejected, the others proceed.
    house.answer(1);
    let odd = json!([{ "task_id": "odd", "type": "juggle", "parameters": {} }, task("fine")]);
    let first = server.post("/v1/batches", odd.to_string()).await.json();
    let id = first["response_id"].as_str().unwrap();
    let done = server.get(&format!("/v1/batches/{id}?wait=60")).await.json();
    assert_eq!(done["results"][0]["state"], "rejected");
    assert_eq!(done["results"][0]["error_kind"], "invalid_input");
    assert_eq!(done["results"][1]["state"], "completed");
}

#[tokio::test]
async fn tasks_are_stopped_and_done_again() {
    let house = House::new().await;
    let server = &house.server;
    let first = server
        .post("/v1/batches", prompts(&["one", "two", "three"]))
        .await;
    let first = first.json();
    let id = first["response_id"].as_str().unwrap();
    let path = |verb: &str| format!("/v1/batches/{id}/{verb}");
    let cut = json!({ "task_ids": ["t1"], "reason": "not needed" }).to_string();
    let cut = server.post(&path("cancel"), cut).await;
    assert_eq!(cut.status, 200, "{cut:?}");
    let mut cut = cut.json();
    // What runs is told to stop; a moment later it has.
    while cut["results"][0]["state"] == "running" {
        cut = server.get(&format!("/v1/batches/{id}")).await.json();
    }
    assert_eq!(cut["results"][0]["state"], "cancelled");
    let unknown = server.post(&path("cancel"), r#"{"task_ids": ["t9"]}"#).await;
    assert!([404, 409].contains(&unknown.status), "{unknown:?}");
    let odd = server.post(&path("cancel"), r#"{"tasks": ["t1"]}"#).await;
    assert_eq!(odd.status, 400);
    assert!(odd.error().1.contains("tasks"), "{odd:?}");
    // All of it, without a body.
    let ended = server.post(&path("cancel"), "").await;
    assert_eq!(ended.status, 200, "{ended:?}");
    assert_eq!(ended.json()["status"], "failed");
    let retried = server.post(&path("retry"), "{}").await;
    assert_eq!(retried.status, 202, "{retried:?}");
    house.answer(3);
    let next = retried.json()["response_id"].as_str().unwrap().to_owned();
    assert_ne!(next, id);
    let done = server.get(&format!("/v1/batches/{next}?wait=60")).await.json();
    assert_eq!(done["counts"]["completed"], 3, "{done}");
    let nothing_left = server.post(&format!("/v1/batches/{next}/retry"), "{}").await;
    assert!([400, 409].contains(&nothing_left.status), "{nothing_left:?}");
}

#[tokio::test]
async fn a_wait_is_bounded_and_task_types_have_schemas() {
    let house = House::new().await;
    let server = &house.server;
    let first = server.post("/v1/batches", prompts(&["one"])).await.json();
    let id = first["response_id"].as_str().unwrap();
    let waited = server.get(&format!("/v1/batches/{id}?wait=1")).await;
    assert_eq!(waited.json()["status"], "pending");
    for query in ["wait=61", "wait=-1", "wait=soon", "wait=1&wait=2", "until=1"] {
        let refused = server.get(&format!("/v1/batches/{id}?{query}")).await;
        assert_eq!(
            (refused.status, refused.error().0.as_str()),
            (400, "invalid_input"),
            "{query}"
        );
    }
    let types = server.get("/v1/batch-types").await.json();
    for listed in types["types"].as_array().unwrap() {
        let name = listed["name"].as_str().unwrap();
        let one = server.get(&format!("/v1/batch-types/{name}")).await.json();
        assert_eq!(&one, listed);
        assert_eq!(one["parameters"]["type"], "object", "{name}");
    }
    assert!(types["types"].as_array().unwrap().len() >= 5);
    assert_eq!(server.get("/v1/batch-types/juggle").await.status, 404);
    let research = json!({ "question": "How high?", "sources": [house.docs()], "offline": true });
    let run = server.post("/v1/runs", research.to_string()).await.json();
    let run = run["run"].as_str().unwrap();
    let no_batch = server.get(&format!("/v1/batches/{run}")).await;
    assert_eq!(no_batch.status, 404);
    assert!(no_batch.error().1.contains("not a batch"), "{no_batch:?}");
}
