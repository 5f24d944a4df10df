//! The memory of one project: its stream and its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemicro_core::store::{
    Append, NewEvent, NewStream, RedactingStore, Store, StoreError, StreamKind, Writer,
};
use gemicro_event::redact::Redactor;
use gemicro_event::{AgentUpdate, Event, StreamId, Timestamp};
use sha2::{Digest, Sha256};

use crate::error::MemoryError;
use crate::events::MemoryChanged;
use crate::file::{read_text, write_text};
use crate::hand_edits::EditedFile;
use crate::memory::Memory;
use crate::render::render;
use crate::skill_files::write_files;

/// Number of events read at a time.
const PAGE: usize = 500;
/// How often a file that changes meanwhile is read again.
const MOST_READS: usize = 5;

/// The memory of one project.
#[derive(Clone)]
pub struct ProjectMemory {
    store: Arc<dyn Store>,
    /// For the file; the store redacts what it writes.
    redactor: Redactor,
    stream: StreamId,
    folder: PathBuf,
}

/// What an update of the memory found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryUpdate {
    /// The memory after these changes.
    pub memory: Memory,
    /// What the owner had changed in the file.
    pub by_hand: Vec<MemoryChanged>,
    /// The changes that were requested and stored.
    pub made: Vec<MemoryChanged>,
}

/// What an update of the skills did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillUpdate {
    /// The memory after these changes.
    pub memory: Memory,
    /// The changes that were requested and stored.
    pub made: Vec<MemoryChanged>,
    /// Files of skills that could not be written or deleted, one sentence each.
    pub notes: Vec<String>,
}

/// The folder of the project that a folder belongs to: the nearest one with a `.git`, or the folder itself.
///
/// # Errors
/// When the folder does not exist.
pub fn project_of(folder: &Path) -> Result<PathBuf, MemoryError> {
    let real = folder.canonicalize().map_err(|error| MemoryError::Folder {
        folder: folder.display().to_string(),
        why: error.to_string(),
    })?;
    let root = real.ancestors().find(|it| it.join(".git").exists());
    Ok(root.unwrap_or(&real).to_owned())
}

impl ProjectMemory {
    /// The memory of the project that a folder belongs to; secrets are redacted before they are stored.
    ///
    /// # Errors
    /// When the folder does not exist.
    pub fn new(store: Arc<dyn Store>, redactor: Redactor, folder: &Path) -> Result<Self, MemoryError> {
        let folder = project_of(folder)?;
        let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        let digits: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            store: Arc::new(RedactingStore::new(store, redactor.clone())),
            redactor,
            stream: StreamId::new(format!("memory-{digits}"))
                .expect("letters, digits and a hyphen are an id"),
            folder,
        })
    }

    /// The stream of the project's memory.
    #[must_use]
    pub fn stream(&self) -> &StreamId {
        &self.stream
    }

    /// The folder of the project.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads the owner's changes of the file, makes the requested changes, and writes the file.
    ///
    /// `decide` gets the memory with the owner's changes and returns what else to change.
    ///
    /// # Errors
    /// When the file contains something that is not an entry, `decide` fails, or the store or the file cannot be
    /// written. Only the last can happen after a change was stored; the next update writes the file then.
    pub async fn update(
        &self,
        now: Timestamp,
        decide: impl FnOnce(&Memory) -> Result<Vec<MemoryChanged>, MemoryError>,
    ) -> Result<MemoryUpdate, MemoryError> {
        let mut by_hand = Vec::new();
        let mut update = self.read_file(now).await?;
        by_hand.append(&mut update.by_hand);
        let made = decide(&update.memory)?;
        self.append(&made, now).await?;
        let mut memory = update.memory;
        for _ in 0..MOST_READS {
            // The owner may have saved the file since it was read.
            let mut update = self.read_file(now).await?;
            by_hand.append(&mut update.by_hand);
            let text = render(&update.memory, (&self.stream, update.seq), now);
            let is_needed = update.text.is_some() || !update.memory.live(now).is_empty();
            let is_written = update.text.as_ref() == Some(&text);
            memory = update.memory;
            if is_written || !is_needed {
                break;
            }
            if read_text(&self.folder)? == update.text {
                write_text(&self.folder, &text)?;
            }
        }
        // While others write too, the last of them or the next update completes the file.
        Ok(MemoryUpdate {
            memory,
            by_hand,
            made,
        })
    }

    /// Makes the requested changes of skills, and writes the files of the live ones.
    ///
    /// # Errors
    /// When `decide` or the store fails.
    pub async fn update_skills(
        &self,
        now: Timestamp,
        decide: impl FnOnce(&Memory) -> Result<Vec<MemoryChanged>, MemoryError>,
    ) -> Result<SkillUpdate, MemoryError> {
        let made = decide(&self.load().await?)?;
        self.append(&made, now).await?;
        let memory = self.load().await?;
        let notes = write_files(&self.folder, &memory, now);
        Ok(SkillUpdate { memory, made, notes })
    }

    /// Stores what an agent proposes. The file does not change, because it shows only live entries.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn propose(
        &self,
        now: Timestamp,
        decide: impl FnOnce(&Memory) -> Vec<MemoryChanged>,
    ) -> Result<(), MemoryError> {
        let memory = fold(&self.events().await?, u64::MAX);
        let proposed = decide(&memory);
        let is_new = |it: &MemoryChanged| memory.get(&it.entry.id).is_none();
        let proposed: Vec<MemoryChanged> = proposed.into_iter().filter(is_new).collect();
        self.append(&proposed, now).await
    }

    /// The memory as stored, whatever the file says.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn load(&self) -> Result<Memory, MemoryError> {
        Ok(fold(&self.events().await?, u64::MAX))
    }

    /// Stores what the owner changed in the file.
    async fn read_file(&self, now: Timestamp) -> Result<FileUpdate, MemoryError> {
        let text = read_text(&self.folder)?;
        let redacted = text.as_deref().map(|text| self.redactor.redact(text));
        let file = redacted.as_deref().map(EditedFile::read).transpose()?;
        let events = self.events().await?;
        let memory = fold(&events, u64::MAX);
        let by_hand = match &file {
            None => Vec::new(),
            Some(file) => {
                let shown = file.shown_event(&self.stream).unwrap_or(0);
                file.changes(&fold(&events, shown), &memory, now)
            }
        };
        if by_hand.is_empty() {
            let seq = events.last().map_or(0, |event| event.seq);
            return Ok(FileUpdate {
                memory,
                seq,
                text,
                by_hand,
            });
        }
        self.append(&by_hand, now).await?;
        let events = self.events().await?;
        Ok(FileUpdate {
            memory: fold(&events, u64::MAX),
            seq: events.last().map_or(0, |event| event.seq),
            text,
            by_hand,
        })
    }

    async fn append(&self, changes: &[MemoryChanged], now: Timestamp) -> Result<(), MemoryError> {
        if changes.is_empty() {
            return Ok(());
        }
        let events = changes
            .iter()
            .map(|change| NewEvent::of_run(AgentUpdate::new(change, now)))
            .collect::<Vec<_>>();
        let new = NewStream {
            stream: self.stream.clone(),
            kind: StreamKind::Memory,
            parent_run: None,
            events: events.clone(),
            board: Vec::new(),
            lease: None,
        };
        match self.store.create(new).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let append = Append {
            stream: self.stream.clone(),
            writer: Writer::Outside,
            events,
            board: Vec::new(),
        };
        self.store.append(append).await?;
        Ok(())
    }

    async fn events(&self) -> Result<Vec<Event>, MemoryError> {
        let mut events = Vec::new();
        let mut after = 0;
        loop {
            let page = match self.store.read(&self.stream, after, PAGE).await {
                Err(StoreError::NotFound { .. }) => return Ok(events),
                read => read?,
            };
            after = page.events.last().map_or(page.last_seq, |event| event.seq);
            let is_end = after >= page.last_seq;
            events.extend(page.events);
            if is_end {
                return Ok(events);
            }
        }
    }
}

/// The memory after a reading of the file.
struct FileUpdate {
    memory: Memory,
    seq: u64,
    /// The file, as it was read.
    text: Option<String>,
    by_hand: Vec<MemoryChanged>,
}

/// The memory at an event.
fn fold(events: &[Event], up_to: u64) -> Memory {
    let mut memory = Memory::default();
    for event in events.iter().take_while(|event| event.seq <= up_to) {
        memory.apply(&event.update);
    }
    memory
}

#[cfg(test)]
mod tests;
