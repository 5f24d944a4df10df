//! `gemicro runs`: the list of runs.

use clap::{Args, ValueEnum};
use gemicro_core::run::RunRow;
use gemicro_event::RunStatus;
use gemicro_store::RunFilter;
use serde_json::json;

use crate::args::DataFormat;
use crate::output;
use crate::runtime;
use crate::screen::{Screen, numbers, text};
use crate::session::Context;
use crate::trouble::Stopped;

/// Arguments of `gemicro runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Only runs that stand so
    #[arg(long, value_enum)]
    pub(crate) status: Option<StatusArg>,
    /// Runs at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// How the list is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Where a run stands, as an argument.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum StatusArg {
    Running,
    Parked,
    Suspended,
    Completed,
    Failed,
    Cancelled,
    Interrupted,
}

/// Lists runs.
pub(crate) fn run(ctx: &Context, args: &RunsArgs) -> Result<(), Stopped> {
    let filter = RunFilter {
        status: args.status.map(RunStatus::from),
        limit: Some(args.limit),
        ..RunFilter::default()
    };
    let rows = runtime::block_on(async {
        let store = ctx.store().await?;
        let rows = store.runs(&filter).await?;
        store.close().await;
        Ok(rows)
    })?;
    match args.format {
        DataFormat::Text if rows.is_empty() => {
            output::say("No runs. Start one: gemicro --offline --source DIR \"question\"");
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

fn table(rows: &[RunRow], screen: &Screen) -> String {
    let heads = ["RUN", "STARTED (UTC)", "STATUS", "FLOW", "SPENT", "TITLE"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(heads).chain(rows.iter().map(cells)).collect();
    let columns = screen.width();
    // A narrow terminal loses what it can do without: flow and money first, then the start.
    let shown: &[usize] = match columns {
        0..50 => &[0, 2, 5],
        50..70 => &[0, 1, 2, 5],
        _ => &[0, 1, 2, 3, 4, 5],
    };
    let widest = |idx: usize| {
        lines
            .iter()
            .map(|cells| text::width(&cells[idx]))
            .max()
            .unwrap_or(0)
    };
    let mut page = String::new();
    for cells in &lines {
        let mut line = String::new();
        for idx in shown {
            if *idx == 5 {
                line.push_str(&text::cut(
                    &cells[5],
                    columns.saturating_sub(text::width(&line)).max(8),
                ));
            } else {
                line.push_str(&text::pad(&cells[*idx], widest(*idx) + 2));
            }
        }
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
}

fn cells(row: &RunRow) -> [String; 6] {
    let started = numbers::moment(row.started_at);
    [
        text::short_id(&row.run),
        started.get(..16).unwrap_or(&started).to_owned(),
        row.status.as_str().to_owned(),
        text::one_line(&row.flow),
        numbers::charge(&row.spent).unwrap_or_else(|| "-".to_owned()),
        text::one_line(&row.title),
    ]
}

impl From<StatusArg> for RunStatus {
    fn from(status: StatusArg) -> Self {
        match status {
            StatusArg::Running => Self::Running,
            StatusArg::Parked => Self::Parked,
            StatusArg::Suspended => Self::Suspended,
            StatusArg::Completed => Self::Completed,
            StatusArg::Failed => Self::Failed,
            StatusArg::Cancelled => Self::Cancelled,
            StatusArg::Interrupted => Self::Interrupted,
        }
    }
}
