//! Chooses how to resume a Gemini CLI session without losing it.
//!
//! If `session/load` runs in the minute in which a session's newest file was created, it overwrites that file and the
//! history is lost. `--resume` in a new process does not. A minute later, both are safe.

use std::path::Path;

use chrono::DateTime;
use gemicro_event::Timestamp;

use crate::session::SessionId;

/// Number of characters of a session's name in its file names.
const N_LETTERS: usize = 8;

/// A way to resume a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeWay {
    /// In a new process ([`GeminiHeadless`](crate::GeminiHeadless)).
    Headless,
    /// Over ACP ([`GeminiAcp`](crate::GeminiAcp)), in a long-running process.
    Acp,
}

/// Returns how to resume a session whose files are in this home. A session without files cannot be loaded; a new
/// process reports that without doing harm.
pub(super) fn way(home: &Path, session: &SessionId, now: Timestamp) -> ResumeWay {
    let projects = folders(&home.join(".gemini/tmp"));
    let names: Vec<String> = projects
        .iter()
        .flat_map(|project| files(&home.join(".gemini/tmp").join(project).join("chats")))
        .collect();
    way_by_names(names.iter().map(String::as_str), session, now)
}

/// Applies the rule. If the clock was set back, files from the future count as created in this minute.
fn way_by_names<'n>(names: impl Iterator<Item = &'n str>, session: &SessionId, now: Timestamp) -> ResumeWay {
    let Some(now) = DateTime::from_timestamp_millis(now.as_millis()) else {
        return ResumeWay::Headless;
    };
    let this_minute = now.format("%Y-%m-%dT%H-%M").to_string();
    let newest = names.filter_map(|name| made_in(name, session)).max();
    match newest {
        Some(minute) if minute < this_minute.as_str() => ResumeWay::Acp,
        Some(_) | None => ResumeWay::Headless,
    }
}

/// Returns the minute in which a session's file was created: `session-2026-11-15T00-17-0e2b1c9a.jsonl`.
fn made_in<'n>(name: &'n str, session: &SessionId) -> Option<&'n str> {
    let (minute, letters) = name
        .strip_prefix("session-")?
        .strip_suffix(".jsonl")?
        .rsplit_once('-')?;
    let own: String = session.as_str().chars().take(N_LETTERS).collect();
    (letters == own).then_some(minute)
}

/// Returns the names of subfolders; links are not followed.
fn folders(path: &Path) -> Vec<String> {
    entries(path, std::fs::FileType::is_dir)
}

fn files(path: &Path) -> Vec<String> {
    entries(path, std::fs::FileType::is_file)
}

fn entries(path: &Path, is_wanted: impl Fn(&std::fs::FileType) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| is_wanted(&kind)))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use gemicro_event::Timestamp;

    use super::{ResumeWay, way, way_by_names};
    use crate::session::SessionId;

    const YOUNG: &str = "session-2026-11-15T00-17-0e2b1c9a.jsonl";
    const OLD: &str = "session-2026-11-14T23-59-0e2b1c9a.jsonl";
    const OTHER: &str = "session-2026-11-15T00-17-ffffffff.jsonl";

    fn session() -> SessionId {
        "0e2b1c9a-1111-4222-8333-444455556666".parse().unwrap()
    }

    fn now() -> Timestamp {
        "2026-11-15T00:17:59.999Z".parse().unwrap()
    }

    #[test]
    fn a_young_session_is_not_loaded() {
        for (names, expected) in [
            (&[][..], ResumeWay::Headless),
            (&[YOUNG], ResumeWay::Headless),
            (&[OLD], ResumeWay::Acp),
            (&[OLD, OTHER], ResumeWay::Acp),
            // The newest of its files counts.
            (&[YOUNG, OLD], ResumeWay::Headless),
            // A clock that was set back.
            (&["session-2026-11-15T00-18-0e2b1c9a.jsonl"], ResumeWay::Headless),
            // Not named like a session.
            (&["0e2b1c9a.jsonl", "session-0e2b1c9a.jsonl"], ResumeWay::Headless),
        ] {
            let way = way_by_names(names.iter().copied(), &session(), now());
            assert_eq!(way, expected, "{names:?}");
        }
        let later = "2026-11-15T00:18:00.000Z".parse().unwrap();
        assert_eq!(
            way_by_names([YOUNG].into_iter(), &session(), later),
            ResumeWay::Acp
        );
    }

    #[test]
    fn files_are_found_in_every_project_and_behind_no_link() {
        let home = tempfile::tempdir().unwrap();
        let find = || way(home.path(), &session(), now());
        assert_eq!(find(), ResumeWay::Headless);
        let chats = home.path().join(".gemini/tmp/project/chats");
        std::fs::create_dir_all(&chats).unwrap();
        std::fs::write(chats.join(OLD), "").unwrap();
        assert_eq!(find(), ResumeWay::Acp);
        let elsewhere = tempfile::tempdir().unwrap();
        std::fs::create_dir(elsewhere.path().join("chats")).unwrap();
        std::fs::write(elsewhere.path().join("chats").join(YOUNG), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), home.path().join(".gemini/tmp/link")).unwrap();
        assert_eq!(find(), ResumeWay::Acp);
    }
}
