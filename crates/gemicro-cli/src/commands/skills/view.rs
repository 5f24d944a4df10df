//! `gemicro skills list` and `show`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use gemicro_engine::InboxEntry;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Timestamp};
use gemicro_memory::{
    EntryChange, EntryState, EntryTrust, Memory, MemoryEntry, ProjectMemory, SkillText, SkillUpdate,
};
use gemicro_store::DurableStore;
use serde::Serialize;
use serde_json::json;

use super::uses;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::commands::memory::{MemoryPlaceArgs, memory_error};
use crate::output;
use crate::screen::{numbers, table, text};
use crate::session::Context;

const HEADS: [&str; 6] = ["NAME", "STATE", "VERSION", "USES", "BY", "DESCRIPTION"];

/// Arguments of `gemicro skills list`.
#[derive(Debug, Args)]
pub(crate) struct SkillListArgs {
    /// Also list rejected and removed skills
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of `gemicro skills show`.
#[derive(Debug, Args)]
pub(crate) struct SkillShowArgs {
    /// The name of the skill
    name: String,
    /// Show this version [default: the newest]
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// A skill as it is printed.
#[derive(Debug, Serialize)]
struct SkillRow {
    name: String,
    state: &'static str,
    version: u32,
    /// The number of prompts that contained it; absent if it was not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<u64>,
    description: String,
    body: String,
    author: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl SkillRow {
    fn new(
        memory: &Memory,
        entry: &MemoryEntry,
        skill: &SkillText,
        uses: Option<u64>,
        now: Timestamp,
    ) -> Self {
        Self {
            name: skill.name.clone(),
            state: entry.state_word(memory.state(entry, now)),
            version: skill.version,
            uses,
            description: entry.text.clone(),
            body: skill.body.clone(),
            author: entry.author.to_string(),
            run: entry.run.as_ref().map(ToString::to_string),
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        }
    }
}

pub(super) async fn list(ctx: &Context, args: &SkillListArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let (_, mut rows) = read(ctx, &args.place, now).await?;
    let proposed = EntryState::Proposed.as_str();
    rows.retain(|row| args.all || [EntryState::Live.as_str(), proposed].contains(&row.state));
    output::print_rows(&rows, args.place.format, || {
        if rows.is_empty() {
            output::say(
                "No live or proposed skills. Agents of `gemicro run` propose them after conflicts or rejected work.",
            );
            return Ok(());
        }
        print_table(ctx, &rows)?;
        let is_proposed = |row: &&SkillRow| row.state == proposed;
        let n_proposed = rows.iter().filter(is_proposed).count();
        if n_proposed > 0 {
            output::say(&format!(
                "{} for your decision: gemicro skills approve NAME, or gemicro skills reject NAME",
                numbers::count(n_proposed, "proposed skill")
            ));
        }
        Ok(())
    })
}

pub(super) async fn show(ctx: &Context, args: &SkillShowArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let (memory, rows) = read(ctx, &args.place, now).await?;
    let entry = memory.find_skill(&args.name).map_err(memory_error)?;
    let uses = rows
        .iter()
        .find(|row| row.name == args.name)
        .and_then(|row| row.uses);
    let versions = memory.versions(entry);
    let of_version = |entry: &&MemoryEntry| {
        let version = entry.skill.as_ref().map(|skill| skill.version);
        args.version.is_none() || version == args.version
    };
    let found = versions.iter().rev().copied().find(of_version);
    let Some((found, skill)) = found.and_then(|found| Some((found, found.skill.as_ref()?))) else {
        return Err(CommandError::new_failure(
            ErrorKind::NotFound,
            format!(
                "skill {} has no version {}",
                args.name,
                args.version.unwrap_or_default()
            ),
            format!("choose a version from 1 to {}", versions.len()),
        ));
    };
    let row = SkillRow {
        state: entry.state_word(memory.state(entry, now)),
        ..SkillRow::new(&memory, found, skill, uses, now)
    };
    match args.place.format {
        DataFormat::Text => output::print(&page(&row)),
        DataFormat::Json | DataFormat::Jsonl => output::print(&format!("{}\n", json!(row))),
    }
}

/// The proposed skills of a project, as entries of the inbox.
pub(crate) fn inbox_entries(memory: &Memory) -> Vec<InboxEntry> {
    let entry = |entry: &&MemoryEntry| {
        let skill = entry.skill.as_ref()?;
        let name = &skill.name;
        Some(InboxEntry {
            run: entry.run.clone()?,
            flow: "skill".to_owned(),
            title: format!("{name}: {}", entry.text),
            part_of: None,
            question: format!("May later agents use this skill? Read it first: gemicro skills show {name}"),
            key: entry.id.clone(),
            since: entry.created_at,
            answers: vec!["approve", "reject"],
            command: format!("gemicro skills approve {name}"),
            then: None,
        })
    };
    let skills = memory.skills();
    let proposed = skills.iter().filter(|it| it.trust == EntryTrust::Proposed);
    proposed.filter_map(entry).collect()
}

/// The store, and the memory of the project in a folder.
pub(super) async fn skill_project(
    ctx: &Context,
    folder: &Path,
) -> Result<(Arc<DurableStore>, ProjectMemory), CommandError> {
    let store = Arc::new(ctx.store().await?);
    let redactor = Redactor::new(ctx.secrets()?);
    let project = ProjectMemory::new(store.clone(), redactor, folder).map_err(memory_error)?;
    Ok((store, project))
}

/// Says what was changed.
pub(super) fn print_changed(
    update: &SkillUpdate,
    format: DataFormat,
    now: Timestamp,
) -> Result<(), CommandError> {
    let changed = update.made.iter().filter_map(|made| {
        let skill = made.entry.skill.as_ref()?;
        Some((made, update.memory.find_skill(&skill.name).ok()?))
    });
    let changed: Vec<_> = changed.collect();
    let rows = changed.iter().filter_map(|(_, entry)| {
        let skill = entry.skill.as_ref()?;
        Some(SkillRow::new(&update.memory, entry, skill, None, now))
    });
    output::print_rows(&rows.collect::<Vec<_>>(), format, || {
        for (made, entry) in &changed {
            let version = entry.skill.as_ref().map_or(0, |skill| skill.version);
            let word = match made.change {
                EntryChange::Expired => "removed",
                other => other.as_str(),
            };
            let name = entry.id.trim_start_matches("skill-");
            output::say(&format!(
                "{word} {name}, version {version}: {}",
                text::cut(&entry.text, 60)
            ));
        }
        Ok(())
    })
}

/// The memory and all its skills, with their uses.
async fn read(
    ctx: &Context,
    place: &MemoryPlaceArgs,
    now: Timestamp,
) -> Result<(Memory, Vec<SkillRow>), CommandError> {
    let (store, project) = skill_project(ctx, &place.dir).await?;
    let memory = project.load().await.map_err(memory_error)?;
    let skills = memory.skills();
    let ids: BTreeSet<String> = skills.iter().map(|skill| skill.id.clone()).collect();
    let from = skills.iter().map(|skill| skill.created_at).min();
    let uses = match from {
        Some(from) => uses::count(&store, &project, &ids, from).await,
        None => Ok(Default::default()),
    };
    store.close().await;
    let uses = uses?;
    let row = |entry: &&MemoryEntry| {
        let n_uses = uses.get(&entry.id).copied().unwrap_or_default();
        Some(SkillRow::new(
            &memory,
            entry,
            entry.skill.as_ref()?,
            Some(n_uses),
            now,
        ))
    };
    let rows = skills.iter().filter_map(row).collect();
    Ok((memory, rows))
}

fn print_table(ctx: &Context, rows: &[SkillRow]) -> Result<(), CommandError> {
    let cells = |row: &SkillRow| {
        [
            row.name.clone(),
            row.state.to_owned(),
            row.version.to_string(),
            row.uses.unwrap_or_default().to_string(),
            text::one_line(&row.author),
            text::one_line(&row.description),
        ]
    };
    let heads = HEADS.map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
    let (widths, columns) = (table::widths(&lines), ctx.screen.width());
    output::print(&table::page(&table::layout(
        &lines,
        &[0, 1, 2, 3, 4, 5],
        &widths,
        columns,
    )))
}

/// One skill: a fact a line, then its instructions.
fn page(row: &SkillRow) -> String {
    let mut page = format!("{}\n\n", text::one_line(&row.description));
    let mut line = |name: &str, value: String| page.push_str(&format!("{name:<12}{value}\n"));
    line("name", row.name.clone());
    line("state", row.state.to_owned());
    line("version", row.version.to_string());
    line("uses", row.uses.unwrap_or_default().to_string());
    line("by", text::one_line(&row.author));
    line("created", numbers::moment(row.created_at));
    line("updated", numbers::moment(row.updated_at));
    if let Some(run) = &row.run {
        line("run", run.clone());
    }
    page.push('\n');
    for body_line in row.body.lines() {
        page.push_str(&format!("{}\n", text::neutral(body_line)));
    }
    page
}
