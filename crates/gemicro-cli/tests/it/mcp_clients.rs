//! gemicro as a tool of the real Claude Code, Gemini CLI and Codex, configured with the texts of the guide.
//!
//! The model of each client is the simulator, which makes it call one tool of gemicro. The agent behind `gemini` is a
//! fake; the one behind `codex` is the real program.

mod scene;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::agent_world::{AgentWorld, INIT, RESULT};
use crate::mcp::gated;
use scene::{Reached, Scene, guide, program_folder, said};

/// What the user tells the client.
const PROMPT: &str = "Please ask the other agent.";

fn arguments(project: &Path) -> Value {
    json!({ "PROMPT": "Do it", "cd": project, "max_retries": 0 })
}

/// Rules of a model that calls a tool once, and fetches the answer of a run that it is told of.
fn calls(tool: &str, arguments: &Value) -> String {
    format!(
        "  - {{ name: agent, when: {{ api: openai }}, reply: {{ text: 'An honest answer.' }} }}\n  \
         - {{ name: has it, when: {{ tool_result: '*' }}, reply: {{ text: 'It said it.' }} }}\n  \
         - {{ name: fetches, when: {{ prompt_contains: 'Run:' }}, reply: {{ calls: [{{ name: mcp__gemicro__run_result, arguments: {{ run_id: '{{{{line:Run:}}}}' }} }}] }} }}\n  \
         - {{ name: calls, when: {{ tool_offered: {tool}, prompt_contains: '{PROMPT}' }}, reply: {{ calls: [{{ name: {tool}, arguments: {arguments} }}] }} }}\n  \
         - {{ name: aside, reply: {{ text: 'Nothing.' }} }}\n"
    )
}

fn answering() -> String {
    format!("{INIT}{RESULT}")
}

/// Claude Code, with its configuration in a file of its own.
fn claude(scene: &Scene, config: &str, prompt: &str) -> Command {
    let config = scene.write("claude.json", config);
    let mut command = scene.client("claude");
    command
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        // Its default of 5 seconds is too short for a busy machine.
        .env("MCP_CONNECT_TIMEOUT_MS", "60000")
        .args([
            "-p",
            "--model",
            "claude-opus-4-8",
            "--strict-mcp-config",
            "--mcp-config",
        ])
        .arg(config)
        .args(["--allowedTools", "mcp__gemicro", "--", prompt]);
    command
}

fn claude_scene(steps: &str, reached: Reached) -> Scene {
    Scene::new(steps, reached, |project| {
        calls("mcp__gemicro__gemini", &arguments(project))
    })
}

#[test]
fn claude_code_asks_another_agent() {
    for reached in [Reached::OverStdio, Reached::OverHttp] {
        let mut scene = claude_scene(&answering(), reached);
        let config = reached.text("claude", "json", &scene.address);
        scene.run(claude(&scene, &config, PROMPT));
        scene.assert_offered("mcp__gemicro__gemini", &[]);
        scene.assert_one_success("gemini");
        scene.stage.assert_nothing_runs();
    }
}

#[test]
fn a_call_continues_without_its_client_and_the_next_one_fetches_its_answer() {
    let mut scene = claude_scene(&gated(), Reached::OverStdio);
    let text = Reached::OverStdio.text("claude", "json", "");
    let config = text.replace("[\"mcp\"]", "[\"mcp\", \"--answer-within\", \"1\"]");
    assert_ne!(text, config);
    let resident = |prompt: &str| {
        let mut command = claude(&scene, &config, prompt);
        command.env("GEMICRO_RESIDENT", "on");
        scene.run(command);
        scene.answer()
    };
    let answer = resident(PROMPT);
    assert_eq!(answer["error_kind"], "still_running", "{answer}");
    let run = answer["error_detail"]["run_id"].as_str().unwrap();
    std::fs::write(scene.stage.path("project/go"), "").unwrap();
    resident(&format!("Please fetch its answer.\nRun: {run}"));
    let stopped = scene.stage.simulated.world.call(&["worker", "stop"]);
    assert_eq!(stopped.code, 0, "{}", stopped.stderr);
    scene.assert_one_success("gemini");
    scene.stage.assert_nothing_runs();
}

#[test]
fn gemini_cli_asks_another_agent() {
    for reached in [Reached::OverStdio, Reached::OverHttp] {
        let rules = |project: &Path| {
            let mut arguments = arguments(project);
            arguments["model"] = "gpt-5.5-codex".into();
            // A parameter of Gemini CLI itself.
            arguments["wait_for_previous"] = true.into();
            calls("mcp_gemicro_codex", &arguments)
        };
        let mut scene = Scene::new(&answering(), reached, rules);
        scene.write(
            "user/.gemini/settings.json",
            &reached.text("gemini", "json", &scene.address),
        );
        // What the tests need beside it: a login, and no questions.
        scene.write(
            "project/.gemini/settings.json",
            r#"{ "security": { "auth": { "selectedType": "gemini-api-key" } }, "privacy": { "usageStatisticsEnabled": false } }"#,
        );
        let mut command = scene.client("gemini");
        command
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("GEMINI_CLI_NO_RELAUNCH", "1")
            .env("TMPDIR", scene.stage.path(""))
            .args(["-m", "gemini-3.5-flash", "--approval-mode", "yolo", "-p", PROMPT]);
        scene.run(command);
        scene.assert_offered("mcp_gemicro_codex", &["wait_for_previous"]);
        scene.assert_one_success("codex");
        scene.stage.assert_nothing_runs();
    }
}

/// One event stream of the Responses API with one item of the model.
fn responds(name: &str, item: &Value) -> String {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 });
    let events = [
        json!({ "type": "response.created", "response": { "id": "resp_1" } }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": "resp_1", "usage": usage } }),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let raw = json!({
        "status": 200,
        "headers": { "content-type": "text/event-stream" },
        "chunks": [{ "text": stream }],
    });
    format!("  - {{ name: {name}, times: 1, raw: {raw} }}\n")
}

/// Codex keeps the tools of servers back until the model searches for them, and calls them by server and name.
fn searches_and_calls(project: &Path) -> String {
    let query = json!({ "query": "gemini agent", "limit": 8 });
    let search = json!({
        "type": "tool_search_call", "call_id": "call_1", "execution": "client", "status": "completed", "arguments": query,
    });
    let call = json!({
        "type": "function_call", "call_id": "call_2", "namespace": "mcp__gemicro", "name": "gemini",
        "arguments": arguments(project).to_string(),
    });
    let has_it = "  - { name: has it, reply: { text: 'It said it.' } }\n";
    format!(
        "{}{}{has_it}",
        responds("searches", &search),
        responds("calls", &call)
    )
}

#[test]
fn codex_asks_another_agent() {
    for reached in [Reached::OverStdio, Reached::OverHttp] {
        let mut scene = Scene::new(&answering(), reached, searches_and_calls);
        let mut config = format!(
            "model = \"gpt-5.5-codex\"\nmodel_provider = \"sim\"\n[model_providers.sim]\nname = \"sim\"\n\
             base_url = \"{}/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n{}",
            scene.desk.simulated.running.url(),
            reached.text("codex", "toml", &scene.address),
        );
        if matches!(reached, Reached::OverStdio) {
            config.push_str("[mcp_servers.gemicro.env]\n");
            for (name, value) in scene.server_variables() {
                writeln!(config, "{name} = \"{value}\"").unwrap();
            }
        }
        scene.write("user/.codex/config.toml", &config);
        let mut command = scene.client("codex");
        command
            .args(["exec", "--skip-git-repo-check", "-s", "read-only"])
            .args([
                "-c",
                "mcp_servers.gemicro.default_tools_approval_mode=\"approve\"",
            ])
            .arg(PROMPT);
        scene.run(command);
        scene.assert_offered("gemini", &[]);
        scene.assert_one_success("gemini");
        scene.stage.assert_nothing_runs();
    }
}

#[test]
fn the_guide_shows_the_files_that_were_tried() {
    let text = guide("mcp.md");
    for name in [
        "claude.json",
        "gemini.json",
        "codex.toml",
        "claude-http.json",
        "gemini-http.json",
        "codex-http.toml",
        "vscode.json",
    ] {
        let (_, extension) = name.split_once('.').unwrap();
        let block = format!("```{extension}\n{}```\n", guide(&format!("clients/{name}")));
        assert!(text.contains(&block), "docs/mcp.md does not show {name}");
    }
}

#[test]
fn the_commands_of_the_guide_write_the_same_configuration() {
    let scene = claude_scene(&answering(), Reached::OverStdio);
    for (client, written, fields) in [
        ("claude", "user/.claude.json", &["type", "command", "args"][..]),
        (
            "gemini",
            "user/.gemini/settings.json",
            &["command", "args", "env"],
        ),
    ] {
        let add = format!("{client} mcp add ");
        let text = guide("mcp.md");
        let line = text.lines().find(|line| line.starts_with(&add)).unwrap();
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .env_clear()
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", program_folder().display()),
            )
            .env("HOME", scene.stage.path("user"))
            .env("GEMINI_CLI_NO_RELAUNCH", "1")
            .current_dir(scene.stage.path("project"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap()["mcpServers"]["gemicro"].clone();
        let written = read(&std::fs::read_to_string(scene.stage.path(written)).unwrap());
        let shown = read(&guide(&format!("clients/{client}.json")));
        for field in fields {
            assert_eq!(written[field], shown[field], "{client}: {field}");
        }
    }
}

#[test]
fn the_command_for_editors_starts_a_server() {
    let stage = AgentWorld::scripted(&answering());
    let shown: Value = serde_json::from_str(&guide("clients/vscode.json")).unwrap();
    let server = &shown["servers"]["gemicro"];
    assert_eq!(server["command"], "gemicro");
    let words: Vec<&str> = server["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    let mut child = stage
        .simulated
        .command(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "editor", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    writeln!(child.stdin.take().unwrap(), "{hello}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "gemicro", "{answer}");
}
