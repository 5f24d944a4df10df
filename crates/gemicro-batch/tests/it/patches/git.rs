//! The real git takes what is written, and makes the same of it.

use std::path::Path;
use std::process::Command;

use gemicro_batch::patch::{NewText, unified_diff};
use proptest::prelude::*;

use super::properties::text;

/// Applies a diff in a folder; what git says is the error.
fn git_apply(folder: &Path, diff: &str) -> Result<(), String> {
    std::fs::write(folder.join("p.diff"), diff).unwrap();
    for arguments in [
        &["apply", "--check", "p.diff"][..],
        &["apply", "--whitespace=nowarn", "p.diff"],
    ] {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", folder)
            .output()
            .unwrap();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
    }
    Ok(())
}

/// Writes the old texts, applies the diff of all changes and compares the files.
fn check(changes: &[NewText]) {
    let folder = tempfile::tempdir().unwrap();
    for change in changes {
        let path = folder.path().join(&change.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(old) = &change.old {
            std::fs::write(path, old).unwrap();
        }
    }
    let diff = unified_diff(changes);
    if let Err(error) = git_apply(folder.path(), &diff) {
        panic!("{error}\n{diff}");
    }
    for change in changes {
        let new = std::fs::read_to_string(folder.path().join(&change.path)).unwrap();
        assert_eq!(new, change.new, "{diff}");
    }
}

fn change(path: &str, old: Option<&str>, new: &str) -> NewText {
    NewText {
        path: path.to_owned(),
        old: old.map(str::to_owned),
        new: new.to_owned(),
    }
}

#[test]
fn files_of_all_kinds() {
    let long: String = (0..40).map(|idx| format!("line {idx}\n")).collect();
    let changed = long
        .replace("line 3\n", "")
        .replace("line 20\n", "other\nlines\n")
        .replace("line 39\n", "end");
    check(&[
        change("tests/new.rs", None, "fn a() {}\n"),
        change("tests/without end.rs", None, "fn a() {}"),
        change("tests/empty.rs", None, ""),
        change("a b/\"quoted\" ü.txt", Some("one\n"), "two\n"),
        change("long.txt", Some(&long), &changed),
        change("windows.txt", Some("a\r\nb\r\nc\r\n"), "a\r\nn\r\nb\r\nc\r\n"),
        change("end.txt", Some("a\nb"), "a\nb\n"),
        change("emptied.txt", Some("a\nb\n"), "c"),
    ]);
    assert_eq!(unified_diff(&[change("same.txt", Some("a\n"), "a\n")]), "");
}

#[test]
fn the_diff_is_the_usual_one() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let diff = unified_diff(&[change("f", Some(old), &old.replace('5', "five"))]);
    let expected =
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
    assert_eq!(diff, expected);
}

#[test]
fn very_different_texts_are_replaced_whole() {
    let old: String = (0..3_000).map(|idx| format!("old {idx}\n")).collect();
    let new: String = (0..3_000).map(|idx| format!("new {idx}\n")).collect();
    check(&[change("f", Some(&old), &new)]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn git_makes_the_same_of_it(old in text(), new in text()) {
        prop_assume!(old != new);
        check(&[change("f", Some(&old), &new)]);
    }
}
