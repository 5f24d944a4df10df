//! Coverage of the program itself, without tests, which cover themselves.

use crate::coverage::{CodeLanguage, ProjectCoverage};
use crate::patch::{PathRole, matches, role_of, test_lines};
use crate::project::Project;

/// Removes test files, and test-only items of Rust files, from the coverage.
pub(crate) fn product_only(
    project: &Project,
    coverage: ProjectCoverage,
    leave: &[String],
) -> ProjectCoverage {
    let is_test = |path: &str| role_of(path) == PathRole::Test || leave.iter().any(|it| matches(it, path));
    let files = coverage.files.into_iter().filter(|file| !is_test(&file.path));
    let files = files.map(|mut file| {
        if file.language == CodeLanguage::Rust
            && let Ok(Some(text)) = project.read(&file.path)
        {
            for (first, last) in test_lines(&text) {
                file.lines.retain(|line, _| !(first..=last).contains(line));
                file.functions
                    .retain(|function| !(first..=last).contains(&function.line));
            }
        }
        file
    });
    ProjectCoverage {
        files: files.filter(|file| !file.lines.is_empty()).collect(),
    }
}

#[cfg(test)]
mod tests;
