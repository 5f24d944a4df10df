//! Pipelines whose journals are written to the store by hand: their story, their differences, and what is refused.

use std::path::Path;
use std::process::Command;

use gemicro_core::command::AgentCommand;
use gemicro_core::store::{NewEvent, NewStream, Store, StreamKind};
use gemicro_event::{Event, Json, StreamId};
use gemicro_store::SqliteStore;
use serde_json::{Value, json};

use crate::golden;
use crate::program::World;

#[path = "../../src/commands/run/tests/journal.rs"]
mod journal;

use journal::{Journal, commit, rested, straight, troubled};

const RUN: &str = "k3v9k3v9k3v9k3v9";

/// Writes a journal, after every text in it was changed by `change`.
fn write(world: &World, journal: Journal, change: impl Fn(&str) -> String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let stream = journal.events[0].stream.clone();
    let event = |event: Event| {
        let mut update = event.update;
        update.data = Json::from_text(&change(update.data.text())).unwrap();
        NewEvent::of_run(update)
    };
    let new = NewStream {
        stream,
        kind: StreamKind::Run,
        parent_run: None,
        events: journal.events.into_iter().map(event).collect(),
        lease: None,
        board: Vec::new(),
    };
    runtime.block_on(async {
        let store = SqliteStore::open(&world.path("home")).await.unwrap();
        store.create(new).await.unwrap();
        store.close().await;
    });
}

/// Sends a command to the run, which nobody drives.
fn send(world: &World, command: AgentCommand) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&world.path("home")).await.unwrap();
        let run = StreamId::new(RUN).unwrap();
        store.send_command(&run, command).await.unwrap();
        store.close().await;
    });
}

fn world(journal: Journal) -> World {
    let world = World::new();
    write(&world, journal, str::to_owned);
    world
}

/// A repository in which the commits of the journal are real ones.
fn with_repository(journal: Journal) -> World {
    let world = World::new();
    let project = world.path("project");
    std::fs::create_dir(&project).unwrap();
    git(&project, &["init", "--quiet", "--initial-branch=main"]);
    let mut commits = Vec::new();
    for letter in 'a'..='e' {
        let text: String = ('a'..=letter).map(|letter| format!("{letter}\n")).collect();
        std::fs::write(project.join("list.txt"), text).unwrap();
        git(&project, &["add", "."]);
        git(&project, &["commit", "--quiet", "--message", &letter.to_string()]);
        commits.push((commit(letter), git(&project, &["rev-parse", "HEAD"])));
    }
    let folder = project.display().to_string();
    write(&world, journal, |text| {
        let text = text.replace("/projects/app", &folder);
        commits
            .iter()
            .fold(text, |text, (made_up, real)| text.replace(made_up, real))
    });
    world
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = [
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.com",
        "-c",
        "commit.gpgsign=false",
    ];
    let output = Command::new("git")
        .args(identity)
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        // The names of the commits must be the same every time.
        .env("GIT_AUTHOR_DATE", "2026-11-16T11:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-11-16T11:00:00Z")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The path that git is found on.
fn diff(world: &World, arguments: &[&str]) -> String {
    let mut command = world.command(&[&["diff", RUN], arguments].concat());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    world.screen(&world.finish(command.output().unwrap()))
}

#[test]
fn show_reports_the_story_of_a_pipeline() {
    let straight = world(straight());
    golden!("pipeline_show", straight.screen(&straight.call(&["show", RUN])));
    let markdown = straight.must(&["show", RUN, "--format", "markdown"]);
    assert_eq!(markdown.stdout, "# Add a dark mode toggle\n");
    let troubled = world(troubled());
    golden!(
        "pipeline_show_failed",
        troubled.screen(&troubled.call(&["show", RUN]))
    );
}

#[test]
fn show_leaves_out_the_time_in_which_a_run_lay_suspended() {
    let world = world(rested());
    golden!("pipeline_show_rested", world.screen(&world.call(&["show", RUN])));
    let shown: Value = serde_json::from_str(&world.must(&["show", RUN, "--format", "json"]).stdout).unwrap();
    let pipeline = &shown["pipeline"];
    assert_eq!(pipeline["gates"][0]["said"], "yes");
    assert_eq!(pipeline["gates"][0]["by"], "ada");
    assert_eq!(pipeline["phases"][0]["rested_ms"], 8 * 3_600_000 + 10_000);
    assert_eq!(shown["notes"], json!(["somebody changed .git/config"]));
}

#[test]
fn an_answer_that_is_kept_is_not_asked_for_again() {
    let world = World::new();
    let mut journal = rested();
    let suspended = |event: &Event| event.update.event_type == "run_suspended";
    let first = journal.events.iter().position(suspended);
    journal.events.truncate(first.unwrap() + 1);
    write(&world, journal, str::to_owned);
    let open = world.must(&["show", RUN]).stdout;
    assert!(open.contains(&format!("gemicro answer {RUN} yes")), "{open}");
    // An answer to something else is none.
    let other = AgentCommand::answer("plan.2:human", &Json::from(json!("yes")));
    send(&world, other);
    assert_eq!(world.must(&["show", RUN]).stdout, open);
    let answered = world.command(&["answer", RUN, "yes"]).env("USER", "ada").output();
    assert!(answered.unwrap().status.success());
    golden!(
        "pipeline_show_answered",
        world.screen(&world.call(&["show", RUN]))
    );
}

#[test]
fn a_command_is_never_cut_or_reported_twice() {
    let mut journal = troubled();
    let failed = journal.events.last_mut().unwrap();
    let text = failed.update.data.text().replace("gate_closed", "conflict");
    failed.update.data = Json::from_text(&text).unwrap();
    let world = world(journal);
    for columns in ["40", "60", "80"] {
        let shown = world.command(&["show", RUN]).env("COLUMNS", columns).output();
        let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
        let (_, next) = shown.split_once("Next\n").unwrap();
        let retry = format!("gemicro retry {RUN} --from implementation");
        assert_eq!(next.matches("gemicro retry").count(), 1, "{shown}");
        let branch = "task/dark-mode-toggle";
        let look = format!("`git fetch origin {branch} && git log --oneline {branch}..FETCH_HEAD`");
        for whole in [&retry, &look, &format!("`git push origin --delete {branch}`")] {
            assert!(next.contains(whole.as_str()), "{columns}: {shown}");
        }
    }
}

/// Only commands may be longer than a line: a terminal breaks anything else in the middle of a word.
#[test]
fn no_line_of_a_pipeline_is_broken_by_the_terminal() {
    for journal in [straight(), troubled(), rested()] {
        let world = world(journal);
        for columns in [80, 100] {
            let shown = world
                .command(&["show", RUN])
                .env("COLUMNS", columns.to_string())
                .output();
            let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
            let (happened, _) = shown.split_once("Next\n").unwrap();
            for line in happened.lines() {
                assert!(line.chars().count() <= columns, "{columns}: {line}");
            }
        }
    }
}

#[test]
fn show_has_the_phases_for_programs() {
    let world = world(troubled());
    let shown: Value = serde_json::from_str(&world.must(&["show", RUN, "--format", "json"]).stdout).unwrap();
    let pipeline = &shown["pipeline"];
    assert_eq!(pipeline["branch"], "task/dark-mode-toggle");
    let phases = pipeline["phases"].as_array().unwrap().iter();
    let phases: Vec<Value> = phases
        .map(|it| json!([it["phase"], it["round"], it["verdict"], it["outcome"]]))
        .collect();
    let expected = json!([
        ["implementation", 1, "done", "again"],
        ["implementation", 2, "done", "again"],
        ["implementation", 3, "done", "done"],
        ["audit", 1, "PASS", "FAIL"],
        ["audit", 2, "FAIL", "FAIL"],
        ["integration", 1, null, "stop"],
    ]);
    assert_eq!(Value::from(phases), expected);
    assert_eq!(
        pipeline["phases"][0]["denials"],
        json!(["git push origin main: agents do not push"])
    );
    assert_eq!(pipeline["phases"][0]["charge"]["tokens"], 12_345);
}

#[test]
fn diff_compares_the_whole_branch_or_one_phase() {
    let world = with_repository(straight());
    golden!("pipeline_diff", diff(&world, &[]));
    golden!("pipeline_diff_stat", diff(&world, &["--stat"]));
    golden!("pipeline_diff_phase", diff(&world, &["--phase", "A.1"]));
    golden!("pipeline_diff_nothing", diff(&world, &["--phase", "integration"]));
    golden!(
        "pipeline_diff_unknown_phase",
        diff(&world, &["--phase", "coffee"])
    );
}

#[test]
fn diff_says_when_there_is_nothing_to_compare() {
    let other = World::new();
    other.ask("How high is the lighthouse?", &[]);
    golden!("diff_of_research", other.screen(&other.call(&["diff", "last"])));
    let world = world(straight());
    golden!("diff_without_repository", diff(&world, &[]));
    let unprepared = World::new();
    let mut journal = straight();
    journal.events.truncate(1);
    write(&unprepared, journal, str::to_owned);
    golden!("diff_without_branch", diff(&unprepared, &[]));
}

#[test]
fn a_run_needs_a_task_and_an_agent_that_can_work() {
    let world = World::new();
    golden!("run_without_task", world.screen(&world.call(&["run"])));
    golden!(
        "run_without_key",
        world.screen(&world.call(&["run", "--task", "Add a toggle"]))
    );
    golden!(
        "run_dry",
        world.screen(&world.call(&[
            "run",
            "--task",
            "Add a dark mode toggle.",
            "--dry-run",
            "--mode",
            "bugfix"
        ]))
    );
    let called = world.call(&["run", "--task", "x", "--branch", "main", "--dry-run"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(!world.path("home").join("tasks").exists());
}

#[test]
fn phases_are_continued_in_pipelines_alone() {
    let world = World::new();
    world.ask("How high is the lighthouse?", &[]);
    golden!(
        "retry_from_of_research",
        world.screen(&world.call(&["retry", "last", "--from", "plan"]))
    );
    let waiting = World::new();
    let mut journal = troubled();
    let asked = journal
        .events
        .iter()
        .position(|event| event.update.event_type == "answer_requested");
    journal.events.truncate(asked.unwrap() + 1);
    write(&waiting, journal, str::to_owned);
    golden!(
        "retry_of_waiting_pipeline",
        waiting.screen(&waiting.call(&["retry", RUN, "--from", "plan"]))
    );
    golden!(
        "answer_neither_yes_nor_no",
        waiting.screen(&waiting.call(&["answer", RUN, "maybe"]))
    );
    golden!(
        "pipeline_show_waiting",
        waiting.screen(&waiting.call(&["show", RUN]))
    );
}
