//! The passages that are shown without being an answer.
//!
//! The main function is [`other_passages`].

use std::ops::Range;

use super::finding::Finding;
use super::piece::{Piece, quoted};
use super::table::TableAnswer;

/// Passages of one document, as long as others have some.
const MOST_OF_DOCUMENT: usize = 3;

/// Where a quote is, and what it says.
pub(super) struct QuotedPlace<'a> {
    doc: &'a str,
    range: &'a Range<usize>,
    text: String,
}

impl<'a> QuotedPlace<'a> {
    pub(super) fn new(doc: &'a str, range: &'a Range<usize>, span: &str) -> Self {
        let words: Vec<&str> = span.split_whitespace().collect();
        Self {
            doc,
            range,
            text: words.join(" "),
        }
    }

    pub(super) fn of(finding: &'a Finding) -> Self {
        Self::new(&finding.doc, &finding.range, &finding.span)
    }

    /// The other one quotes the same place, or the same words elsewhere.
    fn covers(&self, other: &QuotedPlace<'_>) -> bool {
        let overlaps = self.range.start < other.range.end && other.range.start < self.range.end;
        self.doc == other.doc && overlaps || other.text.contains(&self.text)
    }
}

/// The best passages that are not known yet, each once, the row of the best table first.
pub(super) fn other_passages(
    table: Option<&TableAnswer>,
    pieces: &[Piece],
    known: &[QuotedPlace<'_>],
    most: usize,
) -> Vec<Finding> {
    let row = table.and_then(|table| table.rows.first());
    let row = row.map(|row| quoted(row, 0..row.text.len(), 0.0));
    let mut found: Vec<Finding> = Vec::new();
    for most_of_document in [MOST_OF_DOCUMENT, most] {
        for finding in row
            .iter()
            .cloned()
            .chain(pieces.iter().flat_map(Piece::to_findings))
        {
            let place = QuotedPlace::of(&finding);
            let is_known = known.iter().any(|it| it.covers(&place))
                || found.iter().any(|it| QuotedPlace::of(it).covers(&place));
            let n_same = found.iter().filter(|it| it.doc == finding.doc).count();
            if found.len() < most && n_same < most_of_document && !is_known {
                found.push(finding);
            }
        }
    }
    found
}
