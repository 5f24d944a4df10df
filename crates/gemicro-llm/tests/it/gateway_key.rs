//! The key of the user comes back to an agent in no answer.

use gemicro_llm::gateway::AgentApi;

use crate::gateway_world::{KEY, Provider, Say, World, answer, tokens};

#[tokio::test]
async fn the_key_comes_back_nowhere() {
    let echo = format!(
        r#"{{"type":"message","echo":"{KEY}","error":{{"message":"bad key {KEY}"}},"usage":{{"input_tokens":3,"output_tokens":4}}}}"#
    );
    for status in [
        "200 OK",
        "400 Bad Request",
        "401 Unauthorized",
        "429 Too Many Requests",
        "500 Oh",
        "302 Found",
    ] {
        let headers = format!(
            "content-type: application/json\r\nx-{KEY}: 1\r\nx-echo: {KEY}\r\nset-cookie: k={KEY}\r\nlocation: http://x/?key={KEY}\r\n"
        );
        let provider = Provider::saying(answer(status, &headers, &echo)).await;
        let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
        let heard = world.message(10).send().await.unwrap();
        let head = format!("{:?}", heard.headers());
        let code = heard.status().as_u16();
        assert_eq!(
            code,
            if status.starts_with('3') {
                502
            } else {
                status[..3].parse().unwrap()
            }
        );
        let body = heard.text().await.unwrap();
        assert!(
            !head.contains(KEY) && !body.contains(KEY),
            "{status}: {head} {body}"
        );
        assert!(code == 502 || body.contains("***"), "{body}");
        let notes = format!(
            "{:?} {:?} {:?} {:?}",
            world.notes(),
            world.ticket,
            world.gateway,
            world.serving
        );
        assert!(
            !notes.contains(KEY) && !notes.contains(world.ticket.token()),
            "{notes}"
        );
        let spent = format!("{:?}", world.ticket.close().await);
        assert!(!spent.contains(KEY), "{spent}");
    }
}

/// A provider that echoes the key in another form than the one it was sent in.
#[tokio::test]
async fn the_key_comes_back_in_no_form() {
    let each = |write: &dyn Fn(u8) -> String| KEY.bytes().map(write).collect::<String>();
    let forms = [
        each(&|byte| format!("\\u{byte:04x}")),
        each(&|byte| format!("\\u{byte:04X}")),
        each(&|byte| format!("%{byte:02x}")),
        each(&|byte| format!("%25{byte:02x}")),
        each(&|byte| format!("&#{byte};")),
        each(&|byte| format!("={byte:02X}")),
        each(&|byte| format!("{byte:02x}")),
        each(&|byte| format!("{byte:02X}")),
        // "key: " and the key, in base64.
        "a2V5OiByZWFsLWNhbmFyeS1rZXktMDEyMzQ1Njc4OS1hYmNkZWY=".to_owned(),
    ];
    for form in &forms {
        for status in ["200 OK", "400 Bad Request"] {
            let echo = format!(
                r#"{{"type":"message","echo":"{form}","usage":{{"input_tokens":3,"output_tokens":4}}}}"#
            );
            let headers = format!("content-type: application/json\r\nx-echo: {form}\r\n");
            let provider = Provider::saying(answer(status, &headers, &echo)).await;
            let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
            let heard = world.message(10).send().await.unwrap();
            let head = format!("{:?}", heard.headers());
            let body = heard.text().await.unwrap();
            // The middle of it decides: a few letters around it may belong to something else.
            let middle = &form[form.len() / 3..form.len() / 3 * 2];
            assert!(
                !head.contains(middle) && !body.contains(middle),
                "{form}: {head} {body}"
            );
            assert!(body.contains("***"), "{body}");
        }
    }
}

/// A compressed answer was not asked for, and its content could not be checked.
#[tokio::test]
async fn a_compressed_answer_is_not_passed_on() {
    let gzip = b"\x1f\x8b\x08packed-body".to_vec();
    for (encoding, body) in [
        ("content-encoding: gzip\r\n", gzip.clone()),
        ("content-encoding: br\r\n", b"packed-body".to_vec()),
        ("", gzip),
    ] {
        for status in ["200 OK", "400 Bad Request"] {
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{encoding}content-length: {}\r\n\r\n",
                body.len()
            );
            let bytes = [head.as_bytes(), &body].concat();
            let provider = Provider::start(move |_| vec![Say::Bytes(bytes.clone())]).await;
            let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
            let heard = world.message(10).send().await.unwrap();
            assert!(heard.headers().get("content-encoding").is_none(), "{encoding}");
            let heard = heard.bytes().await.unwrap_or_default();
            let is_passed_on = heard.windows(6).any(|part| part == b"packed");
            assert!(!is_passed_on, "{status} {encoding} {heard:?}");
        }
    }
}
