//! Plays a capture through an adapter and writes down everything that comes of it, one JSON object per line.
//!
//! Lines are items, `{"wrote": …}` for what we sent to the process, and `{"judged": …}` for each end.

use std::collections::BTreeMap;

use gemicro_event::Failure;
use gemicro_runner::{
    AgentCli, AgentEnd, AgentItem, AgentPrompt, Dialogue, PermissionAnswer, PermissionId, ProcessEnd,
    ProcessExit, Session, TurnTranscript,
};
use serde_json::{Value, json};

use crate::requests::{ended, request};

/// A stream that a process printed and left.
pub(crate) fn one_shot(cli: &dyn AgentCli, exit: ProcessExit, stdout: &str, stderr: &str) -> Vec<Value> {
    let mut dialogue = cli.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    let mut items = dialogue.feed(stdout.as_bytes());
    items.extend(dialogue.finish());
    let transcript = TurnTranscript::of(&items);
    let judged = cli.judge(&ProcessEnd {
        stderr_tail: stderr,
        ..ended(exit, &transcript)
    });
    let mut lines: Vec<Value> = items.iter().map(|item| json!(item)).collect();
    lines.push(verdict(judged));
    lines
}

/// A conversation in both directions: what the recorded client did, ours is made to do.
pub(crate) fn conversation(cli: &dyn AgentCli, capture: &str) -> Vec<Value> {
    let messages: Vec<Value> = capture
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut prompts = messages.iter().filter_map(|message| prompt_text(&message["msg"]));
    let mut first = request(AgentPrompt::user(prompts.next().expect("a capture has a prompt")));
    if let Some(session) = messages
        .iter()
        .find_map(|message| loaded_session(&message["msg"]))
    {
        first.session = Session::Resume(session.parse().unwrap());
    }
    let mut player = Player {
        cli,
        dialogue: cli.dialogue(&first).unwrap(),
        n_prompts: 0,
        open: BTreeMap::new(),
        turn: TurnTranscript::default(),
        lines: Vec::new(),
    };
    player.note_writing();
    for message in &messages {
        let is_ours = message["dir"].as_str().unwrap().starts_with("client");
        if is_ours {
            player.client(&message["msg"]);
        } else {
            player.agent(&message["msg"]);
        }
        player.note_writing();
    }
    player.lines
}

struct Player<'a> {
    cli: &'a dyn AgentCli,
    dialogue: Dialogue,
    n_prompts: usize,
    open: BTreeMap<String, PermissionId>,
    turn: TurnTranscript,
    lines: Vec<Value>,
}

impl Player<'_> {
    fn note_writing(&mut self) {
        let input = String::from_utf8(self.dialogue.take_input()).unwrap();
        for line in input.lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            self.lines.push(json!({"wrote": message}));
        }
    }

    fn agent(&mut self, message: &Value) {
        let items = self.dialogue.feed(format!("{message}\n").as_bytes());
        for item in items {
            self.lines.push(json!(item));
            let is_end = matches!(item, AgentItem::Ended(_));
            if let AgentItem::Permission(request) = &item {
                self.open
                    .insert(request.id.as_str().to_owned(), request.id.clone());
            }
            self.turn.add(&item);
            if is_end {
                let judged = self.cli.judge(&ended(ProcessExit::Running, &self.turn));
                self.lines.push(verdict(judged));
                self.turn = self.turn.next_turn();
            }
        }
    }

    fn client(&mut self, message: &Value) {
        if let Some(text) = prompt_text(message) {
            self.n_prompts += 1;
            if self.n_prompts > 1 {
                self.dialogue.prompt(&AgentPrompt::user(text)).unwrap();
            }
        }
        if message.pointer("/request/subtype") == Some(&json!("interrupt")) {
            self.dialogue.cancel();
        }
        if let Some((id, answer)) = permission_answer(message)
            && let Some(id) = self.open.remove(&id)
        {
            assert!(self.dialogue.answer(&id, &answer));
        }
    }
}

fn prompt_text(message: &Value) -> Option<&str> {
    let is_acp = message["method"] == "session/prompt";
    let is_claude = message["type"] == "user" && message["session_id"] == "default";
    let text = if is_acp {
        &message["params"]["prompt"][0]["text"]
    } else {
        &message["message"]["content"][0]["text"]
    };
    text.as_str().filter(|_| is_acp || is_claude)
}

fn loaded_session(message: &Value) -> Option<&str> {
    let session = message["params"]["sessionId"].as_str();
    session.filter(|_| message["method"] == "session/load")
}

fn permission_answer(message: &Value) -> Option<(String, PermissionAnswer)> {
    let deny = |reason: &str| PermissionAnswer::Deny {
        reason: reason.to_owned(),
    };
    if let Some(outcome) = message.pointer("/result/outcome") {
        let answer = match outcome["optionId"].as_str() {
            Some("proceed_once") => PermissionAnswer::Allow,
            _ => deny("no"),
        };
        return Some((message["id"].to_string(), answer));
    }
    let response = message
        .get("response")
        .filter(|_| message["type"] == "control_response")?;
    let id = response["request_id"].as_str()?.to_owned();
    let answer = match response["response"]["behavior"].as_str()? {
        "allow" => PermissionAnswer::Allow,
        _ => deny(response["response"]["message"].as_str()?),
    };
    Some((id, answer))
}

fn verdict(judged: Result<AgentEnd, Failure>) -> Value {
    match judged {
        Ok(end) => json!({"judged": end}),
        Err(failure) => json!({"judged": {"failure": failure}}),
    }
}
