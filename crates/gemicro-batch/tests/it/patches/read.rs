//! What is found in an answer, and what is refused of it.

use gemicro_batch::patch::{
    Hunk, HunkLine, MAX_FILES, MAX_PATCH_BYTES, Patch, PatchChange, PatchError, RefusedChange, check_path,
};

use super::one_file;

const GIT: &str = "diff --git a/src/x.rs b/src/x.rs\nindex 1..2 100644\n--- a/src/x.rs\n+++ b/src/x.rs\n\
                   @@ -3,2 +3,3 @@ fn main() {\n a\n+b\n c\n";

fn hunk(hint: Option<usize>) -> Hunk {
    Hunk {
        hint,
        lines: vec![
            HunkLine::Context("a".to_owned()),
            HunkLine::Add("b".to_owned()),
            HunkLine::Context("c".to_owned()),
        ],
        ends_without_newline: false,
    }
}

fn modify(path: &str, hint: Option<usize>) -> Patch {
    let change = PatchChange::Modify {
        hunks: vec![hunk(hint)],
    };
    one_file(path, change)
}

fn create(path: &str, text: &str) -> Patch {
    let change = PatchChange::Create {
        text: text.to_owned(),
    };
    one_file(path, change)
}

#[test]
fn every_way_to_write_one_change() {
    let expected = modify("src/x.rs", Some(3));
    let plain = "--- src/x.rs\n+++ src/x.rs\n@@ -3,2 +3,3 @@\n a\n+b\n c\n";
    let forms = [
        GIT.to_owned(),
        GIT.replace('\n', "\r\n"),
        plain.to_owned(),
        plain
            .replace("--- src", "--- a/src")
            .replace("+++ src", "+++ b/src"),
        plain.replace("--- src", "--- a/src"),
        plain.replace("+++ src", "+++ b/src"),
        plain.replace("x.rs\n", "x.rs\t2024-01-01 00:00:00\n"),
        plain.replace("-3,2 +3,3", "-3,70 +9,1"),
        format!("Here it is:\n\n```diff\n{GIT}```\nIt adds `b`.\n"),
        format!("```DIFF\n{GIT}\n\n```"),
        format!("```\n{plain}```"),
        format!("~~~~patch\n{plain}~~~~\n"),
        format!(
            "- first:\n  ```udiff\n{}  ```\n",
            plain
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>()
        ),
        format!("```rust\nfn x() {{}}\n```\nand\n```diff\n{GIT}```"),
        format!("```diff\n{GIT}"),
        format!("The patch:\n\n{GIT}\n- It adds a line.\n- No more.\n"),
        format!("From: someone\n---\n x | 1 +\n\n{GIT}-- \n2.47.3\n"),
        "--- \"a/src/x.rs\"\n+++ \"b/src/x.rs\"\n@@ -3,2 +3,3 @@\n a\n+b\n c\n".to_owned(),
    ];
    for form in forms {
        assert_eq!(Patch::from_answer(&form).as_ref(), Ok(&expected), "{form}");
    }
}

#[test]
fn a_hunk_without_numbers_has_no_hint() {
    for header in ["@@", "@@ ... @@", "@@ fn main() @@", "@@ -x,y +1,2 @@"] {
        let answer = format!("--- a/x\n+++ b/x\n{header}\n a\n+b\n c\n");
        assert_eq!(Patch::from_answer(&answer), Ok(modify("x", None)), "{header}");
    }
}

#[test]
fn new_files() {
    let expected = create("tests/new.rs", "one\n\ntwo\n");
    let forms = [
        "diff --git a/tests/new.rs b/tests/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/tests/new.rs\n@@ -0,0 +1,3 @@\n+one\n+\n+two\n",
        "--- /dev/null\n+++ tests/new.rs\n@@ -0,0 +1,9 @@\n+one\n\n+two\n\n",
        "```diff\n--- /dev/null\n+++ b/tests/new.rs\n+one\n+\n+two\n```",
        "--- a/tests/new.rs\n+++ b/tests/new.rs\n@@ -0,0 +1,3 @@\n+one\n+\n+two\n",
    ];
    for form in forms {
        assert_eq!(Patch::from_answer(form).as_ref(), Ok(&expected), "{form}");
    }
    let without_end = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n";
    assert_eq!(Patch::from_answer(without_end), Ok(create("n", "one")));
    let empty = "diff --git a/a b.txt b/a b.txt\nnew file mode 100644\nindex 0000000..e69de29\n";
    assert_eq!(Patch::from_answer(empty), Ok(create("a b.txt", "")));
}

#[test]
fn several_files_and_blocks() {
    let second = GIT.replace("x.rs", "y.rs");
    let names = |answer: &str| -> Vec<String> {
        Patch::from_answer(answer)
            .unwrap()
            .files
            .into_iter()
            .map(|file| file.path)
            .collect()
    };
    assert_eq!(names(&format!("{GIT}{second}")), ["src/x.rs", "src/y.rs"]);
    assert_eq!(
        names(&format!("```diff\n{GIT}```\nthen\n```diff\n{second}```\n")),
        ["src/x.rs", "src/y.rs"]
    );
    let continued = format!("```diff\n{GIT}```\nand below\n```diff\n@@ -9 +9 @@\n-q\n+r\n```\n");
    let patch = Patch::from_answer(&continued).unwrap();
    assert!(matches!(&patch.files[0].change, PatchChange::Modify { hunks } if hunks.len() == 2));
}

#[test]
fn lines_that_look_like_headers_stay_lines() {
    let answer = "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n a\n--- old remark\n b\n```\n";
    let patch = Patch::from_answer(&format!("```diff\n{answer}")).unwrap();
    let PatchChange::Modify { hunks } = &patch.files[0].change else {
        panic!("{patch:?}");
    };
    assert_eq!(hunks[0].lines[1], HunkLine::Remove("-- old remark".to_owned()));
    let fences = "```diff\n--- a/r.md\n+++ b/r.md\n@@ -1,3 +1,4 @@\n ```\n+```text\n x\n ```\n```\n";
    let patch = Patch::from_answer(fences).unwrap();
    assert!(matches!(&patch.files[0].change, PatchChange::Modify { hunks } if hunks[0].lines.len() == 4));
}

#[test]
fn what_is_refused() {
    let refused = |path: &str, change| PatchError::Refused {
        path: path.to_owned(),
        change,
    };
    let git = |headers: &str| format!("diff --git a/x b/x\n{headers}");
    for (answer, expected) in [
        (
            git("deleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
            refused("x", RefusedChange::Delete),
        ),
        (
            "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".to_owned(),
            refused("x", RefusedChange::Delete),
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n".to_owned(),
            refused("y", RefusedChange::Rename),
        ),
        (
            "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            refused("y", RefusedChange::Rename),
        ),
        (
            git("old mode 100644\nnew mode 100755\n"),
            refused("x", RefusedChange::Mode("100644".to_owned())),
        ),
        (
            git("new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"),
            refused("x", RefusedChange::Mode("100755".to_owned())),
        ),
        (
            git("new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n"),
            refused("x", RefusedChange::SymbolicLink),
        ),
        (
            git("index 1..2 120000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
            refused("x", RefusedChange::SymbolicLink),
        ),
        (
            git("index 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
            refused("x", RefusedChange::Submodule),
        ),
        (
            git("index 1..2\nGIT binary patch\nliteral 1\nKc\n"),
            refused("x", RefusedChange::Binary),
        ),
        (
            git("Binary files a/x and b/x differ\n"),
            refused("x", RefusedChange::Binary),
        ),
        (
            format!("{GIT}{GIT}"),
            PatchError::Twice {
                path: "src/x.rs".to_owned(),
            },
        ),
        (
            "x".repeat(MAX_PATCH_BYTES + 1),
            PatchError::TooLong {
                n_bytes: MAX_PATCH_BYTES + 1,
                most: MAX_PATCH_BYTES,
            },
        ),
        (
            (0..=MAX_FILES)
                .map(|idx| GIT.replace("x.rs", &format!("{idx}.rs")))
                .collect(),
            PatchError::TooManyFiles { most: MAX_FILES },
        ),
        (String::new(), PatchError::NoPatch { why: "it is empty" }),
        (
            "I would add a test.".to_owned(),
            PatchError::NoPatch {
                why: "there is no code block in it",
            },
        ),
        (
            "```diff\n+a\n-b\n```".to_owned(),
            PatchError::NoPatch {
                why: "its diff does not name the files",
            },
        ),
    ] {
        assert_eq!(
            Patch::from_answer(&answer),
            Err(expected),
            "{}",
            &answer[..answer.len().min(300)]
        );
    }
}

#[test]
fn malformed_hunks_name_their_line() {
    for (answer, line) in [
        (
            "```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nlost its space\n+b\n```",
            6,
        ),
        (
            "```diff\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```",
            2,
        ),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n b\n", 1),
        ("--- a/x\n+++ b/x\nno hunk\n", 1),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n b\n", 1),
    ] {
        match Patch::from_answer(answer) {
            Err(PatchError::Malformed { line: found, .. }) => assert_eq!(found, line, "{answer}"),
            other => panic!("{answer}: {other:?}"),
        }
    }
}

#[test]
fn paths() {
    let long = "x/".repeat(600) + "y";
    let part = "x".repeat(256);
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "src/tests/../lib.rs",
        "a//b",
        "a/",
        "./a",
        "a/./b",
        ".git/config",
        "a/.GIT/x",
        ".git",
        "a/.git ",
        ".git./x",
        ".git::$INDEX_ALLOCATION/x",
        "GIT~1/x",
        "a\\b",
        "c:/x",
        "a\tb",
        "a\u{7f}",
        "a\nb",
        ".g\u{200c}it/x",
        &long,
        &part,
    ] {
        assert!(check_path(path).is_err(), "{path:?}");
        let answer = format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
        if !path.contains(['\n', '\t']) {
            assert!(
                matches!(Patch::from_answer(&answer), Err(PatchError::Path(_))),
                "{path:?}"
            );
        }
    }
    for path in [
        "a",
        "a/b.rs",
        ".gitignore",
        ".github/x",
        "a b/ü.rs",
        "git/x",
        "...",
        "a.git/x",
    ] {
        assert_eq!(check_path(path), Ok(()), "{path:?}");
    }
}
