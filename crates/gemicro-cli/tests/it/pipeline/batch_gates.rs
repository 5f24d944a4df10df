//! Pipelines of a batch that wait at a human gate: seen in the poll, in the list of runs and in exit codes, and answered.

use std::process::Command;

use serde_json::{Value, json};

use super::scene::{BRANCH, Scene, TASK};
use crate::program::Called;

const QUESTION: &str = "Shall it be delivered?";
const KEY: &str = "delivery.1:human";

/// A pipeline with a gate, and a batch with it and with what follows it.
struct Gate {
    scene: Scene,
    is_resident: bool,
}

impl Gate {
    fn new(is_resident: bool) -> Self {
        let mut scene = Scene::new();
        let human = format!("action: deliver\n    human: \"{QUESTION}\"");
        scene.workflow("action: deliver", &human);
        let batch = json!([
            { "task_id": "code", "type": "pipeline", "parameters": { "task": TASK, "branch": BRANCH, "agent": "gemini" } },
            { "task_id": "after", "type": "execute_shell_command", "parameters": { "command": "echo done" }, "depends_on": ["code"] },
            { "task_id": "beside", "type": "execute_shell_command", "parameters": { "command": "echo quick" } },
        ]);
        std::fs::write(scene.world.path("batch.json"), batch.to_string()).unwrap();
        Self { scene, is_resident }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scene.command(arguments);
        if self.is_resident {
            command.env("GEMICRO_RESIDENT", "on").env("GEMICRO_LINGER", "1");
        }
        command
    }

    fn call(&self, code: i32, arguments: &[&str]) -> Called {
        let called = self.scene.world.finish(self.command(arguments).output().unwrap());
        assert_eq!(
            called.code, code,
            "{arguments:?}\n{}\n{}",
            called.stdout, called.stderr
        );
        called
    }

    fn answer(&self, code: i32, arguments: &[&str]) -> Value {
        let called = self.call(code, arguments);
        serde_json::from_str(called.stdout.lines().last().unwrap()).unwrap()
    }

    /// Checks what is shown while it waits, and gives the batch and the run that asks.
    fn waits(&self, answer: &Value) -> (String, String) {
        let states: Vec<&str> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["state"].as_str().unwrap())
            .collect();
        assert_eq!(states, ["input_required", "queued", "completed"], "{answer}");
        assert_eq!(answer["status"], "pending");
        assert_eq!(answer["counts"]["input_required"], 1);
        let question = &answer["results"][0]["question"];
        assert_eq!(
            (&question["key"], &question["text"]),
            (&json!(KEY), &json!(QUESTION))
        );
        let (batch, run) = (
            answer["response_id"].as_str().unwrap(),
            question["run_id"].as_str().unwrap(),
        );
        let polled = self.answer(0, &["batch", "poll", batch]);
        assert_eq!(polled["results"], answer["results"]);
        let shown = self.call(10, &["batch", "results", batch, "--format", "text"]);
        for words in [
            &format!("gemicro answer {run} yes    # or no: {QUESTION}"),
            &format!("asks: {QUESTION}"),
        ] {
            assert!(shown.stdout.contains(words.as_str()), "{words}: {}", shown.stdout);
        }
        let story = self.call(0, &["show", batch]).stdout;
        assert!(story.contains(&format!("gemicro answer {run} yes")), "{story}");
        // Paused by itself it would be a task that was cut off.
        let paused = self.call(7, &["pause", run]);
        assert!(
            paused.stderr.contains(&format!("gemicro pause {batch}")),
            "{}",
            paused.stderr
        );
        (batch.to_owned(), run.to_owned())
    }

    /// The rows of the list: those of the batch and of the run that asks.
    fn rows(&self, batch: &str, run: &str) -> (Value, Value) {
        let rows = self.answer(0, &["runs", "--format", "json"]);
        let row = |id: &str| {
            rows.as_array()
                .unwrap()
                .iter()
                .find(|row| row["run"] == id)
                .unwrap()
                .clone()
        };
        (row(batch), row(run))
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.is_resident {
            let _ = self.command(&["worker", "stop", "--now"]).output();
        }
    }
}

#[test]
fn a_gate_in_a_batch_of_the_worker_is_seen_and_answered() {
    let gate = Gate::new(true);
    let file = gate.scene.world.path("batch.json");
    let first = gate.answer(0, &["batch", "submit", file.to_str().unwrap()]);
    let id = first["response_id"].as_str().unwrap();
    let waited = gate.call(10, &["batch", "wait", id]);
    let answer: Value = serde_json::from_str(waited.stdout.lines().last().unwrap()).unwrap();
    let (batch, run) = gate.waits(&answer);
    assert!(
        waited.stderr.contains(&format!("gemicro answer {run} yes")),
        "{}",
        waited.stderr
    );
    let (of_batch, of_run) = gate.rows(&batch, &run);
    assert_eq!(
        (&of_run["state"], &of_run["status"]),
        (&json!("input_required"), &json!("parked"))
    );
    assert_eq!(
        (&of_run["question"]["text"], &of_batch["state"]),
        (&json!(QUESTION), &json!("input_required"))
    );
    let listed = gate.call(0, &["runs", "--status", "input_required"]).stdout;
    assert!(listed.contains(&format!("gemicro answer {run} yes")), "{listed}");
    assert!(
        listed.contains(QUESTION) && !listed.contains("parked"),
        "{listed}"
    );

    gate.call(0, &["answer", &run, "yes"]);
    let done = gate.answer(0, &["batch", "wait", id]);
    assert_eq!(done["counts"]["completed"], 3);
    assert_eq!(done["results"][0].get("question"), None);
    assert_eq!(gate.rows(&batch, &run).1["state"], "completed");
}

#[test]
fn a_gate_in_a_batch_of_this_process_stops_it_until_it_is_answered() {
    let gate = Gate::new(false);
    let file = gate.scene.world.path("batch.json");
    let submitted = gate.call(10, &["batch", "submit", file.to_str().unwrap()]);
    let answer: Value = serde_json::from_str(submitted.stdout.lines().last().unwrap()).unwrap();
    let id = answer["response_id"].as_str().unwrap();
    let question = &answer["results"][0]["question"];
    assert_eq!(question["text"], QUESTION);
    let run = question["run_id"].as_str().unwrap();
    for words in [
        format!("gemicro answer {run} yes"),
        format!("gemicro resume {id}"),
    ] {
        assert!(submitted.stderr.contains(&words), "{words}: {}", submitted.stderr);
    }
    let inbox = gate.answer(0, &["inbox", "--format", "json"]);
    let entry = &inbox[0];
    assert_eq!(inbox.as_array().unwrap().len(), 1, "{inbox}");
    assert_eq!(
        (&entry["run"], &entry["part_of"]),
        (&json!(run), &json!(id)),
        "{inbox}"
    );
    assert_eq!(entry["then"], format!("gemicro resume {id}"), "{inbox}");
    assert_eq!(gate.rows(id, run).0["state"], "input_required");
    // Going on without an answer is no answer, and does not wait for ever.
    let again = gate.call(10, &["resume", id]);
    assert!(
        again.stderr.contains(&format!("gemicro answer {run} yes")),
        "{}",
        again.stderr
    );
    gate.call(0, &["answer", id, "yes"]);
    let done = gate.answer(0, &["resume", id, "--format", "json"]);
    assert_eq!(done["counts"]["completed"], 3);
}
