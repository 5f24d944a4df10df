//! Executes steps of kind `test_gaps`: reads a project's reports, history and sources, and ranks its gaps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{GitSettings, TrustedRepo};
use serde::{Deserialize, Serialize};

use super::function_name::readable;
use super::gap::{CoverageGap, gaps_of};
use super::product::product_only;
use super::rank::{FileChangeCounts, RankedGap, rank};
use crate::coverage::{CoverageRequest, FileScope, ProjectCoverage, Totals, gather};
use crate::project::Project;

/// Kind of the step that ranks the gaps of a project.
pub const GAPS_STEP: &str = "test_gaps";

/// Maximum number of commits that are counted.
const COMMITS: usize = 500;

/// Input of a step of kind `test_gaps`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapsInput {
    /// The project; an absolute path.
    pub directory: String,
    /// Reports; empty for those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// The languages whose files are ranked.
    #[serde(default)]
    pub scope: FileScope,
    /// Maximum number of gaps returned.
    pub most: usize,
}

/// Output of a step of kind `test_gaps`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapsOutput {
    /// Coverage totals.
    pub totals: Totals,
    /// Total number of gaps.
    pub n_gaps: u64,
    /// The gaps worth most, in rank order.
    pub gaps: Vec<RankedGap>,
    /// Problems that did not stop the ranking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Ranks the gaps of projects.
#[derive(Debug, Clone)]
pub struct GapsExecutor {
    git: Arc<GitSettings>,
}

impl GapsExecutor {
    /// An executor that runs git with these settings.
    #[must_use]
    pub fn new(git: GitSettings) -> Self {
        Self { git: Arc::new(git) }
    }
}

impl Executor for GapsExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let git = self.git.clone();
        Box::pin(async move {
            let input: GapsInput = call.step.read_input()?;
            let work = tokio::task::spawn_blocking(move || look(&git, input));
            let looked = work
                .await
                .unwrap_or_else(|error| Err(Failure::new(ErrorKind::Internal, error.to_string())));
            StepOutput::free(&looked.map_err(StepFailure::free)?)
        })
    }
}

fn look(git: &GitSettings, input: GapsInput) -> Result<GapsOutput, Failure> {
    let gathered = gather(&CoverageRequest {
        root: PathBuf::from(&input.directory),
        reports: input.reports,
        scope: input.scope,
    })?;
    let project = Project::open(input.directory.as_ref())?;
    let (changes, history) = changes_of(git, &project);
    let coverage = product_only(&project, gathered.coverage, &[]);
    let mut ranked = ranked_gaps(&project, &coverage, &changes);
    Ok(GapsOutput {
        totals: coverage.totals(),
        n_gaps: ranked.len() as u64,
        gaps: {
            ranked.truncate(input.most);
            ranked
        },
        warnings: gathered.warnings.into_iter().chain(history).collect(),
    })
}

/// The gaps of a project, in rank order.
pub(crate) fn ranked_gaps(
    project: &Project,
    coverage: &ProjectCoverage,
    changes: &FileChangeCounts,
) -> Vec<RankedGap> {
    let mut gaps = Vec::new();
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for file in &coverage.files {
        let mut found = gaps_of(file);
        if let Some(text) = project
            .read(&file.path)
            .ok()
            .flatten()
            .filter(|_| !found.is_empty())
        {
            let lines: Vec<&str> = text.lines().collect();
            for gap in &mut found {
                gap.function = gap
                    .function
                    .take()
                    .and_then(|name| readable(&name, &lines, gap.span().first));
            }
            texts.insert(&file.path, text);
        }
        gaps.append(&mut found);
    }
    rank(gaps, changes, |gap: &CoverageGap| {
        let lines: Vec<&str> = texts.get(gap.file.as_str())?.lines().collect();
        let picked = gap.lines.iter().flat_map(|range| {
            let (first, last) = (range.first.saturating_sub(1) as usize, range.last as usize);
            lines.get(first..last.min(lines.len())).unwrap_or_default()
        });
        Some(picked.copied().collect::<Vec<&str>>().join("\n"))
    })
}

/// How often each file changed, and a warning if the history cannot be read.
fn changes_of(git: &GitSettings, project: &Project) -> (FileChangeCounts, Option<String>) {
    let asked = TrustedRepo::open(git, project.root())
        .and_then(|repository| repository.change_counts(project.root(), COMMITS));
    match asked {
        Ok(counts) => {
            let changes = FileChangeCounts {
                n_commits: counts.n_commits,
                by_file: counts.by_file,
            };
            (changes, None)
        }
        Err(error) => (
            FileChangeCounts::default(),
            Some(format!("how often files changed is not known: {error}")),
        ),
    }
}
