//! `gemicro conversations show`: the turns, for people or programs.

use std::sync::Arc;

use clap::Args;
use gemicro_chat::{Conversation, Conversations};
use gemicro_core::history::{HistoryConfig, HistoryManager, Turn};
use gemicro_event::StreamId;
use gemicro_store::DurableStore;
use serde_json::json;

use super::open::{load, open_error};
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Screen, numbers, text};
use crate::session::Context;

/// Arguments of `gemicro conversations show`.
#[derive(Debug, Args)]
pub(crate) struct ConversationShowArgs {
    /// The conversation: the start of its id, or `last`
    pub(crate) id: String,
    /// Output format; jsonl prints one turn per line
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

pub(super) async fn show(ctx: &Context, args: &ConversationShowArgs) -> Result<(), CommandError> {
    let conversation = load(ctx, &args.id).await?;
    print(ctx, &conversation, args.format)
}

/// Shows a conversation of any store.
///
/// # Errors
/// When it is not there, or the store fails.
pub(crate) async fn show_stored(
    ctx: &Context,
    store: &Arc<DurableStore>,
    id: &StreamId,
    format: DataFormat,
) -> Result<(), CommandError> {
    let conversations = Conversations::new(store.clone(), &[] as &[String]);
    let conversation = conversations.load(id).await.map_err(open_error)?;
    print(ctx, &conversation, format)
}

fn print(ctx: &Context, conversation: &Conversation, format: DataFormat) -> Result<(), CommandError> {
    let turns = conversation.log.turns();
    match format {
        DataFormat::Text => output::print(&page(conversation, &ctx.screen)),
        DataFormat::Json => {
            let object = json!({
                "id": conversation.id,
                "name": conversation.name,
                "started_at": conversation.started_at,
                "turns": turns,
            });
            output::print(&format!("{object}\n"))
        }
        DataFormat::Jsonl => output::print(
            &turns
                .iter()
                .map(|turn| format!("{}\n", json!(turn)))
                .collect::<String>(),
        ),
    }
}

fn page(conversation: &Conversation, screen: &Screen) -> String {
    let paint = screen.on_stdout();
    let log = &conversation.log;
    let tokens = HistoryManager::from_log(HistoryConfig::default(), log).estimated_total_tokens();
    let mut page = format!(
        "{}\n{} · {} · about {} tokens · {}\n",
        paint.strong(&text::one_line(&conversation.name)),
        conversation.id,
        numbers::count(log.turns().len(), "turn"),
        numbers::thousands(tokens),
        numbers::moment(conversation.started_at)
    );
    for turn in log.turns() {
        page.push_str(&format!("\n{}\n", paint.strong(&title(turn))));
        // Nothing that was said stands at the left edge, so it cannot look like a title.
        for line in text::neutral(&turn.text).lines() {
            page.push_str(format!("  {line}").trim_end());
            page.push('\n');
        }
    }
    page
}

/// `12 assistant → read_file (c-7)`, `13 tool ← read_file (c-7)`.
fn title(turn: &Turn) -> String {
    let mut title = format!("{} {}", turn.number, turn.author.as_str());
    for call in &turn.calls {
        let open = if call.open { ", still open" } else { "" };
        title.push_str(&format!(" → {} ({}{open})", call.name, call.id));
    }
    if let Some(answered) = &turn.answers {
        title.push_str(&format!(" ← {} ({})", answered.name, answered.call));
    }
    text::one_line(&title)
}
