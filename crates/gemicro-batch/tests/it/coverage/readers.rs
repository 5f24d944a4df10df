//! Stored reports of real tools, and the records that tools can write.

use gemicro_batch::coverage::{
    CodeLanguage, CoverageReport, FileScope, FunctionCoverage, LineRange, ProjectCoverage, ReportFormat,
    Totals, read_report,
};

const LCOV: &str = include_str!("reports/lcov-1.16.info");
const LCOV_2: &str = include_str!("reports/lcov-2.info");
const LLVM_LCOV: &str = include_str!("reports/llvm-cov-19.info");
const LLVM_JSON: &str = include_str!("reports/llvm-cov-19.json");
const GCOVR: &str = include_str!("reports/gcovr-8.7.xml");
const COVERAGE_PY: &str = include_str!("reports/coverage-py-7.17.xml");
const COVERAGE_PY_LCOV: &str = include_str!("reports/coverage-py-7.17.info");

fn read(text: &str) -> CoverageReport {
    read_report("report", text.as_bytes()).unwrap()
}

fn coverage(text: &str) -> ProjectCoverage {
    ProjectCoverage::of(read(text).files)
}

fn as_array(totals: Totals) -> [u64; 4] {
    [
        totals.lines,
        totals.covered,
        totals.functions,
        totals.functions_covered,
    ]
}

fn uncovered(coverage: &ProjectCoverage, path: &str) -> String {
    let ranges = coverage.file(path).unwrap().uncovered();
    ranges
        .iter()
        .map(LineRange::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn stored_reports_have_the_totals_that_their_tools_reported() {
    use ReportFormat::{Cobertura, Lcov, LlvmJson};
    for (name, text, format, expected) in [
        ("lcov", LCOV, Lcov, [25, 20, 5, 5]),
        ("gcovr", GCOVR, Cobertura, [25, 20, 4, 4]),
        ("llvm-cov lcov", LLVM_LCOV, Lcov, [28, 21, 5, 4]),
        ("llvm-cov json", LLVM_JSON, LlvmJson, [28, 21, 5, 4]),
        ("coverage.py", COVERAGE_PY, Cobertura, [7, 5, 0, 0]),
        ("coverage.py lcov", COVERAGE_PY_LCOV, Lcov, [7, 5, 2, 1]),
    ] {
        let report = read(text);
        assert_eq!(report.format, format, "{name}");
        assert_eq!(report.warnings, Vec::<String>::new(), "{name}");
        assert_eq!(as_array(coverage(text).totals()), expected, "{name}");
    }
}

#[test]
fn the_two_exports_of_llvm_say_the_same_line_by_line() {
    assert_eq!(coverage(LLVM_JSON), coverage(LLVM_LCOV));
    let rust = "/srv/shapes/src/shapes.rs";
    assert_eq!(uncovered(&coverage(LLVM_JSON), rust), "5 8 14 24-27");
    assert_eq!(
        coverage(LLVM_JSON).file(rust).unwrap().language,
        CodeLanguage::Rust
    );
}

#[test]
fn lcov_and_gcovr_say_the_same_line_by_line() {
    let (lcov, gcovr) = (coverage(LCOV), coverage(GCOVR));
    assert_eq!(read(GCOVR).sources, ["/srv/shapes"]);
    for name in ["src/main.cpp", "src/shapes.cpp", "src/shapes.h"] {
        let lines = &lcov.file(&format!("/srv/shapes/{name}")).unwrap().lines;
        assert_eq!(&gcovr.file(name).unwrap().lines, lines, "{name}");
    }
    // The comment and the empty line before line 14 do not part the range; the covered lines before line 11 do.
    assert_eq!(uncovered(&gcovr, "src/shapes.cpp"), "7-8 11-14 21");
}

#[test]
fn every_record_of_lcov_is_understood_or_passed_over() {
    let coverage = coverage(LCOV_2);
    let file = coverage.file("src/shapes.cpp").unwrap();
    let lines: Vec<(u32, u64)> = file.lines.clone().into_iter().collect();
    let most = (1 << 53) - 1;
    assert_eq!(lines, [(5, 3), (6, 2), (7, 0), (8, 0), (9, most), (18, 1_500)]);
    let function = |name: &str, line, count| FunctionCoverage {
        name: name.to_owned(),
        line,
        count,
    };
    let expected = [
        function("_Z7name_ofB5cxx11i", 5, 3),
        function("_Z4areaii", 18, 0),
        function("_Z4areall", 18, 3),
    ];
    assert_eq!(file.functions, expected);
    assert_eq!(as_array(coverage.totals()), [6, 4, 2, 2]);
}

#[test]
fn a_skipped_region_and_a_gap_count_as_llvm_counts_them() {
    let export = |segments: &str| {
        let text = format!(
            r#"{{"data":[{{"files":[{{"filename":"a.rs","segments":{segments}}}],"functions":[]}}],"type":"llvm.coverage.json.export","version":"3.0.1"}}"#
        );
        coverage(&text)
            .file("a.rs")
            .unwrap()
            .lines
            .clone()
            .into_iter()
            .collect::<Vec<_>>()
    };
    // A region over three lines, of five parts as old exports have them.
    assert_eq!(
        export("[[1,1,4,true,true],[3,2,0,false,false]]"),
        [(1, 4), (2, 4), (3, 4)]
    );
    // What is skipped inside it has no code on the line where it begins, nor after that.
    assert_eq!(
        export("[[1,1,4,1,1,0],[2,1,0,0,1,0],[4,1,4,1,0,0],[5,1,0,0,0,0]]"),
        [(1, 4), (5, 4)]
    );
    // A gap gives a line its code, but not its count.
    assert_eq!(
        export(
            "[[1,1,4,true,true,false],[1,9,0,true,true,true],[2,1,7,true,true,false],[2,3,0,false,false,false]]"
        ),
        [(1, 4), (2, 7)]
    );
}

#[test]
fn a_line_in_a_method_and_in_its_class_counts_once_and_a_file_in_two_classes_is_one() {
    let text = r#"<?xml version="1.0"?>
<!DOCTYPE coverage SYSTEM "x.dtd" [<!ENTITY a "&#x41;"><!ENTITY b "&a;&a;">]>
<coverage><sources><source>/srv/a &amp; b</source><source/></sources><packages><package name="p"><classes>
<class name="One" filename="src/a&quot;&#252;.c"><methods>
  <method name="f" signature="(int)"><lines><line number="3" hits="0"/><line number="4" hits="2"/></lines></method>
  <method name="none"/>
</methods><lines><line number="3" hits="0"/><line number="4" hits="2" branch="true"><conditions/></line></lines></class>
<class name="Two" filename="src/a&quot;&#252;.c"><methods>
  <method name="g"><lines><line number="9" hits="1"/></lines></method>
</methods><lines><line number="4" hits="1"/><line number="7" hits="0"/></lines></class>
</classes></package></packages></coverage>"#;
    let report = read(text);
    assert_eq!(report.sources, ["/srv/a & b"]);
    let coverage = ProjectCoverage::of(report.files);
    let file = coverage.file("src/a\"ü.c").unwrap();
    let lines: Vec<(u32, u64)> = file.lines.clone().into_iter().collect();
    assert_eq!(lines, [(3, 0), (4, 3), (7, 0), (9, 1)]);
    let functions: Vec<(&str, u32, u64)> = file
        .functions
        .iter()
        .map(|it| (it.name.as_str(), it.line, it.count))
        .collect();
    assert_eq!(functions, [("f(int)", 3, 2), ("g", 9, 1)]);
}

#[test]
fn two_reports_of_one_run_change_no_line() {
    let rename = |text: &str| coverage(&text.replace("/srv/shapes/", ""));
    let mut merged = rename(LCOV);
    merged.merge(rename(GCOVR));
    assert_eq!(as_array(merged.totals())[..2], [25, 20]);
    assert_eq!(
        merged.totals().functions,
        5,
        "functions are told apart by their lines"
    );
    let mut both = rename(LCOV);
    both.merge(rename(LLVM_JSON));
    assert_eq!(as_array(both.totals()), [25 + 28, 20 + 21, 5 + 5, 5 + 4]);
    let paths: Vec<&str> = both.files.iter().map(|file| file.path.as_str()).collect();
    let expected = [
        "src/main.cpp",
        "src/main.rs",
        "src/shapes.cpp",
        "src/shapes.h",
        "src/shapes.rs",
    ];
    assert_eq!(paths, expected);
    assert_eq!(
        as_array(both.clone().within(FileScope::Rust).totals()),
        [28, 21, 5, 4]
    );
    assert_eq!(as_array(both.within(FileScope::Cpp).totals()), [25, 20, 5, 5]);
}

#[test]
fn languages_are_reported_by_the_ending() {
    for (path, expected) in [
        ("a.rs", CodeLanguage::Rust),
        ("lib/a.C", CodeLanguage::Cpp),
        ("a.h++", CodeLanguage::Cpp),
        ("a.tpp", CodeLanguage::Cpp),
        ("a.rs.txt", CodeLanguage::Other),
        ("x.rs/Makefile", CodeLanguage::Other),
        ("", CodeLanguage::Other),
    ] {
        assert_eq!(CodeLanguage::of(path), expected, "{path}");
    }
}

#[test]
fn ranges_are_written_and_read() {
    for (text, first, last) in [
        ("12-15", 12, 15),
        ("12", 12, 12),
        (" 1 - 10000000 ", 1, 10_000_000),
    ] {
        assert_eq!(text.parse(), Ok(LineRange { first, last }));
    }
    for text in [
        "",
        "0",
        "-",
        "5-",
        "7-3",
        "1-2-3",
        "+1",
        "x",
        "10000001",
        "99999999999",
    ] {
        assert!(text.parse::<LineRange>().is_err(), "{text}");
    }
    assert_eq!(LineRange { first: 3, last: 3 }.to_string(), "3");
    let json = serde_json::to_string(&LineRange { first: 3, last: 9 }).unwrap();
    assert_eq!(
        (json.as_str(), serde_json::from_str(&json).ok()),
        ("\"3-9\"", Some(LineRange { first: 3, last: 9 }))
    );
}

#[test]
fn percentages_never_round_up_to_all() {
    let percent = |covered, lines| {
        let totals = Totals {
            lines,
            covered,
            ..Totals::default()
        };
        totals.percent()
    };
    for (covered, lines, expected) in [
        (0, 0, 0.0),
        (3, 3, 100.0),
        (99_999, 100_000, 99.99),
        (1, 3, 33.33),
    ] {
        assert!(
            (percent(covered, lines) - expected).abs() < 1e-9,
            "{covered} of {lines}"
        );
    }
}

#[test]
fn coverage_is_journalled_compactly_and_read_back() {
    let coverage = coverage(LLVM_JSON);
    let text = serde_json::to_string(&coverage).unwrap();
    assert!(text.contains(r#""lines":[[5,1],[6,1],[7,4]"#), "{text}");
    assert_eq!(serde_json::from_str::<ProjectCoverage>(&text).unwrap(), coverage);
}
