//! Reads the memory of a task's project, and stores what its agents propose.

use std::path::Path;
use std::sync::Arc;

use gemicro_agents::step_tools::Tools;
use gemicro_core::store::Store;
use gemicro_event::{Failure, StreamId, Timestamp};
use gemicro_memory::{FILE, MemoryEntry, MemoryError, ProjectMemory};
use gemicro_pipeline::steps::{CheckoutSpec, RecordInput};

/// Maximum number of entries from which prompts are given a selection: all pinned ones, then the newest.
const MOST_ENTRIES: usize = 200;
/// Maximum number of skills from which prompts are given a selection: the newest.
const MOST_SKILLS: usize = 20;

/// The memory of the user's checkout. Agents have private checkouts, so what they write to its file is never read.
pub(super) fn project_memory(
    tools: &Tools,
    store: Arc<dyn Store>,
    place: &CheckoutSpec,
) -> Result<ProjectMemory, Failure> {
    let folder = Path::new(&place.directory);
    Ok(ProjectMemory::new(store, tools.redactor.clone(), folder)?)
}

/// The live notes and skills, and a note for the user if the file could not be read.
pub(super) async fn live_entries(
    memory: &ProjectMemory,
) -> Result<(Vec<MemoryEntry>, Option<String>), Failure> {
    let now = Timestamp::now();
    let (memory, note) = match memory.update(now, |_| Ok(Vec::new())).await {
        Ok(update) => (update.memory, None),
        Err(error @ (MemoryError::Line { .. } | MemoryError::File { .. })) => {
            let note = format!("your changes of {FILE} were not read: {error}");
            (memory.load().await?, Some(note))
        }
        Err(error) => return Err(error.into()),
    };
    let mut live: Vec<MemoryEntry> = memory.live(now).into_iter().cloned().collect();
    live.sort_by_key(|entry| !entry.pinned);
    live.truncate(MOST_ENTRIES);
    live.extend(memory.live_skills(now).into_iter().take(MOST_SKILLS).cloned());
    Ok((live, note))
}

/// Stores the lessons and skills of agents for the owner to approve.
pub(super) async fn propose(
    memory: &ProjectMemory,
    input: &RecordInput,
    run: &StreamId,
) -> Result<(), Failure> {
    let now = Timestamp::now();
    let proposed = memory.propose(now, |known| {
        let lessons = input.lessons.iter().flat_map(|lessons| {
            let texts: Vec<&str> = lessons.texts.iter().map(String::as_str).collect();
            known.propose(&texts, &lessons.role, run, now)
        });
        let skills = input.skills.iter();
        let skills = skills.filter_map(|it| known.propose_skill(&it.skill, &it.role, run, now));
        lessons.chain(skills).collect()
    });
    Ok(proposed.await?)
}
