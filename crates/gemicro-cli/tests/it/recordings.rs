//! Recordings: every kind of run exported, replayed in another folder, changed, cut and tested.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gemicro_core::store::StreamKind;
use gemicro_event::Json;
use gemicro_recording::{Recording, read_file, write_file};
use serde_json::Value;

use crate::program::World;
use crate::simulated::{KEY, Simulated, research};

pub(crate) fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/recordings");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|it| it == "recording"))
        .collect();
    files.sort();
    files
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Without what may differ: times.
fn comparable(event: &Value) -> Value {
    let mut event = event.clone();
    event.as_object_mut().unwrap().remove("timestamp");
    event
}

#[test]
fn every_example_is_replayed_without_a_difference() {
    let kinds: BTreeSet<String> = examples()
        .iter()
        .map(|path| read_file(path).unwrap().header.kind)
        .collect();
    let expected = ["batch", "conversation", "ooda", "pipeline", "research"];
    assert!(kinds.iter().eq(expected), "{kinds:?}");
    let world = World::new();
    let files = examples();
    let mut arguments = vec!["test"];
    arguments.extend(files.iter().map(|path| text(path)));
    let called = world.must(&arguments);
    assert!(called.stdout.contains("6 passed, 0 failed"), "{}", called.stdout);
}

#[test]
fn the_replayed_journals_are_the_recorded_ones() {
    let world = World::new();
    for path in examples() {
        let recording = read_file(&path).unwrap();
        let root = recording.root().unwrap();
        if root.kind == StreamKind::Conversation {
            let turns = recording.runs().count();
            assert!(turns >= 20, "{turns} turns");
            continue;
        }
        // A view of the journal that is not the one which compares.
        let last = root.events.len().to_string();
        let called = world.must(&["replay", text(&path), "--until", &last, "--format", "jsonl"]);
        let replayed: Vec<Value> = called
            .stdout
            .lines()
            .map(|line| comparable(&serde_json::from_str(line).unwrap()))
            .collect();
        let recorded: Vec<Value> = root
            .events
            .iter()
            .map(|event| comparable(&serde_json::to_value(event).unwrap()))
            .collect();
        assert_eq!(replayed, recorded, "{}", path.display());
        let shown = world.must(&["recording", "show", text(&path)]);
        assert!(
            shown.stdout.contains(root.id.as_str()) && shown.stdout.contains("steps: "),
            "{}",
            shown.stdout
        );
    }
}

/// A research run against the simulator, recorded with its live text.
fn recorded_research() -> (Simulated, PathBuf) {
    let place = Simulated::new(&research(3));
    let file = place.world.path("run.recording");
    let called = place.ask(&["--record", text(&file)]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    (place, file)
}

#[test]
fn a_recorded_run_is_replayed_elsewhere_with_its_live_text_and_without_its_key() {
    let (place, file) = recorded_research();
    let recording = read_file(&file).unwrap();
    assert!(!recording.live.is_empty());
    let unpacked = format!("{recording:?}");
    assert!(!unpacked.contains(KEY), "the key is in the recording");
    drop(place);
    let elsewhere = World::new();
    let copy = elsewhere.path("copy.recording");
    write_file(&recording, &copy).unwrap();
    let called = elsewhere.must(&["replay", text(&copy)]);
    assert!(called.stderr.contains(": as recorded."), "{}", called.stderr);
    // Nothing is left in the user's own store.
    assert!(!elsewhere.path("home").exists());
}

#[test]
fn export_writes_the_same_events_as_record() {
    let (place, file) = recorded_research();
    let other = place.world.path("exported.recording");
    let called = place.call(&["export", "last", "--recording", text(&other)]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let (with_live, exported) = (read_file(&file).unwrap(), read_file(&other).unwrap());
    assert_eq!(with_live.streams, exported.streams);
    assert!(exported.live.is_empty());
}

/// Changes the first recorded event of a type.
fn change(recording: &mut Recording, event_type: &str, from: &str, to: &str) {
    let events = &mut recording.streams[0].events;
    let found = events
        .iter_mut()
        .find(|event| event.update.event_type == event_type && event.update.data.text().contains(from));
    let event = found.unwrap();
    let data = event.update.data.text().replacen(from, to, 1);
    event.update.data = Json::from_text(&data).unwrap();
}

#[test]
fn a_changed_prompt_is_shown_line_by_line() {
    let (place, file) = recorded_research();
    let mut recording = read_file(&file).unwrap();
    change(&mut recording, "step_started", "question", "riddle");
    write_file(&recording, &file).unwrap();
    let called = place.world.call(&["replay", text(&file)]);
    assert_eq!(called.code, 8, "{}", called.stderr);
    assert!(
        called.stderr.contains("step_started of step"),
        "{}",
        called.stderr
    );
    let has = |mark: char, word: &str| {
        let mut lines = called.stderr.lines();
        lines.any(|line| line.starts_with(mark) && line.contains(word))
    };
    assert!(has('-', "riddle") && has('+', "question"), "{}", called.stderr);
    assert!(
        called.stderr.contains("differs from its recording"),
        "{}",
        called.stderr
    );
}

#[test]
fn another_decision_is_a_difference() {
    let (place, file) = recorded_research();
    let mut recording = read_file(&file).unwrap();
    // The answer now names other sub-queries than the ones that were asked.
    change(&mut recording, "step_completed", "part 2", "part 9");
    write_file(&recording, &file).unwrap();
    let called = place.world.call(&["test", text(&file)]);
    assert_eq!(called.code, 8, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("part 9"), "{}", called.stdout);
}

#[test]
fn an_update_runs_only_the_step_that_changed() {
    let (place, file) = recorded_research();
    let mut recording = read_file(&file).unwrap();
    change(
        &mut recording,
        "step_started",
        "What is part 2 of it?",
        "What was part 2 of it?",
    );
    write_file(&recording, &file).unwrap();
    assert_eq!(place.world.call(&["replay", text(&file)]).code, 8);
    let n_posts = || ["decompose", "answer", "synthesize"].map(|rule| place.posts(rule));
    let before = n_posts();
    let called = place.call(&["replay", text(&file), "--update"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stderr.contains("1 step ran again"), "{}", called.stderr);
    assert_eq!(n_posts(), [before[0], before[1] + 1, before[2]]);
    // Another machine, without the provider.
    let called = World::new().must(&["replay", text(&file)]);
    assert!(called.stderr.contains(": as recorded."), "{}", called.stderr);
    let updated = read_file(&file).unwrap();
    assert_eq!(updated.header.root, recording.header.root);
    assert!(!updated.live.is_empty());
    assert!(
        !format!("{updated:?}").contains(KEY),
        "the key is in the recording"
    );
    let called = place.call(&["replay", text(&file), "--update"]);
    assert!(called.stderr.contains("nothing to update"), "{}", called.stderr);
    assert_eq!(n_posts(), [before[0], before[1] + 1, before[2]]);
}

#[test]
fn an_update_that_cannot_run_a_step_leaves_the_file_alone() {
    let (place, file) = recorded_research();
    let mut recording = read_file(&file).unwrap();
    change(&mut recording, "step_started", "question", "riddle");
    write_file(&recording, &file).unwrap();
    let before = std::fs::read(&file).unwrap();
    // No key.
    let called = place.world.call(&["replay", text(&file), "--update"]);
    assert_eq!(called.code, 3, "{}", called.stderr);
    assert!(
        called.stderr.contains("failed when it ran again") && called.stderr.contains("is unchanged"),
        "{}",
        called.stderr
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // A pipeline whose agent would need the files of its project.
    let world = World::new();
    let copy = world.path("pipeline.recording");
    std::fs::copy(pipeline_example(), &copy).unwrap();
    world.must(&["init"]);
    edit_auditor(&world);
    let workflow = [text(&copy), "--workflow", ".gemicro/workflow.yaml", "--update"];
    let called = world.call(&[&["replay"], &workflow[..]].concat());
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(called.stderr.contains("step audit"), "{}", called.stderr);
    assert!(
        called.stderr.contains("files that a recording does not contain"),
        "{}",
        called.stderr
    );
    world.must(&["test", text(&copy)]);
}

#[test]
fn an_end_that_is_missing_is_a_difference() {
    let (place, file) = recorded_research();
    let mut recording = read_file(&file).unwrap();
    recording.streams[0].events.pop();
    write_file(&recording, &file).unwrap();
    let called = place.world.call(&["replay", text(&file)]);
    assert_eq!(called.code, 8, "{}", called.stderr);
    assert!(
        called.stderr.contains("this program continues after it"),
        "{}",
        called.stderr
    );
}

#[test]
fn results_are_printed_as_tap_and_junit() {
    let (place, file) = recorded_research();
    let bad = place.world.path("bad.recording");
    std::fs::write(&bad, "no recording").unwrap();
    let tap = place
        .world
        .call(&["test", text(&file), text(&bad), "--format", "tap"]);
    assert_eq!(tap.code, 2, "{}", tap.stderr);
    assert!(
        tap.stdout.starts_with("TAP version 14\n1..2\nok 1 - "),
        "{}",
        tap.stdout
    );
    assert!(tap.stdout.contains("\nnot ok 2 - ") && tap.stdout.contains("kind: invalid_input"));
    let junit = place.world.call(&["test", text(&bad), "--format", "junit"]);
    assert!(
        junit.stdout.contains("tests=\"1\" failures=\"1\"")
            && junit.stdout.contains("is not a gemicro recording"),
        "{}",
        junit.stdout
    );
}

#[test]
fn a_moment_in_the_middle_is_shown() {
    let (place, file) = recorded_research();
    let called = place
        .world
        .must(&["replay", text(&file), "--until", "step_completed"]);
    assert!(
        called.stderr.contains("Replayed up to event"),
        "{}",
        called.stderr
    );
    let odd = place
        .world
        .call(&["replay", text(&file), "--until", "nothing_such"]);
    assert_eq!(odd.code, 2);
    assert!(odd.stderr.contains("no event nothing_such"), "{}", odd.stderr);
}

#[test]
fn a_failed_run_is_replayed_with_its_retries_and_its_failure() {
    let place = Simulated::new("  - { name: down, fault: { http: { status: 503 } } }\n");
    let file = place.world.path("failed.recording");
    let called = place.ask(&["--record", text(&file)]);
    assert_eq!(called.code, 4, "{}", called.stderr);
    let recording = read_file(&file).unwrap();
    let types: BTreeSet<&str> = recording.streams[0]
        .events
        .iter()
        .map(|event| event.update.event_type.as_str())
        .collect();
    assert!(
        types.contains("step_retrying") && types.contains("run_failed"),
        "{types:?}"
    );
    let replayed = place.world.must(&["replay", text(&file)]);
    assert!(replayed.stderr.contains(": as recorded."), "{}", replayed.stderr);
    // The waits between the attempts are not waited for.
    place.world.must(&["test", text(&file)]);
}

fn pipeline_example() -> PathBuf {
    let mut examples = examples().into_iter();
    examples
        .find(|path| path.ends_with("pipeline.recording"))
        .unwrap()
}

/// Changes the prompt of the auditor in the workflow of a folder.
fn edit_auditor(world: &World) {
    let prompt = world.path(".gemicro/prompts/auditor.md");
    let words = std::fs::read_to_string(&prompt).unwrap();
    std::fs::write(&prompt, format!("Be strict.\n{words}")).unwrap();
}

#[test]
fn an_edited_workflow_shows_the_prompt_that_it_changes() {
    let world = World::new();
    world.must(&["init"]);
    let example = pipeline_example();
    let arguments = ["test", text(&example), "--workflow", ".gemicro/workflow.yaml"];
    world.must(&arguments);
    edit_auditor(&world);
    let called = world.call(&arguments);
    assert_eq!(called.code, 8, "{}", called.stderr);
    assert!(called.stdout.contains("+ Be strict."), "{}", called.stdout);
    assert!(
        called.stdout.contains("step_started of step audit"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_run_that_has_not_ended_is_not_exported() {
    let place =
        Simulated::new("  - { name: held, reply: { text: Done., gate: { name: held, after_chunks: 0 } } }\n");
    let asked = place.start_asking(&[]);
    place.reached("held", 1);
    let file = place.world.path("early.recording");
    let called = place.call(&["export", "last", "--recording", text(&file)]);
    assert_eq!(called.code, 7, "{}", called.stderr);
    assert!(called.stderr.contains("has not ended"), "{}", called.stderr);
    assert!(!file.exists());
    asked.signal(rustix::process::Signal::KILL);
    asked.wait(&place.world);
}
