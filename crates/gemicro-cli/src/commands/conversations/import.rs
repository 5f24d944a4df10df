//! `gemicro conversations import`: creates a conversation from a file of turns.

use std::path::Path;

use clap::Args;
use gemicro_chat::MAX_NAME_CHARS;
use gemicro_core::history::{HistoryConfig, HistoryManager};
use gemicro_event::text::plain;
use serde_json::json;

use super::open::{open, open_error};
use super::transcript::read_turns;
use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::numbers;
use crate::session::Context;

/// Arguments of `gemicro conversations import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, one turn per line; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The name of the conversation [default: the file's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Reads the whole file first: a conversation is stored completely or not at all.
pub(super) async fn import(ctx: &Context, args: &ImportArgs) -> Result<(), CommandError> {
    let log = read_turns(&args.file)?;
    let conversations = open(ctx).await?;
    let name = args.name.clone().unwrap_or_else(|| file_name(&args.file));
    let imported = conversations.import(&name, &log).await.map_err(open_error)?;
    conversations.store().close().await;
    if imported.n_redacted > 0 {
        output::say(&format!(
            "{} secrets in {} were replaced",
            ctx.screen.on_stderr().warn("warning:"),
            numbers::count(imported.n_redacted, "turn")
        ));
    }
    match args.format {
        DataFormat::Text => output::print(&format!("{}\n", imported.id)),
        DataFormat::Json | DataFormat::Jsonl => {
            let tokens = HistoryManager::from_log(HistoryConfig::default(), &log).estimated_total_tokens();
            let object = json!({ "id": imported.id, "turns": imported.n_turns, "tokens": tokens });
            output::print(&format!("{object}\n"))
        }
    }
}

/// The file name without its extension, shortened to a valid name.
fn file_name(file: &str) -> String {
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy());
    let name = plain(stem.as_deref().unwrap_or_default(), MAX_NAME_CHARS);
    match name.trim() {
        "" | "-" => "conversation".to_owned(),
        name => name.to_owned(),
    }
}
