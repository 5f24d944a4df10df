//! `gemicro conversations delete`: deletes its turns permanently; a tombstone stays.

use clap::Args;

use super::open::{find, open, open_error};
use crate::command_error::CommandError;
use crate::output;
use crate::session::Context;

/// Arguments of `gemicro conversations delete`.
#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// The conversation: the start of its id, or `last`
    pub(crate) id: String,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Deletes a conversation, even one that this version cannot read.
pub(super) async fn delete(ctx: &Context, args: &DeleteArgs) -> Result<(), CommandError> {
    let conversations = open(ctx).await?;
    let id = find(&conversations, &args.id).await?;
    if !args.yes {
        if !ctx.screen.stdin_is_terminal {
            return Err(CommandError::usage(
                "delete asks before it deletes, but stdin is not a terminal",
                "add --yes; `gemicro conversations export` keeps a copy",
            ));
        }
        output::ask(&format!("Delete conversation {id} permanently? [y/N] "));
        let mut typed = String::new();
        std::io::stdin().read_line(&mut typed)?;
        if !matches!(typed.trim().to_lowercase().as_str(), "y" | "yes") {
            output::say("Nothing was deleted.");
            return Ok(());
        }
    }
    conversations.delete(&id).await.map_err(open_error)?;
    conversations.store().close().await;
    output::say(&format!("Deleted conversation {id}."));
    Ok(())
}
