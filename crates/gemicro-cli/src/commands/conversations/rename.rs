//! `gemicro conversations rename`.

use clap::Args;

use super::open::{find, open, open_error};
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// Arguments of `gemicro conversations rename`.
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// The conversation: the start of its id, or `last`
    pub(crate) id: String,
    /// The new name
    pub(crate) name: String,
}

/// Renames a conversation. One that a newer version wrote is not changed.
pub(super) async fn rename(ctx: &Context, args: &RenameArgs) -> Result<(), CommandError> {
    let conversations = open(ctx).await?;
    let id = find(&conversations, &args.id).await?;
    let before = conversations.load(&id).await.map_err(open_error)?.name;
    conversations.rename(&id, &args.name).await.map_err(open_error)?;
    conversations.store().close().await;
    output::say(&format!(
        "Renamed {id}: {} → {}",
        text::cut(&before, 60),
        text::cut(&args.name, 60)
    ));
    Ok(())
}
