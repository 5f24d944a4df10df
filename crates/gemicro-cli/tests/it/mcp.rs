//! The MCP server as a client starts it: JSON lines with the real program and a scripted agent.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::agent_world::{AgentWorld, INIT, RESULT};
use crate::program::World;
use crate::simulated::{KEY, until};

/// A script that goes on when the file `go` is there.
pub(crate) fn gated() -> String {
    format!("{INIT}  - shell: 'while [ ! -e go ]; do sleep 0.02; done'\n{RESULT}")
}

/// A server and the client's ends of its pipes.
pub(crate) struct Session {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Session {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut session = Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next_id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = session.request("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "gemicro", "{answer}");
        session.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    pub(crate) fn of(stage: &AgentWorld, more: &[&str]) -> Self {
        let mut arguments = vec!["mcp"];
        arguments.extend(more);
        let mut command = stage.simulated.command(&arguments);
        command.env("PATH", stage.search_path());
        Self::start(command)
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// The next line on stdout: the protocol, and nothing else.
    pub(crate) fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let message = self.read();
        assert_eq!(message["id"], id, "{message}");
        message
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let message = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }));
        message["result"]["structuredContent"].clone()
    }

    /// Waits for the end: exit code, rest of stdout, stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.input.take());
        let (mut rest, mut said) = (String::new(), String::new());
        self.output.read_to_string(&mut rest).unwrap();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, rest, said)
    }
}

pub(crate) fn ask(stage: &AgentWorld) -> Value {
    json!({ "PROMPT": "Do it", "cd": stage.path("project"), "max_retries": 0 })
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_server_is_ready_before_anything_is_opened() {
    let world = World::new();
    let mut session = Session::start(world.command(&["mcp"]));
    let listed = session.request("tools/list", &json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 13);
    assert!(!world.path("home").exists(), "nothing was needed yet");
    let answer = session.call("run_status", &json!({ "run_id": "nosuchrun0000000" }));
    assert_eq!(answer["error_kind"], "not_found", "{answer}");
    assert!(world.path("home").exists());
    assert_eq!(session.end(), (Some(0), String::new(), String::new()));
}

#[test]
fn an_agent_answers_and_the_shell_prints_the_same() {
    let stage = AgentWorld::scripted(&format!("{INIT}{RESULT}"));
    let mut session = Session::of(&stage, &[]);
    let mut arguments = ask(&stage);
    arguments["model"] = "gemini-3-pro-preview".into();
    arguments["log_metrics"] = true.into();
    let answer = session.call("gemini", &arguments);
    assert_eq!(
        keys(&answer),
        ["SESSION_ID", "duration", "result", "success", "tool"],
        "{answer}"
    );
    assert_eq!(answer["SESSION_ID"], "10eac96a-83a2-42b4-ab4b-78aa9e87c983");
    assert_eq!(answer["result"].as_str().map(str::trim), Some("So far so good."));
    let missing = session.call("codex", &ask(&stage));
    assert_eq!(missing["error_kind"], "auth_failed", "{missing}");
    assert_eq!(
        keys(&missing["error_detail"]),
        [
            "exit_code",
            "idle_timeout_s",
            "last_lines",
            "max_duration_s",
            "message",
            "retries"
        ]
    );
    let (code, rest, said) = session.end();
    assert_eq!((code, rest.as_str()), (Some(0), ""));
    assert!(
        said.contains("gemini-3-pro-preview") && said.contains("metrics {"),
        "{said}"
    );
    assert!(!said.contains(KEY));

    let command = |more: &[&str]| {
        let mut arguments = vec!["ask", "--cd", "project", "--format", "json", "Do it"];
        arguments.extend(more);
        let mut command = stage.simulated.command(&arguments);
        command.env("PATH", stage.search_path());
        let output = command.output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(keys(&command(&[])), keys(&answer));
    let more = command(&["--metrics", "--all-messages"]);
    assert!(more["metrics"]["n_tool_calls"].is_u64(), "{more}");
    assert!(more["all_messages"].is_array(), "{more}");
    let form = ["--template", "review", "--language", "zh", "--task", "And that"];
    assert_eq!(command(&form)["success"], true);
    let started = stage.simulated.event("run_started");
    let task = &started["data"]["plan"]["task"];
    assert_eq!(task["sandbox"], "read-only");
    let prompt = task["prompt"].as_str().unwrap();
    assert!(prompt.contains("1. Do it\n2. And that"), "{prompt}");
}

#[test]
fn an_unknown_session_begins_a_new_one_and_says_so() {
    let stage = AgentWorld::scripted(&format!("{INIT}{RESULT}"));
    let mut session = Session::of(&stage, &[]);
    for unknown in [
        "0e2b1c9a-1111-4222-8333-444455556666",
        "what was it",
        "../../etc/passwd",
    ] {
        let mut arguments = ask(&stage);
        arguments["SESSION_ID"] = json!(unknown);
        let answer = session.call("gemini", &arguments);
        assert_eq!(answer["success"], true, "{answer}");
        let note = answer["note"].as_str().unwrap();
        assert!(
            note.contains(unknown) && note.contains("a new one was started"),
            "{note}"
        );
        // The session that it names is one to go on with, and there is nothing to note about it.
        arguments["SESSION_ID"] = answer["SESSION_ID"].clone();
        let again = session.call("gemini", &arguments);
        assert_eq!(again["success"], true, "{again}");
        assert_eq!(
            keys(&again),
            ["SESSION_ID", "duration", "result", "success", "tool"]
        );
    }
}

#[test]
fn a_long_call_gives_its_run_and_the_run_its_answer() {
    let stage = AgentWorld::scripted(&gated());
    let mut session = Session::of(&stage, &["--answer-within", "1"]);
    let answer = session.call("gemini", &ask(&stage));
    assert_eq!(answer["error_kind"], "still_running", "{answer}");
    let run = answer["error_detail"]["run_id"].as_str().unwrap().to_owned();
    let status = session.call("run_status", &json!({ "run_id": run }));
    assert_eq!(
        (&status["status"], &status["flow"]),
        (&json!("running"), &json!("ask")),
        "{status}"
    );
    std::fs::write(stage.path("project/go"), "").unwrap();
    let answer = until("the answer", || {
        let answer = session.call("run_result", &json!({ "run_id": run }));
        (answer["error_kind"] != "still_running").then_some(answer)
    });
    assert_eq!(answer["success"], true, "{answer}");
    assert_eq!(session.end().0, Some(0));
    // Another process, later.
    let mut session = Session::of(&stage, &[]);
    assert_eq!(session.call("run_result", &json!({ "run_id": run })), answer);
    session.end();
    stage.assert_nothing_runs();
}

#[test]
fn a_call_that_is_cancelled_ends_its_agent() {
    let stage = AgentWorld::scripted(&gated());
    let mut session = Session::of(&stage, &[]);
    let params = json!({ "name": "gemini", "arguments": ask(&stage), "_meta": { "progressToken": 1 } });
    let id = session.send("tools/call", &params);
    let first = session.read();
    assert_eq!(first["method"], "notifications/progress", "{first}");
    let run = stage.simulated.world.last_run();
    let cancel = json!({ "requestId": id, "reason": "enough" });
    session.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    let status = until("the end", || {
        let id = session.send(
            "tools/call",
            &json!({ "name": "run_status", "arguments": { "run_id": run } }),
        );
        let message = std::iter::repeat_with(|| session.read())
            .find(|message| message["id"] == id)
            .unwrap();
        let status = message["result"]["structuredContent"].clone();
        (status["status"] != "running").then_some(status)
    });
    assert_eq!(status["status"], "cancelled", "{status}");
    session.end();
    stage.assert_nothing_runs();
}

#[test]
fn a_client_that_leaves_and_a_signal_stop_runs_cleanly() {
    for by_signal in [false, true] {
        let stage = AgentWorld::scripted(&gated());
        let mut session = Session::of(&stage, &["--answer-within", "1"]);
        let answer = session.call("gemini", &ask(&stage));
        let run = answer["error_detail"]["run_id"].as_str().unwrap().to_owned();
        if by_signal {
            kill_process(Pid::from_child(&session.child), Signal::TERM).unwrap();
            session.child.wait().unwrap();
        }
        let (code, rest, said) = session.end();
        assert_eq!((code, rest.as_str()), (Some(0), ""), "{said}");
        assert!(said.contains(&format!("run {run} is stopped")), "{said}");
        stage.assert_nothing_runs();
        let mut session = Session::of(&stage, &[]);
        let status = session.call("run_status", &json!({ "run_id": run }));
        assert_eq!(status["status"], "suspended", "{status}");
        let result = session.call("run_result", &json!({ "run_id": run }));
        assert_eq!(result["error_kind"], "interrupted", "{result}");
        session.end();
    }
}

#[test]
fn research_answers_with_its_sources() {
    let world = World::new();
    let mut session = Session::start(world.command(&["mcp"]));
    let arguments = json!({
        "question": "How high is the Port Amsel lighthouse?", "sources": [world.path("docs")], "offline": true,
    });
    let answer = session.call("research", &arguments);
    assert_eq!(answer["success"], true, "{answer}");
    assert!(
        answer["result"].as_str().unwrap().contains("31 metres"),
        "{answer}"
    );
    assert_eq!(answer["citations"].as_array().unwrap().len(), 1);
    let again = session.call("run_result", &json!({ "run_id": answer["run_id"] }));
    assert_eq!(again, answer);
    for (arguments, kind) in [
        (json!({ "question": "x" }), "auth_failed"),
        (json!({ "question": "x", "backend": "nobody" }), "invalid_input"),
        (json!({ "question": "x", "budget": "much" }), "invalid_input"),
        (
            json!({ "question": "x", "offline": true, "sources": ["/nowhere"] }),
            "not_found",
        ),
        (
            json!({ "question": "x", "offline": true, "sources": ["https://docs.example/page"] }),
            "invalid_input",
        ),
    ] {
        let answer = session.call("research", &arguments);
        assert_eq!(answer["error_kind"], kind, "{answer}");
    }
    session.end();
}

#[test]
fn other_machines_are_not_served_by_accident() {
    let world = World::new();
    let refused = world.call(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--allow-remote"), "{}", refused.stderr);
}
