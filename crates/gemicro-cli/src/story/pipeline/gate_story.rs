//! The gates at which a person was asked, and the answers.

use gemicro_event::{Json, Timestamp};
use serde::Serialize;

use crate::commands::run::yes_or_no;
use crate::screen::{numbers, text};

/// Maximum length of a person's name that is shown.
const MOST_NAME: usize = 40;

/// A question to a person before a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct GateStory {
    /// The run's key of the question.
    pub(crate) key: String,
    /// The phase that it precedes.
    pub(crate) phase: String,
    pub(crate) question: String,
    pub(crate) asked_at: Timestamp,
    /// The answer; `None` while the question is open.
    pub(crate) said: Option<String>,
    /// Who answered, if known.
    pub(crate) by: Option<String>,
    /// When it was taken; `None` while the answer is stored for a run that no process drives.
    pub(crate) said_at: Option<Timestamp>,
}

impl GateStory {
    /// Takes an answer into account; one without a time is stored for later.
    pub(crate) fn answer(&mut self, answer: &Json, by: Option<String>, at: Option<Timestamp>) {
        self.said = Some(answer_word(answer));
        self.by = by;
        self.said_at = at;
    }

    /// `before delivery: Shall it be delivered? yes (ada, taken at 2026-11-16 11:05:00 UTC)`; `None` while it is open.
    /// An answer given while no process drove the run is taken when it continues.
    pub(crate) fn words(&self) -> Option<String> {
        let said = self.said.as_ref()?;
        let when = match self.said_at {
            Some(at) => format!("taken at {} UTC", numbers::moment(at)),
            None => "saved until the run continues".to_owned(),
        };
        let who = self.by.as_deref().map(shown_name);
        let about: Vec<String> = who.into_iter().chain([when]).collect();
        Some(format!(
            "before {}: {} {said} ({})",
            self.phase,
            self.question,
            about.join(", ")
        ))
    }
}

/// The name of a person, made safe to show.
pub(crate) fn shown_name(name: &str) -> String {
    text::cut(name, MOST_NAME)
}

/// An answer as one word, if it is yes or no.
pub(crate) fn answer_word(answer: &Json) -> String {
    let word = answer.get("approve").unwrap_or(answer);
    let word = word.as_str().map_or_else(|| word.to_string(), str::to_owned);
    match yes_or_no(&word) {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => format!("`{}`, which is neither yes nor no", text::cut(&word, MOST_NAME)),
    }
}
