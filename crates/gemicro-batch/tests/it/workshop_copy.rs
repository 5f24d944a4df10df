//! Copies of a project: what is copied, how much, and through no link.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_batch::workshop::{copy_over, private_copy};
use gemicro_event::{ErrorKind, Failure};

/// All paths below a folder, links marked.
fn listed(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let about = path.symlink_metadata().unwrap();
            if about.is_dir() {
                open.push(path);
            } else if about.is_symlink() {
                found.push(format!(
                    "{name} -> {}",
                    std::fs::read_link(path).unwrap().display()
                ));
            } else {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_copy_holds_the_projects_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for path in [
        "outside.txt",
        "project/a.txt",
        "project/src/b.rs",
        "project/.hidden/c",
        "project/.git/config",
        "project/src/target/x",
        "project/node_modules/x",
    ] {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "text").unwrap();
    }
    let link = |to: &Path, name: &str| symlink(to, root.join("project").join(name)).unwrap();
    link("a.txt".as_ref(), "inside");
    link("../a.txt".as_ref(), "src/up");
    link("src".as_ref(), "folder");
    link("../outside.txt".as_ref(), "out");
    link("out".as_ref(), "out_by_two");
    link(&root.join("project/a.txt"), "absolute");
    link("none".as_ref(), "dangling");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(root.join("project/a.txt"), mode).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(root.join("project/fifo"))
        .status()
        .unwrap();
    assert!(made.success());
    let copy = private_copy(&root.join("project"), &root.join("copy")).unwrap();
    assert_eq!(
        listed(&root.join("copy")),
        [
            "project/.hidden/c",
            "project/a.txt",
            "project/folder -> src",
            "project/inside -> a.txt",
            "project/src/b.rs",
            "project/src/up -> ../a.txt",
        ]
    );
    assert!(copy.home().is_dir() && copy.temporary().is_dir());
    let mode = |path: PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(copy.project().join("a.txt")), 0o755);
    assert_eq!(mode(copy.home()), 0o700);
    drop(copy);
    assert!(!root.join("copy").exists());
    assert!(root.join("project/a.txt").exists());
}

#[test]
fn a_project_that_is_too_large_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    // It takes no room, and it is refused before it does.
    let large = std::fs::File::create(project.join("large")).unwrap();
    large.set_len((2 << 30) + 1).unwrap();
    let refused = private_copy(&project, &folder.path().join("copy")).unwrap_err();
    let message = format!(
        "{} is too large to be copied: more than 100000 files or 2 GiB",
        project.display()
    );
    assert_eq!(refused, Failure::new(ErrorKind::InvalidInput, message));
    assert!(!folder.path().join("copy").exists());
    let missing = private_copy(&folder.path().join("none"), &folder.path().join("copy")).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::StorageError);
}

#[test]
fn a_copy_inside_the_project_does_not_copy_itself() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().canonicalize().unwrap();
    std::fs::write(project.join("a.txt"), "text").unwrap();
    let copy = private_copy(&project, &project.join("state/copy")).unwrap();
    assert_eq!(listed(&copy.project()), ["a.txt"]);
}

#[test]
fn a_copy_goes_over_what_is_there_and_through_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for path in ["from/file", "from/was_link", "from/was_folder", "from/inner/new"] {
        write(path, "new");
    }
    symlink("file", root.join("from/link")).unwrap();
    let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let file = std::fs::File::open(root.join("from/file")).unwrap();
    file.set_modified(long_ago).unwrap();
    for path in [
        "to/file",
        "to/was_folder/old",
        "to/inner/old",
        "victim",
        "victims/new",
    ] {
        write(path, "old");
    }
    symlink("../victim", root.join("to/was_link")).unwrap();
    symlink("gone", root.join("to/link")).unwrap();
    for _ in 0..2 {
        copy_over(&root.join("from"), &root.join("to"), &mut |_, _| Ok(true)).unwrap();
    }
    assert_eq!(
        listed(&root.join("to")),
        [
            "file",
            "inner/new",
            "inner/old",
            "link -> file",
            "was_folder",
            "was_link"
        ]
    );
    std::fs::remove_dir_all(root.join("to/inner")).unwrap();
    symlink("../victims", root.join("to/inner")).unwrap();
    copy_over(&root.join("from"), &root.join("to"), &mut |_, _| Ok(true)).unwrap();
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    assert_eq!(
        [read("victim"), read("victims/new"), read("to/was_link")],
        ["old", "old", "new"]
    );
    let about = root.join("to/file").metadata().unwrap();
    assert_eq!(about.modified().unwrap(), long_ago);
}
