//! The search path of a command that works where agents write: no program of theirs stands for another.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// What is searched where nothing else is left: an empty search path would mean the folder a command starts in.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// A `PATH` without what depends on the folder that a command starts in, and without what lies in these folders,
/// which an agent could write.
#[must_use]
pub fn search_path(path: &OsStr, writable: &[PathBuf]) -> OsString {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let writable: Vec<PathBuf> = writable.iter().map(|folder| real(folder)).collect();
    let is_plain =
        |folder: &Path| folder.is_absolute() && !folder.components().any(|part| part == Component::ParentDir);
    let is_inside = |folder: &Path| {
        let found = real(folder);
        writable
            .iter()
            .any(|writable| folder.starts_with(writable) || found.starts_with(writable))
    };
    let kept = split_paths(path).filter(|folder| is_plain(folder) && !is_inside(folder));
    let kept = join_paths(kept).unwrap_or_default();
    match kept.is_empty() {
        true => USUAL.into(),
        false => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_fixed_and_not_writable_is_searched() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let (work, outside) = (place.join("work"), place.join("outside"));
        std::fs::create_dir_all(work.join("bin")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(work.join("bin"), outside.join("link")).unwrap();
        let given = format!(
            ".::bin:../bin:{work}:{work}/bin:{work}/later:{outside}/link:{outside}/../work/later:{outside}:/usr/bin",
            work = work.display(),
            outside = outside.display()
        );
        let found = search_path(given.as_ref(), &[work]);
        assert_eq!(found, *format!("{}:/usr/bin", outside.display()));
    }

    #[test]
    fn an_empty_search_path_is_not_the_folder_at_hand() {
        for path in ["", ".", ":"] {
            assert_eq!(search_path(path.as_ref(), &[]), USUAL, "{path}");
        }
    }
}
