//! Search paths without folders that agents can write, so that no program can be replaced by an agent's; and program
//! lookup.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, access};

/// The search path if nothing else is left: an empty one would mean the current folder.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// A `PATH` without relative folders, and without these folders, which an agent could write.
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

/// The result of looking up a name in a search path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramLookup {
    /// The first executable file of that name.
    Program(PathBuf),
    /// A file without execute permission; there is no program.
    NotExecutable(PathBuf),
    /// No folder of the path has it.
    Nothing,
}

/// Finds the first program of a name. Relative folders are ignored.
#[must_use]
pub fn find_program(name: &OsStr, path: &OsStr) -> ProgramLookup {
    let folders = split_paths(path).filter(|folder| folder.is_absolute());
    let mut refused = ProgramLookup::Nothing;
    for candidate in folders.map(|folder| folder.join(name)) {
        match look_at(&candidate) {
            found @ ProgramLookup::Program(_) => return found,
            found if refused == ProgramLookup::Nothing => refused = found,
            ProgramLookup::NotExecutable(_) | ProgramLookup::Nothing => {}
        }
    }
    refused
}

/// Checks whether a path is a program.
#[must_use]
pub fn look_at(path: &Path) -> ProgramLookup {
    match (path.is_file(), access(path, Access::EXEC_OK)) {
        (false, _) => ProgramLookup::Nothing,
        (true, Ok(())) => ProgramLookup::Program(path.to_owned()),
        (true, Err(_)) => ProgramLookup::NotExecutable(path.to_owned()),
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

    #[test]
    fn the_first_program_of_a_name_is_found() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        for (name, mode) in [("plain", 0o644), ("one", 0o755), ("two", 0o755)] {
            let file = place.join(name).join("tool");
            std::fs::create_dir(place.join(name)).unwrap();
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir_all(place.join("folder/tool")).unwrap();
        let find = |names: &[&str]| {
            let folders = names.iter().map(|name| place.join(name));
            find_program("tool".as_ref(), &join_paths(folders).unwrap())
        };
        let at = |name: &str| place.join(name).join("tool");
        assert_eq!(
            find(&["missing", "folder", "plain", "one", "two"]),
            ProgramLookup::Program(at("one"))
        );
        assert_eq!(
            find(&["folder", "plain", "missing"]),
            ProgramLookup::NotExecutable(at("plain"))
        );
        assert_eq!(find(&["folder", "missing"]), ProgramLookup::Nothing);
        assert_eq!(
            find_program("sh".as_ref(), "bin:.:".as_ref()),
            ProgramLookup::Nothing
        );
    }
}
