//! Checks everything before the start: the request, the program, its version, the folders, the sandbox.

use std::collections::BTreeMap;
use std::ffi::OsString;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{
    GatewayPort, LaunchPlan, Network, Profile, SandboxError, Shells, WriteMode, plan_supervised,
};

use super::capture::Captures;
use super::run::Supervision;
use crate::dialogue::Dialogue;
use crate::home::AgentHome;
use crate::invocation::{CliInput, Invocation};
use crate::locate::{LocatedProgram, hidden_target, locate};
use crate::request::{AgentRequest, CliSandboxMode};
use crate::version::Version;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A run that is ready to start.
pub(super) struct PreparedRun {
    pub(super) plan: LaunchPlan,
    pub(super) dialogue: Dialogue,
    pub(super) stdin: CliInput,
    pub(super) captures: Captures,
}

/// Checks everything, writes the CLI's settings, and plans the start.
pub(super) async fn prepare(
    run: &Supervision<'_>,
    gateway: Option<&GatewayPort>,
) -> Result<PreparedRun, Failure> {
    let invocation = run.cli.invocation(run.request)?;
    let dialogue = run.cli.dialogue(run.request)?;
    let dialogue = dialogue.with_max_line(run.limits.line_bytes);
    agree(run.request, &run.profile, gateway)?;
    let path = invocation.env.get("PATH").map_or(PATH, String::as_str);
    let located = match &run.located {
        Some(located) => located.clone(),
        None => locate(&invocation.program, path).map_err(|failure| with_hint(run, failure))?,
    };
    let home = AgentHome::open(&run.request.home, &run.request.temp)?;
    home.empty_temporary()?;
    home.write(&invocation.files)?;
    let profile = profile(run, &invocation, &located, path);
    let plan = |profile: &Profile, args: &[String]| {
        let mut command: Vec<OsString> = vec![located.program.clone().into()];
        command.extend(args.iter().map(OsString::from));
        plan_supervised(run.launcher, run.tier, profile, &command).map_err(refused_home)
    };
    if let Some(versions) = run.versions {
        let asking = Profile {
            network: Network::None,
            ..profile.clone()
        };
        let asking = || plan(&asking, &["--version".to_owned()]);
        let printed = versions.printed_version(&located.program, asking).await?;
        run.cli.check_version(&printed.stdout).map_err(|failure| {
            let is_silent = Version::find(&printed.stdout).is_none();
            let hidden = || hidden_target(&profile, &located.program, &printed.stderr);
            match is_silent.then(hidden).flatten() {
                Some(message) => Failure { message, ..failure },
                None => failure,
            }
        })?;
    }
    let plan = plan(&profile, &invocation.args)?;
    Ok(PreparedRun {
        plan,
        dialogue,
        stdin: invocation.stdin,
        captures: Captures::create(&run.spool, &run.limits, &run.redactor)?,
    })
}

/// Checks that the sandbox fits the request.
fn agree(request: &AgentRequest, profile: &Profile, gateway: Option<&GatewayPort>) -> Result<(), Failure> {
    if !request.cwd.is_dir() {
        let message = format!("there is no folder {}", request.cwd.display());
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let mode = match request.sandbox {
        CliSandboxMode::ReadOnly => WriteMode::ReadOnly,
        CliSandboxMode::WorkspaceWrite => WriteMode::WorkspaceWrite,
        CliSandboxMode::DangerFullAccess => WriteMode::DangerFullAccess,
    };
    let has_gateway = match (profile.network, gateway) {
        (network @ Network::Gateway { .. }, Some(gateway)) => network == gateway.network(),
        (Network::Gateway { .. }, None) | (Network::None, Some(_)) => false,
        // With open network access, the gateway is reachable like any other address.
        (Network::None, None) | (Network::Open, _) => true,
    };
    let same = [
        ("folder", profile.workspace == request.cwd),
        ("home", profile.home == request.home),
        ("temporary folder", profile.temporary == request.temp),
        ("mode", profile.mode == mode),
        ("shell isolation", profile.shells == Shells::Apart),
        ("gateway", has_gateway),
    ];
    match same.iter().find(|(_, is_same)| !is_same) {
        Some((what, _)) => Err(Failure::new(
            ErrorKind::Internal,
            format!("the request and the sandbox have different values for {what}"),
        )),
        None => Ok(()),
    }
}

/// Returns the sandbox profile with the environment and the readable parts of the CLI's installation.
fn profile(run: &Supervision<'_>, invocation: &Invocation, located: &LocatedProgram, path: &str) -> Profile {
    let mut profile = run.profile.clone();
    // The CLI's variables take precedence over those for toolchains.
    let mut environment: BTreeMap<String, String> = profile.environment.into_iter().collect();
    environment.extend(invocation.env.clone());
    let found = located.search.iter().map(|folder| folder.to_string_lossy());
    let path: Vec<String> = found
        .map(|folder| folder.into_owned())
        .chain([path.to_owned()])
        .collect();
    environment.insert("PATH".to_owned(), path.join(":"));
    profile.environment = environment.into_iter().collect();
    profile.readable.extend(located.readable.iter().cloned());
    if run.request.guarded.is_some() {
        // An agent must not change the policy that judges it.
        profile
            .pinned
            .extend(invocation.files.iter().map(|file| file.path.clone()));
    }
    profile
}

fn with_hint(run: &Supervision<'_>, failure: Failure) -> Failure {
    if failure.kind != ErrorKind::CommandNotFound {
        return failure;
    }
    let message = format!(
        "{}; install it with `{}`",
        failure.message,
        run.cli.install_command()
    );
    Failure { message, ..failure }
}

fn refused_home(error: SandboxError) -> Failure {
    let kind = ErrorKind::from(&error);
    let mut message = error.to_string();
    if let Some(source) = std::error::Error::source(&error) {
        message = format!("{message}: {source}");
    }
    Failure::new(kind, message)
}
