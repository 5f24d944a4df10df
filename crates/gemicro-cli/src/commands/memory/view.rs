//! `gemicro memory list`, `show` and `search`.

use clap::Args;
use gemicro_event::Timestamp;
use gemicro_memory::{EntryState, Memory, MemoryEntry, find};
use serde::Serialize;
use serde_json::json;

use super::open::{MemoryPlaceArgs, update};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, table, text};
use crate::session::Context;

const HEADS: [&str; 5] = ["ID", "STATE", "KIND", "BY", "TEXT"];

/// Arguments of `gemicro memory list`.
#[derive(Debug, Args)]
pub(crate) struct MemoryListArgs {
    /// Also list rejected, expired and superseded entries
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of `gemicro memory show`.
#[derive(Debug, Args)]
pub(crate) struct MemoryShowArgs {
    /// The entry: the start of its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of `gemicro memory search`.
#[derive(Debug, Args)]
pub(crate) struct MemorySearchArgs {
    /// The words to find; also matches other forms of a word
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// An entry as it is printed.
#[derive(Debug, Serialize)]
pub(super) struct MemoryRow {
    state: EntryState,
    #[serde(flatten)]
    entry: MemoryEntry,
}

pub(super) async fn list(ctx: &Context, args: &MemoryListArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let memory = update(ctx, &args.place, now, |_| Ok(Vec::new())).await?.memory;
    let mut rows = rows(&memory, &memory.entries(), now);
    rows.retain(|row| args.all || matches!(row.state, EntryState::Live | EntryState::Proposed));
    output::print_rows(&rows, args.place.format, || {
        if rows.is_empty() {
            output::say("The memory of this project is empty. Add a note: gemicro memory add \"TEXT\"");
            return Ok(());
        }
        print_table(ctx, &rows)?;
        let n_proposed = rows
            .iter()
            .filter(|row| row.state == EntryState::Proposed)
            .count();
        if n_proposed > 0 {
            output::say(&format!(
                "{} for your decision: gemicro memory approve ID, or gemicro memory reject ID",
                numbers::count(n_proposed, "proposed lesson")
            ));
        }
        Ok(())
    })
}

pub(super) async fn search(ctx: &Context, args: &MemorySearchArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let memory = update(ctx, &args.place, now, |_| Ok(Vec::new())).await?.memory;
    let found = find(&memory.entries(), &args.words.join(" "));
    let rows = rows(&memory, &found, now);
    output::print_rows(&rows, args.place.format, || match rows.is_empty() {
        true => {
            output::say("No entry contains these words.");
            Ok(())
        }
        false => print_table(ctx, &rows),
    })
}

pub(super) async fn show(ctx: &Context, args: &MemoryShowArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let memory = update(ctx, &args.place, now, |memory| {
        memory.find(&args.id)?;
        Ok(Vec::new())
    })
    .await?
    .memory;
    let entry = memory.find(&args.id).ok().into_iter().collect::<Vec<_>>();
    for row in rows(&memory, &entry, now) {
        match args.place.format {
            DataFormat::Text => output::print(&page(&row))?,
            DataFormat::Json | DataFormat::Jsonl => output::print(&format!("{}\n", json!(row)))?,
        }
    }
    Ok(())
}

/// The entries with their states.
pub(super) fn rows(memory: &Memory, entries: &[&MemoryEntry], now: Timestamp) -> Vec<MemoryRow> {
    let row = |entry: &&MemoryEntry| MemoryRow {
        state: memory.state(entry, now),
        entry: (*entry).clone(),
    };
    entries.iter().map(row).collect()
}

fn print_table(ctx: &Context, rows: &[MemoryRow]) -> Result<(), CommandError> {
    let cells = |row: &MemoryRow| {
        let pinned = if row.entry.pinned { ", pinned" } else { "" };
        [
            row.entry.id.clone(),
            format!("{}{pinned}", row.state.as_str()),
            row.entry.kind.as_str().to_owned(),
            text::one_line(&row.entry.author.to_string()),
            text::one_line(&row.entry.text),
        ]
    };
    let heads = HEADS.map(str::to_owned);
    let lines: Vec<[String; 5]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
    let (widths, columns) = (table::widths(&lines), ctx.screen.width());
    output::print(&table::page(&table::layout(
        &lines,
        &[0, 1, 2, 3, 4],
        &widths,
        columns,
    )))
}

/// One entry, a fact a line.
fn page(row: &MemoryRow) -> String {
    let entry = &row.entry;
    let mut page = format!("{}\n\n", text::one_line(&entry.text));
    let mut line = |name: &str, value: String| page.push_str(&format!("{name:<12}{value}\n"));
    line("id", entry.id.clone());
    line("state", row.state.as_str().to_owned());
    line("kind", entry.kind.as_str().to_owned());
    line("by", text::one_line(&entry.author.to_string()));
    line("created", numbers::moment(entry.created_at));
    line("updated", numbers::moment(entry.updated_at));
    if let Some(run) = &entry.run {
        line("run", run.to_string());
    }
    if let Some(id) = &entry.supersedes {
        line("supersedes", id.clone());
    }
    if let Some(at) = entry.expires_at {
        line("expires", numbers::moment(at));
    }
    if entry.pinned {
        line("pinned", "yes".to_owned());
    }
    page
}
