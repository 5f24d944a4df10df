//! Reads LCOV tracefiles, as written by lcov 1 and 2, llvm-cov, grcov and coverage.py.
//!
//! The crate `lcov` is not used: unknown records must be skipped, those of lcov 2 (`FNL`, `FNA`) read, and lines and
//! counts limited while the file is streamed.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::collected_report::CollectedReport;
use super::count::{count, line, quote_start};
use super::read_error::ReportError;
use crate::coverage::bounds::MAX_RECORD_BYTES;
use crate::coverage::file_coverage::{FunctionCoverage, add};

/// Number of lines that are buffered before they are added.
const MAX_WAITING: usize = 1 << 20;

pub(super) fn read(mut reader: impl BufRead, collected: &mut CollectedReport) -> Result<(), ReportError> {
    let mut record: Option<LcovRecord> = None;
    let mut bytes = Vec::new();
    let mut n_lines = 0_u64;
    loop {
        bytes.clear();
        let most = u64::try_from(MAX_RECORD_BYTES).unwrap_or(u64::MAX) + 1;
        if reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        n_lines += 1;
        let at = || format!("line {n_lines}");
        if bytes.len() > MAX_RECORD_BYTES {
            let message = format!("a line is longer than {MAX_RECORD_BYTES} bytes");
            return Err(ReportError::malformed(at(), message));
        }
        let text = bytes.trim_ascii();
        let text = if n_lines == 1 {
            text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
        } else {
            text
        };
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        if text == b"end_of_record" {
            let ended = record.take();
            let ended =
                ended.ok_or_else(|| ReportError::malformed(at(), "`end_of_record` before any `SF:`"))?;
            ended.close(collected)?;
            continue;
        }
        let Some((name, rest)) = split_record(text) else {
            let found = quote_start(&String::from_utf8_lossy(text));
            let message = format!("expected a record such as `DA:12,1`, found `{found}`");
            return Err(ReportError::malformed(at(), message));
        };
        match (name, &mut record) {
            (b"SF", Some(open)) => {
                let message = format!(
                    "expected `end_of_record` of the file that began in line {}",
                    open.began_at
                );
                return Err(ReportError::malformed(at(), message));
            }
            (b"SF", none) => {
                let path = collected.text(rest);
                if path.trim().is_empty() {
                    return Err(ReportError::malformed(at(), "expected a path after `SF:`"));
                }
                *none = Some(LcovRecord::new(collected.file(&path)?, n_lines));
            }
            (b"DA" | b"FN" | b"FNDA" | b"FNL" | b"FNA", None) => {
                let name = String::from_utf8_lossy(name);
                return Err(ReportError::malformed(
                    at(),
                    format!("`{name}` outside a file; expected `SF:` before"),
                ));
            }
            (b"DA" | b"FN" | b"FNDA" | b"FNL" | b"FNA", Some(open)) => {
                let rest = collected.text(rest);
                let fits = open.take(name, &rest);
                fits.map_err(|message| ReportError::malformed(at(), message))?;
                if open.lines.len() >= MAX_WAITING {
                    collected.add_lines(open.file_idx, &mut open.lines)?;
                }
            }
            // Test names, totals, branches, versions, and records of future tools.
            _ => {}
        }
    }
    match record {
        Some(open) => {
            let message = format!(
                "the report ends inside the file that began in line {}; it was cut off",
                open.began_at
            );
            Err(ReportError::malformed(format!("line {n_lines}"), message))
        }
        None => Ok(()),
    }
}

/// Splits `NAME:rest`. Names consist of letters, digits and `_`.
fn split_record(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    let (name, rest) = text.split_at(colon);
    let is_name = !name.is_empty()
        && name.len() <= 32
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then(|| (name, &rest[1..]))
}

/// One file while its records are read.
#[derive(Debug)]
struct LcovRecord {
    file_idx: usize,
    began_at: u64,
    lines: Vec<(u32, u64)>,
    /// Functions by name: first line, if known, and number of calls.
    functions: HashMap<String, (Option<u32>, u64)>,
    /// First lines of the functions of lcov 2, by their index.
    begins: HashMap<String, u32>,
}

impl LcovRecord {
    fn new(file_idx: usize, began_at: u64) -> Self {
        Self {
            file_idx,
            began_at,
            lines: Vec::new(),
            functions: HashMap::new(),
            begins: HashMap::new(),
        }
    }

    fn take(&mut self, name: &[u8], rest: &str) -> Result<(), String> {
        let two = |expected: &str| {
            rest.split_once(',')
                .ok_or_else(|| format!("expected `{expected}`"))
        };
        match name {
            b"DA" => {
                let (number, rest) = two("DA:line,count")?;
                let of_line = count(rest.split(',').next().unwrap_or(rest))?;
                self.lines.extend(line(number)?.map(|line| (line, of_line)));
            }
            b"FN" => {
                let (number, rest) = two("FN:line,name")?;
                // lcov 2 and coverage.py write the last line between line and name.
                let name = match rest.split_once(',') {
                    Some((last, name)) if line(last).is_ok() && !name.is_empty() => name,
                    Some(_) | None => rest,
                };
                let begin = line(number)?;
                let known = self.functions.entry(name.to_owned()).or_default();
                known.0 = known.0.or(begin);
            }
            b"FNDA" => {
                let (calls, name) = two("FNDA:count,name")?;
                let calls = count(calls)?;
                add(&mut self.functions.entry(name.to_owned()).or_default().1, calls);
            }
            b"FNL" => {
                let (number, rest) = two("FNL:index,line")?;
                if let Some(begin) = line(rest.split(',').next().unwrap_or(rest))? {
                    self.begins.insert(number.trim().to_owned(), begin);
                }
            }
            b"FNA" => {
                let (number, rest) = two("FNA:index,count,name")?;
                let (calls, name) = rest
                    .split_once(',')
                    .ok_or_else(|| "expected `FNA:index,count,name`".to_owned())?;
                let calls = count(calls)?;
                let begin = self.begins.get(number.trim()).copied();
                let known = self.functions.entry(name.to_owned()).or_default();
                known.0 = known.0.or(begin);
                add(&mut known.1, calls);
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the file. Functions without a known first line are left out.
    fn close(mut self, collected: &mut CollectedReport) -> Result<(), ReportError> {
        collected.add_lines(self.file_idx, &mut self.lines)?;
        for (name, (begin, count)) in self.functions {
            if let Some(line) = begin {
                collected.add_function(self.file_idx, FunctionCoverage { name, line, count })?;
            }
        }
        Ok(())
    }
}
