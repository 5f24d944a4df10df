//! The bearer token of a server: from `GEMICRO_TOKEN`, otherwise from a file that only its owner can read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, StreamId};

use crate::command_error::CommandError;
use crate::environment::{Environment, TOKEN as VARIABLE};

/// The file of the MCP server's token, in the state folder.
pub(crate) const MCP: &str = "mcp-token";
/// The file of the HTTP server's token, in the state folder.
pub(crate) const HTTP: &str = "http-token";

/// Number of random bytes in a new token.
const N_BYTES: usize = 32;
/// Minimum length: shorter tokens can be guessed.
const LEAST_LETTERS: usize = 32;

/// A token and its origin.
pub(crate) struct ServerToken {
    pub(crate) text: String,
    /// Where it is stored, for people.
    pub(crate) place: String,
}

/// Finds the token, or creates one in this file of the state folder.
pub(crate) fn token(environment: &Environment, home: &Path, file: &str) -> Result<ServerToken, CommandError> {
    if let Some(text) = environment.get(VARIABLE) {
        let text = text.trim().to_owned();
        if text.len() < LEAST_LETTERS {
            return Err(CommandError::usage(
                format!("{VARIABLE} is shorter than {LEAST_LETTERS} characters"),
                format!("use a long one: export {VARIABLE}=$(openssl rand -hex 32)"),
            ));
        }
        return Ok(ServerToken {
            text,
            place: VARIABLE.to_owned(),
        });
    }
    let path = home.join(file);
    let text = match read(&path)? {
        Some(text) => text,
        None => {
            make(home, &path).map_err(|error| unusable(&path, &error))?;
            read(&path)?.ok_or_else(|| unusable(&path, &io::ErrorKind::NotFound.into()))?
        }
    };
    Ok(ServerToken {
        text,
        place: path.display().to_string(),
    })
}

fn read(path: &PathBuf) -> Result<Option<String>, CommandError> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, &error)),
    };
    if found.permissions().mode() & 0o077 != 0 {
        return Err(CommandError::new_failure(
            ErrorKind::PermissionDenied,
            format!("others can read the token in {}", path.display()),
            format!(
                "delete it; the next start creates a new one: rm {}",
                path.display()
            ),
        ));
    }
    let text = fs::read_to_string(path).map_err(|error| unusable(path, &error))?;
    let text = text.trim().to_owned();
    if text.len() < LEAST_LETTERS {
        let error = io::Error::new(
            io::ErrorKind::InvalidData,
            "it contains no complete token; delete it",
        );
        return Err(unusable(path, &error));
    }
    Ok(Some(text))
}

/// Creates the file atomically; if two processes try, the first one wins.
fn make(home: &Path, path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(home)?;
    let mut bytes = [0; N_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let temporary = home.join(format!(".token-{}", StreamId::random()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    let written = file
        .write_all(format!("{text}\n").as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| match fs::hard_link(&temporary, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        });
    let _ = fs::remove_file(&temporary);
    written
}

fn unusable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new_failure(
        ErrorKind::StorageError,
        format!("the token in {} cannot be used: {error}", path.display()),
        format!("check its permissions, or give the token as {VARIABLE}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "some-token";

    #[test]
    fn a_token_is_made_once_and_only_for_its_owner() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("state");
        let environment = Environment::of([]);
        let Ok(first) = token(&environment, &home, FILE) else {
            panic!("a token")
        };
        assert_eq!(first.text.len(), 2 * N_BYTES);
        let path = home.join(FILE);
        let mode = fs::metadata(&path).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(token(&environment, &home, FILE).is_ok_and(|again| again.text == first.text));
        assert_eq!(fs::read_dir(&home).expect("a folder").count(), 1);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("changed");
        let refused = token(&environment, &home, FILE)
            .err()
            .expect("others can read it");
        assert_eq!(refused.exit_code(), ErrorKind::PermissionDenied.exit_code());
    }

    #[test]
    fn a_token_of_the_environment_goes_first_and_must_be_long() {
        let home = Path::new("/nowhere");
        let long = "x".repeat(LEAST_LETTERS);
        let given = token(&Environment::of([(VARIABLE, &long)]), home, FILE);
        assert!(given.is_ok_and(|token| token.text == long && token.place == VARIABLE));
        let refused = token(&Environment::of([(VARIABLE, "short")]), home, FILE).err();
        assert_eq!(refused.expect("too short").exit_code(), 2);
    }
}
