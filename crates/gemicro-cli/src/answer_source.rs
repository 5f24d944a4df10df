//! How a person answers the questions of a run: at the keyboard, in a file, or elsewhere.
//!
//! [`AnswerSource`] is the choice; [`in_file`] asks in a file, [`later`] says how to answer later. The commands define
//! what is asked and what an answer means.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::LocalRunService;
use gemicro_event::{Json, StreamId};
use serde::Deserialize;

use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// Who decides what a run asks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GateArgs {
    /// Ask through this file: gemicro writes each question to it and waits for your answer there
    #[arg(long, value_name = "FILE", help_heading = "Deciding")]
    pub(crate) decide: Option<PathBuf>,
    /// Without a terminal, wait for an answer instead of suspending the run
    #[arg(long, conflicts_with = "decide", help_heading = "Deciding")]
    pub(crate) wait: bool,
}

/// Interval at which the file is read.
const LOOK: Duration = Duration::from_millis(500);
/// Interval at which gemicro checks whether a stored answer was taken.
const LOOK_FOR_KEPT: Duration = Duration::from_millis(20);

/// Where a person answers.
#[derive(Debug, Clone)]
pub(crate) enum AnswerSource {
    Here,
    File(PathBuf),
    /// With `gemicro answer`, or over HTTP, while this process waits.
    Elsewhere,
    /// In the same ways, after this process has ended.
    Later,
}

impl AnswerSource {
    /// Chooses by the command line, for a new run or one that continues. If no one can be asked here, it waits only if
    /// that was requested.
    ///
    /// # Errors
    /// When the file belongs to something else or to another run, or cannot be written.
    pub(crate) fn from_arguments(
        ctx: &Context,
        args: &GateArgs,
        run: Option<&StreamId>,
    ) -> Result<Self, CommandError> {
        let Some(file) = args.decide.as_deref() else {
            let has_keyboard = ctx.screen.stdin_is_terminal && ctx.screen.stderr_is_terminal;
            return Ok(match (has_keyboard, args.wait) {
                (true, _) => Self::Here,
                (false, true) => Self::Elsewhere,
                (false, false) => Self::Later,
            });
        };
        check(file, run)?;
        output::check_target(file)?;
        Ok(Self::File(file.to_owned()))
    }
}

/// Refuses a file that is not about this run: one decision must not answer two runs.
fn check(file: &Path, run: Option<&StreamId>) -> Result<(), CommandError> {
    let other = |what: &str| {
        CommandError::usage(
            format!("{} {what}", file.display()),
            "use a file that does not exist yet",
        )
    };
    // Reading a pipe would never end.
    match std::fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Ok(about) if !about.is_file() => return Err(other("is not a regular file")),
        Ok(_) | Err(_) => {}
    }
    let text = std::fs::read(file).map_err(|error| other(&format!("cannot be read: {error}")))?;
    if text.trim_ascii().is_empty() {
        return Ok(());
    }
    match toml::from_slice::<DecisionFile>(&text) {
        Ok(written) if Some(written.run.as_str()) == run.map(StreamId::as_str) => Ok(()),
        Ok(written) => Err(not_about(file, &written.run, run)),
        Err(_) => Err(other("does not contain a decision")),
    }
}

/// Whether a file already contains exactly this question.
fn asks(file: &Path, key: &str) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    toml::from_str::<DecisionFile>(&text).is_ok_and(|written| written.question == key)
}

fn not_about(file: &Path, named: &str, run: Option<&StreamId>) -> CommandError {
    let (file, named) = (file.display(), text::cut(&text::one_line(named), 40));
    let names = match named.is_empty() {
        true => "no run".to_owned(),
        false => format!("run {named}"),
    };
    match run {
        Some(run) => CommandError::usage(
            format!("the decision in {file} names {names}, but this is run {run}"),
            format!("use a file that does not exist yet: gemicro resume {run} --decide FILE"),
        ),
        None => CommandError::usage(
            format!("the decision in {file} names {names}, but each run needs its own file"),
            "use a file that does not exist yet, or delete this one",
        ),
    }
}

/// Says how to answer a question without a terminal, unless it is answered already.
///
/// # Errors
/// When the store fails.
pub(crate) async fn later(
    here: LocalRunService,
    run: StreamId,
    key: String,
    words: String,
) -> Result<Option<Json>, CommandError> {
    if is_answered(&here, &run, &key).await? {
        return std::future::pending().await;
    }
    let key = text::one_line(&key);
    output::say(&format!(
        "{words}\n  \
         gemicro resume {run} --decide decision.toml    # then write the decision into the file\n  \
         gemicro serve    # answer over HTTP with the key {key}, then: gemicro resume {run}"
    ));
    Ok(None)
}

/// Whether the question is answered. First waits until answers stored for this run are taken.
async fn is_answered(here: &LocalRunService, run: &StreamId, key: &str) -> Result<bool, CommandError> {
    let store = here.engine().store();
    while store
        .open_commands(run)
        .await?
        .iter()
        .any(|it| it.command_type == "answer")
    {
        tokio::time::sleep(LOOK_FOR_KEPT).await;
    }
    let events = store.read(run, 0, usize::MAX).await?.events;
    let given = events.iter().filter_map(|event| event.update.as_answer_given());
    Ok(given.into_iter().any(|given| given.key == key))
}

/// A question to be asked in a file.
#[derive(Debug, Clone)]
pub(crate) struct FileQuestion {
    pub(crate) path: PathBuf,
    /// The run that asks.
    pub(crate) run: StreamId,
    /// The run's key of the question.
    pub(crate) key: String,
    /// The question, and how to answer it: one line.
    pub(crate) asked: String,
    /// Background information, as lines.
    pub(crate) about: String,
}

/// Writes a question into its file, says what to fill in, and waits until `read` understands the `decision`.
///
/// # Errors
/// When the file is about another run, or cannot be written.
pub(crate) async fn in_file(
    question: FileQuestion,
    read: impl Fn(&str) -> Option<Json> + Send,
) -> Result<Option<Json>, CommandError> {
    let FileQuestion {
        path,
        run,
        key,
        asked,
        about,
    } = question;
    check(&path, Some(&run))?;
    let commented: String = about.lines().map(|line| format!("#{line}\n")).collect();
    let form = format!("run = \"{run}\"\nquestion = \"{key}\"\ndecision = \"\"\n");
    let page = |before: &str| format!("# {before}{asked}\n{commented}{form}");
    let shown: String = form.lines().map(|line| format!("\n  {line}")).collect();
    output::say(&format!(
        "Waiting for your decision in the file {}:{shown}",
        path.display()
    ));
    // An answer that was filled in while no process waited counts too.
    if !asks(&path, &key) {
        output::replace(&path, page("").as_bytes())?;
    }
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(written) = std::fs::read_to_string(&path) else {
            continue;
        };
        let typed = match toml::from_str::<DecisionFile>(&written) {
            Ok(written) if written.run != run.as_str() => {
                return Err(not_about(&path, &written.run, Some(&run)));
            }
            Ok(written) if written.question == key => written.decision.text(),
            // The file may be incomplete because it is still being written.
            Ok(_) | Err(_) => continue,
        };
        match read(typed.trim()) {
            Some(answer) => return Ok(Some(answer)),
            None if typed.trim().is_empty() => {}
            None => {
                let typed = text::cut(&text::one_line(&typed), 40);
                output::say(&format!(
                    "`{typed}` in {} is not a valid decision.",
                    path.display()
                ));
                output::replace(
                    &path,
                    page(&format!("`{typed}` is not a valid decision. ")).as_bytes(),
                )?;
            }
        }
    }
}

/// The content of the file.
#[derive(Deserialize)]
struct DecisionFile {
    #[serde(default)]
    run: String,
    question: String,
    decision: TypedAnswer,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TypedAnswer {
    Number(u64),
    Switch(bool),
    Word(String),
}

impl TypedAnswer {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Switch(is_on) => is_on.to_string(),
            Self::Word(word) => word,
        }
    }
}
