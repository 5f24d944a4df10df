//! The merge queue: eight tasks at once on one repository, conflicts, a branch that fails only after merging, kills,
//! and bad input.

use std::process::Command;

use serde_json::{Value, json};

use super::life::{Life, Moment};
use super::scene::{Scene, git};

/// The tasks, in batch order. Two of them write one file, and one holds only without another.
const WORDS: [&str; 8] = [
    "alpha", "bravo", "foxtrot", "charlie", "golf", "hotel", "delta", "echo",
];
const MERGED: [&str; 6] = [
    "task/alpha",
    "task/bravo",
    "task/foxtrot",
    "task/charlie",
    "task/delta",
    "task/echo",
];

/// What a task changes; the scripted agents and the branches that tests make by themselves use the same commands.
const CHANGE: &str = r#"change() {
    echo "echo $word" > "$word.sh"
    echo "test \"\$(sh $word.sh)\" = $word" > "tests/${word}_test.sh"
    mkdir -p words
    echo "$word" > "words/$word.md"
    case $word in
        foxtrot|golf) echo "$word" > shared.txt ;;
        hotel) echo "test ! -f bravo.sh" >> "tests/${word}_test.sh" ;;
    esac
}"#;

/// Agents whose work depends on the word of the task.
const AGENTS: &str = r#"
word=$(found 's/^.*Add the word \([a-z]*\) to the list\..*$/\1/p')
write_plan() {
    write "$document" <<TEXT
# Plan: $word

## List of Reference Documents

\`README.md\`.

## Detailed Logic

\`$word.sh\` prints one word.

## Test Scenarios

- \`$word.sh\` prints it.

## Documentation to Update

\`words/$word.md\`.

## Expected Deliverables

\`$word.sh\` and a test.

## Completion Checklist

- The word is printed
- A test holds it

\`\`\`json gemicro-plan
{
  "deliverables": ["$word.sh", "tests/${word}_test.sh"],
  "docs": ["words/$word.md"],
  "tests": ["tests/${word}_test.sh"],
  "checklist": ["The word is printed", "A test holds it"]
}
\`\`\`
TEXT
}
verify() {
    write "$document" <<'TEXT'
# Verification

- [x] The word is printed
- [x] A test holds it

`sh tests/run.sh` was run; every test passed.
TEXT
}
"#;

/// A repository with a branch per task, made without agents.
fn branches() -> Scene {
    let scene = Scene::new();
    for word in WORDS {
        branch(&scene, word);
    }
    scene
}

fn branch(scene: &Scene, word: &str) {
    let script = format!(
        "set -e; {CHANGE}\nword={word}; git checkout -q -b task/{word} main; change; git add -A; \
         git -c user.name=Ada -c user.email=a@example.com commit -q -m {word}; git checkout -q main"
    );
    let done = Command::new("sh")
        .args(["-c", &script])
        .current_dir(scene.project(""))
        .status();
    assert!(done.unwrap().success());
}

fn names() -> Vec<String> {
    WORDS.iter().map(|word| format!("task/{word}")).collect()
}

fn merge(scene: &Scene, code: i32, more: &[&str]) -> (Value, String) {
    let arguments: Vec<&str> = ["merge", "--format", "json"]
        .iter()
        .chain(more)
        .copied()
        .collect();
    let called = scene.world.finish(scene.command(&arguments).output().unwrap());
    assert_eq!(
        called.code, code,
        "{more:?}\n{}\n{}",
        called.stdout, called.stderr
    );
    let result = called
        .stdout
        .lines()
        .last()
        .map(|line| serde_json::from_str(line).unwrap());
    (result.unwrap_or_default(), called.stderr)
}

fn merged(result: &Value) -> Vec<&str> {
    let merged = result["merged"].as_array().unwrap().iter();
    merged.map(|it| it["branch"].as_str().unwrap()).collect()
}

/// What was taken out: the branch, and whether by a conflict or by the checks.
fn taken_out(result: &Value) -> Vec<(&str, &str)> {
    let out = result["taken_out"].as_array().unwrap().iter();
    let mut out: Vec<(&str, &str)> = out
        .map(|it| (it["branch"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect();
    out.sort_unstable();
    out
}

/// Checks out every first-parent commit of main since a commit, and runs the checks there.
fn assert_green(scene: &Scene, since: &str) {
    let range = format!("{since}..main");
    let commits = scene.git(&["rev-list", "--first-parent", "--reverse", &range]);
    assert!(!commits.is_empty());
    let folder = scene.world.path("green");
    let path = folder.to_str().unwrap();
    scene.git(&["worktree", "add", "--quiet", "--detach", path, "main"]);
    for commit in commits.lines() {
        git(&folder, &["checkout", "--quiet", "--detach", commit]);
        let tests = Command::new("sh")
            .arg("tests/run.sh")
            .current_dir(&folder)
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&tests.stdout).into_owned();
        assert!(tests.status.success(), "{commit}: {words}");
    }
    scene.git(&["worktree", "remove", "--force", path]);
}

/// Main has the expected merges, is green everywhere, and its checkout is clean; nothing private is left.
fn assert_outcome(scene: &Scene, since: &str, result: &Value) {
    assert_eq!(merged(result), MERGED, "{result:#}");
    let expected = [("task/golf", "conflict"), ("task/hotel", "checks")];
    assert_eq!(taken_out(result), expected, "{result:#}");
    let range = format!("{since}..main");
    let subjects = scene.git(&["log", "--first-parent", "--reverse", "--format=%s", &range]);
    let wanted = MERGED.map(|branch| format!("Merge {branch} into main"));
    assert_eq!(subjects.lines().collect::<Vec<_>>(), wanted);
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert_eq!(scene.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert!(scene.project("echo.sh").is_file(), "the checkout was not updated");
    assert!(!scene.git(&["branch", "--list"]).contains("merge-queue"));
    assert_green(scene, since);
}

#[test]
fn eight_tasks_at_once_are_merged_except_a_conflict_and_a_bad_one() {
    let scene = Scene::new();
    scene.agents(&format!("{AGENTS}\n{CHANGE}"));
    let base = scene.git(&["rev-parse", "main"]);
    let tasks = WORDS.map(|word| {
        let task = format!("Add the word {word} to the list.");
        let branch = format!("task/{word}");
        json!({ "task_id": word, "type": "pipeline", "parameters": { "task": task, "branch": branch, "agent": "gemini" } })
    });
    let file = scene.world.path("batch.json");
    std::fs::write(&file, json!(tasks).to_string()).unwrap();
    let submitted = scene
        .command(&["batch", "submit", file.to_str().unwrap()])
        .output();
    let submitted = scene.world.finish(submitted.unwrap());
    assert_eq!(submitted.code, 0, "{}\n{}", submitted.stdout, submitted.stderr);
    let answer: Value = serde_json::from_str(submitted.stdout.lines().last().unwrap()).unwrap();
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

#[test]
fn a_queue_that_is_killed_ten_times_merges_the_same() {
    let undisturbed = std::thread::spawn(|| {
        let scene = branches();
        let (names, base) = (names(), scene.git(&["rev-parse", "main"]));
        let named: Vec<&str> = names.iter().map(String::as_str).collect();
        let (result, _) = merge(&scene, 9, &named);
        assert_outcome(&scene, &base, &result);
        scene.git(&["rev-parse", "main^{tree}"])
    });
    let scene = branches();
    let base = scene.git(&["rev-parse", "main"]);
    let names = names();
    let mut arguments: Vec<&str> = vec!["merge"];
    arguments.extend(names.iter().map(String::as_str));
    let (mut life, mut seen, mut seed) = (Life::begin(&scene, &arguments), 0, 20_261_118_u64);
    for _ in 0..10 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (n_events, later) = (1 + (seed >> 33) % 6, (seed >> 40) % 250);
        let until = seen + n_events;
        let is_there = life.reach_where(|event| {
            seen = seen.max(event["seq"].as_u64().unwrap_or(0));
            seen >= until
        });
        assert!(is_there, "it ended before ten kills");
        std::thread::sleep(std::time::Duration::from_millis(later));
        life.kill();
        life = Life::begin(&scene, &["resume", "last"]);
    }
    let (code, words) = life.end();
    assert_eq!(code, 9, "{words}");
    let events = scene.events();
    let result = events.iter().find(|it| it["event_type"] == "final_result");
    assert_outcome(&scene, &base, &result.unwrap()["data"]);
    assert_eq!(
        scene.git(&["rev-parse", "main^{tree}"]),
        undisturbed.join().unwrap()
    );
    scene.assert_no_traces();
}

#[test]
fn main_that_moves_meanwhile_keeps_its_commit() {
    let scene = branches();
    let base = scene.git(&["rev-parse", "main"]);
    let life = Life::begin(&scene, &["merge", "task/alpha", "task/bravo"]);
    assert!(life.reach_where(|it| {
        it["data"]["step"]
            .as_str()
            .is_some_and(|step| step.starts_with("check."))
    }));
    std::fs::write(scene.project("LICENSE"), "Take it.\n").unwrap();
    scene.git(&["add", "LICENSE"]);
    scene.git(&["commit", "--quiet", "--message", "license: add one"]);
    assert!(life.reach(Moment {
        kind: "step_completed",
        step: "build.2"
    }));
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    let range = format!("{base}..main");
    let subjects = scene.git(&["log", "--first-parent", "--reverse", "--format=%s", &range]);
    assert_eq!(
        subjects.lines().collect::<Vec<_>>(),
        [
            "license: add one",
            "Merge task/alpha into main",
            "Merge task/bravo into main"
        ]
    );
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert_green(&scene, &base);
}

#[test]
fn bad_input_is_refused_before_anything_moves() {
    let mut scene = branches();
    let main = scene.git(&["rev-parse", "main"]);
    let refused = |scene: &Scene, code: i32, more: &[&str], words: &str| {
        let (_, said) = merge(scene, code, more);
        assert!(said.contains(words), "{more:?}: {said}");
        assert_eq!(scene.git(&["rev-parse", "main"]), main);
    };
    refused(
        &scene,
        2,
        &["task/unknown"],
        "`task/unknown` is neither a branch of this repository nor a run",
    );
    refused(&scene, 2, &["main"], "main cannot be merged into itself");
    refused(
        &scene,
        2,
        &["task/alpha", "--into", "release"],
        "there is no local branch release",
    );
    refused(
        &scene,
        2,
        &[],
        "no finished pipeline has a branch to merge into main",
    );
    std::fs::write(scene.project("hello.sh"), "echo changed\n").unwrap();
    refused(
        &scene,
        7,
        &["task/alpha"],
        "has uncommitted changes; commit or stash them",
    );
    scene.git(&["checkout", "--quiet", "hello.sh"]);
    // An untracked file where the merge would write one: found after the checks, before main moves.
    std::fs::write(scene.project("alpha.sh"), "mine\n").unwrap();
    refused(&scene, 7, &["task/alpha"], "cannot be updated");
    assert_eq!(
        std::fs::read_to_string(scene.project("alpha.sh")).unwrap(),
        "mine\n"
    );
    std::fs::remove_file(scene.project("alpha.sh")).unwrap();

    let dry = scene
        .command(&["merge", "--dry-run", "task/foxtrot", "task/golf"])
        .output()
        .unwrap();
    let dry = scene.world.finish(dry);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("Merge     task/foxtrot\n"), "{}", dry.stdout);
    let conflict = "Conflict  task/golf: with task/foxtrot in shared.txt\n";
    assert!(dry.stdout.contains(conflict), "{}", dry.stdout);
    assert_eq!(scene.git(&["rev-parse", "main"]), main);

    // One that is merged already is no failure.
    let (first, _) = merge(&scene, 0, &["task/alpha"]);
    assert_eq!(merged(&first), ["task/alpha"]);
    let (second, _) = merge(&scene, 0, &["task/alpha"]);
    assert_eq!(second["already_merged"], json!(["task/alpha"]));

    // Main that fails by itself blames no branch.
    std::fs::write(scene.project("tests/bad_test.sh"), "exit 1\n").unwrap();
    scene.commit_all("tests: break them");
    let (_, said) = merge(&scene, 3, &["task/bravo"]);
    assert!(said.contains("the checks already fail on main itself"), "{said}");

    let text = std::fs::read_to_string(scene.project(".gemicro/workflow.yaml")).unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("sh tests/run.sh"))
        .unwrap()
        .to_owned();
    scene.workflow(&format!("checks:\n{line}"), "checks: []");
    let (_, said) = merge(&scene, 2, &["task/bravo"]);
    assert!(
        said.contains("the workflow has no checks") && said.contains("gemicro init"),
        "{said}"
    );
}

#[test]
fn a_push_is_asked_for_and_never_forced() {
    let scene = branches();
    let remote = scene.world.path("remote.git");
    let path = remote.to_str().unwrap();
    scene.git(&["init", "--quiet", "--bare", "--initial-branch=main", path]);
    scene.git(&["remote", "add", "origin", path]);
    scene.git(&["push", "--quiet", "origin", "main"]);
    let (result, _) = merge(&scene, 0, &["task/alpha"]);
    assert_eq!(result["pushed_to"], Value::Null);
    assert_ne!(
        git(&remote, &["rev-parse", "main"]),
        scene.git(&["rev-parse", "main"])
    );
    let (result, _) = merge(&scene, 0, &["task/bravo", "--push"]);
    assert_eq!(result["pushed_to"], "origin");
    assert_eq!(
        git(&remote, &["rev-parse", "main"]),
        scene.git(&["rev-parse", "main"])
    );
    let other = scene.git(&["commit-tree", "-m", "other", "main^{tree}"]);
    scene.git(&[
        "push",
        "--quiet",
        "--force",
        "origin",
        &format!("{other}:refs/heads/main"),
    ]);
    let (result, _) = merge(&scene, 9, &["task/charlie", "--push"]);
    assert!(
        result["push_error"]
            .as_str()
            .is_some_and(|why| why.contains("main")),
        "{result}"
    );
    assert_eq!(git(&remote, &["rev-parse", "main"]), other);
}
