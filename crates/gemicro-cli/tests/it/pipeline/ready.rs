//! What would stop a run at its start is told before anything is made: all of it by `--dry-run`, what this machine lacks
//! by the run itself.

use serde_json::Value;

use super::push::remote;
use super::scene::{BRANCH, Scene, TASK, git};
use crate::program::Called;

fn dry(scene: &Scene, more: &[&str]) -> Called {
    let arguments = [&Scene::arguments(more)[..], &["--dry-run"]].concat();
    scene.world.finish(scene.command(&arguments).output().unwrap())
}

fn planned(called: &Called) -> Value {
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}\n{}", called.stdout, called.stderr))
}

/// No branch, no run, no folder of a task.
fn assert_nothing_made(scene: &Scene) {
    assert!(!scene.has_branch(BRANCH));
    assert!(!scene.world.path("home/tasks").exists());
    assert_eq!(
        scene.world.must(&["runs", "--format", "json"]).stdout.trim(),
        "[]"
    );
    scene.assert_main_untouched();
}

#[test]
fn a_dry_run_says_what_the_run_would_begin_with() {
    let scene = Scene::new();
    remote(&scene);
    let called = dry(&scene, &["--format", "json"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let plan = planned(&called);
    assert_eq!(plan["branch"], BRANCH);
    assert_eq!(plan["main"], "main of origin");
    assert_eq!(plan["obstacles"], Value::Array(Vec::new()));
    assert_nothing_made(&scene);
    assert_eq!(
        scene.git(&["for-each-ref", "refs/gemicro"]),
        "",
        "nothing is fetched"
    );
    std::fs::write(scene.project("mine.txt"), "mine\n").unwrap();
    let said = dry(&scene, &[]).stdout;
    for words in ["uncommitted changes", "cannot check whether main is protected"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_dry_run_says_where_the_branch_goes_and_where_it_works() {
    let scene = Scene::new();
    let delivery = |more: &[&str]| {
        let said = dry(&scene, more).stdout;
        let line = said.lines().find(|line| line.starts_with("Delivery")).unwrap();
        line.to_owned()
    };
    assert!(delivery(&[]).contains("no remote: the branch stays local"));
    remote(&scene);
    let pushed = format!("push to origin as {BRANCH}; without a forge");
    assert!(delivery(&[]).contains(&pushed), "{}", delivery(&[]));
    assert!(delivery(&[]).contains("into main is written"));
    assert!(delivery(&["--no-push"]).contains("no push: the branch stays local"));

    // A project in a folder of its repository.
    let folder = scene.project("tests");
    let named = folder.display().to_string();
    let top = scene.project("").display().to_string();
    let said = dry(&scene, &["--dir", &named]).stdout;
    let words = format!(
        "{named}, a folder of the repository {}",
        top.trim_end_matches('/')
    );
    assert!(said.contains(&words), "{words}: {said}");

    // Prompts are named and measured, not told.
    let plan = planned(&dry(&scene, &["--format", "json"]));
    let prompt = &plan["plan"]["workflow"]["prompts"]["architect.md"];
    assert!(
        prompt["bytes"].as_u64().is_some_and(|n_bytes| n_bytes > 100),
        "{prompt}"
    );
    assert!(!plan.to_string().contains("You are the"), "{plan}");
}

#[test]
fn a_dry_run_names_the_branch_that_is_free() {
    let scene = Scene::new();
    let arguments = ["run", "--task", TASK, "--dry-run", "--format", "json"];
    let call = || planned(&scene.world.finish(scene.command(&arguments).output().unwrap()));
    let name = call()["branch"].as_str().unwrap().to_owned();
    scene.git(&["branch", &name]);
    assert_eq!(call()["branch"], format!("{name}-2"));
    scene.git(&["branch", "--force", BRANCH]);
    let called = dry(&scene, &[]);
    assert_eq!(called.code, 7, "{}", called.stderr);
    assert!(called.stderr.contains("exists already"), "{}", called.stderr);
}

#[test]
fn a_dry_run_reports_everything_that_is_in_the_way() {
    let scene = Scene::new();
    let empty = scene.world.path("empty");
    std::fs::create_dir_all(&empty).unwrap();
    let folder = empty.display().to_string();
    let mut command = scene.command(&Scene::arguments(&["--dir", &folder, "--dry-run"]));
    command.env("PATH", "/usr/bin:/bin").env_remove("GEMINI_API_KEY");
    let called = scene.world.finish(command.output().unwrap());
    assert_eq!(called.code, 3, "{}", called.stderr);
    assert!(called.stdout.contains("Phases"), "{}", called.stdout);
    let all = [
        "is not in a git repository",
        "npm install",
        "no key and no login",
        "export GEMINI_API_KEY",
    ];
    for words in all {
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
    }
    assert_eq!(called.stderr.matches("error:").count(), 3, "{}", called.stderr);
    git(&empty, &["init", "--quiet"]);
    for (more, words) in [
        (["--dir", &folder].as_slice(), "no commit yet"),
        (&["--remote", "nowhere"], "there is no remote `nowhere`"),
        (&["--require-protection"], "whether main is protected"),
    ] {
        let said = dry(&scene, more).stderr;
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_nothing_made(&scene);
}

#[test]
fn a_dry_run_for_programs_is_one_object_whatever_is_in_the_way() {
    let scene = Scene::new();
    scene.git(&["branch", "--force", BRANCH]);
    let mut command = scene.command(&Scene::arguments(&["--dry-run", "--format", "json"]));
    command.env_remove("GEMINI_API_KEY");
    let called = scene.world.finish(command.output().unwrap());
    assert_eq!(called.code, 3, "{}", called.stderr);
    let obstacles = planned(&called)["obstacles"].as_array().unwrap().len();
    assert_eq!(obstacles, 2, "{}", called.stdout);
    assert_eq!(called.stderr.matches("error:").count(), 2, "{}", called.stderr);
}

#[test]
fn a_dry_run_in_a_pipe_has_whole_lines_of_the_phases_that_can_come() {
    let mut scene = Scene::new();
    let question =
        "Have you looked at the changes, word by word, and do you want them to be offered to all the others?";
    scene.workflow(
        "action: deliver",
        &format!("action: deliver\n    human: \"{question}\""),
    );
    let task = format!("{} farewell.", "Say it again and again:".repeat(40));
    let arguments = [
        "run",
        "--dry-run",
        "--agent",
        "codex",
        "--mode",
        "direct",
        "--task",
        &task,
    ];
    let direct = scene
        .world
        .finish(scene.command(&arguments).output().unwrap())
        .stdout;
    let delivery = direct.lines().find(|line| line.contains(" delivery: ")).unwrap();
    assert!(
        delivery.ends_with(&format!("asks you first: {question}")),
        "{delivery}"
    );
    assert!(direct.lines().any(|line| line.ends_with(&task)), "{direct}");
    for phase in [" investigation: ", " research: ", " analysis_review: "] {
        assert!(!direct.contains(phase), "{phase}: {direct}");
    }
    for phase in [" plan: ", " audit: ", " conflict_resolution: ", " merge_review: "] {
        assert!(direct.contains(phase), "{phase}: {direct}");
    }
    // What an agent has no tool for does not stop it where the role can do without.
    let bugfix = [&arguments[..4], &["--mode", "bugfix", "--task", "Mend it."]].concat();
    let bugfix = scene.world.finish(scene.command(&bugfix).output().unwrap());
    assert!(!bugfix.stderr.contains("web_search"), "{}", bugfix.stderr);
    for phase in [" investigation: ", " research: "] {
        assert!(bugfix.stdout.contains(phase), "{phase}: {}", bugfix.stdout);
    }
}

#[test]
fn an_agent_whose_role_never_comes_to_work_need_not_be_there() {
    let mut scene = Scene::new();
    scene.workflow("title: Researcher", "title: Researcher\n    agent: claude");
    let direct = dry(&scene, &["--mode", "direct"]);
    assert_eq!(direct.code, 0, "{}", direct.stderr);
    let research = dry(&scene, &["--mode", "research"]);
    assert_eq!(research.code, 3, "{}", research.stderr);
    assert!(research.stderr.contains("claude"), "{}", research.stderr);
}

#[test]
fn a_run_whose_agent_cannot_work_makes_nothing() {
    let scene = Scene::new();
    let mut missing = scene.command(&Scene::arguments(&[]));
    missing.env("PATH", "/usr/bin:/bin");
    let mut keyless = scene.command(&Scene::arguments(&[]));
    keyless.env_remove("GEMINI_API_KEY");
    for (command, words) in [
        (&mut missing, "npm install"),
        (&mut keyless, "no key and no login"),
    ] {
        let called = scene.world.finish(command.output().unwrap());
        assert_eq!(called.code, 3, "{}", called.stderr);
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
        assert_nothing_made(&scene);
    }
    let program = scene.world.path("agents/gemini");
    let text = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, text.replace("echo 0.61.0", "echo 0.1.0")).unwrap();
    let called = scene
        .world
        .finish(scene.command(&Scene::arguments(&[])).output().unwrap());
    assert!(
        called.stderr.contains("is too old: version 0.1.0"),
        "{}",
        called.stderr
    );
    assert_nothing_made(&scene);
}

#[test]
fn a_task_may_be_typed_without_its_option() {
    let scene = Scene::new();
    let arguments = ["run", "--dry-run", "--format", "json", "Say", "farewell"];
    let typed = scene.world.finish(scene.command(&arguments).output().unwrap());
    assert_eq!(planned(&typed)["plan"]["task"], "Say farewell");
    let twice = scene.world.finish(
        scene
            .command(&["run", "--task", "Say bye", "again"])
            .output()
            .unwrap(),
    );
    assert_eq!(twice.code, 2, "{}", twice.stderr);
}
