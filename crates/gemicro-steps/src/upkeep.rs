//! Removes leftovers of runs and killed processes from a state folder.

use std::fs;
use std::path::Path;

use gemicro_agents::{has_no_session, sweep_tasks};
use gemicro_batch::workshop::remove_unheld;
use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_event::{ErrorKind, Failure};
use gemicro_runner::empty_folder;

/// Removes search indexes whose texts are gone: an index contains the texts of its sources, so it is deleted with the
/// last run that read them. Call it after erasing runs.
///
/// # Errors
/// When an index cannot be removed; the message names it.
pub async fn sweep_indexes(blobs: &dyn Blobs, home: &Path) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(home.join("index")) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let Some(pack) = entry.file_name().to_str().and_then(BlobId::parse) else {
            continue;
        };
        if matches!(blobs.get(&pack).await, Err(BlobError::Missing { .. })) {
            fs::remove_dir_all(entry.path()).map_err(|error| {
                let message = format!(
                    "the index {} could not be removed: {error}",
                    entry.path().display()
                );
                Failure::new(ErrorKind::StorageError, message)
            })?;
        }
    }
    Ok(())
}

/// Removes what killed processes left in a state folder: folders of commands in the sandbox, unfinished indexes, homes
/// of agents that never had a session, and folders of tasks that are no longer used. Whatever a process still works in is
/// locked and stays. Returns how many were removed. Blocks.
pub fn sweep_leftovers(home: &Path) -> usize {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let is_unfinished_index = |path: &Path| {
        let name = name(path);
        name.starts_with('.') && (name.contains(".building-") || name.contains(".removing-"))
    };
    let is_trial = |path: &Path| {
        let name = name(path);
        name.starts_with("probe-") || name.starts_with("gemicro-doctor-")
    };
    remove_unheld(&home.join("shell"), |_| true, remove_all)
        + remove_unheld(&home.join("index"), is_unfinished_index, remove_all)
        + remove_unheld(&home.join("agents"), is_trial, remove_all)
        + remove_unheld(
            &home.join("agents").join("homes"),
            |path| has_no_session(home, path),
            remove_all,
        )
        + sweep_tasks(home, remove_all)
}

/// Removes a folder, even if a command left subfolders in it that cannot be emptied directly.
fn remove_all(folder: &Path) -> std::io::Result<()> {
    empty_folder(folder)?;
    fs::remove_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use gemicro_batch::workshop::hold_new;

    use super::*;

    #[test]
    fn what_killed_processes_left_is_removed_and_what_is_in_use_stays() {
        let state = tempfile::tempdir().expect("a folder");
        let at = |path: &str| state.path().join(path);
        for left in [
            "shell/run1-a/home",
            "index/.pack.building-0123456789abcdef",
            "index/.pack.removing-0123456789abcdef",
            "agents/probe-x",
            "agents/gemicro-doctor-x/probe",
            "agents/homes/run1-ask-1/home",
            "index/pack",
            "agents/homes/run2-ask-1",
            "agents/homes/run3-ask-1",
            "agents/sessions/codex",
        ] {
            fs::create_dir_all(at(left)).expect("made");
        }
        fs::write(at("shell/run1-a/home/file"), "x").expect("written");
        let about = r#"{ "agent": "codex", "directory": "/project", "session": "s" }"#;
        fs::write(at("agents/homes/run2-ask-1/about.json"), about).expect("written");
        fs::write(at("agents/sessions/codex/s3"), "run3-ask-1").expect("written");
        let held = [
            "shell/run9-b",
            "index/.other.building-1",
            "agents/probe-y",
            "agents/homes/run9-ask-1",
        ];
        let locks = held.map(|path| hold_new(&at(path)).expect("held"));
        assert_eq!(sweep_leftovers(state.path()), 6);
        let stays = ["index/pack", "agents/homes/run2-ask-1", "agents/homes/run3-ask-1"];
        for path in stays.into_iter().chain(held) {
            assert!(at(path).is_dir(), "{path}");
        }
        for path in ["shell/run1-a", "agents/homes/run1-ask-1", "agents/probe-x"] {
            assert!(!at(path).exists(), "{path}");
        }
        drop(locks);
        assert_eq!(sweep_leftovers(state.path()), 4);
        assert_eq!(sweep_leftovers(state.path()), 0);
    }

    #[test]
    fn folders_of_tasks_stay_while_they_can_be_of_use() {
        let state = tempfile::tempdir().expect("a folder");
        let tasks = state.path().join("tasks");
        let task = |id: &str, repository: &Path| {
            let folder = tasks.join(id);
            fs::create_dir_all(folder.join("wt")).expect("made");
            let commit = "a".repeat(40);
            let record = serde_json::json!({
                "version": 1, "slug": "work", "repository": repository, "base": commit, "tip": commit, "next": null,
            });
            fs::write(folder.join("task.json"), record.to_string()).expect("written");
            File::open(folder).expect("opened")
        };
        let gone = state.path().join("no-repository");
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 24 * 60 * 60);
        task("used", state.path());
        task("gone", &gone);
        task("idle", state.path()).set_modified(long_ago).expect("set");
        fs::create_dir(tasks.join("unfinished")).expect("made");
        for id in ["open", "held", "aside.1"] {
            task(id, &gone);
        }
        fs::write(tasks.join("open.open"), "").expect("written");
        let lock = File::create(tasks.join("held.lock")).expect("made");
        lock.lock().expect("held");
        assert_eq!(sweep_leftovers(state.path()), 3);
        for (id, stays) in [
            ("used", true),
            ("gone", false),
            ("idle", false),
            ("unfinished", false),
            ("open", true),
            ("held", true),
            ("aside.1", true),
        ] {
            assert_eq!(tasks.join(id).exists(), stays, "{id}");
        }
    }
}
