//! Writes the live skills where agent CLIs read them: `SKILL_FOLDERS` of the project.
//!
//! A file is written or deleted only if it is missing or equals a version of the skill, so that what the owner wrote
//! stays. No link is followed, neither to a folder nor to a file.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use gemicro_event::{StreamId, Timestamp};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, open, openat, renameat, unlinkat};
use rustix::io::Errno;

use crate::entry::{EntryState, MemoryEntry};
use crate::memory::Memory;
use crate::skill::check_name;

/// Where the file of a skill is written: Codex and Gemini CLI read the first folder, Claude Code the second.
pub const SKILL_FOLDERS: [[&str; 2]; 2] = [[".agents", "skills"], [".claude", "skills"]];
/// The name of the file.
const FILE: &str = "SKILL.md";
/// No version of a skill is larger.
const MOST_BYTES: u64 = 64 * 1_024;

/// Writes the files of live skills and deletes those of others. Returns what could not be done, one sentence each.
pub(crate) fn write_files(folder: &Path, memory: &Memory, now: Timestamp) -> Vec<String> {
    let mut notes = Vec::new();
    for entry in memory.skills() {
        let (Some(skill), Some(text)) = (&entry.skill, entry.skill_file()) else {
            continue;
        };
        if check_name(&skill.name).is_err() {
            continue;
        }
        let live = (memory.state(entry, now) == EntryState::Live).then_some(text.as_str());
        let known: Vec<String> = memory
            .versions(entry)
            .into_iter()
            .filter_map(MemoryEntry::skill_file)
            .collect();
        for [outer, inner] in SKILL_FOLDERS {
            let path = [outer, inner, &skill.name];
            if let Err(why) = write_file(folder, path, live, &known) {
                notes.push(format!("{}/{FILE} {why}", path.join("/")));
            }
        }
    }
    notes
}

/// Brings one file to the wanted text; `None` deletes it.
fn write_file(folder: &Path, path: [&str; 3], wanted: Option<&str>, known: &[String]) -> Result<(), String> {
    let Some(place) = open_folder(folder, path, wanted.is_some())? else {
        return Ok(());
    };
    let found = read(&place).map_err(|error| format!("cannot be read: {error}"))?;
    match (found, wanted) {
        (None, None) => Ok(()),
        (Some(found), Some(wanted)) if found == wanted.as_bytes() => Ok(()),
        (Some(found), _) if !known.iter().any(|it| it.as_bytes() == found) => {
            Err("was kept, because it has changes that gemicro did not make".to_owned())
        }
        (_, Some(wanted)) => replace(&place, wanted).map_err(|error| format!("cannot be written: {error}")),
        (Some(_), None) => {
            unlinkat(&place, FILE, AtFlags::empty())
                .map_err(|error| format!("cannot be deleted: {error}"))?;
            // Fails if the owner put other files there.
            if let Ok(Some(parent)) = open_folder(folder, [path[0], path[1], "."], false) {
                let _ = unlinkat(&parent, path[2], AtFlags::REMOVEDIR);
            }
            Ok(())
        }
    }
}

/// Opens the folder of a skill without following links; `None` if it is missing and not to be created.
fn open_folder(folder: &Path, path: [&str; 3], create: bool) -> Result<Option<OwnedFd>, String> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let failed = |error: Errno| match error {
        Errno::LOOP | Errno::NOTDIR => {
            "was not written, because its folder is a link or not a folder".to_owned()
        }
        error => format!("cannot be opened: {error}"),
    };
    let mut place = open(folder, flags, Mode::empty()).map_err(failed)?;
    for name in path {
        let opened = match openat(&place, name, flags, Mode::empty()) {
            Err(Errno::NOENT) if create => {
                mkdirat(&place, name, Mode::from_raw_mode(0o755)).map_err(failed)?;
                openat(&place, name, flags, Mode::empty())
            }
            Err(Errno::NOENT) => return Ok(None),
            opened => opened,
        };
        place = opened.map_err(failed)?;
    }
    Ok(Some(place))
}

/// The bytes of the file; `None` if there is none.
fn read(place: &OwnedFd) -> std::io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(place.as_fd(), FILE, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP) => return Err(std::io::Error::other("it is a link")),
        opened => File::from(opened?),
    };
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a plain file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Replaces the file as a whole; it is not executable.
fn replace(place: &OwnedFd, text: &str) -> std::io::Result<()> {
    let new = format!(".{FILE}.{}", StreamId::random());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let written = || {
        let mut file = File::from(openat(place, &*new, flags, Mode::from_raw_mode(0o644))?);
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(renameat(place, &*new, place, FILE)?)
    };
    written().inspect_err(|_| {
        let _ = unlinkat(place, &*new, AtFlags::empty());
    })
}
