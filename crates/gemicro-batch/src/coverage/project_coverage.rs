//! The coverage of a project.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::file_coverage::FileCoverage;
use super::language::FileScope;
use super::totals::{CoverageSummary, Totals};

/// What ran of a project: its files by path, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectCoverage {
    /// The covered files, ordered by path.
    pub files: Vec<FileCoverage>,
}

impl ProjectCoverage {
    /// Out of files in any order; those with one path become one.
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

    /// The same as answers have it.
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

    /// Only the files that are asked about.
    #[must_use]
    pub fn within(mut self, scope: FileScope) -> Self {
        self.files.retain(|file| scope.holds(file.language));
        self
    }

    /// Adds what another report says: all lines of both, their counts summed. Two reports of one run change no line
    /// from covered to uncovered or back.
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
