//! One git command as data, and its output. Starts nothing; see `git`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

use gemicro_event::text;

use super::error::RepositoryError;

/// The folder in which a command runs.
#[derive(Debug, Clone, Copy)]
pub(super) enum CallPlace<'a> {
    /// In the repository itself; there is no work tree.
    Repository,
    /// In one of the user's own checkouts. Never in a folder that an agent can write.
    Checkout(&'a Path),
}

/// The standard input of a command.
#[derive(Debug)]
pub(super) enum Input {
    Nothing,
    Bytes(Vec<u8>),
    /// From the current position in the file.
    File(File),
}

/// How to handle output that is too long.
#[derive(Debug, Clone, Copy)]
pub(super) enum OutputBound {
    Refuse,
    Cut(usize),
}

/// Whether a command contacts a remote.
#[derive(Debug, Clone, Copy)]
pub(super) enum RemoteContact {
    None,
    /// A remote of the user, with the user's own credentials.
    Remote,
}

/// One command, as data.
#[derive(Debug)]
pub(super) struct GitCall<'a> {
    pub(super) at: CallPlace<'a>,
    pub(super) arguments: Vec<OsString>,
    /// Additional variables; their names begin with `GIT_`.
    pub(super) variables: Vec<(&'static str, OsString)>,
    /// Additional settings, which override all others.
    pub(super) settings: Vec<(String, String)>,
    pub(super) input: Input,
    pub(super) bound: OutputBound,
    pub(super) contact: RemoteContact,
}

impl<'a> GitCall<'a> {
    /// A command with only its arguments.
    pub(super) fn new(at: CallPlace<'a>, arguments: &[&str]) -> Self {
        Self {
            at,
            arguments: arguments.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            settings: Vec::new(),
            input: Input::Nothing,
            bound: OutputBound::Refuse,
            contact: RemoteContact::None,
        }
    }

    /// Makes git take every path among the arguments literally.
    pub(super) fn with_literal_paths(mut self) -> Self {
        self.variables.push(("GIT_LITERAL_PATHSPECS", "1".into()));
        self
    }

    pub(super) fn name(&self) -> String {
        let words = self.arguments.iter().map(|word| word.to_string_lossy());
        let is_word = |word: &std::borrow::Cow<'_, str>| !word.starts_with('-');
        words
            .into_iter()
            .find(is_word)
            .map_or_else(String::new, Into::into)
    }
}

/// The output of a command.
#[derive(Debug)]
pub(super) struct GitOutput {
    pub(super) command: String,
    pub(super) code: i32,
    pub(super) output: Vec<u8>,
    pub(super) is_cut: bool,
    pub(super) words: Vec<u8>,
}

impl GitOutput {
    /// The last line on stderr.
    pub(super) fn last_line(&self) -> String {
        last_line(&self.words)
    }

    /// Whether stderr contains this text.
    pub(super) fn says(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.words).contains(text)
    }

    /// The output as one trimmed string.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).trim_end().to_owned()
    }

    /// The error for this output.
    pub(super) fn failure(&self) -> RepositoryError {
        RepositoryError::Git {
            command: self.command.clone(),
            code: self.code,
            line: self.last_line(),
        }
    }
}

/// The last line of a program's output, without control characters.
pub(super) fn last_line(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("no error message").trim();
    text::plain(line, 500)
}

/// One path from git's output, byte for byte.
pub(super) fn path_of(output: &[u8]) -> Result<PathBuf, RepositoryError> {
    use std::os::unix::ffi::OsStrExt;

    let path = output.strip_suffix(b"\n").unwrap_or(output);
    let path = PathBuf::from(OsStr::from_bytes(path));
    if path.as_os_str().as_bytes().contains(&b'\n') {
        return Err(RepositoryError::UnusablePath { path });
    }
    Ok(path)
}
