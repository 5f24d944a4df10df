//! How commands that only look at the user's repository start git.

use std::path::PathBuf;

use gemicro_guard::repository::GitSettings;

use crate::command_error::CommandError;
use crate::session::Context;

/// The settings with which git is started.
///
/// # Errors
/// When the settings files cannot be read.
pub(crate) fn git_settings(ctx: &Context) -> Result<GitSettings, CommandError> {
    let environment = &ctx.environment;
    let tasks = ctx.home(&ctx.layers()?)?.join("tasks");
    let home = environment.home().unwrap_or_else(|| PathBuf::from("/root"));
    Ok(GitSettings {
        agent_folders: vec![tasks],
        config_home: environment.get("XDG_CONFIG_HOME").map(PathBuf::from),
        ..GitSettings::new(environment.get("PATH").unwrap_or_default(), &home)
    })
}
