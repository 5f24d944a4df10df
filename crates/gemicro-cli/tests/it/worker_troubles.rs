//! A worker that is stopped, and one whose disk is full: everybody is told, and everything goes on afterwards.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::{Value, json};

use crate::batch_place::{Place, last_line, prompt};
use crate::simulated::until;

/// Long enough for any machine, and far less than a worker may take to plan a batch.
const AT_ONCE: Duration = Duration::from_secs(25);

/// A worker that outlives a file that is too large; killed when the test ends.
struct Worker(Child);

impl Worker {
    fn start(place: &Place) -> Self {
        let plain = place.command(&["worker"]);
        let mut command = Command::new("sh");
        // What a shell ignores stays ignored.
        command.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
        command
            .arg(plain.get_program())
            .args(plain.get_args())
            .env_clear();
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let log = std::fs::File::create(place.path("worker.log")).unwrap();
        command
            .current_dir(place.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let worker = Self(command.spawn().unwrap());
        until("the worker", || {
            let status = place.call(&["worker", "status", "--format", "json"]).stdout;
            (status.trim() != "null").then_some(())
        });
        worker
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = kill_process(self.pid(), Signal::CONT);
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn held(place: &Place) -> String {
    let tasks = json!([
        prompt("first", "This is a slow one"),
        prompt("second", "Also a slow one")
    ]);
    let id = place.must(&tasks, &[])["response_id"]
        .as_str()
        .unwrap()
        .to_owned();
    place.simulated.reached("held", 2);
    id
}

#[test]
fn a_stopped_worker_is_in_nobodys_way() {
    let place = Place::resident();
    let worker = Worker::start(&place);
    let id = held(&place);
    kill_process(worker.pid(), Signal::STOP).unwrap();
    let pid = worker.0.id().to_string();
    let started = Instant::now();
    let status = place.call(&["worker", "status"]);
    assert_ne!(status.code, 0, "{}", status.stdout);
    for part in ["does not answer", "kill -CONT", &pid] {
        assert!(status.stderr.contains(part), "{}", status.stderr);
    }
    let polled = place.batch(0, &["poll", &id]);
    assert_eq!(
        (&polled["status"], &polled["counts"]["running"]),
        (&json!("pending"), &json!(2))
    );
    assert!(
        polled["trouble"].as_str().unwrap().contains("does not answer"),
        "{polled}"
    );
    let shown = place.call(&["batch", "poll", &id, "--format", "text"]);
    assert!(
        shown
            .stdout
            .contains("Blocked, retrying: the worker does not answer"),
        "{}",
        shown.stdout
    );
    for listed in [["batch", "list"].as_slice(), &["runs"], &["events", &id]] {
        let listed = place.call(listed);
        assert_eq!(listed.code, 0, "{}", listed.stderr);
    }
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
    kill_process(worker.pid(), Signal::CONT).unwrap();
    place.simulated.running.gates().open("held");
    let ended = place.batch(0, &["wait", &id]);
    assert_eq!(
        (&ended["status"], &ended["trouble"]),
        (&json!("completed"), &Value::Null),
        "{ended}"
    );
}

#[test]
fn a_batch_continues_when_there_is_room_again() {
    let place = Place::resident();
    let worker = Worker::start(&place);
    let id = held(&place);
    let room = |bytes: Option<u64>| {
        let limit = Rlimit {
            current: bytes,
            maximum: None,
        };
        prlimit(Some(worker.pid()), Resource::Fsize, limit).unwrap();
    };
    room(Some(1));
    place.simulated.running.gates().open("held");
    let poll = || last_line(&place.call(&["batch", "poll", &id]));
    let polled = until("the trouble", || {
        Some(poll()).filter(|polled| polled["trouble"].is_string())
    });
    assert_eq!(polled["status"], "pending");
    let status = last_line(&place.call(&["worker", "status", "--format", "json"]));
    let carried = &status["runs"][0];
    assert_eq!(
        (&carried["run"], &carried["trouble"]),
        (&json!(id), &polled["trouble"]),
        "{status}"
    );
    let shown = place.call(&["worker", "status"]).stdout;
    assert!(shown.contains("blocked, retrying"), "{shown}");
    room(None);
    let ended = until("the end", || {
        Some(poll()).filter(|polled| polled["status"] != "pending")
    });
    assert_eq!(
        (&ended["status"], &ended["trouble"]),
        (&json!("completed"), &Value::Null),
        "{ended}"
    );
    assert_eq!(ended["counts"]["completed"], 2, "{ended}");
    // What went wrong is told to whoever looks later, as soon as there is room for it.
    let log = std::fs::read_to_string(place.path("worker.log")).unwrap();
    assert!(log.contains("resuming a run"), "{log}");
}
