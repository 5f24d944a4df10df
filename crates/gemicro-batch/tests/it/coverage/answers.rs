//! The three formats of answers, whole.

use gemicro_batch::coverage::{
    FileCoverage, FunctionCoverage, GatheredCoverage, OutputFormat, ProjectCoverage, read_report, render,
};
use serde_json::{Value, json};

/// A path, lines with their counts, and functions with their lines and calls.
pub(super) type File<'f> = (&'f str, &'f [(u32, u64)], &'f [(&'f str, u32, u64)]);

/// Coverage out of lines and functions.
pub(super) fn gathered(files: &[File<'_>]) -> GatheredCoverage {
    let file = |(path, lines, functions): &File<'_>| {
        let function = |(name, line, count): &(&str, u32, u64)| FunctionCoverage {
            name: (*name).to_owned(),
            line: *line,
            count: *count,
        };
        FileCoverage {
            lines: lines.iter().copied().collect(),
            functions: functions.iter().map(function).collect(),
            ..FileCoverage::new((*path).to_owned())
        }
    };
    GatheredCoverage {
        coverage: ProjectCoverage::of(files.iter().map(file)),
        reports: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The programs in C++ and Rust together.
pub(super) fn shapes() -> GatheredCoverage {
    let read = |text: &str| {
        read_report("r", text.replace("/srv/shapes/", "").as_bytes())
            .unwrap()
            .files
    };
    let cpp = read(include_str!("reports/gcovr-8.7.xml"));
    let rust = read(include_str!("reports/llvm-cov-19.json"));
    GatheredCoverage {
        coverage: ProjectCoverage::of(cpp.into_iter().chain(rust)),
        reports: Vec::new(),
        warnings: Vec::new(),
    }
}

fn text(gathered: &GatheredCoverage, format: OutputFormat) -> String {
    match render(gathered, format) {
        Value::String(text) => text,
        other => panic!("{other}"),
    }
}

#[test]
fn json_has_what_did_not_run() {
    let gathered = gathered(&[
        (
            "src/b.cpp",
            &[(3, 1), (4, 0), (6, 0), (7, 2), (9, 0)],
            &[("f", 3, 1), ("g", 9, 0)],
        ),
        ("a.rs", &[(1, 5)], &[]),
    ]);
    let expected = json!({
        "summary": { "lines": 6, "covered": 3, "percent": 50.0, "functions": 2, "functions_covered": 1, "files": 2 },
        "files": [
            { "path": "a.rs", "language": "rust", "lines": 1, "covered": 1, "percent": 100.0, "uncovered": [], "functions": [] },
            {
                "path": "src/b.cpp", "language": "cpp", "lines": 5, "covered": 2, "percent": 40.0, "uncovered": ["4-6", "9"],
                "functions": [{ "name": "f", "line": 3, "count": 1 }, { "name": "g", "line": 9, "count": 0 }],
            },
        ],
    });
    assert_eq!(
        render(&gathered, OutputFormat::Json).to_string(),
        expected.to_string()
    );
}

#[test]
fn a_table_of_both_languages() {
    let expected = "\
File                  Lines  Covered       %  Uncovered
-------------------------------------------------------------
src/main.cpp              7        7  100.00
src/main.rs               9        9  100.00
src/shapes.cpp           12        7   58.33  7-8, 11-14, 21
src/shapes.h              6        6  100.00
src/shapes.rs            19       12   63.15  5, 8, 14, 24-27
-------------------------------------------------------------
C++ and C, 3 files       25       20   80.00
Rust, 2 files            28       21   75.00
Total, 5 files           53       41   77.35
Functions called: 8 of 9 (88.88 %)
";
    let found = text(&shapes(), OutputFormat::TextSummary);
    assert_eq!(found, expected, "\n{found}");
}

#[test]
fn a_table_of_long_and_odd_names_keeps_its_columns() {
    let many: Vec<(u32, u64)> = (1..400).map(|line| (line, u64::from(line % 2))).collect();
    let mut odd = gathered(&[
        (
            "very/long/folder/names/that/go/on/and/on/until/they/fill/everything/in.cpp",
            &many,
            &[],
        ),
        ("漢字/ü.cpp", &[(1, 0)], &[]),
        ("bell\u{7}\u{202e}.cpp", &[], &[]),
    ]);
    odd.warnings = vec!["odd\nthing".to_owned()];
    let found = text(&odd, OutputFormat::TextSummary);
    let expected = "\
File                                                Lines  Covered       %  Uncovered
-------------------------------------------------------------------------------------------------
bell\\u{7}\\u{202e}.cpp                                   0        0       -
…/go/on/and/on/until/they/fill/everything/in.cpp      399      200   50.12  2, 4, 6, 8, 10, 12, …
漢字/ü.cpp                                              1        0    0.00  1
-------------------------------------------------------------------------------------------------
Total, 3 files                                        400      200   50.00
warning: odd\\u{a}thing
";
    assert_eq!(found, expected, "\n{found}");
    assert_eq!(
        text(&gathered(&[]), OutputFormat::TextSummary),
        "File              Lines  Covered       %  Uncovered\n---------------------------------------------------\nTotal, 0 files        0        0       -\n"
    );
}

#[test]
fn data_for_minizinc_is_arrays() {
    let gathered = gathered(&[
        ("a\"b\\(c).cpp", &[(3, 1), (4, 0), (6, 0), (9, 0)], &[("f", 3, 1)]),
        ("b\n\r.rs", &[(1, 1), (2, 0)], &[]),
    ]);
    let expected = r#"% Coverage by file; range_file and function_file are places in files, from 1.
n_files = 2;
files = ["a\"b\\(c).cpp", "b\n\x0d.rs"];
languages = ["cpp", "rust"];
lines_total = [4, 2];
lines_covered = [1, 1];
functions_total = [1, 0];
functions_covered = [1, 0];
% Lines that did not run.
n_ranges = 2;
range_file = [1, 2];
range_first = [4, 2];
range_last = [9, 2];
% Functions and how often each was called.
n_functions = 1;
function_file = [1];
function_line = [3];
function_count = [1];
function_name = ["f"];
"#;
    assert_eq!(text(&gathered, OutputFormat::MinizincDzn), expected);
}
