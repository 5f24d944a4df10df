//! Batches carried out by the command that handed them in: the contract, keys, references, retries, screens.

use serde_json::{Value, json};

use crate::batch_place::{Place, last_line, prompt, shell, states};
use crate::golden;

/// The input of the contract.
const CONTRACT: &str = include_str!("contract.json");

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_batch_of_the_contract() {
    let place = Place::alone();
    std::fs::write(place.path("a.rs"), "").unwrap();
    std::fs::write(
        place.path("lcov.info"),
        "SF:a.rs\nDA:1,1\nDA:2,0\nend_of_record\n",
    )
    .unwrap();
    let called = place.submit(CONTRACT, &[]);
    assert_eq!(called.code, 9, "{}", called.stderr);
    let id = last_line(&called)["response_id"].clone();
    for line in called.stdout.lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let fields = [
            "response_id",
            "status",
            "results",
            "next_poll_interval_seconds",
            "counts",
        ];
        assert_eq!(keys(&answer), fields);
        assert_eq!(answer["response_id"], id);
    }
    let answer = last_line(&called);
    assert_eq!(answer["status"], "completed");
    assert_eq!(answer["next_poll_interval_seconds"], 0);
    let ids = ["task_123", "task_124", "task_125", "task_126"];
    assert_eq!(states(&answer).iter().map(|it| it.0).collect::<Vec<_>>(), ids);
    let results = answer["results"].as_array().unwrap();
    let covered = &results[0];
    assert_eq!(covered["status"], "completed", "{covered}");
    let data = covered["output"]["coverage_data"].as_str().unwrap();
    assert!(data.contains("\nfiles = [\"a.rs\"];\n"), "{data}");
    assert_eq!(covered["output"]["summary"]["percent"], 50.0);
    let item = &results[1];
    let error = item["error"].as_str().unwrap();
    assert_eq!(
        (&item["status"], &item["state"]),
        (&json!("failed"), &json!("failed"))
    );
    assert!(error.contains("there is no file lib/parser.cpp"), "{error}");
    assert_eq!(item["error_kind"], "not_found");
    let memory = &results[2];
    match memory["status"].as_str() {
        Some("completed") => assert!(memory["output"]["memory_summary"].is_string(), "{memory}"),
        _ => assert!(memory["error"].is_string(), "{memory}"),
    }
    let listed = &results[3];
    assert_eq!(listed["status"], "completed");
    assert_eq!(listed["error"], Value::Null);
    assert!(
        listed["output"]["stdout"].as_str().unwrap().contains(" inner\n"),
        "{listed}"
    );
    assert_eq!(
        (&listed["output"]["stderr"], &listed["output"]["exit_code"]),
        (&json!(""), &json!(0))
    );
    // The journal says what the command was for.
    let events = place
        .call(&["events", id.as_str().unwrap(), "--format", "text"])
        .stdout;
    assert!(
        events.contains("Task task_126 started: List files in current directory"),
        "{events}"
    );
    assert_eq!(place.batch(0, &["poll", "last"]), answer);
    assert_eq!(place.batch(0, &["poll", &id.as_str().unwrap()[..6]]), answer);
}

#[test]
fn the_same_key_is_the_same_batch() {
    let place = Place::alone();
    let tasks = json!([shell("a", "echo x >> ran.txt")]);
    let first = place.must(&tasks, &["--key", "nightly"]);
    let again = place.must(&tasks, &["--key", "nightly"]);
    assert_eq!(first, again);
    // The key may stand in the batch as well.
    let own = json!({ "key": "nightly", "tasks": tasks });
    assert_eq!(place.must(&own, &[]), first);
    assert_eq!(place.must(&own, &["--key", "nightly"]), first);
    assert_eq!(place.lines("ran.txt").len(), 1);
    let other = json!([shell("a", "echo y >> ran.txt")]);
    let refused = place.submit(&other.to_string(), &["--key", "nightly"]);
    assert_eq!(refused.code, 7, "{}", refused.stderr);
    assert_eq!(last_line(&refused)["error_kind"], "conflict");
    for more in [["--on-failure", "stop"], ["--deadline", "60"]] {
        let refused = place.submit(
            &tasks.to_string(),
            &[&["--key", "nightly"], more.as_slice()].concat(),
        );
        assert_eq!(refused.code, 7, "{more:?}: it is another batch");
    }
    assert_eq!(place.lines("ran.txt").len(), 1);
    // Without a key every batch is a new one.
    assert_ne!(place.must(&tasks, &[])["response_id"], first["response_id"]);
    assert_eq!(place.lines("ran.txt").len(), 2);
}

#[test]
fn outputs_go_into_later_tasks() {
    let place = Place::alone();
    let tasks = json!([
        shell("last", "echo \"got ${asked.output.text} and ${said.output.stdout}\""),
        prompt("asked", "Explain: ${said.output.stdout}"),
        shell("said", "printf '%s' '$(touch pwned) ; `touch pwned`'"),
        shell("lost", "echo ${said.output.nothing}"),
        { "task_id": "later", "type": "execute_shell_command", "parameters": { "command": "cat ran.txt" }, "depends_on": ["writes"] },
        shell("writes", "echo written > ran.txt"),
    ]);
    let answer = place.ends(9, &tasks, &[]);
    let outputs = |idx: usize| {
        answer["results"][idx]["output"]["stdout"]
            .as_str()
            .unwrap_or_default()
    };
    assert_eq!(
        outputs(0),
        "got An answer. and $(touch pwned) ; `touch pwned`\n",
        "{answer}"
    );
    assert_eq!(answer["results"][1]["output"], json!({ "text": "An answer." }));
    assert!(!place.path("pwned").exists());
    let asked = place.simulated.running.log().entries();
    assert!(
        asked
            .iter()
            .any(|it| it.prompt == "Explain: $(touch pwned) ; `touch pwned`"),
        "{asked:?}"
    );
    assert_eq!(answer["results"][3]["state"], "failed");
    assert!(
        answer["results"][3]["error"]
            .as_str()
            .unwrap()
            .contains("nothing"),
        "{answer}"
    );
    assert_eq!(outputs(4), "written\n");
}

#[test]
fn what_has_no_output_is_done_again() {
    let place = Place::alone();
    let mut waits = shell("waits", "until [ -e ok ]; do sleep 0.05; done; echo fine");
    waits["parameters"]["timeout_seconds"] = json!(1);
    waits["max_retries"] = json!(0);
    let tasks = json!([
        shell("done", "echo x >> ran.txt"),
        waits,
        shell("after", "echo ${waits.output.stdout}")
    ]);
    let first = place.ends(9, &tasks, &[]);
    assert_eq!(
        states(&first),
        [("done", "completed"), ("waits", "failed"), ("after", "skipped")]
    );
    assert_eq!(first["results"][1]["error_kind"], "timeout");
    let id = first["response_id"].as_str().unwrap();
    let mut show = place.simulated.world.screen(&place.call(&["show", "last"]));
    show = show
        .replace("1.1s", "TIME")
        .replace("1.0s", "TIME")
        .replace("1.2s", "TIME");
    golden!("batch_show", show);
    golden!(
        "batch_results",
        place
            .simulated
            .world
            .screen(&place.call(&["batch", "results", "last", "--format", "text"]))
    );
    let pointed = place.call(&["retry", "last"]);
    assert_eq!(pointed.code, 2);
    assert!(
        pointed.stderr.contains(&format!("gemicro batch retry {id}")),
        "{}",
        pointed.stderr
    );
    assert_eq!(
        place.batch(2, &["retry", id, "nobody"])["error_kind"],
        "not_found"
    );

    std::fs::write(place.path("ok"), "").unwrap();
    let again = place.batch(0, &["retry", id]);
    assert_ne!(again["response_id"], first["response_id"]);
    assert_eq!(
        states(&again),
        [
            ("done", "completed"),
            ("waits", "completed"),
            ("after", "completed")
        ]
    );
    assert_eq!(
        place.lines("ran.txt").len(),
        1,
        "what completed is not done again"
    );
    assert_eq!(
        place.batch(0, &["poll", id]),
        first,
        "the first batch stays as it was"
    );
    assert_eq!(place.batch(2, &["retry", "last"])["error_kind"], "invalid_input");
    let shown = place.call(&["show", "last"]).stdout;
    assert!(shown.contains(&format!("After     run {id}")), "{shown}");
}

#[test]
fn lines_come_in_the_order_of_the_tasks() {
    let place = Place::alone();
    let tasks: Vec<Value> = (0..6)
        .map(|n| {
            let mut task = shell(&format!("t{n}"), &format!("echo {n}"));
            task["priority"] = json!(n);
            task
        })
        .collect();
    let body: String = tasks.iter().map(|task| format!("{task}\n")).collect();
    let called = place.submit(&body, &["--format", "jsonl"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let results = place
        .call(&["batch", "results", "last", "--format", "jsonl"])
        .stdout;
    assert!(called.stdout.ends_with(&results), "{}\n{results}", called.stdout);
    for (n, line) in results.lines().enumerate() {
        let item: Value = serde_json::from_str(line).unwrap();
        assert_eq!(item["task_id"], format!("t{n}"));
        assert_eq!(item["output"]["stdout"], format!("{n}\n"));
    }
    assert_eq!(results.lines().count(), 6);
}

#[test]
fn nothing_completed_is_a_failure() {
    let place = Place::alone();
    let tasks = json!([
        { "task_id": "a", "type": "pipeline_of_tomorrow", "parameters": {} },
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "" } },
    ]);
    let called = place.submit(&tasks.to_string(), &[]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    let answer = last_line(&called);
    assert_eq!(
        (&answer["status"], &answer["counts"]["rejected"]),
        (&json!("failed"), &json!(2))
    );
    assert!(
        called.stderr.contains("completed; a: there is no task type"),
        "{}",
        called.stderr
    );
    for verb in ["wait", "results"] {
        assert_eq!(place.batch(2, &[verb, "last"]), answer);
    }
    assert_eq!(place.batch(0, &["poll", "last"]), answer);
}

#[test]
fn a_failure_stops_what_has_not_begun() {
    let place = Place::alone();
    let mut fails = shell("fails", "sleep 60");
    fails["parameters"]["timeout_seconds"] = json!(1);
    fails["max_retries"] = json!(0);
    let mut never = shell("never", "echo x >> ran.txt");
    never["depends_on"] = json!(["long"]);
    let mut long = shell("long", "sleep 2; echo done");
    long["priority"] = json!(1);
    let answer = place.ends(9, &json!([fails, long, never]), &["--on-failure", "stop"]);
    assert_eq!(
        states(&answer),
        [("fails", "failed"), ("long", "completed"), ("never", "cancelled")]
    );
    assert_eq!(place.lines("ran.txt").len(), 0);
}

#[test]
fn what_is_late_expires() {
    let place = Place::alone();
    let tasks = json!([shell("quick", "echo x"), shell("slow", "sleep 60")]);
    let answer = place.ends(9, &tasks, &["--deadline", "1"]);
    assert_eq!(states(&answer), [("quick", "completed"), ("slow", "expired")]);
}

#[test]
fn types_and_lists_are_screens() {
    let place = Place::alone();
    let screen = |arguments: &[&str]| place.simulated.world.screen(&place.call(arguments));
    golden!("batch_no_batches", screen(&["batch", "list"]));
    golden!("batch_types", screen(&["batch", "types"]));
    place.must(&json!([shell("a", "echo x")]), &["--key", "a key"]);
    golden!("batch_list", screen(&["batch", "list"]));
    golden!("batch_ended", screen(&["resume", "last"]));
    let types: Value =
        serde_json::from_str(&place.call(&["batch", "types", "--format", "json"]).stdout).unwrap();
    for it in types.as_array().unwrap() {
        let name = it["type"].as_str().unwrap();
        let schema: Value = serde_json::from_str(&place.call(&["batch", "schema", name]).stdout).unwrap();
        assert_eq!(it["parameters"], schema);
        assert!(schema["properties"].is_object(), "{name}");
    }
    let unknown = place.call(&["batch", "schema", "nothing"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("execute_shell_command"),
        "{}",
        unknown.stderr
    );
    let shown: Value =
        serde_json::from_str(&place.call(&["show", "last", "--format", "json"]).stdout).unwrap();
    assert_eq!(shown["batch"], place.batch(0, &["poll", "last"]));
    let rows: Value =
        serde_json::from_str(&place.call(&["batch", "list", "--format", "json"]).stdout).unwrap();
    assert_eq!(rows[0]["state"], "completed");
}
