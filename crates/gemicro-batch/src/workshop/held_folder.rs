//! Folders that are locked while in use. The lock ends with its process, so the leftovers of a killed one can be found.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Maximum number of attempts to create a folder that is removed before it can be locked.
const TRIES: u32 = 8;

/// Creates a folder with access for the user only, and locks it until the file is closed.
///
/// # Errors
/// When it cannot be created or locked.
pub fn hold_new(path: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        // Until it is locked, the cleanup of another process may remove it.
        match File::open(path).and_then(|folder| folder.lock().map(|()| folder)) {
            Ok(folder) if is_at(path, &folder)? => return Ok(folder),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("another process keeps removing the folder"))
}

/// Removes the subfolders that `is_leftover` accepts and no process has locked; returns their number.
pub fn remove_unheld(
    parent: &Path,
    is_leftover: impl Fn(&Path) -> bool,
    remove: impl Fn(&Path) -> io::Result<()>,
) -> usize {
    let mut n_removed = 0;
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(folder) = File::open(&path) else { continue };
        // A folder that cannot be removed is left for the next time.
        if folder.try_lock().is_ok() && is_leftover(&path) && remove(&path).is_ok() {
            n_removed += 1;
        }
    }
    n_removed
}

fn is_at(path: &Path, folder: &File) -> io::Result<bool> {
    let held = folder.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_no_one_holds_are_removed() {
        let state = tempfile::tempdir().unwrap();
        let held = hold_new(&state.path().join("held")).unwrap();
        drop(hold_new(&state.path().join("left/deep")).unwrap());
        fs::write(state.path().join("left/deep/file"), "x").unwrap();
        fs::create_dir(state.path().join("kept")).unwrap();
        fs::write(state.path().join("file"), "x").unwrap();
        let is_leftover = |path: &Path| !path.ends_with("kept");
        assert_eq!(
            remove_unheld(state.path(), is_leftover, |path| fs::remove_dir_all(path)),
            1
        );
        let mut left: Vec<_> = fs::read_dir(state.path())
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["file", "held", "kept"]);
        drop(held);
        assert_eq!(
            remove_unheld(state.path(), is_leftover, |path| fs::remove_dir_all(path)),
            1
        );
    }
}
