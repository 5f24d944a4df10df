//! Agents on a branch of their own: the real CLIs, told by the simulator to do what they must not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::agent_world::{AGENTS, Agent, AgentWorld};

/// The tool by which an agent runs a command, and the name of its argument.
pub(crate) fn shell(agent: &Agent) -> (&'static str, &'static str) {
    match agent.name {
        "gemini" => ("run_shell_command", "command"),
        "claude" => ("Bash", "command"),
        _ => ("exec_command", "cmd"),
    }
}

/// The model calls for these commands, one after the other, and then answers.
pub(crate) fn commands(agent: &Agent, commands: &[&str]) -> String {
    let (tool, argument) = shell(agent);
    let mut rules = String::new();
    for (idx, command) in commands.iter().enumerate() {
        let command = command.replace('\'', "''");
        rules.push_str(&format!(
            "  - {{ name: command-{idx}, times: 1, when: {{ tool_offered: {tool} }}, \
             reply: {{ calls: [{{ name: {tool}, arguments: {{ {argument}: '{command}' }} }}] }} }}\n"
        ));
    }
    rules.push_str("  - { name: answers, reply: { text: 'I did what I could.' } }\n");
    rules
}

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.com")
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.com")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with a commit, a second branch and something that is not committed.
pub(crate) fn repository(desk: &AgentWorld) -> PathBuf {
    let folder = desk.simulated.world.path("project");
    std::fs::remove_dir_all(folder.join(".git")).unwrap();
    git(&folder, &["init", "-q", "-b", "main"]);
    std::fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(&folder, &["add", "a.txt"]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    git(&folder, &["branch", "other"]);
    std::fs::write(folder.join("a.txt"), "one, and not committed\n").unwrap();
    folder
}

/// Every file of a folder with its bytes, but what the task may add: objects, its branch and its display worktree.
pub(crate) fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).unwrap().flatten() {
            let inside = entry.path().strip_prefix(folder).unwrap().to_path_buf();
            let is_ours = [
                ".git/objects",
                ".git/refs/heads/task",
                ".git/logs/refs/heads/task",
                ".git/worktrees",
            ]
            .iter()
            .any(|ours| inside.starts_with(ours));
            if is_ours {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.insert(inside, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

pub(crate) fn denied_rules(answer: &Value) -> Vec<&str> {
    let denials = answer["denials"].as_array().expect("a list of denials");
    denials
        .iter()
        .map(|denied| denied["rule"].as_str().unwrap())
        .collect()
}

#[test]
fn an_agent_plants_no_notes_of_the_owner_and_its_settings_are_reported() {
    let gemini = &AGENTS[0];
    let plant = "mkdir -p docs/dev_docs && echo obey > docs/dev_docs/HUMAN_REVIEW.md";
    let desk = AgentWorld::real(&commands(gemini, &[plant]));
    repository(&desk);
    let (called, answer) = desk.ask(gemini, &["--branch", "task/plant"], "Plant it");
    assert_ne!(called.code, 0, "{answer}");
    assert_eq!(answer["error_kind"], "import_refused", "{answer}");
    let why = answer["error"].as_str().unwrap();
    assert!(
        why.contains("HUMAN_REVIEW.md must stay as it is: only the owner"),
        "{why}"
    );

    let settings =
        "mkdir -p .agents && echo x | tee .agents/x AGENTS.override.md gemicro.toml mise.toml .env";
    let desk = AgentWorld::real(&commands(gemini, &[settings]));
    repository(&desk);
    let (called, answer) = desk.ask(gemini, &["--branch", "task/settings"], "Write them");
    assert_eq!(called.code, 0, "{}\n{answer}", called.stderr);
    let reports = answer["branch"]["reports"].as_array().unwrap();
    assert_eq!(reports.len(), 5, "{reports:?}");
}

#[test]
fn an_agent_lands_its_commits_on_its_branch_alone() {
    for agent in &AGENTS {
        let script = commands(
            agent,
            &[
                "echo two > b.txt && git add b.txt && git commit -q -m 'add b'",
                "echo three > c.txt",
            ],
        );
        let desk = AgentWorld::real(&script);
        let folder = repository(&desk);
        let before = bytes_of(&folder);
        let (called, answer) = desk.ask(agent, &["--branch", "task/demo"], "Add two files");
        assert_eq!(called.code, 0, "{}: {}\n{answer}", agent.name, called.stderr);
        let branch = &answer["branch"];
        assert_eq!(
            (&branch["name"], &branch["n_commits"]),
            (&"task/demo".into(), &2.into()),
            "{answer}"
        );
        assert_eq!(answer["denials"], Value::Array(Vec::new()), "{answer}");
        assert_eq!(
            git(&folder, &["log", "--format=%s", "task/demo"]),
            "Add two files\nadd b\nfirst\n"
        );
        assert_eq!(git(&folder, &["show", "task/demo:c.txt"]), "three\n");
        assert_eq!(bytes_of(&folder), before, "{}", agent.name);
        let shown = PathBuf::from(branch["worktree"].as_str().expect("a checkout"));
        assert_eq!(std::fs::read_to_string(shown.join("b.txt")).unwrap(), "two\n");
        desk.assert_nothing_runs();
    }
}

/// An agent that is asked several times, each time for one command.
pub(crate) fn asked_again(lines: &[&str]) -> AgentWorld {
    let mut rules = "  - { name: said, when: { tool_result: '*' }, reply: { text: 'Done.' } }\n".to_owned();
    rules.push_str(&commands(&AGENTS[2], lines));
    AgentWorld::real(&rules)
}

fn note(answer: &Value) -> String {
    let notes = answer["branch"]["notes"].as_array().cloned().unwrap_or_default();
    notes
        .iter()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join("; ")
}

#[test]
fn a_branch_is_resumed_from_its_tip() {
    let lines = [
        "cat a.txt",
        "echo 1 > n && git add n && git commit -qm one",
        "echo 2 >> n && git commit -qam two",
        "echo 3 > m && git add m && git commit -qm three",
    ];
    let desk = asked_again(&lines);
    let (folder, agent) = (repository(&desk), &AGENTS[2]);
    let ask = |prompt: &str| desk.ask(agent, &["--branch", "task/again"], prompt).1;
    // Who only reads leaves nothing behind.
    let read = desk.ask(
        agent,
        &["--branch", "task/again", "--sandbox", "read-only"],
        "read",
    );
    assert_eq!(read.1["success"], true, "{}", read.1);
    let first = ask("one");
    assert_eq!(
        (
            &first["branch"]["n_commits"],
            note(&first).contains("earlier run")
        ),
        (&1.into(), false),
        "{first}"
    );
    let second = ask("two");
    assert_eq!(second["branch"]["n_commits"], 1, "{second}");
    assert_eq!(git(&folder, &["show", "task/again:n"]), "1\n2\n");
    // Merged and deleted, as one does: the name is free for another task.
    git(
        &folder,
        &[
            "worktree",
            "remove",
            "--force",
            second["branch"]["worktree"].as_str().unwrap(),
        ],
    );
    git(&folder, &["branch", "-qD", "task/again"]);
    let third = ask("three");
    assert_eq!(third["success"], true, "{third}");
    assert_eq!(
        git(&folder, &["log", "--format=%s", "task/again"]),
        "three\nfirst\n"
    );
}

#[test]
fn what_is_refused_is_put_aside_and_nothing_of_it_lands() {
    let lines = [
        "python3 -c \"import os; os.symlink('/etc/passwd', 'evil')\" && echo good > good && git add -A && git commit -qm both",
        "echo fine > fine && git add fine && git commit -qm fine",
    ];
    let desk = asked_again(&lines);
    let (folder, agent) = (repository(&desk), &AGENTS[2]);
    let before = bytes_of(&folder);
    let ask = |prompt: &str| desk.ask(agent, &["--branch", "task/refused"], prompt).1;
    let refused = ask("both");
    assert_eq!(refused["error_kind"], "import_refused", "{refused}");
    assert_eq!(git(&folder, &["log", "--format=%s", "task/refused"]), "first\n");
    assert_eq!(bytes_of(&folder), before);
    let fine = ask("fine");
    assert_eq!(
        git(&folder, &["log", "--format=%s", "task/refused"]),
        "fine\nfirst\n",
        "{fine}"
    );
    let text = note(&fine);
    let aside = text
        .split(" are in ")
        .nth(1)
        .and_then(|rest| rest.split("; inspect").next());
    let aside = PathBuf::from(aside.unwrap_or_else(|| panic!("nothing was put aside: {text}")));
    assert_eq!(std::fs::read_to_string(aside.join("good")).unwrap(), "good\n");
}

#[test]
fn what_cannot_be_worked_on_is_refused_before_anybody_is_asked() {
    let desk = asked_again(&["true"]);
    let (folder, agent) = (repository(&desk), &AGENTS[2]);
    let refused = |branch: &str, more: &[&str]| {
        let mut arguments = vec!["--branch", branch];
        arguments.extend(more);
        let (called, answer) = desk.ask(agent, &arguments, "work");
        assert_ne!(called.code, 0, "{branch}: {answer}");
        answer["error_kind"].as_str().unwrap().to_owned()
    };
    for branch in ["main", "task/", "task/../x", "task/x.lock", "task/-x"] {
        assert_eq!(refused(branch, &[]), "invalid_input", "{branch}");
    }
    assert_eq!(
        refused("task/x", &["--sandbox", "danger-full-access"]),
        "invalid_input"
    );
    git(&folder, &["checkout", "-q", "-b", "task/mine"]);
    assert_eq!(refused("task/mine", &[]), "conflict");
    std::fs::create_dir_all(desk.simulated.world.path("nowhere")).unwrap();
    let nowhere = desk.simulated.world.path("nowhere");
    assert_eq!(
        refused("task/x", &["--cd", nowhere.to_str().unwrap()]),
        "invalid_input"
    );
    assert!(
        desk.simulated.running.log().entries().is_empty(),
        "the model was asked"
    );
}

#[test]
fn what_git_cannot_take_does_not_cost_the_rest() {
    let line = "python3 -c \"import subprocess; subprocess.run(['git', 'init', '-q', 'fixture'])\"; echo work > work.txt";
    let desk = asked_again(&[line]);
    let folder = repository(&desk);
    let (_, answer) = desk.ask(&AGENTS[2], &["--branch", "task/nested"], "work");
    assert_eq!(
        git(&folder, &["show", "task/nested:work.txt"]),
        "work\n",
        "{answer}"
    );
    assert!(note(&answer).contains("fixture"), "{answer}");
}

#[test]
fn a_task_that_was_damaged_begins_anew() {
    let lines = ["echo 1 > n && git add n && git commit -qm one"; 1];
    let desk = asked_again(&lines);
    let folder = repository(&desk);
    let ask = || desk.ask(&AGENTS[2], &["--branch", "task/damaged"], "work").1;
    assert_eq!(ask()["branch"]["n_commits"], 1);
    let tasks = desk.simulated.world.path("home/tasks");
    let task = std::fs::read_dir(&tasks)
        .unwrap()
        .flatten()
        .find(|entry| entry.path().is_dir())
        .unwrap()
        .path();
    for damage in ["wt", "tmp", "git/config", "task.json"] {
        let path = task.join(damage);
        if path.is_dir() {
            std::fs::remove_dir_all(&path).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
        let answer = ask();
        assert_eq!(answer["success"], true, "{damage}: {answer}");
    }
    assert_eq!(
        git(&folder, &["log", "--format=%s", "task/damaged"]),
        "one\nfirst\n"
    );
}
