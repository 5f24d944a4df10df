//! Batches of the resident worker: they go on without the command, and without the worker that began them.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::batch_place::{Place, last_line, prompt, shell, states};
use crate::simulated::until;

/// Two tasks that wait for the gate, and one that does not.
fn held() -> Value {
    json!([
        prompt("first", "This is a slow one"),
        prompt("second", "Also a slow one"),
        prompt("quick", "Quick")
    ])
}

fn id_of(answer: &Value) -> String {
    answer["response_id"].as_str().unwrap().to_owned()
}

fn worker(place: &Place) -> Pid {
    let status = place.call(&["worker", "status", "--format", "json"]).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    Pid::from_raw(i32::try_from(status["pid"].as_i64().unwrap()).unwrap()).unwrap()
}

/// How often each task has its final event in the journal.
fn endings(place: &Place, id: &str) -> Vec<String> {
    let events = place.call(&["events", id]).stdout;
    let events = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ended = ["batch_item_completed", "batch_item_failed"];
    let mut ids: Vec<String> = events
        .filter(|event| ended.contains(&event["event_type"].as_str().unwrap()))
        .map(|event| event["data"]["task_id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

#[test]
fn a_running_batch_is_not_shown_as_free() {
    let place = Place::resident();
    let id = id_of(&place.must(&json!([prompt("held", "This is a slow one")]), &[]));
    place.simulated.reached("held", 1);
    let shown = place.call(&["show", &id]).stdout;
    let cost = shown.lines().find(|line| line.starts_with("Cost")).unwrap();
    assert!(
        cost.contains("0 tokens · ") && cost.contains(" so far (no budget set)"),
        "{cost}"
    );
    assert!(!cost.contains('$'), "{cost}");
    place.simulated.running.gates().open("held");
    place.batch(0, &["wait", &id]);
}

#[test]
fn a_batch_continues_without_its_command() {
    let place = Place::resident();
    let first = place.must(&held(), &[]);
    assert_eq!(first["status"], "pending");
    assert!(first["next_poll_interval_seconds"].as_u64().unwrap() >= 1);
    let pending = json!({ "task_id": "first", "status": "pending", "output": {}, "error": null });
    for (key, value) in pending.as_object().unwrap() {
        assert_eq!(&first["results"][0][key], value, "{first}");
    }
    let id = id_of(&first);
    place.simulated.reached("held", 2);
    let polled = until("the quick one", || {
        let polled = place.batch(0, &["poll", &id]);
        (polled["results"][2]["state"] == "completed").then_some(polled)
    });
    assert_eq!(
        states(&polled),
        [
            ("first", "running"),
            ("second", "running"),
            ("quick", "completed")
        ]
    );
    assert_eq!(polled["counts"]["running"], 2);
    // Asking for all of it is early: what there is is printed, and the exit code says so.
    assert_eq!(place.batch(7, &["results", &id]), polled);
    let waited = place.call(&["batch", "wait", &id, "--timeout", "1"]);
    assert_eq!(
        (waited.code, last_line(&waited)["status"].as_str()),
        (7, Some("pending"))
    );
    assert!(
        waited.stderr.contains(&format!("gemicro batch wait {id}")),
        "{}",
        waited.stderr
    );
    place.simulated.running.gates().open("held");
    let last = place.batch(0, &["wait", &id]);
    assert_eq!(last["counts"]["completed"], 3);
    assert_eq!(last["results"][0]["output"], json!({ "text": "Done." }));
    assert_eq!(place.batch(0, &["results", "last"]), last);
    assert_eq!(place.simulated.posts("held"), 2);
    place.call(&["worker", "stop"]);
    let socket = place.simulated.world.path("home/worker/socket");
    until("the worker's leave", || (!socket.exists()).then_some(()));
    place.simulated.assert_no_key();
}

#[test]
fn a_killed_worker_is_replaced_and_the_batch_ends() {
    let place = Place::resident();
    let tasks = json!([
        prompt("held", "This is a slow one"),
        shell("done", "echo x >> ran.txt"),
        shell("after", "echo ${held.output.text} >> ran.txt"),
    ]);
    let id = id_of(&place.must(&tasks, &[]));
    place.simulated.reached("held", 1);
    until("the shell", || (place.lines("ran.txt").len() == 1).then_some(()));
    until("its record", || {
        let polled = place.batch(0, &["poll", &id]);
        (polled["results"][1]["state"] == "completed").then_some(())
    });
    kill_process(worker(&place), Signal::KILL).unwrap();
    // A look at the batch starts nothing.
    assert_eq!(place.batch(0, &["poll", &id])["status"], "pending");
    let status = place.call(&["worker", "status", "--format", "json"]).stdout;
    assert_eq!(status.trim(), "null");
    place.simulated.running.gates().open("held");
    let last = place.batch(0, &["wait", &id]);
    assert_eq!(
        states(&last),
        [
            ("held", "completed"),
            ("done", "completed"),
            ("after", "completed")
        ]
    );
    assert_eq!(place.lines("ran.txt"), ["x", "Done."]);
    assert_eq!(endings(&place, &id), ["after", "done", "held"]);
}

#[test]
fn tasks_are_cancelled_one_by_one_and_all_together() {
    let place = Place::resident();
    let id = id_of(&place.must(&held(), &[]));
    place.simulated.reached("held", 2);
    assert_eq!(
        place.batch(2, &["cancel", &id, "nobody"])["error_kind"],
        "not_found"
    );
    place.batch(0, &["cancel", &id, "second", "--reason", "not needed"]);
    let polled = until("the cancelled one", || {
        let polled = place.batch(0, &["poll", &id]);
        (polled["counts"]["cancelled"] == 1 && polled["counts"]["completed"] == 1).then_some(polled)
    });
    assert_eq!(
        states(&polled),
        [
            ("first", "running"),
            ("second", "cancelled"),
            ("quick", "completed")
        ]
    );
    assert_eq!(polled["results"][1]["error_kind"], "cancelled");
    assert!(
        polled["results"][1]["error"]
            .as_str()
            .unwrap()
            .contains("not needed"),
        "{polled}"
    );
    // While the batch is open, a task is done again in it.
    let again = place.batch(0, &["retry", &id, "second"]);
    assert_eq!(again["response_id"], json!(id));
    until("the second one again", || {
        (place.simulated.posts("held") == 3).then_some(())
    });
    place.batch(0, &["cancel", &id]);
    let last = place.batch(9, &["wait", &id]);
    assert_eq!(
        states(&last),
        [
            ("first", "cancelled"),
            ("second", "cancelled"),
            ("quick", "completed")
        ]
    );
    place.simulated.running.gates().open("held");
    let retried = place.batch(0, &["retry", &id]);
    assert_ne!(retried["response_id"], json!(id));
    let last = place.batch(0, &["wait", "last"]);
    assert_eq!(last["counts"]["completed"], 3, "{last}");
    assert_eq!(place.simulated.posts("quick"), 1);
}

#[test]
fn a_cancelled_batch_without_outputs_ends_as_one() {
    let place = Place::resident();
    let id = id_of(&place.must(&json!([prompt("a", "This is a slow one")]), &[]));
    place.simulated.reached("held", 1);
    place.batch(0, &["cancel", &id]);
    let last = place.batch(130, &["wait", &id]);
    assert_eq!(
        (&last["status"], states(&last)[0].1),
        (&json!("failed"), "cancelled")
    );
}

#[test]
fn ctrl_c_ends_the_waiting_and_not_the_batch() {
    let place = Place::resident();
    let id = id_of(&place.must(&held(), &[]));
    place.simulated.reached("held", 2);
    let mut command = place.command(&["batch", "wait", &id]);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    until("its handler", || catches_interrupts(child.id()).then_some(()));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let called = place.simulated.world.finish(child.wait_with_output().unwrap());
    assert_eq!(called.code, 130, "{}", called.stderr);
    assert!(
        called.stderr.contains(&format!("Batch {id} is still running.")),
        "{}",
        called.stderr
    );
    place.simulated.running.gates().open("held");
    assert_eq!(place.batch(0, &["wait", &id])["counts"]["completed"], 3);
}

/// Whether a process has a handler for SIGINT.
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:"))
        .unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
}

#[test]
fn a_batch_of_this_process_is_stopped_and_resumed() {
    let place = Place::alone();
    let child = place.start(&held().to_string(), &[]);
    place.simulated.reached("held", 2);
    let id = place.simulated.world.last_run();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let called = place.simulated.world.finish(child.wait_with_output().unwrap());
    assert_eq!(called.code, 130, "{}", called.stderr);
    assert!(
        called.stderr.contains(&format!("gemicro resume {id}")),
        "{}",
        called.stderr
    );
    let shown = place.call(&["show", &id]).stdout;
    assert!(shown.contains("suspended"), "{shown}");
    place.simulated.running.gates().open("held");
    let resumed = place.call(&["resume", &id, "--format", "json"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(
        last_line(&resumed)["counts"]["completed"],
        3,
        "{}",
        resumed.stdout
    );
    assert_eq!(endings(&place, &id), ["first", "quick", "second"]);
}

#[test]
fn a_killed_command_is_resumed_by_the_same_key() {
    let place = Place::alone();
    let mut child = place.start(&held().to_string(), &["--key", "once"]);
    place.simulated.reached("held", 2);
    kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    let id = place.simulated.world.last_run();
    let resume = format!("gemicro resume {id}");
    let listed = place.call(&["batch", "list"]).stdout;
    assert!(
        listed.contains("  died  ") && listed.contains(&resume),
        "{listed}"
    );
    for (arguments, code) in [(vec!["poll", &id], 0), (vec!["wait", &id, "--timeout", "1"], 7)] {
        let called = place.call(&[vec!["batch"], arguments].concat());
        assert_eq!(called.code, code, "{}", called.stderr);
        let words = format!("The process of this batch has died. Continue with: {resume}");
        assert!(called.stderr.contains(&words), "{}", called.stderr);
    }
    place.simulated.running.gates().open("held");
    let last = place.must(&held(), &["--key", "once"]);
    assert_eq!(last["counts"]["completed"], 3, "{last}");
    assert_eq!(
        endings(&place, last["response_id"].as_str().unwrap()),
        ["first", "quick", "second"]
    );
}

/// A command cannot be repeated, so a pause lets it end and starts no other.
#[test]
fn a_pause_lets_commands_end_and_starts_nothing_new() {
    let place = Place::resident();
    let mut next = shell("next", "echo next");
    next["depends_on"] = json!(["held"]);
    let tasks = json!([shell("held", "touch began; sleep 2; echo done"), next]);
    let id = id_of(&place.must(&tasks, &[]));
    until("the command", || place.path("began").exists().then_some(()));
    let paused = place.call(&["pause", &id]);
    assert_eq!(paused.code, 0, "{}", paused.stderr);
    let polled = place.batch(0, &["poll", &id]);
    assert_eq!(states(&polled), [("held", "completed"), ("next", "queued")]);
    assert_eq!(
        (&polled["status"], &polled["paused"]),
        (&json!("pending"), &json!(true)),
        "{polled}"
    );
    let shown = place.call(&["batch", "results", &id, "--format", "text"]);
    assert_eq!(shown.code, 7);
    assert!(shown.stdout.contains(" · paused"), "{}", shown.stdout);
    assert!(
        shown.stderr.contains(&format!("gemicro resume {id}")),
        "{}",
        shown.stderr
    );
    let resumed = place.call(&["resume", &id]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let ended = place.batch(0, &["wait", &id]);
    assert_eq!(states(&ended), [("held", "completed"), ("next", "completed")]);
}
