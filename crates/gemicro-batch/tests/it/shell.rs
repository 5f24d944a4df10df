//! Shell commands in a real sandbox.
//!
//! A machine without a sandbox skips them with a loud line, and fails in CI.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use gemicro_batch::shell::ShellExecutor;
use gemicro_batch::types::{ExpectedExit, SHELL_STEP, ShellInput, ShellOutput};
use gemicro_core::budget::Purpose;
use gemicro_core::execute::{AttemptMessage, AttemptNotice, Executor, StepCall, StepReporter};
use gemicro_core::flow::{Again, RetryPolicy, Step, StepFailure};
use gemicro_core::live::LiveHub;
use gemicro_event::{Charge, ErrorKind, Json, StepKey, StreamId};
use gemicro_guard::sandbox::{ProcessHandle, Tier, show_program_hint, still_running};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::workshop::{SECRET, World};

/// A world whose project has a file and a folder. Nothing where this machine has no sandbox.
fn world() -> Option<World> {
    let world = World::new()?;
    std::fs::create_dir(world.path("project/sub")).unwrap();
    world.write("project/a.txt", "hello\n");
    Some(world)
}

impl World {
    fn executor(&self) -> ShellExecutor {
        ShellExecutor::new(self.setup())
    }

    fn input(&self, command: &str) -> ShellInput {
        let project = self.path("project").to_string_lossy().into_owned();
        ShellInput {
            command: command.to_owned(),
            description: None,
            workspace: project.clone(),
            cwd: project,
            timeout_ms: 60_000,
            stdin: None,
            environment: BTreeMap::new(),
            read_only: false,
            idempotent: false,
            expect_exit: ExpectedExit::default(),
            retry_on_exit: false,
        }
    }

    async fn run(&self, input: &ShellInput) -> Result<ShellOutput, StepFailure> {
        let (call, _) = call(input);
        let ended = self.executor().execute(call).await;
        assert_eq!(
            std::fs::read_dir(self.path("scratch")).unwrap().count(),
            0,
            "nothing is left"
        );
        ended.map(|output| output.output.parse().unwrap())
    }
}

/// One attempt, and where its words arrive.
fn call(input: &ShellInput) -> (StepCall, tokio::sync::mpsc::UnboundedReceiver<AttemptMessage>) {
    let (reporter, mut spoken) = StepReporter::channel();
    let (sender, words) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(AttemptNotice { message, noted }) = spoken.recv().await {
            let _ = sender.send(message);
            if let Some(noted) = noted {
                let _ = noted.send(());
            }
        }
    });
    let step = Step {
        key: StepKey::new("s"),
        kind: SHELL_STEP.to_owned(),
        input: Json::of(input).unwrap(),
        cost: Charge::ZERO,
        purpose: Purpose::Ordinary,
        retry: RetryPolicy::default(),
        timeout_ms: None,
    };
    let call = StepCall {
        answers: gemicro_core::execute::RunAnswers::channel().1,
        run: StreamId::random(),
        live: LiveHub::default().writer(&step.key, 1),
        step,
        attempt: 1,
        handle: None,
        reporter,
        cancel: CancellationToken::new(),
    };
    (call, words)
}

#[tokio::test]
async fn what_a_command_prints_and_its_exit_code_are_its_output() {
    let Some(world) = world() else { return };
    let expected = ShellOutput {
        stdout: "hello\n".to_owned(),
        stderr: "oops\n".to_owned(),
        exit_code: 3,
        n_dropped: 0,
        tier: "full".to_owned(),
    };
    for expect_exit in [ExpectedExit::Any, ExpectedExit::Codes(vec![0, 3])] {
        let input = ShellInput {
            expect_exit,
            ..world.input("cat a.txt; echo oops >&2; exit 3")
        };
        assert_eq!(world.run(&input).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn an_exit_code_that_was_not_expected_is_a_failure_with_the_whole_output() {
    let Some(world) = world() else { return };
    for (command, expect_exit, message, printed) in [
        (
            "cat a.txt; echo oops >&2; exit 3",
            ExpectedExit::default(),
            "the command ended with exit code 3: oops",
            json!({ "stdout": "hello\n", "stderr": "oops\n", "exit_code": 3, "tier": "full" }),
        ),
        (
            "true",
            ExpectedExit::Codes(vec![1, 2]),
            "the command ended with exit code 0 instead of 1 or 2 (`expect_exit`) and printed nothing",
            json!({ "stdout": "", "stderr": "", "exit_code": 0, "tier": "full" }),
        ),
        (
            "kill -9 $$",
            ExpectedExit::default(),
            "the command ended with exit code 137 and printed nothing",
            json!({ "stdout": "", "stderr": "", "exit_code": 137, "tier": "full" }),
        ),
    ] {
        let input = ShellInput {
            expect_exit,
            ..world.input(command)
        };
        let failure = world.run(&input).await.unwrap_err();
        assert_eq!(
            (failure.failure.kind, failure.failure.message.as_str()),
            (ErrorKind::CommandFailed, message)
        );
        assert_eq!(*failure.failure.detail.unwrap(), printed, "{command}");
        assert_eq!(failure.again, Again::Never, "it may have changed something");
    }
}

#[tokio::test]
async fn a_program_that_the_sandbox_hides_is_named_with_the_setting_that_shows_it() {
    let Some(world) = world() else { return };
    let program = world.path("user/secret/real");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(&program, "#!/bin/sh\necho real\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let input = world.input(&format!("exec {}", program.display()));
    let failure = world.run(&input).await.unwrap_err().failure;
    let said = show_program_hint(&program);
    assert!(failure.message.ends_with(&format!("; {said}")), "{failure}");
}

#[tokio::test]
async fn a_failed_command_is_tried_again_only_where_that_is_wanted_and_does_no_harm() {
    let Some(world) = world() else { return };
    for (read_only, idempotent, retry_on_exit, again) in [
        (false, false, true, Again::Never),
        (true, false, false, Again::Never),
        (true, false, true, Again::AsUsual),
        (false, true, true, Again::AsUsual),
    ] {
        let input = ShellInput {
            read_only,
            idempotent,
            retry_on_exit,
            ..world.input("false")
        };
        let failure = world.run(&input).await.unwrap_err();
        assert_eq!(
            (failure.failure.kind, failure.again),
            (ErrorKind::CommandFailed, again),
            "{input:?}"
        );
    }
}

#[tokio::test]
async fn it_writes_where_it_works_and_nowhere_else() {
    let Some(world) = world() else { return };
    let input = ShellInput {
        cwd: world.path("project/sub").to_string_lossy().into_owned(),
        ..world.input("pwd > here.txt; ls ..")
    };
    let ran = world.run(&input).await.unwrap();
    assert_eq!((ran.stdout.as_str(), ran.exit_code), ("a.txt\nsub\n", 0));
    let written = std::fs::read_to_string(world.path("project/sub/here.txt")).unwrap();
    assert_eq!(written.trim(), input.cwd);
    let ran = world.run(&world.input("touch b.txt; ls -A ~")).await.unwrap();
    assert_eq!(ran.stdout, "", "its home is empty: {}", ran.stderr);
    let read_only = ShellInput {
        read_only: true,
        ..world.input("touch c.txt")
    };
    let failure = world.run(&read_only).await.unwrap_err();
    assert_eq!(failure.failure.kind, ErrorKind::CommandFailed);
    assert!(world.path("project/b.txt").exists() && !world.path("project/c.txt").exists());
}

#[tokio::test]
async fn what_another_task_printed_is_data() {
    let Some(world) = world() else { return };
    let input = ShellInput {
        environment: BTreeMap::from([(
            "GEMICRO_REF_1".to_owned(),
            "\"; touch hacked; $(touch hacked) '".to_owned(),
        )]),
        stdin: Some("from stdin\n".to_owned()),
        ..world.input("echo \"${GEMICRO_REF_1}\"; cat")
    };
    let ran = world.run(&input).await.unwrap();
    assert_eq!(ran.stdout, "\"; touch hacked; $(touch hacked) '\nfrom stdin\n");
    assert!(!world.path("project/hacked").exists());
}

#[tokio::test]
async fn the_policy_judges_before_anything_starts() {
    let Some(world) = world() else { return };
    let failure = world
        .run(&world.input("touch x.txt; git push --force"))
        .await
        .unwrap_err();
    assert_eq!(failure.failure.kind, ErrorKind::PermissionDenied);
    assert!(
        failure.failure.message.starts_with("Permission Denied: "),
        "{}",
        failure.failure.message
    );
    assert!(!world.path("project/x.txt").exists());
}

#[tokio::test]
async fn a_folder_that_leads_out_is_refused() {
    let Some(world) = world() else { return };
    std::os::unix::fs::symlink(world.path("user"), world.path("project/out")).unwrap();
    for (cwd, kind) in [
        ("project/out", ErrorKind::PermissionDenied),
        ("project/none", ErrorKind::InvalidInput),
    ] {
        let input = ShellInput {
            cwd: world.path("").join(cwd).to_string_lossy().into_owned(),
            ..world.input("ls")
        };
        let failure = world.run(&input).await.unwrap_err();
        assert_eq!(failure.failure.kind, kind, "{}", failure.failure.message);
    }
}

#[tokio::test]
async fn a_late_command_ends_with_all_it_started() {
    let Some(world) = world() else { return };
    let input = ShellInput {
        timeout_ms: 1_000,
        ..world.input("echo before; sleep 1000 & sleep 1000")
    };
    let (call, mut words) = call(&input);
    let failure = world.executor().execute(call).await.unwrap_err();
    assert_eq!(
        (failure.failure.kind, failure.again),
        (ErrorKind::Timeout, Again::Never)
    );
    assert_eq!(failure.failure.detail.unwrap()["stdout"], "before\n");
    let Some(AttemptMessage::Handle(handle)) = words.recv().await else {
        panic!("it told where it can be found");
    };
    let handle: ProcessHandle = handle.parse().unwrap();
    // The keeper leaves right after its last word.
    while still_running(&handle) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_cancelled_command_ends_at_once() {
    let Some(world) = world() else { return };
    let input = world.input("echo started > mark; sleep 1000");
    let (call, _words) = call(&input);
    let cancel = call.cancel.clone();
    let running = tokio::spawn(world.executor().execute(call));
    while !world.path("project/mark").exists() {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let failure = running.await.unwrap().unwrap_err();
    assert_eq!(
        (failure.failure.kind, failure.again),
        (ErrorKind::Cancelled, Again::Never)
    );
}

#[tokio::test]
async fn a_command_that_was_cut_off_is_not_run_again() {
    let Some(world) = world() else { return };
    for (read_only, idempotent, expected) in [
        (false, false, Err(ErrorKind::Interrupted)),
        (true, false, Ok(0)),
        (false, true, Ok(0)),
    ] {
        let input = ShellInput {
            read_only,
            idempotent,
            ..world.input("ls")
        };
        let (call, _words) = call(&input);
        let call = StepCall {
            handle: Some(Json::empty()),
            attempt: 2,
            ..call
        };
        let ended = world.executor().execute(call).await;
        let ended = ended.map(|it| it.output["exit_code"].as_i64().unwrap());
        assert_eq!(ended.map_err(|failure| failure.failure.kind), expected);
    }
}

#[tokio::test]
async fn long_output_is_cut_and_secrets_are_masked() {
    let Some(world) = world() else { return };
    let command = format!("echo {SECRET}; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    let ran = world.run(&world.input(&command)).await.unwrap();
    assert!(ran.stdout.len() < 1_100_000 && ran.n_dropped > 1_900_000);
    assert!(ran.stdout.ends_with("\nlast\n") && !ran.stdout.contains(SECRET));
}

#[tokio::test]
async fn an_input_no_one_reads_holds_nothing_up() {
    let Some(world) = world() else { return };
    let input = ShellInput {
        stdin: Some("x".repeat(5_000_000)),
        ..world.input("exec 0<&-; echo done")
    };
    let ran = world.run(&input).await.unwrap();
    assert_eq!((ran.stdout.as_str(), ran.exit_code), ("done\n", 0));
}

#[tokio::test]
async fn without_walls_nothing_starts() {
    let Some(mut world) = world() else { return };
    world.tier = Tier::None;
    let failure = world.run(&world.input("touch x.txt")).await.unwrap_err();
    assert_eq!(
        (failure.failure.kind, failure.again),
        (ErrorKind::SandboxUnavailable, Again::AsUsual)
    );
    assert!(!world.path("project/x.txt").exists());
}

#[tokio::test]
async fn settings_that_a_command_makes_raise_an_alarm() {
    let Some(world) = World::new() else { return };
    std::fs::create_dir(world.path("project/.vscode")).unwrap();
    let command = "mkdir .husky; touch .husky/pre-push .envrc; touch .vscode/tasks.json || echo closed";
    let (call, mut spoken) = call(&world.input(command));
    let output = world.executor().execute(call).await.unwrap();
    let output: ShellOutput = output.output.parse().unwrap();
    assert_eq!(output.stdout, "closed\n");
    let mut alarms = Vec::new();
    while let Some(message) = spoken.recv().await {
        if let AttemptMessage::Alarm(message) = message {
            alarms.push(message);
        }
    }
    alarms.sort();
    let expected = [".envrc", ".husky"].map(|name| {
        let path = world.path("project").join(name);
        format!(
            "the command made {}, which runs code later: look at it",
            path.display()
        )
    });
    assert_eq!(alarms, expected);
}
