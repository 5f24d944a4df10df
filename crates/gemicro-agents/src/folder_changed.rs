//! Finds out whether an agent changed anything in its folder.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum number of entries that are checked; a larger folder counts as changed.
const MAX_ENTRIES: usize = 200_000;
/// Resolution of the file system's clock.
const COARSE: Duration = Duration::from_millis(20);

/// Whether anything in a folder was created, changed or deleted since a time. The change time of a file cannot be set
/// back; a folder that is too large to check counts as changed.
pub(super) fn has_changed(folder: impl AsRef<Path>, since: SystemTime) -> bool {
    let since = since.checked_sub(COARSE).unwrap_or(UNIX_EPOCH);
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut open: Vec<PathBuf> = vec![folder.as_ref().to_path_buf()];
    let mut n_entries = 0;
    while let Some(path) = open.pop() {
        n_entries += 1;
        let Ok(found) = std::fs::symlink_metadata(&path) else {
            return true;
        };
        let changed = Duration::new(
            u64::try_from(found.ctime()).unwrap_or_default(),
            u32::try_from(found.ctime_nsec()).unwrap_or_default(),
        );
        if changed >= since || n_entries > MAX_ENTRIES {
            return true;
        }
        if found.is_dir() {
            let Ok(entries) = std::fs::read_dir(&path) else {
                return true;
            };
            open.extend(entries.flatten().map(|entry| entry.path()));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_change_is_seen() {
        let place = tempfile::tempdir().expect("a folder");
        let inner = place.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("made");
        std::fs::write(inner.join("old"), "1").expect("written");
        let changes: [&dyn Fn(); 4] = [
            &|| std::fs::write(inner.join("old"), "2").expect("written"),
            &|| std::fs::write(inner.join("new"), "").expect("written"),
            &|| std::fs::remove_file(inner.join("new")).expect("removed"),
            &|| std::fs::rename(inner.join("old"), inner.join("moved")).expect("moved"),
        ];
        for change in changes {
            std::thread::sleep(2 * COARSE);
            let began = SystemTime::now();
            assert!(!has_changed(place.path(), began));
            change();
            assert!(has_changed(place.path(), began));
        }
        assert!(has_changed(place.path().join("gone"), SystemTime::now()));
    }
}
