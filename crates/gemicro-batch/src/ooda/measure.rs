//! Measures coverage: runs the tests and the coverage command, and reads the reports.

use std::path::Path;
use std::time::{Duration, SystemTime};

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::observation::{FileFigures, Observation, UncoveredLines};
use super::plan::Commands;
use super::trial::RejectionKind;
use crate::coverage::{CoverageRequest, ProjectCoverage, gather};
use crate::patch::NewText;
use crate::project::Project;
use crate::strategy::{FileChangeCounts, product_only, ranked_gaps};
use crate::workshop::{CommandRun, Renewable, Workshop};

/// Maximum number of gaps in an observation.
const MOST_GAPS: usize = 200;
/// Tolerance for file times, which are coarser than clocks.
const COARSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct MeasuredTree {
    pub(super) coverage: ProjectCoverage,
    pub(super) warnings: Vec<String>,
    pub(super) test_ms: u64,
}

/// Why coverage could not be measured.
#[derive(Debug)]
pub(super) enum UnmeasuredTree {
    /// A problem of the project, or of the test being tried.
    Trouble {
        reason: RejectionKind,
        message: String,
        output: String,
    },
    /// A problem of this machine.
    Failed(Failure),
}

impl From<Failure> for UnmeasuredTree {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Measures a project without changes.
///
/// # Errors
/// When its tests fail before anything was changed, or coverage cannot be measured.
pub async fn observe(
    place: &dyn Renewable,
    commands: &Commands,
    about: (&FileChangeCounts, &str),
    cancel: &CancellationToken,
) -> Result<Observation, Failure> {
    match measure(place, &[], commands, cancel).await {
        Ok(measured) => observation(place.workshop(), measured, about),
        Err(UnmeasuredTree::Failed(failure)) => Err(failure),
        Err(UnmeasuredTree::Trouble {
            reason,
            message,
            output,
        }) => {
            let kind = match reason {
                RejectionKind::TestsHang => ErrorKind::Timeout,
                _ => ErrorKind::UnsupportedRepository,
            };
            let last: Vec<&str> = output.trim_end().lines().rev().take(12).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            let message = match reason {
                RejectionKind::TestsFail | RejectionKind::TestsHang => {
                    format!("{message}, before anything was changed:\n{}", last.join("\n"))
                }
                _ => format!("coverage cannot be measured: {message}\n{}", last.join("\n")),
            };
            Err(Failure {
                detail: Some(Json::from(json!({ "output": output }))),
                ..Failure::new(kind, message.trim_end().trim_end_matches(':'))
            })
        }
    }
}

/// Turns a measurement into an observation.
pub(super) fn observation(
    workshop: &Workshop,
    measured: MeasuredTree,
    (changes, commit): (&FileChangeCounts, &str),
) -> Result<Observation, Failure> {
    let project = Project::open(workshop.folder())?;
    let coverage = &measured.coverage;
    let mut gaps = ranked_gaps(&project, coverage, changes);
    let n_gaps = gaps.len() as u64;
    gaps.truncate(MOST_GAPS);
    let files = coverage.files.iter();
    let figures = files.clone().map(|file| {
        let totals = file.totals();
        FileFigures {
            path: file.path.clone(),
            lines: totals.lines,
            covered: totals.covered,
        }
    });
    let uncovered = files.clone().map(|file| UncoveredLines {
        path: file.path.clone(),
        ranges: file.uncovered(),
    });
    Ok(Observation {
        totals: coverage.totals(),
        files: figures.collect(),
        uncovered: uncovered.filter(|file| !file.ranges.is_empty()).collect(),
        n_gaps,
        gaps,
        commit: commit.to_owned(),
        folder: workshop.folder().display().to_string(),
        test_ms: measured.test_ms,
        warnings: measured.warnings,
    })
}

/// Runs the tests with these files and then, in a renewed workshop, the coverage command; reads its reports.
pub(super) async fn measure(
    place: &dyn Renewable,
    texts: &[NewText],
    commands: &Commands,
    cancel: &CancellationToken,
) -> Result<MeasuredTree, UnmeasuredTree> {
    let workshop = place.workshop();
    let test = &commands.test;
    write_all(workshop, texts, cancel).await?;
    let tested = workshop
        .run(&test.command, Duration::from_millis(test.timeout_ms), cancel)
        .await?;
    let test_ms = u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX);
    if !tested.is_good() {
        return Err(tests_failed(tested, test.timeout_ms));
    }
    // Files that the tests left behind must not influence the measurement.
    place.renew().await?;
    write_all(workshop, texts, cancel).await?;
    let order = &commands.coverage;
    let began = SystemTime::now() - COARSE;
    let ran = workshop
        .run(&order.command, Duration::from_millis(order.timeout_ms), cancel)
        .await?;
    let not_measured = |message: String, output: String| UnmeasuredTree::Trouble {
        reason: RejectionKind::NotMeasured,
        message,
        output,
    };
    match ran.exit_code {
        Some(0) => {}
        Some(code) => {
            let message = format!("the coverage command ended with exit code {code}");
            return Err(not_measured(message, ran.output));
        }
        None => {
            let message = format!(
                "the coverage command did not end within {} s",
                order.timeout_ms / 1_000
            );
            return Err(not_measured(message, ran.output));
        }
    }
    let (root, commands) = (workshop.folder().to_owned(), commands.clone());
    let read = tokio::task::spawn_blocking(move || read(&root, &commands, began)).await;
    let (coverage, warnings) = read
        .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?
        .map_err(|message| not_measured(message, ran.output))?;
    Ok(MeasuredTree {
        coverage,
        warnings,
        test_ms,
    })
}

/// Writes files into a workshop.
pub(super) async fn write_all(
    workshop: &Workshop,
    texts: &[NewText],
    cancel: &CancellationToken,
) -> Result<(), Failure> {
    for text in texts {
        workshop.write(&text.path, &text.new, cancel).await?;
    }
    Ok(())
}

fn tests_failed(ran: CommandRun, timeout_ms: u64) -> UnmeasuredTree {
    let (reason, message) = match ran.exit_code {
        Some(code) => (
            RejectionKind::TestsFail,
            format!("the tests fail (exit code {code})"),
        ),
        None => (
            RejectionKind::TestsHang,
            format!("the tests did not end within {} s", timeout_ms / 1_000),
        ),
    };
    UnmeasuredTree::Trouble {
        reason,
        message,
        output: ran.output,
    }
}

/// Reads the reports written since `began`; older ones are ignored.
fn read(
    root: &Path,
    commands: &Commands,
    began: SystemTime,
) -> Result<(ProjectCoverage, Vec<String>), String> {
    let asked = CoverageRequest {
        root: root.to_owned(),
        reports: commands.reports.clone(),
        scope: commands.scope,
    };
    let mut gathered = gather(&asked).map_err(|error| error.to_string())?;
    let is_new = |path: &str| {
        let written = std::fs::metadata(root.join(path)).and_then(|about| about.modified());
        written.is_ok_and(|at| at >= began)
    };
    let all = gathered.reports.len();
    let new: Vec<String> = gathered
        .reports
        .iter()
        .map(|report| report.path.clone())
        .filter(|path| is_new(path))
        .collect();
    if new.is_empty() {
        return Err("the coverage command wrote no report".to_owned());
    }
    if new.len() < all {
        gathered = gather(&CoverageRequest {
            reports: new,
            ..asked
        })
        .map_err(|error| error.to_string())?;
    }
    let project = Project::open(root).map_err(|failure| failure.message)?;
    let coverage = product_only(&project, gathered.coverage, &commands.leave);
    if coverage.files.is_empty() {
        return Err("the report contains no file of the program".to_owned());
    }
    Ok((coverage, gathered.warnings))
}
