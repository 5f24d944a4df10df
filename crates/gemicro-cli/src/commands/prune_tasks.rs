//! `gemicro prune --tasks`: removes the folders, checkouts and branches of tasks whose runs ended.

use std::collections::BTreeSet;
use std::path::Path;

use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{AgentSetup, StoredTask, prune_task, stored_tasks};
use gemicro_pipeline::forge::Forges;
use gemicro_store::{DurableStore, RunFilter};
use serde_json::json;

use super::prune::{PruneArgs, confirm};
use crate::agents;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::config::Endpoints;
use crate::output;
use crate::session::Context;

/// The beginning of the private branches of merge queues.
const MERGE_QUEUE: &str = "task/merge-queue-";

/// What is removed, and what stays with the reason.
#[derive(Debug, Default)]
struct PruneTasksPlan {
    removed: Vec<StoredTask>,
    kept: Vec<(String, &'static str)>,
}

/// Removes the tasks that are merged; with `--force` also the others, unless a run still needs them.
pub(super) async fn prune_tasks(ctx: &Context, args: &PruneArgs) -> Result<(), CommandError> {
    let layers = ctx.layers()?;
    let home = ctx.home(&layers)?;
    let setup = agents::setup(&ctx.environment, &Endpoints::resolve(&layers)?, Forges::default())?;
    let store = ctx.store().await?;
    let in_use = in_use(&store).await?;
    store.close().await;
    let mut plan = PruneTasksPlan::default();
    for task in stored_tasks(&setup, &home)? {
        let is_needed =
            in_use.contains(&task.branch) || task.owner.as_ref().is_some_and(|owner| in_use.contains(owner));
        if is_needed {
            plan.kept.push((task.branch, "its run has not ended"));
        } else if task.is_merged || args.force || task.branch.starts_with(MERGE_QUEUE) {
            plan.removed.push(task);
        } else {
            plan.kept
                .push((task.branch, "it is not merged; --force removes it"));
        }
    }
    if args.dry_run {
        return print(&plan, &[], args);
    }
    if !plan.removed.is_empty() && !confirm(ctx, args, &intent(&plan))? {
        return Ok(());
    }
    let notes = remove(&setup, &home, &mut plan);
    print(&plan, &notes, args)
}

/// The runs that have not ended, and the branches in their plans.
async fn in_use(store: &DurableStore) -> Result<BTreeSet<String>, CommandError> {
    let filter = RunFilter {
        limit: Some(usize::MAX),
        ..RunFilter::default()
    };
    let mut in_use = BTreeSet::new();
    for row in store.runs(&filter).await? {
        if row.status.is_terminal() {
            continue;
        }
        in_use.insert(row.run.to_string());
        in_use.insert(format!("{MERGE_QUEUE}{}", row.run));
        let first = store.read(&row.run, 0, 1).await?.events;
        let plan = first
            .first()
            .and_then(|it| it.update.as_run_started())
            .map(|it| it.plan);
        for pointer in ["/branch", "/task/branch"] {
            let branch = plan.as_ref().and_then(|plan| plan.pointer(pointer)?.as_str());
            in_use.extend(branch.map(str::to_owned));
        }
    }
    Ok(in_use)
}

/// Removes the tasks. One that cannot be removed is kept, with a note.
fn remove(setup: &AgentSetup, home: &Path, plan: &mut PruneTasksPlan) -> Vec<String> {
    let mut notes = Vec::new();
    plan.removed.retain(|task| match prune_task(setup, home, task) {
        Ok(note) => {
            notes.extend(note);
            true
        }
        Err(failure) => {
            notes.push(format!("{} stays: {}", task.branch, failure.message));
            false
        }
    });
    notes
}

fn intent(plan: &PruneTasksPlan) -> String {
    let lines = plan.removed.iter().map(|task| {
        let state = if task.is_merged { "merged" } else { "NOT merged" };
        format!("  {}  ({state})\n", task.branch)
    });
    format!(
        "Would remove folder, checkout and branch of:\n{}",
        lines.collect::<String>()
    )
}

fn print(plan: &PruneTasksPlan, notes: &[String], args: &PruneArgs) -> Result<(), CommandError> {
    if args.format != DataFormat::Text {
        let removed: Vec<&str> = plan.removed.iter().map(|task| task.branch.as_str()).collect();
        let kept = plan.kept.iter();
        let kept: Vec<_> = kept
            .map(|(branch, why)| json!({ "branch": branch, "why": why }))
            .collect();
        let object = json!({ "removed": removed, "kept": kept, "notes": notes });
        return output::print(&format!("{object}\n"));
    }
    let mut page = String::new();
    let verb = if args.dry_run { "would remove" } else { "removed" };
    for task in &plan.removed {
        page.push_str(&format!("{verb}  {}\n", task.branch));
    }
    for (branch, why) in &plan.kept {
        page.push_str(&format!("kept  {branch}: {why}\n"));
    }
    for note in notes {
        page.push_str(&format!("note  {note}\n"));
    }
    if page.is_empty() {
        page.push_str("There are no tasks to remove.\n");
    }
    output::print(&page)
}
