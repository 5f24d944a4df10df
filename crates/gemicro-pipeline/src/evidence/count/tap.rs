//! Counts tests in the Test Anything Protocol (TAP).

use super::line::number;
use super::{FamilyTally, TestCount};

/// Counts `ok` and `not ok` lines. Without a plan (`1..3`) or a version line, only numbered ones count.
pub(super) fn protocol(lines: &[&str]) -> FamilyTally {
    let is_declared = lines
        .iter()
        .any(|line| is_plan(line) || line.starts_with("TAP version "));
    let is_result = |line: &&str| result(line).is_some_and(|result| is_declared || result.is_numbered);
    if !is_declared && !lines.iter().any(is_result) {
        return FamilyTally::Absent;
    }
    let mut stream = TapStream::default();
    for line in lines {
        let text = line.trim_start_matches([' ', '\t']);
        let depth = line.len() - text.len();
        if stream.is_data(depth, text) {
            continue;
        }
        if text.starts_with("Bail out!") && depth == 0 {
            stream.count.n_failed += 1;
        }
        match result(text) {
            Some(result) if is_declared || result.is_numbered => stream.add(depth, &result),
            Some(_) | None => {}
        }
    }
    stream.end()
}

/// The results so far.
#[derive(Default)]
struct TapStream {
    count: TestCount,
    /// Depths of failed subtests whose parent line has not been read yet.
    orphans: Vec<usize>,
    /// Depth of a parent that precedes its subtests and includes their result: `not ok 1 - all {`.
    parent: Option<usize>,
    /// Depth of the open YAML block.
    data: Option<usize>,
}

impl TapStream {
    /// Returns true inside a YAML block (`---` to `...`), which may quote anything. A less indented line ends the
    /// block.
    fn is_data(&mut self, depth: usize, text: &str) -> bool {
        let is_inside = self.data.is_some_and(|data| depth >= data && !text.is_empty());
        if is_inside && text.trim_end() == "..." {
            self.data = None;
        } else if !is_inside {
            self.data = (depth > 0 && text.trim_end() == "---").then_some(depth);
        }
        is_inside
    }

    fn add(&mut self, depth: usize, result: &TestResult) {
        if self.parent.is_some_and(|parent| depth > parent) {
            return;
        }
        let is_answered = !matches!(result.outcome, TapOutcome::Passed);
        self.parent = (result.opens && is_answered).then_some(depth);
        let n_before = self.orphans.len();
        self.orphans.retain(|orphan| *orphan <= depth);
        // A parent that fails, or is marked `# TODO`, already covers its subtests.
        if !is_answered {
            self.count.n_failed += (n_before - self.orphans.len()) as u64;
        }
        match (&result.outcome, depth) {
            (TapOutcome::Passed, 0) => self.count.n_run += 1,
            (TapOutcome::Failed, 0) => {
                self.count.n_run += 1;
                self.count.n_failed += 1;
            }
            (TapOutcome::Skipped, 0) => self.count.n_skipped += 1,
            (TapOutcome::Failed, _) => self.orphans.push(depth),
            (TapOutcome::Passed | TapOutcome::Skipped, _) => {}
        }
    }

    fn end(self) -> FamilyTally {
        let n_orphans = self.orphans.len() as u64;
        FamilyTally::Counted(self.count.with_failures(self.count.n_failed + n_orphans))
    }
}

/// A result line of the protocol.
pub(in super::super) struct TestResult<'l> {
    pub(in super::super) outcome: TapOutcome,
    is_numbered: bool,
    /// Whether its subtests follow on the next lines.
    opens: bool,
    /// Text after `ok` or `not ok`, beginning with the number.
    pub(in super::super) description: &'l str,
}

pub(in super::super) enum TapOutcome {
    Passed,
    Failed,
    /// Skipped, or failed but marked `# TODO` (an expected failure).
    Skipped,
}

/// Reads `ok 1 - adds`, `not ok 2 - takes # TODO not yet`.
pub(in super::super) fn result(line: &str) -> Option<TestResult<'_>> {
    let (is_failed, description) = match line.strip_prefix("not ok") {
        Some(description) => (true, description),
        None => (false, line.strip_prefix("ok")?),
    };
    if !description.is_empty() && !description.starts_with(' ') {
        return None;
    }
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let directive = description
        .split_once('#')
        .map(|(_, said)| said.trim().to_ascii_lowercase());
    let has = |word: &str| directive.as_ref().is_some_and(|said| said.starts_with(word));
    let outcome = match is_failed {
        _ if has("skip") => TapOutcome::Skipped,
        true if has("todo") => TapOutcome::Skipped,
        true => TapOutcome::Failed,
        false => TapOutcome::Passed,
    };
    Some(TestResult {
        outcome,
        is_numbered: number(description).is_some_and(|(_, rest)| is_end(rest)),
        opens: description.trim_end().ends_with('{'),
        description: description.trim_start(),
    })
}

fn is_plan(line: &str) -> bool {
    let end = line.strip_prefix("1..").and_then(number);
    end.is_some_and(|(_, rest)| rest.trim().is_empty() || rest.trim_start().starts_with('#'))
}
