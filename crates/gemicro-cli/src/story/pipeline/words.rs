//! Texts about checks, commits and agents of a pipeline, the same on every screen.

use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::steps::{CheckRecord, ImportStepResult};

use crate::screen::{numbers, text};

/// Number of characters shown of a commit id.
const SHORT_COMMIT: usize = 7;

/// `tests: 14 passed, lint: passed`, `tests: passed, not counted`; a check that did not pass is shown with its result.
pub(crate) fn checks(checks: &[CheckRecord]) -> String {
    let words = checks.iter().map(|check| {
        let name = text::one_line(&check.name);
        match (check.fault(), check.n_tests()) {
            (None, Some(n_tests)) => format!("{name}: {} passed", numbers::thousands(n_tests)),
            (None, None) if check.is_uncounted() => format!("{name}: passed, not counted"),
            (None, None) => format!("{name}: passed"),
            (Some(_), _) => format!("{name}: {}", check.word()),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Total time of the checks, in milliseconds.
pub(crate) fn checked_ms(checks: &[CheckRecord]) -> u64 {
    checks
        .iter()
        .fold(0, |sum, check| sum.saturating_add(check.took_ms))
}

/// `2 commits, 5 files changed, +120 -3`.
pub(crate) fn import_summary(taken: &ImportStepResult) -> String {
    let n_files = usize::try_from(taken.n_files).unwrap_or(usize::MAX);
    format!(
        "{}, {} changed, +{} -{}",
        numbers::count(taken.commits.len(), "commit"),
        numbers::count(n_files, "file"),
        taken.insertions,
        taken.deletions
    )
}

/// The short form of a commit id.
pub(crate) fn short(commit: &str) -> String {
    text::one_line(commit).chars().take(SHORT_COMMIT).collect()
}

/// `gemini`, or `gemini, gemini-3-pro`.
pub(crate) fn agent(agent: AgentName, model: Option<&str>) -> String {
    match model {
        Some(model) => format!("{agent}, {}", text::one_line(model)),
        None => agent.to_string(),
    }
}
