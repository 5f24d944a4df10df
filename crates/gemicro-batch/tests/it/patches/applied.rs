//! What becomes of files, and what is said when a hunk does not fit.

use gemicro_batch::patch::{Patch, PatchError};

use super::{applied, apply};

fn diff(hunks: &str) -> String {
    format!("--- a/f\n+++ b/f\n{hunks}")
}

fn check(hunks: &str, old: &str, expected: &str) {
    assert_eq!(applied(&diff(hunks), "f", old), expected, "{hunks}");
}

#[test]
fn hunks_are_found_near_their_hint() {
    let old = "x\nsame\nend\ny\nsame\nend\nz\nsame\nend\n";
    let hunk = |line: &str| format!("@@ {line} @@\n same\n+new\n end\n");
    check(
        &hunk("-2,2 +2,3"),
        old,
        "x\nsame\nnew\nend\ny\nsame\nend\nz\nsame\nend\n",
    );
    check(
        &hunk("-5,2 +5,3"),
        old,
        "x\nsame\nend\ny\nsame\nnew\nend\nz\nsame\nend\n",
    );
    check(
        &hunk("-7,2 +7,3"),
        old,
        "x\nsame\nend\ny\nsame\nend\nz\nsame\nnew\nend\n",
    );
    check(
        &hunk("-999,2 +7,3"),
        old,
        "x\nsame\nend\ny\nsame\nend\nz\nsame\nnew\nend\n",
    );
    check(
        &hunk("..."),
        old,
        "x\nsame\nnew\nend\ny\nsame\nend\nz\nsame\nend\n",
    );
    // Two places are equally near: the later one.
    check("@@ -3 +3 @@\n-b\n+B\n", "a\nb\nc\nb\n", "a\nb\nc\nB\n");
}

#[test]
fn several_hunks_go_to_different_places() {
    let old = "a\nb\nc\na\nb\nc\n";
    check(
        "@@ @@\n a\n-b\n+1\n@@ @@\n a\n-b\n+2\n",
        old,
        "a\n1\nc\na\n2\nc\n",
    );
    check(
        "@@ -5 +5 @@\n-b\n+2\n@@ -2 +2 @@\n-b\n+1\n",
        old,
        "a\n1\nc\na\n2\nc\n",
    );
    // Both hints are too small by three lines.
    check(
        "@@ -1 +1 @@\n-k\n+K\n@@ -2 +2 @@\n-b\n+B\n",
        "b\n1\n2\nk\nb\n",
        "b\n1\n2\nK\nB\n",
    );
}

#[test]
fn ends_of_lines_and_files() {
    check("@@ -1,2 +1,3 @@\n a\n+n\n b\n", "a\r\nb\r\n", "a\r\nn\r\nb\r\n");
    check("@@ -1,2 +1,3 @@\n a\n+n\n b\n", "a  \nb\t\n", "a  \nn\nb\t\n");
    check("@@ -1,3 +1,4 @@\n a\n\n+n\n b\n", "a\n\nb\n", "a\n\nn\nb\n");
    check("@@ -1 +1,2 @@\n a\n+b\n", "a", "a\nb\n");
    check(
        "@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n",
        "a\n",
        "a\nb",
    );
    check("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a", "a\n");
    check("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a\n", "a");
    check(
        "@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n",
        "a\nb",
        "b",
    );
    check("@@ -1 +0,0 @@\n-a\n", "a\n", "");
    check("@@ -2,0 +3 @@\n+c\n", "a\nb\n", "a\nb\nc\n");
}

#[test]
fn what_does_not_fit_is_shown() {
    let old = "fn a() {\n    one();\n    two();\n}\n";
    let error = apply(
        &diff("@@ -1,3 +1,4 @@\n fn a() {\n     one();\n     three();\n+    four();\n"),
        &[("f", old)],
    );
    let expected = "`f`, hunk 1: the file has no such lines; it differs first at `    three();`, where line 3 of the file is:\n\
                    \u{20}   1 | fn a() {\n    2 |     one();\n    3 |     two();\n    4 | }";
    assert_eq!(error.unwrap_err().to_string(), expected);
    let nowhere = apply(&diff("@@ -9 +9 @@\n-nothing\n+something\n"), &[("f", "a\n")]).unwrap_err();
    assert!(
        matches!(nowhere, PatchError::NotFound { line: 2, hunk: 1, .. }),
        "{nowhere:?}"
    );
    let taken = apply(
        &diff("@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+c\n"),
        &[("f", "a\n")],
    )
    .unwrap_err();
    assert!(matches!(taken, PatchError::NotFound { hunk: 2, .. }), "{taken:?}");
}

#[test]
fn what_stands_against_a_patch() {
    let change = diff("@@ -1,2 +1,3 @@\n a\n+b\n c\n");
    let create = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n";
    let path = || "f".to_owned();
    let cases = [
        (change.as_str(), None, PatchError::Missing { path: path() }),
        (create, Some("a\n"), PatchError::Exists { path: path() }),
        (
            &change,
            Some("a\nb\nc\n"),
            PatchError::AlreadyApplied {
                path: path(),
                hunk: 1,
                line: 1,
            },
        ),
        (
            &diff("@@ -1,0 +2 @@\n+b\n"),
            Some("a\nc\n"),
            PatchError::NoContext {
                path: path(),
                hunk: 1,
            },
        ),
        (
            &diff("@@ -1 +1 @@\n-a\n+a\n"),
            Some("a\n"),
            PatchError::ChangesNothing { path: path() },
        ),
    ];
    for (answer, old, expected) in cases {
        let files: Vec<(&str, &str)> = old.map(|old| ("f", old)).into_iter().collect();
        assert_eq!(apply(answer, &files), Err(expected), "{answer}");
    }
    let unreadable = Patch::from_answer(&change).unwrap().apply(|_| Err("is a folder"));
    let why = "is a folder".to_owned();
    assert_eq!(unreadable, Err(PatchError::Unreadable { path: path(), why }));
}

#[test]
fn one_bad_file_spoils_the_patch() {
    let answer = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";
    assert!(apply(answer, &[("f", "a\n"), ("g", "q\n")]).is_err());
    assert_eq!(apply(answer, &[("f", "a\n"), ("g", "a\n")]).unwrap().len(), 2);
}

#[test]
fn long_files_of_equal_lines_are_no_labour() {
    let old = "}\n".repeat(20_000);
    let hunk: String = " }\n".repeat(10_000);
    let error = apply(&diff(&format!("@@ -1,3 +1,4 @@\n{hunk}-x\n+y\n")), &[("f", &old)]).unwrap_err();
    assert!(matches!(error, PatchError::NotFound { .. }), "{error:?}");
    let many = "@@ -1 +1 @@\n-}\n+x\n".repeat(100);
    assert_eq!(applied(&diff(&many), "f", &old).matches('x').count(), 100);
    let too_many = Patch::from_answer(&diff(&"@@ -1 +1 @@\n-}\n+x\n".repeat(1_001)));
    assert_eq!(too_many, Err(PatchError::TooManyHunks { most: 1_000 }));
}
