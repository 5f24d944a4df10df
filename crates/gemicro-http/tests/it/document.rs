//! The document says what is really answered.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::server::{House, prompts};

/// Holds an answer against the properties of a schema: all that must be there is, and nothing else is.
fn check(document: &Value, schema: &str, found: &Value) {
    let schema = &document["components"]["schemas"][schema];
    let names = |value: &Value| -> BTreeSet<String> {
        value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let required: BTreeSet<String> = required
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let (known, found) = (names(&schema["properties"]), names(found));
    assert!(
        !found.is_empty() && found.is_subset(&known),
        "{found:?} of {known:?}"
    );
    assert!(required.is_subset(&found), "{required:?} in {found:?}");
}

#[tokio::test]
async fn answers_have_the_shapes_of_the_document() {
    let house = House::new().await;
    let server = &house.server;
    let document = server.get("/openapi.json").await.json();
    assert_eq!(document["info"]["version"], "0.0.0-test");
    house.answer(1);
    let first = server.post("/v1/batches", prompts(&["one"])).await.json();
    check(&document, "BatchAnswer", &first);
    check(&document, "ItemAnswer", &first["results"][0]);
    check(&document, "Counts", &first["counts"]);
    let id = first["response_id"].as_str().unwrap();
    server.get(&format!("/v1/batches/{id}?wait=60")).await;
    check(
        &document,
        "BatchRow",
        &server.get("/v1/batches").await.json()["batches"][0],
    );
    check(
        &document,
        "RunRow",
        &server.get(&format!("/v1/runs/{id}")).await.json(),
    );
    let page = server.get(&format!("/v1/runs/{id}/events")).await.json();
    check(&document, "EventPage", &page);
    for event in page["events"].as_array().unwrap() {
        check(&document, "Event", event);
    }
    let error = server.get("/v1/runs/nobody").await.json();
    check(&document, "ErrorBody", &error);
    check(&document, "Failure", &error["error"]);
    check(&document, "Health", &server.get("/health").await.json());
    let conversations = server.get("/v1/conversations").await.json();
    check(&document, "ConversationRow", &conversations["conversations"][0]);
    let open = server
        .post("/v1/batches", prompts(&["two", "three"]))
        .await
        .json();
    let command = json!({ "command_type": "cancel_items", "data": { "task_ids": ["t1"] } });
    let path = format!("/v1/runs/{}/commands", open["response_id"].as_str().unwrap());
    check(
        &document,
        "AgentAck",
        &server.post(&path, command.to_string()).await.json(),
    );
}
