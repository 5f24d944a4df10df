//! Checks the forge of the repository in this folder, and its token.
//!
//! Only pipelines need one, so a missing one is a warning, not an error.

use std::path::PathBuf;

use gemicro_engine::pipeline::forge::{ForgeAddress, ForgeHosts, HostOrigin, open, recognise};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{GitSettings, TrustedRepo};

use super::finding::{DoctorFinding, attention, good};
use super::models::within;
use crate::command_error::CommandError;
use crate::config::{ForgeSettings, Layers, StateFolder};
use crate::session::Context;

/// The name of the finding.
const FORGE: &str = "forge";

/// Checks the forge of the folder's repository; `offline` contacts no server.
pub(super) fn look(ctx: &Context, offline: bool) -> DoctorFinding {
    match try_look(ctx, offline) {
        Ok(finding) => finding,
        Err(CommandError::Report(report)) => attention(FORGE, report.failure.message.clone(), report.hint()),
        Err(CommandError::PipeClosed | CommandError::AlreadyReported(_)) => {
            attention(FORGE, "not checked".to_owned(), "try again")
        }
    }
}

fn try_look(ctx: &Context, offline: bool) -> Result<DoctorFinding, CommandError> {
    let layers = Layers::load(&ctx.environment)?;
    let settings = ForgeSettings::resolve(&layers)?;
    let Some(url) = remote_of(ctx, &StateFolder::resolve(&layers)?) else {
        return Ok(good(
            FORGE,
            "this folder is not in a repository with a remote".to_owned(),
        ));
    };
    let forges = settings.forges(&ctx.environment);
    let address = match recognise_forge(&url, &forges.hosts) {
        Ok(address) => address,
        Err(finding) => return Ok(*finding),
    };
    let (kind, name) = (address.kind(), address.name());
    let variables = kind.token_variables().join(" or ");
    let variable = kind.token_variables().first().copied().unwrap_or_default();
    let Some(token) = forges.tokens.get(&kind).cloned() else {
        let found = format!("{name}, and no token for it ({variables} is not set)");
        let fix =
            format!("export {variable}=… (docs/forges.md); without it, pull requests are written as text");
        return Ok(attention(FORGE, found, fix));
    };
    if offline {
        return Ok(good(FORGE, format!("{name}, token set; not contacted")));
    }
    let asked = within(async move {
        let forge = open(address, Some(token)).map_err(Failure::from)?;
        let main = forge.default_branch().await.map_err(Failure::from)?;
        Ok(format!(
            "{}: the token works; pull requests go to {main}",
            forge.name()
        ))
    });
    Ok(match asked {
        Ok(found) => good(FORGE, found),
        Err(failure) => {
            let fix = match failure.kind {
                ErrorKind::AuthFailed | ErrorKind::PermissionDenied => {
                    format!(
                        "create a new token, or give it the rights in docs/forges.md, and set {variables}"
                    )
                }
                _ => "check the address of the remote and the network".to_owned(),
            };
            attention(FORGE, failure.to_string(), fix)
        }
    })
}

/// The forge of a remote, if tokens may be sent to it.
fn recognise_forge(url: &str, hosts: &ForgeHosts) -> Result<ForgeAddress, Box<DoctorFinding>> {
    match recognise(url, hosts) {
        None => Err(Box::new(good(
            FORGE,
            format!("the remote {url} is not on a known forge"),
        ))),
        Some(address) if address.origin() == HostOrigin::Guessed => {
            let found = format!(
                "{url} looks like {}, but tokens are sent only to configured hosts",
                address.kind().name()
            );
            let fix = "add the host under [forge.hosts] in your settings (docs/forges.md)";
            Err(Box::new(attention(FORGE, found, fix)))
        }
        Some(address) => Ok(address),
    }
}

/// The URL of `origin`, or of the first remote, without credentials.
fn remote_of(ctx: &Context, state: &StateFolder) -> Option<String> {
    let environment = &ctx.environment;
    let home = environment.home().unwrap_or_else(|| PathBuf::from("/root"));
    let settings = GitSettings {
        agent_folders: vec![state.home.value.join("tasks")],
        config_home: environment.get("XDG_CONFIG_HOME").map(PathBuf::from),
        ..GitSettings::new(environment.get("PATH").unwrap_or_default(), &home)
    };
    let repository = TrustedRepo::open(&settings, &environment.folder).ok()?;
    let remotes = repository.remotes().ok()?;
    let origin = remotes.iter().find(|remote| remote.name == "origin");
    origin.or(remotes.first()).map(|remote| remote.url.clone())
}
