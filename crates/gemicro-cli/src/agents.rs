//! Collects what this process knows about coding agents: its own binary as the launcher, keys, logins, URLs and forges.

use std::path::PathBuf;

use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::{Forges, WorkflowReader};
use gemicro_engine::{AgentAccess, AgentSetup, Login, PolicyReader, default_max_agents};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::Launcher;
use gemicro_llm::gateway::{GatewaySecret, UpstreamAddress};

use crate::command_error::CommandError;
use crate::config::{Endpoints, GuardSettings};
use crate::environment::{ANTHROPIC_KEY, CLAUDE_LOGIN, Environment, OPENAI_KEY};
use crate::workflow_file;

/// The argument that makes this program the launcher of a sandbox.
pub(crate) const LAUNCH: &str = "__launch";
/// The exit code of a launcher that could not become its command.
pub(crate) const LAUNCH_FAILED: u8 = 126;

/// Everything that agents need.
///
/// # Errors
/// When the path of this program cannot be found.
pub(crate) fn setup(
    environment: &Environment,
    endpoints: &Endpoints,
    forges: Forges,
) -> Result<AgentSetup, CommandError> {
    let program = std::env::current_exe().map_err(|error| {
        let message = format!("cannot find the gemicro program file: {error}");
        CommandError::from(Failure::new(ErrorKind::Internal, message))
    })?;
    let ways = AgentName::ALL.map(|agent| (agent, way(agent, environment, endpoints)));
    let access = ways
        .into_iter()
        .filter_map(|(agent, way)| Some((agent, way.transpose()?)));
    Ok(AgentSetup {
        launcher: Launcher {
            program,
            arguments: vec![LAUNCH.into()],
        },
        environment: environment.for_agents(),
        user_home: environment.home().unwrap_or_else(|| PathBuf::from("/root")),
        access: access.collect(),
        policy: {
            let environment = environment.clone();
            PolicyReader::new(move || {
                GuardSettings::of_user(&environment).map_err(CommandError::into_failure)
            })
        },
        remote_variables: environment.for_remotes(),
        forges,
        workflows: WorkflowReader::new(|folder| {
            workflow_file::load(None, folder)
                .map_err(|not_loaded| CommandError::from(not_loaded).into_failure())
        }),
        max_agents: default_max_agents(),
    })
}

/// How an agent reaches its model: by a key, otherwise by a login, otherwise not at all.
///
/// # Errors
/// When the URL of its model cannot be used.
pub(crate) fn way(
    agent: AgentName,
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Option<AgentAccess>, Failure> {
    let (key, address) = match agent {
        AgentName::Gemini => (
            environment.gemini_key().map(GatewaySecret::new),
            endpoints
                .gemini
                .value
                .as_deref()
                .unwrap_or("https://generativelanguage.googleapis.com"),
        ),
        AgentName::Claude => (
            match environment.get(ANTHROPIC_KEY) {
                Some(key) => Some(GatewaySecret::new(key)),
                None => environment.get(CLAUDE_LOGIN).map(GatewaySecret::of_login),
            },
            endpoints
                .anthropic
                .value
                .as_deref()
                .unwrap_or("https://api.anthropic.com"),
        ),
        AgentName::Codex => (
            environment.get(OPENAI_KEY).map(GatewaySecret::new),
            endpoints
                .openai
                .value
                .as_deref()
                .unwrap_or("https://api.openai.com/v1"),
        ),
    };
    let upstream = UpstreamAddress::new(address)?;
    Ok(match key {
        Some(key) => Some(AgentAccess::Key { upstream, key }),
        None => login(agent, environment, upstream).map(AgentAccess::Login),
    })
}

/// The variable that holds the key of an agent's model.
pub(crate) fn key_variable(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Gemini => "GEMINI_API_KEY",
        AgentName::Claude => ANTHROPIC_KEY,
        AgentName::Codex => OPENAI_KEY,
    }
}

/// The file of an agent's own login, if the user has one.
fn login(agent: AgentName, environment: &Environment, upstream: UpstreamAddress) -> Option<Login> {
    let (place, upstream) = match agent {
        AgentName::Gemini => (".gemini/oauth_creds.json", None),
        AgentName::Claude => (".claude/.credentials.json", Some(upstream)),
        AgentName::Codex => (".codex/auth.json", None),
    };
    let file = environment.home()?.join(place);
    file.is_file().then(|| Login {
        file,
        place: PathBuf::from(place),
        upstream,
    })
}
