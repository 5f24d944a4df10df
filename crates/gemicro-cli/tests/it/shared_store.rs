//! Workers in processes of their own over one PostgreSQL, one of which is killed.

use std::process::{Child, Command, Stdio};

use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::{Value, json};

use crate::server::Server;
use crate::simulated::{Simulated, until};

/// Prompts and shell commands of the batch, each.
const N_TASKS: usize = 12;

/// A worker with a state folder of its own; killed when the test ends.
struct Worker(Child);

impl Worker {
    fn start(simulated: &Simulated, store: &str, name: &str) -> Self {
        let mut command = shared(simulated, store, name, &["worker", "--limit", "gemini=4"]);
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The program over the shared store, on a machine of this name.
fn shared(simulated: &Simulated, store: &str, machine: &str, arguments: &[&str]) -> Command {
    let mut command = simulated.command(arguments);
    command
        .env("GEMICRO_HOME", simulated.world.path(machine))
        .env("GEMICRO_STORE", store)
        .env("GEMICRO_RESIDENT", "on")
        .env("PATH", "/usr/bin:/bin");
    command
}

fn batch() -> Value {
    let prompts = (0..N_TASKS).map(|n| {
        json!({ "task_id": format!("p{n}"), "type": "prompt", "parameters": { "prompt": format!("question {n}.") } })
    });
    let shells = (0..N_TASKS).map(|n| {
        json!({ "task_id": format!("s{n}"), "type": "execute_shell_command", "parameters": { "command": format!("echo {n} >> ran.txt") } })
    });
    prompts.chain(shells).collect()
}

#[test]
fn what_a_killed_worker_did_is_taken_over_and_nothing_is_done_twice() {
    let server = Server::start();
    let store = server.address();
    let simulated = Simulated::new("  - { name: answers, reply: { text: hello, gate: { name: hold } } }\n");
    let world = &simulated.world;
    for folder in ["project", "user"] {
        std::fs::create_dir_all(world.path(folder)).unwrap();
    }
    std::fs::write(world.path("batch.json"), batch().to_string()).unwrap();
    let mut first = Worker::start(&simulated, &store, "one");
    let second = Worker::start(&simulated, &store, "two");
    let call = |machine: &str, arguments: &[&str]| -> Value {
        let called = world.finish(shared(&simulated, &store, machine, arguments).output().unwrap());
        serde_json::from_str(&called.stdout).unwrap_or_else(|error| panic!("{error}: {}", called.stderr))
    };
    let submitted = call("one", &["batch", "submit", "batch.json", "--dir", "project"]);
    let id = submitted["response_id"].as_str().unwrap().to_owned();
    // Both workers together ask four questions at a time.
    simulated.reached("hold", 4);
    let shells_are_done = || {
        let polled = call("two", &["batch", "poll", &id]);
        (polled["counts"]["completed"].as_u64().unwrap() >= N_TASKS as u64).then_some(polled)
    };
    let polled = until("the shell commands", shells_are_done);
    assert_eq!(polled["counts"]["total"], 2 * N_TASKS);
    assert_eq!(simulated.requests(ScenarioEndpoint::Interactions).len(), 4);
    first.kill();
    simulated.running.gates().open("hold");
    let last = call("two", &["batch", "wait", &id]);
    assert_eq!(last["status"], "completed", "{last}");
    assert_eq!(last["counts"]["completed"], 2 * N_TASKS, "{last}");
    // Every command was run once; what the dead worker had asked and not heard is asked again, and nothing else.
    let ran = std::fs::read_to_string(world.path("project/ran.txt")).unwrap();
    let mut ran: Vec<usize> = ran.lines().map(|line| line.parse().unwrap()).collect();
    ran.sort_unstable();
    assert_eq!(ran, (0..N_TASKS).collect::<Vec<_>>());
    let n_asked = simulated.requests(ScenarioEndpoint::Interactions).len();
    assert!((N_TASKS..=N_TASKS + 4).contains(&n_asked), "{n_asked}");
    drop(second);
}
