//! The resident worker, as this program starts and calls it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gemicro_engine::{BinaryId, BuildConfig, EngineConfig, Resident, StartWorker, Worker, WorkerConfig};
use gemicro_event::{ErrorKind, Failure, Json};

use crate::config::{Layers, ResearchFlags, ResearchSettings};
use crate::environment::Environment;
use crate::screen::Screen;
use crate::session::{Context, PROGRAM};
use crate::spawn;
use crate::trouble::Stopped;

/// What a worker that was started on demand says when it can be called.
pub(crate) const READY: &str = "ready";
/// What it says when there is one already.
pub(crate) const BUSY: &str = "busy";

/// The worker over a state folder, for calls from this process. It is started when there is none.
pub(crate) fn client(environment: &Environment, home: &Path) -> Result<Resident, Stopped> {
    let start = starter(environment, home)?;
    Ok(Resident {
        start: Some(start),
        ..caller(environment, home)
    })
}

/// The same, but nothing is started.
pub(crate) fn caller(environment: &Environment, home: &Path) -> Resident {
    Resident {
        home: home.to_owned(),
        binary: binary(),
        surroundings: surroundings(environment),
        start: None,
    }
}

/// Becomes the worker, which leaves when it had nothing to do for `linger`; `None` when there is one already.
pub(crate) async fn worker(
    environment: &Environment,
    home: &Path,
    linger: Option<Duration>,
) -> Result<Option<Worker>, Failure> {
    let place = home.to_owned();
    let build: BuildConfig = Arc::new(move |surroundings| config(surroundings, &place));
    let config = WorkerConfig {
        home: home.to_owned(),
        program: PROGRAM.to_owned(),
        binary: binary(),
        build,
        surroundings: surroundings(environment),
        linger,
    };
    Worker::open(config).await
}

/// The engine for a client's surroundings, over the worker's own state folder.
fn config(surroundings: &Json, home: &Path) -> Result<EngineConfig, Failure> {
    let environment = surroundings.parse().map_err(|error| {
        let message = format!("the surroundings of a client cannot be read: {error}");
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
            ..config
        }),
        Err(Stopped::Trouble(trouble)) => Err(trouble.failure),
        Err(Stopped::Told(_) | Stopped::PipeClosed) => {
            Err(Failure::new(ErrorKind::Internal, "the settings cannot be read"))
        }
    }
}

fn surroundings(environment: &Environment) -> Json {
    Json::of(&environment.without_screen()).expect("variables are strings")
}

/// Which build this process is: two builds must not serve each other.
fn binary() -> BinaryId {
    let about = std::env::current_exe().and_then(|path| path.metadata());
    let changed = about.and_then(|about| about.modified()).ok();
    let changed = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    BinaryId(format!("{PROGRAM} {}", changed.unwrap_or_default().as_nanos()))
}

/// Starts a worker in the background.
fn starter(environment: &Environment, home: &Path) -> Result<StartWorker, Stopped> {
    let program = std::env::current_exe().map_err(|error| {
        let message = format!("this program does not know where it is: {error}");
        Stopped::from(Failure::new(ErrorKind::Internal, message))
    })?;
    let (home, variables): (PathBuf, _) = (home.to_owned(), environment.for_worker());
    Ok(Arc::new(move || {
        let (program, home, variables) = (program.clone(), home.clone(), variables.clone());
        Box::pin(async move {
            let begun = tokio::task::spawn_blocking(move || spawn::worker(&program, &home, &variables)).await;
            let failed = |message: String| Err(Failure::new(ErrorKind::Internal, message));
            match begun {
                Ok(Ok(said)) if [READY, BUSY].contains(&said.trim()) => Ok(()),
                Ok(Ok(said)) if said.trim().is_empty() => failed(
                    "the worker ended before it could be called: see worker/log in the state folder"
                        .to_owned(),
                ),
                Ok(Ok(said)) => failed(format!("the worker cannot work: {}", said.trim())),
                Ok(Err(error)) => failed(format!("the worker cannot be started: {error}")),
                Err(error) => failed(error.to_string()),
            }
        })
    }))
}
