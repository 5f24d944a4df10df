//! What counts as the program.

use super::product_only;
use crate::coverage::{FileCoverage, FunctionCoverage, ProjectCoverage};
use crate::project::Project;

const RUST: &str = "pub fn a() {}

#[cfg(test)]
mod tests {
    #[test]
    fn t() {}
}

pub fn b() {}
";

/// Every line is one of code, and a function begins at each.
fn file(path: &str) -> FileCoverage {
    let lines = 1..=9;
    FileCoverage {
        lines: lines.clone().map(|line| (line, 1)).collect(),
        functions: lines
            .map(|line| FunctionCoverage {
                name: format!("f{line}"),
                line,
                count: 1,
            })
            .collect(),
        ..FileCoverage::new(path.to_owned())
    }
}

/// The files that count, and the lines of each.
fn check(paths: &[&str], leave: &[&str], expected: &[(&str, &[u32])]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    std::fs::write(folder.path().join("src/a.rs"), RUST).unwrap();
    std::fs::write(folder.path().join("src/a.cpp"), RUST).unwrap();
    std::fs::write(folder.path().join("src/all.rs"), "#![cfg(test)]\nfn t() {}\n").unwrap();
    let project = Project::open(folder.path()).unwrap();
    let coverage = ProjectCoverage::of(paths.iter().map(|path| file(path)));
    let leave: Vec<String> = leave.iter().map(|it| (*it).to_owned()).collect();
    let product = product_only(&project, coverage, &leave);
    let lines = |file: &FileCoverage| -> Vec<u32> { file.lines.keys().copied().collect() };
    for file in &product.files {
        let begins: Vec<u32> = file.functions.iter().map(|function| function.line).collect();
        assert_eq!(begins, lines(file), "functions go with their lines");
    }
    let found: Vec<(String, Vec<u32>)> = product
        .files
        .iter()
        .map(|file| (file.path.clone(), lines(file)))
        .collect();
    let expected: Vec<(String, Vec<u32>)> = expected
        .iter()
        .map(|(path, lines)| ((*path).to_owned(), lines.to_vec()))
        .collect();
    assert_eq!(found, expected);
}

const ALL: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9];

#[test]
fn tests_inside_a_rust_file_do_not_count() {
    check(&["src/a.rs"], &[], &[("src/a.rs", &[1, 2, 8, 9])]);
    check(&["src/all.rs"], &[], &[]);
    // In C++ the same text means nothing; and what cannot be read is all there is.
    check(
        &["src/a.cpp", "src/gone.rs"],
        &[],
        &[("src/a.cpp", ALL), ("src/gone.rs", ALL)],
    );
}

#[test]
fn files_of_tests_do_not_count() {
    check(
        &["tests/a.rs", "src/a_test.cpp", "test/x.cpp", "src/b.cpp"],
        &[],
        &[("src/b.cpp", ALL)],
    );
    check(
        &["checks/a.cpp", "src/b.cpp"],
        &["checks/*"],
        &[("src/b.cpp", ALL)],
    );
}
