//! A small repository, and agents that do what a test says.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent_world::running_in;
use crate::program::{Called, World};

pub(super) const TASK: &str = "Say farewell: bye.sh prints bye.";
pub(super) const BRANCH: &str = "task/farewell";

/// The line of the script that a test's own functions take the place of.
const MARK: &str = "# --- other functions of a test ---";

/// What the phases of an undisturbed run end with.
pub(super) const ALL_WELL: [&str; 6] = [
    "plan.1 done",
    "plan_review.1 APPROVE",
    "implementation.1 done",
    "audit.1 PASS",
    "integration.1 up_to_date",
    "delivery.1 done",
];

/// A repository, agents, and nobody's settings.
pub(super) struct Scene {
    pub(super) world: World,
    /// Main at the beginning.
    main: String,
}

/// What came of a run.
pub(super) struct Ran {
    pub(super) called: Called,
    pub(super) events: Vec<Value>,
}

impl Scene {
    /// A program of one line with one test, and a workflow of its own.
    pub(super) fn new() -> Self {
        let mut scene = Self::of(include_str!("project.sh"));
        scene.world.must(&["init", "--dir", "project"]);
        scene.workflow(
            "checks: []",
            "checks:\n  - { name: tests, command: sh tests/run.sh, tests: true, timeout: 1m }",
        );
        scene
    }

    /// The repository that a script makes.
    pub(super) fn of(script: &str) -> Self {
        let world = World::new();
        for folder in ["user", "agents"] {
            std::fs::create_dir_all(world.path(folder)).unwrap();
        }
        let project = world.path("project");
        let made = Command::new("sh")
            .args(["-c", script, "project"])
            .arg(&project)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .status();
        assert!(made.unwrap().success());
        let main = git(&project, &["rev-parse", "main"]);
        let scene = Self { world, main };
        scene.agents("");
        scene
    }

    /// A path in the repository.
    pub(super) fn project(&self, name: &str) -> PathBuf {
        self.world.path("project").join(name)
    }

    /// Writes the agents; functions given here go before those of the script. A script that runs is left alone.
    pub(super) fn agents(&self, functions: &str) {
        use std::os::unix::fs::PermissionsExt;
        let text = include_str!("agent.sh").replace(MARK, functions);
        let (new, program) = (self.world.path("agents/new"), self.world.path("agents/gemini"));
        std::fs::write(&new, text).unwrap();
        std::fs::set_permissions(&new, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(new, program).unwrap();
    }

    /// Changes the workflow and commits it.
    pub(super) fn workflow(&mut self, from: &str, to: &str) {
        let file = self.project(".gemicro/workflow.yaml");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from} is not in the workflow");
        std::fs::write(&file, text.replace(from, to)).unwrap();
        self.commit_all("workflow: change it");
    }

    /// Commits everything on main; that is main from now on.
    pub(super) fn commit_all(&mut self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.main = self.git(&["rev-parse", "main"]);
    }

    /// The program, with the agents in its search path.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.world.path("agents").display()
        );
        command
            .env("PATH", path)
            .env("GEMINI_API_KEY", "a-key-that-opens-nothing")
            .env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
            .current_dir(self.project(""));
        command
    }

    /// The beginning of a run, in words.
    pub(super) fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
        let usual = ["run", "--agent", "gemini", "--task", TASK, "--branch", BRANCH];
        let usual = usual.into_iter().filter(|word| !more.contains(word));
        usual.chain(more.iter().copied()).collect()
    }

    /// Runs the task to its end.
    pub(super) fn run(&self, more: &[&str]) -> Ran {
        self.ran(&mut self.command(&Self::arguments(more)))
    }

    /// Runs a command that works on the newest run, or makes it.
    pub(super) fn ran(&self, command: &mut Command) -> Ran {
        let called = self.world.finish(command.output().unwrap());
        let events = self.events();
        Ran { called, events }
    }

    /// The journal of the newest run; nothing where there is none.
    pub(super) fn events(&self) -> Vec<Value> {
        let lines = self.world.call(&["events", "last"]).stdout;
        let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        git(&self.project(""), arguments)
    }

    /// Main, the checkout and what is in it are as they were, and nothing of ours is left beside the branch.
    pub(super) fn assert_main_untouched(&self) {
        assert_eq!(self.git(&["rev-parse", "main"]), self.main);
        assert_eq!(self.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
        assert_eq!(self.git(&["status", "--porcelain"]), "");
        self.assert_no_traces();
    }

    /// The branch is where it was when the newest run tried to merge main.
    pub(super) fn assert_not_merged(&self) {
        let events = self.events();
        let mut merges = events
            .iter()
            .rev()
            .filter(|it| it["event_type"] == "branch_merged");
        let merged = &merges.next().unwrap()["data"]["merged"];
        assert_eq!(merged["outcome"], "conflict");
        assert_eq!(merged["new"], self.git(&["rev-parse", BRANCH]));
    }

    /// No lock, no half import, no process.
    pub(super) fn assert_no_traces(&self) {
        let locks = files_below(&self.project(".git"), &|name| name.ends_with(".lock"));
        assert_eq!(locks, Vec::<PathBuf>::new());
        let references = self.git(&["for-each-ref", "--format=%(refname)", "refs/gemicro"]);
        assert!(!references.contains("incoming"), "{references}");
        let place = self.world.path("");
        let running = running_in(place.to_str().unwrap().trim_end_matches('/'));
        assert!(running.is_empty(), "{running:?}");
    }

    /// Every file of the branch with the name of its content; the day in names of folders is left out.
    pub(super) fn files(&self) -> Vec<String> {
        let first = self.events().swap_remove(0);
        let day = first["timestamp"].as_str().unwrap()[..10].to_owned();
        let listed = self.git(&["ls-tree", "-r", "--format=%(objectname) %(path)", BRANCH]);
        listed.lines().map(|line| line.replace(&day, "DAY")).collect()
    }

    /// Subjects of what the branch has and main at the beginning had not, oldest first.
    pub(super) fn subjects(&self) -> Vec<String> {
        let range = format!("{}..{BRANCH}", self.main);
        let subjects = self.git(&["log", "--first-parent", "--reverse", "--format=%s", &range]);
        subjects.lines().map(str::to_owned).collect()
    }

    pub(super) fn has_branch(&self, name: &str) -> bool {
        let reference = format!("refs/heads/{name}");
        !self.git(&["for-each-ref", &reference]).is_empty()
    }
}

impl Ran {
    /// How each phase ended, in order.
    pub(super) fn outcomes(&self) -> Vec<String> {
        outcomes(&self.events)
    }

    /// Events of a kind.
    pub(super) fn all(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["event_type"] == kind)
            .collect()
    }

    /// The keys of the agents' steps that were begun.
    pub(super) fn asked(&self) -> Vec<&str> {
        let started = self
            .all("step_started")
            .into_iter()
            .map(|it| it["data"]["step"].as_str().unwrap());
        started.filter(|step| step.contains(":agent.")).collect()
    }

    /// It ended with a failure of a kind; nothing was delivered and nothing claims a success.
    pub(super) fn assert_failed(&self, kind: &str) {
        let about = || {
            format!(
                "{:#?}\n{}\n{}",
                self.outcomes(),
                self.called.stdout,
                self.called.stderr
            )
        };
        assert_ne!(self.called.code, 0, "{}", about());
        let failed = self.all("run_failed");
        assert_eq!(failed.len(), 1, "{}", about());
        assert_eq!(
            failed[0]["data"]["error"]["kind"],
            kind,
            "{}\n{}",
            failed[0],
            about()
        );
        for absent in ["pipeline_delivered", "final_result", "run_completed"] {
            assert!(self.all(absent).is_empty(), "{absent}: {}", about());
        }
    }

    pub(super) fn assert_completed(&self) {
        let about = || {
            format!(
                "{:#?}\n{}\n{}",
                self.outcomes(),
                self.called.stdout,
                self.called.stderr
            )
        };
        assert_eq!(self.called.code, 0, "{}", about());
        assert_eq!(self.all("pipeline_delivered").len(), 1, "{}", about());
    }

    /// Every reason that any phase gave.
    pub(super) fn reasons(&self) -> String {
        let ended = self.all("phase_ended").into_iter();
        let reasons = ended.flat_map(|it| it["data"]["reasons"].as_array().cloned().unwrap_or_default());
        let reasons: Vec<String> = reasons.map(|it| it.as_str().unwrap().to_owned()).collect();
        reasons.join("\n")
    }
}

/// How each phase ended, in order.
pub(super) fn outcomes(events: &[Value]) -> Vec<String> {
    let ended = events.iter().filter(|event| event["event_type"] == "phase_ended");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    ended
        .map(|it| &it["data"])
        .map(|it| format!("{}.{} {}", word(&it["phase"]), it["round"], word(&it["outcome"])))
        .collect()
}

/// What git prints, without the last line break.
pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {words}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Every file below a folder whose name is wanted.
pub(super) fn files_below(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&path, is_wanted));
        } else if is_wanted(&entry.file_name().to_string_lossy()) {
            found.push(path);
        }
    }
    found
}
