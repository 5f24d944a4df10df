//! Assembles messages from one or more lines.
//!
//! A line that ends in a backslash continues on the next; `"""` on its own line begins and ends a block.

use std::mem;

use super::reader::InputLine;
use crate::chat::message::{self, MAX_BYTES};

/// The line that begins and ends a block.
const BLOCK: &str = "\"\"\"";

#[derive(Debug, Default)]
pub(super) struct Assembler {
    words: String,
    /// Number of all bytes, including those beyond the limit.
    n_bytes: usize,
    has_binary: bool,
    state: AssemblerState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum AssemblerState {
    #[default]
    Fresh,
    GoesOn,
    Block,
}

impl Assembler {
    /// Takes a line; returns a message once it is complete, or why it cannot be one.
    pub(super) fn line(&mut self, line: InputLine) -> Option<Result<String, String>> {
        match line {
            InputLine::Words(words) => {
                let is_mark = words.trim() == BLOCK && self.state != AssemblerState::GoesOn;
                match (self.state, is_mark) {
                    (AssemblerState::Block, true) => return Some(self.take()),
                    (AssemblerState::Fresh | AssemblerState::GoesOn, true) => {
                        self.state = AssemblerState::Block;
                        return None;
                    }
                    (AssemblerState::Block, false) => self.add(&words, "\n"),
                    (AssemblerState::Fresh | AssemblerState::GoesOn, false) => match words.strip_suffix('\\')
                    {
                        Some(words) => {
                            self.state = AssemblerState::GoesOn;
                            self.add(words, "\n");
                        }
                        None => {
                            self.add(&words, "");
                            self.state = AssemblerState::Fresh;
                        }
                    },
                }
            }
            InputLine::TooLong(n_bytes) => {
                self.n_bytes += n_bytes;
                self.end_line();
            }
            InputLine::NotText => {
                self.has_binary = true;
                self.end_line();
            }
        }
        (self.state == AssemblerState::Fresh).then(|| self.take())
    }

    /// The rest when the input ends.
    pub(super) fn end(&mut self) -> Option<Result<String, String>> {
        let is_open = self.state != AssemblerState::Fresh;
        is_open.then(|| self.take())
    }

    fn end_line(&mut self) {
        if self.state == AssemblerState::GoesOn {
            self.state = AssemblerState::Fresh;
        }
    }

    fn add(&mut self, words: &str, end: &str) {
        self.n_bytes += words.len() + end.len();
        if self.n_bytes <= MAX_BYTES + 1 {
            self.words.push_str(words);
            self.words.push_str(end);
        }
    }

    fn take(&mut self) -> Result<String, String> {
        let Self {
            words,
            n_bytes,
            has_binary,
            ..
        } = mem::take(self);
        if has_binary {
            return Err("not sent: it is not UTF-8 text; put it in a file and mention the file".to_owned());
        }
        if n_bytes > MAX_BYTES + 1 {
            return Err(message::too_long(n_bytes));
        }
        Ok(words)
    }
}
