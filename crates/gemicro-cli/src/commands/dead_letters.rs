//! `gemicro dead-letters`: lists steps that failed permanently, with the command that runs them again, and notifications
//! that could not be delivered.

use std::collections::BTreeSet;

use clap::Args;
use gemicro_engine::QueueFile;
use gemicro_event::{ErrorKind, StepKey, StreamId, Timestamp};
use gemicro_store::{DeadLetterFilter, DeadLetterRow};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::flow_table::flow_row;
use crate::output;
use crate::runtime;
use crate::screen::{Screen, table, text};
use crate::session::{Context, find_run};

/// Maximum width of a step's name; a quarter of the screen is also allowed.
const STEP_WIDTH: usize = 24;

const HEADS: [&str; 7] = ["RUN", "STEP", "ERROR", "TRIED", "AGE", "AGAIN AS", "MESSAGE"];

/// Column of the message, which gets the rest of the line.
const MESSAGE: usize = HEADS.len() - 1;

/// Arguments of `gemicro dead-letters`.
#[derive(Debug, Args)]
pub(crate) struct DeadLettersArgs {
    /// Only steps of this run: the start of its id, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Include steps that a later run has repeated
    #[arg(long)]
    pub(crate) all: bool,
    /// Maximum number of steps
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

pub(crate) fn run(ctx: &Context, args: &DeadLettersArgs) -> Result<(), CommandError> {
    let (rows, again) = runtime::block_on(async {
        let store = ctx.store().await?;
        let run = match &args.run {
            Some(named) => Some(find_run(&store, named).await?),
            None => None,
        };
        let given_up = given_up_notifications(ctx, run.as_ref())?;
        let filter = DeadLetterFilter {
            run,
            include_resubmitted: args.all,
            limit: Some(args.limit),
        };
        let mut rows = store.dead_letters(&filter).await?;
        let mut again = BTreeSet::new();
        for row in rows.iter().filter(|row| row.resubmitted_as.is_none()) {
            again.insert(match flow_row(&store.run(&row.run).await?.flow).story.has_board {
                true => "`gemicro batch retry RUN` runs the failed tasks of a batch again.",
                false => "`gemicro retry RUN` runs the failed steps of a run again.",
            });
        }
        store.close().await;
        rows.extend(given_up);
        rows.sort_by_key(|row| std::cmp::Reverse(row.at));
        rows.truncate(args.limit);
        Ok((rows, again))
    })?;
    output::print_rows(&rows, args.format, || {
        if rows.is_empty() {
            output::say(if args.all {
                "No dead letters: no step has failed permanently."
            } else {
                "No dead letters. Use --all to include steps that were repeated."
            });
            return Ok(());
        }
        output::print(&list(&rows, args.all, Timestamp::now(), &ctx.screen))?;
        again.into_iter().for_each(output::say);
        Ok(())
    })
}

/// Notifications that were given up, as rows of the list.
fn given_up_notifications(ctx: &Context, run: Option<&StreamId>) -> Result<Vec<DeadLetterRow>, CommandError> {
    let file = QueueFile::of(&ctx.home(&ctx.layers()?)?);
    let state = file.read().map_err(|error| {
        let hint = "delete the file that the message names; open notifications are lost";
        CommandError::new_failure(ErrorKind::StorageError, error.to_string(), hint)
    })?;
    let rows = state.given_up().iter().map(|delivery| DeadLetterRow {
        run: delivery.run.clone(),
        step: StepKey::new(format!("notify {} {}", delivery.target, delivery.seq)),
        attempts: delivery.attempts,
        error_kind: ErrorKind::UpstreamError,
        message: delivery.error.clone(),
        at: delivery.at,
        resubmitted_as: None,
    });
    Ok(rows.filter(|row| run.is_none_or(|run| *run == row.run)).collect())
}

fn list(rows: &[DeadLetterRow], all: bool, now: Timestamp, screen: &Screen) -> String {
    let columns = screen.width();
    let heads = HEADS.map(str::to_owned);
    let lines: Vec<[String; HEADS.len()]> = std::iter::once(heads)
        .chain(
            rows.iter()
                .map(|row| cells(row, now, STEP_WIDTH.min(columns / 4))),
        )
        .collect();
    // A narrow terminal shows only what is needed to act: the run, the step and the message.
    let shown: &[usize] = match (columns, all) {
        (0..60, false) => &[0, 1, MESSAGE],
        (0..80, true) => &[0, 1, 5, MESSAGE],
        (60..80, false) => &[0, 1, 2, MESSAGE],
        (80..90, true) => &[0, 1, 2, 5, MESSAGE],
        (_, false) => &[0, 1, 2, 3, 4, MESSAGE],
        (_, true) => &[0, 1, 2, 3, 4, 5, MESSAGE],
    };
    table::page(&table::layout(&lines, shown, &table::widths(&lines), columns))
}

fn cells(row: &DeadLetterRow, now: Timestamp, step_width: usize) -> [String; HEADS.len()] {
    [
        text::short_id(&row.run),
        text::cut(row.step.as_str(), step_width),
        row.error_kind.as_str().to_owned(),
        format!("{}×", row.attempts),
        age(now.since(row.at).as_secs()),
        row.resubmitted_as
            .as_ref()
            .map_or_else(|| "-".to_owned(), text::short_id),
        text::one_line(&row.message),
    ]
}

/// `12s`, `5m`, `3h`, `4d`.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
