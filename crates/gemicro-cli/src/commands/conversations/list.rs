//! `gemicro conversations list`.

use clap::Args;
use gemicro_chat::ConversationRow;

use super::open::{open, open_error};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{numbers, table, text};
use crate::session::Context;

/// Number of characters shown of an id, as in `gemicro runs`.
const SHORT_ID: usize = 8;

const HEADS: [&str; 4] = ["ID", "STARTED (UTC)", "TURNS", "NAME"];

/// Arguments of `gemicro conversations list`.
#[derive(Debug, Args)]
pub(crate) struct ConversationListArgs {
    /// Maximum number of conversations
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

pub(super) async fn list(ctx: &Context, args: &ConversationListArgs) -> Result<(), CommandError> {
    let conversations = open(ctx).await?;
    let rows = conversations.list(args.limit).await.map_err(open_error)?;
    conversations.store().close().await;
    output::print_rows(&rows, args.format, || {
        if rows.is_empty() {
            output::say("No conversations. Import one: gemicro conversations import FILE.jsonl");
            return Ok(());
        }
        let heads = HEADS.map(str::to_owned);
        let lines: Vec<[String; 4]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
        let (widths, columns) = (table::widths(&lines), ctx.screen.width());
        output::print(&table::page(&table::layout(
            &lines,
            &[0, 1, 2, 3],
            &widths,
            columns,
        )))
    })
}

fn cells(row: &ConversationRow) -> [String; 4] {
    let started = numbers::moment(row.started_at);
    let turns = if row.readable {
        numbers::thousands(row.turns)
    } else {
        "newer".to_owned()
    };
    [
        row.id.as_str().chars().take(SHORT_ID).collect(),
        started.get(..16).unwrap_or(&started).to_owned(),
        turns,
        text::one_line(&row.name),
    ]
}
