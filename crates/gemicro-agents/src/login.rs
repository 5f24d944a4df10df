//! Logins of agents: brought into the agent's home, and taken back when the agent renewed them.
//!
//! The agent can write its copy, so what comes back must look like what went in: one JSON object with the same keys.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};
use gemicro_runner::{AgentHome, SettingsFile};
use rustix::fs::{FlockOperation, OFlags, flock};
use serde_json::Value;

use super::setup::Login;

/// No login is larger.
const MAX_BYTES: u64 = 64 * 1024;

/// Files that were brought into a home.
#[derive(Debug)]
pub(super) struct Brought {
    files: Vec<(PathBuf, PathBuf, String)>,
}

/// Copies the files of a login into a home.
pub(super) fn bring(login: &Login, home: &Path, temporary: &Path) -> Result<Brought, Failure> {
    let into = AgentHome::open(home, temporary)?;
    let mut files = Vec::new();
    for (from, to) in &login.files {
        let text = read(from).map_err(|error| {
            let message = format!("the login {} cannot be read: {error}", from.display());
            Failure::new(ErrorKind::AuthFailed, message)
        })?;
        let path = home.join(to);
        into.write(&[SettingsFile {
            path: path.clone(),
            text: text.clone(),
        }])?;
        files.push((from.clone(), path, text));
    }
    Ok(Brought { files })
}

/// Writes renewed files back, where nobody else changed them meanwhile, and deletes the copies.
pub(super) fn take_back(brought: Brought) {
    for (from, copy, before) in brought.files {
        let renewed = read(&copy)
            .ok()
            .filter(|after| *after != before && has_its_shape(after, &before));
        if let Some(after) = renewed
            && read(&from).is_ok_and(|now| now == before)
            && let Err(error) = replace(&from, &after)
        {
            tracing::warn!(%error, file = %from.display(), "a renewed login could not be kept");
        }
        let _ = fs::remove_file(copy);
    }
}

/// Deletes copies that a killed process left in the homes under a state folder. A home that is in use is left alone.
pub(super) fn sweep(state: &Path, files: &[PathBuf]) {
    let homes = fs::read_dir(state.join("agents").join("homes"))
        .into_iter()
        .flatten()
        .flatten();
    for home in homes {
        let copies: Vec<PathBuf> = files
            .iter()
            .map(|file| home.path().join("home").join(file))
            .collect();
        if copies.iter().any(|copy| copy.symlink_metadata().is_ok())
            && let Ok(lock) = fs::File::open(home.path())
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
        {
            for copy in copies {
                let _ = fs::remove_file(copy);
            }
        }
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(std::io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

fn has_its_shape(after: &str, before: &str) -> bool {
    fn keys(value: &Value) -> Option<BTreeSet<String>> {
        Some(value.as_object()?.keys().cloned().collect())
    }
    let read = |text: &str| serde_json::from_str::<Value>(text).ok().as_ref().and_then(keys);
    read(after).is_some() && read(after) == read(before)
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".gemicro-unfinished");
    let _ = fs::remove_file(&unfinished);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_comes_back_only_when_it_was_renewed_and_looks_like_one() {
        let place = tempfile::tempdir().expect("a folder");
        let from = place.path().join("auth.json");
        let (home, temporary) = (place.path().join("home"), place.path().join("tmp"));
        let login = Login {
            files: vec![(from.clone(), PathBuf::from(".codex/auth.json"))],
        };
        let copy = home.join(".codex/auth.json");
        let before = r#"{"access":"1","refresh":"2"}"#;
        let renewed = r#"{"access":"3","refresh":"4"}"#;
        for (written, kept) in [
            (renewed, renewed),
            (before, before),
            (r#"{"access":"3","refresh":"4","command":"rm"}"#, before),
            (r#"{"access":"3"}"#, before),
            ("[]", before),
            ("not json", before),
        ] {
            fs::write(&from, before).expect("written");
            let brought = bring(&login, &home, &temporary).expect("brought");
            assert_eq!(fs::read_to_string(&copy).expect("there"), before);
            fs::write(&copy, written).expect("the agent writes");
            take_back(brought);
            assert_eq!(fs::read_to_string(&from).expect("there"), kept, "{written}");
            assert!(!copy.exists());
        }
        // Somebody logged in anew meanwhile; and a link instead of the copy.
        fs::write(&from, before).expect("written");
        let brought = bring(&login, &home, &temporary).expect("brought");
        fs::write(&from, r#"{"access":"9","refresh":"9"}"#).expect("written");
        fs::write(&copy, renewed).expect("the agent writes");
        take_back(brought);
        assert!(fs::read_to_string(&from).expect("there").contains('9'));
        fs::write(&from, before).expect("written");
        let brought = bring(&login, &home, &temporary).expect("brought");
        let elsewhere = place.path().join("elsewhere");
        fs::write(&elsewhere, renewed).expect("written");
        fs::remove_file(&copy).expect("removed");
        std::os::unix::fs::symlink(&elsewhere, &copy).expect("linked");
        take_back(brought);
        assert_eq!(fs::read_to_string(&from).expect("there"), before);
    }
}
