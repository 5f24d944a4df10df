//! The arguments, environment and streams of a process, so that a fake agent need not ask the system.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write};

/// The environment in which a script is performed.
pub struct ScriptStage {
    /// The arguments of the imitated CLI.
    pub arguments: Vec<String>,
    /// Environment variables, by name.
    pub environment: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: Box<dyn BufRead>,
    /// Standard output.
    pub stdout: Box<dyn Write>,
    /// Standard error.
    pub stderr: Box<dyn Write>,
    /// The command that starts this program as an agent. `child`, `fork` and `exec` run it again, followed by
    /// `--steps JSON -- ARGUMENTS`.
    pub myself: Vec<OsString>,
    pub(super) heard: String,
}

impl ScriptStage {
    /// Creates a stage from the inputs of a process.
    pub fn new(
        myself: Vec<OsString>,
        arguments: Vec<String>,
        environment: BTreeMap<String, String>,
        streams: (Box<dyn BufRead>, Box<dyn Write>, Box<dyn Write>),
    ) -> Self {
        let (stdin, stdout, stderr) = streams;
        Self {
            arguments,
            environment,
            stdin,
            stdout,
            stderr,
            myself,
            heard: String::new(),
        }
    }

    #[cfg(test)]
    pub(super) fn example(arguments: &[&str]) -> Self {
        let streams: (Box<dyn BufRead>, Box<dyn Write>, Box<dyn Write>) = (
            Box::new(std::io::empty()),
            Box::new(std::io::sink()),
            Box::new(std::io::sink()),
        );
        let arguments = arguments.iter().map(|argument| (*argument).to_owned());
        Self::new(Vec::new(), arguments.collect(), BTreeMap::new(), streams)
    }
}

impl std::fmt::Debug for ScriptStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage")
            .field("arguments", &self.arguments)
            .field("myself", &self.myself)
            .finish_non_exhaustive()
    }
}
