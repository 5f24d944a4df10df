//! `gemicro skills approve`, `reject`, `edit` and `remove`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use gemicro_event::{ErrorKind, Timestamp};
use gemicro_memory::{
    EntryDecision, Memory, MemoryChanged, MemoryError, SKILL_BYTES, SkillEdit, without_front_matter,
};

use super::view::{print_changed, skill_project};
use crate::command_error::CommandError;
use crate::commands::memory::{MemoryPlaceArgs, memory_error};
use crate::output;
use crate::session::Context;

/// Maximum size of a file with instructions and front matter.
const MOST_BYTES: u64 = 8 * SKILL_BYTES as u64;

/// Arguments of commands that decide about skills.
#[derive(Debug, Args)]
pub(crate) struct SkillNamesArgs {
    /// The names of the skills
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of `gemicro skills edit`.
#[derive(Debug, Args)]
pub(crate) struct SkillEditArgs {
    /// The name of the skill
    name: String,
    /// What it does and when to use it, on one line
    #[arg(long, value_name = "TEXT", required_unless_present = "file")]
    description: Option<String>,
    /// A file with the new instructions; front matter is left out
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

pub(super) async fn approve(ctx: &Context, args: &SkillNamesArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Approve).await
}

pub(super) async fn reject(ctx: &Context, args: &SkillNamesArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Reject).await
}

pub(super) async fn remove(ctx: &Context, args: &SkillNamesArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Expire).await
}

pub(super) async fn edit(ctx: &Context, args: &SkillEditArgs) -> Result<(), CommandError> {
    let edit = SkillEdit {
        description: args.description.clone(),
        body: args.file.as_deref().map(read_body).transpose()?,
    };
    let now = Timestamp::now();
    change(ctx, &args.place, now, |memory| {
        Ok(vec![memory.edit_skill(&args.name, edit, now)?])
    })
    .await
}

async fn decide(ctx: &Context, args: &SkillNamesArgs, decision: EntryDecision) -> Result<(), CommandError> {
    let now = Timestamp::now();
    change(ctx, &args.place, now, |memory| {
        let names = args.names.iter();
        names
            .map(|name| memory.decide_skill(name, decision, now))
            .collect()
    })
    .await
}

async fn change(
    ctx: &Context,
    place: &MemoryPlaceArgs,
    now: Timestamp,
    decide: impl FnOnce(&Memory) -> Result<Vec<MemoryChanged>, MemoryError>,
) -> Result<(), CommandError> {
    let (store, project) = skill_project(ctx, &place.dir).await?;
    let update = project.update_skills(now, decide).await.map_err(memory_error);
    store.close().await;
    let update = update?;
    print_changed(&update, place.format, now)?;
    for note in &update.notes {
        output::say(&format!("{} {note}", ctx.screen.on_stderr().warn("note:")));
    }
    Ok(())
}

/// The instructions in a file.
fn read_body(path: &Path) -> Result<String, CommandError> {
    let failed = |why: String| {
        CommandError::new_failure(
            ErrorKind::InvalidInput,
            format!("{} cannot be used: {why}", path.display()),
            "give a text file with --file; nothing was changed",
        )
    };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(failed(format!("it has more than {MOST_BYTES} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))?;
    Ok(without_front_matter(&text).to_owned())
}
