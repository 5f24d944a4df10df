//! One simulator records another over plain HTTP; the recording answers like the original.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_sim::scenario::Scenario;
use gemicro_sim::{RecordedUpstream, Recorder, Simulator, UpstreamError, UpstreamRequest, UpstreamResponse};
use http_body_util::BodyExt;
use serde_json::json;

use crate::client::{ANY, Answer, KEY, ask, get, open, post, read, start};

struct PlainHttp(SocketAddr);

impl RecordedUpstream for PlainHttp {
    fn call(&self, request: UpstreamRequest) -> BoxFuture<'static, Result<UpstreamResponse, UpstreamError>> {
        let addr = self.0;
        Box::pin(async move {
            let headers: Vec<(&str, &str)> = request
                .headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            let body = String::from_utf8_lossy(&request.body).into_owned();
            let response = open(addr, &request.method, &request.path_and_query, &body, &headers)
                .await
                .ok_or_else(|| UpstreamError("no answer".to_owned()))?;
            let headers = response
                .headers()
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()));
            Ok(UpstreamResponse {
                status: response.status().as_u16(),
                headers: headers.collect(),
                body: Box::pin(futures_util::stream::unfold(
                    response.into_body(),
                    |mut body| async {
                        loop {
                            let piece = match body.frame().await? {
                                Ok(frame) => match frame.into_data() {
                                    Ok(data) => Ok(data.to_vec()),
                                    Err(_) => continue,
                                },
                                Err(error) => Err(UpstreamError(error.to_string())),
                            };
                            return Some((piece, body));
                        }
                    },
                )),
            })
        })
    }
}

const ORIGINAL: &str = "
scenario: original
rules:
  - { times: 1, fault: { rate_limit: { seconds: 1 } } }
  - { when: { chained: true }, reply: { text: 'and on: {{prompt}}' } }
  - { when: { prompt_contains: cut }, reply: { text: 'ünbroken until here', chunks: { sizes: [2] } }, fault: { cut: { after_chunks: 3 } } }
  - { reply: { text: 'Ä: {{prompt}}', chunks: { sizes: [3] }, delay: { between_ms: 5 } } }
";

/// The same conversation, against whoever listens there.
async fn conversation(addr: SocketAddr) -> Vec<Answer> {
    let create = "/v1beta/interactions";
    let hello = json!({"model": "gemini-3.8-flash", "input": "hello"});
    let mut answers = vec![post(addr, create, &hello).await, post(addr, create, &hello).await];
    let id = answers[1].json()["id"].as_str().expect("an id").to_owned();
    let chained =
        json!({"model": "gemini-3.8-flash", "input": "next", "previous_interaction_id": id, "stream": true});
    answers.push(post(addr, create, &chained).await);
    let cut = json!({"model": "gemini-3.8-flash", "input": "cut", "stream": true});
    answers.push(post(addr, create, &cut).await);
    answers.push(get(addr, &format!("{create}/{id}")).await);
    let content = r#"{"contents":[{"parts":[{"text":"content"}]}]}"#;
    let path = "/v1beta/models/gemini-3.8-flash";
    answers.push(
        ask(
            addr,
            "POST",
            &format!("{path}:streamGenerateContent?alt=sse"),
            content,
        )
        .await,
    );
    answers.push(ask(addr, "POST", &format!("{path}:countTokens"), content).await);
    answers.push(get(addr, path).await);
    answers
}

#[tokio::test]
async fn a_recording_answers_like_the_original() {
    let original = start(ORIGINAL).await;
    let recorder = Recorder::start(Arc::new(PlainHttp(original.addr())), ANY)
        .await
        .unwrap();
    let heard = conversation(recorder.addr()).await;
    assert_eq!(heard[0].status, 429);
    assert_eq!(recorder.ended_beyond(heard.len() - 1).await, heard.len());
    assert_eq!(recorder.exchanges().len(), heard.len());
    let before = recorder.scenario("recorded").unwrap();
    let after = recorder.shutdown("recorded").await.unwrap();
    assert_eq!(before, after);
    let yaml = after.to_yaml().unwrap();
    original.shutdown().await;

    assert!(!yaml.contains(KEY));
    let scenario = Scenario::parse("recorded.yaml", &yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    let replayed = Simulator::start(scenario, ANY).await.unwrap();
    let again = conversation(replayed.addr()).await;
    for (heard, again) in heard.iter().zip(&again) {
        assert_eq!(
            (again.status, &again.body, again.ended),
            (heard.status, &heard.body, heard.ended)
        );
    }
    // Once used up, a recording says so instead of inventing.
    let more = post(
        replayed.addr(),
        "/v1beta/interactions",
        &json!({"model": "gemini-3.8-flash", "input": "hello"}),
    )
    .await;
    assert!(
        more.body.contains("no rule of the scenario 'recorded'"),
        "{}",
        more.body
    );
    replayed.shutdown().await;
}

/// A call of a tool and its result, on the wires of Claude Code and Codex.
async fn work(addr: SocketAddr) -> Vec<Answer> {
    let claude: &[(&str, &str)] = &[("x-api-key", KEY), ("anthropic-version", "2023-06-01")];
    let bearer = format!("Bearer {KEY}");
    let codex: &[(&str, &str)] = &[("authorization", &bearer)];
    let message = json!({"model": "claude-opus-4-8", "max_tokens": 99, "stream": true, "messages": [{"role": "user", "content": "go"}]});
    let response = json!({"model": "gpt-5.5", "input": "go", "stream": true});
    let mut answers = Vec::new();
    for (path, body, headers) in [
        ("/v1/messages", message, claude),
        ("/v1/responses", response, codex),
    ] {
        answers.push(read(open(addr, "POST", path, &body.to_string(), headers).await).await);
        answers.push(read(open(addr, "GET", "/v1/models", "", headers).await).await);
    }
    answers
}

#[tokio::test]
async fn every_api_can_be_recorded() {
    let original =
        start("scenario: o\nrules: [{ reply: { calls: [{ name: run, arguments: { a: 1 } }] } }]\n").await;
    let recorder = Recorder::start(Arc::new(PlainHttp(original.addr())), ANY)
        .await
        .unwrap();
    let heard = work(recorder.addr()).await;
    let scenario = recorder.shutdown("recorded").await.unwrap();
    original.shutdown().await;
    assert_eq!(scenario.rules.len(), heard.len());
    let yaml = scenario.to_yaml().unwrap();
    assert!(!yaml.contains(KEY), "{yaml}");
    let replayed = Simulator::start(scenario, ANY).await.unwrap();
    for (heard, again) in heard.iter().zip(&work(replayed.addr()).await) {
        assert!(heard.status == 200 && !heard.body.is_empty(), "{}", heard.body);
        assert_eq!((again.status, &again.body), (heard.status, &heard.body));
    }
    replayed.shutdown().await;
}
