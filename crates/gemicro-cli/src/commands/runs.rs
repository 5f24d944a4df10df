//! `gemicro runs`: the list of runs.

use clap::{Args, ValueEnum};
use gemicro_engine::RunSnapshot;
use gemicro_event::{Charge, RunStatus};
use gemicro_store::{DurableStore, RunFilter};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::screen::{numbers, table, text};
use crate::session::Context;

/// Where the cost is.
const SPENT: usize = 4;

/// Where the title is; it gets the rest of the line.
const TITLE: usize = 5;

/// Columns of a title that tell one run from another.
const READABLE_TITLE: usize = 24;

/// Arguments of `gemicro runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Only runs in this state
    #[arg(long, value_enum)]
    pub(crate) status: Option<StatusArg>,
    /// Maximum number of runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Where a run stands, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusArg {
    Running,
    Parked,
    /// Waiting for your answer
    #[value(name = "input_required", alias = "input-required")]
    InputRequired,
    Suspended,
    Completed,
    Failed,
    Cancelled,
    Interrupted,
}

pub(crate) fn run(ctx: &Context, args: &RunsArgs) -> Result<(), CommandError> {
    let rows = runtime::block_on(async {
        let store = ctx.store().await?;
        let rows = list_runs(&store, args).await;
        store.close().await;
        rows
    })?;
    output::print_rows(&rows, args.format, || {
        if rows.is_empty() {
            output::say("No runs. Start one: gemicro --offline --source DIR \"question\"");
            return Ok(());
        }
        output::print(&list(&rows, ctx.screen.width()))
    })
}

async fn list_runs(store: &DurableStore, args: &RunsArgs) -> Result<Vec<RunSnapshot>, CommandError> {
    let filter = RunFilter {
        status: args.status.and_then(StatusArg::status),
        limit: Some(args.limit),
        ..RunFilter::default()
    };
    Ok(match args.status {
        Some(StatusArg::InputRequired) => RunSnapshot::list_waiting(store, &filter).await?,
        _ => RunSnapshot::list(store, &filter).await?,
    })
}

fn list(rows: &[RunSnapshot], columns: usize) -> String {
    let heads = ["RUN", "STARTED (UTC)", "STATUS", "FLOW", "SPENT", "TITLE"].map(str::to_owned);
    let with_spent = |spent: fn(&Charge) -> Option<String>| {
        let cells = rows.iter().map(|row| cells(row, spent));
        let lines: Vec<[String; 6]> = std::iter::once(heads.clone()).chain(cells).collect();
        let widths = table::widths(&lines);
        let shown = columns_that_fit(columns, |idx| widths[idx]);
        (lines, widths, shown)
    };
    let (lines, widths, shown) = match with_spent(Charge::in_short) {
        whole if whole.2.contains(&SPENT) => whole,
        _ => with_spent(money_or_tokens),
    };
    let lines = table::layout(&lines, &shown, &widths, columns);
    let mut page = String::new();
    let rows = std::iter::once(None).chain(rows.iter().map(Some));
    for (line, row) in lines.iter().zip(rows) {
        page.push_str(&format!("{line}\n"));
        if let Some((asked, row)) = row.and_then(|row| Some((row.question.as_ref()?, &row.row))) {
            let asks = format!("  asks: {}", text::one_line(&asked.text));
            page.push_str(&text::cut(&asks, columns.max(8)));
            // A command is never cut: it is there to be pasted.
            page.push_str(&format!("\n  gemicro answer {} yes    # or no\n", asked.run_id));
            if row.status == RunStatus::Suspended {
                page.push_str(&format!(
                    "  gemicro resume {}    # then continue the suspended run\n",
                    row.run
                ));
            }
        }
    }
    page
}

/// The cost where there is no room for all of it.
fn money_or_tokens(spent: &Charge) -> Option<String> {
    spent.money_in_short().or_else(|| spent.tokens_in_words())
}

/// The columns to show. Those that the screen can do without give way to titles that can be read: the flow first, then
/// the start, then the cost.
fn columns_that_fit(columns: usize, widest: impl Fn(usize) -> usize) -> Vec<usize> {
    const RUN: usize = 0;
    const STARTED: usize = 1;
    const STATUS: usize = 2;
    const FLOW: usize = 3;
    let mut room = columns.saturating_sub(widest(RUN) + 2 + widest(STATUS) + 2);
    let title = widest(TITLE).min(READABLE_TITLE);
    let mut shown = vec![RUN, STATUS, TITLE];
    for idx in [SPENT, STARTED, FLOW] {
        let width = widest(idx) + 2;
        if room >= width + title {
            room -= width;
            shown.push(idx);
        }
    }
    shown.sort_unstable();
    shown
}

fn cells(listed: &RunSnapshot, spent: fn(&Charge) -> Option<String>) -> [String; 6] {
    let row = &listed.row;
    let started = numbers::moment(row.started_at);
    [
        text::short_id(&row.run),
        started.get(..16).unwrap_or(&started).to_owned(),
        listed.state.to_owned(),
        text::one_line(&row.flow),
        spent(&row.spent).unwrap_or_else(|| "-".to_owned()),
        text::one_line(&row.title),
    ]
}

impl StatusArg {
    /// The status of such runs; none where that is not known from their rows.
    fn status(self) -> Option<RunStatus> {
        Some(match self {
            Self::Running => RunStatus::Running,
            Self::Parked => RunStatus::Parked,
            Self::InputRequired => return None,
            Self::Suspended => RunStatus::Suspended,
            Self::Completed => RunStatus::Completed,
            Self::Failed => RunStatus::Failed,
            Self::Cancelled => RunStatus::Cancelled,
            Self::Interrupted => RunStatus::Interrupted,
        })
    }
}

#[cfg(test)]
mod tests {
    use gemicro_core::run::RunRow;
    use gemicro_event::{StreamId, Uncertain};

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
    fn the_cost_is_shown_at_80_columns_beside_long_titles() {
        let spent = Charge {
            tokens: 1_024_335,
            micro_usd: 24_817,
            uncertain: Uncertain {
                tokens: 8_673,
                micro_usd: 24_817,
            },
            ..Charge::ZERO
        };
        let row = RunRow {
            title: "What are the costs of a run that was stopped in the middle of it?".to_owned(),
            spent,
            ..RunRow::new(StreamId::random(), None)
        };
        let row = RunSnapshot {
            row,
            state: "interrupted",
            question: None,
        };
        let page = list(std::slice::from_ref(&row), 80);
        assert!(page.contains("up to $0.024817  What are the costs of"), "{page}");
        let page = list(&[row], 100);
        assert!(
            page.contains("up to 1,024,335 tokens, up to $0.024817  What are"),
            "{page}"
        );
    }

    #[test]
    fn a_wide_terminal_and_short_titles_show_everything() {
        assert_eq!(columns_that_fit(160, |idx| WIDTHS[idx]), [0, 1, 2, 3, 4, 5]);
        let short = [8, 16, 9, 8, 12, 10];
        assert_eq!(columns_that_fit(80, |idx| short[idx]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(columns_that_fit(30, |idx| WIDTHS[idx]), [0, 2, 5]);
    }
}
