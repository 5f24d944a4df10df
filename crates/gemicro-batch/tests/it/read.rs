//! What is read as a batch, and what is refused with which words.

use gemicro_batch::contract::{
    BatchError, MAX_BATCH_BYTES, MAX_TASKS, OnFailure, SubmittedBatch, read_batch,
};
use gemicro_event::{ErrorKind, Failure};
use serde_json::{Value, json};

const A: &str = r#"{"task_id":"a","type":"prompt","parameters":{"prompt":"x"}}"#;

fn ids(batch: &SubmittedBatch) -> Vec<&str> {
    batch.tasks.iter().map(|task| task.task_id.as_str()).collect()
}

#[test]
fn the_documented_batch_is_read() {
    let batch = read_batch(include_bytes!("golden/submitted.json")).unwrap();
    assert_eq!(ids(&batch), ["task_123", "task_124", "task_125", "task_126"]);
    assert_eq!(batch.tasks[3].task_type, "execute_shell_command");
    assert_eq!(batch.tasks[3].parameters["command"], "ls -la");
    assert_eq!((batch.on_failure, batch.key), (OnFailure::Continue, None));
}

#[test]
fn lines_an_object_and_one_task_are_batches_too() {
    let b = A.replace("\"a\"", "\"b\"");
    let pretty = A.replace(',', ",\n  ");
    for (text, expected) in [
        (format!("{A}\n\n  {b}\r\n"), vec!["a", "b"]),
        (format!("\u{feff}[{A},\n{b}]"), vec!["a", "b"]),
        (format!("\n{pretty}\n"), vec!["a"]),
        (format!(r#"{{"tasks":[{A}]}}"#), vec!["a"]),
    ] {
        let batch = read_batch(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(ids(&batch), expected, "{text}");
    }
    let text = format!(r#"{{"key":"k 1","on_failure":"stop","deadline_seconds":60,"tasks":[{A}]}}"#);
    let batch = read_batch(text.as_bytes()).unwrap();
    assert_eq!(batch.key.as_deref(), Some("k 1"));
    assert_eq!(
        (batch.on_failure, batch.deadline_seconds),
        (OnFailure::Stop, Some(60))
    );
}

#[test]
fn every_field_of_a_task_is_read() {
    let text = r#"[{"task_id":"a","type":"t","parameters":{},"depends_on":[],"priority":-3,
        "deadline_seconds":9,"max_retries":0}]"#;
    let task = read_batch(text.as_bytes()).unwrap().tasks.remove(0);
    assert_eq!(
        (task.priority, task.deadline_seconds, task.max_retries),
        (-3, Some(9), Some(0))
    );
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let with = |field: &str| format!("[{A}, {}", A.replace("\"task_id\":\"a\"", field)) + "]";
    let cases = [
        (String::new(), "the batch contains no tasks"),
        ("  \n ".to_owned(), "the batch contains no tasks"),
        ("[]".to_owned(), "the batch contains no tasks"),
        (r#"{"tasks":[]}"#.to_owned(), "the batch contains no tasks"),
        (
            "[".to_owned(),
            "line 1, column 1: not valid JSON: EOF while parsing a list",
        ),
        (
            "[\n {]".to_owned(),
            "line 2, column 3: not valid JSON: key must be a string",
        ),
        (
            "hello".to_owned(),
            "line 1, column 1: not valid JSON: expected value",
        ),
        (
            "42".to_owned(),
            "the batch: expected an array of tasks, an object with `tasks`, or one task a line",
        ),
        (
            r#"{"tasks":7}"#.to_owned(),
            "/tasks: invalid type: integer `7`, expected an array of tasks",
        ),
        (
            format!(r#"{{"tasks":[{A}],"on_failure":"explode"}}"#),
            "/on_failure: unknown variant `explode`, expected `continue` or `stop`",
        ),
        (
            format!(r#"{{"tasks":[{A}],"key":""}}"#),
            "/key: a key has 1 to 128 bytes and no control characters",
        ),
        (
            format!(r#"{{"tasks":[{A}],"deadline_seconds":0}}"#),
            "/deadline_seconds: between 1 and 2592000 seconds",
        ),
        (
            format!(r#"{{"tasks":[{A},1]}}"#),
            "/tasks/1: invalid type: integer `1`, expected struct Task",
        ),
        (
            format!("{A}\n{{\"task_id\": }}"),
            "line 2, column 13: not valid JSON: expected value",
        ),
        (with(r#""id":"b""#), "/1/id: unknown field `id`"),
        (
            with(r#""task_id":7"#),
            "/1/task_id: invalid type: integer `7`, expected a string",
        ),
        (
            with(r#""task_id":"""#),
            "/1/task_id: a task id has 1 to 128 bytes",
        ),
        (
            with(r#""task_id":"b c""#),
            "/1/task_id: a task id has 1 to 128 bytes",
        ),
        (
            with(r#""task_id":"a""#),
            "/1/task_id: the task id `a` is used twice; the first is task 1 of the batch",
        ),
        (
            with(r#""task_id":"b","task_id":"c""#),
            "duplicate field `task_id`",
        ),
        (
            with(r#""task_id":"b","priority":1.5"#),
            "/1/priority: invalid type",
        ),
        (
            with(r#""task_id":"b","max_retries":21"#),
            "/1/max_retries: at most 20",
        ),
        (
            with(r#""task_id":"b","max_retries":-1"#),
            "/1/max_retries: invalid value",
        ),
        (
            with(r#""task_id":"b","deadline_seconds":99999999"#),
            "/1/deadline_seconds: between",
        ),
        (
            with(r#""task_id":"b","depends_on":["a","z"]"#),
            "/1/depends_on/1: there is no task `z` in this batch",
        ),
        (
            with(r#""task_id":"b","depends_on":"a""#),
            "/1/depends_on: invalid type",
        ),
        (
            with(r#""task_id":"b","depends_on":["b"]"#),
            "these tasks depend on each other in a cycle: b → b",
        ),
        (
            format!("[{}]", A.replace("\"type\":\"prompt\",", "")),
            "/0: missing field `type`",
        ),
        (
            format!("[{}]", A.replace("{\"prompt\":\"x\"}", "[1]")),
            "/0/parameters: expected an object",
        ),
        (
            format!("[{}]", A.replace(r#":"x""#, r#":["${q.output.y}"]"#)),
            "/0/parameters/prompt/0: there is no task `q` in this batch",
        ),
    ];
    for (text, expected) in cases {
        let error = read_batch(text.as_bytes()).expect_err(&text);
        assert!(
            error.to_string().contains(expected),
            "{text}\n  {error}\n  {expected}"
        );
        assert_eq!(Failure::from(error).kind, ErrorKind::InvalidInput);
    }
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let error = read_batch(b"[\n  \"\xff\"]").unwrap_err();
    assert_eq!(error, BatchError::NotText { line: 2, column: 4 });
}

#[test]
fn a_cycle_is_named_task_by_task() {
    let task = |id: &str, needs: &str, text: &str| {
        format!(
            r#"{{"task_id":"{id}","type":"prompt","parameters":{{"prompt":"{text}"}},"depends_on":[{needs}]}}"#
        )
    };
    let text = format!(
        "[{},{},{},{}]",
        task("free", "", "x"),
        task("a", r#""free","c""#, "x"),
        task("b", "", "${a.output.text}"),
        task("c", r#""b""#, "x"),
    );
    let error = read_batch(text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "these tasks depend on each other in a cycle: a → c → b → a"
    );
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let long = vec![b' '; MAX_BATCH_BYTES + 1];
    assert!(matches!(read_batch(&long), Err(BatchError::TooLong { .. })));
    // Thirty million nothings are not kept before they are counted.
    let many = format!("[{}1]", "1,".repeat(MAX_BATCH_BYTES / 2 - 2));
    let error = read_batch(many.as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&format!("more than {MAX_TASKS} tasks")),
        "{error}"
    );
}

#[test]
fn too_many_lines_are_refused() {
    let lines = format!("{A}\n").repeat(MAX_TASKS + 1);
    let error = read_batch(lines.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("more than 100000 tasks"), "{error}");
}

#[test]
fn parameters_that_are_too_long_are_refused() {
    let huge = A.replace(r#":"x""#, &format!(r#":"{}""#, "x".repeat(4 << 20)));
    let error = read_batch(format!("[{huge}]").as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("/0/parameters: "), "{error}");
}

/// `cargo test -p gemicro-batch --test it parameters_of_all -- --ignored`
#[test]
#[ignore = "reads 56 MB without optimisation; the command stands above it"]
fn parameters_of_all_tasks_that_are_too_long_are_refused() {
    let large = |idx: usize| {
        let text = format!(r#":"{}""#, "x".repeat(4_000_000));
        A.replace(r#":"x""#, &text)
            .replace(r#""a""#, &format!(r#""t{idx}""#))
    };
    let all: Vec<String> = (0..14).map(large).collect();
    let error = read_batch(all.join("\n").as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("bytes of parameters are too many"),
        "{error}"
    );
}

#[test]
fn a_task_that_needs_too_many_others_is_refused() {
    let mut tasks: Vec<Value> = (0..1_001)
        .map(|idx| json!({ "task_id": format!("t{idx}"), "type": "x", "parameters": {} }))
        .collect();
    let all: Vec<String> = (0..1_001).map(|idx| format!("t{idx}")).collect();
    tasks.push(json!({ "task_id": "last", "type": "x", "parameters": {}, "depends_on": all }));
    let error = read_batch(json!(tasks).to_string().as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/1001: 1001 dependencies are too many; at most 1000 are allowed"
    );
}

#[test]
fn nesting_without_end_is_no_end_of_the_program() {
    let deep = "[".repeat(1_000_000);
    assert!(matches!(
        read_batch(deep.as_bytes()),
        Err(BatchError::NotJson { .. })
    ));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!("[{}]", A.replace(r#""x""#, &deep));
    // As JSON it is fine; as parameters it is rejected with its type.
    assert_eq!(read_batch(text.as_bytes()).unwrap().tasks.len(), 1);
}
