//! The dialogue with one CLI process: parses its output into items and produces its input. No I/O here.
//!
//! # Theory of operation
//!
//! The supervisor starts the process. Then, in a loop, it writes [`Dialogue::take_input`] to its standard input and
//! passes its output to [`Dialogue::feed`], in chunks of any size. At [`AgentItem::Ended`] the turn is over: judge it,
//! then either send the next prompt or close the input. Memory is limited to one line of `max_line` bytes.

use std::fmt;

use gemicro_event::{ErrorKind, Failure};

use crate::item::AgentItem;
use crate::lines::{LineSplitter, StreamLine};
use crate::output::{AdapterEvents, AdapterOutput};
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::AgentPrompt;
use crate::protocol::{Cancel, LineText, Protocol};

/// Maximum length of a line. A tool result or a complete answer is one line.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The dialogue with one process.
pub struct Dialogue {
    splitter: LineSplitter,
    protocol: Box<dyn Protocol>,
    out: AdapterOutput,
}

impl Dialogue {
    pub(crate) fn new(mut protocol: Box<dyn Protocol>) -> Self {
        let mut out = AdapterOutput::default();
        protocol.open(&mut out);
        Self {
            splitter: LineSplitter::new(MAX_LINE_BYTES),
            protocol,
            out,
        }
    }

    /// Sets another limit for a line. Call it before anything is read.
    #[must_use]
    pub fn with_max_line(self, max_line: usize) -> Self {
        Self {
            splitter: LineSplitter::new(max_line),
            ..self
        }
    }

    /// Processes the next bytes of standard output.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<AgentItem> {
        let Self {
            splitter,
            protocol,
            out,
        } = self;
        splitter.push(bytes, |line| read_line(protocol.as_mut(), line, out));
        self.out.take_items()
    }

    /// Handles the end of standard output.
    pub fn finish(&mut self) -> Vec<AgentItem> {
        let Self {
            splitter,
            protocol,
            out,
        } = self;
        splitter.finish(|line| read_line(protocol.as_mut(), line, out));
        self.out.take_items()
    }

    /// Returns the bytes to write to standard input.
    pub fn take_input(&mut self) -> Vec<u8> {
        self.out.take_input()
    }

    /// Sends the next prompt to a long-running process, as soon as the process is ready for it.
    ///
    /// # Errors
    /// `invalid_input` for an invalid prompt, or a CLI that takes only one prompt; `conflict` while a turn is running.
    pub fn prompt(&mut self, prompt: &AgentPrompt) -> Result<(), Failure> {
        let said = self.protocol.prompt(prompt, &mut self.out).unwrap_or_else(|| {
            Err(Failure::new(
                ErrorKind::InvalidInput,
                "this CLI takes one prompt per process",
            ))
        });
        if said.is_ok() {
            self.out.begin_turn();
        }
        said
    }

    /// Whether the next prompt would be sent at once.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.protocol.is_ready()
    }

    /// Whether only session names and notices arrived since the last prompt: no text, no tool call, no unknown line.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.out.take_events() == AdapterEvents::Nothing
    }

    /// Whether output that belongs to a turn, or is not a valid message, arrived since the last turn ended.
    #[must_use]
    pub fn spoke_out_of_turn(&self) -> bool {
        self.out.take_events() == AdapterEvents::Speech
    }

    /// Answers an [`AgentItem::Permission`]; returns whether that request was open.
    pub fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer) -> bool {
        self.protocol.answer(id, answer, &mut self.out)
    }

    /// Stops the turn. Open requests are refused first, because they would block the cancellation.
    pub fn cancel(&mut self) -> Cancel {
        self.protocol.cancel(&mut self.out)
    }

    /// Call this after about half a second of silence: the dialogue stops waiting for messages that may never come.
    pub fn quiet(&mut self) {
        self.protocol.quiet(&mut self.out);
    }
}

impl fmt::Debug for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialogue").finish_non_exhaustive()
    }
}

fn read_line(protocol: &mut dyn Protocol, line: StreamLine<'_>, out: &mut AdapterOutput) {
    match line {
        StreamLine::TooLong { n_bytes } => {
            let message = format!("a line of {n_bytes} bytes was skipped: it is too long");
            out.hear(AdapterEvents::Speech);
            out.alarm("line_too_long", &message);
        }
        StreamLine::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {}
        StreamLine::Whole(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            if matches!(text, std::borrow::Cow::Owned(_)) {
                out.alarm(
                    "invalid_utf8",
                    "the CLI printed bytes that are not UTF-8; they are replaced",
                );
            }
            protocol.line(LineText { text: &text, bytes }, out);
        }
    }
}
