//! Recordings of conversations: their prompts are made again and compared.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use gemicro_recording::{read_file, write_file};

use crate::program::World;
use crate::recordings::{examples, text};
use crate::simulated::Simulated;

/// Prompts that were shortened, in a chat that was opened again.
#[test]
fn the_prompts_of_a_long_conversation_are_made_again() {
    let place = Simulated::new("  - { name: any, reply: { persona: helper } }\n");
    let file = place.world.path("chat.recording");
    let chat = |first: usize, more: &[&str]| {
        let lines = (first..first + 12)
            .map(|n| format!("Message {n}: rule {n} is never to use tabs in file a{n}.rs.\n"));
        let usual = [
            "chat",
            "--plain",
            "--no-resident",
            "--model",
            "api:gemini-3.5-flash",
            "--max-tokens",
            "900",
        ];
        let arguments = [&usual[..], more].concat();
        let called = place
            .world
            .finish(with_input(place.command(&arguments), &lines.collect::<String>()));
        assert_eq!(called.code, 0, "{}", called.stderr);
    };
    chat(1, &["--summariser", "none", "--record", text(&file)]);
    place.world.must(&["test", text(&file)]);
    let id = read_file(&file).unwrap().header.root;
    chat(
        13,
        &[id.as_str(), "--summariser", "none", "--record", text(&file)],
    );
    let recording = read_file(&file).unwrap();
    let compacted = recording.streams[0].events.iter();
    let compacted = compacted.filter(|event| event.update.event_type == "conversation_compacted");
    assert!(compacted.count() > 1);
    place.world.must(&["test", text(&file)]);
}

/// A command that reads this text.
fn with_input(mut command: Command, text: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn another_limit_of_a_conversation_is_seen_in_its_prompts() {
    let world = World::new();
    let mut examples = examples().into_iter();
    let example = examples.find(|path| path.ends_with("chat.recording")).unwrap();
    let mut recording = read_file(&example).unwrap();
    assert_eq!(recording.header.max_prompt_tokens, Some(16_000));
    recording.header.max_prompt_tokens = Some(600);
    let file = world.path("chat.recording");
    write_file(&recording, &file).unwrap();
    let called = world.call(&["replay", text(&file)]);
    assert_eq!(called.code, 8, "{}", called.stderr);
    assert!(called.stderr.contains("the prompt of turn"), "{}", called.stderr);
    assert!(
        called.stderr.contains("the replay of conversation"),
        "{}",
        called.stderr
    );
    let has = |mark: &str| called.stderr.lines().any(|line| line.starts_with(mark));
    assert!(has("- ") && has("+ "), "{}", called.stderr);
}
