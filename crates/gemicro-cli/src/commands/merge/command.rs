//! From names to a merge queue, watched to its end.

use std::path::{Path, PathBuf};

use gemicro_core::drive::StopSignals;
use gemicro_engine::merge_queue::{BuildInput, MergePlan, build_chain};
use gemicro_engine::{LocalRunService, MergeQueueRequest, Plan, Request, RunService, RunSightings};
use gemicro_event::{ErrorKind, FailureClass, StreamId};
use gemicro_guard::repository::{CommitId, TrustedRepo};

use super::MergeArgs;
use super::candidates::{self, git_error};
use super::view::{MergeView, summary};
use crate::args::DataFormat;
use crate::asker::NoAsker;
use crate::command_error::CommandError;
use crate::config::{ResearchFlags, ResearchSettings};
use crate::follow::{RESUME, RunWatch, follow};
use crate::output::{self, CommandOutput};
use crate::session::Context;
use crate::user_repository::git_settings;
use crate::view::{EventLines, RunEnd, RunView};
use crate::{runtime, signals, workflow_file};

pub(crate) fn run(ctx: &Context, args: &MergeArgs) -> Result<(), CommandError> {
    let directory = std::path::absolute(&args.dir)?;
    let repository = TrustedRepo::open(&git_settings(ctx)?, &directory).map_err(|error| git_error(&error))?;
    let (into, tip) = target(&repository, args.into.as_deref())?;
    // Everything that can be refused is refused before a run is made.
    if let Some(folder) = repository.checkout_of(&into).map_err(|error| git_error(&error))? {
        repository
            .check_clean(&folder)
            .map_err(|error| git_error(&error))?;
    }
    runtime::block_on(async {
        let plan = plan(ctx, args, (&directory, &repository), (&into, &tip)).await?;
        if args.dry_run {
            return dry_run(&repository, &plan.read()?, args.format);
        }
        let layers = ctx.layers()?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        let here = LocalRunService::new(ctx.engine(&layers, &settings).await?);
        let stop = signals::listen()?;
        for notice in plan.notices() {
            output::say(&format!("{} {notice}", ctx.screen.on_stderr().warn("note:")));
        }
        let watching = here.start(plan).await?;
        let shown = MergeDisplay {
            format: args.format,
            out: None,
        };
        watch(ctx, &here, watching, &stop, shown).await
    })
}

/// The target branch and its tip.
fn target(repository: &TrustedRepo, named: Option<&str>) -> Result<(String, CommitId), CommandError> {
    let Some(name) = named else {
        let main = repository
            .local_main_branch()
            .map_err(|error| git_error(&error))?;
        return Ok((main.name, main.commit));
    };
    let tip = repository.local_branch(name).map_err(|error| git_error(&error))?;
    let tip = tip.ok_or_else(|| {
        CommandError::new_failure(
            ErrorKind::NotFound,
            format!("there is no local branch {name} to merge into"),
            "name an existing branch with --into; `git branch` lists them",
        )
    })?;
    Ok((name.to_owned(), tip))
}

async fn plan(
    ctx: &Context,
    args: &MergeArgs,
    (directory, repository): (&Path, &TrustedRepo),
    (into, tip): (&str, &CommitId),
) -> Result<Plan, CommandError> {
    let named = args
        .workflow
        .as_deref()
        .map(workflow_file::from_here)
        .transpose()?;
    let workflow = workflow_file::load(named.as_deref(), directory)?;
    if named.is_none() {
        check_workflow_is_of_target(repository, (into, tip), workflow.checks.is_empty())?;
    }
    let store = ctx.store().await?;
    let found = match args.names.as_slice() {
        [] => candidates::find_finished(&store, repository, tip).await,
        names => candidates::resolve_names(&store, repository, names).await,
    };
    store.close().await;
    let found = found?;
    if found.branches.iter().any(|it| it.branch == into) {
        return Err(CommandError::usage(
            format!("{into} cannot be merged into itself"),
            "name the branches to merge, and the target with --into",
        ));
    }
    if found.branches.is_empty() && found.not_ready.is_empty() {
        return Err(CommandError::new_failure(
            ErrorKind::NotFound,
            format!("no finished pipeline has a branch to merge into {into}"),
            "`gemicro runs` lists the runs; a branch can also be named: gemicro merge BRANCH",
        ));
    }
    let request = MergeQueueRequest {
        directory: PathBuf::from(directory),
        into: into.to_owned(),
        branches: found.branches,
        not_ready: found.not_ready,
        workflow,
        push: args.push,
    };
    Ok(Plan::of(&Request::Merge(Box::new(request)))?)
}

/// Fails if the checkout has another workflow than the target: a branch must not choose its own checks. Without checks in
/// the workflow, they are found in the checkout, so then it must be the target's.
fn check_workflow_is_of_target(
    repository: &TrustedRepo,
    (into, tip): (&str, &CommitId),
    finds_checks: bool,
) -> Result<(), CommandError> {
    let changed = repository
        .changed_paths(tip, repository.head())
        .map_err(|error| git_error(&error))?;
    let is_workflow = |path: &String| path.split('/').any(|part| part == workflow_file::FOLDER);
    if !changed.iter().any(|path| finds_checks || is_workflow(path)) {
        return Ok(());
    }
    Err(CommandError::new_failure(
        ErrorKind::InvalidInput,
        format!("the workflow here may differ from the one on {into}, whose checks the merge queue needs"),
        format!(
            "run `gemicro merge` in a checkout of {into}, or name the file that you trust: --workflow {}/workflow.yaml",
            workflow_file::FOLDER
        ),
    ))
}

/// How a queue is shown.
pub(crate) struct MergeDisplay<'a> {
    /// How it is printed.
    pub(crate) format: DataFormat,
    /// Where its result goes instead of stdout.
    pub(crate) out: Option<&'a Path>,
}

/// Shows a queue to its end.
///
/// # Errors
/// When it failed or was stopped, not everything could be merged, or the store or a view failed.
pub(crate) async fn watch(
    ctx: &Context,
    here: &LocalRunService,
    watching: RunSightings,
    stop: &StopSignals,
    shown: MergeDisplay<'_>,
) -> Result<(), CommandError> {
    let id = watching.run.clone();
    let output = CommandOutput::new(shown.out);
    let view: Box<dyn RunView> = match shown.format {
        DataFormat::Jsonl => Box::new(EventLines::new(output)),
        DataFormat::Text | DataFormat::Json => {
            Box::new(MergeView::new(shown.format, &id, &ctx.screen, output))
        }
    };
    let watch = RunWatch {
        desk: here,
        views: vec![view],
        stop,
        asker: Box::new(NoAsker),
        resume: RESUME,
    };
    let end = follow(watch, watching)
        .await
        .map_err(|stopped| stopped.about(&id))?;
    here.engine().close().await;
    if matches!(end, RunEnd::Suspended(_)) {
        output::say(&format!(
            "Run {id} is suspended. Continue with: gemicro resume {id}"
        ));
    }
    end.outcome(&id)?;
    match summary(&end).is_none_or(|summary| summary.is_complete()) {
        true => Ok(()),
        false => Err(CommandError::AlreadyReported(FailureClass::Partial.exit_code())),
    }
}

/// Prints the queue with its conflicts; runs no check and moves no branch.
fn dry_run(repository: &TrustedRepo, plan: &MergePlan, format: DataFormat) -> Result<(), CommandError> {
    let input = BuildInput {
        directory: plan.directory.clone(),
        into: plan.into.clone(),
        branches: plan.branches.clone(),
        run: StreamId::random(),
        seconds: 0,
    };
    let build = build_chain(repository, &input)?;
    if format != DataFormat::Text {
        let object = serde_json::json!({ "plan": plan, "would": build });
        return output::print(&format!("{object}\n"));
    }
    let mut page = format!("Into      {} at {}\n", plan.into, build.base);
    for check in &plan.checks {
        page.push_str(&format!("Check     {}: {}\n", check.name, check.command));
    }
    for it in &build.chain {
        page.push_str(&format!("Merge     {}\n", it.branch));
    }
    for branch in &build.already {
        page.push_str(&format!("Skip      {branch}: already merged\n"));
    }
    for it in &build.conflicts {
        let files = it.files.join(", ");
        page.push_str(&format!("Conflict  {}: with {} in {files}\n", it.branch, it.with));
    }
    for it in &plan.not_ready {
        page.push_str(&format!("Not ready {}: {}\n", it.name, it.why));
    }
    output::print(&page)
}
