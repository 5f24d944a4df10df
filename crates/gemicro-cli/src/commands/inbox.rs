//! `gemicro inbox`: everything that waits for you, over all runs.

use std::cmp::Reverse;
use std::sync::Arc;

use clap::Args;
use gemicro_engine::{InboxEntry, inbox};
use gemicro_event::redact::Redactor;
use gemicro_memory::ProjectMemory;
use gemicro_store::DurableStore;

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::commands::memory::memory_error;
use crate::commands::skills::inbox_entries;
use crate::output;
use crate::runtime;
use crate::screen::{numbers, text};
use crate::session::Context;

/// Arguments of `gemicro inbox`.
#[derive(Debug, Args)]
pub(crate) struct InboxArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

pub(crate) fn run(ctx: &Context, args: &InboxArgs) -> Result<(), CommandError> {
    let entries = runtime::block_on(async {
        let store = Arc::new(ctx.store().await?);
        let entries = collect(ctx, &store).await;
        store.close().await;
        entries
    })?;
    output::print_rows(&entries, args.format, || {
        if entries.is_empty() {
            output::say("Nothing is waiting for you.");
            return Ok(());
        }
        output::print(&list(&entries, ctx.screen.width()))
    })
}

/// The questions of all runs, and the proposed skills of the project of this folder, the newest first.
async fn collect(ctx: &Context, store: &Arc<DurableStore>) -> Result<Vec<InboxEntry>, CommandError> {
    let mut entries = inbox(store).await?;
    let redactor = Redactor::new(ctx.secrets()?);
    let project =
        ProjectMemory::new(store.clone(), redactor, &ctx.environment.folder).map_err(memory_error)?;
    entries.extend(inbox_entries(&project.load().await.map_err(memory_error)?));
    entries.sort_by_key(|entry| Reverse(entry.since));
    Ok(entries)
}

fn list(entries: &[InboxEntry], columns: usize) -> String {
    let pages: Vec<String> = entries.iter().map(|entry| block(entry, columns)).collect();
    pages.join("\n")
}

fn block(entry: &InboxEntry, columns: usize) -> String {
    let since = numbers::moment(entry.since);
    let head = format!(
        "{}  {} UTC  {}: {}",
        text::short_id(&entry.run),
        since.get(..16).unwrap_or(&since),
        text::one_line(&entry.flow),
        text::one_line(&entry.title)
    );
    let asks = format!("asks: {}", text::one_line(&entry.question));
    let columns = columns.max(10);
    let mut block = format!(
        "{}\n  {}\n",
        text::cut(&head, columns),
        text::cut(&asks, columns - 2)
    );
    // A command is never cut: it is there to be pasted.
    let others = entry
        .answers
        .iter()
        .skip(1)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    block.push_str(&format!("  {}    # or {others}\n", entry.command));
    if let Some(then) = &entry.then {
        block.push_str(&format!("  {then}    # then continue the suspended run\n"));
    }
    block
}
