//! The coverage of a project.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::file_coverage::FileCoverage;
use super::language::FileScope;
use super::totals::{CoverageSummary, Totals};

/// Coverage of a project: its files by path, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectCoverage {
    /// The files, sorted by path.
    pub files: Vec<FileCoverage>,
}

impl ProjectCoverage {
    /// Builds it from files in any order, merging those with the same path.
    #[must_use]
    pub fn of(files: impl IntoIterator<Item = FileCoverage>) -> Self {
        let mut by_path: BTreeMap<String, FileCoverage> = BTreeMap::new();
        for mut file in files {
            match by_path.get_mut(&file.path) {
                Some(known) => known.merge(file),
                None => {
                    file.sort_functions();
                    by_path.insert(file.path.clone(), file);
                }
            }
        }
        Self {
            files: by_path.into_values().collect(),
        }
    }

    /// The sums over all files.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for file in &self.files {
            totals += file.totals();
        }
        totals
    }

    /// The totals in the form that answers use.
    #[must_use]
    pub fn summary(&self) -> CoverageSummary {
        let totals = self.totals();
        CoverageSummary {
            lines: totals.lines,
            covered: totals.covered,
            percent: totals.percent(),
            functions: totals.functions,
            functions_covered: totals.functions_covered,
            files: u64::try_from(self.files.len()).unwrap_or(u64::MAX),
        }
    }

    /// Keeps only the files in scope.
    #[must_use]
    pub fn within(mut self, scope: FileScope) -> Self {
        self.files.retain(|file| scope.holds(file.language));
        self
    }

    /// Adds another report: the union of the lines, with their counts summed. Merging two reports of the same run
    /// leaves covered lines covered and uncovered lines uncovered.
    pub fn merge(&mut self, other: Self) {
        let files = std::mem::take(&mut self.files);
        *self = Self::of(files.into_iter().chain(other.files));
    }

    /// The file with this path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileCoverage> {
        let found = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        found.ok().map(|idx| &self.files[idx])
    }
}
