//! Reads the JSON of `llvm-cov export`, versions 2 and 3.
//!
//! Only lines and functions are kept. Function names stay mangled. Functions in files that the export does not list are
//! left out.

mod values;

use std::io::BufRead;

use serde::Deserialize;

use self::values::{FileEntry, FunctionEntry};
use super::collected_report::CollectedReport;
use super::read_error::ReportError;
use crate::coverage::file_coverage::FunctionCoverage;

/// The `type` field of an export.
const TYPE: &str = "llvm.coverage.json.export";

#[derive(Deserialize)]
struct Export {
    #[serde(rename = "type")]
    named: Option<String>,
    data: Option<Vec<ExportData>>,
}

#[derive(Deserialize)]
struct ExportData {
    #[serde(default)]
    files: Vec<FileEntry>,
    #[serde(default)]
    functions: Vec<FunctionEntry>,
}

pub(super) fn read(reader: impl BufRead, collected: &mut CollectedReport) -> Result<(), ReportError> {
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = Export::deserialize(&mut json).and_then(|export| json.end().map(|()| export));
    let export = read.map_err(|error| {
        if error.is_io() {
            return ReportError::Io(error.into());
        }
        let place = format!("line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message);
        ReportError::malformed(place, message)
    })?;
    let data = export.data.filter(|_| export.named.as_deref() == Some(TYPE));
    let data = data.ok_or_else(|| ReportError::OtherFormat("JSON of another tool".to_owned()))?;
    for ExportData { files, functions } in data {
        for entry in files {
            let path = collected.text(&entry.filename.0);
            let file_idx = collected.file(&path)?;
            let mut lines = entry.segments.0;
            collected.add_lines(file_idx, &mut lines)?;
        }
        for entry in functions {
            add_function(collected, &entry)?;
        }
    }
    Ok(())
}

fn add_function(collected: &mut CollectedReport, entry: &FunctionEntry) -> Result<(), ReportError> {
    let (Some(path), Some(line)) = (entry.filenames.first(), entry.regions.0) else {
        return Ok(());
    };
    let path = String::from_utf8_lossy(&path.0).replace('\0', "\u{fffd}");
    let Some(file_idx) = collected.file_index(&path) else {
        return Ok(());
    };
    let function = FunctionCoverage {
        name: String::from_utf8_lossy(&entry.name.0).into_owned(),
        line,
        count: entry.count.as_count(),
    };
    collected.add_function(file_idx, function)
}
