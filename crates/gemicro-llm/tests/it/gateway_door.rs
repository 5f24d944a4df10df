//! Who may pass the gateway, and what of a request goes on.

use gemicro_core::budget::Limits;
use gemicro_llm::gateway::{AgentApi, GatewayConfig, GatewayGrant, GatewaySecret};
use serde_json::Value;

use crate::gateway_world::{
    KEY, Provider, World, client, config, grant, json_answer, message_body, raw, tokens,
};

const MESSAGE: &str = r#"{"type":"message","usage":{"input_tokens":3,"output_tokens":4}}"#;

async fn anthropic() -> (Provider, World) {
    let provider = Provider::saying(json_answer(MESSAGE)).await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    (provider, world)
}

#[tokio::test]
async fn the_token_goes_in_and_the_key_goes_out() {
    for (wire, path, header, body, model) in [
        (
            AgentApi::Gemini,
            "/v1beta/models/gemini-3.8-flash:generateContent",
            "x-goog-api-key",
            "{}",
            "",
        ),
        (
            AgentApi::Anthropic,
            "/v1/messages",
            "x-api-key",
            "",
            "claude-opus-4-8",
        ),
        (
            AgentApi::OpenAi,
            "/v1/responses",
            "authorization",
            "",
            "gpt-5.2-codex",
        ),
    ] {
        let provider = Provider::saying(json_answer("{}")).await;
        let world = World::new(wire, &provider.url, Limits::NONE);
        let body = if model.is_empty() {
            body.to_owned()
        } else {
            format!(r#"{{"model":"{model}"}}"#)
        };
        let token = world.ticket.token().to_owned();
        let sent = client()
            .post(format!(
                "{}?key={token}&beta=true&alt=sse&fields=x",
                world.url(path)
            ))
            .header(
                header,
                if header == "authorization" {
                    format!("Bearer {token}")
                } else {
                    token.clone()
                },
            )
            .header("cookie", "c=1")
            .header("x-http-method-override", "DELETE")
            .header("x-goog-user-project", "p")
            .header("proxy-authorization", "Basic x")
            .header("accept-encoding", "gzip")
            .body(body);
        assert_eq!(sent.send().await.unwrap().status(), 200, "{wire:?}");
        let got = provider.got().remove(0);
        let head = got.head.to_ascii_lowercase();
        assert!(
            !head.contains(&token) && !head.contains("key=") && !head.contains("fields="),
            "{head}"
        );
        assert_eq!(head.matches(KEY).count(), 1, "{head}");
        assert!(head.contains(&format!("{header}: ")), "{head}");
        for gone in ["cookie", "method-override", "user-project", "proxy-", "gzip"] {
            assert!(!head.contains(gone), "{gone}: {head}");
        }
        assert!(head.contains("accept-encoding: identity"), "{head}");
    }
}

#[tokio::test]
async fn a_login_goes_out_as_a_bearer_token() {
    let (provider, mut world) = anthropic().await;
    let login = GatewayGrant {
        key: Some(GatewaySecret::of_login(KEY)),
        ..grant(AgentApi::Anthropic, &provider.url, Limits::NONE)
    };
    world.ticket = world.gateway.open(login).unwrap();
    assert!(world.ticket.is_for_login());
    let sent = world.post("/v1/messages", message_body(10));
    let sent = sent.header("anthropic-beta", "oauth-1,other-2");
    assert_eq!(sent.send().await.unwrap().status(), 200);
    let head = provider.got().remove(0).head.to_ascii_lowercase();
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    assert!(head.contains("anthropic-beta: oauth-1,other-2"), "{head}");
    assert!(
        !head.contains("x-api-key") && !head.contains(world.ticket.token()),
        "{head}"
    );
}

#[tokio::test]
async fn requests_that_make_the_provider_contact_others_need_the_web() {
    let (provider, mut world) = anthropic().await;
    let message = |address: &str| {
        format!(
            r#"{{"model":"claude-opus-4-8","max_tokens":10,"messages":[{{"role":"user","content":[{{"type":"image","source":{{"type":"url","url":"{address}"}}}}]}}]}}"#
        )
    };
    for path in ["/v1/messages", "/v1/messages/count_tokens"] {
        let refused = world
            .post(path, message("https://a.example/secret"))
            .send()
            .await
            .unwrap();
        assert_eq!(refused.status(), 403, "{path}");
        let text = refused.text().await.unwrap();
        assert!(text.contains("provider_web = true"), "{text}");
    }
    assert_eq!(provider.got().len(), 0);
    let with_web = GatewayGrant {
        web: true,
        ..grant(AgentApi::Anthropic, &provider.url, Limits::NONE)
    };
    world.ticket = world.gateway.open(with_web).unwrap();
    let sent = world
        .post("/v1/messages", message("https://a.example/x"))
        .send()
        .await;
    assert_eq!(sent.unwrap().status(), 200);
}

#[tokio::test]
async fn strangers_get_401_in_the_words_of_the_api() {
    let (provider, world) = anthropic().await;
    let other = world
        .gateway
        .open(grant(AgentApi::Gemini, &provider.url, Limits::NONE))
        .unwrap();
    let closed = world
        .gateway
        .open(grant(AgentApi::Anthropic, &provider.url, Limits::NONE))
        .unwrap();
    let old = closed.token().to_owned();
    closed.close().await;
    let near = format!("{}g", &world.ticket.token()[..world.ticket.token().len() - 1]);
    for token in [
        "",
        "x",
        KEY,
        &near,
        other.token(),
        &old,
        &world.ticket.token().to_uppercase(),
    ] {
        let answer = client()
            .post(world.url("/v1/messages"))
            .header("x-api-key", token)
            .body(message_body(5))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 401, "{token}");
        let said: Value = answer.json().await.unwrap();
        assert_eq!(said["error"]["type"], "authentication_error", "{said}");
    }
    let gemini = client()
        .post(world.url("/v1beta/models/m:generateContent"))
        .send()
        .await
        .unwrap();
    let said: Value = gemini.json().await.unwrap();
    assert_eq!(said["error"]["status"], "UNAUTHENTICATED");
    let openai = client()
        .post(world.url("/v1/responses"))
        .bearer_auth("x")
        .send()
        .await
        .unwrap();
    let said: Value = openai.json().await.unwrap();
    assert_eq!(said["error"]["code"], "invalid_api_key");
    let foreign = world
        .post("/v1beta/models/m:generateContent", "{}")
        .send()
        .await
        .unwrap();
    assert_eq!(foreign.status(), 401);
    assert!(provider.got().is_empty());
}

#[tokio::test]
async fn what_is_not_served_is_404_and_nothing_goes_out() {
    let (provider, world) = anthropic().await;
    for path in [
        "/",
        "/v1",
        "/v1/messages/batches",
        "/v1/files",
        "/v1/complete",
        "/x",
        "/v1/messages/",
    ] {
        let status = world.post(path, "{}").send().await.unwrap().status();
        assert!(matches!(status.as_u16(), 404 | 400), "{path}: {status}");
    }
    let put = client()
        .put(world.url("/v1/messages"))
        .bearer_auth(world.ticket.token())
        .send()
        .await
        .unwrap();
    assert_eq!(put.status(), 404);
    let said: Value = put.json().await.unwrap();
    assert_eq!(said["error"]["type"], "not_found_error");
    let ping = client()
        .head(world.url("/"))
        .bearer_auth(world.ticket.token())
        .send()
        .await
        .unwrap();
    assert_eq!(ping.status(), 200);
    assert!(provider.got().is_empty());
}

#[tokio::test]
async fn free_paths_cost_nothing() {
    let (provider, world) = anthropic().await;
    for (method, path) in [
        ("GET", "/v1/models"),
        ("GET", "/v1/models/claude-x"),
        ("POST", "/v1/messages/count_tokens"),
    ] {
        let request = client().request(method.parse().unwrap(), world.url(path));
        let answer = request
            .bearer_auth(world.ticket.token())
            .body("{}")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
    assert_eq!(provider.got().len(), 3);
    let spent = world.ticket.close().await;
    assert_eq!((spent.cost.tokens, spent.cost.turns, spent.n_requests), (0, 0, 3));
}

#[tokio::test]
async fn it_is_no_proxy_and_answers_to_loopback_names_only() {
    let (provider, world) = anthropic().await;
    let token = world.ticket.token().to_owned();
    let request = |line: &str, host: &str| {
        format!(
            "{line} HTTP/1.1\r\n{host}x-api-key: {token}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"
        )
    };
    for (line, host, status) in [
        ("POST /v1/messages", "host: example.com\r\n", "403"),
        (
            "POST /v1/messages",
            "host: 127.0.0.1\r\nhost: 127.0.0.1\r\n",
            "403",
        ),
        ("POST /v1/messages", "host: 127.0.0.1.example.com\r\n", "403"),
        (
            "POST /v1/messages",
            "host: localhost\r\norigin: https://example.com\r\n",
            "403",
        ),
        ("POST /v1/messages", "", "403"),
        (
            "POST http://example.com/v1/messages",
            "host: 127.0.0.1\r\n",
            "400",
        ),
        ("POST http://127.0.0.1/v1/messages", "host: 127.0.0.1\r\n", "400"),
        ("CONNECT example.com:443", "host: 127.0.0.1\r\n", "400"),
        ("POST /v1/../v1/messages", "host: 127.0.0.1\r\n", "400"),
        ("POST /v1/%2e%2e/messages", "host: 127.0.0.1\r\n", "400"),
        ("POST /v1%2fmessages", "host: 127.0.0.1\r\n", "400"),
        ("POST //v1/messages", "host: 127.0.0.1\r\n", "400"),
        ("POST /v1\\messages", "host: 127.0.0.1\r\n", "400"),
        ("GET /v1/models/..", "host: 127.0.0.1\r\n", "400"),
    ] {
        let heard = raw(&world, request(line, host).as_bytes()).await;
        assert!(
            heard.starts_with(&format!("HTTP/1.1 {status}")),
            "{line} {host}: {heard}"
        );
    }
    assert!(provider.got().is_empty());
}

#[tokio::test]
async fn garbage_and_floods_of_bytes_end_in_an_error() {
    let provider = Provider::saying(json_answer(MESSAGE)).await;
    let config = GatewayConfig {
        body_bytes: 10_000,
        body_time: std::time::Duration::from_millis(300),
        head_time: std::time::Duration::from_millis(300),
        ..config()
    };
    let world = World::with(config, grant(AgentApi::Anthropic, &provider.url, tokens(100_000)));
    let token = world.ticket.token();
    let head = format!("POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: {token}\r\n");
    let large = "x".repeat(50_000);
    for (bytes, status) in [
        ("\0\0\0\0\r\n\r\n".to_owned(), "400"),
        ("GET\r\n\r\n".to_owned(), "400"),
        (
            format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(200_000)),
            "431",
        ),
        // Just over the bound, in one piece.
        (
            format!(
                "GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: {token}\r\nx: {}\r\n\r\n",
                "y".repeat(65_536)
            ),
            "431",
        ),
        (format!("{head}content-length: 50000\r\n\r\n{large}"), "413"),
        (
            format!("{head}transfer-encoding: chunked\r\n\r\nc350\r\n{large}\r\n0\r\n\r\n"),
            "413",
        ),
        (format!("{head}content-length: 5\r\n\r\nxy"), "408"),
        (
            format!("{head}content-length: 5\r\ncontent-encoding: gzip\r\n\r\nxyzzy"),
            "415",
        ),
        (format!("{head}content-length: 5\r\n\r\nxyzzy"), "400"),
        (format!("{head}content-length: 2\r\n\r\n{{}}"), "400"),
        (head.clone(), ""),
    ] {
        let heard = raw(&world, bytes.as_bytes()).await;
        assert!(
            heard.starts_with(&format!("HTTP/1.1 {status}")) || status.is_empty(),
            "{status}: {heard}"
        );
    }
    assert!(provider.got().is_empty());
    let spent = world.ticket.close().await;
    assert_eq!((spent.cost.tokens, spent.refused.is_none()), (0, true));
    assert!(spent.n_refused >= 5, "{spent:?}");
}
