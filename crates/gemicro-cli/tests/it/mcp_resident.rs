//! Calls that are never lost: the client goes, the server is killed, the worker is killed, the answer stays.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::agent_world::{AgentWorld, INIT, RESULT};
use crate::mcp::{Session, ask};
use crate::simulated::until;

/// Notes that it ran, and waits for the file `go` before it answers.
const WAITS: &str = "  - shell: 'echo x >> ran.txt; while [ ! -e go ]; do sleep 0.02; done'\n";

/// A stage with the server in its usual mode.
struct House(AgentWorld);

impl House {
    fn new() -> Self {
        Self(AgentWorld::scripted(&format!("{WAITS}{INIT}{RESULT}")))
    }

    fn session(&self, more: &[&str]) -> Session {
        let mut arguments = vec!["mcp"];
        arguments.extend(more);
        let mut command = self.0.simulated.command(&arguments);
        command
            .env("PATH", self.0.search_path())
            .env("GEMICRO_RESIDENT", "on")
            .env("GEMICRO_LINGER", "5");
        Session::start(command)
    }

    fn n_ran(&self) -> usize {
        let ran = std::fs::read_to_string(self.0.path("project/ran.txt")).unwrap_or_default();
        ran.lines().count()
    }

    fn go(&self) {
        std::fs::write(self.0.path("project/go"), "").unwrap();
    }

    /// The only run there is.
    fn run(&self) -> String {
        let called = self.0.simulated.call(&["runs", "--format", "json"]);
        let runs: Value = serde_json::from_str(&called.stdout).unwrap();
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        runs[0]["run"].as_str().unwrap().to_owned()
    }

    fn kill_worker(&self) {
        let called = self.0.simulated.call(&["worker", "status", "--format", "json"]);
        let status: Value = serde_json::from_str(&called.stdout).unwrap();
        let pid = i32::try_from(status["pid"].as_i64().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.0.simulated.call(&["worker", "stop", "--now"]);
    }
}

#[test]
fn a_killed_server_loses_nothing() {
    let house = House::new();
    let mut session = house.session(&[]);
    session.send(
        "tools/call",
        &json!({ "name": "gemini", "arguments": ask(&house.0) }),
    );
    until("the agent", || (house.n_ran() == 1).then_some(()));
    kill_process(Pid::from_child(&session.child), Signal::KILL).unwrap();
    session.child.wait().unwrap();
    let run = json!({ "run_id": house.run() });
    let mut session = house.session(&["--answer-within", "1"]);
    let early = session.call("run_result", &run);
    assert_eq!(early["error_kind"], "still_running", "{early}");
    assert_eq!(session.call("run_status", &run)["status"], "running");
    house.go();
    let answer = until("the answer", || {
        let answer = session.call("run_result", &run);
        (answer["error_kind"] != "still_running").then_some(answer)
    });
    assert_eq!(
        (&answer["success"], &answer["tool"]),
        (&true.into(), &"gemini".into()),
        "{answer}"
    );
    assert_eq!(house.n_ran(), 1, "it ran twice");
    // And once more, when everybody has left and the worker is gone.
    session.end();
    house.kill_worker();
    let mut session = house.session(&[]);
    assert_eq!(session.call("run_result", &run), answer);
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn a_client_that_leaves_stops_nothing_and_one_that_cancels_does() {
    let house = House::new();
    let mut session = house.session(&[]);
    session.send(
        "tools/call",
        &json!({ "name": "gemini", "arguments": ask(&house.0) }),
    );
    until("the agent", || (house.n_ran() == 1).then_some(()));
    let (code, ..) = session.end();
    assert_eq!(code, Some(0));
    let run = json!({ "run_id": house.run() });
    let mut session = house.session(&[]);
    assert_eq!(session.call("run_status", &run)["status"], "running");
    let cancelled = session.call("run_cancel", &run);
    assert_eq!(cancelled["success"], true, "{cancelled}");
    let answer = session.call("run_result", &run);
    assert_eq!(answer["error_kind"], "cancelled", "{answer}");
    session.end();
    house.0.assert_nothing_runs();
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn a_worker_that_dies_in_a_call_is_replaced_and_the_truth_is_reported() {
    let house = House::new();
    let mut session = house.session(&[]);
    let id = session.send(
        "tools/call",
        &json!({ "name": "gemini", "arguments": ask(&house.0) }),
    );
    until("the agent", || (house.n_ran() == 1).then_some(()));
    house.kill_worker();
    let message = session.read();
    assert_eq!(message["id"], id);
    let answer = &message["result"]["structuredContent"];
    assert_eq!(answer["error_kind"], "interrupted", "{answer}");
    assert!(
        answer["error"]
            .as_str()
            .unwrap()
            .contains("may have changed files"),
        "{answer}"
    );
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn two_calls_on_one_session_do_not_mix() {
    let house = House::new();
    house.go();
    let mut session = house.session(&[]);
    let first = session.call("gemini", &ask(&house.0));
    std::fs::remove_file(house.0.path("project/go")).unwrap();
    let mut arguments = ask(&house.0);
    arguments["SESSION_ID"] = first["SESSION_ID"].clone();
    session.send("tools/call", &json!({ "name": "gemini", "arguments": arguments }));
    until("the second turn", || (house.n_ran() == 2).then_some(()));
    let mut other = house.session(&[]);
    let refused = other.call("gemini", &arguments);
    assert_eq!(refused["error_kind"], "conflict", "{refused}");
    house.go();
    let answer = session.read();
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
}
