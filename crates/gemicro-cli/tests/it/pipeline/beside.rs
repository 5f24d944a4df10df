//! A user who works in the repository while a run does.

use super::life::{Life, started};
use super::scene::{BRANCH, Scene, outcomes};

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
    let told = alarm["data"]["message"].as_str().unwrap();
    assert!(told.contains("config of your repository changed"), "{told}");
}
