//! Requests that make the provider contact other servers.

use super::{asked, chat, content, interactions, messages, responses};

#[test]
fn what_makes_the_provider_contact_other_servers_is_noticed() {
    for (dialect, body) in [
        (
            content(),
            r#"{"tools":[{"functionDeclarations":[]},{"url_context":{}}]}"#,
        ),
        (content(), r#"{"tools":[{"googleSearch":{}},{"urlContext":{}}]}"#),
        (content(), r#"{"tools":[{"newKindOfTool":{}}]}"#),
        (
            content(),
            r#"{"contents":[{"parts":[{"file_data":{"file_uri":"https://a.example/x"}}]}]}"#,
        ),
        (
            content(),
            r#"{"contents":[{"parts":[{"functionResponse":{"response":{},"parts":[{"fileData":{"fileUri":"gs://b/x"}}]}}]}]}"#,
        ),
        // What `countTokens` wraps.
        (
            content(),
            r#"{"generateContentRequest":{"tools":[{"urlContext":{}}]}}"#,
        ),
        (interactions(), r#"{"tools":[{"type":"url_context"}]}"#),
        (
            interactions(),
            r#"{"webhook_config":{"uris":["https://a.example"]}}"#,
        ),
        (
            interactions(),
            r#"{"input":[{"type":"user_input","content":[{"type":"image","uri":"https://a.example/x"}]}]}"#,
        ),
        (messages(), r#"{"mcp_servers":[{"type":"url","name":"x"}]}"#),
        (messages(), r#"{"mcp_servers":["https://a.example"]}"#),
        (messages(), r#"{"mcp_servers":"x"}"#),
        (
            messages(),
            r#"{"tools":[{"type":"bash_code_execution_20250825"}]}"#,
        ),
        (
            messages(),
            r#"{"tools":[{"type":"text_editor_code_execution_20250825"}]}"#,
        ),
        (messages(), r#"{"tools":[{"type":"memory_"}]}"#),
        (
            messages(),
            r#"{"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]}"#,
        ),
        (
            messages(),
            r#"{"tools":[{"type":"mcp_toolset","mcp_server_name":"x"}]}"#,
        ),
        (
            messages(),
            r#"{"messages":[{"content":[{"type":"image","source":{"type":"url","url":"https://a.example/x"}}]}]}"#,
        ),
        (
            messages(),
            r#"{"messages":[{"content":[{"type":"tool_result","content":[{"type":"image","source":{"type":"url","url":"HTTP://a"}}]}]}]}"#,
        ),
        (responses(), r#"{"tools":[{"type":"mcp","server_label":"x"}]}"#),
        (responses(), r#"{"tools":[{"type":"web_search_preview"}]}"#),
        (
            responses(),
            r#"{"input":[{"type":"additional_tools","tools":[{"type":"mcp"}]}]}"#,
        ),
        (
            responses(),
            r#"{"tools":[{"type":"namespace","tools":[{"type":"namespace","tools":[{"type":"mcp"}]}]}]}"#,
        ),
        (
            responses(),
            r#"{"input":[{"tools":[{"type":"namespace","tools":[{"type":"namespace","tools":[{"type":"mcp"}]}]}]}]}"#,
        ),
        (
            responses(),
            r#"{"tools":{"tools":{"tools":{"tools":{"tools":{"tools":{"tools":{"tools":{"tools":{"type":"mcp"}}}}}}}}}}"#,
        ),
        (
            responses(),
            r#"{"input":[{"content":[{"type":"input_image","image_url":"https://a.example/x"}]}]}"#,
        ),
        (
            responses(),
            r#"{"input":[{"content":[{"type":"input_file","file_url":"https://a.example/x"}]}]}"#,
        ),
        (chat(), r#"{"web_search_options":{}}"#),
        (
            chat(),
            r#"{"messages":[{"content":[{"type":"image_url","image_url":{"url":"https://a.example/x"}}]}]}"#,
        ),
    ] {
        assert!(asked(dialect, body).outside.is_some(), "{body}");
    }
    // Searches, addresses in the data of tools that the client runs, in texts, and data in the body.
    for (dialect, body) in [
        (
            content(),
            r#"{"tools":[{"googleSearch":{}},{"google_search":{}}]}"#,
        ),
        (interactions(), r#"{"tools":[{"type":"google_search"}]}"#),
        (
            messages(),
            r#"{"tools":[{"type":"web_search_20250305","name":"web_search"}]}"#,
        ),
        (
            content(),
            r#"{"tools":[{"functionDeclarations":[{"parametersJsonSchema":{"properties":{"url":{"default":"http://a"}}}}]}],"contents":[{"parts":[{"text":"http://a"},{"functionCall":{"args":{"url":"http://a"}}},{"functionResponse":{"response":{"uri":"http://a"}}}]}]}"#,
        ),
        (
            messages(),
            r#"{"tools":[{"name":"f","input_schema":{"$schema":"http://a","url":"http://a"}}],"messages":[{"content":[{"type":"tool_use","input":{"url":"http://a"}},{"type":"image","source":{"type":"base64","data":"A"}}]}],"mcp_servers":[]}"#,
        ),
        (
            messages(),
            r#"{"tools":[{"type":"tool_search_tool_regex_20251119"},{"type":"bash_20250124"},{"type":"text_editor_20250728"}]}"#,
        ),
        (
            responses(),
            r#"{"tools":[{"type":"function","parameters":{"properties":{},"url":"http://a"}}],"input":[{"content":[{"type":"input_image","image_url":"data:image/png;base64,A"}]}]}"#,
        ),
        (
            chat(),
            r#"{"messages":[{"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,A"}}]}]}"#,
        ),
    ] {
        assert_eq!(asked(dialect, body).outside, None, "{body}");
    }
}
