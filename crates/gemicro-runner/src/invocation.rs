//! Describes how a CLI is started. Nothing here starts it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The start of a CLI.
#[derive(Clone, PartialEq, Eq)]
pub struct Invocation {
    /// A path, or a name to look up in the `PATH` of `env`.
    pub program: PathBuf,
    /// Its arguments. They never contain a prompt.
    pub args: Vec<String>,
    /// Its complete environment; nothing else is inherited.
    pub env: BTreeMap<String, String>,
    /// Its standard input.
    pub stdin: CliInput,
    /// Files that must exist in its home directory before it starts, readable only by the user.
    pub files: Vec<SettingsFile>,
    /// The working directory that the process starts in.
    pub cwd: PathBuf,
}

/// The standard input of a CLI.
#[derive(Clone, PartialEq, Eq)]
pub enum CliInput {
    /// These bytes, then the end of input.
    Whole(Vec<u8>),
    /// Whatever its [`Dialogue`](crate::Dialogue) writes, until the input is closed.
    Open,
}

/// A file in a CLI's home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// Absolute path inside the home.
    pub path: PathBuf,
    /// The whole content of the file.
    pub text: String,
}

impl fmt::Debug for Invocation {
    /// Omits the prompt, file contents and environment values: they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("stdin", &self.stdin)
            .field(
                "files",
                &self.files.iter().map(|file| &file.path).collect::<Vec<_>>(),
            )
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl fmt::Debug for CliInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "Whole({} bytes)", bytes.len()),
            Self::Open => f.write_str("Open"),
        }
    }
}
