//! The whole default workflow with the real Gemini CLI: every role is played by the simulator's model, in the full sandbox.
//!
//! The model reads, writes and commits by the tools of the CLI; see `scenarios/pipeline.yaml`. Another clone commits on
//! main meanwhile, so that the merge has a conflict.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::agent_world::AgentWorld;

/// What the model says.
const SCENARIO: &str = include_str!("../../../../scenarios/pipeline.yaml");
/// A small program with a bug: that of `gemicro demo`.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands/demo/project");
const TASK: &str = "Fix the rounding of prices: bugs/rounding.sh fails, because price.sh cuts cents off.";
const MODEL: &str = "gemini-3.5-flash";
const BRANCH: &str = "task/rounding-prices";

/// What every phase ends with, in order.
const PHASES: &[(&str, u64, &str)] = &[
    ("investigation", 1, "done"),
    ("analysis_review", 1, "APPROVE"),
    ("plan", 1, "done"),
    ("plan_review", 1, "APPROVE"),
    ("implementation", 1, "done"),
    ("audit", 1, "FAIL"),
    ("implementation", 2, "done"),
    ("audit", 2, "PASS"),
    ("integration", 1, "conflict"),
    ("conflict_resolution", 1, "done"),
    ("merge_review", 1, "PASS"),
    ("delivery", 1, "done"),
];
/// Those in which an agent works.
const N_AGENTS: usize = 10;

/// What the branch changes in main; documents go to the archive under the day.
const CHANGED: &str = "\
M\tCHANGELOG.md
M\tREADME.md
M\tVERSION
D\tbugs/rounding.sh
A\tdocs/dev_docs/archived/plans/DAY_rounding_prices_plan.md
A\tdocs/dev_docs/archived/research/DAY_rounding_prices_diagnostic_report.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_analysis_review_v1.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_code_review_v1.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_code_review_v2.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_merge_review_v1.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_plan_review_v1.md
A\tdocs/dev_docs/archived/reviews/DAY_rounding_prices_verification.md
A\tdocs/dev_docs/backlog.md
M\tprice.sh
A\ttests/refund_test.sh
A\ttests/rounding_test.sh";
/// Both sides of the conflict are there.
const CHANGELOG: &str = "\
# Changelog

## 1.0.1

- Prices are rounded to the next cent.
- The usage of price.sh is written down.

## 1.0.0

- First version.";

/// The program and its workflow, with a check. `$1` is its folder, `$2` a bare repository to be made. This model answers at
/// once, so whoever is silent for long hangs, and is asked again.
const BEGIN: &str = "set -e
cd \"$1\"
sed -i 's|^checks: \\[\\]$|checks: [{ name: tests, command: sh tests/run.sh, tests: true, timeout: 2m }]|; s/idle: [0-9]*m/idle: 1m/' .gemicro/workflow.yaml
git init -q -b main .
git config user.name Ada
git config user.email ada@example.com
git add -A
git commit -q -m 'price: print prices with tax'
git init -q --bare -b main \"$2\"
git remote add origin \"$2\"
git push -q origin main
git remote set-head origin main";

/// A colleague with a clone of `$2` in `$1`, who writes where the Developer will write.
const COLLEAGUE: &str = "set -e
git clone -q \"$2\" \"$1\"
cd \"$1\"
git config user.name Bea
git config user.email bea@example.com
sed -i 's/^## 1.0.0$/## 1.0.1\\n\\n- The usage of price.sh is written down.\\n\\n## 1.0.0/' CHANGELOG.md
git commit -q -a -m 'docs: write the usage down'
git push -q origin main";

#[test]
fn every_role_is_played_by_gemini_cli() {
    let (_, rules) = SCENARIO.split_once("\nrules:\n").unwrap();
    let desk = AgentWorld::real(rules);
    let world = &desk.simulated.world;
    let (project, origin) = (world.path("project"), world.path("origin.git"));
    std::fs::remove_dir(project.join(".git")).unwrap();
    copy(Path::new(PROJECT), &project);
    world.must(&["init", "--dir", "project"]);
    shell(BEGIN, &[&project, &origin]);
    let main = shell("git -C \"$1\" rev-parse HEAD", &[&project]);

    let mut run = desk.program(&[
        "run", "--task", TASK, "--mode", "bugfix", "--dir", "project", "--model", MODEL,
    ]);
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    desk.simulated.reached("investigation", 1);
    shell(COLLEAGUE, &[&world.path("colleague"), &origin]);
    desk.simulated.running.gates().open("investigation");
    let called = world.finish(child.wait_with_output().unwrap());
    let printed = format!("{}\n{}", called.stdout, called.stderr);
    assert_eq!(called.code, 0, "{printed}");

    let result = &desk.simulated.event("final_result")["data"];
    let phases: Vec<(&str, u64, &str)> = result["phases"].as_array().unwrap().iter().map(phase).collect();
    assert_eq!(phases, PHASES, "{printed}");
    assert_eq!(
        (
            &result["branch"],
            &result["pushed_to"],
            &result["checks"][0]["verdict"]
        ),
        (
            &json!(BRANCH),
            &json!("origin"),
            &json!({ "verdict": "passed", "n_tests": 4 })
        ),
        "{result}"
    );
    let reference = format!("refs/heads/{BRANCH}");
    for repository in [&project, &origin] {
        assert_eq!(
            git(repository, &["rev-parse", &reference]),
            result["commit"],
            "{}",
            repository.display()
        );
        let branches = git(repository, &["for-each-ref", "--format=%(refname)", "refs/heads"]);
        assert_eq!(branches, format!("refs/heads/main\n{reference}"));
    }
    let theirs = git(&world.path("colleague"), &["rev-parse", "HEAD"]);
    assert_eq!(git(&project, &["rev-parse", "main"]), main);
    assert_eq!(git(&project, &["status", "--porcelain"]), "");
    assert_eq!(git(&origin, &["rev-parse", "main"]), theirs);
    assert_eq!(git(&origin, &["merge-base", "main", BRANCH]), theirs);
    let changed = git(
        &origin,
        &["diff", "--no-renames", "--name-status", "main", BRANCH],
    );
    assert_eq!(undated(&changed), CHANGED);
    assert_eq!(
        git(&origin, &["show", &format!("{BRANCH}:CHANGELOG.md")]),
        CHANGELOG
    );

    let events = desk.simulated.events();
    assert_agents(&events);
    let alarms: Vec<&Value> = events
        .iter()
        .filter(|event| event["event_type"] == "step_alarm")
        .collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
    desk.simulated.assert_no_key();
    desk.assert_nothing_runs();
}

/// Every agent worked in the full sandbox, by way of the gateway, which counted; and nothing was refused it.
fn assert_agents(events: &[Value]) {
    let completed = events
        .iter()
        .filter(|event| event["event_type"] == "step_completed");
    let steps = completed.map(|event| &event["data"]);
    let steps: Vec<&Value> = steps
        .filter(|data| data["step"].as_str().is_some_and(|step| step.contains(":agent.")))
        .collect();
    assert_eq!(steps.len(), N_AGENTS);
    for data in steps {
        let answered = &data["output"];
        assert_eq!(
            (&answered["tier"], &answered["access"], &answered["denials"]),
            (&json!("full"), &json!("gateway"), &Value::Null),
            "{data}"
        );
        assert!(answered["n_requests"].as_u64().unwrap() > 1, "{data}");
        assert!(data["charge"]["tokens"].as_u64().unwrap() > 0, "{data}");
        assert!(data["usage"].is_object(), "{data}");
    }
}

/// The list without the days in the names of archived documents.
fn undated(listing: &str) -> String {
    let lines = listing.lines().map(|line| match line.rsplit_once('/') {
        Some((folder, name)) if folder.contains("/archived/") => {
            let (_, rest) = name.split_once('_').unwrap();
            format!("{folder}/DAY_{rest}")
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn phase(ended: &Value) -> (&str, u64, &str) {
    let text = |name: &str| ended[name].as_str().unwrap();
    (text("phase"), ended["round"].as_u64().unwrap(), text("outcome"))
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    said(command.arg("-C").arg(folder).args(arguments))
}

/// Runs a script of the shell with paths as its arguments.
fn shell(script: &str, paths: &[&Path]) -> String {
    said(Command::new("sh").args(["-c", script, "script"]).args(paths))
}

fn said(command: &mut Command) -> String {
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {words}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => std::fs::copy(entry.path(), target).map(drop).unwrap(),
        }
    }
}
