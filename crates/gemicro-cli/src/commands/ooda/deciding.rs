//! A person's decision about the next gap: at the keyboard, in a file, or elsewhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::flow::Flow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::ooda::{OodaFlow, OodaState, RankedGap};
use gemicro_event::{Event, Json, StreamId};
use serde::Deserialize;
use serde_json::json;

use crate::approval::{at_keyboard, read_line};
use crate::asking::Asker;
use crate::output;
use crate::screen::text;
use crate::session::Context;
use crate::trouble::Stopped;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Where a person decides.
#[derive(Debug, Clone)]
pub(super) enum Deciding {
    /// At the keyboard.
    Here,
    /// In a file.
    File(PathBuf),
    /// By `gemicro answer`, or over HTTP.
    Elsewhere,
}

impl Deciding {
    /// As the command line says.
    ///
    /// # Errors
    /// When the file is somebody else's, or cannot be written.
    pub(super) fn asked(ctx: &Context, file: Option<&Path>) -> Result<Self, Stopped> {
        let Some(file) = file else {
            return Ok(Self::usual(ctx));
        };
        output::check_target(file)?;
        let is_ours = |text: &str| toml::from_str::<Written>(text).is_ok();
        match std::fs::read_to_string(file) {
            Ok(text) if !text.trim().is_empty() && !is_ours(&text) => Err(Stopped::usage(
                format!("{} holds something else than a decision", file.display()),
                "name a file that does not exist yet",
            )),
            Ok(_) | Err(_) => Ok(Self::File(file.to_owned())),
        }
    }

    /// Where nothing is said: at the keyboard, if there is one.
    pub(super) fn usual(ctx: &Context) -> Self {
        match ctx.screen.stdin_is_terminal && ctx.screen.stderr_is_terminal {
            true => Self::Here,
            false => Self::Elsewhere,
        }
    }
}

/// Asks which gap is next.
pub(super) struct GapAsker {
    run: StreamId,
    deciding: Deciding,
    /// The loop as it decides itself: its list is the one that is asked about.
    state: Option<OodaState>,
    key: String,
}

impl GapAsker {
    pub(super) fn new(run: StreamId, deciding: Deciding) -> Self {
        Self {
            run,
            deciding,
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
        if matches!(self.deciding, Deciding::Here) {
            output::say("");
        }
    }

    fn ask(&mut self) -> BoxFuture<'static, Result<Option<Json>, Stopped>> {
        let (question, n_gaps) = (self.question(), self.open().len());
        if self.key.contains('.') {
            output::say("The last answer was none of the choices.");
        }
        match &self.deciding {
            Deciding::Here => {
                output::say(&format!("Which gap is next?\n{}", question.trim_end()));
                Box::pin(at_keyboard(move || converse(n_gaps)))
            }
            Deciding::File(path) => {
                output::say(&format!("Waiting for a decision in {} …", path.display()));
                Box::pin(in_file(path.clone(), self.key.clone(), question, n_gaps))
            }
            Deciding::Elsewhere => {
                output::say(&format!(
                    "Which gap is next?\n{}Waiting for the answer: gemicro answer {} 1 (or stop)",
                    question, self.run
                ));
                Box::pin(std::future::pending())
            }
        }
    }
}

fn converse(n_gaps: usize) -> Result<Option<Json>, Stopped> {
    loop {
        output::ask(&format!("A number from 1 to {n_gaps}, or s to stop: "));
        let Some(typed) = read_line()? else {
            return Ok(None);
        };
        match choice(typed.trim(), n_gaps) {
            Some(answer) => return Ok(Some(answer)),
            None if typed.trim().is_empty() => {}
            None => output::say(&format!("`{}` is neither.", text::cut(typed.trim(), 20))),
        }
    }
}

/// Writes the question into a file and waits until its `decision` is filled in.
async fn in_file(
    path: PathBuf,
    key: String,
    question: String,
    n_gaps: usize,
) -> Result<Option<Json>, Stopped> {
    let commented: String = question.lines().map(|line| format!("#{line}\n")).collect();
    let page = |about: &str| {
        format!(
            "# {about}Which gap is next? Write its number, or \"stop\", as the decision and save this file.\n\
             {commented}question = \"{key}\"\ndecision = \"\"\n"
        )
    };
    output::replace(&path, page("").as_bytes())?;
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(written) = std::fs::read_to_string(&path) else {
            continue;
        };
        let typed = match toml::from_str::<Written>(&written) {
            Ok(read) if read.question == key => read.decision.text(),
            // Half a file, perhaps: whoever writes it may not be done.
            Ok(_) | Err(_) => continue,
        };
        match choice(typed.trim(), n_gaps) {
            Some(answer) => return Ok(Some(answer)),
            None if typed.trim().is_empty() => {}
            None => {
                let typed = text::cut(&text::one_line(&typed), 40);
                output::say(&format!("`{typed}` in {} is no decision.", path.display()));
                output::replace(&path, page(&format!("`{typed}` is no decision. ")).as_bytes())?;
            }
        }
    }
}

/// What stands in the file.
#[derive(Deserialize)]
struct Written {
    question: String,
    decision: Typed,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Typed {
    Number(u64),
    Word(String),
}

impl Typed {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Word(word) => word,
        }
    }
}

/// A choice in the form the run understands; an empty one is none.
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
