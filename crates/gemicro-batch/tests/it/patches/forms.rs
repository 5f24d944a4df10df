//! Whole files and search-and-replace blocks in an answer.

use gemicro_batch::patch::{MAX_FILES, Patch, PatchChange, PatchError, RefusedChange};

use super::{applied, apply, one_file};

fn write(path: &str, text: &str) -> Patch {
    let change = PatchChange::Write {
        text: text.to_owned(),
    };
    one_file(path, change)
}

#[test]
fn every_way_to_name_a_whole_file() {
    let expected = write("tests/test_x.py", "import x\n\nassert x.y\n");
    let block = "```python\nimport x\n\nassert x.y\n```\n";
    let answers = [
        format!("File: tests/test_x.py\n{block}"),
        format!("File: tests/test_x.py\n\n{block}\nIt checks `y`.\n"),
        format!("**File: `tests/test_x.py`**\n{block}"),
        format!("**File:** tests/test_x.py\n{block}"),
        format!("### File: tests/test_x.py\n{block}").replace('\n', "\r\n"),
        format!("Filename: \"tests/test_x.py\"\n{block}"),
        format!("`tests/test_x.py`:\n{block}"),
        format!("Here is tests/test_x.py:\n{block}"),
        format!("tests/test_x.py\n{block}"),
        format!("A test of `x.y` that I put into `tests/test_x.py` as the others are there:\n{block}"),
        block.replace("python", "python tests/test_x.py"),
        block.replace("python", "python:tests/test_x.py"),
        block.replace("python", "python title=\"tests/test_x.py\""),
        format!("Run it:\n```sh\npytest -q\n```\n\nFile: tests/test_x.py\n{block}"),
        format!("File: tests/test_x.py\n{block}\nRun it with:\n\n```sh\npytest tests/test_x.py\n```\n"),
    ];
    for answer in answers {
        assert_eq!(Patch::from_answer(&answer).as_ref(), Ok(&expected), "{answer}");
    }
    let in_comment = "The test:\n```rust\n// tests/x.rs\nfn x() {}\n```";
    assert_eq!(
        Patch::from_answer(in_comment),
        Ok(write("tests/x.rs", "// tests/x.rs\nfn x() {}\n"))
    );
}

#[test]
fn a_whole_file_may_hold_a_diff() {
    let test = "const DIFF: &str = \"\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\";\n";
    let answer = format!("File: tests/diff.rs\n```rust\n{test}```\n");
    assert_eq!(Patch::from_answer(&answer), Ok(write("tests/diff.rs", test)));
}

#[test]
fn a_whole_file_replaces_what_is_there() {
    let answer = "File: tests/x.sh\n```sh\none\ntwo\n```";
    assert_eq!(apply(answer, &[]).unwrap()[0].new, "one\ntwo\n");
    assert_eq!(applied(answer, "tests/x.sh", "one\r\n"), "one\r\ntwo\r\n");
    assert_eq!(
        apply(answer, &[("tests/x.sh", "one\ntwo\n")]),
        Err(PatchError::ChangesNothing {
            path: "tests/x.sh".to_owned()
        })
    );
}

#[test]
fn replacements() {
    let old = "fn a() {}\n\nmod tests {\n    fn one() {}\n}\n";
    let block =
        "<<<<<<< SEARCH\n    fn one() {}\n=======\n    fn one() {}\n    fn two() {}\n>>>>>>> REPLACE\n";
    let new = "fn a() {}\n\nmod tests {\n    fn one() {}\n    fn two() {}\n}\n";
    for answer in [
        format!("src/x.rs\n{block}"),
        format!("File: src/x.rs\n```rust\n{block}```\n"),
        format!("```rust\nsrc/x.rs\n{block}```\n"),
        format!("I add a test to `src/x.rs`:\n\n`src/x.rs`\n\n{block}").replace('\n', "\r\n"),
    ] {
        assert_eq!(applied(&answer, "src/x.rs", old), new, "{answer}");
    }
    let twice = format!(
        "src/x.rs\n{block}{}",
        block.replace("    fn", "fn").replace("one", "a")
    );
    assert_eq!(
        applied(&twice, "src/x.rs", old),
        new.replace("fn a() {}\n", "fn a() {}\nfn two() {}\n")
    );
    let created = "tests/new.rs\n<<<<<<< SEARCH\n=======\nfn new() {}\n>>>>>>> REPLACE\n";
    assert_eq!(apply(created, &[]).unwrap()[0].new, "fn new() {}\n");
    let both = format!("src/x.rs\n{block}\nFile: tests/y.rs\n```rust\nfn y() {{}}\n```\n");
    let paths: Vec<String> = apply(&both, &[("src/x.rs", old)])
        .unwrap()
        .into_iter()
        .map(|text| text.path)
        .collect();
    assert_eq!(paths, ["src/x.rs", "tests/y.rs"]);
}

#[test]
fn what_is_refused_of_them() {
    let whole = |path: &str| format!("File: {path}\n```sh\ntrue\n```\n");
    let block = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    for path in [
        "/etc/x.sh",
        "../x.sh",
        "a/../../x.sh",
        ".git/config",
        "a\\b.sh",
        "c:/x.sh",
    ] {
        for answer in [whole(path), format!("File: {path}\n{block}")] {
            let read = Patch::from_answer(&answer);
            assert!(matches!(read, Err(PatchError::Path(_))), "{answer}: {read:?}");
        }
    }
    let no_test = |why| PatchError::NoPatch { why };
    let many: String = (0..=MAX_FILES)
        .map(|idx| whole(&format!("tests/{idx}.sh")))
        .collect();
    for (answer, expected) in [
        (
            whole("tests/x.sh").repeat(2),
            PatchError::Twice {
                path: "tests/x.sh".to_owned(),
            },
        ),
        (many, PatchError::TooManyFiles { most: MAX_FILES }),
        (
            "```sh\ntrue\n```".to_owned(),
            no_test("no line names the file of its code block"),
        ),
        // A sentence may name the code under test.
        (
            "This is the test for the function in `src/x.rs`:\n```rust\nfn x() {}\n```".to_owned(),
            no_test("no line names the file of its code block"),
        ),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\n".to_owned(),
            PatchError::Refused {
                path: "x".to_owned(),
                change: RefusedChange::Delete,
            },
        ),
    ] {
        assert_eq!(Patch::from_answer(&answer), Err(expected), "{answer}");
    }
    for (answer, part) in [
        ("File: tests/x.sh\n```sh\ntrue\n", "cut off"),
        (block, "path of the file"),
        ("a.rs\n<<<<<<< SEARCH\na\n", "======="),
        ("a.rs\n<<<<<<< SEARCH\na\n=======\nb\n", "REPLACE"),
        (
            "a.rs\n<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE\n",
            "the same",
        ),
    ] {
        let error = Patch::from_answer(answer).unwrap_err().to_string();
        assert!(error.contains(part), "{answer}: {error}");
    }
}
