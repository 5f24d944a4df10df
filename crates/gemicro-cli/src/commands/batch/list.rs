//! `gemicro batch list`.

use clap::Args;
use gemicro_engine::{BatchRow, Counts, ItemState, counts_of_board};
use gemicro_event::RunStatus;
use serde::Serialize;

use super::print_answer::{IN_PART, is_in_part};
use super::service::Service;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, table, text};
use crate::session::{Context, has_died};
use crate::story::DIED;

/// Arguments of `gemicro batch list`.
#[derive(Debug, Args)]
pub(crate) struct BatchListArgs {
    /// Maximum number of batches
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// A batch in the list.
#[derive(Debug, Serialize)]
struct ListedBatch {
    #[serde(flatten)]
    row: BatchRow,
    /// Number of tasks in each state, if known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<Counts>,
    /// Whether its process has died, if known here.
    #[serde(skip)]
    has_died: bool,
}

pub(super) async fn list(ctx: &Context, args: &BatchListArgs) -> Result<(), CommandError> {
    let service = Service::open(ctx).await?;
    let rows = service.list(args.limit).await?;
    let is_local = service.is_local();
    service.close().await;
    let rows = count_batches(ctx, rows, is_local).await?;
    output::print_rows(&rows, args.format, || {
        if rows.is_empty() {
            output::say("No batches. Submit one: gemicro batch submit FILE");
            return Ok(());
        }
        let heads = ["BATCH", "SUBMITTED (UTC)", "STATUS", "COMPLETED", "TASKS"].map(str::to_owned);
        let lines: Vec<[String; 5]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
        let table = table::page(&table::thirds(&lines, ctx.screen.width(), |_| false));
        let dead = rows.iter().filter(|listed| listed.has_died);
        let resume = dead.map(|it| {
            format!(
                "  gemicro resume {}    # its process has died\n",
                it.row.response_id
            )
        });
        output::print(&(table + &resume.collect::<String>()))
    })
}

/// The batches with their counts, which the store of this machine has ready.
async fn count_batches(
    ctx: &Context,
    rows: Vec<BatchRow>,
    is_local: bool,
) -> Result<Vec<ListedBatch>, CommandError> {
    if !is_local || rows.is_empty() {
        let without = rows.into_iter().map(|row| ListedBatch {
            row,
            counts: None,
            has_died: false,
        });
        return Ok(without.collect());
    }
    let store = ctx.store().await?;
    let mut listed = Vec::with_capacity(rows.len());
    for row in rows {
        // A batch that was deleted in the meantime has none.
        let tallies = store.board_tallies(&row.response_id).await.unwrap_or_default();
        let counts = counts_of_board(&tallies);
        let has_died = match store.run(&row.response_id).await {
            Ok(run) => has_died(&store, &run).await?,
            Err(_) => false,
        };
        listed.push(ListedBatch {
            row,
            counts,
            has_died,
        });
    }
    store.close().await;
    Ok(listed)
}

fn cells(listed: &ListedBatch) -> [String; 5] {
    let ListedBatch {
        row,
        counts,
        has_died,
    } = listed;
    let started = numbers::moment(row.started_at);
    let waits = counts.is_some_and(|counts| counts.waits_for_person()) && !row.state.is_terminal();
    let completed = |counts: &Counts| {
        let (n_done, total) = (
            numbers::thousands(counts.completed),
            numbers::thousands(counts.total),
        );
        format!("{n_done} of {total}")
    };
    [
        text::short_id(&row.response_id),
        started.get(..16).unwrap_or(&started).to_owned(),
        match counts {
            _ if *has_died => DIED,
            Some(_) if waits => ItemState::InputRequired.as_str(),
            Some(counts) if row.state == RunStatus::Completed && is_in_part(counts) => IN_PART,
            _ => row.state.as_str(),
        }
        .to_owned(),
        counts.as_ref().map_or_else(|| "-".to_owned(), completed),
        text::one_line(&row.title),
    ]
}
