//! Programs of others against `gemicro serve`: the examples of docs/http.md, and requests made of the OpenAPI document.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::World;
use crate::serving::{Serving, command};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Asserts that a program answers.
fn assert_there(mut probe: Command, hint: &str) {
    let found = probe
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    assert!(found, "{hint}");
}

fn python() -> Command {
    Command::new(repository().join(".tools/python/bin/python"))
}

/// Runs an example against a server of its own; gives back what it printed.
fn run(mut example: Command, file: &str, guide: &str) -> String {
    assert!(guide.contains(file), "docs/http.md does not name {file}");
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let output = example
        .arg(repository().join(file))
        .env("GEMICRO_SERVER", format!("http://{}", serving.address))
        .env("GEMICRO_TOKEN", &serving.token)
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}\n{errors}");
    assert_eq!(serving.stop().0, Some(0));
    printed
}

#[test]
fn the_examples_of_the_guide_run() {
    let guide = std::fs::read_to_string(repository().join("docs/http.md")).unwrap();
    let shown = guide
        .split("```python\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let program = std::fs::read_to_string(repository().join("examples/http/batch.py")).unwrap();
    for part in shown.unwrap().split("\n\n") {
        assert!(
            program.contains(part.trim_end()),
            "docs/http.md shows what is not there: {part}"
        );
    }
    let mut curl = Command::new("curl");
    curl.arg("--version");
    assert_there(curl, "curl is missing: install it");
    let printed = run(Command::new("sh"), "examples/http/batch.sh", &guide);
    assert!(printed.contains(r#""exit_code":0"#), "{printed}");
    assert!(printed.contains("lighthouse.md"), "{printed}");
    assert!(printed.trim_end().ends_with("event: final_result"), "{printed}");
    let mut probe = python();
    probe.arg("--version");
    assert_there(probe, "Python is missing: run `cargo xtask setup`");
    let printed = run(python(), "examples/http/batch.py", &guide);
    assert!(printed.contains("list completed {\"stdout\": "), "{printed}");
    assert!(printed.contains("count completed {\"stdout\": "), "{printed}");
    assert!(
        printed
            .lines()
            .last()
            .is_some_and(|line| line.contains(" final_result ")),
        "{printed}"
    );
}

/// Beside the shapes of answers: what fits the document is taken, what does not is refused, and so are methods that it
/// does not name, with those that it does.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,\
                      response_headers_conformance,negative_data_rejection,positive_data_acceptance,unsupported_method,\
                      missing_required_header,ignored_auth";

/// What fits the document may still be about something that is not there, or need what this machine does not have.
/// No schema can state that the tasks of a batch name each other rightly, that a model exists and has a price, or
/// that a batch has tasks to do again.
const ACCEPTED: &str = r#"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 424, 429]

[[operations]]
include-name = "POST /v1/batches"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 400, 409] } }

[[operations]]
include-name = "POST /v1/runs"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 400, 404, 424] } }

[[operations]]
include-name = "POST /v1/batches/{id}/retry"
checks = { positive_data_acceptance = { expected-statuses = ["2xx", 400, 404, 409] } }
"#;

/// Requests made of the document: all must be answered as it says, and none with a server error.
fn schemathesis(serving: &Serving, folder: &Path, more: &[&str]) {
    let output = python()
        .args(["-m", "schemathesis.cli", "run"])
        .arg(format!("http://{}/openapi.json", serving.address))
        .args(["--header", &format!("Authorization: Bearer {}", serving.token)])
        .args(["--checks", CHECKS])
        .args([
            "--max-examples",
            "10",
            "--seed",
            "7",
            "--phases",
            "coverage,fuzzing",
        ])
        .args([
            "--request-timeout",
            "20",
            "--no-color",
            "--suppress-health-check",
            "all",
        ])
        .args(more)
        .current_dir(folder)
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}\n{errors}");
    let counted = printed
        .lines()
        .find_map(|line| line.trim().split_once(" generated, "));
    let (generated, passed) = counted.unwrap_or_else(|| panic!("{printed}"));
    // Some checks have nothing to look at in some cases: those are told as skipped, behind it.
    let passed = passed.split_once(" passed").map(|(passed, _)| passed);
    assert_eq!(passed, Some(generated), "{printed}");
    assert!(generated.parse::<u32>().is_ok_and(|n| n > 100), "{printed}");
}

#[test]
fn no_request_of_the_document_is_a_server_error() {
    let mut probe = python();
    probe.args(["-c", "import schemathesis"]);
    assert_there(probe, "schemathesis is missing: run `cargo xtask setup`");
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    std::fs::write(world.path("user/schemathesis.toml"), ACCEPTED).unwrap();
    schemathesis(&serving, &world.path("user"), &[]);
    // Once more with a batch that is there, so that more than the way to a 404 is tried.
    let task = r#"[{"task_id": "a", "type": "no_such_type", "parameters": {}}]"#;
    let batch = serving.post("/v1/batches", task).json();
    let known = format!("[parameters]\n\"path.id\" = {}\n{ACCEPTED}", batch["response_id"]);
    std::fs::write(world.path("user/schemathesis.toml"), known).unwrap();
    schemathesis(
        &serving,
        &world.path("user"),
        &["--include-path-regex", "/v1/(runs|batches)/"],
    );
    assert_eq!(serving.get("/health", &[]).status, 200);
    assert_eq!(serving.stop().0, Some(0));
}
