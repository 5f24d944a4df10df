//! The home folder of an agent, with our settings and its sessions.
//!
//! A home lasts as long as its conversation, so after the first turn the agent may have planted anything in it. Nothing
//! here follows a link: folders are opened one by one from the home down, and files are created or replaced as a whole.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gemicro_event::{ErrorKind, Failure};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags, mkdirat, openat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::invocation::SettingsFile;
use crate::modes;

const FOLDER_MODE: u32 = 0o700;
/// Flags to open a folder itself, never a link to one.
const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::RDONLY);
/// Counter for temporary file names, so that two runs in one home do not collide.
static N_WRITTEN: AtomicU64 = AtomicU64::new(0);

/// An agent's home and its folder for temporary files.
#[derive(Debug)]
pub struct AgentHome {
    home: PathBuf,
    temporary: PathBuf,
}

impl AgentHome {
    /// Opens the home, and creates it if needed, accessible only by the user. Access for the owner is restored, because
    /// an earlier turn may have changed file modes.
    ///
    /// # Errors
    /// `storage_error` if the folders cannot be created or are links.
    pub fn open(home: &Path, temporary: &Path) -> Result<Self, Failure> {
        for folder in [home, temporary] {
            make_private(folder).map_err(|error| home_failure(folder, error))?;
        }
        Ok(Self {
            home: home.to_path_buf(),
            temporary: temporary.to_path_buf(),
        })
    }

    /// Writes the files that a CLI needs, readable only by the user.
    ///
    /// # Errors
    /// `storage_error` if a file cannot be written, `internal` if it is outside of the home.
    pub fn write(&self, files: &[SettingsFile]) -> Result<(), Failure> {
        for file in files {
            let (folders, name) = self.inside(&file.path)?;
            let write = || {
                let folder = self.walk(&folders, MissingHome::Make)?;
                put(&folder, name, file.text.as_bytes())
            };
            write().map_err(|error| home_failure(&file.path, error))?;
        }
        Ok(())
    }

    /// Cleans up between two turns: removes our settings and all temporary files, but keeps sessions.
    ///
    /// # Errors
    /// `storage_error` if something cannot be removed.
    pub fn rest(&self, files: &[SettingsFile]) -> Result<(), Failure> {
        for file in files {
            let (folders, name) = self.inside(&file.path)?;
            let remove = || match self.walk(&folders, MissingHome::Refuse) {
                Ok(folder) => Ok(unlinkat(&folder, name, AtFlags::empty())?),
                Err(error) => Err(error),
            };
            match remove() {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(home_failure(&file.path, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        self.empty_temporary()
    }

    /// Removes everything at the end of the conversation.
    ///
    /// # Errors
    /// `storage_error` if something cannot be removed.
    pub fn remove(self) -> Result<(), Failure> {
        self.empty_temporary()?;
        fs::remove_dir_all(&self.home).map_err(|error| home_failure(&self.home, error))
    }

    /// Removes temporary files of an earlier start, because agents' programs may load compiled code or settings there.
    ///
    /// # Errors
    /// `storage_error` if something cannot be removed.
    pub(crate) fn empty_temporary(&self) -> Result<(), Failure> {
        empty_folder(&self.temporary).map_err(|error| home_failure(&self.temporary, error))
    }

    /// Returns the folders from the home down to a file, and its name.
    fn inside<'p>(&self, path: &'p Path) -> Result<(Vec<&'p Path>, &'p Path), Failure> {
        let outside = || {
            let message = format!("{} is not inside the agent's home", path.display());
            Failure::new(ErrorKind::Internal, message)
        };
        let rest = path.strip_prefix(&self.home).map_err(|_| outside())?;
        let mut names = Vec::new();
        for component in rest.components() {
            match component {
                Component::Normal(name) => names.push(Path::new(name)),
                _ => return Err(outside()),
            }
        }
        let name = names.pop().ok_or_else(outside)?;
        Ok((names, name))
    }

    /// Opens a folder below the home without following a link.
    fn walk(&self, folders: &[&Path], missing: MissingHome) -> std::io::Result<OwnedFd> {
        let mut folder = openat(rustix::fs::CWD, &self.home, FOLDER, Mode::empty())?;
        for name in folders {
            if missing == MissingHome::Make {
                match mkdirat(&folder, *name, Mode::from_raw_mode(FOLDER_MODE)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            folder = openat(&folder, *name, FOLDER, Mode::empty())?;
        }
        Ok(folder)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingHome {
    Make,
    Refuse,
}

/// Empties an agent's folder but keeps it, because some file systems are slow to create files after mass deletions. If
/// the path is not a folder, it is deleted itself.
///
/// # Errors
/// When something cannot be deleted; the rest stays, too.
pub fn empty_folder(folder: &Path) -> std::io::Result<()> {
    // The agent may have put a link there, and its target is not ours.
    if !fs::symlink_metadata(folder)?.is_dir() {
        return fs::remove_file(folder);
    }
    modes::restore(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Makes a folder private to the user. An existing one must not be a link; its content is made accessible to the user.
fn make_private(folder: &Path) -> std::io::Result<()> {
    match mkdirat(rustix::fs::CWD, folder, Mode::from_raw_mode(FOLDER_MODE)) {
        Ok(()) => return Ok(()),
        Err(Errno::EXIST) => {}
        Err(Errno::NOENT) => {
            let mut builder = fs::DirBuilder::new();
            return builder.recursive(true).mode(FOLDER_MODE).create(folder);
        }
        Err(error) => return Err(error.into()),
    }
    modes::restore(folder)?;
    let opened = openat(rustix::fs::CWD, folder, FOLDER, Mode::empty())?;
    Ok(rustix::fs::fchmod(&opened, Mode::from_raw_mode(FOLDER_MODE))?)
}

/// Writes a file, replacing an existing one as a whole.
fn put(folder: &OwnedFd, name: &Path, bytes: &[u8]) -> std::io::Result<()> {
    match write_new(folder, name, bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        written => return written,
    }
    let number = N_WRITTEN.fetch_add(1, Ordering::Relaxed);
    let unfinished = PathBuf::from(format!(".gemicro-{}-{number}", std::process::id()));
    write_new(folder, &unfinished, bytes)?;
    let renamed = renameat_with(folder, &unfinished, folder, name, RenameFlags::empty());
    Ok(renamed.inspect_err(|_| {
        let _ = unlinkat(folder, &unfinished, AtFlags::empty());
    })?)
}

/// Creates a new file without following links. If writing fails, the file is removed.
fn write_new(folder: &OwnedFd, name: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::from_raw_mode(0o600))?;
    fs::File::from(file).write_all(bytes).inspect_err(|_| {
        let _ = unlinkat(folder, name, AtFlags::empty());
    })
}

fn home_failure(path: &Path, error: std::io::Error) -> Failure {
    let message = format!("cannot use {}: {error}", path.display());
    Failure::new(ErrorKind::StorageError, message)
}

#[cfg(test)]
#[path = "home_tests.rs"]
mod tests;
