//! Renders coverage as JSON, with the uncovered ranges but without the count of each line.

use serde_json::{Value, json};

use crate::coverage::file_coverage::FileCoverage;
use crate::coverage::project_coverage::ProjectCoverage;

/// The totals, and the files by path.
pub(super) fn json(coverage: &ProjectCoverage) -> Value {
    json!({
        "summary": coverage.summary(),
        "files": coverage.files.iter().map(file).collect::<Vec<Value>>(),
    })
}

fn file(file: &FileCoverage) -> Value {
    let totals = file.totals();
    json!({
        "path": file.path,
        "language": file.language,
        "lines": totals.lines,
        "covered": totals.covered,
        "percent": totals.percent(),
        "uncovered": file.uncovered(),
        "functions": file.functions,
    })
}
