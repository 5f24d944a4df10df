//! `firewall-cases.jsonl` executed for real: whatever the command policy would say, the walls hold.

use std::ffi::OsString;
use std::time::Duration;

use gemicro_guard::repository::{InsideCommand, RepositoryError, TaskRepo};
use gemicro_guard::sandbox::{ResourceLimits, Tier};

use crate::attacks::Attack;
use crate::ordinary_user::as_ordinary_user;
use crate::world::{SECRET, World, said, tiers};

const CASES: &str = include_str!("../policy/firewall-cases.jsonl");
/// Bounded by limits, tested on their own.
const BOMBS: [&str; 2] = ["fw-154", "fw-155"];

pub(crate) struct Case {
    pub(crate) id: String,
    layer: String,
    expect: String,
    command: Vec<OsString>,
}

/// All cases; tool calls as what the tool would do.
pub(crate) fn all(world: &World, task: &TaskRepo) -> Vec<Case> {
    let parse = |line: &str| {
        let line = line
            .replace("{{WT}}", &task.worktree().display().to_string())
            .replace("{{REPO}}", &world.path("repo").display().to_string())
            .replace("{{HOME}}", &world.path("user").display().to_string());
        let case: serde_json::Value = serde_json::from_str(&line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        Case {
            id: text("id"),
            layer: text("layer"),
            expect: text("expect"),
            command: command(&case),
        }
    };
    CASES.lines().map(parse).collect()
}

fn command(case: &serde_json::Value) -> Vec<OsString> {
    let argument = |key: &str| case["args"][key].as_str().unwrap_or_default().to_owned();
    let shell = |script: &str, arguments: Vec<String>| {
        let words = ["/bin/bash", "-c", script, "tool"].map(OsString::from);
        words
            .into_iter()
            .chain(arguments.into_iter().map(OsString::from))
            .collect()
    };
    match case["tool"].as_str().unwrap() {
        "write_file" | "Write" => shell(
            "mkdir -p \"$(dirname \"$1\")\"; printf %s \"$2\" > \"$1\"",
            vec![argument("file_path"), argument("content")],
        ),
        "Edit" => shell(
            "printf %s \"$2\" >> \"$1\"",
            vec![argument("file_path"), argument("new_string")],
        ),
        "read_file" => shell("cat \"$1\"", vec![argument("file_path")]),
        "apply_patch" => {
            let input = argument("input");
            let file = input
                .lines()
                .find_map(|line| line.split_once(" File: "))
                .map_or("", |(_, file)| file);
            shell("echo evil > \"$1\"", vec![file.to_owned()])
        }
        "web_fetch" => shell("curl -s -m 5 \"$1\"", vec![argument("url")]),
        _ => shell(case["command"].as_str().unwrap(), Vec::new()),
    }
}

impl Attack {
    /// Runs cases one after the other, each in a task that is as new. All invariants are looked at after each.
    fn execute(mut self, tier: Tier, is_wanted: impl Fn(&Case) -> bool) {
        let cases = all(&self.world, &self.task);
        let wanted: Vec<&Case> = cases
            .iter()
            .filter(|case| is_wanted(case) && !BOMBS.contains(&case.id.as_str()))
            .collect();
        assert!(!wanted.is_empty());
        for case in &wanted {
            let output = self.world.inside(tier, &self.task).run(&case.command).unwrap();
            self.holds(tier, case, &said(&output));
            self.task.rebuild(&self.repository).unwrap();
        }
        // Every old object is still there and sound, and the task can go on.
        self.world.shell("git -C repo fsck --strict --no-dangling 2>&1");
        self.world.agent(tier, &self.task, "echo fine > fine");
        let imported = self
            .world
            .finish(tier, &self.repository, &mut self.task)
            .imported();
        assert_eq!(imported.n_files, 1);
    }

    fn holds(&self, tier: Tier, case: &Case, said: &str) {
        let id = &case.id;
        self.outside.assert_same(&self.world, tier, id);
        assert!(!said.contains(SECRET), "tier {tier}, {id}: a secret was printed");
        assert!(
            !said.contains("GUARD_CANARY"),
            "tier {tier}, {id}: the environment was printed"
        );
        assert_eq!(
            n_processes(&self.world),
            0,
            "tier {tier}, {id}: something is left"
        );
        let worktree = self.task.worktree();
        assert!(worktree.is_dir(), "tier {tier}, {id}");
        // The pins hold in tier full; elsewhere leaving the branch is noticed, and ends the step.
        match (tier, self.task.check_branch()) {
            (_, Ok(())) | (Tier::Landlock, Err(RepositoryError::BranchSwitched { .. })) => {}
            (_, other) => panic!("tier {tier}, {id}: {other:?}"),
        }
    }
}

fn by_walls(case: &Case) -> bool {
    matches!(case.layer.as_str(), "ref" | "fs")
}

#[test]
fn by_walls_in_tier_full() {
    assert!(tiers().contains(&Tier::Full));
    Attack::new().execute(Tier::Full, by_walls);
}

#[test]
fn by_walls_in_tier_landlock() {
    assert!(tiers().contains(&Tier::Landlock));
    Attack::new().execute(Tier::Landlock, by_walls);
}

#[test]
#[ignore = "the whole list takes long: cargo nextest run -p gemicro-guard --test repository --run-ignored all"]
fn all_in_tier_full() {
    Attack::new().execute(Tier::Full, |case| case.expect == "deny");
}

#[test]
#[ignore = "the whole list takes long: cargo nextest run -p gemicro-guard --test repository --run-ignored all"]
fn all_in_tier_landlock() {
    Attack::new().execute(Tier::Landlock, |case| case.expect == "deny");
}

/// Processes that work in this world.
fn n_processes(world: &World) -> usize {
    let folder = world.path("");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let cwds = entries.filter_map(|entry| std::fs::read_link(entry.path().join("cwd")).ok());
    cwds.filter(|cwd| cwd.starts_with(&folder)).count()
}

/// Processes of this user, which are what the limit counts.
fn n_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt;

    let uid = rustix::process::getuid().as_raw();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|facts| facts.uid() == uid));
    u64::try_from(own.count()).unwrap()
}

/// Bombs are bounded by limits and end with the step. Never as root, whom the limit of processes does not bind.
#[test]
fn bombs() {
    if rustix::process::getuid().is_root() {
        return as_ordinary_user(&["cases::bombs"]);
    }
    for tier in tiers() {
        let run = Attack::new();
        let cases = all(&run.world, &run.task);
        for case in cases.iter().filter(|case| BOMBS.contains(&case.id.as_str())) {
            let mut inside: InsideCommand = run.world.inside(tier, &run.task);
            inside.profile.limits = ResourceLimits {
                processes: Some(n_of_user() + 60),
                ..ResourceLimits::default()
            };
            inside.time_limit = Duration::from_secs(2);
            // Either it ended by itself, or it was ended; what it wrote is bounded.
            match inside.run(&case.command) {
                Ok(output) => assert!(output.stdout.len() <= 1 << 20),
                Err(RepositoryError::InsideTimeout { .. }) => {}
                Err(error) => panic!("tier {tier}, {}: {error}", case.id),
            }
            run.holds(tier, case, "");
        }
    }
}
