//! Renders coverage as MiniZinc data.
//!
//! | name | type | meaning |
//! |---|---|---|
//! | `n_files` | int | files |
//! | `files` | array of string | their paths |
//! | `languages` | array of string | `cpp`, `rust` or `other` |
//! | `lines_total`, `lines_covered` | arrays of int | lines with code, and those of them that ran |
//! | `functions_total`, `functions_covered` | arrays of int | functions, and those of them that were called |
//! | `n_ranges` | int | ranges of lines that did not run |
//! | `range_file` | array of int | the file of each, as its index in `files`, from 1 |
//! | `range_first`, `range_last` | arrays of int | its first and last line |
//! | `n_functions` | int | functions |
//! | `function_file`, `function_line`, `function_count` | arrays of int | file, first line, calls |
//! | `function_name` | array of string | names |

use super::dzn_text::DznText;
use crate::coverage::file_coverage::{FileCoverage, FunctionCoverage};
use crate::coverage::line_range::LineRange;
use crate::coverage::project_coverage::ProjectCoverage;
use crate::coverage::totals::Totals;

pub(super) fn dzn(coverage: &ProjectCoverage) -> String {
    let files = &coverage.files;
    let totals: Vec<Totals> = files.iter().map(FileCoverage::totals).collect();
    let ranges: Vec<(usize, LineRange)> = (1..)
        .zip(files)
        .flat_map(|(number, file)| file.uncovered().into_iter().map(move |range| (number, range)))
        .collect();
    let functions: Vec<(usize, &FunctionCoverage)> = (1..)
        .zip(files)
        .flat_map(|(number, file)| file.functions.iter().map(move |function| (number, function)))
        .collect();
    let mut text = DznText::default();
    text.comment("Coverage by file; range_file and function_file are places in files, from 1.");
    text.number("n_files", files.len());
    text.strings("files", files.iter().map(|file| file.path.as_str()));
    text.strings("languages", files.iter().map(|file| file.language.as_str()));
    text.numbers("lines_total", totals.iter().map(|totals| totals.lines));
    text.numbers("lines_covered", totals.iter().map(|totals| totals.covered));
    text.numbers("functions_total", totals.iter().map(|totals| totals.functions));
    text.numbers(
        "functions_covered",
        totals.iter().map(|totals| totals.functions_covered),
    );
    text.comment("Lines that did not run.");
    text.number("n_ranges", ranges.len());
    text.numbers("range_file", ranges.iter().map(|(number, _)| number));
    text.numbers("range_first", ranges.iter().map(|(_, range)| range.first));
    text.numbers("range_last", ranges.iter().map(|(_, range)| range.last));
    text.comment("Functions and how often each was called.");
    text.number("n_functions", functions.len());
    text.numbers("function_file", functions.iter().map(|(number, _)| number));
    text.numbers(
        "function_line",
        functions.iter().map(|(_, function)| function.line),
    );
    text.numbers(
        "function_count",
        functions.iter().map(|(_, function)| function.count),
    );
    text.strings(
        "function_name",
        functions.iter().map(|(_, function)| function.name.as_str()),
    );
    text.finish()
}
