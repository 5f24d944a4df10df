//! The coverage of one file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bounds::MAX_COUNT;
use super::counted_lines;
use super::language::CodeLanguage;
use super::line_range::LineRange;
use super::totals::Totals;

/// Coverage of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCoverage {
    /// The path relative to the project's folder, with `/` as separator.
    pub path: String,
    /// Its programming language.
    pub language: CodeLanguage,
    /// Lines with code, and how often each ran.
    #[serde(with = "counted_lines")]
    pub lines: BTreeMap<u32, u64>,
    /// Functions, by line and name. Names are as the tool wrote them, perhaps mangled; tools may name one differently.
    pub functions: Vec<FunctionCoverage>,
}

/// How often a function was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCoverage {
    /// Its name, as the tool wrote it.
    pub name: String,
    /// The line it begins at, counted from 1.
    pub line: u32,
    /// How often it was called.
    pub count: u64,
}

impl FileCoverage {
    /// A file without any data yet.
    #[must_use]
    pub fn new(path: String) -> Self {
        Self {
            language: CodeLanguage::of(&path),
            path,
            lines: BTreeMap::new(),
            functions: Vec::new(),
        }
    }

    /// Counts the lines and functions, and the covered ones.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut begins: BTreeMap<u32, bool> = BTreeMap::new();
        for function in &self.functions {
            *begins.entry(function.line).or_default() |= function.count > 0;
        }
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Totals {
            lines: count(self.lines.len()),
            covered: count(self.lines.values().filter(|count| **count > 0).count()),
            functions: count(begins.len()),
            functions_covered: count(begins.values().filter(|is_covered| **is_covered).count()),
        }
    }

    /// The uncovered lines. A line without code does not end a range; a covered one does.
    #[must_use]
    pub fn uncovered(&self) -> Vec<LineRange> {
        let mut ranges = Vec::new();
        let mut open: Option<LineRange> = None;
        for (&line, &count) in &self.lines {
            if count > 0 {
                ranges.extend(open.take());
            } else {
                let first = open.map_or(line, |range| range.first);
                open = Some(LineRange { first, last: line });
            }
        }
        ranges.extend(open);
        ranges
    }

    /// Adds the data of another report for the same file: the union of the lines, with their counts summed.
    pub(super) fn merge(&mut self, other: Self) {
        if self.lines.is_empty() {
            self.lines = other.lines;
        } else {
            for (line, count) in other.lines {
                add(self.lines.entry(line).or_default(), count);
            }
        }
        self.functions.extend(other.functions);
        self.sort_functions();
    }

    /// Sorts the functions and merges duplicates.
    pub(super) fn sort_functions(&mut self) {
        let order = |one: &FunctionCoverage, other: &FunctionCoverage| {
            (one.line, &one.name).cmp(&(other.line, &other.name))
        };
        self.functions.sort_by(order);
        self.functions.dedup_by(|later, kept| {
            let is_same = order(later, kept).is_eq();
            if is_same {
                add(&mut kept.count, later.count);
            }
            is_same
        });
    }
}

/// Adds to a count, up to the maximum.
pub(super) fn add(count: &mut u64, more: u64) {
    *count = count.saturating_add(more).min(MAX_COUNT);
}
