//! `gemicro batch list`.

use clap::Args;
use gemicro_engine::BatchRow;
use serde_json::json;

use super::columns;
use super::service::Service;
use crate::args::DataFormat;
use crate::output;
use crate::screen::{numbers, text};
use crate::session::Context;
use crate::trouble::Stopped;

/// Arguments of `gemicro batch list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Batches at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// How the list is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Lists batches.
pub(super) async fn list(ctx: &Context, args: &ListArgs) -> Result<(), Stopped> {
    let service = Service::open(ctx).await?;
    let rows = service.list(args.limit).await?;
    service.close().await;
    match args.format {
        DataFormat::Text if rows.is_empty() => {
            output::say("No batches. Hand one in: gemicro batch submit FILE");
            Ok(())
        }
        DataFormat::Text => {
            let heads = ["BATCH", "HANDED IN (UTC)", "STATUS", "TASKS"].map(str::to_owned);
            let lines: Vec<[String; 4]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
            output::print(&columns(&lines, ctx.screen.width()))
        }
        DataFormat::Json => output::print(&format!("{}\n", json!(rows))),
        DataFormat::Jsonl => {
            let lines = rows.iter().map(|row| format!("{}\n", json!(row)));
            output::print(&lines.collect::<String>())
        }
    }
}

fn cells(row: &BatchRow) -> [String; 4] {
    let started = numbers::moment(row.started_at);
    [
        text::short_id(&row.response_id),
        started.get(..16).unwrap_or(&started).to_owned(),
        row.state.as_str().to_owned(),
        text::one_line(&row.title),
    ]
}
