//! Logins of agents: read for the gateway, or copied into the agent's home and written back if the agent renewed them.
//!
//! The agent can write its copy, so a renewed one must have the same form: one JSON object with the same keys.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure, Timestamp};
use gemicro_llm::gateway::GatewaySecret;
use gemicro_runner::{AgentHome, SettingsFile};
use rustix::fs::{FlockOperation, OFlags, flock};
use serde_json::Value;

use super::setup::Login;

/// Maximum size of a login file.
const MAX_BYTES: u64 = 64 * 1024;

impl Login {
    /// Checks that it can be used; its contents are never shown.
    ///
    /// # Errors
    /// `auth_failed`, with what is wrong with it.
    pub fn check(&self) -> Result<(), Failure> {
        match self.upstream {
            Some(_) => self.token().map(drop),
            None => read(&self.file).map(drop),
        }
    }

    /// The access token in the login file of Claude Code.
    pub(super) fn token(&self) -> Result<GatewaySecret, Failure> {
        let login = read(&self.file)?;
        let login = &login["claudeAiOauth"];
        let wrong = |why: &str| {
            let message = format!(
                "the login {} {why}: run `claude` once to sign in again",
                self.file.display()
            );
            Err(Failure::new(ErrorKind::AuthFailed, message))
        };
        match (login["accessToken"].as_str(), login["expiresAt"].as_i64()) {
            (None | Some(""), _) => wrong("has no access token"),
            (Some(_), Some(end)) if end <= Timestamp::now().as_millis() => wrong("has expired"),
            (Some(token), _) => Ok(GatewaySecret::of_login(token)),
        }
    }
}

/// A login file that was copied into a home.
#[derive(Debug)]
pub(super) struct CopiedLogin {
    from: PathBuf,
    copy: PathBuf,
    before: Value,
}

/// Copies the file of a login into a home.
pub(super) fn bring(login: &Login, home: &Path, temporary: &Path) -> Result<CopiedLogin, Failure> {
    let before = read(&login.file)?;
    let copy = home.join(&login.place);
    AgentHome::open(home, temporary)?.write(&[SettingsFile {
        path: copy.clone(),
        text: before.to_string(),
    }])?;
    Ok(CopiedLogin {
        from: login.file.clone(),
        copy,
        before,
    })
}

/// Writes a renewed file back, if nothing else changed it in the meantime, and deletes the copy.
pub(super) fn take_back(brought: CopiedLogin) {
    let CopiedLogin { from, copy, before } = brought;
    let renewed = read(&copy)
        .ok()
        .filter(|after| *after != before && keys(after) == keys(&before));
    if let Some(after) = renewed
        && read(&from).is_ok_and(|now| now == before)
        && let Err(error) = replace(&from, &after.to_string())
    {
        tracing::warn!(%error, file = %from.display(), "a renewed login could not be saved");
    }
    let _ = fs::remove_file(copy);
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

/// Reads a login: a JSON object in a file that is not a link.
fn read(path: &Path) -> Result<Value, Failure> {
    let text = || -> std::io::Result<String> {
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
    };
    let why = match text() {
        Ok(text) => match serde_json::from_str::<Value>(&text) {
            Ok(login) if login.is_object() => return Ok(login),
            Ok(_) | Err(_) => "is not a JSON object".to_owned(),
        },
        Err(_) if path.is_symlink() => "is a link, which is not followed".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
    };
    let message = format!("the login {} {why}", path.display());
    Err(Failure::new(ErrorKind::AuthFailed, message))
}

fn keys(login: &Value) -> BTreeSet<&String> {
    login
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
        .collect()
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
    use gemicro_llm::gateway::UpstreamAddress;

    use super::*;

    #[test]
    fn the_gateway_gets_a_token_that_has_not_expired() {
        let place = tempfile::tempdir().expect("a folder");
        let login = Login {
            file: place.path().join(".credentials.json"),
            place: PathBuf::from(".claude/.credentials.json"),
            upstream: Some(UpstreamAddress::new("https://api.example").expect("an address")),
        };
        for (text, expected) in [
            (
                r#"{"claudeAiOauth":{"accessToken":"t","expiresAt":9999999999999}}"#,
                "",
            ),
            (r#"{"claudeAiOauth":{"accessToken":"t"}}"#, ""),
            (
                r#"{"claudeAiOauth":{"accessToken":"t","expiresAt":1}}"#,
                "has expired: run `claude` once to sign in again",
            ),
            (
                r#"{"claudeAiOauth":{"accessToken":""}}"#,
                "has no access token: run `claude` once",
            ),
            ("{}", "has no access token"),
            ("t", "is not a JSON object"),
        ] {
            fs::write(&login.file, text).expect("written");
            match login.token() {
                Ok(token) => assert_eq!((token, expected), (GatewaySecret::of_login("t"), "")),
                Err(failure) => assert!(
                    !expected.is_empty() && failure.message.contains(expected),
                    "{failure:?}"
                ),
            }
        }
    }

    #[test]
    fn a_login_comes_back_only_when_it_was_renewed_and_looks_like_one() {
        let place = tempfile::tempdir().expect("a folder");
        let from = place.path().join("auth.json");
        let (home, temporary) = (place.path().join("home"), place.path().join("tmp"));
        let login = Login {
            file: from.clone(),
            place: PathBuf::from(".codex/auth.json"),
            upstream: None,
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
