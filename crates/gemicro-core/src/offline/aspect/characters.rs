//! Coverage in Chinese and Japanese, which are written without spaces: by pieces of the question.

use super::{Aspects, Coverage, LINKED, SYNONYM};
use crate::offline::question::Question;
use crate::offline::resolve::chunks;
use crate::offline::subject::Subject;
use crate::offline::text::is_han;

impl Aspects {
    /// Pairs of characters, or single Chinese characters where a word was shortened.
    pub(super) fn character_coverage(&self, sentence: &str, kinds: &[&str]) -> Coverage {
        let mut matched = 0.0;
        let mut total = 0.0;
        for piece in &self.pieces {
            let chars: Vec<char> = piece.chars().collect();
            let weight = chars.len() as f32;
            total += weight;
            let n_pairs = chars
                .windows(2)
                .filter(|pair| sentence.contains(&pair.iter().collect::<String>()))
                .count();
            let by_pairs = if chars.len() > 1 {
                n_pairs as f32 / (chars.len() - 1) as f32
            } else {
                0.0
            };
            let han: Vec<char> = chars.iter().copied().filter(|c| is_han(*c)).collect();
            let n_single = han.iter().filter(|c| sentence.contains(**c)).count();
            let by_single = if han.len() > 1 {
                0.8 * n_single as f32 / han.len() as f32
            } else {
                0.0
            };
            let by_synonym = self.character_synonyms(piece, sentence);
            let is_linked = self.language.linked.iter().any(|(word, names)| {
                piece.contains(word.as_str()) && names.iter().any(|name| kinds.contains(&name.as_str()))
            });
            let linked = if is_linked { LINKED * 0.8 } else { 0.0 };
            matched += weight * by_pairs.max(by_single).max(by_synonym).max(linked);
        }
        let share = if total > 0.0 { matched / total } else { 0.0 };
        Coverage {
            share,
            speaks: share >= 0.25,
        }
    }

    fn character_synonyms(&self, piece: &str, sentence: &str) -> f32 {
        let mut best: f32 = 0.0;
        for group in self.language.groups() {
            let asked = group
                .iter()
                .flatten()
                .filter(|word| piece.contains(word.as_str()))
                .map(|word| word.chars().count())
                .max();
            let stated = group
                .iter()
                .flatten()
                .any(|word| sentence.contains(word.as_str()));
            if let (Some(n_chars), true) = (asked, stated) {
                best = best.max(SYNONYM * n_chars as f32 / piece.chars().count() as f32);
            }
        }
        best
    }
}

/// Pieces of a question without spaces, with the subject taken out.
pub(super) fn character_pieces(question: &Question, subject: Option<&Subject>) -> Vec<String> {
    let mut pieces = Vec::new();
    for chunk in chunks(question) {
        let rest = match subject {
            Some(subject) => chunk.replace(subject.text.as_str(), " "),
            None => chunk,
        };
        pieces.extend(
            rest.split(' ')
                .filter(|piece| piece.chars().count() > 1)
                .map(str::to_owned),
        );
    }
    pieces.retain(|piece| !question.language.light.contains(piece) || piece.chars().count() > 2);
    pieces
}
