//! A gap: uncovered lines of one file that belong together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::{CodeLanguage, FileCoverage, LineRange};

/// Maximum distance in lines at which ranges outside known functions are joined.
const NEAR: u32 = 8;
/// Maximum number of lines that a gap spans; a larger gap needs more than one test.
const MOST_LINES: u32 = 80;

/// Uncovered lines of one file that one test can cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Gap")]
pub struct CoverageGap {
    /// The file, relative to the project.
    pub file: String,
    /// The language that decides how tests are written.
    pub language: CodeLanguage,
    /// The function that contains them, if the report names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Whether that function was never called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_never_called: bool,
    /// Ranges of uncovered lines, in order.
    pub lines: Vec<LineRange>,
    /// Number of uncovered lines with code.
    pub n_uncovered: u64,
}

impl CoverageGap {
    /// The range from its first to its last line.
    #[must_use]
    pub fn span(&self) -> LineRange {
        LineRange {
            first: self.lines.first().map_or(1, |range| range.first),
            last: self.lines.last().map_or(1, |range| range.last),
        }
    }

    /// Its name in lists: file and lines.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}:{}", self.file, self.span())
    }
}

/// The gaps of a file, in line order.
#[must_use]
pub fn gaps_of(file: &FileCoverage) -> Vec<CoverageGap> {
    let functions = functions_of(file);
    let owner = |line: u32| functions.iter().rev().find(|(first, ..)| *first <= line).copied();
    let mut gaps: Vec<CoverageGap> = Vec::new();
    let mut owner_of_last = None;
    for range in file
        .uncovered()
        .into_iter()
        .flat_map(|range| parts(range, &functions))
        .filter_map(|range| trim_range(file, range))
    {
        let found = owner(range.first);
        let joins = gaps.last().is_some_and(|gap| {
            let span = gap.span();
            let is_near = found.is_some() || range.first.saturating_sub(span.last) <= NEAR;
            found == owner_of_last && is_near && range.last - span.first < MOST_LINES
        });
        let n_uncovered = n_lines(file, range);
        match gaps.last_mut().filter(|_| joins) {
            Some(gap) => {
                gap.lines.push(range);
                gap.n_uncovered += n_uncovered;
            }
            None => gaps.push(CoverageGap {
                file: file.path.clone(),
                language: file.language,
                function: found.map(|(_, name, _)| name.to_owned()),
                is_never_called: found.is_some_and(|(.., count)| count == 0),
                lines: vec![range],
                n_uncovered,
            }),
        }
        owner_of_last = found;
    }
    gaps
}

/// Whether a function is a closure or lambda, judged by its compiler-generated name.
fn is_closure(name: &str) -> bool {
    name.starts_with("_RNC")
        || ["{closure", "{{closure", "closure$", "{lambda", "E_clE"]
            .iter()
            .any(|it| name.contains(it))
}

/// The functions of a file by line. Template instances that begin at the same line are one function, called if any of
/// them was.
fn functions_of(file: &FileCoverage) -> Vec<(u32, &str, u64)> {
    let mut functions: Vec<(u32, &str, u64)> = file
        .functions
        .iter()
        .filter(|function| !is_closure(&function.name))
        .map(|function| (function.line, function.name.as_str(), function.count))
        .collect();
    functions.sort_unstable();
    functions.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            *kept = (kept.0, later.1, kept.2.max(later.2));
        }
        is_same
    });
    functions
}

/// Splits a range where functions begin and where it is too long for one gap.
fn parts(range: LineRange, functions: &[(u32, &str, u64)]) -> Vec<LineRange> {
    let mut parts = Vec::new();
    let mut first = range.first;
    while first <= range.last {
        let begins = functions
            .iter()
            .map(|(line, ..)| *line)
            .find(|line| *line > first);
        let before_next = begins.map_or(range.last, |line| line - 1);
        let last = range.last.min(before_next).min(first + MOST_LINES - 1);
        parts.push(LineRange { first, last });
        first = last + 1;
    }
    parts
}

/// Trims a range to its first and last line with code; `None` if it has none.
fn trim_range(file: &FileCoverage, range: LineRange) -> Option<LineRange> {
    let mut lines = file.lines.range(range.first..=range.last).map(|(line, _)| *line);
    let first = lines.next()?;
    let last = lines.next_back().unwrap_or(first);
    Some(LineRange { first, last })
}

/// Number of lines with code in a range.
fn n_lines(file: &FileCoverage, range: LineRange) -> u64 {
    file.lines.range(range.first..=range.last).count() as u64
}
