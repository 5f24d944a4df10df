//! `kill -9` of gemicro, of an agent and of both, at the boundaries of steps and inside them: the run goes on as if
//! nothing had happened. `cargo xtask faults --kind pipeline` kills it everywhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::life::{Life, Moment, completed, handled, kill_all, started};
use super::scene::{BRANCH, Ran, Scene, outcomes};
use super::seen::{conflicting, resolving};

/// The step in which somebody commits on main, so that there is something to merge.
const COLLEAGUE: Moment = started("plan.1:agent.1");

/// A developer who has done half and then does nothing.
const HANGS: &str = "develop() { begin; echo half > half.txt; git add -A; git commit -q -m half; sleep 50; }";

/// What a run left behind that must not depend on kills.
#[derive(Debug, PartialEq)]
struct Left {
    files: Vec<String>,
    outcomes: Vec<String>,
    subjects: Vec<String>,
    steps: BTreeSet<String>,
}

#[test]
fn gemicro_is_killed_around_an_agent() {
    survive(&[(started("plan.1:agent.1"), 0), (completed("plan.1:agent.1"), 0)]);
}

#[test]
fn gemicro_is_killed_around_imports() {
    survive(&[
        (completed("plan.1:import"), 0),
        (started("implementation.1:import"), 30),
    ]);
}

#[test]
fn gemicro_is_killed_around_checks_records_and_the_merge() {
    survive(&[
        (started("plan_review.1:record"), 30),
        (started("implementation.1:check"), 0),
        (started("integration.1:merge"), 60),
    ]);
}

#[test]
fn gemicro_is_killed_around_the_delivery() {
    survive(&[
        (started("delivery.1:check"), 0),
        (started("delivery.1:record"), 60),
        (completed("delivery.1:record"), 0),
        (started("delivery.1:deliver"), 0),
    ]);
}

#[test]
fn gemicro_is_killed_around_a_merge_that_is_refused() {
    let (scene, mut life) = conflicting(&resolving("git rm -q -f tests/main_test.sh"));
    let refused = |step| Moment {
        kind: "step_failed",
        step,
    };
    for (moment, later) in [
        (started("conflict_resolution.1:import"), 60),
        (refused("conflict_resolution.1:import"), 0),
        (started("conflict_resolution.2:import"), 200),
        (refused("conflict_resolution.2:import"), 0),
    ] {
        assert!(life.reach(moment), "{moment:?}");
        std::thread::sleep(Duration::from_millis(later));
        life.kill();
        scene.assert_not_merged();
        life = Life::begin(&scene, &["resume", "last"]);
    }
    let (code, words) = life.end();
    assert_eq!(code, 8, "{words}");
    scene.assert_not_merged();
    scene.assert_main_untouched();
    let expected = ["conflict_resolution.1 again", "conflict_resolution.2 stop"];
    assert_eq!(outcomes(&scene.events())[5..], expected);
}

#[test]
fn an_agent_that_is_killed_is_asked_again() {
    let expected = std::thread::spawn(undisturbed);
    let scene = Scene::new();
    scene.agents(HANGS);
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    colleague(&scene, &life);
    assert!(life.reach(started("implementation.1:agent.1")));
    let agent = life.agent(&scene);
    scene.agents("");
    kill_all(&agent);
    while life.reach(completed("delivery.1:deliver")) {}
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    assert_eq!(left(&scene), expected.join().unwrap());
}

#[test]
fn gemicro_and_its_agent_are_killed_together() {
    let expected = std::thread::spawn(undisturbed);
    let scene = Scene::new();
    scene.agents(HANGS);
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    colleague(&scene, &life);
    // What the next attempt is told about: a loop over it would never end.
    assert!(life.reach(handled("implementation.1:agent.1")));
    let agent = life.agent(&scene);
    life.kill();
    kill_all(&agent);
    scene.agents("");
    resume_to_end(&scene);
    assert_eq!(left(&scene), expected.join().unwrap());
}

/// Kills gemicro at moments, some milliseconds after each, and lets the run go on each time.
fn survive(moments: &[(Moment, u64)]) {
    let expected = std::thread::spawn(undisturbed);
    let scene = Scene::new();
    let mut life = Life::begin(&scene, &Scene::arguments(&[]));
    let mut is_main_moved = false;
    let mut n_kills = 0;
    for (moment, later) in moments {
        let is_early = matches!(moment.step, "init" | "plan.1:agent.1");
        if !is_main_moved && !is_early {
            colleague(&scene, &life);
            is_main_moved = true;
        }
        n_kills += usize::from(life.reach(*moment));
        // Before that the branch is not there yet, and main would be its base.
        if !is_main_moved && (moment.kind, moment.step) != ("step_started", "init") {
            commit_on_main(&scene);
            is_main_moved = true;
        }
        // The moment inside a step: whatever it does then, it does no more.
        std::thread::sleep(Duration::from_millis(*later));
        life.kill();
        life = Life::begin(&scene, &["resume", "last"]);
    }
    if !is_main_moved {
        colleague(&scene, &life);
    }
    let (code, words) = life.end();
    assert_eq!(code, 0, "{moments:?}\n{words}");
    assert_eq!(n_kills, moments.len(), "{moments:?}");
    assert_eq!(left(&scene), expected.join().unwrap(), "{moments:?}");
}

/// The same task without any kill.
fn undisturbed() -> Left {
    let scene = Scene::new();
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    colleague(&scene, &life);
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    left(&scene)
}

fn colleague(scene: &Scene, life: &Life) {
    assert!(life.reach(COLLEAGUE));
    commit_on_main(scene);
}

fn commit_on_main(scene: &Scene) {
    std::fs::write(scene.project("LICENSE"), "Take it.\n").unwrap();
    scene.git(&["add", "LICENSE"]);
    scene.git(&["commit", "--quiet", "--message", "license: add one"]);
}

fn resume_to_end(scene: &Scene) {
    let Ran { called, .. } = scene.ran(&mut scene.command(&["resume", "last"]));
    assert_eq!(called.code, 0, "{}", called.stderr);
}

/// Looks at what is there; nothing was done twice, and nothing of a killed process is left.
fn left(scene: &Scene) -> Left {
    let events = scene.events();
    let step = |event: &Value| event["data"]["step"].as_str().unwrap_or_default().to_owned();
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    for event in &events {
        match event["event_type"].as_str().unwrap() {
            "step_completed" => *completed.entry(step(event)).or_default() += 1,
            "step_started" => assert!(!completed.contains_key(&step(event)), "{} ran again", step(event)),
            _ => {}
        }
    }
    assert!(completed.values().all(|n| *n == 1), "{completed:?}");
    let subjects = scene.subjects();
    let different: BTreeSet<&String> = subjects.iter().collect();
    assert_eq!(different.len(), subjects.len(), "{subjects:?}");
    scene.assert_no_traces();
    assert_eq!(scene.git(&["status", "--porcelain"]), "");
    assert!(scene.has_branch(BRANCH));
    Left {
        files: scene.files(),
        outcomes: outcomes(&events),
        steps: completed.into_keys().collect(),
        subjects,
    }
}
