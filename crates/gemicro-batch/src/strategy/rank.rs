//! The order of gaps: size, change and risk multiplied, in whole numbers, ties by name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gap::CoverageGap;
use super::risk::{Risk, risks};

/// How often each file changed, in the commits that were looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChangeCounts {
    /// Commits that were looked at; none where there is no history.
    pub n_commits: u64,
    /// Commits that changed a file, by its path.
    pub by_file: BTreeMap<String, u64>,
}

/// What a gap counts at least for change and for risk, so that neither can make it worth nothing.
const BASE: u64 = 4;
/// More changes than this do not count.
const MOST_CHANGES: u64 = 12;
/// More points of risk than this do not count.
const MOST_RISK: u64 = 24;

/// A gap, its worth and the reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankedGap {
    /// The uncovered lines that a test aims at.
    #[serde(flatten)]
    pub gap: CoverageGap,
    /// Its worth: uncovered lines, times change, times risk.
    pub score: u64,
    /// Commits that changed its file.
    pub n_changes: u64,
    /// What its lines do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// Why it stands where it stands, most telling first.
    pub reasons: Vec<String>,
}

/// Ranks gaps, the most worthwhile first. `text_of` gives the lines of a gap, where they can be read.
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
