//! Properties of the terminals behind stdin, stdout and stderr.

use std::io::{IsTerminal, stderr, stdin, stdout};

use terminal_size::{Width, terminal_size_of};

use super::Paint;
use crate::environment::Environment;

/// Maximum width of a line: longer ones are hard to read.
const MAX_WIDTH: usize = 100;
/// The width of a terminal that does not report one.
const USUAL_WIDTH: usize = 80;
/// Minimum width; on narrower terminals lines wrap.
const MIN_WIDTH: usize = 20;

/// The terminals of this process.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    /// Stdout is a terminal.
    pub(crate) stdout_is_terminal: bool,
    /// Stderr is a terminal that can move its cursor.
    pub(crate) stderr_is_terminal: bool,
    /// Stdin is a terminal, so a person can be asked.
    pub(crate) stdin_is_terminal: bool,
    colour: bool,
    /// Width given by the environment.
    columns: Option<usize>,
}

impl Screen {
    pub(crate) fn of_process(environment: &Environment) -> Self {
        let is_dumb = environment.get("TERM") == Some("dumb");
        Self {
            stdout_is_terminal: stdout().is_terminal(),
            stderr_is_terminal: stderr().is_terminal() && !is_dumb,
            stdin_is_terminal: stdin().is_terminal(),
            colour: environment.get("NO_COLOR").is_none() && !is_dumb,
            columns: environment
                .get("COLUMNS")
                .and_then(|columns| columns.parse().ok()),
        }
    }

    /// The same screen without colours, for text that goes into a file.
    pub(crate) fn without_colour(&self) -> Self {
        Self {
            colour: false,
            ..self.clone()
        }
    }

    pub(crate) fn width(&self) -> usize {
        clamp_width(terminal_size_of(stdout()).map(|size| size.0), self.columns)
    }

    pub(crate) fn stderr_width(&self) -> usize {
        clamp_width(terminal_size_of(stderr()).map(|size| size.0), self.columns)
    }

    pub(crate) fn on_stdout(&self) -> Paint {
        Paint::new(self.colour && self.stdout_is_terminal)
    }

    pub(crate) fn on_stderr(&self) -> Paint {
        Paint::new(self.colour && self.stderr_is_terminal)
    }
}

fn clamp_width(terminal: Option<Width>, columns: Option<usize>) -> usize {
    let width = terminal
        .map(|Width(width)| usize::from(width))
        .filter(|width| *width > 0);
    width
        .or(columns)
        .unwrap_or(USUAL_WIDTH)
        .clamp(MIN_WIDTH, MAX_WIDTH)
}
