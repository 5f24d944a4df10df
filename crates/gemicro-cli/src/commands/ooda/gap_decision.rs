//! Asks a person about the next gap; [`crate::answer_source`] decides where.

use std::fmt::Write;

use futures_util::future::BoxFuture;
use gemicro_core::flow::Flow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::LocalRunService;
use gemicro_engine::ooda::{OodaFlow, OodaState, RankedGap};
use gemicro_event::{Event, Json, StreamId};
use serde_json::json;

use crate::answer_source::{AnswerSource, FileQuestion, in_file, later};
use crate::approval::{at_keyboard, discard_early_input, read_line};
use crate::asker::Asker;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;

/// Asks which gap is next.
pub(super) struct GapAsker {
    run: StreamId,
    deciding: AnswerSource,
    here: LocalRunService,
    /// The state of the loop, which has the list of gaps to choose from.
    state: Option<OodaState>,
    key: String,
}

impl GapAsker {
    pub(super) fn new(run: StreamId, deciding: AnswerSource, here: LocalRunService) -> Self {
        Self {
            run,
            deciding,
            here,
            state: None,
            key: String::new(),
        }
    }

    /// The gaps that can be chosen.
    fn open(&self) -> Vec<&RankedGap> {
        self.state.as_ref().map(OodaState::open_gaps).unwrap_or_default()
    }

    fn question(&self) -> String {
        let mut question = String::new();
        for (idx, it) in self.open().iter().enumerate() {
            let _ = writeln!(
                question,
                "  {}. {}: {}",
                idx + 1,
                text::one_line(&it.gap.name()),
                text::one_line(&it.reasons.join("; "))
            );
        }
        question
    }
}

impl Asker for GapAsker {
    fn event(&mut self, event: &Event) {
        let update = &event.update;
        if let Some(started) = update.as_run_started() {
            self.state = OodaFlow.start(&started.plan).ok();
        }
        if let Some(state) = &mut self.state {
            OodaFlow.fold(state, event);
        }
        if let Some(asked) = update.as_answer_requested() {
            self.key = asked.key;
        }
    }

    fn answers(&self, key: &str) -> bool {
        key.starts_with("decide:")
    }

    fn withdraw(&mut self) {
        if matches!(self.deciding, AnswerSource::Here) {
            output::say("");
        }
    }

    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, CommandError>> {
        let (question, n_gaps) = (self.question(), self.open().len());
        if self.key.contains('.') {
            output::say("The last answer was not one of the choices.");
        }
        match &self.deciding {
            AnswerSource::Here => {
                discard_early_input();
                output::say(&format!("Which gap is next?\n{}", question.trim_end()));
                Box::pin(at_keyboard(move || converse(n_gaps)))
            }
            AnswerSource::File(path) => {
                let question = FileQuestion {
                    path: path.clone(),
                    run: self.run.clone(),
                    key: self.key.clone(),
                    asked: "Which gap is next? Write its number, or \"stop\", as the decision and save this file."
                        .to_owned(),
                    about: question,
                };
                Box::pin(in_file(question, move |typed| choice(typed, n_gaps)))
            }
            AnswerSource::Later => {
                let run = self.run.clone();
                let words = format!(
                    "Which gap is next?\n{question}There is no terminal to ask on. Answer in one of these ways, now or later:\n  \
                     gemicro answer {run} 1 && gemicro resume {run}    # or another number, or stop"
                );
                Box::pin(later(self.here.clone(), run, self.key.clone(), words))
            }
            AnswerSource::Elsewhere => {
                output::say(&format!(
                    "Which gap is next?\n{}Waiting for the answer: gemicro answer {} 1 (or stop)",
                    question, self.run
                ));
                Box::pin(std::future::pending())
            }
        }
    }
}

fn converse(n_gaps: usize) -> Result<Option<Json>, CommandError> {
    loop {
        output::ask(&format!("A number from 1 to {n_gaps}, or s to stop: "));
        let Some(typed) = read_line()? else {
            return Ok(None);
        };
        match choice(typed.trim(), n_gaps) {
            Some(answer) => return Ok(Some(answer)),
            None if typed.trim().is_empty() => {}
            None => output::say(&format!("`{}` is not valid.", text::cut(typed.trim(), 20))),
        }
    }
}

/// A choice in the form that the run understands; `None` if it is neither a gap nor `stop`.
fn choice(typed: &str, n_gaps: usize) -> Option<Json> {
    match typed {
        "s" | "stop" => Some(Json::from(json!({ "stop": true }))),
        number => {
            let number: usize = number.parse().ok()?;
            (1..=n_gaps)
                .contains(&number)
                .then(|| Json::from(json!({ "gap": number })))
        }
    }
}
