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

/// Where the title is; it gets the rest of the line.
const TITLE: usize = 5;

/// Columns of a title that tell one run from another.
const READABLE_TITLE: usize = 32;

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
    let widest = |idx: usize| {
        lines
            .iter()
            .map(|cells| text::width(&cells[idx]))
            .max()
            .unwrap_or(0)
    };
    let shown = columns_that_fit(columns, widest);
    let mut page = String::new();
    for cells in &lines {
        let mut line = String::new();
        for idx in &shown {
            if *idx == TITLE {
                line.push_str(&text::cut(
                    &cells[TITLE],
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

/// The columns to show. Those that the screen can do without give way to titles that can be read: the flow first, then
/// the cost, then the start.
fn columns_that_fit(columns: usize, widest: impl Fn(usize) -> usize) -> Vec<usize> {
    const RUN: usize = 0;
    const STARTED: usize = 1;
    const STATUS: usize = 2;
    const FLOW: usize = 3;
    const SPENT: usize = 4;
    let mut room = columns.saturating_sub(widest(RUN) + 2 + widest(STATUS) + 2);
    let title = widest(TITLE).min(READABLE_TITLE);
    let mut shown = vec![RUN, STATUS, TITLE];
    for idx in [STARTED, SPENT, FLOW] {
        let width = widest(idx) + 2;
        if room < width + title {
            break;
        }
        room -= width;
        shown.push(idx);
    }
    shown.sort_unstable();
    shown
}

fn cells(row: &RunRow) -> [String; 6] {
    let started = numbers::moment(row.started_at);
    [
        text::short_id(&row.run),
        started.get(..16).unwrap_or(&started).to_owned(),
        row.status.as_str().to_owned(),
        text::one_line(&row.flow),
        row.spent.in_short().unwrap_or_else(|| "-".to_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths as in a list with pipelines, long costs and long titles.
    const WIDTHS: [usize; 6] = [8, 16, 11, 13, 28, 120];

    #[test]
    fn titles_can_be_read_on_every_terminal() {
        for columns in [60, 80, 100, 120, 160, 240] {
            let shown = columns_that_fit(columns, |idx| WIDTHS[idx]);
            let taken: usize = shown
                .iter()
                .filter(|idx| **idx != TITLE)
                .map(|idx| WIDTHS[*idx] + 2)
                .sum();
            assert!(columns - taken >= READABLE_TITLE, "{columns}: {shown:?}");
        }
    }

    #[test]
    fn a_wide_terminal_and_short_titles_show_everything() {
        assert_eq!(columns_that_fit(160, |idx| WIDTHS[idx]), [0, 1, 2, 3, 4, 5]);
        let short = [8, 16, 9, 8, 12, 10];
        assert_eq!(columns_that_fit(80, |idx| short[idx]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(columns_that_fit(30, |idx| WIDTHS[idx]), [0, 2, 5]);
    }
}
