//! The resident worker: runs that go on without the command, the terminal or the worker that began them.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::agent_world::{AgentWorld, INIT, RESULT};
use crate::simulated::{KEY, until};

/// Notes that it ran, and waits for the file `go` before it answers.
const WAITS: &str = "  - shell: 'echo x >> ran.txt; while [ ! -e go ]; do sleep 0.02; done'\n";

/// A stage whose runs are the worker's; the worker leaves with it.
struct House {
    stage: AgentWorld,
}

impl House {
    fn new(steps: &str) -> Self {
        Self {
            stage: AgentWorld::scripted(steps),
        }
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = self.stage.scripted_command(more);
        resident(&mut command);
        command
    }

    fn ask(&self, more: &[&str]) -> Value {
        let output = self.command(more).output().unwrap();
        let called = self.stage.simulated.world.finish(output);
        assert!(!called.stderr.contains(KEY) && !called.stdout.contains(KEY));
        serde_json::from_str(&called.stdout).unwrap_or_else(|error| panic!("{error}: {}", called.stderr))
    }

    fn start(&self, more: &[&str]) -> Child {
        let mut command = self.command(more);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn call(&self, arguments: &[&str]) -> String {
        let mut command = self.stage.simulated.command(arguments);
        resident(&mut command);
        let called = self.stage.simulated.world.finish(command.output().unwrap());
        assert_eq!(called.code, 0, "{arguments:?}: {}", called.stderr);
        called.stdout
    }

    fn status(&self) -> Option<Value> {
        let status = self.call(&["worker", "status", "--format", "json"]);
        Some(serde_json::from_str(&status).unwrap()).filter(|status: &Value| !status.is_null())
    }

    fn worker(&self) -> Pid {
        let pid = self.status().expect("a worker")["pid"].as_i64().unwrap();
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }

    fn n_ran(&self) -> usize {
        let ran = std::fs::read_to_string(self.stage.path("project/ran.txt")).unwrap_or_default();
        ran.lines().count()
    }

    fn until_it_runs(&self) {
        until("the agent", || (self.n_ran() > 0).then_some(()));
    }

    fn go(&self) {
        std::fs::write(self.stage.path("project/go"), "").unwrap();
    }

    fn until_ended(&self) -> Value {
        until("the end of the run", || {
            let runs: Value = serde_json::from_str(&self.call(&["runs", "--format", "json"])).unwrap();
            let run = runs[0].clone();
            (run["status"] != "running" && run["status"] != "suspended" && !run.is_null()).then_some(run)
        })
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let mut command = self.stage.simulated.command(&["worker", "stop", "--now"]);
        resident(&mut command);
        let _ = command.output();
    }
}

fn resident(command: &mut Command) {
    command.env("GEMICRO_RESIDENT", "on").env("GEMICRO_LINGER", "1");
}

fn answered(answer: &Value) -> Option<&str> {
    answer["result"].as_str().map(str::trim)
}

#[test]
fn a_worker_comes_when_it_is_needed_and_leaves_when_it_is_not() {
    let house = House::new(&format!("{INIT}{RESULT}"));
    assert_eq!(house.status(), None);
    let answer = house.ask(&[]);
    assert_eq!(answered(&answer), Some("So far so good."), "{answer}");
    let status = house.status().expect("a worker");
    assert_eq!(status["runs"], serde_json::json!([]));
    let folder = house.stage.path("home/worker");
    use std::os::unix::fs::PermissionsExt;
    for (name, mode) in [("", 0o700), ("socket", 0o600), ("lock", 0o600), ("log", 0o600)] {
        let found = folder.join(name).metadata().unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
    assert_eq!(
        house.stage.simulated.event("run_started")["data"]["resident"],
        true
    );
    until("the worker's leave", || house.status().is_none().then_some(()));
    assert!(!folder.join("socket").exists());
}

#[test]
fn a_run_continues_when_its_command_is_killed() {
    let house = House::new(&format!("{WAITS}{INIT}{RESULT}"));
    let mut child = house.start(&[]);
    house.until_it_runs();
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let status = house.status().expect("a worker");
    assert_eq!(status["runs"][0]["status"], "running", "{status}");
    let refused = house.stage.simulated.call(&["worker", "stop"]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("is running 1 run"), "{}", refused.stderr);
    house.go();
    assert_eq!(house.until_ended()["status"], "completed");
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn ctrl_c_stops_the_run_and_not_the_worker() {
    let house = House::new(&format!("{WAITS}{INIT}{RESULT}"));
    let child = house.start(&["--sandbox", "workspace-write"]);
    house.until_it_runs();
    let worker = house.worker();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    house.stage.assert_nothing_runs();
    assert_eq!(house.worker(), worker);
    // It was stopped on purpose: nobody goes on with it.
    house.call(&["worker", "stop"]);
    let mut command = house.stage.simulated.command(&["worker"]);
    command.env("PATH", house.stage.search_path());
    let mut next = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = until("the next worker", || house.status());
    assert_eq!(status["runs"], serde_json::json!([]));
    kill_process(Pid::from_child(&next), Signal::TERM).unwrap();
    assert!(next.wait().unwrap().success());
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn a_killed_worker_is_replaced_and_nothing_is_done_twice() {
    let house = House::new(&format!("{WAITS}{INIT}{RESULT}"));
    let child = house.start(&[]);
    house.until_it_runs();
    kill_process(house.worker(), Signal::KILL).unwrap();
    // The command itself calls the next worker, which finds what the agent may have done.
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error_kind"], "interrupted", "{answer}");
    assert_eq!(house.n_ran(), 1);
    house.go();
    assert_eq!(answered(&house.ask(&[])), Some("So far so good."));
}

#[test]
fn what_only_reads_is_done_again_by_the_next_worker() {
    // A sandbox that only reads cannot be told by a file in the folder: its own temporary folder says how often it ran.
    let house = House::new(&format!("  - sleep: 1s\n{INIT}{RESULT}"));
    let child = house.start(&["--sandbox", "read-only"]);
    until("the run", || {
        let status = house.status()?;
        (status["runs"][0]["status"] == "running").then_some(())
    });
    kill_process(house.worker(), Signal::KILL).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answered(&answer), Some("So far so good."), "{answer}");
    let kinds: Vec<String> = house
        .stage
        .simulated
        .events()
        .iter()
        .map(|event| event["event_type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "agent_answered").count(), 1);
    assert!(kinds.contains(&"run_resumed".to_owned()), "{kinds:?}");
}

#[test]
fn no_one_resumes_a_run_under_another_key() {
    let house = House::new(&format!("  - sleep: 1s\n{INIT}{RESULT}"));
    let mut child = house.start(&["--sandbox", "read-only"]);
    until("the run", || {
        let status = house.status()?;
        (status["runs"][0]["status"] == "running").then_some(())
    });
    for process in [Pid::from_child(&child), house.worker()] {
        kill_process(process, Signal::KILL).unwrap();
    }
    child.wait().unwrap();
    let first = house.stage.simulated.world.last_run();
    let status = |run: &str| {
        let runs: Value = serde_json::from_str(&house.call(&["runs", "--format", "json"])).unwrap();
        let rows = runs.as_array().unwrap();
        rows.iter().find(|row| row["run"] == run).unwrap()["status"].clone()
    };
    let other = house
        .command(&["--sandbox", "read-only"])
        .env("GEMINI_API_KEY", "another-key-0123456789abcdef")
        .output()
        .unwrap();
    assert!(other.status.success());
    // Longer than the lease of the dead one lasts.
    std::thread::sleep(std::time::Duration::from_secs(11));
    assert_ne!(status(&first), "completed");
    assert_eq!(
        answered(&house.ask(&["--sandbox", "read-only"])),
        Some("So far so good.")
    );
    until("the first run", || (status(&first) == "completed").then_some(()));
}

#[test]
fn a_worker_whose_place_was_deleted_makes_it_again() {
    let house = House::new(&format!("{WAITS}{INIT}{RESULT}"));
    let child = house.start(&[]);
    house.until_it_runs();
    let worker = house.worker();
    std::fs::remove_dir_all(house.stage.path("home/worker")).unwrap();
    let again = until("its place", || house.status());
    assert_eq!(
        again["pid"].as_i64().unwrap(),
        i64::from(worker.as_raw_nonzero().get())
    );
    house.go();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answered(&answer), Some("So far so good."), "{answer}");
    assert_eq!(house.n_ran(), 1);
}

#[test]
fn a_worker_whose_store_was_deleted_makes_room_for_a_new_one() {
    let house = House::new(&format!("{INIT}{RESULT}"));
    assert_eq!(answered(&house.ask(&[])), Some("So far so good."));
    // It would stay for long: a second one is started only when it leaves.
    let lasting = |more: &[&str]| {
        let mut command = house.command(more);
        command.env("GEMICRO_LINGER", "600");
        command
    };
    until("the first worker's end", || {
        house.status().is_none().then_some(())
    });
    assert!(lasting(&[]).output().unwrap().status.success());
    let first = house.worker();
    std::fs::remove_dir_all(house.stage.path("home")).unwrap();
    until("an answer", || {
        let answer = lasting(&[]).output().unwrap();
        let answer: Value = serde_json::from_slice(&answer.stdout).ok()?;
        (answered(&answer) == Some("So far so good.")).then_some(())
    });
    assert_ne!(house.worker(), first);
}

#[test]
fn what_a_dead_worker_left_is_in_nobodys_way() {
    let house = House::new(&format!("{INIT}{RESULT}"));
    let folder = house.stage.path("home/worker");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("lock"), "4711").unwrap();
    drop(std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap());
    assert_eq!(house.status(), None);
    assert_eq!(answered(&house.ask(&[])), Some("So far so good."));
    // A socket that somebody deleted is made again.
    std::fs::remove_file(folder.join("socket")).unwrap();
    assert_eq!(answered(&house.ask(&[])), Some("So far so good."));
}

#[test]
fn many_commands_share_one_worker() {
    let house = House::new(&format!("{WAITS}{INIT}{RESULT}"));
    let children: Vec<Child> = (0..4).map(|_| house.start(&[])).collect();
    until("all agents", || (house.n_ran() == 4).then_some(()));
    let status = house.status().expect("a worker");
    assert_eq!(status["runs"].as_array().map(Vec::len), Some(4), "{status}");
    house.go();
    for child in children {
        let answer: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
        assert_eq!(answered(&answer), Some("So far so good."), "{answer}");
    }
}

#[test]
fn a_second_worker_on_purpose_is_reported_of_the_first() {
    let house = House::new(&format!("{INIT}{RESULT}"));
    house.ask(&[]);
    let mut command = house.stage.simulated.command(&["worker"]);
    resident(&mut command);
    let called = house.stage.simulated.world.finish(command.output().unwrap());
    assert_ne!(called.code, 0);
    assert!(called.stderr.contains("gemicro worker stop"), "{}", called.stderr);
}
