//! Collects the contents of a report while it is read, within limits.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::read_error::ReportError;
use super::report_format::ReportFormat;
use crate::coverage::bounds::ReportBounds;
use crate::coverage::file_coverage::{FileCoverage, FunctionCoverage, add};

/// The contents of one report, with names and paths as the tool wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageReport {
    /// Its file format.
    pub format: ReportFormat,
    /// Its files, with their paths as the tool wrote them; each path once.
    pub files: Vec<FileCoverage>,
    /// Base folders for relative paths.
    pub sources: Vec<String>,
    /// Problems in the report.
    pub warnings: Vec<String>,
}

/// The report as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct CollectedReport {
    bounds: ReportBounds,
    files: Vec<FileCoverage>,
    by_path: HashMap<String, usize>,
    sources: Vec<String>,
    n_lines: usize,
    n_functions: usize,
    /// Number of names that were not valid UTF-8.
    n_odd_names: usize,
}

impl CollectedReport {
    /// The index of a file, which is added if it is new.
    pub(super) fn file(&mut self, path: &str) -> Result<usize, ReportError> {
        if let Some(idx) = self.by_path.get(path) {
            return Ok(*idx);
        }
        let idx = self.files.len();
        if idx >= self.bounds.files {
            let most = self.bounds.files;
            return Err(ReportError::TooLarge(format!("it names more than {most} files")));
        }
        self.by_path.insert(path.to_owned(), idx);
        self.files.push(FileCoverage::new(path.to_owned()));
        Ok(idx)
    }

    /// The index of a file that was added before.
    pub(super) fn file_index(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Moves lines into a file; counts of known lines are summed.
    pub(super) fn add_lines(
        &mut self,
        file_idx: usize,
        lines: &mut Vec<(u32, u64)>,
    ) -> Result<(), ReportError> {
        let known = &mut self.files[file_idx].lines;
        let n_before = known.len();
        if known.is_empty() {
            // Building the map at once takes half the memory of many insertions.
            lines.sort_unstable_by_key(|(line, _)| *line);
            lines.dedup_by(|later, kept| {
                let is_same = later.0 == kept.0;
                if is_same {
                    add(&mut kept.1, later.1);
                }
                is_same
            });
            *known = BTreeMap::from_iter(lines.drain(..));
        } else {
            for (line, count) in lines.drain(..) {
                add(known.entry(line).or_default(), count);
            }
        }
        self.n_lines += known.len() - n_before;
        if self.n_lines > self.bounds.lines {
            let most = self.bounds.lines;
            return Err(ReportError::TooLarge(format!(
                "it has more than {most} lines of code"
            )));
        }
        Ok(())
    }

    /// Adds a function to a file.
    pub(super) fn add_function(
        &mut self,
        file_idx: usize,
        function: FunctionCoverage,
    ) -> Result<(), ReportError> {
        self.n_functions += 1;
        if self.n_functions > self.bounds.functions {
            let most = self.bounds.functions;
            return Err(ReportError::TooLarge(format!(
                "it has more than {most} functions"
            )));
        }
        self.files[file_idx].functions.push(function);
        Ok(())
    }

    /// Adds a base folder for relative paths.
    pub(super) fn add_source(&mut self, source: String) {
        if !source.is_empty() && !self.sources.contains(&source) && self.sources.len() < MAX_SOURCES {
            self.sources.push(source);
        }
    }

    /// Decodes a name. Invalid UTF-8 and NUL bytes become replacement characters.
    pub(super) fn text<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, str> {
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, Cow::Owned(_)) || text.contains('\0') {
            self.n_odd_names += 1;
            return Cow::Owned(text.replace('\0', "\u{fffd}"));
        }
        text
    }

    pub(super) fn finish(mut self, format: ReportFormat) -> Result<CoverageReport, ReportError> {
        if self.files.is_empty() {
            return Err(ReportError::Empty);
        }
        self.files.iter_mut().for_each(FileCoverage::sort_functions);
        let odd = (self.n_odd_names > 0).then(|| {
            let n = self.n_odd_names;
            format!("names that are not valid Unicode: {n}; invalid characters are shown as \u{fffd}")
        });
        Ok(CoverageReport {
            format,
            files: self.files,
            sources: self.sources,
            warnings: odd.into_iter().collect(),
        })
    }
}

/// Maximum number of base folders kept.
const MAX_SOURCES: usize = 100;

#[cfg(test)]
mod tests;
