//! Many at once.

use serde_json::json;

use crate::client::{post, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_streams() {
    let simulator = start("scenario: s\nrules:\n  - reply: { text: '{{prompt}} {{prompt}} {{prompt}}', chunks: { sizes: [3] }, delay: { first_ms: 20, between_ms: 1 } }\n").await;
    let addr = simulator.addr();
    let streams: Vec<_> = (0..100)
        .map(|n| {
            tokio::spawn(async move {
                let body = json!({"model": "gemini-3.8-flash", "input": format!("call {n}"), "stream": true});
                (n, post(addr, "/v1/interactions", &body).await)
            })
        })
        .collect();
    for stream in streams {
        let (n, answer) = stream.await.unwrap();
        assert_eq!(answer.text(), format!("call {n} call {n} call {n}"));
    }
    assert_eq!(simulator.log().entries().len(), 100);
    assert_eq!(simulator.rules(), [("rule 1".to_owned(), 100)]);
    simulator.shutdown().await;
}
