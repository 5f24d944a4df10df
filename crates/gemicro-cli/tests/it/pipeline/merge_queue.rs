//! The merge queue on plain branches: kills, a main that moves, bad input, and pushes.

use serde_json::{Value, json};

use super::life::{Life, Moment};
use super::queue_scene::{assert_green, assert_outcome, branch, branches, merge, merged, names};
use super::scene::{Scene, git};

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
    assert_shown(&scene);
    assert_eq!(
        scene.git(&["rev-parse", "main^{tree}"]),
        undisturbed.join().unwrap()
    );
    scene.assert_no_traces();
}

/// `show` and `runs` say what became of every branch, and of the checks that were run for it.
fn assert_shown(scene: &Scene) {
    let show = |arguments: &[&str]| {
        scene
            .world
            .finish(scene.command(arguments).output().unwrap())
            .stdout
    };
    let page = show(&["show", "last"]);
    for words in [
        " · merge · completed in part\n",
        "State     done: Merged 6 of 8 branches into main\n",
        "Into      main, from ",
        "\n  ✓ task/alpha    merged          ",
        "\n  ✗ task/golf     taken out       it conflicts with task/foxtrot",
        "\n  ✗ task/hotel    taken out       ",
        "\n  ✗ task/hotel    fail            ",
        "\n  ✓ task/echo     pass            ",
        "\n  git switch task/golf && git merge main",
        "\n  gemicro merge --into main task/hotel task/golf",
        "\n  gemicro prune --tasks",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    for words in ["Answered", "sub-quer", "--follow", "\nAnswer\n"] {
        assert!(!page.contains(words), "{words}: {page}");
    }
    let runs = show(&["runs"]);
    assert!(runs.contains("  completed in part  "), "{runs}");
    let story: Value = serde_json::from_str(&show(&["show", "last", "--format", "json"])).unwrap();
    assert_eq!(merged(&story["details"]).len(), 6, "{story:#}");
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
fn branches_that_append_to_the_same_list_of_feedback_do_not_conflict() {
    let scene = Scene::new();
    let lists = ["docs/dev_docs/backlog.md", "docs/dev_docs/docs_to_update.md"];
    std::fs::create_dir_all(scene.project("docs/dev_docs")).unwrap();
    std::fs::write(scene.project(lists[0]), "# Backlog\n\n## old\n\n- idea of old\n").unwrap();
    scene.git(&["add", "docs"]);
    scene.git(&["commit", "--quiet", "--message", "backlog: begin"]);
    for word in ["alpha", "bravo"] {
        branch(&scene, word);
        scene.git(&["checkout", "--quiet", &format!("task/{word}")]);
        // One list exists on main, and the other one is new on both branches.
        for (list, title) in lists.into_iter().zip(["", "# Documentation to update\n"]) {
            let before = std::fs::read_to_string(scene.project(list)).unwrap_or(title.to_owned());
            let text = format!("{before}\n## {word}\n\n- idea of {word}\n");
            std::fs::write(scene.project(list), text).unwrap();
        }
        scene.git(&["add", "docs"]);
        scene.git(&["commit", "--quiet", "--message", "backlog: add"]);
        scene.git(&["checkout", "--quiet", "main"]);
    }
    let (result, _) = merge(&scene, 0, &["task/alpha", "task/bravo"]);
    assert_eq!(merged(&result), ["task/alpha", "task/bravo"]);
    let ideas = |list: &str| -> Vec<String> {
        let text = scene.git(&["show", &format!("main:{list}")]);
        let lines = text.lines().filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let added = ["## alpha", "- idea of alpha", "## bravo", "- idea of bravo"];
    assert_eq!(
        ideas(lists[0]),
        [&["# Backlog", "## old", "- idea of old"], added.as_slice()].concat()
    );
    assert_eq!(
        ideas(lists[1]),
        [&["# Documentation to update"], added.as_slice()].concat()
    );
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

    // A branch must not choose its own checks.
    scene.git(&["checkout", "--quiet", "-b", "task/own-checks"]);
    scene.workflow("sh tests/run.sh", "sh tests/own.sh");
    refused(
        &scene,
        2,
        &["task/own-checks"],
        "the workflow here may differ from the one on main",
    );
    scene.git(&["checkout", "--quiet", "main"]);

    // One that is merged already is no failure.
    let (first, _) = merge(&scene, 0, &["task/alpha"]);
    assert_eq!(merged(&first), ["task/alpha"]);
    let (second, _) = merge(&scene, 0, &["task/alpha"]);
    assert_eq!(second["already_merged"], json!(["task/alpha"]));

    // Main that fails by itself blames no branch.
    std::fs::write(scene.project("tests/bad_test.sh"), "exit 1\n").unwrap();
    scene.commit_all("tests: break them");
    let (_, said) = merge(&scene, 3, &["task/bravo"]);
    assert!(said.contains("the checks already fail on main at"), "{said}");
    let shown = scene
        .world
        .finish(scene.command(&["show", "last"]).output().unwrap());
    for words in [
        " · merge · failed",
        "\n  • task/bravo  not merged",
        "\n  ✗ main        fail",
    ] {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.stdout);
    }

    let text = std::fs::read_to_string(scene.project(".gemicro/workflow.yaml")).unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("sh tests/run.sh"))
        .unwrap()
        .to_owned();
    scene.workflow(&format!("checks:\n{line}"), "checks: []");
    let (_, said) = merge(&scene, 2, &["task/bravo"]);
    assert!(
        said.contains("needs checks, but the workflow has none") && said.contains("gemicro init"),
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
