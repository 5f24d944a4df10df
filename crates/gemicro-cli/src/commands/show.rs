//! `gemicro show`: one run on one screen.

use std::sync::Arc;

use clap::Args;
use gemicro_core::research::RelatedPassage;
use gemicro_core::store::Store;
use gemicro_engine::pipeline::later_run;
use gemicro_engine::{BatchAnswer, Batches, BoardPage, LocalRunService, research_report};
use gemicro_event::{ErrorKind, Event, StreamId};
use gemicro_store::DurableStore;
use serde_json::json;

use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::flow_table::flow_row;
use crate::output::{self, CommandOutput};
use crate::report::{report_page, story_page};
use crate::runtime;
use crate::screen::text;
use crate::session::{Context, find_run, has_died};
use crate::story::{RawView, Story, hint, tell};
use crate::view::{EventLines, RunEnd, RunView, answer_markdown};

/// Events read at a time.
const PAGE: usize = 512;

/// Events of a batch that are about one of its tasks.
const OF_TASKS: &[&str] = &[
    "step_started",
    "step_handle",
    "step_completed",
    "step_retrying",
    "step_parked",
    "step_lost",
    "step_failed",
    "batch_item_started",
    "batch_item_completed",
    "batch_item_failed",
];

/// Arguments of `gemicro show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// Print the input and output of every step, including prompts and raw answers
    #[arg(long)]
    pub(crate) raw: bool,
    /// Print one self-contained HTML page; a research run's page shows each quote in its passage
    #[arg(long, conflicts_with_all = ["raw", "format"])]
    pub(crate) html: bool,
    /// Output format; markdown prints only the answer, jsonl every event
    #[arg(long, value_enum, default_value_t, conflicts_with = "raw")]
    pub(crate) format: PrintFormat,
}

pub(crate) fn run(ctx: &Context, args: &ShowArgs) -> Result<(), CommandError> {
    runtime::block_on(show(ctx, args))
}

async fn show(ctx: &Context, args: &ShowArgs) -> Result<(), CommandError> {
    let store = ctx.store().await?;
    let id = find_run(&store, &args.run).await?;
    if args.raw {
        return replay(&store, &id, &mut RawView::new(ctx.screen.on_stdout()))
            .await
            .map(drop);
    }
    if args.html {
        return print_page(ctx, &store, &id).await;
    }
    if args.format == PrintFormat::Jsonl {
        return print_events(&store, &id).await;
    }
    let story = story_of(ctx, &store, &id).await?;
    print_story(ctx, &id, &story, args.format)
}

/// Shows a run of any store.
///
/// # Errors
/// When the store fails, or the run has not what the format prints.
pub(crate) async fn show_stored(
    ctx: &Context,
    here: &LocalRunService,
    id: &StreamId,
    format: PrintFormat,
) -> Result<(), CommandError> {
    let store = here.engine().store();
    if format == PrintFormat::Jsonl {
        return print_events(store, id).await;
    }
    let mut story = read_story(store, id).await?;
    if story.kind.has_board {
        story.batch = Some(batch_of(here, id).await?);
    }
    print_story(ctx, id, &story, format)
}

async fn print_events(store: &DurableStore, id: &StreamId) -> Result<(), CommandError> {
    replay(store, id, &mut EventLines::new(CommandOutput::Stdout))
        .await
        .map(drop)
}

fn print_story(ctx: &Context, id: &StreamId, story: &Story, format: PrintFormat) -> Result<(), CommandError> {
    match format {
        PrintFormat::Text => output::print(&tell(story, &ctx.screen)),
        PrintFormat::Json | PrintFormat::Jsonl => output::print(&format!("{}\n", json!(story))),
        PrintFormat::Markdown => match (&story.result, &story.failure) {
            (Some(result), _) => output::print(&format!("{}\n", answer_markdown(result))),
            (None, Some(failure)) => {
                let related = RelatedPassage::closest(&RelatedPassage::of_failure(failure));
                output::print(&text::neutral(&related))?;
                let stopped = RunEnd::Failed(failure.clone()).outcome(id);
                stopped.map_err(|stopped| match &story.pipeline {
                    Some(pipeline) => stopped.with_hint(hint(failure, id, pipeline)),
                    None => stopped,
                })
            }
            (None, None) => Err(no_answer_yet(id)),
        },
    }
}

/// A research run that has ended is a report; any other run is its story.
async fn print_page(ctx: &Context, store: &DurableStore, id: &StreamId) -> Result<(), CommandError> {
    let story = story_of(ctx, store, id).await?;
    let page = match research_report(store, id).await {
        Ok(report) => report_page(id, &report),
        Err(failure) if matches!(failure.kind, ErrorKind::InvalidInput | ErrorKind::Conflict) => {
            story_page(id, &story.question, &tell(&story, &ctx.screen.without_colour()))
        }
        Err(failure) => return Err(failure.into()),
    };
    output::print(&page)
}

fn no_answer_yet(id: &StreamId) -> CommandError {
    let message = format!("run {id} has no answer yet");
    CommandError::new_failure(ErrorKind::StillRunning, message, format!("gemicro show {id}"))
}

async fn story_of(ctx: &Context, store: &DurableStore, id: &StreamId) -> Result<Story, CommandError> {
    let mut story = read_story(store, id).await?;
    if story.kind.has_board {
        let here = LocalRunService::new(ctx.plain_engine().await?);
        let answer = batch_of(&here, id).await?;
        here.engine().close().await;
        story.batch = Some(answer);
    }
    Ok(story)
}

async fn batch_of(here: &LocalRunService, id: &StreamId) -> Result<BatchAnswer, CommandError> {
    let batches = Batches::new(Arc::new(here.clone()));
    Ok(batches.poll(id.as_str(), BoardPage::ALL).await?)
}

/// A run as its journal shows it.
async fn read_story(store: &DurableStore, id: &StreamId) -> Result<Story, CommandError> {
    let row = store.run(id).await?;
    let mut story = Story::new(id.clone(), flow_row(&row.flow).story);
    story.has_died = has_died(store, &row).await?;
    if story.kind.has_board {
        // Its tasks are on its board: of its events only those count that are not about one task.
        for event in store.read_without(id, OF_TASKS).await? {
            story.fold(&event);
        }
        story.take_row(&row);
    } else {
        replay(store, id, &mut story).await?;
    }
    if let Some(pipeline) = &mut story.pipeline {
        for kept in store.open_commands(id).await? {
            if kept.command_type == "answer" {
                pipeline.keep(&kept);
            }
        }
        if story.status.is_terminal() {
            let events = store.read(id, 0, usize::MAX).await?.events;
            pipeline.gone_on_by = later_run(store, &events).await?.map(|row| row.run);
        }
    }
    Ok(story)
}

/// Feeds what is stored of a run to a view.
async fn replay(
    store: &DurableStore,
    id: &StreamId,
    view: &mut impl RunView,
) -> Result<Option<RunEnd>, CommandError> {
    let mut after = 0;
    let mut end = None;
    loop {
        let page = store.read(id, after, PAGE).await?;
        let Some(last) = page.events.last() else { break };
        after = last.seq;
        for event in &page.events {
            view.event(event)?;
            end = end_after(end, event);
        }
        if after >= page.last_seq {
            break;
        }
    }
    if let Some(end) = &end {
        view.end(end)?;
    }
    Ok(end)
}

fn end_after(end: Option<RunEnd>, event: &Event) -> Option<RunEnd> {
    if event.update.event_type == "run_resumed" {
        None
    } else {
        RunEnd::of(event).or(end)
    }
}
