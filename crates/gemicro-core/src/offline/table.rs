//! Rows of tables: their cells, and the heads of their columns.
//!
//! A row is quoted whole, but it is read cell by cell: "44 m" means nothing without "Span" above it.

use std::ops::Range;

use crate::corpus::{BlockKind, Corpus, CorpusError, Passage};

/// Byte ranges of the cells of a row, trimmed; both Markdown bars and tabs separate.
pub(crate) fn cells(row: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let lead = row.len() - row.trim_start().trim_start_matches('|').len();
    let end = row.trim_end().trim_end_matches('|').len().max(lead);
    let mut start = lead;
    let body = &row[lead..end];
    for (at, _) in body
        .match_indices(['|', '\t'])
        .chain(std::iter::once((body.len(), "")))
    {
        let cell = &row[start..lead + at];
        let from = start + (cell.len() - cell.trim_start().len());
        ranges.push(from..from + cell.trim().len());
        start = (lead + at + 1).min(row.len());
    }
    ranges
}

/// The texts of the first row of the table that a row belongs to; empty for the first row itself.
pub(crate) fn column_heads(corpus: &dyn Corpus, row: &Passage) -> Result<Vec<String>, CorpusError> {
    let passages = corpus.passages(&row.doc)?;
    let Some(at) = passages.iter().position(|passage| passage.ordinal == row.ordinal) else {
        return Ok(Vec::new());
    };
    let n_before = passages[..at]
        .iter()
        .rev()
        .take_while(|passage| passage.kind == BlockKind::TableRow)
        .count();
    if n_before == 0 {
        return Ok(Vec::new());
    }
    let head = &passages[at - n_before].text;
    Ok(cells(head)
        .into_iter()
        .map(|cell| head[cell].to_owned())
        .collect())
}
