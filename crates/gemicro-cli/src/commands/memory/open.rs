//! Opens the memory of the project that a command is about.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use gemicro_event::redact::Redactor;
use gemicro_event::{Failure, Timestamp};
use gemicro_memory::{Memory, MemoryChanged, MemoryError, MemoryUpdate, ProjectMemory};

use crate::args::DataFormat;
use crate::command_error::{CommandError, store_hint};
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// Options of every command about notes and skills.
#[derive(Debug, Args)]
pub(crate) struct MemoryPlaceArgs {
    /// The project, or a folder in it
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub(crate) dir: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Reads the owner's changes of the file, makes changes, and says what was read.
pub(super) async fn update(
    ctx: &Context,
    place: &MemoryPlaceArgs,
    now: Timestamp,
    decide: impl FnOnce(&Memory) -> Result<Vec<MemoryChanged>, MemoryError>,
) -> Result<MemoryUpdate, CommandError> {
    let store = Arc::new(ctx.store().await?);
    let redactor = Redactor::new(ctx.secrets()?);
    let memory = ProjectMemory::new(store.clone(), redactor, &place.dir).map_err(memory_error)?;
    let update = memory.update(now, decide).await.map_err(memory_error);
    store.close().await;
    let update = update?;
    for changed in &update.by_hand {
        output::say(&format!("From AGENT_MEMORY.md: {}", describe(changed)));
    }
    Ok(update)
}

/// One line about a change.
pub(super) fn describe(changed: &MemoryChanged) -> String {
    let entry = &changed.entry;
    format!(
        "{} {}: {}",
        changed.change.as_str(),
        entry.id,
        text::cut(&entry.text, 60)
    )
}

/// Adds advice to an error of the memory.
pub(crate) fn memory_error(error: MemoryError) -> CommandError {
    let hint = match &error {
        MemoryError::Line { .. } => Some("change that line and try again; nothing was changed".to_owned()),
        MemoryError::Folder { .. } => Some("check the folder given with --dir".to_owned()),
        MemoryError::NotFound { .. } | MemoryError::Ambiguous { .. } => {
            Some("`gemicro memory list --all` lists the ids".to_owned())
        }
        MemoryError::NoSkill { .. } => Some("`gemicro skills list --all` lists the names".to_owned()),
        MemoryError::WrongState { id, .. } => Some(match id.strip_prefix("skill-") {
            Some(name) => format!("`gemicro skills show {name}` shows the skill"),
            None => format!("`gemicro memory show {id}` shows the entry"),
        }),
        MemoryError::Text { .. } => Some("change the text and try again; nothing was changed".to_owned()),
        MemoryError::Store(error) => store_hint(error),
        MemoryError::File { .. } => Some("check the file and the folder's permissions".to_owned()),
        _ => None,
    };
    let stopped = CommandError::from(Failure::from(error));
    match hint {
        Some(hint) => stopped.with_hint(hint),
        None => stopped,
    }
}
