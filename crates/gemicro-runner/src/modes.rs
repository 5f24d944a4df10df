//! Restores the owner's access to an agent's files, whatever modes the agent or its commands set.
//!
//! Use it only while nothing of the agent runs: a link that replaces a file meanwhile would be followed.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, chmodat, openat, statat};
use rustix::path::Arg;

/// Permissions that the owner needs for a folder and for a file.
const FOLDER: RawMode = 0o700;
const FILE: RawMode = 0o600;

/// Gives the owner access to a folder and everything in it.
///
/// # Errors
/// When it does not exist or belongs to another user.
pub(crate) fn restore(folder: &Path) -> std::io::Result<()> {
    restore_at(CWD, folder)
}

fn restore_at(folder: impl AsFd, name: impl Arg + Copy) -> std::io::Result<()> {
    let mode = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode;
    let kind = FileType::from_raw_mode(mode);
    let needed = match kind {
        FileType::Directory => FOLDER,
        FileType::RegularFile => FILE,
        _ => return Ok(()),
    };
    if mode & needed != needed {
        chmodat(
            &folder,
            name,
            Mode::from_raw_mode(mode | needed),
            AtFlags::empty(),
        )?;
    }
    if kind == FileType::RegularFile {
        return Ok(());
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inside = openat(&folder, name, flags, Mode::empty())?;
    for entry in Dir::read_from(&inside)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            restore_at(&inside, entry.file_name())?;
        }
    }
    Ok(())
}
