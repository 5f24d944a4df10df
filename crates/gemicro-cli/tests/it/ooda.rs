//! OODA loops: both examples with real compilers and coverage tools, and what is rejected, decided and resumed.

use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::{Value, json};

use crate::ooda_place::{FILE, OodaPlace, answers, new_test};
use crate::simulated::until;

/// What is the same for both examples: a test that checks nothing is rejected, its improvement and another one are taken.
fn check_example(place: &OodaPlace, target: f64) -> Value {
    let before = place.git(&["rev-parse", "HEAD"]);
    let result = place.result(&["--auto"]);
    assert_eq!(result["stopped"], "target", "{result:#}");
    assert!(
        result["before"]["percent"].as_f64().unwrap() < target,
        "{result:#}"
    );
    assert!(
        result["after"]["percent"].as_f64().unwrap() >= target,
        "{result:#}"
    );
    assert_eq!(result["rejected"][0]["reason"], "broken_code_not_noticed");
    assert_eq!(result["taken"].as_array().unwrap().len(), 2);
    assert_eq!(place.subjects().len(), 2);
    let run = place.call(&["runs", "--format", "json"]);
    let run: Value = serde_json::from_str(&run.stdout).unwrap();
    let trailers = place.git(&[
        "log",
        "--format=%(trailers:key=Gemicro-Run,valueonly)",
        "main..task/coverage",
    ]);
    assert!(
        trailers.split_whitespace().all(|id| run[0]["run"] == id),
        "{trailers}\n{run}"
    );
    // The user's own checkout is as it was.
    assert_eq!(place.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    let changed = place.git(&["diff", "--name-only", "main", "task/coverage"]);
    assert!(
        changed.lines().all(|path| path.starts_with("tests/")),
        "{changed}"
    );
    result
}

#[test]
fn the_rust_example_reaches_its_target() {
    let place = OodaPlace::example("ooda-rust");
    let result = check_example(&place, 95.0);
    assert_eq!(
        result["before"],
        json!({ "lines": 35, "covered": 26, "percent": 74.28 })
    );
    let log = place.simulated.running.log().entries();
    let has_reason = log.iter().any(|entry| {
        let body = entry.body.to_string();
        body.contains("Write a better test") && body.contains("versions with broken code")
    });
    assert!(has_reason, "the model is told why its test was rejected");
}

#[test]
fn the_cpp_example_reaches_its_target() {
    let place = OodaPlace::example("ooda-cpp");
    check_example(&place, 90.0);
    let shown = place.call(&["show", "last"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.contains("task/coverage"), "{}", shown.stdout);
}

#[test]
fn a_loop_whose_file_holds_a_key_is_refused() {
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let place = OodaPlace::shell(
        &answers(&[]),
        &format!("{FILE}environment = {{ KEY = '{key}' }}\n"),
    );
    let called = place.call(&["ooda", "--auto"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(
        called.stderr.contains("looks like an API key"),
        "{}",
        called.stderr
    );
}

#[test]
fn a_project_whose_tests_fail_is_left_alone() {
    let place = OodaPlace::shell(
        &answers(&[]),
        &FILE
            .replace("bash \\\"$t\\\"", "false")
            .replace("bash \"$t\"", "false"),
    );
    let called = place.call(&["ooda", "--auto"]);
    assert_eq!(called.code, 3, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("the tests fail (exit code 1), before anything was changed"),
        "{}",
        called.stderr
    );
    assert!(
        place.simulated.running.log().entries().is_empty(),
        "no model is asked"
    );
}

#[test]
fn a_coverage_command_without_a_report_says_so() {
    let place = OodaPlace::shell(&answers(&[]), &FILE.replace("bash cover.sh", "true"));
    let called = place.call(&["ooda", "--auto"]);
    assert_eq!(called.code, 3, "{}", called.stderr);
    assert!(called.stderr.contains("lcov.info"), "{}", called.stderr);
}

#[test]
fn the_budget_ends_the_loop_with_its_table() {
    let patch = new_test("test_sub.sh", &[". ./calc.sh", "[ \"$(sub 3 1)\" = 2 ]"]);
    let place = OodaPlace::shell(&answers(&[&patch, &patch]), FILE);
    let result = place.result(&["--auto", "--budget", "20"]);
    assert_eq!(result["stopped"], "budget", "{result:#}");
    assert_eq!(result["target_reached"], false);
    let calls = place.simulated.requests(ScenarioEndpoint::Interactions);
    assert!(calls.is_empty(), "nothing is spent past the budget");
}

#[test]
fn a_person_decides_in_a_file() {
    let patch = new_test("test_sub.sh", &[". ./calc.sh", "[ \"$(sub 3 1)\" = 2 ]"]);
    let place = OodaPlace::shell(&answers(&[&patch]), FILE);
    let file = place.simulated.world.path("decision.toml");
    let mut command = place.command(&["ooda", "--format", "json", "--decide", file.to_str().unwrap()]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    for (question, decision) in [("decide:1", "1"), ("decide:2", "stop")] {
        let asked = until("it comes", || {
            let text = std::fs::read_to_string(&file).ok()?;
            text.contains(&format!("question = \"{question}\""))
                .then_some(text)
        });
        assert!(asked.contains("calc.sh:"), "{asked}");
        // What means nothing is not taken for an answer.
        std::fs::write(&file, asked.replace("decision = \"\"", "decision = \"perhaps\"")).unwrap();
        std::fs::write(
            &file,
            asked.replace("decision = \"\"", &format!("decision = \"{decision}\"")),
        )
        .unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["stopped"], &result["rounds"]),
        (&json!("person"), &json!(1))
    );
    assert_eq!(place.subjects().len(), 1);
}

#[test]
fn without_a_terminal_a_loop_says_how_it_is_answered_and_is_suspended() {
    let place = OodaPlace::shell(&answers(&[]), FILE);
    let out = place.simulated.world.path("result.json");
    let mut command = place.command(&["ooda"]);
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(10), "{said}");
    let run = place.simulated.world.last_run();
    for words in [
        "Which gap is next?".to_owned(),
        format!("gemicro answer {run} 1 && gemicro resume {run}"),
        format!("gemicro resume {run} --decide"),
        format!("Run {run} is suspended."),
    ] {
        assert!(said.contains(&words), "{words}: {said}");
    }
    let kept = place.call(&["answer", "last", "stop"]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let file = out.display().to_string();
    let resumed = place.call(&["resume", "last", "--format", "json", "--out", &file]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.stdout, "");
    let result: Value = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    assert_eq!(result["stopped"], "person", "{result:#}");
}

#[test]
fn a_person_decides_from_elsewhere() {
    let place = OodaPlace::shell(&answers(&[]), FILE);
    let mut command = place.command(&["ooda", "--format", "json", "--wait"]);
    let child = command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let answered = |answer: &str| {
        until("it comes", || {
            let called = place.call(&["answer", "last", answer]);
            (called.code == 0).then_some(called)
        })
    };
    // The first means nothing and is asked about again.
    answered("17");
    answered("stop");
    let output = child.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["stopped"], "person", "{result:#}");
}

#[test]
fn a_loop_that_was_killed_continues_and_commits_once() {
    let patch = new_test("test_sub.sh", &[". ./calc.sh", "[ \"$(sub 3 1)\" = 2 ]"]);
    let place = OodaPlace::shell(&answers(&[&patch]), FILE);
    let mut child = place
        .command(&["ooda", "--auto", "--target", "30"])
        .spawn()
        .unwrap();
    // Killed as soon as the branch has moved: between the commit and its record, or a little later.
    until("it comes", || {
        let found = place.git(&["branch", "--list", "task/coverage", "--format=%(objectname)"]);
        let moved = !found.is_empty() && found != place.git(&["rev-parse", "main"]);
        moved.then_some(())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let called = place.call(&["resume", "last", "--format", "json"]);
    assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
    let result: Value = serde_json::from_str(called.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(result["stopped"], "target", "{result:#}");
    assert_eq!(place.subjects().len(), 1);
    assert_eq!(
        place.simulated.running.log().entries().len(),
        1,
        "the model is asked once"
    );
}

#[test]
fn files_that_are_no_loops_are_refused() {
    let place = OodaPlace::shell(&answers(&[]), FILE);
    for (text, words) in [
        ("", "coverage"),
        ("coverage = 'x'\n", "test"),
        ("coverage = 'x'\ntest = 'y'\ntargte = 9\n", "targte"),
        ("coverage = 'x'\ntest = 'y'\ntarget = 'much'\n", "line 3"),
        ("coverage = 'x'\ntest = 'y'\ntarget = 101\n", "101"),
        ("coverage = ''\ntest = 'y'\n", "empty"),
        ("coverage = 'x'\ntest = 'y'\nbranch = 'main'\n", "task/"),
        ("coverage = 'x'\ntest = 'y'\nbudget = 'lots'\n", "lots"),
        ("coverage = 'x'\ntest = 'y'\nrounds = 0\n", "at least 1"),
        ("not a file", "line 1"),
    ] {
        std::fs::write(place.project().join("odd.toml"), text).unwrap();
        let called = place.call(&["ooda", "odd.toml", "--auto"]);
        assert_eq!(called.code, 2, "{text}: {}", called.stderr);
        assert!(called.stderr.contains(words), "{text}: {}", called.stderr);
    }
    let missing = place.call(&["ooda", "nowhere.toml"]);
    assert_eq!(missing.code, 2, "{}", missing.stderr);
}

#[test]
fn the_batch_of_the_contract_is_completed_where_reports_are() {
    let place = OodaPlace::example("ooda-cpp");
    let file = place.simulated.world.path("batch.json");
    std::fs::write(&file, CONTRACT).unwrap();
    let called = place.call(&[
        "batch",
        "submit",
        file.to_str().unwrap(),
        "--no-resident",
        "--format",
        "json",
    ]);
    assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
    let answer: Value = serde_json::from_str(called.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(answer["status"], "completed", "{answer:#}");
    let results = answer["results"].as_array().unwrap();
    assert!(
        results.iter().all(|item| item["status"] == "completed"),
        "{answer:#}"
    );
    let coverage = results[0]["output"]["coverage_data"].as_str().unwrap();
    assert!(coverage.contains("lib/parser.cpp"), "{coverage}");
    let patch = results[1]["output"]["patch"].as_str().unwrap();
    let patch_file = place.simulated.world.path("test.patch");
    std::fs::write(&patch_file, patch).unwrap();
    place.git(&["apply", "--check", patch_file.to_str().unwrap()]);
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    assert_eq!(
        results[1]["output"]["lines"],
        "100-107, 119, 121, 123, 130, 139, 145, 147"
    );
}

#[test]
fn a_test_is_proposed_tried_and_refined() {
    let place = OodaPlace::example("ooda-cpp");
    let file = place.simulated.world.path("batch.json");
    let tasks = json!([
        { "task_id": "gaps", "type": "propose_strategy", "parameters": { "scope": "cpp", "limit": 3 } },
        {
            "task_id": "first",
            "type": "propose_test",
            "parameters": {
                "target_file": "lib/parser.cpp",
                "test_command": "make --silent test",
                "max_rounds": 1,
            },
        },
        {
            "task_id": "second",
            "type": "refine_test",
            "depends_on": ["first"],
            "parameters": {
                "run_id": "${first.output.run_id}",
                "failure_output": "It checks nothing.",
            },
        },
    ]);
    std::fs::write(&file, tasks.to_string()).unwrap();
    let called = place.call(&[
        "batch",
        "submit",
        file.to_str().unwrap(),
        "--no-resident",
        "--format",
        "json",
    ]);
    assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
    let answer: Value = serde_json::from_str(called.stdout.lines().last().unwrap()).unwrap();
    let output = |idx: usize| &answer["results"][idx]["output"];
    assert_eq!(output(0)["gaps"].as_array().map(Vec::len), Some(3), "{answer:#}");
    assert!(
        output(0)["strategy"]
            .as_str()
            .unwrap()
            .contains("lib/parser.cpp:")
    );
    assert_eq!(output(1)["verified"], true, "{answer:#}");
    assert_eq!(output(2)["verified"], true, "{answer:#}");
    assert_ne!(output(1)["patch"], output(2)["patch"]);
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    assert_eq!(place.git(&["branch", "--format=%(refname:short)"]), "main\n");
}

/// The input of the contract.
const CONTRACT: &str = include_str!("contract.json");
