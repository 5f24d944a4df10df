//! `gemicro chat` in lines: the real program, the simulator as provider.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::simulated::Simulated;

/// Knows a word that was said, whether it remembers or was told.
pub(crate) const KNOWS: &str = "  - { name: told, when: { prompt_contains: ['which word', WALRUS] }, reply: { text: 'The word is WALRUS.' } }\n  \
     - { name: remembers, when: { prompt_contains: which word, history_contains: WALRUS }, reply: { text: 'The word is WALRUS.' } }\n  \
     - { name: held, when: { prompt_contains: a slow one }, reply: { text: Done., gate: { name: held, after_chunks: 0 } } }\n  \
     - { name: answers, reply: { text: 'An honest answer.' } }\n";

/// A chat under way, in lines of JSON.
pub(crate) struct Chat {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) lines: BufReader<ChildStdout>,
    pub(crate) id: String,
}

impl Chat {
    pub(crate) fn open(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut chat = Self {
            input: child.stdin.take(),
            lines: BufReader::new(child.stdout.take().unwrap()),
            child,
            id: String::new(),
        };
        let opened = chat.until(&["opened"]).pop().unwrap();
        chat.id = opened["conversation"].as_str().unwrap().to_owned();
        chat
    }

    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// News up to the first of these types.
    pub(crate) fn until(&mut self, types: &[&str]) -> Vec<Value> {
        let mut news: Vec<Value> = Vec::new();
        loop {
            let mut line = String::new();
            let n_bytes = self.lines.read_line(&mut line).unwrap();
            assert!(n_bytes > 0, "no {types:?} after {news:?}");
            news.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
            let last = &news[news.len() - 1];
            if types.iter().any(|wanted| last["type"] == *wanted) {
                return news;
            }
        }
    }

    /// Says something; the news up to its end.
    pub(crate) fn say(&mut self, text: &str) -> Vec<Value> {
        self.write(text);
        self.until(&["answered", "failed", "refused"])
    }

    pub(crate) fn answer(&mut self, text: &str) -> String {
        let news = self.say(text);
        let last = &news[news.len() - 1];
        assert_eq!(last["type"], "answered", "{text}: {news:?}");
        last["text"].as_str().unwrap().to_owned()
    }

    /// Closes the input and waits for the end.
    pub(crate) fn end(mut self) -> i32 {
        self.input = None;
        self.until(&["closed"]);
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn asked(news: &[Value]) -> &str {
    let asked = news.iter().find(|item| item["type"] == "asked").unwrap();
    asked["transport"].as_str().unwrap()
}

/// A chat over the API.
fn over_api(simulated: &Simulated, more: &[&str]) -> Command {
    let mut arguments = vec!["chat", "--plain", "--format", "json", "--summariser", "none"];
    arguments.extend(more);
    simulated.command(&arguments)
}

/// The types of a conversation's events.
pub(crate) fn events(simulated: &Simulated, id: &str) -> Vec<String> {
    let called = simulated.call(&["events", id, "--format", "jsonl"]);
    let lines = called.stdout.lines();
    lines
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event_type"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_chat_whose_state_folder_was_deleted_ends_with_the_next_turn() {
    let simulated = Simulated::new(KNOWS);
    let mut chat = Chat::open(over_api(&simulated, &["--model", "api:gemini-3.5-flash"]));
    assert_eq!(chat.answer("Is anybody there?"), "An honest answer.");
    let home = simulated.world.path("home");
    std::fs::remove_dir_all(&home).unwrap();
    let news = chat.say("Are you still there?");
    let last = &news[news.len() - 1];
    assert_eq!(last["type"], "failed", "{news:?}");
    let said = last.to_string();
    assert!(
        said.contains("was deleted or replaced") && said.contains(&home.display().to_string()),
        "{said}"
    );
    assert!(
        !news.iter().any(|item| item["type"] == "asked"),
        "nothing was sent: {news:?}"
    );
    assert_eq!(chat.end(), 3);
    assert!(!home.join("gemicro.db").exists(), "no new store was made");
}

#[test]
fn a_pipe_holds_a_conversation_and_the_next_continues() {
    let simulated = Simulated::new(KNOWS);
    let mut chat = Chat::open(over_api(&simulated, &["--model", "api:gemini-3.5-flash"]));
    assert_eq!(asked(&chat.say("Remember the word WALRUS.")), "native");
    assert_eq!(chat.answer("Tell me which word it was."), "The word is WALRUS.");
    let id = chat.id.clone();
    assert_eq!(chat.end(), 0);

    // Plain lines: answers alone on stdout.
    let mut command = simulated.command(&["chat", "last", "--summariser", "none"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"And which word\\\nwas it?\n")
        .unwrap();
    let called = simulated.world.finish(child.wait_with_output().unwrap());
    assert_eq!(
        (called.code, called.stdout.as_str()),
        (0, "The word is WALRUS.\n"),
        "{}",
        called.stderr
    );

    let shown = simulated.call(&["conversations", "show", &id]);
    assert!(shown.stdout.contains("And which word"), "{}", shown.stdout);
    let runs = simulated.call(&["runs", "--format", "json"]);
    let runs: Vec<Value> = serde_json::from_str(&runs.stdout).unwrap();
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["parent_run"] == *id), "{runs:?}");
    // A turn is a run like every other.
    let story = simulated.call(&["show", "last"]);
    assert!(story.stdout.contains("The word is WALRUS."), "{}", story.stdout);
}

#[test]
fn a_turn_that_was_cut_off_is_settled_by_the_next_chat() {
    let simulated = Simulated::new(KNOWS);
    let mut chat = Chat::open(over_api(&simulated, &["--model", "api:gemini-3.5-flash"]));
    chat.answer("Remember the word WALRUS.");
    chat.write("a slow one");
    chat.until(&["asked"]);
    simulated.reached("held", 1);
    let id = chat.id.clone();
    drop(chat);
    let mut again = Chat::open(over_api(&simulated, &[&id]));
    // Said before the earlier turn is settled: it waits.
    let news = again.say("which word?");
    assert!(news.iter().any(|item| item["type"] == "stopped"), "{news:?}");
    assert_eq!(news[news.len() - 1]["text"], "The word is WALRUS.");
    assert_eq!(again.end(), 0);
    let types = events(&simulated, &id);
    assert_eq!(types.iter().filter(|it| *it == "turn_asked").count(), 3);
    assert_eq!(types.iter().filter(|it| *it == "turn_answered").count(), 2);
}

#[test]
fn bad_input_is_reported_and_harms_nothing() {
    let simulated = Simulated::new(KNOWS);
    for (arguments, code, part) in [
        (&["chat", "0000abcd"][..], 2, "no conversation"),
        (&["chat", "last"], 2, "there is no conversation yet"),
        (&["chat", "--model", "nobody"], 2, "no agent has a model"),
        (&["chat", "--model", "openai:x"], 3, "OPENAI_BASE_URL"),
        (&["chat", "--summariser", "claude"], 2, "cannot write summaries"),
        (&["chat", "--max-tokens", "3"], 2, "not a number from"),
        (&["chat", "--fork"], 2, "CONVERSATION"),
    ] {
        let called = simulated.call(arguments);
        assert_eq!(called.code, code, "{arguments:?}: {}", called.stderr);
        assert!(called.stderr.contains(part), "{arguments:?}: {}", called.stderr);
    }
    let mut chat = Chat::open(over_api(&simulated, &["--model", "api:gemini-3.5-flash"]));
    chat.answer("hello \u{1b}[31mred\u{202e}");
    let id = chat.id.clone();
    // The second chat on it is told, and can work on a copy.
    let held = simulated.call(&["chat", &id, "--plain"]);
    assert_eq!(held.code, 7, "{}", held.stderr);
    assert!(held.stderr.contains("--fork"), "{}", held.stderr);
    let mut copy = Chat::open(over_api(&simulated, &[&id, "--fork"]));
    assert_ne!(copy.id, id);
    copy.answer("hello again");
    assert_eq!(copy.end(), 0);
    let refused = chat.say(&"x ".repeat(600_000));
    assert_eq!(refused[refused.len() - 1]["type"], "refused");
    assert_eq!(chat.end(), 2);
}
