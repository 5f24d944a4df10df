//! Starts and calls the background worker.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::queue::ProviderLimit;
use gemicro_engine::{
    BinaryId, BuildConfig, EngineConfig, Resident, ResidentWorker, StartWorker, StoreReads, WorkerConfig,
};
use gemicro_event::{ErrorKind, Failure, Json};

use crate::command_error::CommandError;
use crate::config::state_folder::STORE_VARIABLE;
use crate::config::{Layers, ResearchFlags, ResearchSettings, StateFolder};
use crate::environment::Environment;
use crate::screen::Screen;
use crate::session::{Context, PROGRAM};
use crate::spawn;

/// The first line of a worker started on demand when it is ready.
pub(crate) const READY: &str = "ready";
/// Its first line if another worker already runs.
pub(crate) const BUSY: &str = "busy";

/// The worker of a store, for calls from this process. It is started if there is none.
pub(crate) fn client(environment: &Environment, state: &StateFolder) -> Result<Resident, CommandError> {
    let start = starter(environment, state)?;
    Ok(Resident {
        start: Some(start),
        ..caller(environment, state)
    })
}

/// The same, but no worker is started.
pub(crate) fn caller(environment: &Environment, state: &StateFolder) -> Resident {
    Resident {
        place: state.worker_place(),
        binary: binary(),
        client_environment: client_environment(environment),
        start: None,
        reads: StoreReads::new(state.home.value.clone(), state.store.value.clone()),
    }
}

/// Runs the worker, which exits after it was idle for `linger`; `None` if there is one already.
pub(crate) async fn worker(
    environment: &Environment,
    state: &StateFolder,
    limits: &[ProviderLimit],
    linger: Option<Duration>,
) -> Result<Option<ResidentWorker>, Failure> {
    let (home, address) = (state.home.value.clone(), state.store.value.clone());
    let build: BuildConfig =
        Arc::new(move |client_environment| config(client_environment, &home, address.as_deref()));
    let config = WorkerConfig {
        home: state.home.value.clone(),
        place: state.worker_place(),
        store: state.store.value.clone(),
        limits: limits.to_vec(),
        program: PROGRAM.to_owned(),
        binary: binary(),
        build,
        client_environment: client_environment(environment),
        linger,
    };
    ResidentWorker::open(config).await
}

/// The engine for a client's environment, over the worker's own state folder and store.
fn config(client_environment: &Json, home: &Path, address: Option<&str>) -> Result<EngineConfig, Failure> {
    let environment = client_environment.parse().map_err(|error| {
        let message = format!("the environment of a client cannot be read: {error}");
        Failure::new(ErrorKind::InvalidInput, message)
    })?;
    let ctx = Context {
        screen: Screen::of_process(&environment),
        environment,
        verbose: false,
    };
    let config = || {
        let layers = Layers::load(&ctx.environment)?;
        let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
        ctx.engine_config(&layers, &settings)
    };
    match config() {
        Ok(config) => Ok(EngineConfig {
            home: home.to_owned(),
            store: address.map(str::to_owned),
            ..config
        }),
        Err(CommandError::Report(report)) => Err(report.failure),
        Err(CommandError::AlreadyReported(_) | CommandError::PipeClosed) => {
            Err(Failure::new(ErrorKind::Internal, "the settings cannot be read"))
        }
    }
}

fn client_environment(environment: &Environment) -> Json {
    Json::of(&environment.without_screen()).expect("variables are strings")
}

/// The build of this process: different builds must not serve each other.
fn binary() -> BinaryId {
    let about = std::env::current_exe().and_then(|path| path.metadata());
    let changed = about.and_then(|about| about.modified()).ok();
    let changed = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    BinaryId(format!("{PROGRAM} {}", changed.unwrap_or_default().as_nanos()))
}

/// Parses the output of a worker that could not start: the error kind, and the message.
fn to_failure(said: &str) -> Failure {
    let (kind, message) = said.split_once(' ').unwrap_or(("", said));
    let kind = ErrorKind::ALL
        .iter()
        .copied()
        .find(|known| known.as_str() == kind);
    Failure::new(
        kind.unwrap_or(ErrorKind::Internal),
        format!("the background worker cannot start: {message}"),
    )
}

/// Starts a worker in the background.
pub(crate) fn starter(environment: &Environment, state: &StateFolder) -> Result<StartWorker, CommandError> {
    let program = std::env::current_exe().map_err(|error| {
        let message = format!("cannot find the gemicro program file: {error}");
        CommandError::from(Failure::new(ErrorKind::Internal, message))
    })?;
    let mut variables = environment.for_worker();
    variables.insert("GEMICRO_HOME".to_owned(), state.home.value.display().to_string());
    if let Some(address) = &state.store.value {
        variables.insert(STORE_VARIABLE.to_owned(), address.clone());
    }
    let (home, place) = (state.home.value.clone(), state.worker_place());
    Ok(Arc::new(move || {
        let (program, place, variables) = (program.clone(), place.clone(), variables.clone());
        let home = home.clone();
        Box::pin(async move {
            let begun =
                tokio::task::spawn_blocking(move || spawn::worker(&program, &place, &variables)).await;
            let failed = |message: String| Err(Failure::new(ErrorKind::Internal, message));
            match begun {
                Ok(Ok(said)) if [READY, BUSY].contains(&said.trim()) => Ok(()),
                Ok(Ok(said)) if said.trim().is_empty() => failed(
                    "the background worker ended right after it started; see worker/log in the state folder"
                        .to_owned(),
                ),
                Ok(Ok(said)) => Err(to_failure(said.trim())),
                Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotADirectory => {
                    let message = format!(
                        "the state folder {} is not a folder; set GEMICRO_HOME to one",
                        home.display()
                    );
                    Err(Failure::new(ErrorKind::StorageError, message))
                }
                // The folder of its log or the program itself cannot be used: this is not a bug in gemicro.
                Ok(Err(error)) => Err(Failure::new(
                    ErrorKind::StorageError,
                    format!("the background worker cannot be started: {error}"),
                )),
                Err(error) => failed(error.to_string()),
            }
        })
    }))
}
