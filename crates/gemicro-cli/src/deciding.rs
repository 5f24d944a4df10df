//! Where a person decides what a run asks: at the keyboard, in a file, or elsewhere.
//!
//! [`Deciding`] says where; [`in_file`] asks in a file. What is asked, and what an answer means, is each command's own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use gemicro_event::Json;
use serde::Deserialize;

use crate::output;
use crate::screen::text;
use crate::session::Context;
use crate::trouble::Stopped;

/// Who decides at the human gates of a pipeline.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GateArgs {
    /// Answer the questions of human gates in this file: each is written there, and its answer awaited there
    #[arg(long, value_name = "FILE", help_heading = "Deciding")]
    pub(crate) decide: Option<PathBuf>,
    /// Without a terminal, wait at human gates until somebody answers, instead of suspending the run
    #[arg(long, conflicts_with = "decide", help_heading = "Deciding")]
    pub(crate) wait: bool,
}

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Where a person decides.
#[derive(Debug, Clone)]
pub(crate) enum Deciding {
    /// At the keyboard.
    Here,
    /// In a file.
    File(PathBuf),
    /// By `gemicro answer`, or over HTTP, while this process waits.
    Elsewhere,
    /// In the same ways, after this process has ended.
    Later,
}

impl Deciding {
    /// As the command line says.
    ///
    /// # Errors
    /// When the file is somebody else's, or cannot be written.
    pub(crate) fn asked(ctx: &Context, file: Option<&Path>) -> Result<Self, Stopped> {
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

    /// As the command line of a pipeline says, which waits only where somebody is known to answer.
    ///
    /// # Errors
    /// As for [`asked`](Self::asked).
    pub(crate) fn at_gates(ctx: &Context, args: &GateArgs) -> Result<Self, Stopped> {
        Ok(match Self::asked(ctx, args.decide.as_deref())? {
            Self::Elsewhere if !args.wait => Self::Later,
            deciding => deciding,
        })
    }

    /// Where nothing is said: at the keyboard, if there is one.
    pub(crate) fn usual(ctx: &Context) -> Self {
        match ctx.screen.stdin_is_terminal && ctx.screen.stderr_is_terminal {
            true => Self::Here,
            false => Self::Elsewhere,
        }
    }
}

/// A question as it stands in a file.
#[derive(Debug, Clone)]
pub(crate) struct FileQuestion {
    /// The file.
    pub(crate) path: PathBuf,
    /// What the run calls the question.
    pub(crate) key: String,
    /// What is asked, and how it is answered: one line.
    pub(crate) asked: String,
    /// What there is to know about it, as lines.
    pub(crate) about: String,
}

/// Writes a question into its file and waits until the `decision` there is one that `read` understands.
///
/// # Errors
/// When the file cannot be written.
pub(crate) async fn in_file(
    question: FileQuestion,
    read: impl Fn(&str) -> Option<Json> + Send,
) -> Result<Option<Json>, Stopped> {
    let FileQuestion {
        path,
        key,
        asked,
        about,
    } = question;
    let commented: String = about.lines().map(|line| format!("#{line}\n")).collect();
    let page =
        |before: &str| format!("# {before}{asked}\n{commented}question = \"{key}\"\ndecision = \"\"\n");
    output::replace(&path, page("").as_bytes())?;
    loop {
        tokio::time::sleep(LOOK).await;
        let Ok(written) = std::fs::read_to_string(&path) else {
            continue;
        };
        let typed = match toml::from_str::<Written>(&written) {
            Ok(written) if written.question == key => written.decision.text(),
            // Half a file, perhaps: whoever writes it may not be done.
            Ok(_) | Err(_) => continue,
        };
        match read(typed.trim()) {
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
    Switch(bool),
    Word(String),
}

impl Typed {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Switch(is_on) => is_on.to_string(),
            Self::Word(word) => word,
        }
    }
}
