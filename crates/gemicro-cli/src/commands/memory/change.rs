//! `gemicro memory add`, `approve`, `reject`, `edit` and `expire`.

use clap::{Args, ValueEnum};
use gemicro_event::Timestamp;
use gemicro_memory::{EntryDecision, EntryEdit, MemoryKind, MemoryUpdate, NewEntry};

use super::open::{MemoryPlaceArgs, describe, update};
use super::view::rows;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::numbers::parse_age;
use crate::session::Context;

/// What sort of note an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoteKindArg {
    /// Something learned from a run
    Lesson,
    /// Something true about the project
    Fact,
    /// What agents must or must not do
    Rule,
    /// What you like
    Preference,
}

impl From<NoteKindArg> for MemoryKind {
    fn from(kind: NoteKindArg) -> Self {
        match kind {
            NoteKindArg::Lesson => Self::Lesson,
            NoteKindArg::Fact => Self::Fact,
            NoteKindArg::Rule => Self::Rule,
            NoteKindArg::Preference => Self::Preference,
        }
    }
}

/// Arguments of `gemicro memory add`.
#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The note, on one line
    pub(crate) text: String,
    /// What sort of note it is
    #[arg(long, value_enum, default_value = "fact", value_name = "KIND")]
    pub(crate) kind: NoteKindArg,
    /// Put it first in every prompt
    #[arg(long)]
    pub(crate) pin: bool,
    /// The entry that it replaces
    #[arg(long, value_name = "ID")]
    pub(crate) supersedes: Option<String>,
    /// When it stops being used: 30d, or a date such as 2027-01-31
    #[arg(long, value_name = "WHEN", value_parser = parse_expiry)]
    pub(crate) expires: Option<Timestamp>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of `gemicro memory edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The entry: the start of its id
    pub(crate) id: String,
    /// The new text, on one line
    #[arg(required_unless_present_any = ["kind", "pin", "unpin", "expires"])]
    pub(crate) text: Option<String>,
    /// What sort of note it is
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) kind: Option<NoteKindArg>,
    /// Put it first in every prompt
    #[arg(long, conflicts_with = "unpin")]
    pub(crate) pin: bool,
    /// Do not put it first in every prompt
    #[arg(long)]
    pub(crate) unpin: bool,
    /// When it stops being used: 30d, or a date such as 2027-01-31
    #[arg(long, value_name = "WHEN", value_parser = parse_expiry)]
    pub(crate) expires: Option<Timestamp>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

/// Arguments of commands that decide about entries.
#[derive(Debug, Args)]
pub(crate) struct EntryIdsArgs {
    /// The entries: the start of each id
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(super) place: MemoryPlaceArgs,
}

pub(super) async fn add(ctx: &Context, args: &AddArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let new = NewEntry {
        kind: args.kind.into(),
        text: args.text.clone(),
        pinned: args.pin,
        supersedes: args.supersedes.clone(),
        expires_at: args.expires,
    };
    let update = update(ctx, &args.place, now, |memory| Ok(vec![memory.add(new, now)?])).await?;
    match args.place.format {
        DataFormat::Text => {
            let ids = update.made.iter().map(|made| format!("{}\n", made.entry.id));
            output::print(&ids.collect::<String>())
        }
        DataFormat::Json | DataFormat::Jsonl => report(&update, args.place.format, now),
    }
}

pub(super) async fn edit(ctx: &Context, args: &EditArgs) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let edit = EntryEdit {
        text: args.text.clone(),
        kind: args.kind.map(MemoryKind::from),
        pinned: (args.pin || args.unpin).then_some(args.pin),
        expires_at: args.expires,
    };
    let update = update(ctx, &args.place, now, |memory| {
        Ok(vec![memory.edit(&args.id, edit, now)?])
    })
    .await?;
    report(&update, args.place.format, now)
}

pub(super) async fn approve(ctx: &Context, args: &EntryIdsArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Approve).await
}

pub(super) async fn reject(ctx: &Context, args: &EntryIdsArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Reject).await
}

pub(super) async fn expire(ctx: &Context, args: &EntryIdsArgs) -> Result<(), CommandError> {
    decide(ctx, args, EntryDecision::Expire).await
}

async fn decide(ctx: &Context, args: &EntryIdsArgs, decision: EntryDecision) -> Result<(), CommandError> {
    let now = Timestamp::now();
    let update = update(ctx, &args.place, now, |memory| {
        args.ids
            .iter()
            .map(|id| memory.decide(id, decision, now))
            .collect()
    })
    .await?;
    report(&update, args.place.format, now)
}

/// Says what was changed.
fn report(update: &MemoryUpdate, format: DataFormat, now: Timestamp) -> Result<(), CommandError> {
    let ids = update.made.iter().map(|made| made.entry.id.as_str());
    let entries: Vec<_> = ids.filter_map(|id| update.memory.find(id).ok()).collect();
    output::print_rows(&rows(&update.memory, &entries, now), format, || {
        for made in &update.made {
            output::say(&describe(made));
        }
        Ok(())
    })
}

/// Reads an age from now, or a date in UTC.
fn parse_expiry(text: &str) -> Result<Timestamp, String> {
    if let Ok(age) = parse_age(text) {
        return Ok(Timestamp::now().plus(age));
    }
    let date = if text.contains('T') {
        text.to_owned()
    } else {
        format!("{text}T00:00:00Z")
    };
    date.parse()
        .map_err(|_| "give an age such as 30d, or a date such as 2027-01-31".to_owned())
}
