//! Branches that are pushed: to a bare repository beside, whose main moves meanwhile.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::life::{Life, started};
use super::scene::{ALL_WELL, BRANCH, Scene, git, outcomes};

/// A remote `origin` with main, and a colleague's clone of it.
pub(super) fn remote(scene: &Scene) -> PathBuf {
    let bare = scene.world.path("origin.git");
    git(
        &scene.world.path(""),
        &["clone", "--quiet", "--bare", "project", "origin.git"],
    );
    scene.git(&["remote", "add", "origin", &bare.display().to_string()]);
    git(
        &scene.world.path(""),
        &["clone", "--quiet", "origin.git", "colleague"],
    );
    bare
}

/// A colleague commits a file and pushes main.
pub(super) fn colleague_pushes(scene: &Scene, file: &str, text: &str) {
    let clone = scene.world.path("colleague");
    std::fs::write(clone.join(file), text).unwrap();
    git(&clone, &["add", "--all"]);
    git(
        &clone,
        &[
            "-c",
            "user.name=Bob",
            "-c",
            "user.email=bob@example.com",
            "commit",
            "--quiet",
            "--message",
            file,
        ],
    );
    git(&clone, &["push", "--quiet", "origin", "HEAD:main"]);
}

#[test]
fn the_branch_is_pushed_and_nothing_else() {
    let scene = Scene::new();
    let bare = remote(&scene);
    let main = git(&bare, &["rev-parse", "main"]);
    let ran = scene.run(&[]);
    ran.assert_completed();
    assert_eq!(ran.outcomes(), ALL_WELL);
    assert_eq!(
        git(&bare, &["rev-parse", BRANCH]),
        scene.git(&["rev-parse", BRANCH])
    );
    assert_eq!(
        git(&bare, &["for-each-ref", "--format=%(refname)"]),
        format!("refs/heads/main\nrefs/heads/{BRANCH}")
    );
    assert_eq!(git(&bare, &["rev-parse", "main"]), main);
    scene.assert_main_untouched();
}

#[test]
fn without_push_the_remote_hears_nothing() {
    let scene = Scene::new();
    let bare = remote(&scene);
    scene.run(&["--no-push"]).assert_completed();
    assert_eq!(
        git(&bare, &["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main"
    );
}

#[test]
fn main_of_the_remote_is_merged_again_when_it_moves() {
    let scene = Scene::new();
    let bare = remote(&scene);
    // The second audit, that of the merge, waits until main has moved once more.
    scene.agents("audit() { case $document in *merge_review*_v1*) until [ -e \"${0%/*}/go\" ]; do sleep 0.05; done ;; esac; review; pass; }");
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    assert!(life.reach(started("plan.1:agent.1")));
    colleague_pushes(&scene, "LICENSE", "Take it.\n");
    assert!(life.reach(started("merge_review.1:agent.1")));
    colleague_pushes(&scene, "README.md", "# Words\n\nAll of them.\n");
    std::fs::write(scene.world.path("agents/go"), "").unwrap();
    let (code, words) = life.end();
    assert_eq!(code, 0, "{words}");
    assert_eq!(
        outcomes(&scene.events())[4..],
        [
            "integration.1 merged",
            "merge_review.1 PASS",
            "delivery.1 moved",
            "integration.2 conflict",
            "conflict_resolution.1 done",
            "merge_review.2 PASS",
            "delivery.2 done",
        ]
    );
    let merges = scene.git(&["log", "--merges", "--format=%s", &format!("main..{BRANCH}")]);
    let named = format!("Merge main into {BRANCH}");
    assert_eq!(merges.lines().collect::<Vec<_>>(), [&named, &named]);
    let pushed = git(&bare, &["rev-parse", BRANCH]);
    assert_eq!(pushed, scene.git(&["rev-parse", BRANCH]));
    git(&bare, &["merge-base", "--is-ancestor", "main", BRANCH]);
    scene.assert_main_untouched();
}

#[test]
fn a_remote_that_has_another_branch_of_that_name_is_not_overwritten() {
    let scene = Scene::new();
    let bare = remote(&scene);
    colleague_pushes(&scene, "LICENSE", "Take it.\n");
    git(
        &scene.world.path("colleague"),
        &["push", "--quiet", "origin", &format!("HEAD:{BRANCH}")],
    );
    let clone = scene.world.path("colleague");
    git(&clone, &["reset", "--quiet", "--hard", "HEAD~1"]);
    git(&clone, &["push", "--quiet", "--force", "origin", "HEAD:main"]);
    let theirs = git(&bare, &["rev-parse", BRANCH]);
    let ran = scene.run(&[]);
    assert_ne!(ran.called.code, 0);
    // It is seen before anybody works.
    assert!(ran.all("phase_started").is_empty());
    let said = &ran.called.stderr;
    assert!(
        said.contains(&format!("branch {BRANCH} exists already at the remote")),
        "{said}"
    );
    assert!(!scene.has_branch(BRANCH));
    assert_eq!(git(&bare, &["rev-parse", BRANCH]), theirs);
    scene.assert_main_untouched();
    // Who pushes nothing is not held up by it.
    scene.run(&["--no-push"]).assert_completed();
}

#[test]
fn a_branch_that_another_user_pushed_meanwhile_can_be_taken_away() {
    let scene = Scene::new();
    let bare = remote(&scene);
    scene.agents("audit() { until [ -e \"${0%/*}/go\" ]; do sleep 0.05; done; review; pass; }");
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    assert!(life.reach(started("audit.1:agent.1")));
    let clone = scene.world.path("colleague");
    std::fs::write(clone.join("bye.sh"), "echo adieu\n").unwrap();
    git(&clone, &["add", "--all"]);
    let commit = [
        "-c",
        "user.name=Bob",
        "-c",
        "user.email=bob@example.com",
        "commit",
        "-qm",
        "mine",
    ];
    git(&clone, &commit);
    git(&clone, &["push", "--quiet", "origin", &format!("HEAD:{BRANCH}")]);
    let theirs = git(&bare, &["rev-parse", BRANCH]);
    std::fs::write(scene.world.path("agents/go"), "").unwrap();
    let (code, said) = life.end();
    assert_ne!(code, 0, "{said}");
    assert_eq!(git(&bare, &["rev-parse", BRANCH]), theirs);

    // The advice works as it stands there, one command after the other.
    let commands: Vec<&str> = said.split('`').filter(|it| it.starts_with("git ")).collect();
    assert_eq!(commands.len(), 4, "{said}");
    for command in commands {
        let command = command
            .replace("refs/heads/NAME", "refs/heads/theirs")
            .replace("task/NAME", "task/mine");
        let called = Command::new("sh")
            .args(["-c", &command])
            .current_dir(scene.project(""))
            .output()
            .unwrap();
        assert!(called.status.success(), "{command}: {called:?}");
    }
    assert_eq!(git(&bare, &["rev-parse", "theirs"]), theirs);
    assert_eq!(
        git(&bare, &["rev-parse", "task/mine"]),
        scene.git(&["rev-parse", BRANCH])
    );
    let (_, again) = said.rsplit_once("then run: gemicro ").unwrap();
    let again: Vec<&str> = again.split_whitespace().collect();
    scene.ran(&mut scene.command(&again)).assert_completed();
    assert_eq!(
        git(&bare, &["rev-parse", BRANCH]),
        scene.git(&["rev-parse", BRANCH])
    );
}

#[test]
fn a_branch_gets_a_number_that_is_free_at_the_remote_too() {
    let scene = Scene::new();
    let bare = remote(&scene);
    let arguments = ["run", "--task", super::scene::TASK, "--agent", "gemini"];
    let planned = |more: &[&str]| -> Value {
        let arguments = [&arguments[..], &["--dry-run", "--format", "json"], more].concat();
        let called = scene.world.finish(scene.command(&arguments).output().unwrap());
        serde_json::from_str(&called.stdout).unwrap()
    };
    let name = planned(&[])["branch"].as_str().unwrap().to_owned();
    git(&bare, &["branch", &name, "main"]);
    scene.git(&["branch", &format!("{name}-2")]);
    assert_eq!(planned(&[])["branch"], format!("{name}-3"));
    assert_eq!(planned(&["--no-push"])["branch"], name);
    let ran = scene.ran(&mut scene.command(&arguments));
    ran.assert_completed();
    assert_eq!(
        git(&bare, &["rev-parse", &format!("{name}-3")]),
        scene.git(&["rev-parse", &format!("{name}-3")])
    );
    assert_eq!(
        git(&bare, &["rev-parse", &name]),
        git(&bare, &["rev-parse", "main"])
    );
}
