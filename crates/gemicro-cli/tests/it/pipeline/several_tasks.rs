//! Several tasks of a batch at once on one repository: they share agents, have ports of their own, are merged and pruned.

use serde_json::{Value, json};

use super::queue_scene::{AGENTS, CHANGE, MERGED, WORDS, assert_outcome, merge, merged};
use super::scene::Scene;

/// Submits a pipeline per word, waits for all of them, and gives the answer.
fn submit(scene: &Scene, words: &[&str], max_agents: &str) -> Value {
    let tasks = words.iter().map(|word| {
        let task = format!("Add the word {word} to the list.");
        let branch = format!("task/{word}");
        json!({ "task_id": word, "type": "pipeline", "parameters": { "task": task, "branch": branch, "agent": "gemini" } })
    });
    let file = scene.world.path("batch.json");
    std::fs::write(&file, json!(tasks.collect::<Vec<_>>()).to_string()).unwrap();
    let mut command = scene.command(&["batch", "submit", file.to_str().unwrap()]);
    let submitted = command.env("GEMICRO_MAX_AGENTS", max_agents).output();
    let submitted = scene.world.finish(submitted.unwrap());
    assert_eq!(submitted.code, 0, "{}\n{}", submitted.stdout, submitted.stderr);
    serde_json::from_str(submitted.stdout.lines().last().unwrap()).unwrap()
}

#[test]
fn two_tasks_take_turns_and_have_ports() {
    let mut scene = Scene::new();
    scene.workflow(
        "sh tests/run.sh",
        "test $PORT -ge 20000 && test $PORT = $GEMICRO_PORT_BASE && sh tests/run.sh",
    );
    // An agent without ports does not change anything, and its task fails.
    let develop = "develop() { test \"$PORT\" = \"$GEMICRO_PORT_BASE\" && test \"$PORT\" -ge 20000 && change; verify; commit \"$word\"; claim; }";
    scene.agents(&format!("{AGENTS}\n{CHANGE}\n{develop}"));
    let answer = submit(&scene, &["alpha", "bravo"], "1");
    let runs = answer["results"].as_array().unwrap().iter();
    let runs = runs.map(|it| it["output"]["run_id"].as_str().unwrap());
    let journals: String = runs
        .map(|run| scene.world.must(&["events", run]).stdout)
        .collect();
    let words = "waiting for another agent to finish: the limit is 1 (state.max_agents)";
    assert!(journals.contains(words), "neither task waited");
    let bad = scene
        .command(&["config", "show"])
        .env("GEMICRO_MAX_AGENTS", "0")
        .output()
        .unwrap();
    let bad = String::from_utf8_lossy(&bad.stderr).into_owned();
    assert!(
        bad.contains("`0` is not a number of agents from 1 to 1000"),
        "{bad}"
    );
}

#[test]
fn eight_tasks_at_once_are_merged_except_a_conflict_and_a_bad_one() {
    let scene = Scene::new();
    scene.agents(&format!("{AGENTS}\n{CHANGE}"));
    let base = scene.git(&["rev-parse", "main"]);
    let answer = submit(&scene, &WORDS, "8");
    let batch = answer["response_id"].as_str().unwrap();

    let (result, words) = merge(&scene, 9, &[batch]);
    assert_outcome(&scene, &base, &result);
    let golf = result["taken_out"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["branch"] == "task/golf");
    assert_eq!(
        golf.unwrap()["why"],
        "it conflicts with task/foxtrot in shared.txt"
    );
    let hotel = result["taken_out"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["branch"] == "task/hotel");
    let why = hotel.unwrap()["why"].as_str().unwrap();
    assert!(why.contains("not ok") && why.contains("hotel_test.sh"), "{why}");
    assert!(words.contains("task/hotel is taken out"), "{words}");
    // Every merge names the pipeline that made its branch.
    assert!(
        result["merged"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["run"].is_string())
    );
    // A second time, only what was taken out is left, and it is taken out again.
    let (again, _) = merge(&scene, 9, &[batch]);
    assert_eq!(merged(&again), Vec::<&str>::new());
    assert_eq!(again["already_merged"].as_array().unwrap().len(), MERGED.len());
    assert_pruned(&scene);
}

/// Merged tasks are removed; the others stay until they are forced.
fn assert_pruned(scene: &Scene) {
    let prune = |more: &[&str]| {
        let arguments: Vec<&str> = ["prune", "--tasks", "--format", "json"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        let called = scene.world.finish(scene.command(&arguments).output().unwrap());
        assert_eq!(called.code, 0, "{}", called.stderr);
        let result: Value = serde_json::from_str(&called.stdout).unwrap();
        let mut removed: Vec<String> = serde_json::from_value(result["removed"].clone()).unwrap();
        removed.sort_unstable();
        (removed, result)
    };
    let mut expected = MERGED.map(str::to_owned);
    expected.sort_unstable();
    assert_eq!(prune(&["--dry-run"]).0, expected);
    assert!(scene.has_branch("task/alpha"), "a preview removes nothing");
    let (removed, result) = prune(&["--yes"]);
    assert_eq!(removed, expected);
    assert_eq!(
        (&result["notes"], result["kept"].as_array().unwrap().len()),
        (&json!([]), 2),
        "{result}"
    );
    let branches = scene.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert_eq!(
        branches.lines().collect::<Vec<_>>(),
        ["main", "task/golf", "task/hotel"]
    );
    assert_eq!(prune(&["--yes"]).0, Vec::<String>::new());
    assert_eq!(prune(&["--yes", "--force"]).0, ["task/golf", "task/hotel"]);
    assert_eq!(
        scene.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]),
        "main"
    );
    let listed = scene.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(listed.matches("worktree ").count(), 1, "{listed}");
    let tasks = std::fs::read_dir(scene.world.path("home/tasks"))
        .unwrap()
        .flatten();
    let left: Vec<_> = tasks
        .map(|it| it.file_name())
        .filter(|it| !it.to_string_lossy().ends_with(".lock"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
