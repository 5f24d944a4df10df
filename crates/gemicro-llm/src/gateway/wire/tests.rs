//! What requests and answers of each dialect tell.

use hyper::Method;

use super::rules::WireTask;
use super::{AgentApi, RequestContents, WireDialect, ask};
use crate::gateway::reader::AnswerReader;

mod outside;
mod usage;

fn dialect(wire: AgentApi, path: &str) -> &'static dyn WireDialect {
    let parts: Vec<&str> = path.split('/').collect();
    match wire.rules().route(&Method::POST, &parts).expect("a route").task {
        WireTask::Generate { dialect, .. } => dialect,
        other => panic!("{other:?}"),
    }
}

fn content() -> &'static dyn WireDialect {
    dialect(AgentApi::Gemini, "v1beta/models/m:generateContent")
}
fn interactions() -> &'static dyn WireDialect {
    dialect(AgentApi::Gemini, "v1beta/interactions")
}
fn messages() -> &'static dyn WireDialect {
    dialect(AgentApi::Anthropic, "v1/messages")
}
fn responses() -> &'static dyn WireDialect {
    dialect(AgentApi::OpenAi, "v1/responses")
}
fn chat() -> &'static dyn WireDialect {
    dialect(AgentApi::OpenAi, "v1/chat/completions")
}

fn asked(dialect: &dyn WireDialect, body: &str) -> RequestContents {
    ask(dialect, body.as_bytes()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

const WINDOW: u64 = 1_000_000;

#[test]
fn text_is_bounded_by_its_bytes() {
    for (dialect, body) in [
        (
            content(),
            r#"{"contents":[{"role":"user","parts":[{"text":"hi"},{"functionCall":{"name":"f","args":{"fileData":1}}},{"functionResponse":{"name":"f","response":{"type":"audio"}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"properties":{"googleSearch":{}}}}]}]}"#,
        ),
        (
            interactions(),
            r#"{"model":"m","input":[{"type":"user_input","content":[{"type":"text","text":"x"}]},{"type":"function_result","call_id":"1","result":"x"}],"tools":[{"type":"function","name":"f"}]}"#,
        ),
        (
            messages(),
            r#"{"model":"m","max_tokens":9,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"tool_use","id":"1","name":"n","input":{"type":"x","source":{"type":"url"}}}]},{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"r"}]}]}],"tools":[{"name":"n","input_schema":{"type":"object"}},{"type":"custom","name":"m","input_schema":{"type":"object"}}]}"#,
        ),
        (
            responses(),
            r#"{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"reasoning","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"e"},{"type":"function_call","name":"f","arguments":"{}"},{"type":"function_call_output","output":"o"},{"type":"custom_tool_call","input":"i"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object"}},{"type":"custom","name":"p","format":{"type":"grammar"}},{"type":"local_shell"}],"previous_response_id":null}"#,
        ),
        (
            responses(),
            r#"{"model":"m","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"n","tools":[{"type":"custom","name":"exec","format":{"type":"grammar"}},{"type":"function","name":"f","parameters":{"type":"object"}}]}]}]}"#,
        ),
        (
            chat(),
            r#"{"model":"m","messages":[{"role":"user","content":"x"},{"role":"user","content":[{"type":"text","text":"x"}]}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}"#,
        ),
    ] {
        let asked = asked(dialect, body);
        assert!(!asked.whole_window, "{body}");
        assert_eq!(asked.input_bound(WINDOW), body.len() as u64 + 1_024, "{body}");
        assert_eq!(asked.input_bound(10), 10);
    }
}

#[test]
fn what_is_not_in_the_body_takes_the_whole_window() {
    for (dialect, body) in [
        (content(), r#"{"contents":[],"tools":[{"googleSearch":{}}]}"#),
        (
            content(),
            r#"{"contents":[],"tools":[{"function_declarations":[]},{"url_context":{}}]}"#,
        ),
        (content(), r#"{"contents":[],"tools":[{"somethingNew":{}}]}"#),
        (content(), r#"{"contents":[],"cachedContent":"cachedContents/1"}"#),
        (
            content(),
            r#"{"contents":[],"cached_content":"cachedContents/1"}"#,
        ),
        (
            content(),
            r#"{"contents":[{"parts":[{"fileData":{"fileUri":"u"}}]}]}"#,
        ),
        (
            content(),
            r#"{"contents":[{"parts":[{"file_data":{"file_uri":"u"}}]}]}"#,
        ),
        (
            content(),
            r#"{"contents":{"parts":{"inlineData":{"mimeType":"application/pdf","data":"A"}}}}"#,
        ),
        (
            content(),
            r#"{"contents":[{"parts":[{"functionResponse":{"parts":[{"inlineData":{"mimeType":"audio/wav","data":"A"}}]}}]}]}"#,
        ),
        (content(), r#"{"contents":[{"parts":[{"unheardOf":{}}]}]}"#),
        (
            interactions(),
            r#"{"model":"m","input":"x","previous_interaction_id":"v1_a"}"#,
        ),
        (
            interactions(),
            r#"{"model":"m","input":"x","tools":[{"type":"google_search"}]}"#,
        ),
        (
            interactions(),
            r#"{"model":"m","input":[{"type":"user_input","content":[{"type":"document","uri":"u"}]}]}"#,
        ),
        (
            messages(),
            r#"{"tools":[{"type":"web_search_20250305","name":"web_search"}]}"#,
        ),
        (messages(), r#"{"mcp_servers":[{"url":"u"}]}"#),
        (
            messages(),
            r#"{"messages":[{"content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"A"}}]}]}"#,
        ),
        (
            messages(),
            r#"{"messages":[{"content":[{"type":"image","source":{"type":"file","file_id":"f"}}]}]}"#,
        ),
        (
            messages(),
            r#"{"messages":[{"content":[{"type":"container_upload","file_id":"f"}]}]}"#,
        ),
        (responses(), r#"{"previous_response_id":"r"}"#),
        (responses(), r#"{"tools":[{"type":"web_search"}]}"#),
        (
            responses(),
            r#"{"input":[{"type":"additional_tools","tools":[{"type":"web_search"}]}]}"#,
        ),
        (
            responses(),
            r#"{"input":[{"type":"additional_tools","tools":[{"type":"namespace","tools":[{"type":"web_search"}]}]}]}"#,
        ),
        (responses(), r#"{"input":[{"type":"item_reference","id":"i"}]}"#),
        (
            responses(),
            r#"{"input":[{"type":"message","content":[{"type":"input_file","file_id":"f"}]}]}"#,
        ),
        (responses(), r#"{"prompt":{"id":"p"}}"#),
        (chat(), r#"{"web_search_options":{}}"#),
        (
            chat(),
            r#"{"messages":[{"content":[{"type":"file","file":{"file_id":"f"}}]}]}"#,
        ),
    ] {
        assert_eq!(asked(dialect, body).input_bound(WINDOW), WINDOW, "{body}");
    }
}

#[test]
fn pictures_count_as_pictures_and_not_as_their_bytes() {
    let data = "A".repeat(100_000);
    for (dialect, body, most) in [
        (
            content(),
            format!(
                r#"{{"contents":[{{"parts":[{{"inlineData":{{"mimeType":"image/png","data":"{data}"}}}}]}}]}}"#
            ),
            10_000,
        ),
        (
            messages(),
            format!(
                r#"{{"messages":[{{"content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}]}}]}}"#
            ),
            10_000,
        ),
        (
            responses(),
            format!(
                r#"{{"input":[{{"type":"message","content":[{{"type":"input_image","image_url":"data:image/png;base64,{data}"}}]}}]}}"#
            ),
            70_000,
        ),
        (
            chat(),
            format!(
                r#"{{"messages":[{{"content":[{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}]}}]}}"#
            ),
            70_000,
        ),
    ] {
        let bound = asked(dialect, &body).input_bound(WINDOW);
        assert!((5_000..most).contains(&bound), "{bound}");
    }
    let text = format!(
        r#"{{"contents":[{{"parts":[{{"inlineData":{{"mimeType":"image/png","data":"A"}}}},{{"inlineData":{{"mimeType":"text/plain","data":"{data}"}}}}]}}]}}"#
    );
    assert!(asked(content(), &text).input_bound(WINDOW) > 100_000);
}

#[test]
fn stated_limits_are_read_in_every_spelling() {
    for (dialect, body, limit, n_answers) in [
        (
            content(),
            r#"{"generationConfig":{"maxOutputTokens":7,"candidateCount":3}}"#,
            Some(7),
            3,
        ),
        (
            content(),
            r#"{"generation_config":{"max_output_tokens":"7"}}"#,
            Some(7),
            0,
        ),
        (
            content(),
            r#"{"generationConfig":{"maxOutputTokens":0}}"#,
            None,
            0,
        ),
        (content(), "{}", None, 0),
        (
            interactions(),
            r#"{"generation_config":{"max_output_tokens":7.0}}"#,
            Some(7),
            0,
        ),
        (messages(), r#"{"max_tokens":7}"#, Some(7), 0),
        (responses(), r#"{"max_output_tokens":null}"#, None, 0),
        (
            chat(),
            r#"{"max_tokens":5,"max_completion_tokens":7,"n":2}"#,
            Some(7),
            2,
        ),
    ] {
        let asked = asked(dialect, body);
        assert_eq!(
            (asked.limit(), asked.n_answers, asked.strange_limit),
            (limit, n_answers, false),
            "{body}"
        );
    }
    for (dialect, body) in [
        (content(), r#"{"generationConfig":{"maxOutputTokens":-1}}"#),
        (messages(), r#"{"max_tokens":1.5}"#),
        (messages(), r#"{"max_tokens":"many"}"#),
        (chat(), r#"{"n":[1]}"#),
    ] {
        assert!(asked(dialect, body).strange_limit, "{body}");
    }
    for (dialect, body) in [
        (
            content(),
            r#"{"generationConfig":{"maxOutputTokens":1},"generation_config":{"maxOutputTokens":9}}"#,
        ),
        (
            content(),
            r#"{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}"#,
        ),
        (messages(), r#"{"max_tokens":1,"max_tokens":9}"#),
    ] {
        assert!(ask(dialect, body.as_bytes()).is_err(), "{body}");
    }
}

proptest::proptest! {
    #[test]
    fn nothing_makes_a_reader_panic(text in r#"([\[\]{}:,"\\\\ \r\na-z0-9]|data:|"usage"|"type"|null|\PC){0,80}"#, size in 1_usize..9) {
        for dialect in [content(), interactions(), messages(), responses(), chat()] {
            for kind in ["text/event-stream", "application/json"] {
                let mut reader = AnswerReader::new(dialect, kind);
                text.as_bytes().chunks(size).for_each(|piece| reader.feed(piece));
                let _ = reader.result(true);
            }
            let _ = ask(dialect, text.as_bytes());
        }
    }
}
