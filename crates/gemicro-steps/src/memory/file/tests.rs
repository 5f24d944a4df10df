//! Memory files, good and odd.

use std::os::unix::fs::symlink;
use std::path::Path;

use gemicro_batch::types::MemoryPlace;
use gemicro_event::redact::Redactor;
use rustix::fs::{FileType, Mode};
use tempfile::TempDir;

use super::{FILE, MemoryFile, read};

const MOST: u64 = 1_000;

fn in_folder(text: &[u8]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join(FILE), text).expect("written");
    folder
}

fn read_at(folder: &Path) -> MemoryFile {
    read(folder, MOST, &Redactor::new(["a-secret-of-ours"]))
}

/// Line, title and text of every entry.
fn check(text: &str, expected: &[(u64, &str, &str)]) {
    let folder = in_folder(text.as_bytes());
    let file = read_at(folder.path());
    let found: Vec<(u64, &str, &str)> = file
        .entries
        .iter()
        .map(|entry| match &entry.place {
            MemoryPlace::File { line, .. } => (*line, entry.title.as_str(), entry.text.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_file_is_taken_apart_into_items_and_paragraphs_below_their_headings() {
    check(
        "Before all.\nStill it.\n\n# Build\n\nUse make.\n\n## Flags\n- one\n  more of one\n\n  and more\n- two\n1. three\n\
         10) four\n# Empty\n# Last\nend\n",
        &[
            (1, "", "Before all.\nStill it."),
            (6, "Build", "Use make."),
            (9, "Build > Flags", "- one\n  more of one\n\n  and more"),
            (13, "Build > Flags", "- two"),
            (14, "Build > Flags", "1. three"),
            (15, "Build > Flags", "10) four"),
            (16, "", "Empty"),
            (18, "Last", "end"),
        ],
    );
}

#[test]
fn odd_texts_are_taken_as_they_are() {
    check("", &[]);
    check("\n\n \n", &[]);
    check("\u{feff}# A\r\n\r\n- x\r\n", &[(3, "A", "- x")]);
    check("#hashtag -dash 3.14", &[(1, "", "#hashtag -dash 3.14")]);
    check("- a\n\nb\n", &[(1, "", "- a"), (3, "", "b")]);
    check("## Deep\n### Deeper\n", &[(2, "Deep", "Deeper")]);
    check(
        "- run\n  ```\n\n# no heading\n- no item\n  ```\n- next\n",
        &[
            (1, "", "- run\n  ```\n\n# no heading\n- no item\n  ```"),
            (7, "", "- next"),
        ],
    );
    check(
        "```\nopen to the end\n\n# x\n",
        &[(1, "", "```\nopen to the end\n\n# x")],
    );
}

#[test]
fn secrets_are_replaced_before_anything_is_cut() {
    check(
        "- it is a-secret-of-ours, keep it",
        &[(1, "", "- it is ***, keep it")],
    );
}

#[test]
fn a_missing_file_is_no_memory() {
    let folder = TempDir::new().expect("a folder");
    assert_eq!(read_at(folder.path()), MemoryFile::default());
    assert_eq!(read_at(&folder.path().join("no folder")), MemoryFile::default());
}

#[test]
fn a_long_file_is_read_up_to_its_bound() {
    let folder = in_folder("- ä\n".repeat(1_000).as_bytes());
    let file = read_at(folder.path());
    assert_eq!(file.entries.len(), 200);
    assert_eq!(
        file.note.as_deref(),
        Some("AGENT_MEMORY.md was read up to 1000 bytes")
    );
}

#[test]
fn bytes_that_are_no_text_are_passed_over() {
    let folder = in_folder(b"- a \xff\xfe b\n");
    assert_eq!(read_at(folder.path()).entries[0].text, "- a \u{fffd}\u{fffd} b");
}

#[test]
fn nothing_but_a_plain_file_in_the_folder_is_read() {
    let outside = in_folder(b"- outside\n");
    let made: [fn(&Path, &Path); 4] = [
        |at, outside| symlink(outside, at).expect("a link"),
        |at, _| symlink("/dev/zero", at).expect("a link"),
        |at, _| rustix::fs::mknodat(rustix::fs::CWD, at, FileType::Fifo, Mode::RWXU, 0).expect("a pipe"),
        |at, _| std::fs::create_dir(at).expect("a folder"),
    ];
    for make in made {
        let folder = TempDir::new().expect("a folder");
        make(&folder.path().join(FILE), &outside.path().join(FILE));
        let file = read_at(folder.path());
        assert_eq!(file.entries, []);
        let note = file.note.expect("it says so");
        assert!(note.starts_with("AGENT_MEMORY.md was not read: "), "{note}");
    }
}
