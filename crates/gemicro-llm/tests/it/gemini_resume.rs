//! Streams that break are taken up again: the same generation, nothing twice, nothing lost, no second POST.

use gemicro_core::llm::{FinishReason, LlmBackend};
use gemicro_event::ErrorKind;
use gemicro_llm::{GeminiBackend, GeminiConfig};

use crate::gemini_world::{Heard, World, backend, config, hear, request};
use crate::raw_server::{Act, RawServer, events, response};

const CREATED: &str = r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"},"event_id":"1"}"#;
const CREATED_UNNUMBERED: &str =
    r#"{"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}"#;
const HALF: &str =
    r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hal"},"event_id":"2"}"#;
const HALF_UNNUMBERED: &str = r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"hal"}}"#;
const WHOLE: &str = r#"{"id":"v1_a","object":"interaction","status":"completed","steps":[{"type":"user_input","content":[{"type":"text","text":"x"}]},{"type":"model_output","content":[{"type":"text","text":"half and whole","annotations":[{"type":"url_citation","url":"https://e.com","start_index":9,"end_index":14}]}]}],"usage":{"total_input_tokens":3}}"#;
const STILL: &str = r#"{"id":"v1_a","object":"interaction","status":"in_progress","steps":[]}"#;
const NO_REPLAY: &str = r#"{"error":{"code":"invalid_request","message":"Streaming retrieval of interactions is not supported."}}"#;

fn json(body: &str) -> Vec<Act> {
    response("200 OK", "application/json", body)
}

async fn call(server: &RawServer) -> Heard {
    hear(backend(&server.url()).stream(request("x"), None)).await
}

#[tokio::test]
async fn a_cut_stream_continues_where_it_broke() {
    for clean in [false, true] {
        let rules = format!(
            "  - {{ reply: {{ text: 'Öne two [[three|https://example.com]] four', chunks: {{ sizes: [3] }} }}, fault: {{ cut: {{ after_chunks: 2, clean: {clean} }} }} }}"
        );
        let world = World::new(&rules).await;
        let heard = world.call(request("x")).await;
        assert_eq!(
            (heard.text.as_str(), heard.finish()),
            ("Öne two three four", &FinishReason::Stop)
        );
        let note = &heard.end().annotations[0];
        assert_eq!(&heard.text[note.range.clone()], "three");
        assert_eq!(
            (world.n_created(), world.n_looks(), heard.handles.len()),
            (1, 1, 1)
        );
        let again = &world.simulator.log().entries()[1].path;
        assert_eq!(
            again,
            "/v1beta/interactions/v1_sim000001?alt=sse&stream=true&last_event_id=4"
        );
    }
}

#[tokio::test]
async fn it_may_break_again_but_not_for_ever() {
    let again = "{ when: { endpoint: get_interaction, stream: true }, times: N, fault: { cut: { after_chunks: 1 } } }";
    let rule =
        "{ reply: { text: 'abcdefghij', chunks: { sizes: [2] } }, fault: { cut: { after_chunks: 1 } } }";
    let world = World::new(&format!("  - {}\n  - {rule}", again.replace('N', "2"))).await;
    let heard = world.call(request("x")).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("abcdefghij", &FinishReason::Stop)
    );
    assert_eq!((world.n_created(), world.n_looks()), (1, 3));

    let world = World::new(&format!("  - {}\n  - {rule}", again.replace('N', "3"))).await;
    let heard = world.call(request("x")).await;
    heard.assert_lost(ErrorKind::TruncatedOutput);
    assert_eq!(heard.text, "abcdefgh");
    assert_eq!((world.n_created(), world.n_looks()), (1, 3));
}

#[tokio::test]
async fn taking_up_survives_a_service_that_is_briefly_down() {
    let down = "{ when: { endpoint: get_interaction }, times: 2, fault: { http: { status: 503 } } }";
    let rule = "{ reply: { text: 'abcdef', chunks: { sizes: [2] } }, fault: { cut: { after_chunks: 2 } } }";
    let world = World::new(&format!("  - {down}\n  - {rule}")).await;
    let heard = world.call(request("x")).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("abcdef", &FinishReason::Stop)
    );
}

#[tokio::test]
async fn without_a_name_there_is_nothing_to_take_up() {
    for script in [events(&[HALF]), events(&[])] {
        let server = RawServer::start(vec![script]).await;
        let heard = call(&server).await;
        heard.assert_lost(ErrorKind::TruncatedOutput);
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn no_tries_are_made_when_none_are_allowed() {
    let server = RawServer::start(vec![events(&[CREATED, HALF])]).await;
    let settings = GeminiConfig {
        max_resumes: 0,
        ..config(&server.url())
    };
    let backend = GeminiBackend::new(settings).unwrap();
    let heard = hear(backend.stream(request("x"), None)).await;
    heard.assert_lost(ErrorKind::TruncatedOutput);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn where_streams_are_not_replayed_the_rest_is_fetched() {
    // The real service replays background interactions only.
    let refused = response("400 Bad Request", "application/json", NO_REPLAY);
    let scripts = vec![events(&[CREATED, HALF]), refused, json(STILL), json(WHOLE)];
    let server = RawServer::start(scripts).await;
    let heard = call(&server).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("half and whole", &FinishReason::Stop)
    );
    assert_eq!(heard.end().annotations[0].range, 9..14);
    let requests = server.requests();
    let posts = requests.iter().filter(|line| line.starts_with("POST")).count();
    assert_eq!((posts, requests.len()), (1, 4));
    assert_eq!(requests[3], "GET /v1beta/interactions/v1_a HTTP/1.1");
}

#[tokio::test]
async fn without_event_ids_the_rest_is_fetched() {
    let scripts = vec![events(&[CREATED_UNNUMBERED, HALF_UNNUMBERED]), json(WHOLE)];
    let server = RawServer::start(scripts).await;
    let heard = call(&server).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("half and whole", &FinishReason::Stop)
    );
    assert_eq!(server.requests()[1], "GET /v1beta/interactions/v1_a HTTP/1.1");
}

#[tokio::test]
async fn a_stored_answer_that_differs_is_not_glued_on() {
    let other = WHOLE.replace("half and whole", "something else");
    let server = RawServer::start(vec![events(&[CREATED_UNNUMBERED, HALF_UNNUMBERED]), json(&other)]).await;
    let heard = call(&server).await;
    heard.assert_lost(ErrorKind::TruncatedOutput);
    assert_eq!(heard.text, "hal");
    // Its own failure comes first, though.
    let failed =
        r#"{"id":"v1_a","status":"failed","steps":[],"errors":[{"code":"internal","message":"broke"}]}"#;
    let server = RawServer::start(vec![events(&[CREATED_UNNUMBERED, HALF_UNNUMBERED]), json(failed)]).await;
    let heard = call(&server).await;
    assert!(heard.message().contains("broke"), "{}", heard.message());
}

#[tokio::test]
async fn an_end_that_is_none_is_looked_up() {
    let unsettled =
        r#"{"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"in_progress"}}"#;
    let server = RawServer::start(vec![
        events(&[CREATED_UNNUMBERED, HALF_UNNUMBERED, unsettled]),
        json(WHOLE),
    ])
    .await;
    let heard = call(&server).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("half and whole", &FinishReason::Stop)
    );
}
