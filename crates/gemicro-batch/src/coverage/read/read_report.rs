//! Reads a report of any format.

use std::io::{BufRead, BufReader, Read};

use super::collected_report::{CollectedReport, CoverageReport};
use super::read_error::ReportError;
use super::report_format::ReportFormat;
use super::stoppable_reader::StoppableReader;
use super::{cobertura, lcov, llvm_json};
use crate::coverage::error::CoverageError;

/// Buffer size; the format is detected from the first buffer.
const BUFFER_BYTES: usize = 64 << 10;

/// Reads a report; `name` is used in errors.
///
/// # Errors
/// When it is empty, malformed, too large or of an unknown format.
pub fn read_report(name: &str, bytes: impl Read) -> Result<CoverageReport, CoverageError> {
    read_watched(name, StoppableReader::new(bytes, &|| false))
}

/// Like [`read_report`], for a reader that can be stopped.
pub(in crate::coverage) fn read_watched<R: Read>(
    name: &str,
    bytes: StoppableReader<'_, R>,
) -> Result<CoverageReport, CoverageError> {
    read(BufReader::with_capacity(BUFFER_BYTES, bytes)).map_err(|error| error.of_report(name))
}

fn read(mut reader: impl BufRead) -> Result<CoverageReport, ReportError> {
    let format = ReportFormat::of(reader.fill_buf()?)?;
    let mut collected = CollectedReport::default();
    match format {
        ReportFormat::Lcov => lcov::read(reader, &mut collected)?,
        ReportFormat::LlvmJson => llvm_json::read(reader, &mut collected)?,
        ReportFormat::Cobertura => cobertura::read(reader, &mut collected)?,
    }
    collected.finish(format)
}
