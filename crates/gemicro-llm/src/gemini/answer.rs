//! Collects the text of a streamed answer, and the position of its blocks.

use std::collections::HashMap;
use std::ops::Range;

use gemicro_core::llm::Annotation;

use super::citation::{MOST, place};
use super::interaction::InteractionCitation;

/// The answer so far.
#[derive(Debug, Default)]
pub(super) struct GeminiAnswer {
    text: String,
    blocks: Vec<Range<usize>>,
    /// Citations with the index of their block.
    citations: Vec<(usize, InteractionCitation)>,
    steps: HashMap<usize, AnswerWriting>,
}

/// The state of one step's text.
#[derive(Debug, Clone, Copy)]
enum AnswerWriting {
    /// No text yet, or something other than text came after it.
    Apart { last: Option<usize> },
    /// This block is growing.
    Block(usize),
    /// Another step wrote in between, so offsets are no longer valid.
    Torn,
    /// This step is not part of the answer.
    Foreign,
}

impl GeminiAnswer {
    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Marks a step as not part of the answer.
    pub(super) fn exclude(&mut self, step: usize) {
        self.steps.insert(step, AnswerWriting::Foreign);
    }

    /// Adds text of a step; returns false if the step is not part of the answer.
    pub(super) fn push(&mut self, step: usize, piece: &str) -> bool {
        let writing = self
            .steps
            .entry(step)
            .or_insert(AnswerWriting::Apart { last: None });
        let start = self.text.len();
        match *writing {
            AnswerWriting::Foreign => return false,
            AnswerWriting::Torn => {}
            AnswerWriting::Block(block) if self.blocks[block].end == start => {
                self.blocks[block].end += piece.len();
            }
            AnswerWriting::Block(_) => *writing = AnswerWriting::Torn,
            AnswerWriting::Apart { .. } => {
                *writing = AnswerWriting::Block(self.blocks.len());
                self.blocks.push(start..start + piece.len());
            }
        }
        self.text.push_str(piece);
        true
    }

    /// Records that something other than text came; later text of the step starts a new block.
    pub(super) fn interrupt(&mut self, step: usize) {
        let writing = self
            .steps
            .entry(step)
            .or_insert(AnswerWriting::Apart { last: None });
        if let AnswerWriting::Block(block) = *writing {
            *writing = AnswerWriting::Apart { last: Some(block) };
        }
    }

    /// Adds citations to the newest block of a step.
    pub(super) fn cite(&mut self, step: usize, citations: Vec<InteractionCitation>) {
        let block = match self.steps.get(&step) {
            Some(AnswerWriting::Block(block)) => *block,
            Some(AnswerWriting::Apart { last: Some(block) }) => *block,
            Some(AnswerWriting::Apart { last: None } | AnswerWriting::Torn | AnswerWriting::Foreign)
            | None => return,
        };
        let room = MOST.saturating_sub(self.citations.len());
        let placed = citations.into_iter().take(room);
        self.citations.extend(placed.map(|citation| (block, citation)));
    }

    /// The citations with their positions in the whole text.
    pub(super) fn annotations(&self) -> Vec<Annotation> {
        let placed = self.citations.iter();
        placed
            .filter_map(|(block, citation)| place(citation, self.blocks.get(*block)?, &self.text))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(start: usize, end: usize) -> Vec<InteractionCitation> {
        vec![InteractionCitation {
            url: "https://example.com".to_owned(),
            title: None,
            start,
            end,
        }]
    }

    #[test]
    fn citations_follow_their_block() {
        let mut answer = GeminiAnswer::default();
        assert!(answer.push(0, "Ünder "));
        assert!(answer.push(0, "one. "));
        answer.cite(0, citation(0, 6));
        answer.interrupt(0);
        answer.cite(0, citation(7, 10));
        assert!(answer.push(0, "two"));
        answer.cite(0, citation(0, 3));
        assert!(answer.push(2, "three"));
        answer.cite(2, citation(0, 5));
        answer.cite(7, citation(0, 5));
        let text = answer.text();
        let cited: Vec<&str> = answer
            .annotations()
            .iter()
            .map(|note| &text[note.range.clone()])
            .collect();
        assert_eq!(cited, ["Ünder", "one", "two", "three"]);
    }

    #[test]
    fn steps_that_write_at_once_lose_their_citations_and_no_text() {
        let mut answer = GeminiAnswer::default();
        answer.push(0, "a");
        answer.push(1, "b");
        answer.push(0, "c");
        answer.cite(0, citation(0, 2));
        answer.cite(1, citation(0, 1));
        answer.exclude(5);
        assert!(!answer.push(5, "no"));
        assert_eq!((answer.text(), answer.annotations().len()), ("abc", 1));
    }
}
