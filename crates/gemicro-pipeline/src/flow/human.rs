//! Gates that a person opens. A missing answer is never a yes.

use gemicro_core::run::RunState;
use gemicro_event::Json;
use serde::Deserialize;

use super::current_phase::CurrentPhase;
use super::decide::key;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HumanAnswer {
    Yes,
    No,
    /// No answer yet to the question with this key.
    Open(String),
}

/// Returns a person's answer about the next phase. If an answer is unclear, the question is asked again.
pub(super) fn read_human_answer(current: &CurrentPhase, run: &RunState) -> HumanAnswer {
    let mut asking = 1_u32;
    loop {
        let question = match asking {
            1 => key(current, "human"),
            n => key(current, &format!("human.{n}")),
        };
        match run.answers.get(&question) {
            None => return HumanAnswer::Open(question),
            Some(answer) => match gate_answer(answer) {
                Some(true) => return HumanAnswer::Yes,
                Some(false) => return HumanAnswer::No,
                None => asking += 1,
            },
        }
    }
}

/// Returns true if a question belongs to a gate.
#[must_use]
pub fn is_gate(question: &str) -> bool {
    let asked = question.rsplit_once(':').map(|(_, asked)| asked);
    asked.is_some_and(|asked| asked == "human" || asked.starts_with("human."))
}

/// Returns true if an answer is understood. A gate needs yes or no.
#[must_use]
pub fn means_something(question: &str, answer: &Json) -> bool {
    !is_gate(question) || gate_answer(answer).is_some()
}

/// Reads `true`, `"yes"`, `{"approve": true}` and their opposites.
pub(crate) fn gate_answer(answer: &Json) -> Option<bool> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ParsedAnswer {
        Plain(bool),
        Word(String),
        Object { approve: bool },
    }
    match answer.parse::<ParsedAnswer>().ok()? {
        ParsedAnswer::Plain(yes) | ParsedAnswer::Object { approve: yes } => Some(yes),
        ParsedAnswer::Word(word) => match word.trim().to_ascii_lowercase().as_str() {
            "yes" | "y" | "approve" => Some(true),
            "no" | "n" | "reject" | "stop" => Some(false),
            _ => None,
        },
    }
}
