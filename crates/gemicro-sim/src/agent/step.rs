//! The steps of a script.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::signals::SignalName;
use super::text::AgentText;
use super::units::Pause;
use crate::scenario::Glob;

/// Steps, performed in order.
pub type ScriptSteps = Vec<ScriptStep>;

/// One step of a fake agent. In the file, a step is its name and its input: `- print: hello`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptStep {
    /// Prints a line on stdout.
    Print(AgentText),
    /// Prints a line on stderr.
    Stderr(AgentText),
    /// Prints text on stdout, without a line end.
    Write(AgentText),
    /// Prints bytes on stdout, given as hexadecimal digits with spaces, for output that is not UTF-8.
    Bytes(HexBytes),
    /// Prints the lines of a file, such as a recorded session, on stdout.
    Play(Play),
    /// Prints many bytes, or prints forever.
    Flood(Flood),
    /// Reads standard input, one line or all of it.
    Read(ReadStdin),
    /// Closes a standard stream; later output to it is lost.
    Close(Standard),
    /// Waits for a time before the next step.
    Sleep(Pause),
    /// Waits forever, silently.
    Hang(bool),
    /// Ignores signals from now on.
    Ignore(Vec<SignalName>),
    /// Sends itself a signal.
    Signal(SignalName),
    /// Exits silently with this code.
    Exit(u8),
    /// Runs a shell command and waits for it. It shares the agent's streams.
    Shell(AgentText),
    /// Starts a shell command without waiting for it. It keeps the agent's streams open.
    Background(AgentText),
    /// Creates or replaces a file.
    Create(FileText),
    /// Appends to a file.
    Append(FileText),
    /// Replaces text in a file; an error if the text does not occur.
    Replace(Replacement),
    /// Removes a file; an error if it does not exist.
    Remove(AgentText),
    /// Writes arguments, environment, folder, open descriptors and process ids to a file, as JSON.
    Report(AgentText),
    /// Sends HTTP requests, one after another.
    Http(Http),
    /// Starts this program again with other steps.
    Child(Child),
    /// Leaves a grandchild in its own session.
    Daemon(Daemon),
    /// Becomes the leader of a new session.
    Session(bool),
    /// Starts many idle children, by default without end.
    Fork(Fork),
    /// Replaces this process with a new instance of the program and other steps, under the same process id.
    Exec(ScriptSteps),
    /// Performs steps repeatedly.
    Repeat(Repeat),
    /// Performs steps if a condition is met.
    When(StepCondition),
}

/// Bytes given as hexadecimal digits.
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
            format!("`{text}` is not hexadecimal: expected two digits for each byte, such as \"ff 0a\"")
        })
    }
}

impl From<HexBytes> for String {
    fn from(bytes: HexBytes) -> Self {
        let digits: Vec<String> = bytes.0.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.join(" ")
    }
}

/// Prints the lines of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    /// The file; a relative path starts at the script.
    pub file: PathBuf,
    /// The first line to print, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<NonZeroUsize>,
    /// The last line to print.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<NonZeroUsize>,
    /// Wait before each line; `delays` takes precedence.
    #[serde(default)]
    pub delay: Pause,
    /// Waits before the first line, the second, and so on; later lines use `delay`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delays: Vec<Pause>,
    /// Replacements for text, such as ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replace: BTreeMap<String, AgentText>,
}

/// A large output, for tests of limits and slow readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    /// Total number of bytes, including line ends; endless by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Length of a line with its end; by default everything is one line without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<NonZeroUsize>,
    /// Whether it is not UTF-8.
    #[serde(default)]
    pub invalid_utf8: bool,
    /// The stream to write to.
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
    /// Input. It can only be closed or read.
    Stdin,
}

/// How far to read standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Up to the next line break.
    Line,
    /// Everything up to the end of the input.
    End,
}

/// Reads standard input. The text read is available as `{{stdin}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadStdin {
    /// How much to read.
    pub until: Until,
    /// A file in which to save the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save: Option<AgentText>,
}

/// A file and its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    /// Path, relative to the working folder.
    pub file: AgentText,
    /// Content of the file.
    pub text: AgentText,
}

/// A text replacement in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// Path, relative to the working folder.
    pub file: AgentText,
    /// The text to replace, which must occur in the file.
    pub old: AgentText,
    /// The replacement.
    pub new: AgentText,
}

/// HTTP requests, one after another, each on its own connection. Plain `http://` only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// The address, such as `{{env:ANTHROPIC_BASE_URL}}/v1/messages`.
    pub url: AgentText,
    /// The method; by default POST with a body and GET without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Headers to send, besides those that HTTP needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, AgentText>,
    /// Body of the request; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<AgentText>,
    /// Number of requests.
    #[serde(default = "once")]
    pub times: u64,
    /// Wait before each request except the first.
    #[serde(default)]
    pub delay: Pause,
    /// A file that gets one line per answer: `{"status":200,"body":"…"}` or `{"error":"…"}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save: Option<AgentText>,
    /// Exit code after an answer that is not 2xx; by default the script continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_unless_ok: Option<u8>,
}

fn once() -> u64 {
    1
}

/// What happens to a child's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildOutput {
    /// It is written to the agent's streams, and keeps them open.
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
    /// Whether the agent waits for it.
    #[serde(default)]
    pub wait: bool,
    /// What happens to its standard output.
    #[serde(default)]
    pub output: ChildOutput,
    /// A file for its process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_file: Option<AgentText>,
}

/// An orphaned process: forked twice, in its own session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Daemon {
    /// The steps that the daemon performs.
    pub steps: ScriptSteps,
    /// What happens to its standard output.
    #[serde(default)]
    pub output: ChildOutput,
    /// A file for its process id, written before the agent continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid_file: Option<AgentText>,
}

/// Children that only exist and do nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fork {
    /// Maximum number of children; unlimited by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// Whether each child starts as many again.
    pub grow: bool,
    /// A file for the number of started children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_file: Option<AgentText>,
}

/// Repeated steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// Number of repetitions; endless by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// The steps of one repetition.
    pub steps: ScriptSteps,
}

/// Conditional steps; all given conditions must be met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepCondition {
    /// Pattern for one of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<Glob>,
    /// An environment variable that must be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Pattern for the standard input read so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Glob>,
    /// A file that must exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<AgentText>,
    /// Steps if the conditions are met.
    pub steps: ScriptSteps,
    /// Steps otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: ScriptSteps,
}
