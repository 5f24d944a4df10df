//! Folders as they are found: ignore files, links, hostile and broken files, several sources.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use gemicro_source::{ReadLimits, SourceError, find_files, pack, take_snapshot, unpack};

use crate::support::{READ_AT, docs_of, document, folder_with, reasons, snapshot_of};

#[test]
fn ignore_files_and_hidden_files_are_respected_without_git() {
    let folder = folder_with(&[
        (".gitignore", b"build/\n*.tmp\n"),
        (".ignore", b"secret.md\n"),
        (".hidden.md", b"hidden"),
        ("build/out.md", b"built"),
        ("notes.tmp", b"temporary"),
        ("secret.md", b"secret"),
        ("a/b.md", b"kept"),
        ("z.md", b"kept"),
    ]);
    let snapshot = snapshot_of(&[folder.path()]);
    assert_eq!(docs_of(&snapshot), ["a/b.md", "z.md"]);
    assert!(snapshot.skipped.is_empty());
}

#[test]
fn links_inside_are_not_followed_and_a_named_one_is() {
    let outside = folder_with(&[("out.md", b"outside")]);
    let folder = folder_with(&[("sub/in.md", b"inside")]);
    symlink(folder.path(), folder.path().join("sub/loop")).unwrap();
    symlink(outside.path().join("out.md"), folder.path().join("sub/link.md")).unwrap();
    let snapshot = snapshot_of(&[folder.path()]);
    assert_eq!(docs_of(&snapshot), ["sub/in.md"]);
    let expected = [
        ("link.md", "symbolic link, not followed"),
        ("loop", "symbolic link, not followed"),
    ];
    assert_eq!(
        reasons(&snapshot),
        expected.map(|(name, reason)| (name.to_owned(), reason))
    );

    let named = folder.path().join("sub/link.md");
    assert_eq!(docs_of(&snapshot_of(&[&named])), ["link.md"]);
    let named = folder.path().join("sub/loop");
    assert_eq!(docs_of(&snapshot_of(&[&named])), ["sub/in.md"]);
}

#[test]
fn a_file_of_two_gigabytes_is_skipped_unread() {
    let folder = folder_with(&[("small.md", b"small")]);
    for name in ["huge.csv", "huge.pdf", "huge.txt"] {
        let file = File::create(folder.path().join(name)).unwrap();
        file.set_len(2 << 30).unwrap();
    }
    let snapshot = snapshot_of(&[folder.path()]);
    assert_eq!(docs_of(&snapshot), ["small.md"]);
    let expected = [
        ("huge.csv", "larger than 16 MB"),
        ("huge.pdf", "larger than 50 MB"),
        ("huge.txt", "larger than 16 MB"),
    ];
    assert_eq!(
        reasons(&snapshot),
        expected.map(|(name, reason)| (name.to_owned(), reason))
    );
}

#[test]
fn limits_on_all_files_keep_the_first_ones() {
    let folder = folder_with(&[("a.md", b"aaaa"), ("b.md", b"bbbb"), ("c.md", b"cccc")]);
    let sources = [folder.path().to_path_buf()];
    let limits = ReadLimits {
        max_files: 2,
        ..ReadLimits::default()
    };
    let snapshot = take_snapshot(&sources, &limits, None, READ_AT).unwrap();
    assert_eq!(docs_of(&snapshot), ["a.md", "b.md"]);
    assert_eq!(
        reasons(&snapshot),
        [("c.md".to_owned(), "over the limit of 2 files")]
    );
    let limits = ReadLimits {
        max_total_bytes: 9,
        ..ReadLimits::default()
    };
    let snapshot = take_snapshot(&sources, &limits, None, READ_AT).unwrap();
    assert_eq!(docs_of(&snapshot), ["a.md", "b.md"]);
    assert_eq!(
        reasons(&snapshot),
        [("c.md".to_owned(), "over the limit of 9 bytes for all files")]
    );
}

#[test]
fn bad_files_are_skipped_with_a_reason() {
    let utf_16: Vec<u8> = "Größe: vier".encode_utf16().flat_map(u16::to_be_bytes).collect();
    let folder = folder_with(&[
        (
            "binary.md",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0",
        ),
        ("blank.md", b" \n\t\n"),
        ("empty.md", b""),
        ("page.pdf", b"%PDF-1.7\n"),
        ("pdf-in-disguise.txt", b"%PDF-1.4\n"),
        ("text", b"no extension"),
        ("utf16.txt", &utf_16),
    ]);
    let snapshot = snapshot_of(&[folder.path()]);
    assert_eq!(docs_of(&snapshot), ["text", "utf16.txt"]);
    assert_eq!(document(&snapshot, "utf16.txt").text, "Größe: vier");
    let expected = [
        ("binary.md", "binary"),
        ("blank.md", "empty"),
        ("empty.md", "empty"),
        ("page.pdf", "only the gemicro program reads this format"),
        (
            "pdf-in-disguise.txt",
            "only the gemicro program reads this format",
        ),
    ];
    assert_eq!(
        reasons(&snapshot),
        expected.map(|(name, reason)| (name.to_owned(), reason))
    );
}

#[test]
fn tables_are_rows_in_every_encoding() {
    let table = "Ort;Tiefe\nMöwenhafen;6 m\n";
    let utf_16: Vec<u8> = [0xfeff]
        .into_iter()
        .chain(table.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let latin_1: Vec<u8> = table
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let folder = folder_with(&[
        ("latin1.csv", &latin_1),
        ("no-head.csv", b"Alder,12\nBirch,17\n"),
        ("utf16.csv", &utf_16),
    ]);
    let snapshot = snapshot_of(&[folder.path()]);
    assert_eq!(docs_of(&snapshot), ["latin1.csv", "no-head.csv", "utf16.csv"]);
    for name in ["latin1.csv", "utf16.csv"] {
        let document = document(&snapshot, name);
        let rows: Vec<&str> = document
            .blocks
            .iter()
            .map(|block| &document.text[block.range.clone()])
            .collect();
        assert_eq!(rows, ["Ort;Tiefe", "Möwenhafen;6 m"], "{name}");
    }
}

#[test]
fn a_hundred_thousand_files_are_found_within_the_limits() {
    let folder = folder_with(&[]);
    for n in 0..100_000 {
        File::create(folder.path().join(format!("{n:06}.md"))).unwrap();
    }
    let sources = [folder.path().to_path_buf()];
    let limits = ReadLimits {
        max_files: 60_000,
        ..ReadLimits::default()
    };
    let found = find_files(&sources, &limits).unwrap();
    assert_eq!((found.candidates.len(), found.skipped.len()), (60_000, 40_000));
    assert_eq!(found.candidates[59_999].doc, "059999.md");
    assert_eq!(found.skipped[0].reason, "over the limit of 60000 files");
}

/// Its size is 0 and reading it fails, also for the root user, who may read everything else.
#[cfg(target_os = "linux")]
#[test]
fn an_unreadable_file_is_skipped_with_the_reason_of_the_system() {
    let folder = folder_with(&[("a.md", b"readable")]);
    let snapshot = snapshot_of(&[folder.path(), Path::new("/proc/self/mem")]);
    assert_eq!(docs_of(&snapshot), ["a.md"]);
    assert_eq!(reasons(&snapshot), [("mem".to_owned(), "input/output error")]);
    let snapshot = snapshot_of(&[folder.path(), Path::new("/dev/zero")]);
    assert_eq!(reasons(&snapshot), [("zero".to_owned(), "not a regular file")]);
}

#[test]
fn ids_of_several_sources_are_told_apart() {
    let one = folder_with(&[("docs/a.md", b"one"), ("docs/b.md", b"one")]);
    let two = folder_with(&[("docs/a.md", b"two"), ("more/a.md", b"three")]);
    let sources = [
        one.path().join("docs"),
        two.path().join("docs"),
        two.path().join("more"),
    ];
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    let snapshot = snapshot_of(&sources);
    assert_eq!(
        docs_of(&snapshot),
        ["b.md", "docs/a.md", "docs~2/a.md", "more/a.md"]
    );
    assert_eq!(document(&snapshot, "docs~2/a.md").text, "two");
    // The same file by two ways is one document.
    let docs = one.path().join("docs");
    let snapshot = snapshot_of(&[&docs, &docs.join("a.md")]);
    assert_eq!(docs_of(&snapshot), ["a.md", "b.md"]);
}

#[test]
fn nothing_to_read_is_an_error_that_names_the_source() {
    let none = take_snapshot(&[], &ReadLimits::default(), None, READ_AT).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no source was given; name a folder or a file to read"
    );
    let missing = [PathBuf::from("/nowhere/at/all")];
    let error = take_snapshot(&missing, &ReadLimits::default(), None, READ_AT).unwrap_err();
    assert_eq!(
        error.to_string(),
        "source /nowhere/at/all was not found; check the path"
    );
    let folder = folder_with(&[("blob.bin", &[0, 1, 2, 3])]);
    let error = take_snapshot(
        &[folder.path().to_path_buf()],
        &ReadLimits::default(),
        None,
        READ_AT,
    )
    .unwrap_err();
    assert!(
        matches!(&error, SourceError::NothingReadable { why, .. } if why.ends_with("binary")),
        "{error}"
    );
    fs::remove_file(folder.path().join("blob.bin")).unwrap();
    let error = take_snapshot(
        &[folder.path().to_path_buf()],
        &ReadLimits::default(),
        None,
        READ_AT,
    )
    .unwrap_err();
    assert!(error.to_string().contains("no files"), "{error}");
}

#[test]
fn a_pack_is_the_same_for_the_same_files_and_comes_back_whole() {
    let files: &[(&str, &[u8])] = &[("a.md", b"# A\n\ntext"), ("b/c.html", b"<p>page</p>")];
    let (one, two) = (folder_with(files), folder_with(files));
    let snapshot = snapshot_of(&[one.path()]);
    let packed = pack(&snapshot);
    assert_eq!(packed.sha256, pack(&snapshot_of(&[two.path()])).sha256);
    assert_eq!(unpack(&packed.bytes).unwrap(), snapshot.documents);
    let entry = &packed.ledger[0];
    assert_eq!(
        (entry.doc.as_str(), entry.read_at.as_str(), entry.media.as_str()),
        ("a.md", READ_AT, "text/markdown")
    );
    assert_eq!(entry.n_bytes, 9);
    assert!(entry.origin.ends_with("/a.md") && entry.modified_at.is_some() && !entry.changed_while_read);
}
