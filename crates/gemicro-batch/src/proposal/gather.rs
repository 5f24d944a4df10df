//! Executes steps of kind `test_material`: reads the code, its uncovered lines and the neighbouring tests.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_event::{ErrorKind, Failure};

use super::import_line::import_line;
use super::material::{Excerpt, MaterialInput, ProposalAim, ProposalMaterial};
use super::neighbours::{layout, neighbours};
use crate::coverage::{CodeLanguage, CoverageRequest, FileScope, LineRange, gather};
use crate::patch::test_lines;
use crate::project::Project;

/// Number of lines shown before and after the requested ones.
const AROUND: u32 = 25;
/// Maximum number of lines of a file that is shown whole.
const WHOLE_LINES: u32 = 300;
/// Maximum size of the code shown, in bytes.
const MOST_BYTES: usize = 48 * 1024;

/// Gathers the material for the model.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaterialExecutor;

impl Executor for MaterialExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        Box::pin(async move {
            let input: MaterialInput = call.step.read_input()?;
            let work = tokio::task::spawn_blocking(move || material(&input));
            let gathered = work.await.unwrap_or_else(|error| Err(internal(error)));
            StepOutput::free(&gathered.map_err(StepFailure::free)?)
        })
    }
}

fn material(input: &MaterialInput) -> Result<ProposalMaterial, Failure> {
    let project = Project::open(input.directory.as_ref())?;
    let text = project.read(&input.target)?.ok_or_else(|| {
        let message = format!("there is no file {} in {}", input.target, input.directory);
        Failure::new(ErrorKind::NotFound, message)
    })?;
    let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let (lines, warnings) = lines_to_cover(input, n_lines, &text)?;
    let files = project.files();
    Ok(ProposalMaterial {
        language: CodeLanguage::of(&input.target),
        excerpts: excerpts(&text, n_lines, &lines),
        import: import_line(&project, &input.target),
        neighbours: neighbours(&project, &files, &input.target),
        layout: layout(&files),
        target: input.target.clone(),
        lines,
        warnings,
    })
}

/// The lines to cover, and warnings.
fn lines_to_cover(
    input: &MaterialInput,
    n_lines: u32,
    text: &str,
) -> Result<(Vec<LineRange>, Vec<String>), Failure> {
    let outside = |range: &LineRange| range.first == 0 || range.last > n_lines;
    let beyond = |range: &LineRange| {
        let message = format!(
            "{} has {n_lines} lines; there is no line range {range}",
            input.target
        );
        Failure::new(ErrorKind::InvalidInput, message)
    };
    let within = match &input.aim {
        ProposalAim::Lines(lines) => {
            return match lines.iter().find(|range| outside(range)) {
                Some(range) => Err(beyond(range)),
                None => Ok((lines.clone(), Vec::new())),
            };
        }
        ProposalAim::Within(range) if outside(range) => return Err(beyond(range)),
        ProposalAim::Within(range) => Some(*range),
        ProposalAim::Uncovered => None,
    };
    let gathered = gather(&CoverageRequest {
        root: PathBuf::from(&input.directory),
        reports: input.reports.clone(),
        scope: FileScope::All,
    });
    let (coverage, mut warnings) = match (gathered, within) {
        (Ok(gathered), _) => (gathered.coverage, gathered.warnings),
        // The user named the lines; the report would only narrow them down.
        (Err(error), Some(range)) => return Ok((vec![range], vec![format!("no report was used: {error}")])),
        (Err(error), None) => return Err(error.into()),
    };
    let Some(mut file) = coverage.file(&input.target).cloned() else {
        let message = format!("no report contains {}", input.target);
        return match within {
            Some(range) => Ok((vec![range], vec![message])),
            None => Err(Failure::new(
                ErrorKind::NotFound,
                format!("{message}: give a line range, or make a report that has it"),
            )),
        };
    };
    if file.language == CodeLanguage::Rust {
        for (first, last) in test_lines(text) {
            file.lines.retain(|line, _| !(first..=last).contains(line));
        }
    }
    let uncovered = file.uncovered();
    let stale = uncovered.iter().filter(|range| outside(range)).count();
    if stale > 0 {
        warnings.push(format!(
            "the report does not fit {}: it is older than the file",
            input.target
        ));
    }
    let lines: Vec<LineRange> = uncovered
        .into_iter()
        .filter(|range| !outside(range))
        .filter_map(|range| match within {
            None => Some(range),
            Some(within) => common(range, within),
        })
        .collect();
    match (lines.is_empty(), within) {
        (false, _) => Ok((lines, warnings)),
        (true, Some(range)) => {
            warnings.push(format!("lines {range} are covered, according to the report"));
            Ok((vec![range], warnings))
        }
        (true, None) => Err(Failure::new(
            ErrorKind::InvalidInput,
            format!(
                "every line of {} is covered: give a line range to test it all the same",
                input.target
            ),
        )),
    }
}

/// The intersection of two ranges.
fn common(a: LineRange, b: LineRange) -> Option<LineRange> {
    let (first, last) = (a.first.max(b.first), a.last.min(b.last));
    (first <= last).then_some(LineRange { first, last })
}

/// The code around the lines; the whole file if it is short.
fn excerpts(text: &str, n_lines: u32, lines: &[LineRange]) -> Vec<Excerpt> {
    let mut windows: Vec<LineRange> = Vec::new();
    if n_lines <= WHOLE_LINES {
        windows.push(LineRange {
            first: 1,
            last: n_lines.max(1),
        });
    } else {
        for range in lines {
            let first = range.first.saturating_sub(AROUND).max(1);
            let last = range.last.saturating_add(AROUND).min(n_lines);
            match windows.last_mut().filter(|window| first <= window.last + 1) {
                Some(window) => window.last = window.last.max(last),
                None => windows.push(LineRange { first, last }),
            }
        }
    }
    let all: Vec<&str> = text.lines().collect();
    let mut left = MOST_BYTES;
    let mut excerpts = Vec::new();
    for window in windows {
        let lines = all
            .get(window.first as usize - 1..window.last as usize)
            .unwrap_or_default();
        let fitting = lines.iter().take_while(|line| {
            let fits = line.len() < left;
            left = left.saturating_sub(line.len() + 1);
            fits
        });
        let text: Vec<&str> = fitting.copied().collect();
        if !text.is_empty() {
            excerpts.push(Excerpt {
                first: window.first,
                text: text.join("\n"),
            });
        }
    }
    excerpts
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Internal, error.to_string())
}
