//! Small programs, measured by the real tools: our totals are those of the tools' own summaries.
//!
//! A machine without a tool skips its test with a loud line, and fails in CI.

use std::path::Path;

use gemicro_batch::coverage::{FileScope, GatheredCoverage};

use super::project::{Project, assert_there, run};

const CPP: [(&str, &str); 3] = [
    ("src/main.cpp", include_str!("cpp/main.cpp")),
    ("src/shapes.cpp", include_str!("cpp/shapes.cpp")),
    ("src/shapes.h", include_str!("cpp/shapes.h")),
];
const RUST: [(&str, &str); 2] = [
    ("src/main.rs", include_str!("rust/main.rs")),
    ("src/shapes.rs", include_str!("rust/shapes.rs")),
];
/// The Python of the tests.
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/python/bin/python");

fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    for (name, text) in files {
        project.write(name, text);
        project.written(name, 60);
    }
    project
}

/// All numbers of the line of a summary that begins with a word.
fn numbers(printed: &str, word: &str) -> Vec<u64> {
    let line = printed
        .lines()
        .find(|line| line.trim_start().starts_with(word))
        .unwrap_or_else(|| panic!("{printed}"));
    let words = line.split(|char: char| char.is_whitespace() || "()%".contains(char));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn lines(gathered: &GatheredCoverage) -> (u64, u64) {
    let totals = gathered.coverage.totals();
    (totals.covered, totals.lines)
}

/// No file was left out, moved or newer than its report.
fn assert_plain(gathered: &GatheredCoverage) {
    assert_eq!(gathered.warnings, Vec::<String>::new());
    assert!(gathered.reports.iter().all(|report| !report.is_stale));
}

/// Builds the program of the C++ project with counters, and runs it.
fn run_instrumented(root: &Path) {
    let sources = ["src/main.cpp", "src/shapes.cpp"];
    run(
        root,
        &[&["g++", "--coverage", "-O0", "-o", "shapes"][..], &sources].concat(),
    );
    run(root, &["./shapes"]);
}

#[test]
fn gcc_with_lcov() {
    assert_there(&[&["g++", "--version"], &["lcov", "--version"]]);
    let project = project(&CPP);
    let root = project.root();
    run_instrumented(&root);
    run(
        &root,
        &[
            "lcov",
            "-q",
            "-c",
            "-d",
            ".",
            "-o",
            "coverage.info",
            "--no-external",
        ],
    );
    let summary = run(&root, &["lcov", "--summary", "coverage.info"]);
    let gathered = project.all();
    assert_plain(&gathered);
    let (covered, all) = lines(&gathered);
    assert!(covered < all && covered > 0);
    assert_eq!(numbers(&summary, "lines")[..], [covered, all], "{summary}");
    // lcov 1 counts names of functions, lcov 2 the lines where they begin.
    let totals = gathered.coverage.totals();
    let names = || gathered.coverage.files.iter().flat_map(|file| &file.functions);
    let called = u64::try_from(names().filter(|function| function.count > 0).count()).unwrap();
    let by_name = [called, u64::try_from(names().count()).unwrap()];
    let by_line = [totals.functions_covered, totals.functions];
    let figures = numbers(&summary, "functions");
    assert!(figures == by_name || figures == by_line, "{summary}");
}

#[test]
fn gcc_with_gcovr() {
    let gcovr = [PYTHON, "-m", "gcovr"];
    assert_there(&[&["g++", "--version"], &[PYTHON, "-m", "gcovr", "--version"]]);
    let project = project(&CPP);
    let root = project.root();
    run_instrumented(&root);
    let arguments = ["-r", ".", "--cobertura", "coverage.xml", "--print-summary"];
    let summary = run(&root, &[&gcovr[..], &arguments].concat());
    let gathered = project.all();
    assert_plain(&gathered);
    let (covered, all) = lines(&gathered);
    assert!(covered < all && covered > 0);
    assert_eq!(numbers(&summary, "lines:")[..], [covered, all], "{summary}");
    let totals = gathered.coverage.totals();
    assert_eq!(
        numbers(&summary, "functions:"),
        [totals.functions_covered, totals.functions],
        "{summary}"
    );
}

#[test]
fn rustc_with_llvm_cov() {
    let (cov, profdata) = ("llvm-cov-19", "llvm-profdata-19");
    assert_there(&[
        &["rustc", "--version"],
        &[cov, "--version"],
        &[profdata, "merge", "--version"],
    ]);
    let project = project(&RUST);
    let root = project.root();
    let build = [
        "rustc",
        "-A",
        "warnings",
        "-C",
        "instrument-coverage",
        "--edition",
        "2024",
        "-o",
        "shapes",
        "src/main.rs",
    ];
    run(&root, &build);
    run(&root, &["./shapes"]);
    run(
        &root,
        &[
            profdata,
            "merge",
            "-sparse",
            "shapes.profraw",
            "-o",
            "shapes.profdata",
        ],
    );
    let profile = "-instr-profile=shapes.profdata";
    let summary = run(&root, &[cov, "report", "./shapes", profile]);
    let json = run(&root, &[cov, "export", "./shapes", profile]);
    let lcov = run(&root, &[cov, "export", "--format=lcov", "./shapes", profile]);
    project.write("coverage.json", json);
    project.write("lcov.info", lcov);
    let figures = numbers(&summary, "TOTAL");
    let [n_functions, n_missed_functions, n_lines, n_missed] =
        [figures[2], figures[3], figures[4], figures[5]];
    for report in ["coverage.json", "lcov.info"] {
        let gathered = project.gather(&[report], FileScope::Rust).unwrap();
        assert_plain(&gathered);
        assert!(n_missed > 0 && n_missed < n_lines);
        assert_eq!(
            lines(&gathered),
            (n_lines - n_missed, n_lines),
            "{report}: {summary}"
        );
        let totals = gathered.coverage.totals();
        let functions = (totals.functions_covered, totals.functions);
        assert_eq!(
            functions,
            (n_functions - n_missed_functions, n_functions),
            "{report}: {summary}"
        );
    }
    // Both are of one run: together they say what each says.
    assert_eq!(lines(&project.all()), (n_lines - n_missed, n_lines));
}

#[test]
fn coverage_py_with_cobertura() {
    assert_there(&[&[PYTHON, "-m", "coverage", "--version"]]);
    let project = project(&[("shapes.py", include_str!("python/shapes.py"))]);
    let root = project.root();
    run(&root, &[PYTHON, "-m", "coverage", "run", "shapes.py"]);
    run(
        &root,
        &[PYTHON, "-m", "coverage", "xml", "-q", "-o", "coverage.xml"],
    );
    run(
        &root,
        &[PYTHON, "-m", "coverage", "lcov", "-q", "-o", "lcov.info"],
    );
    let summary = run(&root, &[PYTHON, "-m", "coverage", "report"]);
    let figures = numbers(&summary, "TOTAL");
    for report in ["coverage.xml", "lcov.info"] {
        let gathered = project.gather(&[report], FileScope::All).unwrap();
        assert_plain(&gathered);
        assert_eq!(
            lines(&gathered),
            (figures[0] - figures[1], figures[0]),
            "{report}: {summary}"
        );
    }
}
