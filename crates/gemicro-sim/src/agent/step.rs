//! The steps of a script.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::signals::SignalName;
use super::text::AgentText;
use super::units::Pause;
use crate::scenario::Glob;

/// Steps, one after the other.
pub type ScriptSteps = Vec<ScriptStep>;

/// One thing that a fake agent does. In the file, a step is its name and what it needs: `- print: hello`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptStep {
    /// Prints a line on stdout.
    Print(AgentText),
    /// Prints a line on stderr.
    Stderr(AgentText),
    /// Prints a text on stdout as it is, without a line end.
    Write(AgentText),
    /// Prints bytes on stdout, written as hexadecimal digits with blanks: what is not UTF-8.
    Bytes(HexBytes),
    /// Prints the lines of a file on stdout: a recorded session.
    Play(Play),
    /// Prints many bytes, or prints without end.
    Flood(Flood),
    /// Reads standard input, one line or all of it.
    Read(ReadStdin),
    /// Closes a standard stream; what is printed there later is lost.
    Close(Standard),
    /// Waits for a time before the next step.
    Sleep(Pause),
    /// Waits for ever, silent.
    Hang(bool),
    /// Ignores signals from now on.
    Ignore(Vec<SignalName>),
    /// Sends itself a signal.
    Signal(SignalName),
    /// Ends with this code, and says nothing.
    Exit(u8),
    /// Runs a shell command and waits for it. Its streams are the agent's.
    Shell(AgentText),
    /// Starts a shell command and does not wait for it. It holds the agent's streams open.
    Background(AgentText),
    /// Makes or replaces a file.
    Create(FileText),
    /// Adds to the end of a file.
    Append(FileText),
    /// Replaces a text in a file; an error when it is not there.
    Replace(Replacement),
    /// Removes a file; an error when it is not there.
    Remove(AgentText),
    /// Writes arguments, environment, folder, open descriptors and process ids to a file, as JSON.
    Report(AgentText),
    /// Makes HTTP requests, one after another.
    Http(Http),
    /// Starts this program again, performing other steps.
    Child(Child),
    /// Leaves a grandchild of its own session behind.
    Daemon(Daemon),
    /// Becomes the leader of a session of its own.
    Session(bool),
    /// Starts children until it cannot.
    Fork(Fork),
    /// Becomes this program anew, performing other steps under the same process id.
    Exec(ScriptSteps),
    /// Performs steps again and again.
    Repeat(Repeat),
    /// Performs steps if something is so.
    When(StepCondition),
}

/// Bytes written as hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HexBytes(pub Vec<u8>);

impl TryFrom<String> for HexBytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let bytes = text
            .split_whitespace()
            .map(|digits| u8::from_str_radix(digits, 16));
        let bytes: Result<Vec<u8>, _> = bytes.collect();
        bytes.map(Self).map_err(|_| {
            format!("`{text}` are no bytes: expected two hexadecimal digits each, such as \"ff 0a\"")
        })
    }
}

impl From<HexBytes> for String {
    fn from(bytes: HexBytes) -> Self {
        let digits: Vec<String> = bytes.0.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.join(" ")
    }
}

/// The lines of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The file; a relative path starts at the script.
    pub file: PathBuf,
    /// The first line to print, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<NonZeroUsize>,
    /// The last line to print.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<NonZeroUsize>,
    /// Wait before each line; `delays` takes precedence.
    #[serde(default)]
    pub delay: Pause,
    /// Before the first line, the second, …; later ones take `delay`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<Pause>,
    /// Texts to put in the place of others, such as ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replace: BTreeMap<String, AgentText>,
}

/// Much output: for tests of limits and of slow readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    /// How much in all, line ends included; without it there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The length of a line with its end; without it all is one line without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<NonZeroUsize>,
    /// Whether it is not UTF-8.
    #[serde(default)]
    pub invalid_utf8: bool,
    /// The stream that is written to.
    #[serde(default)]
    pub to: Standard,
}

/// One of the three standard streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standard {
    /// Output, the default stream.
    #[default]
    Stdout,
    /// Diagnostics and error messages.
    Stderr,
    /// Can only be closed or read.
    Stdin,
}

/// How far standard input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Up to the next line break.
    Line,
    /// Everything up to the end of the input.
    End,
}

/// Reading standard input. What was read is the field `{{stdin}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadStdin {
    /// How much is read.
    pub until: Until,
    /// A file for what was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save: Option<AgentText>,
}

/// A file and a text for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// Path, relative to the working folder.
    pub file: AgentText,
    /// The content that the file gets.
    pub text: AgentText,
}

/// A change in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// Path, relative to the working folder.
    pub file: AgentText,
    /// The text to replace, which must occur in the file.
    pub old: AgentText,
    /// What is to stand there.
    pub new: AgentText,
}

/// HTTP requests in a row, each on a connection of its own. Plain `http://` only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// Where to, such as `{{env:ANTHROPIC_BASE_URL}}/v1/messages`.
    pub url: AgentText,
    /// POST with a body and GET without, unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Headers to send, besides those that HTTP needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, AgentText>,
    /// Body of the request; none without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<AgentText>,
    /// How many requests are made.
    #[serde(default = "once")]
    pub times: u64,
    /// Before each but the first.
    #[serde(default)]
    pub delay: Pause,
    /// A file that gets one line per answer: `{"status":200,"body":"…"}` or `{"error":"…"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save: Option<AgentText>,
    /// The exit code for an answer that is not 2xx; without it the script goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_unless_ok: Option<u8>,
}

fn once() -> u64 {
    1
}

/// What becomes of a child's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildOutput {
    /// It goes where the agent's goes, and keeps that open.
    Inherit,
    /// It is discarded, as if written to `/dev/null`.
    #[default]
    Drop,
}

/// A process that performs other steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Child {
    /// The steps that the child performs.
    pub steps: ScriptSteps,
    /// Whether the agent waits for its end.
    #[serde(default)]
    pub wait: bool,
    /// What becomes of its standard output.
    #[serde(default)]
    pub output: ChildOutput,
    /// A file for its process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_file: Option<AgentText>,
}

/// A process that belongs to nobody: forked twice, with a session of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Daemon {
    /// The steps that the daemon performs.
    pub steps: ScriptSteps,
    /// What becomes of its standard output.
    #[serde(default)]
    pub output: ChildOutput,
    /// A file for its process id, written before the agent goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_file: Option<AgentText>,
}

/// Children that do nothing but be there.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fork {
    /// How many; without it there is no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Whether each child starts as many again.
    pub grow: bool,
    /// A file for how many could be started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_file: Option<AgentText>,
}

/// Steps again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How many times; without it there is no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// The steps of one repetition.
    pub steps: ScriptSteps,
}

/// Steps under conditions; all that are given must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepCondition {
    /// Pattern for one of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<Glob>,
    /// A variable that must be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Pattern for what was read from standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Glob>,
    /// A file that must be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<AgentText>,
    /// What is done if so.
    pub steps: ScriptSteps,
    /// What is done otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: ScriptSteps,
}
