//! Prepares the folder of the next conversation in the background.
//!
//! On some file systems, creating a folder is slow for minutes after mass deletions; renaming one is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gemicro_event::{Failure, StreamId};

use super::folder::{folder_failure, make_folder};
use super::session_metadata::SessionMetadata;

/// At most one prepared folder, under `agents/spare` of the state folder.
#[derive(Debug)]
pub(super) struct PreparedHome {
    root: PathBuf,
    waiting: Mutex<Option<PathBuf>>,
}

impl PreparedHome {
    /// For this state folder; removes what a killed process left there.
    pub(super) fn in_state(state: &Path) -> Self {
        let root = state.join("agents").join("spare");
        let _ = fs::remove_dir_all(&root);
        Self {
            root,
            waiting: Mutex::default(),
        }
    }

    /// Prepares a folder if there is none. Blocks.
    pub(super) fn fill(&self) -> Result<(), Failure> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_none() {
            let folder = self.root.join(StreamId::random().as_str());
            for inside in ["home", "tmp"] {
                make_folder(&folder.join(inside))?;
            }
            SessionMetadata::reserve(&folder).map_err(|error| folder_failure(&folder, &error))?;
            *waiting = Some(folder);
        }
        Ok(())
    }

    /// Moves the prepared folder to `place`; false if there is none or it cannot be moved.
    pub(super) fn put(&self, place: &Path) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        waiting.is_some_and(|folder| fs::rename(folder, place).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_waits_is_put_in_its_place_once() {
        let state = tempfile::tempdir().expect("a folder");
        let homes = state.path().join("homes");
        fs::create_dir(&homes).expect("made");
        let (spare, place) = (PreparedHome::in_state(state.path()), homes.join("one"));
        assert!(!spare.put(&place), "none waits yet");
        spare.fill().expect("made");
        spare.fill().expect("there already");
        assert_eq!(fs::read_dir(&spare.root).expect("read").count(), 1);
        assert!(spare.put(&place));
        assert!(place.join("home").is_dir() && place.join("tmp").is_dir());
        assert_eq!(SessionMetadata::read(&place).expect("read"), None);
        assert!(!spare.put(&homes.join("two")));
    }

    #[test]
    fn what_is_in_a_place_stays_and_what_a_killed_process_left_goes() {
        let state = tempfile::tempdir().expect("a folder");
        let place = state.path().join("homes/one");
        fs::create_dir_all(place.join("home")).expect("made");
        fs::write(place.join("home/kept"), "").expect("written");
        let spare = PreparedHome::in_state(state.path());
        spare.fill().expect("made");
        assert!(!spare.put(&place));
        assert!(place.join("home/kept").is_file());
        drop(PreparedHome::in_state(state.path()));
        assert!(!spare.root.exists());
    }
}
