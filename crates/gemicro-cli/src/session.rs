//! What most commands begin with: the settings, the store or the engine, and the run that was named.

use std::path::PathBuf;
use std::sync::Arc;

use gemicro_core::run::RunRow;
use gemicro_engine::{
    AgentSetup, AllowedHost, Engine, EngineConfig, FetchRules, LocalRunService, NotifySetup, Resident,
    RunService,
};
use gemicro_event::{ErrorKind, RunStatus, StreamId};
use gemicro_store::{DurableStore, RunFilter};

use crate::command_error::CommandError;
use crate::config::state_folder;
use crate::config::{
    Endpoints, ForgeSettings, Layers, NotifyConfig, ResearchFlags, ResearchSettings, StateFolder,
};
use crate::environment::Environment;
use crate::output;
use crate::screen::Screen;
use crate::{agents, backend, document_reader, resident, token};

pub(crate) const PROGRAM: &str = concat!("gemicro ", env!("CARGO_PKG_VERSION"));

/// Steps of one run at the same time; how many of them may be model calls is the backend's limit.
const MAX_PARALLEL: usize = 128;

/// What every command gets.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) environment: Environment,
    pub(crate) screen: Screen,
    pub(crate) verbose: bool,
}

impl Context {
    /// Reads the settings files and says what is odd about them.
    pub(crate) fn layers(&self) -> Result<Layers, CommandError> {
        let layers = Layers::load(&self.environment)?;
        for warning in layers.warnings() {
            output::say(&format!("{} {warning}", self.screen.on_stderr().warn("warning:")));
        }
        Ok(layers)
    }

    pub(crate) fn home(&self, layers: &Layers) -> Result<PathBuf, CommandError> {
        Ok(StateFolder::resolve(layers)?.home.value)
    }

    pub(crate) async fn store(&self) -> Result<DurableStore, CommandError> {
        let state = StateFolder::resolve(&self.layers()?)?;
        let opened = DurableStore::at(&state.home.value, state.store.value.as_deref()).await;
        opened.map_err(|error| state.about_store(error.into()))
    }

    /// Opens the engine over the state folder for commands that bring no settings of their own.
    pub(crate) async fn plain_engine(&self) -> Result<Engine, CommandError> {
        self.engine_allowing(&[]).await
    }

    /// The same, with hosts that may be fetched besides those of the settings.
    pub(crate) async fn engine_allowing(&self, hosts: &[AllowedHost]) -> Result<Engine, CommandError> {
        let layers = self.layers()?;
        let flags = ResearchFlags {
            allow_hosts: (!hosts.is_empty()).then(|| hosts.to_vec()),
            ..ResearchFlags::default()
        };
        let settings = ResearchSettings::resolve(&layers, flags)?;
        self.engine(&layers, &settings).await
    }

    /// Opens the engine over the state folder; several runs of one call share their sources.
    pub(crate) async fn engine(
        &self,
        layers: &Layers,
        settings: &ResearchSettings,
    ) -> Result<Engine, CommandError> {
        let config = self.engine_config(layers, settings)?;
        let state = StateFolder::resolve(layers)?;
        Engine::open(config).await.map_err(|failure| match failure.kind {
            ErrorKind::StorageError => state.about_store(
                CommandError::from(failure)
                    .with_hint("run `gemicro doctor`, or set GEMICRO_HOME to use another folder"),
            ),
            _ => CommandError::from(failure),
        })
    }

    /// Who carries out what may outlive this command: the resident worker, or this process.
    pub(crate) async fn desk(
        &self,
        layers: &Layers,
        settings: &ResearchSettings,
        no_resident: bool,
    ) -> Result<CommandRunService, CommandError> {
        let state = StateFolder::resolve(layers)?;
        if no_resident || !state.resident.value {
            let here = LocalRunService::new(self.engine(layers, settings).await?);
            return Ok(CommandRunService::Here(Box::new(here)));
        }
        let resident = resident::client(&self.environment, &state)?;
        Ok(CommandRunService::Resident(resident))
    }

    /// Values that must never be written down.
    pub(crate) fn secrets(&self) -> Result<Vec<String>, CommandError> {
        let layers = self.layers()?;
        let notify = NotifyConfig::resolve(&layers)?;
        Ok(secrets(
            &self.environment,
            &StateFolder::resolve(&layers)?,
            &notify,
        ))
    }

    /// What the engine is opened with.
    pub(crate) fn engine_config(
        &self,
        layers: &Layers,
        settings: &ResearchSettings,
    ) -> Result<EngineConfig, CommandError> {
        let state = StateFolder::resolve(layers)?;
        let endpoints = Endpoints::resolve(layers)?;
        for warning in backend::in_clear(&self.environment, &endpoints) {
            output::say(&format!("{} {warning}", self.screen.on_stderr().warn("warning:")));
        }
        let notify = NotifyConfig::resolve(layers)?;
        let llm = backend::backends(&self.environment, &endpoints, settings)?;
        Ok(EngineConfig {
            home: state.home.value.clone(),
            store: state.store.value.clone(),
            owner: owner(),
            program: PROGRAM.to_owned(),
            llm,
            fetch: FetchRules {
                allowed: settings.allow_hosts.value.clone(),
                ..FetchRules::default()
            },
            reader: document_reader::reader_program(),
            agents: Some(AgentSetup {
                max_agents: state.max_agents.value,
                ..agents::setup(
                    &self.environment,
                    &endpoints,
                    ForgeSettings::resolve(layers)?.forges(&self.environment),
                )?
            }),
            secrets: secrets(&self.environment, &state, &notify),
            share_sources: true,
            max_parallel: MAX_PARALLEL,
            resident: false,
            credentials: credentials(&self.environment, &endpoints),
            day_budget: state.day_budget.value,
            notify: self.notify_setup(&state, notify)?,
        })
    }

    /// Where notifications go; what this process cannot deliver is left to the background worker, if there may be one.
    fn notify_setup(
        &self,
        state: &StateFolder,
        notify: NotifyConfig,
    ) -> Result<Option<NotifySetup>, CommandError> {
        if notify.settings.is_empty() {
            return Ok(None);
        }
        let start_worker = match state.resident.value {
            true => Some(resident::starter(&self.environment, state)?),
            false => None,
        };
        Ok(Some(NotifySetup {
            settings: notify.settings,
            start_worker,
        }))
    }
}

/// Values that must never be written down.
fn secrets(environment: &Environment, state: &StateFolder, notify: &NotifyConfig) -> Vec<String> {
    let mut secrets = environment.secrets();
    secrets.extend(notify.secrets.iter().cloned());
    let address = state.store.value.as_deref();
    secrets.extend(address.and_then(state_folder::password).map(str::to_owned));
    // The tokens of our own servers.
    let files = [token::HTTP, token::MCP].map(|file| state.home.value.join(file));
    let tokens = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    secrets.extend(
        tokens
            .map(|token| token.trim().to_owned())
            .filter(|token| !token.is_empty()),
    );
    secrets
}

/// All keys and endpoints, as one text.
fn credentials(environment: &Environment, endpoints: &Endpoints) -> String {
    let urls = [
        &endpoints.gemini.value,
        &endpoints.openai.value,
        &endpoints.anthropic.value,
    ];
    format!("{:?} {urls:?}", environment.keys())
}

/// Who carries out runs for this command.
pub(crate) enum CommandRunService {
    Here(Box<LocalRunService>),
    Resident(Resident),
}

impl CommandRunService {
    pub(crate) fn desk(&self) -> &dyn RunService {
        match self {
            Self::Here(here) => here.as_ref(),
            Self::Resident(resident) => resident,
        }
    }

    /// As a desk that several share.
    pub(crate) fn shared(&self) -> Arc<dyn RunService> {
        match self {
            Self::Here(here) => Arc::new(here.as_ref().clone()),
            Self::Resident(resident) => Arc::new(resident.clone()),
        }
    }

    /// Everything that was wanted is done.
    pub(crate) async fn close(&self) {
        match self {
            Self::Here(here) => here.engine().close().await,
            Self::Resident(resident) => resident.close().await,
        }
    }
}

/// The run a user named: the beginning of its id, or `last`.
pub(crate) async fn find_run(store: &DurableStore, named: &str) -> Result<StreamId, CommandError> {
    if named != "last" {
        return Ok(store.find_run(named).await?);
    }
    let newest = store
        .runs(&RunFilter {
            limit: Some(1),
            ..RunFilter::default()
        })
        .await?;
    newest.into_iter().next().map(|row| row.run).ok_or_else(|| {
        let hint = "start one: gemicro --offline --source DIR \"question\"";
        CommandError::new_failure(ErrorKind::NotFound, "there are no runs yet", hint)
    })
}

/// Host and process, for people who find a run held.
pub(crate) fn owner() -> String {
    let system = rustix::system::uname();
    format!(
        "process {} on {}",
        std::process::id(),
        system.nodename().to_string_lossy()
    )
}

/// Whether the process that worked on a run has died, so that only `resume` continues it.
pub(crate) async fn has_died(store: &DurableStore, row: &RunRow) -> Result<bool, CommandError> {
    if !matches!(row.status, RunStatus::Running | RunStatus::Parked) {
        return Ok(false);
    }
    let holder = store.holder(&row.run).await?;
    // In a shared store, another machine may have the same name.
    Ok(holder.is_some_and(|it| !it.is_held || (!store.is_shared() && is_gone(&it.owner))))
}

/// Whether an owner as written by [`owner`] was a process of this machine that no longer runs.
pub(crate) fn is_gone(owner: &str) -> bool {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    // Behind the process stands which of its drivers it was.
    let process = owner.split(" #").next().unwrap_or_default();
    let process = process
        .strip_prefix("process ")
        .and_then(|rest| rest.strip_suffix(&format!(" on {host}")))
        .and_then(|id| id.parse().ok())
        .and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| {
        rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH) || is_zombie(process)
    })
}

/// Whether a process has ended and only its parent does not know yet: signals still reach it.
fn is_zombie(process: rustix::process::Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Its name stands in brackets before the state, and may hold any character.
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

/// A conflict on a run gets the commands that help.
pub(crate) fn run_error(failure: gemicro_event::Failure, run: &StreamId) -> CommandError {
    let is_held = failure.kind == ErrorKind::Conflict;
    let stopped = CommandError::from(failure).about(run);
    if is_held {
        stopped.with_hint(
            "watch it with `gemicro events RUN --follow --format text`, or end it with `gemicro cancel RUN`",
        )
    } else {
        stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_and_was_not_waited_for_is_gone() {
        assert!(!is_gone(&owner()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let host = rustix::system::uname();
        let owner = format!(
            "process {} on {} #2",
            child.id(),
            host.nodename().to_string_lossy()
        );
        while !is_gone(&owner) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(is_gone(&owner));
    }
}
