//! Folders that somebody works in: held by a lock that ends with its process, so what a killed one left is known.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// How often a folder is made again that was removed before it could be held.
const TRIES: u32 = 8;

/// Makes a folder for the user alone, and holds it until the file is closed.
///
/// # Errors
/// When it cannot be made or held.
pub fn hold_new(path: &Path) -> io::Result<File> {
    for _ in 0..TRIES {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        // Until it is held, whoever removes leftovers may take it for one.
        match File::open(path).and_then(|folder| folder.lock().map(|()| folder)) {
            Ok(folder) if is_at(path, &folder)? => return Ok(folder),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("another process keeps removing the folder"))
}

/// Removes those folders in a folder that `is_leftover` accepts and nobody holds; tells how many.
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
        // One that cannot be removed stays for the next time.
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
