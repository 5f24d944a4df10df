//! A user who works in the repository while a run does, and one who cannot wait for its end.

use std::io::Read;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use super::life::{Life, started};
use super::scene::{BRANCH, Scene, outcomes};
use crate::stopping::pseudo_terminal;

/// What people do in their own checkout beside a run.
const WORK: &[&[&str]] = &[
    &[
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "mine: work beside",
    ],
    &["tag", "mine"],
    &["switch", "--quiet", "--create", "feature"],
    &["commit", "--quiet", "--allow-empty", "--message", "mine: more"],
    &["switch", "--quiet", "main"],
    &["config", "branch.main.remote", "origin"],
    &["pack-refs", "--all"],
];

/// Agents of a role that wait for the word of the test.
fn waiting(role: &str, then: &str) -> String {
    format!("{role}() {{ until [ -e \"${{0%/*}}/go\" ]; do sleep 0.05; done; {then}; }}")
}

#[test]
fn a_user_who_commits_beside_an_agent_is_no_alarm() {
    let scene = Scene::new();
    scene.agents(&waiting("audit", "review; pass"));
    let life = Life::begin(&scene, &Scene::arguments(&["--no-push"]));
    assert!(life.reach(started("audit.1:agent.1")));
    life.agent(&scene);
    for arguments in WORK {
        scene.git(arguments);
    }
    std::fs::write(scene.world.path("agents/go"), "").unwrap();
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    let events = scene.events();
    let of = |kind: &str| -> Vec<_> {
        events
            .iter()
            .filter(|event| event["event_type"] == kind)
            .collect()
    };
    assert!(of("step_alarm").is_empty(), "{:?}", of("step_alarm"));
    let noted = of("repository_changed");
    assert_eq!(noted.len(), 1, "{noted:?}");
    let changes = noted[0]["data"]["changes"].as_array().unwrap();
    let main = changes.iter().find(|it| it["what"] == "refs/heads/main").unwrap();
    assert_eq!(main["after"], scene.git(&["rev-parse", "main"]));
    assert!(main["before"].is_string(), "{main}");
    // Main has gone on, and is merged like that of a colleague.
    assert!(
        outcomes(&events).contains(&"integration.1 merged".to_owned()),
        "{:?}",
        outcomes(&events)
    );
    scene.git(&["merge-base", "--is-ancestor", "main", BRANCH]);
    let shown = scene.world.must(&["show", "last"]).stdout;
    assert!(!shown.contains("ALARM"), "{shown}");
}

#[test]
fn a_setting_that_changes_while_an_agent_works_is_an_alarm() {
    let scene = Scene::new();
    scene.agents(&waiting("audit", "review; pass"));
    let life = Life::begin(&scene, &Scene::arguments(&["--no-push"]));
    assert!(life.reach(started("audit.1:agent.1")));
    life.agent(&scene);
    scene.git(&["config", "core.fsmonitor", "false"]);
    std::fs::write(scene.world.path("agents/go"), "").unwrap();
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    let events = scene.events();
    let alarm = events
        .iter()
        .find(|event| event["event_type"] == "step_alarm")
        .unwrap();
    let message = alarm["data"]["message"].as_str().unwrap();
    assert!(message.contains("config of your repository changed"), "{message}");
}

#[test]
fn a_second_ctrl_c_leaves_a_clean_screen_and_a_way_on() {
    let scene = Scene::new();
    // It does not listen, so that the first one takes its time.
    scene.agents("write_plan() { trap '' TERM INT HUP; while :; do sleep 0.05; done; }");
    let (mut screen, theirs) = pseudo_terminal();
    let mut command = scene.command(&Scene::arguments(&["--no-push"]));
    command
        .env("COLUMNS", "100")
        .env("TERM", "xterm")
        .stdout(Stdio::null())
        .stderr(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut seen = String::new();
    let mut until = |seen: &mut String, words: &str| {
        let mut bytes = [0; 4096];
        while !seen.contains(words) {
            let n_bytes = screen.read(&mut bytes).unwrap();
            seen.push_str(&String::from_utf8_lossy(&bytes[..n_bytes]));
        }
    };
    until(&mut seen, "A.1 plan, Architect");
    for words in ["stopping", "Continue with: "] {
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        until(&mut seen, words);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let run = scene.world.last_run();
    let (before, said) = seen.rsplit_once("Stopped: ").unwrap();
    assert!(
        before.ends_with("\u{1b}[J"),
        "the board is taken away: {before:?}"
    );
    assert!(said.contains(&format!("run {run} was interrupted")), "{said}");
    scene.agents("");
    let resumed = scene.ran(&mut scene.command(&["resume", &run]));
    resumed.assert_completed();
}
