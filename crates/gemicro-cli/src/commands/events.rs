//! `gemicro events`: the journal of a run.

use clap::{Args, ValueEnum};
use futures_util::StreamExt;
use gemicro_core::store::Store;
use gemicro_event::{Event, write_line};

use crate::command_error::CommandError;
use crate::output::{self, CommandOutput};
use crate::runtime;
use crate::session::{Context, find_run};
use crate::view::event_line;

/// Number of events read at a time.
const PAGE: usize = 512;

/// Arguments of `gemicro events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// The run: the start of its id, or `last`
    pub(crate) run: String,
    /// Keep printing new events until the run ends
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start after this sequence number
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) after: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: EventsFormat,
}

/// How events are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum EventsFormat {
    /// One event per line, as stored.
    #[default]
    Jsonl,
    /// One readable line per event.
    Text,
    /// One JSON array.
    Json,
}

/// Prints the events of a run.
pub(crate) fn run(ctx: &Context, args: &EventsArgs) -> Result<(), CommandError> {
    if args.follow && args.format == EventsFormat::Json {
        return Err(CommandError::usage(
            "--follow does not work with --format json: a JSON array must end",
            "use --format jsonl",
        ));
    }
    runtime::block_on(events(ctx, args))
}

async fn events(ctx: &Context, args: &EventsArgs) -> Result<(), CommandError> {
    let store = ctx.store().await?;
    let id = match find_run(&store, &args.run).await {
        // The id may be that of a conversation, which has events too.
        Err(not_found) => store.find_conversation(&args.run).await.map_err(|_| not_found)?,
        Ok(id) => id,
    };
    if args.follow {
        let mut events = store.subscribe(&id, args.after);
        while let Some(event) = events.next().await {
            print(&event?, args.format)?;
        }
        return Ok(());
    }
    let mut after = args.after;
    let mut all = Vec::new();
    loop {
        let page = store.read(&id, after, PAGE).await?;
        if let Some(first) = page.first_available.filter(|first| after + 1 < *first) {
            output::say(&format!(
                "Earlier events were deleted; the first one is number {first}."
            ));
        }
        let Some(last) = page.events.last() else { break };
        after = last.seq;
        for event in page.events {
            match args.format {
                EventsFormat::Json => all.push(event),
                EventsFormat::Jsonl | EventsFormat::Text => print(&event, args.format)?,
            }
        }
    }
    if args.format == EventsFormat::Json {
        let array = serde_json::to_string(&all).map_err(std::io::Error::from)?;
        output::print(&format!("{array}\n"))?;
    }
    Ok(())
}

fn print(event: &Event, format: EventsFormat) -> Result<(), CommandError> {
    let line = match format {
        EventsFormat::Text => format!("{}\n", event_line(event)).into_bytes(),
        EventsFormat::Jsonl | EventsFormat::Json => {
            let mut line = Vec::new();
            write_line(&mut line, event)?;
            line
        }
    };
    CommandOutput::Stdout.write(&line)?;
    Ok(())
}
