//! `gemicro runs`: the list of runs.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, ValueEnum};
use gemicro_core::run::RunRow;
use gemicro_core::store::Store as _;
use gemicro_engine::RunSnapshot;
use gemicro_engine::merge_queue::MergeSummary;
use gemicro_event::{Charge, RunStatus, StreamId};
use gemicro_store::{DurableStore, RunFilter};

use super::batch::{IN_PART, is_in_part};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::screen::{numbers, table, text};
use crate::session::{Context, has_died};
use crate::story::DIED;

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
    let (rows, states) = runtime::block_on(async {
        let store = ctx.store().await?;
        let found = list_runs(&store, args).await;
        store.close().await;
        found
    })?;
    output::print_rows(&rows, args.format, || {
        if rows.is_empty() {
            output::say("No runs. Start one: gemicro --offline --source DIR \"question\"");
            return Ok(());
        }
        output::print(&list(&rows, &states, ctx.screen.width()))
    })
}

/// States that are not in the rows of the runs: `died` and `completed in part`.
type OtherStates = BTreeMap<StreamId, &'static str>;

/// The runs, and the states of some of them.
async fn list_runs(
    store: &DurableStore,
    args: &RunsArgs,
) -> Result<(Vec<RunSnapshot>, OtherStates), CommandError> {
    let filter = RunFilter {
        status: args.status.and_then(StatusArg::status),
        limit: Some(args.limit),
        ..RunFilter::default()
    };
    let rows = match args.status {
        Some(StatusArg::InputRequired) => RunSnapshot::list_waiting(store, &filter).await?,
        _ => RunSnapshot::list(store, &filter).await?,
    };
    let mut states = OtherStates::new();
    for listed in &rows {
        let row = &listed.row;
        if has_died(store, row).await? {
            states.insert(row.run.clone(), DIED);
        } else if row.status == RunStatus::Completed
            && (listed.counts.as_ref().is_some_and(is_in_part) || has_unmerged(store, row).await?)
        {
            states.insert(row.run.clone(), IN_PART);
        }
    }
    Ok((rows, states))
}

/// Whether it is a completed merge queue that did not merge everything.
async fn has_unmerged(store: &DurableStore, row: &RunRow) -> Result<bool, CommandError> {
    if row.flow != "merge" {
        return Ok(false);
    }
    let last = store.read(&row.run, row.n_events.saturating_sub(1), 1).await?;
    let result = last.events.last().map(|it| &it.update.data);
    let summary = result.and_then(|it| it.parse::<MergeSummary>().ok());
    Ok(summary.is_some_and(|it| !it.is_complete()))
}

fn list(rows: &[RunSnapshot], states: &OtherStates, columns: usize) -> String {
    let heads = ["RUN", "STARTED (UTC)", "STATUS", "FLOW", "SPENT", "TITLE"].map(str::to_owned);
    let with_spent = |spent: fn(&Charge) -> Option<String>| {
        let cells = rows.iter().map(|row| cells(row, states, spent));
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
    // A batch and its task ask the same question.
    let mut shown = BTreeSet::new();
    for (line, row) in lines.iter().zip(rows) {
        page.push_str(&format!("{line}\n"));
        let Some(row) = row else { continue };
        let is_resumable = states.get(&row.row.run) == Some(&DIED) && !row.row.part_of_parent;
        if is_resumable {
            page.push_str(&format!(
                "  gemicro resume {}    # its process has died\n",
                row.row.run
            ));
        }
        let asked = row.question.as_ref().filter(|asked| shown.insert(&asked.run_id));
        if let Some((asked, row)) = asked.map(|asked| (asked, &row.row)) {
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

/// The cost where there is no room for all of it: the money, or the tokens where not all of them have a price.
fn money_or_tokens(spent: &Charge) -> Option<String> {
    let money = spent
        .money_in_short()
        .filter(|_| spent.unpriced_models.is_empty());
    money.or_else(|| Some(spent.tokens_in_words()?.replace(" tokens", " tok")))
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

fn cells(listed: &RunSnapshot, states: &OtherStates, spent: fn(&Charge) -> Option<String>) -> [String; 6] {
    let row = &listed.row;
    let started = numbers::moment(row.started_at);
    let state = states.get(&row.run).unwrap_or(&listed.state);
    [
        text::short_id(&row.run),
        started.get(..16).unwrap_or(&started).to_owned(),
        (*state).to_owned(),
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
    use gemicro_engine::ItemQuestion;
    use gemicro_event::{Uncertain, UnpricedTokens};

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
            counts: None,
        };
        let page = list(std::slice::from_ref(&row), &OtherStates::new(), 80);
        assert!(page.contains("up to $0.024817  What are the costs of"), "{page}");
        let page = list(&[row], &OtherStates::new(), 100);
        assert!(
            page.contains("up to 1,024,335 tokens, up to $0.024817  What are"),
            "{page}"
        );
    }

    fn listed(title: &str, status: RunStatus) -> RunSnapshot {
        let row = RunRow {
            title: title.to_owned(),
            status,
            ..RunRow::new(StreamId::random(), None)
        };
        RunSnapshot {
            row,
            state: status.as_str(),
            question: None,
            counts: None,
        }
    }

    #[test]
    fn tokens_without_a_price_are_shown_at_80_columns() {
        let mut row = listed(
            "What are the costs of a run whose model has no known price?",
            RunStatus::Interrupted,
        );
        row.row.spent = Charge {
            tokens: 11_024_335,
            unpriced_models: UnpricedTokens::of("gemini-9", 11_024_335),
            uncertain: Uncertain {
                tokens: 8_673,
                micro_usd: 0,
            },
            ..Charge::ZERO
        };
        let page = list(&[row], &OtherStates::new(), 80);
        assert!(
            page.contains("  up to 11,024,335 tok  What are the costs"),
            "{page}"
        );
    }

    #[test]
    fn what_a_person_must_know_is_said_once_below_the_row() {
        let (mut task, mut batch) = (
            listed("the task", RunStatus::Parked),
            listed("2 tasks", RunStatus::Running),
        );
        let asked = ItemQuestion {
            run_id: task.row.run.clone(),
            key: "gate".to_owned(),
            text: "Shall I plan this?".to_owned(),
        };
        (task.question, batch.question) = (Some(asked.clone()), Some(asked));
        let part = listed("3 tasks", RunStatus::Completed);
        let dead = listed("a question", RunStatus::Running);
        let id = dead.row.run.clone();
        let states = OtherStates::from([(id.clone(), DIED), (part.row.run.clone(), IN_PART)]);
        let page = list(&[task, batch, part, dead], &states, 80);
        assert_eq!(page.matches("asks: Shall I plan this?").count(), 1, "{page}");
        assert_eq!(page.matches("gemicro answer").count(), 1, "{page}");
        assert!(page.contains("completed in part"), "{page}");
        assert!(
            page.contains(&format!("\n  gemicro resume {id}    # its process has died\n")),
            "{page}"
        );
        assert!(
            page.lines()
                .any(|line| line.contains("  died ") && line.ends_with("a question")),
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
