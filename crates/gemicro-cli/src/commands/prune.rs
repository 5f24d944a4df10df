//! `gemicro prune`: deletes runs and their stored data; a tombstone stays.

use std::time::Duration;

use clap::Args;
use gemicro_core::run::RunRow;
use gemicro_engine::{sweep_indexes, sweep_leftovers};
use gemicro_event::{StreamId, Timestamp};
use gemicro_store::{DurableStore, PruneRule, RunFilter};
use serde_json::json;

use super::prune_tasks::prune_tasks;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::runtime;
use crate::screen::numbers::{self, parse_age, parse_bytes};
use crate::screen::text;
use crate::session::{Context, find_run};

/// Number of runs read at a time.
const PAGE: usize = 500;
/// Maximum number of runs listed by name; the rest is counted.
const NAMED: usize = 10;

/// Arguments of `gemicro prune`.
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// Delete ended runs older than this, such as 30d
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Option<Duration>,
    /// Delete the oldest ended runs until the store is at most this large, such as 1G
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) max_size: Option<u64>,
    /// Delete this run, ended or not: the start of its id, or `last`
    #[arg(long, value_name = "RUN", conflicts_with_all = ["older_than", "max_size"])]
    pub(crate) run: Option<String>,
    /// Remove folder, checkout and branch of every task that is merged and whose run ended
    #[arg(long, conflicts_with_all = ["older_than", "max_size", "run"])]
    pub(crate) tasks: bool,
    /// With --tasks, also remove tasks that are not merged; their work is lost
    #[arg(long, requires = "tasks")]
    pub(crate) force: bool,
    /// Print what would be deleted, and delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

#[derive(Debug, Default)]
struct PruneSummary {
    runs: Vec<StreamId>,
    n_events: u64,
    n_blobs: u64,
}

pub(crate) fn run(ctx: &Context, args: &PruneArgs) -> Result<(), CommandError> {
    if args.tasks {
        return runtime::block_on(prune_tasks(ctx, args));
    }
    if args.older_than.is_none() && args.max_size.is_none() && args.run.is_none() {
        return Err(CommandError::usage(
            "no option says what to delete",
            "use --older-than 30d, --max-size 1G, --run RUN or --tasks; preview with --dry-run",
        ));
    }
    runtime::block_on(prune(ctx, args))
}

async fn prune(ctx: &Context, args: &PruneArgs) -> Result<(), CommandError> {
    let home = ctx.home(&ctx.layers()?)?;
    let store = ctx.store().await?;
    let single = match &args.run {
        Some(named) => Some(find_run(&store, named).await?),
        None => None,
    };
    let intent = intent(&store, args, single.as_ref()).await?;
    if args.dry_run {
        return output::print(&intent);
    }
    if !confirm(ctx, args, &intent)? {
        return Ok(());
    }
    let report = delete(&store, args, single).await?;
    sweep_indexes(&store, &home).await?;
    sweep_leftovers(&home);
    store.close().await;
    print(&report, args.format)
}

/// Asks whether to go on, unless the caller said yes.
pub(super) fn confirm(ctx: &Context, args: &PruneArgs, intent: &str) -> Result<bool, CommandError> {
    if args.yes {
        return Ok(true);
    }
    if !ctx.screen.stdin_is_terminal {
        return Err(CommandError::usage(
            "prune asks before it deletes, but stdin is not a terminal",
            "add --yes, or preview with --dry-run",
        ));
    }
    output::ask(&format!("{intent}Delete permanently? [y/N] "));
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    let is_yes = matches!(typed.trim().to_lowercase().as_str(), "y" | "yes");
    if !is_yes {
        output::say("Nothing was deleted.");
    }
    Ok(is_yes)
}

async fn delete(
    store: &DurableStore,
    args: &PruneArgs,
    single: Option<StreamId>,
) -> Result<PruneSummary, CommandError> {
    if let Some(run) = single {
        let erased = store.erase(&run).await?;
        return Ok(PruneSummary {
            runs: vec![run],
            n_events: erased.n_events,
            n_blobs: erased.n_blobs,
        });
    }
    let rule = PruneRule {
        older_than: args.older_than,
        max_bytes: args.max_size,
    };
    let pruned = store.prune(&rule).await?;
    Ok(PruneSummary {
        runs: pruned.runs,
        n_events: pruned.n_events,
        n_blobs: pruned.n_blobs,
    })
}

/// Describes what is about to happen.
async fn intent(
    store: &DurableStore,
    args: &PruneArgs,
    single: Option<&StreamId>,
) -> Result<String, CommandError> {
    if let Some(run) = single {
        let row = store.run(run).await?;
        return Ok(format!("Would delete 1 run:\n{}", run_names(&row)));
    }
    let now = Timestamp::now();
    let mut words = String::new();
    if let Some(age) = args.older_than {
        let old = ended_before(store, now, age).await?;
        words.push_str(&format!(
            "Would delete {} by age:\n",
            numbers::count(old.len(), "ended run")
        ));
        words.extend(old.iter().take(NAMED).map(run_names));
        if old.len() > NAMED {
            words.push_str(&format!("  … and {} more\n", old.len() - NAMED));
        }
    }
    if let Some(max_size) = args.max_size {
        let check = store.check().await?;
        let used = check.db_bytes + check.blob_bytes;
        let what = if used > max_size {
            "would delete the oldest ended runs until it fits"
        } else {
            "nothing to delete"
        };
        words.push_str(&format!(
            "By size: {} in use, {} allowed: {what}\n",
            numbers::bytes(used),
            numbers::bytes(max_size)
        ));
    }
    Ok(words)
}

async fn ended_before(
    store: &DurableStore,
    now: Timestamp,
    age: Duration,
) -> Result<Vec<RunRow>, CommandError> {
    let mut old = Vec::new();
    let mut before = None;
    loop {
        let filter = RunFilter {
            limit: Some(PAGE),
            before: before.clone(),
            ..RunFilter::default()
        };
        let page = store.runs(&filter).await?;
        let Some(last) = page.last() else { return Ok(old) };
        before = Some(last.run.clone());
        let is_old = |row: &RunRow| row.ended_at.is_some_and(|at| now.since(at) > age);
        old.extend(page.into_iter().filter(is_old));
    }
}

fn run_names(row: &RunRow) -> String {
    format!(
        "  {}  {}  {}\n",
        row.run,
        numbers::moment(row.started_at),
        text::cut(&row.title, 50)
    )
}

fn print(report: &PruneSummary, format: DataFormat) -> Result<(), CommandError> {
    match format {
        DataFormat::Text => {
            output::say(&format!(
                "Deleted {}: {} events, {} files. Their ids stay reserved.",
                numbers::count(report.runs.len(), "run"),
                numbers::thousands(report.n_events),
                numbers::thousands(report.n_blobs)
            ));
            Ok(())
        }
        DataFormat::Json | DataFormat::Jsonl => {
            let object =
                json!({ "runs": report.runs, "n_events": report.n_events, "n_blobs": report.n_blobs });
            output::print(&format!("{object}\n"))
        }
    }
}
