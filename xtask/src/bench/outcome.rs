//! One scored run as a row of figures.

use crate::score::{Measures, Ratio};

/// The columns of [`row`].
pub(crate) const HEADINGS: &[&str] = &[
    "set",
    "recall",
    "full",
    "precision",
    "terms",
    "unanswer.",
    "contrad.",
    "fabricated",
    "leaks",
    "false cl.",
    "s",
];

/// One run over one corpus.
pub(crate) struct BenchOutcome {
    pub(crate) measures: Measures,
    /// Number of lines that the run printed.
    pub(crate) n_answers: usize,
    pub(crate) seconds: f64,
}

/// The figures of a run, under its name.
pub(crate) fn row(name: &str, outcome: &BenchOutcome) -> Vec<String> {
    let measures = &outcome.measures;
    vec![
        name.to_owned(),
        share(measures.recall),
        share(measures.full_recall),
        share(measures.precision),
        share(measures.answer_terms),
        share(measures.unanswerable),
        share(measures.contradictions),
        format!("{}/{}", measures.fabricated, measures.citations),
        count(measures.leaks),
        count(measures.false_claims),
        format!("{:.1}", outcome.seconds),
    ]
}

/// Four decimals, or a dash if nothing was measured.
pub(crate) fn share(ratio: Ratio) -> String {
    ratio
        .share()
        .map_or_else(|| "–".to_owned(), |share| format!("{share:.4}"))
}

/// The ratio as `hits/total`.
pub(crate) fn count(ratio: Ratio) -> String {
    format!("{}/{}", ratio.hits, ratio.total)
}
