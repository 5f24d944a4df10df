//! Ranks gaps: size times change times risk, in integers, ties by name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gap::CoverageGap;
use super::risk::{Risk, risks};

/// How often each file changed in the counted commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChangeCounts {
    /// Number of counted commits; 0 without a history.
    pub n_commits: u64,
    /// Number of commits that changed a file, by its path.
    pub by_file: BTreeMap<String, u64>,
}

/// Minimum factor for change and for risk, so that neither can be zero.
const BASE: u64 = 4;
/// Maximum number of changes that count.
const MOST_CHANGES: u64 = 12;
/// Maximum number of risk points that count.
const MOST_RISK: u64 = 24;

/// A gap with its score and the reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankedGap {
    /// The uncovered lines that a test aims at.
    #[serde(flatten)]
    pub gap: CoverageGap,
    /// Its score: uncovered lines, times change, times risk.
    pub score: u64,
    /// Number of commits that changed its file.
    pub n_changes: u64,
    /// Risky things that its lines do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// The reasons for its rank, the most important first.
    pub reasons: Vec<String>,
}

/// Ranks gaps, the highest score first. `text_of` returns the lines of a gap, if they can be read.
#[must_use]
pub fn rank(
    gaps: Vec<CoverageGap>,
    changes: &FileChangeCounts,
    mut text_of: impl FnMut(&CoverageGap) -> Option<String>,
) -> Vec<RankedGap> {
    let mut ranked: Vec<RankedGap> = gaps
        .into_iter()
        .map(|gap| {
            let text = text_of(&gap);
            rank_gap(gap, changes, text.as_deref())
        })
        .collect();
    ranked.sort_by(|a, b| {
        let place = |it: &RankedGap| (it.gap.file.clone(), it.gap.span().first);
        b.score.cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    ranked
}

fn rank_gap(gap: CoverageGap, changes: &FileChangeCounts, text: Option<&str>) -> RankedGap {
    let n_changes = changes.by_file.get(&gap.file).copied().unwrap_or(0);
    let risks = text.map(|text| risks(gap.language, text)).unwrap_or_default();
    let points: u64 = risks
        .iter()
        .map(|risk| u64::from(risk.n) * u64::from(risk.points))
        .sum();
    let never_called = u64::from(gap.is_never_called) * 2;
    let change = BASE + n_changes.min(MOST_CHANGES);
    let danger = BASE + (points + never_called).min(MOST_RISK);
    let mut reasons = vec![match gap.n_uncovered {
        1 => "1 line is not covered".to_owned(),
        n => format!("{n} lines are not covered"),
    }];
    match &gap.function {
        Some(function) if gap.is_never_called => reasons.push(format!("no test calls {function}")),
        Some(function) => reasons.push(format!("in {function}")),
        None if gap.is_never_called => reasons.push("no test calls the function".to_owned()),
        None => {}
    }
    match (n_changes, changes.n_commits) {
        (0, _) => {}
        (_, 1) => reasons.push("the last commit changed the file".to_owned()),
        (n, of) => reasons.push(format!("{n} of the last {of} commits changed the file")),
    }
    for risk in &risks {
        reasons.push(format!("{} ({})", risk.what, risk.n));
    }
    RankedGap {
        score: gap.n_uncovered * change * danger,
        gap,
        n_changes,
        risks,
        reasons,
    }
}
