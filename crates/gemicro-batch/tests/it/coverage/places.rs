//! The usual places, merging, scopes, and reports that are older than the sources.

use gemicro_batch::coverage::{FileScope, ReportFormat};

use super::project::{Project, lcov};

#[test]
fn all_reports_in_the_usual_places_are_merged_in_their_order() {
    let project = Project::new();
    project.write("a.c", "");
    let places = [
        "coverage.info",
        "lcov.info",
        "coverage/lcov.info",
        "coverage/unit.info",
        "target/llvm-cov/anything.lcov",
        "target/coverage/x.info",
        "target/llvm-cov-target/y.info",
        "build/coverage.info",
        "build/coverage/z.info",
        "cmake-build-debug/coverage.info",
        "cmake-build-debug/coverage/w.info",
        "out/lcov.info",
    ];
    for (line, place) in (1..).zip(places) {
        project.write(place, lcov("a.c", &[(line, 1), (100, 0)]));
    }
    for other in [
        "notes.info",
        "coverage/deeper/lcov.info",
        "src/lcov.info",
        "target/llvm-cov/index.html",
    ] {
        project.write(other, "not a report");
    }
    let gathered = project.all();
    let paths: Vec<&str> = gathered
        .reports
        .iter()
        .map(|report| report.path.as_str())
        .collect();
    assert_eq!(paths, places);
    assert_eq!(gathered.warnings, Vec::<String>::new());
    let totals = gathered.coverage.totals();
    assert_eq!((totals.lines, totals.covered), (13, 12));
    let named = project
        .gather(&["coverage/unit.info", "out/lcov.info"], FileScope::All)
        .unwrap();
    assert_eq!(named.coverage.totals().lines, 3);
}

#[test]
fn a_scope_leaves_out_the_other_language() {
    let project = Project::new();
    for name in ["a.rs", "b.cpp", "c.py"] {
        project.write(name, "");
    }
    project.write(
        "lcov.info",
        ["a.rs", "b.cpp", "c.py"]
            .map(|name| lcov(name, &[(1, 1)]))
            .concat(),
    );
    for (scope, n_files) in [(FileScope::All, 3), (FileScope::Cpp, 1), (FileScope::Rust, 1)] {
        assert_eq!(project.gather(&[], scope).unwrap().coverage.files.len(), n_files);
    }
    project.write("lcov.info", lcov("b.cpp", &[(1, 1)]));
    let gathered = project.gather(&[], FileScope::Rust).unwrap();
    assert_eq!(gathered.warnings, ["the reports contain no Rust files"]);
    assert_eq!(gathered.coverage.summary().files, 0);
}

#[test]
fn a_stale_report_is_read_with_a_warning() {
    let project = Project::new();
    project.write("a.c", "");
    project.write("lcov.info", lcov("a.c", &[(1, 1)]));
    project.written("a.c", 100);
    project.written("lcov.info", 50);
    let fresh = project.all();
    assert!(!fresh.reports[0].is_stale);
    assert_eq!(fresh.warnings, Vec::<String>::new());
    project.written("a.c", 10);
    let stale = project.all();
    assert!(stale.reports[0].is_stale);
    assert_eq!(stale.reports[0].format, ReportFormat::Lcov);
    let expected = "lcov.info is older than a source file that it names; run the tests with coverage again";
    assert_eq!(stale.warnings, [expected]);
    assert_eq!(stale.coverage, fresh.coverage);
}
