//! `gemicro conversations list`.

use clap::Args;
use gemicro_chat::ConversationRow;
use serde_json::json;

use super::open::{open, stopped};
use crate::args::DataFormat;
use crate::output;
use crate::screen::{Screen, numbers, text};
use crate::session::Context;
use crate::trouble::Stopped;

/// Characters of an id that are shown, as in `gemicro runs`.
const SHORT_ID: usize = 8;

const HEADS: [&str; 4] = ["ID", "STARTED (UTC)", "TURNS", "NAME"];

/// Where the name stands; it gets the rest of the line.
const NAME: usize = HEADS.len() - 1;

/// Arguments of `gemicro conversations list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Conversations at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// How the list is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Lists conversations.
pub(super) async fn list(ctx: &Context, args: &ListArgs) -> Result<(), Stopped> {
    let conversations = open(ctx).await?;
    let rows = conversations.list(args.limit).await.map_err(stopped)?;
    conversations.store().close().await;
    match args.format {
        DataFormat::Text if rows.is_empty() => {
            output::say("No conversations. Store one: gemicro conversations import FILE.jsonl");
            Ok(())
        }
        DataFormat::Text => output::print(&table(&rows, &ctx.screen)),
        DataFormat::Json => output::print(&format!("{}\n", json!(rows))),
        DataFormat::Jsonl => output::print(
            &rows
                .iter()
                .map(|row| format!("{}\n", json!(row)))
                .collect::<String>(),
        ),
    }
}

fn table(rows: &[ConversationRow], screen: &Screen) -> String {
    let heads = HEADS.map(str::to_owned);
    let lines: Vec<[String; 4]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
    let widest = |idx: usize| {
        let widths = lines.iter().map(|cells| text::width(&cells[idx]));
        widths.max().unwrap_or(0)
    };
    let mut page = String::new();
    for cells in &lines {
        let mut line: String = (0..NAME)
            .map(|idx| text::pad(&cells[idx], widest(idx) + 2))
            .collect();
        let rest = screen.width().saturating_sub(text::width(&line)).max(8);
        line.push_str(&text::cut(&cells[NAME], rest));
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
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
