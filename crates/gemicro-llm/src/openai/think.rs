//! Removes thoughts from a text: some servers send them as a leading `<think>…</think>`.

const OPENING: &str = "<think>";
const CLOSING: &str = "</think>";

/// Filters a streamed text. Only a block at the very start counts as a thought.
#[derive(Debug)]
pub(super) struct ThinkFilter {
    state: ThinkState,
    /// Text that is not decided yet.
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkState {
    /// Only white space and part of the opening tag so far.
    Start,
    Thinking,
    /// After the block, before the answer: white space is dropped.
    Gap,
    /// Everything else is the answer.
    Answer,
}

impl ThinkFilter {
    pub(super) fn new() -> Self {
        Self {
            state: ThinkState::Start,
            held: String::new(),
        }
    }

    /// The part of the answer that is decided after this chunk; may be empty.
    pub(super) fn push(&mut self, piece: &str) -> String {
        if self.state == ThinkState::Answer {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        if self.state == ThinkState::Start {
            let text = self.held.trim_start();
            if let Some(thoughts) = text.strip_prefix(OPENING) {
                self.held = thoughts.to_owned();
                self.state = ThinkState::Thinking;
            } else if !OPENING.starts_with(text) {
                self.state = ThinkState::Answer;
            }
        }
        if self.state == ThinkState::Thinking {
            match self.held.split_once(CLOSING) {
                Some((_, rest)) => {
                    self.held = rest.to_owned();
                    self.state = ThinkState::Gap;
                }
                None => {
                    // Part of the closing tag may have arrived: keep as much as could be its start.
                    let keep = self.held.len().saturating_sub(CLOSING.len() - 1);
                    self.held.drain(..self.held.ceil_char_boundary(keep));
                }
            }
        }
        if self.state == ThinkState::Gap {
            self.held = self.held.trim_start().to_owned();
            if !self.held.is_empty() {
                self.state = ThinkState::Answer;
            }
        }
        match self.state {
            ThinkState::Answer => std::mem::take(&mut self.held),
            ThinkState::Start | ThinkState::Thinking | ThinkState::Gap => String::new(),
        }
    }

    /// The rest at the end of the input. An unclosed thought stays a thought.
    pub(super) fn finish(self) -> String {
        match self.state {
            ThinkState::Start | ThinkState::Answer => self.held,
            ThinkState::Thinking | ThinkState::Gap => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(text: &str, size: usize) -> String {
        let mut filter = ThinkFilter::new();
        let characters: Vec<char> = text.chars().collect();
        let mut said: String = characters
            .chunks(size)
            .map(|piece| filter.push(&piece.iter().collect::<String>()))
            .collect();
        said.push_str(&filter.finish());
        said
    }

    #[test]
    fn only_a_leading_block_goes_whatever_the_pieces() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("  spaced", "  spaced"),
            ("<think>hm, é < 3 </thin</think>\n\nThe answer.", "The answer."),
            ("\n<think></think>yes", "yes"),
            ("<think>never ends", ""),
            ("<think>a</think>", ""),
            ("<thing>x</thing>", "<thing>x</thing>"),
            ("<thi", "<thi"),
            ("a <think>b</think> c", "a <think>b</think> c"),
            ("<think>a</think>b<think>c</think>", "b<think>c</think>"),
        ] {
            for size in [1, 2, 3, 7, 100] {
                assert_eq!(filtered(text, size), expected, "{text:?} in pieces of {size}");
            }
        }
    }
}
