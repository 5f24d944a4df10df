//! Reports that are missing, empty, malformed, too large or hostile: an error that says where, never a panic.

use std::io::Read;

use gemicro_batch::coverage::{CoverageError, CoverageRequest, FileScope, gather_until, read_report};
use gemicro_event::{ErrorKind, Failure};

use super::project::{Project, lcov};

struct Endless;

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b'#');
        buffer[buffer.len() - 1] = b'\n';
        Ok(buffer.len())
    }
}

fn refusal(bytes: impl Read) -> (ErrorKind, String) {
    let error = read_report("r", bytes).unwrap_err();
    (error.kind(), error.to_string())
}

/// The whole message, without the name of the report.
fn message(text: &str) -> String {
    let (kind, message) = refusal(text.as_bytes());
    assert_eq!(kind, ErrorKind::InvalidInput, "{message}");
    message
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, expected) in [
        ("", "the report r is empty: it names no file"),
        (" \n\n", "the report r is empty"),
        ("TN:\n", "the report r is empty"),
        ("hello\n", "r is of an unknown format; reports are LCOV"),
        ("\u{0}\u{1}\u{2}", "r is of an unknown format"),
        (
            "SF:a.c\nDA:1,1\n",
            "malformed at line 2: the report ends inside the file that began in line 1; it was cut off",
        ),
        (
            "SF:a.c\nSF:b.c\n",
            "malformed at line 2: expected `end_of_record` of the file that began in line 1",
        ),
        (
            "TN:\nDA:1,1\n",
            "malformed at line 2: `DA` outside a file; expected `SF:` before",
        ),
        ("SF:\n", "malformed at line 1: expected a path after `SF:`"),
        ("SF:a\nDA:1\n", "malformed at line 2: expected `DA:line,count`"),
        (
            "SF:a\nDA:x,1\n",
            "malformed at line 2: expected the number of a line, found `x`",
        ),
        (
            "SF:a\nDA:1,NaN\n",
            "malformed at line 2: expected a count, found `NaN`",
        ),
        (
            "SF:a\nDA:1,inf\n",
            "malformed at line 2: expected a count, found `inf`",
        ),
        ("SF:a\nDA:1,\n", "malformed at line 2: expected a count, found ``"),
        (
            "SF:a\nDA:1000000000,1\n",
            "malformed at line 2: line 1000000000 is beyond 10000000",
        ),
        (
            "SF:a\nFNA:0,1\n",
            "malformed at line 2: expected `FNA:index,count,name`",
        ),
        (
            "SF:a\nwhat is this\n",
            "malformed at line 2: expected a record such as `DA:12,1`, found `what is this`",
        ),
        (
            "TN:\nend_of_record\n",
            "malformed at line 2: `end_of_record` before any `SF:`",
        ),
        ("{", "malformed at line 1 column 1: EOF while parsing"),
        ("{}", "r is JSON of another tool"),
        (r#"{"data":[],"type":"other"}"#, "r is JSON of another tool"),
        (
            r#"{"data":[],"type":"llvm.coverage.json.export"}"#,
            "the report r is empty",
        ),
        (
            r#"{"data":{}}"#,
            "malformed at line 1 column 9: invalid type: map, expected a sequence",
        ),
        (
            r#"{"data":[{"files":[{"segments":[]}]}]}"#,
            "missing field `filename`",
        ),
        (
            r#"{"data":[{"files":[{"filename":"a","segments":[[1]]}]}]}"#,
            "a segment has five parts or more",
        ),
        (
            r#"{"data":[{"files":[{"filename":"a","segments":[[2,1,1,true,true],[1,1,1,true,true]]}]}]}"#,
            "the segments of a file are not in order",
        ),
        (
            r#"{"data":[{"files":[{"filename":"a","segments":[[4000000000,1,1,true,true]]}]}]}"#,
            "line 4000000000 is beyond 10000000",
        ),
        (
            "<html></html>",
            "r is XML, but not of Cobertura: it begins with `html`",
        ),
        (
            "<coverage><project/></coverage>",
            "r is XML, but not of Cobertura: it has no `packages`",
        ),
        ("<coverage><packages/></coverage>", "the report r is empty"),
        (
            "<coverage><packages>",
            "malformed at byte 20: the report ends inside an element; it was cut off",
        ),
        ("<coverage></packages>", "malformed at byte"),
        (
            "<coverage><packages><class/></packages></coverage>",
            "malformed at byte 20: a `class` without `filename`",
        ),
        (
            r#"<coverage><packages><line number="1" hits="1"/>"#,
            "malformed at byte 20: a `line` outside a `class`",
        ),
        (
            r#"<coverage><packages><class filename="a"><line hits="1"/>"#,
            "malformed at byte 40: a `line` without `number`",
        ),
        (
            r#"<coverage><packages><class filename="a"><line number="1" hits="many"/>"#,
            "malformed at byte 40: expected a count, found `many`",
        ),
        (
            r#"<!DOCTYPE coverage [<!ENTITY x "y">]><coverage><packages><class filename="&x;">"#,
            "malformed at byte",
        ),
        (
            r#"<!DOCTYPE coverage [<!ENTITY x SYSTEM "/etc/passwd">]><coverage><sources><source>&x;"#,
            "the entity `&x;` is not one of XML's own",
        ),
    ] {
        let found = message(text);
        assert!(found.contains(expected), "{text}\n  {found}\n  {expected}");
    }
}

#[test]
fn nothing_grows_without_bound() {
    let deep = format!("<coverage>{}", "<x>".repeat(1_000));
    assert!(message(&deep).contains("more than 64 elements inside each other"));
    let deep = format!(r#"{{"x":{}"#, "[".repeat(100_000));
    assert!(message(&deep).contains("EOF while parsing"));
    let deep = format!(
        r#"{{"data":[{{"files":[{{"filename":"a","segments":{}"#,
        "[".repeat(100_000)
    );
    assert!(message(&deep).contains("invalid type: sequence, expected a number"));
    let long = format!("SF:a\nDA:1,1{}\n", "0".repeat(2 << 20));
    assert!(message(&long).contains("line 2: a line is longer than 1048576 bytes"));
    let long = format!("<coverage><!-- {}", "x".repeat(2 << 20));
    assert!(message(&long).contains("an element or a text of more than 1048576 bytes"));
}

#[test]
fn a_report_beyond_the_limit_ends_there() {
    let (kind, message) = refusal(Endless);
    assert_eq!(kind, ErrorKind::InvalidInput);
    assert!(message.contains("it has more than 1073741824 bytes"), "{message}");
    // A file is not even opened to its end.
    let project = Project::new();
    project.write("lcov.info", "");
    let file = std::fs::File::options()
        .write(true)
        .open(project.path("lcov.info"))
        .unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    let error = project.gather(&[], FileScope::All).unwrap_err();
    assert!(matches!(error, CoverageError::TooLarge { .. }), "{error}");
}

#[test]
fn names_that_are_no_text_are_read_with_a_warning() {
    let report = read_report("r", b"SF:src/\xff\x00.c\nDA:1,1\nend_of_record\n".as_slice()).unwrap();
    assert_eq!(report.files[0].path, "src/\u{fffd}\u{fffd}.c");
    assert_eq!(report.warnings.len(), 1, "{:?}", report.warnings);
    assert!(report.warnings[0].starts_with("names that are not valid Unicode: 1;"));
}

#[test]
fn a_missing_report_says_where_was_looked_and_how_to_make_one() {
    let project = Project::new();
    let error = project.gather(&[], FileScope::All).unwrap_err();
    let failure = Failure::from(error);
    assert_eq!(failure.kind, ErrorKind::NotFound);
    for expected in [
        "there is no coverage report in",
        "lcov.info, coverage.info",
        "target/llvm-cov, target/coverage",
        "cargo llvm-cov --lcov --output-path lcov.info",
        "lcov -c -d . -o coverage.info",
    ] {
        assert!(
            failure.message.contains(expected),
            "{}\n  {expected}",
            failure.message
        );
    }
    let error = project.gather(&["gone.info"], FileScope::All).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error
            .to_string()
            .starts_with("there is no report gone.info; make it first"),
        "{error}"
    );
    let root = project.path("not-there");
    let asked = CoverageRequest {
        root,
        reports: Vec::new(),
        scope: FileScope::All,
    };
    assert!(gather_until(&asked, &|| false).is_err());
}

#[test]
fn a_file_of_another_tool_is_passed_over_in_its_usual_place_and_refused_by_name() {
    let project = Project::new();
    project.write("coverage.json", include_str!("reports/coverage-py-7.17.json"));
    let error = project.gather(&[], FileScope::All).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(
        error
            .to_string()
            .contains("coverage.json is JSON of another tool"),
        "{error}"
    );
    project.write("a.c", "");
    project.write("lcov.info", lcov("a.c", &[(1, 1)]));
    let gathered = project.all();
    assert_eq!(gathered.coverage.files.len(), 1);
    assert!(
        gathered.warnings[0].starts_with("coverage.json was skipped: "),
        "{:?}",
        gathered.warnings
    );
    let error = project.gather(&["coverage.json"], FileScope::All).unwrap_err();
    assert!(matches!(error, CoverageError::OtherFormat { .. }), "{error}");
    project.write("coverage.xml", "");
    assert!(matches!(
        project.gather(&[], FileScope::All),
        Err(CoverageError::Empty { .. })
    ));
}

#[test]
fn reading_ends_when_it_is_stopped() {
    let project = Project::new();
    project.write("lcov.info", lcov("a.c", &[(1, 1)]).repeat(100_000));
    let n_asked = std::cell::Cell::new(0);
    let asked = CoverageRequest {
        root: project.root(),
        reports: Vec::new(),
        scope: FileScope::All,
    };
    let stopped = gather_until(&asked, &|| {
        n_asked.set(n_asked.get() + 1);
        n_asked.get() > 3
    });
    assert!(matches!(stopped, Err(CoverageError::Stopped)));
    assert_eq!(n_asked.get(), 4, "nothing is read after that");
}
