//! Gathers the coverage of a project: finds, reads and merges its reports.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::bounds::MAX_REPORTS;
use super::error::CoverageError;
use super::file_coverage::FileCoverage;
use super::find::{OpenedReport, ProjectPaths, open, places_text, usual_reports};
use super::language::FileScope;
use super::project_coverage::ProjectCoverage;
use super::read::{CoverageReport, ReportFormat, StoppableReader, read_watched};

/// Tolerance for stale reports: a checkout writes its files one after the other, and a report among them is not stale.
const TOGETHER: Duration = Duration::from_secs(10);

/// Maximum number of paths named in a warning.
const MAX_EXAMPLES: usize = 3;

/// Which reports to read, and which files count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageRequest {
    /// The folder of the project.
    pub root: PathBuf,
    /// Reports inside the project, relative or absolute; empty for those in [the usual places](super::USUAL_PLACES).
    pub reports: Vec<String>,
    /// The languages to include.
    pub scope: FileScope,
}

/// The coverage of a project, and its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatheredCoverage {
    /// Lines and functions, by file.
    pub coverage: ProjectCoverage,
    /// The reports that were merged, in the order of reading.
    pub reports: Vec<ReportSeen>,
    /// Problems found on the way.
    pub warnings: Vec<String>,
}

/// A report that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSeen {
    /// Path relative to the project's folder.
    pub path: String,
    /// Its file format.
    pub format: ReportFormat,
    /// Whether a source file that it names was modified after the report.
    pub is_stale: bool,
    /// Number of files of the project that it names, in any language.
    pub files: u64,
}

/// Finds, reads and merges the reports of a project. Blocking.
///
/// # Errors
/// When there is no report, or one is empty, malformed, too large or outside the project.
pub fn gather(asked: &CoverageRequest) -> Result<GatheredCoverage, CoverageError> {
    gather_until(asked, &|| false)
}

/// Like [`gather`], but ends early once `is_stopped` returns true.
///
/// # Errors
/// Those of [`gather`], and when it was stopped.
pub fn gather_until(
    asked: &CoverageRequest,
    is_stopped: &dyn Fn() -> bool,
) -> Result<GatheredCoverage, CoverageError> {
    let unreadable = |source| CoverageError::Unreadable {
        path: asked.root.display().to_string(),
        source,
    };
    let real = std::fs::canonicalize(&asked.root).map_err(unreadable)?;
    let named = std::path::absolute(&asked.root).map_err(unreadable)?;
    let mut gathering = CoverageSearch {
        paths: ProjectPaths::new(&named, &real),
        coverage: Vec::new(),
        reports: Vec::new(),
        warnings: Vec::new(),
    };
    for opened in reports(asked, &named, &real, &mut gathering.warnings)? {
        gathering.add(opened, is_stopped)?;
    }
    gathering.passed_over(asked, &real)?;
    let coverage = ProjectCoverage::of(gathering.coverage);
    let is_empty = coverage.files.is_empty();
    let coverage = coverage.within(asked.scope);
    if coverage.files.is_empty() && !is_empty {
        let language = match asked.scope {
            FileScope::All => "the project",
            FileScope::Cpp => "C++ or C",
            FileScope::Rust => "Rust",
        };
        gathering
            .warnings
            .push(format!("the reports contain no {language} files"));
    }
    Ok(GatheredCoverage {
        coverage,
        reports: gathering.reports,
        warnings: gathering.warnings,
    })
}

/// A report to read. Only a report that the request named must have a known format.
struct ReportSearch {
    opened: OpenedReport,
    is_named: bool,
}

/// Opens the requested reports, or those in the usual places.
fn reports(
    asked: &CoverageRequest,
    named: &Path,
    real: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<ReportSearch>, CoverageError> {
    let is_named = !asked.reports.is_empty();
    let names = match is_named {
        true => asked.reports.clone(),
        false => usual_reports(real),
    };
    if names.len() > MAX_REPORTS {
        return Err(CoverageError::TooMany {
            n: names.len(),
            most: MAX_REPORTS,
        });
    }
    let mut found: Vec<ReportSearch> = Vec::new();
    for name in names {
        // The path may go through a link to the project.
        let below = Path::new(&name).strip_prefix(named).ok().and_then(Path::to_str);
        match open(real, below.unwrap_or(&name)) {
            // A report that is given twice, or has a second name, counts once.
            Ok(opened) if found.iter().any(|known| known.opened.path == opened.path) => {}
            Ok(opened) => found.push(ReportSearch { opened, is_named }),
            Err(error @ (CoverageError::Outside { .. } | CoverageError::NotFound { .. })) if !is_named => {
                warnings.push(format!("{name} was skipped: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

struct CoverageSearch {
    paths: ProjectPaths,
    coverage: Vec<FileCoverage>,
    reports: Vec<ReportSeen>,
    warnings: Vec<String>,
}

impl CoverageSearch {
    fn add(&mut self, found: ReportSearch, is_stopped: &dyn Fn() -> bool) -> Result<(), CoverageError> {
        let ReportSearch { opened, is_named } = found;
        let bytes = StoppableReader::new(&opened.file, is_stopped);
        let report = match read_watched(&opened.path, bytes) {
            Ok(report) => report,
            Err(error @ CoverageError::OtherFormat { .. }) if !is_named => {
                self.warnings
                    .push(format!("{} was skipped: {error}", opened.path));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let warnings = report
            .warnings
            .iter()
            .map(|warning| format!("{}: {warning}", opened.path));
        self.warnings.extend(warnings);
        let format = report.format;
        let files = self.project_files(report, &opened);
        let newest = self.look_at_sources(&files, &opened);
        let is_stale = newest.is_some_and(|newest| newest > opened.written_at + TOGETHER);
        if is_stale {
            let path = &opened.path;
            self.warnings.push(format!(
                "{path} is older than a source file that it names; run the tests with coverage again"
            ));
        }
        self.reports.push(ReportSeen {
            path: opened.path,
            format,
            is_stale,
            files: u64::try_from(files.len()).unwrap_or(u64::MAX),
        });
        self.coverage.extend(files);
        Ok(())
    }

    /// The report's files that belong to the project, with relative paths.
    fn project_files(&mut self, report: CoverageReport, opened: &OpenedReport) -> Vec<FileCoverage> {
        let paths: Vec<&str> = report.files.iter().map(|file| file.path.as_str()).collect();
        let placed = self.paths.place(&paths, &opened.folder, &report.sources);
        if let Some(checkout) = &placed.moved_from {
            let path = &opened.path;
            self.warnings.push(format!(
                "{path} was made in {checkout}; files there count as this project's"
            ));
        }
        let mut files = Vec::new();
        let mut strangers = Examples::default();
        for (mut file, path) in report.files.into_iter().zip(placed.paths) {
            match path {
                Some(path) => {
                    file.path = path;
                    files.push(file);
                }
                None => strangers.add(&file.path),
            }
        }
        self.warnings
            .extend(strangers.unread_report(&opened.path, "outside the project and left out"));
        files
    }

    /// The modification time of the newest source; warns about missing ones.
    fn look_at_sources(&mut self, files: &[FileCoverage], opened: &OpenedReport) -> Option<SystemTime> {
        let mut gone = Examples::default();
        let mut newest = None;
        for file in files {
            match self.paths.written_at(&file.path) {
                Some(at) => newest = newest.max(Some(at)),
                None => gone.add(&file.path),
            }
        }
        self.warnings
            .extend(gone.unread_report(&opened.path, "not in the project any more (moved or deleted)"));
        newest
    }

    /// Fails if no report was named and none was found.
    fn passed_over(&self, asked: &CoverageRequest, real: &Path) -> Result<(), CoverageError> {
        if !self.reports.is_empty() || !asked.reports.is_empty() {
            return Ok(());
        }
        let odd: String = self
            .warnings
            .iter()
            .map(|warning| format!("; {warning}"))
            .collect();
        Err(CoverageError::NoReport {
            root: real.display().to_string(),
            looked: format!("{}{odd}", places_text()),
        })
    }
}

/// A number of paths, and the first few of them for a warning.
#[derive(Debug, Default)]
struct Examples {
    n: usize,
    first: Vec<String>,
}

impl Examples {
    fn add(&mut self, path: &str) {
        self.n += 1;
        if self.first.len() < MAX_EXAMPLES {
            self.first.push(path.escape_debug().to_string());
        }
    }

    fn unread_report(self, report: &str, fate: &str) -> Option<String> {
        let more = if self.n > self.first.len() { ", …" } else { "" };
        let noun = if self.n == 1 { "file is" } else { "files are" };
        let (n, first) = (self.n, self.first.join(", "));
        (n > 0).then(|| format!("{report}: {n} {noun} {fate}: {first}{more}"))
    }
}
