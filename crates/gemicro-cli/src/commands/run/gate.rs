//! Human gates: a person approves or rejects before a phase begins. Silence, an empty line or an unknown word is
//! neither.

use futures_util::future::BoxFuture;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::LocalRunService;
use gemicro_engine::pipeline::flow::is_gate;
use gemicro_event::{Event, Json, StreamId};
use serde_json::json;

use crate::answer_source::{AnswerSource, FileQuestion, in_file, later};
use crate::approval::{at_keyboard, discard_early_input, read_line};
use crate::asker::Asker;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;
use crate::story::PipelineStory;

/// Asks whether a phase may begin.
pub(super) struct HumanGate {
    run: StreamId,
    deciding: AnswerSource,
    here: LocalRunService,
    story: Option<PipelineStory>,
    key: String,
    by: Option<String>,
}

impl HumanGate {
    pub(super) fn new(
        run: StreamId,
        deciding: AnswerSource,
        here: LocalRunService,
        by: Option<String>,
    ) -> Self {
        Self {
            run,
            deciding,
            here,
            by,
            story: None,
            key: String::new(),
        }
    }

    /// The question as the workflow words it; the log says before which phase.
    fn question(&self) -> String {
        let gate = self.story.as_ref().and_then(|story| story.gate(&self.key));
        match gate {
            Some(phase) => text::one_line(phase.human.as_deref().unwrap_or("May it begin?")),
            None => format!("May it continue ({})?", text::one_line(&self.key)),
        }
    }
}

impl Asker for HumanGate {
    fn event(&mut self, event: &Event) {
        let update = &event.update;
        if let Some(started) = update.as_run_started() {
            self.story = PipelineStory::of_plan(&started.plan);
        }
        if let Some(asked) = update.as_answer_requested() {
            self.key = asked.key;
        }
    }

    fn answers(&self, key: &str) -> bool {
        is_gate(key)
    }

    fn withdraw(&mut self) {
        if matches!(self.deciding, AnswerSource::Here) {
            output::say("");
        }
    }

    fn by(&self) -> Option<String> {
        self.by.clone()
    }

    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, CommandError>> {
        let question = self.question();
        if self.key.contains(":human.") {
            output::say("The last answer was neither yes nor no.");
        }
        match &self.deciding {
            AnswerSource::Here => {
                discard_early_input();
                output::say(&format!(
                    "{question} See the changes with: gemicro diff {}",
                    self.run
                ));
                Box::pin(at_keyboard(converse))
            }
            AnswerSource::File(path) => {
                output::say(&question);
                let question = FileQuestion {
                    path: path.clone(),
                    run: self.run.clone(),
                    key: self.key.clone(),
                    asked: "May it continue? Write \"yes\" or \"no\" as the decision and save this file."
                        .to_owned(),
                    about: format!(" {question}"),
                };
                Box::pin(in_file(question, |typed| yes_or_no(typed).map(answer)))
            }
            AnswerSource::Elsewhere => {
                let run = &self.run;
                output::say(&format!(
                    "{question}\nWaiting for the answer: gemicro answer {run} yes (or no)"
                ));
                Box::pin(std::future::pending())
            }
            AnswerSource::Later => {
                let run = self.run.clone();
                let words = format!(
                    "{question}\nThere is no terminal to ask on. Check the changes and answer in one of these ways, now or later:\n  \
                     gemicro diff {run}\n  \
                     gemicro answer {run} yes && gemicro resume {run}    # or no"
                );
                Box::pin(later(self.here.clone(), run, self.key.clone(), words))
            }
        }
    }
}

/// The meaning of a word; `None` if it is empty or unknown.
pub(crate) fn yes_or_no(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" | "approve" => Some(true),
        "n" | "no" | "false" | "reject" | "stop" => Some(false),
        _ => None,
    }
}

fn answer(approve: bool) -> Json {
    Json::from(json!({ "approve": approve }))
}

fn converse() -> Result<Option<Json>, CommandError> {
    loop {
        output::ask("yes or no: ");
        let Some(typed) = read_line()? else {
            return Ok(None);
        };
        match yes_or_no(&typed) {
            Some(approve) => return Ok(Some(answer(approve))),
            None if typed.trim().is_empty() => {}
            None => output::say(&format!(
                "`{}` is neither yes nor no.",
                text::cut(typed.trim(), 20)
            )),
        }
    }
}
