//! Proposed tests, checked on a copy in a real sandbox.

use gemicro_batch::proposal::{
    CheckExecutor, PatchProblem, PatchedFile, ProblemKind, ProposalCheckInput, ProposalChecked, TestTrial,
    TriedTest,
};
use gemicro_core::execute::Executor;
use gemicro_event::{ErrorKind, Failure, StepKey};

use super::call::call;
use crate::workshop::World;

/// A patch that adds a test which succeeds or fails by its text.
fn answer(line: &str) -> String {
    format!(
        "Here it is:\n```diff\n--- /dev/null\n+++ b/tests/new.sh\n@@ -0,0 +1,2 @@\n+set -e\n+{line}\n```\n"
    )
}

fn patch(line: &str) -> String {
    format!(
        "diff --git a/tests/new.sh b/tests/new.sh\nnew file mode 100644\n--- /dev/null\n+++ b/tests/new.sh\n\
         @@ -0,0 +1,2 @@\n+set -e\n+{line}\n"
    )
}

/// A project whose tests are scripts.
fn project() -> Option<World> {
    let world = World::new()?;
    world.write("project/lib.sh", "answer=42\n");
    world.write("project/tests/old.sh", "echo old is good\n");
    Some(world)
}

const RUN_ALL: &str = "bash tests/new.sh && bash tests/old.sh";

async fn checked(
    world: &World,
    answer: String,
    command: Option<(&str, u64)>,
) -> Result<ProposalChecked, Failure> {
    let input = ProposalCheckInput {
        directory: world.path("project").display().to_string(),
        answer,
        leave: Vec::new(),
        trying: command.map(|(command, timeout_ms)| TestTrial {
            command: command.to_owned(),
            timeout_ms,
            variables: Vec::new(),
        }),
    };
    let step = input.step(StepKey::new("check:1"));
    let done = CheckExecutor::new(world.setup()).execute(call(step)).await;
    let left = std::fs::read_dir(world.path("scratch")).unwrap().count();
    assert_eq!(left, 0, "nothing is left of the copy");
    assert_eq!(world.read("project/lib.sh"), "answer=42\n");
    assert_eq!(world.read("project/tests/old.sh"), "echo old is good\n");
    let files = |folder: &str| std::fs::read_dir(world.path(folder)).unwrap().count();
    assert_eq!(
        (files("project"), files("project/tests")),
        (2, 1),
        "the project is unchanged"
    );
    done.map(|done| done.output.parse().unwrap())
        .map_err(|failed| failed.failure)
}

/// What is found about a patch that applies.
fn applies(line: &str, tried: Option<(Option<i32>, &str)>) -> ProposalChecked {
    ProposalChecked {
        patch: patch(line),
        files: vec![PatchedFile {
            path: "tests/new.sh".to_owned(),
            is_new: true,
            insertions: 2,
            deletions: 0,
        }],
        problem: None,
        tried: tried.map(|(exit_code, output)| TriedTest {
            exit_code,
            output: output.to_owned(),
        }),
    }
}

#[tokio::test]
async fn a_test_is_tried_on_a_copy() {
    let Some(world) = project() else { return };
    let good = ". ./lib.sh; test $answer = 42; echo new is good; echo x > lib.sh";
    let found = checked(&world, answer(good), Some((RUN_ALL, 60_000)))
        .await
        .unwrap();
    assert_eq!(
        found,
        applies(good, Some((Some(0), "new is good\nold is good\n")))
    );
    let bad = ". ./lib.sh; test $answer = 43";
    let found = checked(&world, answer(bad), Some((RUN_ALL, 60_000)))
        .await
        .unwrap();
    assert_eq!(found, applies(bad, Some((Some(1), ""))));
    let untried = checked(&world, answer(good), None).await.unwrap();
    assert_eq!(untried, applies(good, None));
}

#[tokio::test]
async fn a_test_that_hangs_is_ended() {
    let Some(world) = project() else { return };
    let found = checked(&world, answer("sleep 1000"), Some((RUN_ALL, 500)))
        .await
        .unwrap();
    assert_eq!(found.tried.as_ref().map(|tried| tried.exit_code), Some(None));
    assert!(
        found
            .failure()
            .unwrap()
            .starts_with("The tests did not end in time.\n")
    );
}

#[tokio::test]
async fn a_command_that_the_policy_denies_is_not_run() {
    let Some(world) = project() else { return };
    let refused = checked(&world, answer("true"), Some(("git push --force", 60_000)))
        .await
        .unwrap_err();
    assert_eq!(refused.kind, ErrorKind::PermissionDenied);
    assert!(
        refused.message.starts_with("Permission Denied: "),
        "{}",
        refused.message
    );
}

#[tokio::test]
async fn without_a_project_there_is_nothing_to_check() {
    let Some(world) = project() else { return };
    let elsewhere = ProposalCheckInput {
        directory: "/none".to_owned(),
        answer: answer("true"),
        leave: Vec::new(),
        trying: None,
    };
    let step = elsewhere.step(StepKey::new("check:1"));
    let failed = CheckExecutor::new(world.setup())
        .execute(call(step))
        .await
        .unwrap_err();
    assert_eq!(
        failed.failure,
        Failure::new(ErrorKind::NotFound, "there is no folder /none")
    );
}

/// An answer that cannot be used, which rule it breaks, and how the message begins.
async fn check_problem(answer: &str, kind: ProblemKind, begins: &str) {
    let Some(world) = project() else { return };
    let found = checked(&world, answer.to_owned(), Some((RUN_ALL, 60_000)))
        .await
        .unwrap();
    let PatchProblem {
        kind: found_kind,
        message,
    } = found.problem.clone().unwrap();
    assert_eq!((found_kind, found.tried.clone()), (kind, None));
    assert!(message.contains(begins), "{message}");
    assert_eq!(found.failure(), Some(message));
}

#[tokio::test]
async fn what_cannot_be_used_is_said_with_its_rule() {
    check_problem("I would rather not.", ProblemKind::NoPatch, "`File: `").await;
    let misfit = "```diff\n--- a/tests/old.sh\n+++ b/tests/old.sh\n@@ -1 +1 @@\n-echo other\n+echo x\n```";
    check_problem(misfit, ProblemKind::DoesNotApply, "tests/old.sh").await;
    let product = "```diff\n--- a/lib.sh\n+++ b/lib.sh\n@@ -1 +1 @@\n-answer=42\n+answer=43\n```";
    check_problem(product, ProblemKind::NotATest, "lib.sh").await;
    let outside = "```diff\n--- /dev/null\n+++ b/../tests/x.sh\n@@ -0,0 +1 @@\n+x\n```";
    check_problem(outside, ProblemKind::NoPatch, "..").await;
}

#[tokio::test]
async fn lines_that_look_like_heads_are_counted() {
    let Some(world) = project() else { return };
    let answer = "```diff\n--- /dev/null\n+++ b/tests/new.sql\n@@ -0,0 +1,2 @@\n+++ a\n+-- b\n```";
    let found = checked(&world, answer.to_owned(), None).await.unwrap();
    assert_eq!(found.files[0].insertions, 2, "{found:?}");
}
