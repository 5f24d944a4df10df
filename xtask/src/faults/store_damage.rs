//! Damage to the files of a store while no process has it open, and a lock on it.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use anyhow::{Context, Result};
use rustix::fs::{FlockOperation, fcntl_lock};

use super::random::SeededRandom;
use super::world::FaultWorld;

/// Size of a page in the write-ahead log, with its header.
const PAGE: u64 = 4_096 + 24;

/// A bit that was changed.
pub(crate) struct FlippedBit {
    /// Where it is, for people.
    pub(crate) place: String,
    /// Whether it is in a blob: every bit of those counts, but the database has unused pages.
    pub(crate) is_in_blob: bool,
}

/// Changes one bit in one file of the store.
pub(crate) fn flip_bit(world: &FaultWorld, random: &mut SeededRandom) -> Result<FlippedBit> {
    let mut files = vec![world.path("home/gemicro.db")];
    collect_blobs(world.path("home/blobs"), &mut files)?;
    // The database holds the journal: half of the flips hit it.
    let number = match random.below(2) {
        0 => 0,
        _ => usize::try_from(random.below(files.len() as u64))?,
    };
    let file = &files[number];
    let mut bytes = std::fs::read(file)?;
    let place = usize::try_from(random.below(bytes.len() as u64))?;
    let bit = random.below(8);
    if let Some(byte) = bytes.get_mut(place) {
        *byte ^= 1 << bit;
    }
    std::fs::write(file, bytes)?;
    Ok(FlippedBit {
        place: format!("bit {bit} of byte {place} of {}", file.display()),
        is_in_blob: number > 0,
    })
}

fn collect_blobs(folder: PathBuf, found: &mut Vec<PathBuf>) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        match entry.is_dir() {
            true => collect_blobs(entry, found)?,
            false => found.push(entry),
        }
    }
    Ok(())
}

/// Removes or clears the end of the write-ahead log that a killed process left.
pub(crate) fn tear_last_page(world: &FaultWorld, random: &mut SeededRandom) -> Result<()> {
    let path = world.path("home/gemicro.db-wal");
    let Ok(file) = OpenOptions::new().write(true).open(&path) else {
        // The process died before it wrote any.
        return Ok(());
    };
    let length = file.metadata()?.len();
    let torn = 1 + random.below(PAGE.min(length));
    file.set_len(length.saturating_sub(torn))?;
    if random.below(2) == 0 {
        // The file system had given the page its place, but not its content.
        file.set_len(length)?;
    }
    Ok(())
}

/// Locks the database as another program would; free again when the file is dropped.
pub(crate) fn lock(world: &FaultWorld) -> Result<Option<File>> {
    let path = world.path("home/gemicro.db");
    if !path.exists() {
        return Ok(None);
    }
    let file = OpenOptions::new().read(true).write(true).open(&path)?;
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).context("the database cannot be locked")?;
    Ok(Some(file))
}
