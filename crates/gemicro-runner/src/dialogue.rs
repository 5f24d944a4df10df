//! One process of a CLI: what it prints becomes items, what it must be told becomes bytes. No I/O here.
//!
//! # Theory of operation
//!
//! The supervisor starts the process, then in a loop writes [`Dialogue::take_input`] to its standard input and
//! gives what it reads to [`Dialogue::feed`]. Any piece may hold any part of a line. When an
//! [`AgentItem::Ended`] comes the turn is over: judge it, and either say the next prompt or close the input.
//! Memory is one line, at most `max_line` bytes, whatever the process prints.

use std::fmt;

use gemicro_event::{ErrorKind, Failure};

use crate::item::AgentItem;
use crate::lines::{LineSplitter, StreamLine};
use crate::output::{AdapterEvents, AdapterOutput};
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::AgentPrompt;
use crate::protocol::{Cancel, LineText, Protocol};

/// The longest line that is read. A tool result or a whole answer is one line.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Reads and speaks for one process.
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

    /// The same with another limit for a line; for use before anything was read.
    #[must_use]
    pub fn with_max_line(self, max_line: usize) -> Self {
        Self {
            splitter: LineSplitter::new(max_line),
            ..self
        }
    }

    /// Takes the next bytes of the process's standard output.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<AgentItem> {
        let Self {
            splitter,
            protocol,
            out,
        } = self;
        splitter.push(bytes, |line| read_line(protocol.as_mut(), line, out));
        self.out.take_items()
    }

    /// The standard output is over.
    pub fn finish(&mut self) -> Vec<AgentItem> {
        let Self {
            splitter,
            protocol,
            out,
        } = self;
        splitter.finish(|line| read_line(protocol.as_mut(), line, out));
        self.out.take_items()
    }

    /// What is due for the process's standard input.
    pub fn take_input(&mut self) -> Vec<u8> {
        self.out.take_input()
    }

    /// Says the next prompt of a warm process. It may be sent later, when the process is ready for it.
    ///
    /// # Errors
    /// `invalid_input` for a prompt that cannot be said, or a CLI that takes one prompt only; `conflict` while
    /// a turn is running.
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

    /// Whether the next prompt would be said at once.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.protocol.is_ready()
    }

    /// Whether nothing came since the last prompt but names and notices: no word, no tool, no line that we do not
    /// understand.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.out.take_events() == AdapterEvents::Nothing
    }

    /// Whether something came since the end of the last turn that only a turn consists of, or that is no message.
    #[must_use]
    pub fn spoke_out_of_turn(&self) -> bool {
        self.out.take_events() == AdapterEvents::Speech
    }

    /// Answers a [`AgentItem::Permission`]; says whether that request was open.
    pub fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer) -> bool {
        self.protocol.answer(id, answer, &mut self.out)
    }

    /// Stops the turn; open requests are refused first, because they would hold the cancel back.
    pub fn cancel(&mut self) -> Cancel {
        self.protocol.cancel(&mut self.out)
    }

    /// Tells that nothing came for half a second or so: what waited for a message that may never come goes on.
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
            let message = format!("a line of {n_bytes} bytes was skipped: longer than gemicro reads");
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
