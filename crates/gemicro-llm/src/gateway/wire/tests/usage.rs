//! Token usage that answers report.

use gemicro_event::Usage;

use super::super::WireDialect;
use super::super::rules::ReportedUsage;
use super::{chat, content, interactions, messages, responses};
use crate::gateway::reader::AnswerReader;

/// Reads an answer in pieces of every size; all must agree.
fn read(dialect: &'static dyn WireDialect, content_type: &str, answer: &str) -> Option<ReportedUsage> {
    let mut results = (1..=answer.len().max(1)).map(|size| {
        let mut reader = AnswerReader::new(dialect, content_type);
        for piece in answer.as_bytes().chunks(size) {
            reader.feed(piece);
        }
        reader.result(true)
    });
    let first = results.next().expect("one size");
    assert!(results.all(|result| result == first), "{answer}");
    first
}

fn used(input: u64, output: u64, cached: u64, thought: u64, tool: u64) -> Usage {
    Usage {
        input_tokens: input,
        output_tokens: output,
        cached_tokens: cached,
        thought_tokens: thought,
        tool_tokens: tool,
        estimated: false,
    }
}

#[test]
fn usage_of_every_dialect_is_read() {
    let sse = "text/event-stream";
    let json = "application/json; charset=UTF-8";
    let google = r#"{"candidates":[{"content":{"parts":[{"text":"\"usageMetadata\""}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"thoughtsTokenCount":4,"toolUsePromptTokenCount":5,"cachedContentTokenCount":2,"totalTokenCount":22}}"#;
    for (dialect, kind, answer, expected) in [
        (content(), json, google.to_owned(), used(10, 7, 2, 4, 5)),
        (content(), sse, format!("data: {{\"candidates\":[{{}}],\"usageMetadata\":{{\"promptTokenCount\":10}}}}\r\n\r\ndata: {google}\r\n\r\n"), used(10, 7, 2, 4, 5)),
        (content(), sse, format!(": ping\n\ndata: {google}\n"), used(10, 7, 2, 4, 5)),
        (content(), json, format!("[{google},\n{google}]"), used(10, 7, 2, 4, 5)),
        (content(), json, r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":9}}"#.to_owned(), used(9, 0, 0, 0, 0)),
        (interactions(), json, r#"{"status":"completed","usage":{"total_input_tokens":7,"total_output_tokens":2,"total_thought_tokens":3}}"#.to_owned(), used(7, 5, 0, 3, 0)),
        (interactions(), sse, "event: interaction.created\ndata: {\"interaction\":{\"status\":\"in_progress\"},\"event_type\":\"interaction.created\"}\n\nevent: interaction.completed\ndata: {\"interaction\":{\"status\":\"completed\",\"usage\":{\"total_input_tokens\":7,\"total_output_tokens\":12}},\"event_type\":\"interaction.completed\"}\n\nevent: done\ndata: [DONE]\n\n".to_owned(), used(7, 12, 0, 0, 0)),
        (messages(), json, r#"{"type":"message","usage":{"input_tokens":1,"cache_creation_input_tokens":8,"cache_read_input_tokens":4,"output_tokens":6}}"#.to_owned(), used(13, 6, 4, 0, 0)),
        (messages(), sse, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":20}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n".to_owned(), used(5, 20, 0, 0, 0)),
        (responses(), json, r#"{"status":"completed","usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":1},"output_tokens":6,"output_tokens_details":{"reasoning_tokens":2}}}"#.to_owned(), used(5, 6, 1, 2, 0)),
        (responses(), sse, "data: {\"type\":\"response.created\",\"response\":{\"usage\":null}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\"}],\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}}\n\n".to_owned(), used(5, 6, 0, 0, 0)),
        (chat(), json, r#"{"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":6}}"#.to_owned(), used(5, 6, 0, 0, 0)),
        (chat(), sse, "data: {\"choices\":[{\"finish_reason\":null}],\"usage\":null}\n\ndata: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6}}\n\ndata: [DONE]\n\n".to_owned(), used(5, 6, 0, 0, 0)),
    ] {
        let reported = read(dialect, kind, &answer);
        assert_eq!(reported.map(|reported| reported.usage), Some(expected), "{answer}");
    }
    let hour = r#"{"type":"message","usage":{"input_tokens":1,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":6},"output_tokens":6}}"#;
    assert_eq!(
        read(messages(), json, hour).map(|reported| reported.surcharge),
        Some(7)
    );
}

#[test]
fn what_did_not_end_properly_reported_nothing() {
    let sse = "text/event-stream";
    let json = "application/json";
    for (dialect, kind, answer) in [
        (content(), json, r#"{"usageMetadata":{"promptTokenCount":10}"#),
        (content(), json, r#"{"usageMetadata":{}}"#),
        (content(), json, "<html>"),
        (content(), json, ""),
        (
            content(),
            sse,
            "data: {\"candidates\":[{}],\"usageMetadata\":{\"promptTokenCount\":10}}\n\n",
        ),
        (
            content(),
            sse,
            "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n",
        ),
        (
            interactions(),
            json,
            r#"{"status":"in_progress","usage":{"total_input_tokens":7}}"#,
        ),
        (
            messages(),
            sse,
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\ndata: {\"type\":\"error\"}\n\n",
        ),
        (messages(), json, r#"{"usage":{"input_tokens":5}}"#),
        (
            messages(),
            sse,
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\ndata: {\"type\":\"message_delta\"}\n\n",
        ),
        (
            content(),
            sse,
            "data: {\"candidates\":[{}],\"usageMetadata\":{\"promptTokenCount\":10}}\n\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n",
        ),
        (
            messages(),
            json,
            r#"{"usage":{"input_tokens":-5,"output_tokens":1}}"#,
        ),
        (
            responses(),
            sse,
            "data: {\"type\":\"response.in_progress\",\"response\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}}\n\n",
        ),
        (
            responses(),
            json,
            r#"{"status":"queued","usage":{"input_tokens":5,"output_tokens":6}}"#,
        ),
        (
            chat(),
            sse,
            "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
    ] {
        assert_eq!(read(dialect, kind, answer), None, "{answer}");
    }
}
