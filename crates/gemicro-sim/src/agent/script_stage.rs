//! Everything that a process has: what the agent is given instead of asking the system itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write};

/// Where a script is performed.
pub struct ScriptStage {
    /// The arguments that the impersonated CLI was started with.
    pub arguments: Vec<String>,
    /// Variables that are set, as name and value.
    pub environment: BTreeMap<String, String>,
    /// What the script reads as standard input.
    pub stdin: Box<dyn BufRead>,
    /// Where the script prints its standard output.
    pub stdout: Box<dyn Write>,
    /// Where the script prints its standard error.
    pub stderr: Box<dyn Write>,
    /// The command that starts this program as an agent: what `child`, `fork` and `exec` start again, followed by
    /// `--steps JSON -- ARGUMENTS`.
    pub myself: Vec<OsString>,
    pub(super) heard: String,
}

impl ScriptStage {
    /// A stage from what a process was given.
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
