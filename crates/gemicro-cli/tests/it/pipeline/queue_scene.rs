//! Eight small tasks on one repository, and what the merge queue makes of them.

use std::process::Command;

use serde_json::Value;

use super::scene::{Scene, git};

/// The tasks, in batch order. Two of them write one file, and one holds only without another.
pub(super) const WORDS: [&str; 8] = [
    "alpha", "bravo", "foxtrot", "charlie", "golf", "hotel", "delta", "echo",
];
pub(super) const MERGED: [&str; 6] = [
    "task/alpha",
    "task/bravo",
    "task/foxtrot",
    "task/charlie",
    "task/delta",
    "task/echo",
];

/// What a task changes; the scripted agents and the branches that tests make by themselves use the same commands.
pub(super) const CHANGE: &str = r#"change() {
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
pub(super) const AGENTS: &str = r#"
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
pub(super) fn branches() -> Scene {
    let scene = Scene::new();
    for word in WORDS {
        branch(&scene, word);
    }
    scene
}

pub(super) fn branch(scene: &Scene, word: &str) {
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

pub(super) fn names() -> Vec<String> {
    WORDS.iter().map(|word| format!("task/{word}")).collect()
}

pub(super) fn merge(scene: &Scene, code: i32, more: &[&str]) -> (Value, String) {
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

pub(super) fn merged(result: &Value) -> Vec<&str> {
    let merged = result["merged"].as_array().unwrap().iter();
    merged.map(|it| it["branch"].as_str().unwrap()).collect()
}

/// What was taken out: the branch, and whether by a conflict or by the checks.
pub(super) fn taken_out(result: &Value) -> Vec<(&str, &str)> {
    let out = result["taken_out"].as_array().unwrap().iter();
    let mut out: Vec<(&str, &str)> = out
        .map(|it| (it["branch"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect();
    out.sort_unstable();
    out
}

/// Checks out every first-parent commit of main since a commit, and runs the checks there.
pub(super) fn assert_green(scene: &Scene, since: &str) {
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
pub(super) fn assert_outcome(scene: &Scene, since: &str, result: &Value) {
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
