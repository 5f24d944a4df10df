//! One attempt at one task.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::BoxFuture;
use gemicro_core::ask::{AgentTask, SandboxMode};
use gemicro_core::budget::Limits;
use gemicro_core::execute::{Executor, StepCall};
use gemicro_core::flow::{Again, Spent, StepFailure, StepOutput};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{self, GatewayPort, Mode, Network, Pinning, Profile, Tier};
use gemicro_llm::gateway::{Grant, ModelRules, Ticket};
use gemicro_runner::supervise::{ProcessHandle, RunLimits, Supervision, end_leftover, supervise};
use gemicro_runner::{AgentRequest, Approval, ModelAccess, Prompt, Session, SessionId, Token};
use tokio_util::sync::CancellationToken;

use super::commons::AgentCommons;
use super::login::{bring, take_back};
use super::place::Place;
use super::seen::{Facts, Seen};
use super::setup::{AgentAccess, AgentSetup, cli, wire};
use super::verdict::Verdict;

/// Turns of an agent that goes by a login, where no budget says.
const OBSERVED_TURNS: u64 = 200;

/// Runs agent CLIs.
#[derive(Clone)]
pub struct AgentExecutor {
    shared: Arc<Shared>,
}

struct Shared {
    commons: AgentCommons,
    setup: AgentSetup,
    secrets: Vec<String>,
}

impl AgentExecutor {
    /// With these keys and programs.
    #[must_use]
    pub fn new(commons: AgentCommons, setup: AgentSetup, secrets: Vec<String>) -> Self {
        let shared = Shared {
            commons,
            setup,
            secrets,
        };
        Self {
            shared: Arc::new(shared),
        }
    }
}

impl Executor for AgentExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            let task: AgentTask = call.step.input.parse().map_err(|error| {
                let message = format!("the task cannot be read: {error}");
                StepFailure::free(Failure::new(ErrorKind::Internal, message))
            })?;
            if let Some(handle) = &call.handle {
                return Err(cut_off(&task, handle.parse().ok()).await);
            }
            shared.attempt(&task, call).await
        })
    }

    /// An agent ends with us.
    fn goes_on_outside(&self) -> bool {
        false
    }
}

/// An earlier attempt was cut off: whatever is left of it is ended. One that could write is not followed by another.
async fn cut_off(task: &AgentTask, handle: Option<ProcessHandle>) -> StepFailure {
    if let Some(handle) = handle {
        let _ = tokio::task::spawn_blocking(move || end_leftover(&handle)).await;
    }
    let (kind, message, again) = if task.sandbox == SandboxMode::ReadOnly {
        (
            ErrorKind::SessionNotFound,
            "the agent was cut off".to_owned(),
            Again::AsUsual,
        )
    } else {
        let message = format!(
            "the agent was cut off and may have changed files in {}: look at them, then ask again",
            task.directory
        );
        (ErrorKind::Interrupted, message, Again::Never)
    };
    StepFailure {
        failure: Failure::new(kind, message),
        spent: Spent::Unknown,
        again,
    }
}

impl Shared {
    async fn attempt(&self, task: &AgentTask, call: StepCall) -> Result<StepOutput, StepFailure> {
        let refused = |failure| StepFailure {
            failure,
            spent: Spent::Nothing,
            again: Again::Never,
        };
        let cli = cli(task.agent);
        let tier = self.tier(task.sandbox).await.map_err(refused)?;
        let (place, session) = self.place(task, &call).map_err(refused)?;
        let stop = call.cancel.child_token();
        let facts = Facts::default();
        let port = GatewayPort::open(tier, mode(task.sandbox)).map_err(|error| {
            let message = format!("there is no port for the gateway: {error}");
            refused(Failure::new(ErrorKind::Internal, message))
        })?;
        let way = self.way(task, &port, &facts, &stop).map_err(refused)?;
        let request = AgentRequest {
            prompt: Prompt::user(task.prompt.clone()),
            cwd: PathBuf::from(&task.directory),
            home: place.home(),
            temp: place.temporary(),
            program: None,
            model: task.model.clone(),
            session,
            sandbox: match task.sandbox {
                SandboxMode::ReadOnly => gemicro_runner::SandboxMode::ReadOnly,
                SandboxMode::WorkspaceWrite => gemicro_runner::SandboxMode::WorkspaceWrite,
                SandboxMode::DangerFullAccess => gemicro_runner::SandboxMode::DangerFullAccess,
            },
            approval: if task.yolo { Approval::All } else { Approval::Ask },
            access: way.access.clone(),
            mcp_servers: Vec::new(),
            turn_limit: turn_limit(task, &way),
            inherited: self.setup.environment.clone(),
        };
        let mut seen = Seen {
            live: call.live,
            reporter: call.reporter,
            gateway: way.ticket.is_some().then(|| self.commons.gateway().clone()),
            facts: facts.clone(),
            serving: None,
        };
        let supervision = Supervision {
            cli,
            request: &request,
            profile: self.profile(task, &place, &port, way.ticket.is_some()),
            launcher: &self.setup.launcher,
            tier,
            limits: RunLimits {
                idle: Duration::from_millis(task.idle_ms),
                total: Duration::from_millis(task.total_ms),
                ..RunLimits::default()
            },
            spool: place.spool(),
            redactor: Redactor::new(&self.secrets),
            cancel: stop,
            gateway: way.ticket.is_some().then_some(port),
            versions: Some(self.commons.versions()),
        };
        let brought = match self.setup.access.get(&task.agent) {
            Some(Ok(AgentAccess::Login(login))) => {
                Some(bring(login, &request.home, &request.temp).map_err(refused)?)
            }
            Some(Ok(AgentAccess::Key { .. }) | Err(_)) | None => None,
        };
        let began = SystemTime::now();
        let outcome = supervise(supervision, &mut seen).await;
        if let Some(brought) = &brought {
            take_back(brought);
        }
        let spent = match way.ticket {
            Some(ticket) => Some(ticket.close().await),
            None => None,
        };
        if let Some(session) = &outcome.record.session
            && let Err(failure) = place.remember(task.agent, session)
        {
            seen.reporter.alarm(failure.message);
        }
        for path in outcome.record.unpinned.iter().filter(|path| path.exists()) {
            let message = format!(
                "the agent made {}, which runs code later: look at it",
                path.display()
            );
            seen.reporter.alarm(message);
        }
        place.tidy(outcome.record.session.is_some());
        Verdict {
            task,
            outcome,
            spent,
            known: facts.known(),
            began,
        }
        .into_result()
    }

    /// The walls of this machine; none for who asked for none.
    async fn tier(&self, mode: SandboxMode) -> Result<Tier, Failure> {
        if mode == SandboxMode::DangerFullAccess {
            return Ok(Tier::None);
        }
        self.commons.tier(&self.setup.launcher).await
    }

    fn place(&self, task: &AgentTask, call: &StepCall) -> Result<(Place, Session), Failure> {
        match &task.session {
            None => Ok((
                Place::new(self.commons.state(), &call.run, call.attempt)?,
                Session::New,
            )),
            Some(session) => {
                let session: SessionId = session.parse()?;
                let place = Place::of_session(
                    self.commons.state(),
                    (&call.run, call.attempt),
                    task.agent,
                    &session,
                )?;
                Ok((place, Session::Resume(session)))
            }
        }
    }

    /// How the agent gets to its model.
    fn way(
        &self,
        task: &AgentTask,
        port: &GatewayPort,
        facts: &Facts,
        stop: &CancellationToken,
    ) -> Result<Way, Failure> {
        match self.setup.access.get(&task.agent) {
            None => {
                let message = format!(
                    "{} has no key and no login: `gemicro doctor` says how to give it one",
                    task.agent
                );
                Err(Failure::new(ErrorKind::AuthFailed, message))
            }
            Some(Err(failure)) => Err(failure.clone()),
            Some(Ok(AgentAccess::Login(_))) => Ok(Way {
                access: ModelAccess::Login,
                ticket: None,
            }),
            Some(Ok(AgentAccess::Key { upstream, key })) => {
                let ticket = self.commons.gateway().open(Grant {
                    label: task.agent.to_string(),
                    wire: wire(task.agent),
                    upstream: upstream.clone(),
                    key: key.clone(),
                    budget: Limits {
                        tokens: task.grant.tokens,
                        micro_usd: task.grant.micro_usd,
                        turns: task.grant.turns,
                        wall_ms: None,
                    },
                    models: ModelRules::default(),
                    observer: Some(facts.observer(stop.clone())),
                })?;
                Ok(Way {
                    access: ModelAccess::Gateway {
                        base_url: port.base_url(),
                        token: Token::new(ticket.token()),
                    },
                    ticket: Some(ticket),
                })
            }
        }
    }

    fn profile(&self, task: &AgentTask, place: &Place, port: &GatewayPort, has_gateway: bool) -> Profile {
        let workspace = PathBuf::from(&task.directory);
        let mode = mode(task.sandbox);
        let is_open = mode == Mode::DangerFullAccess || !has_gateway;
        Profile {
            mode,
            pinned: Profile::settings_of(&workspace),
            workspace,
            writable: Vec::new(),
            pinning: Pinning::Required,
            readable: Vec::new(),
            hidden: vec![self.commons.state().to_owned()],
            user_home: self.setup.user_home.clone(),
            home: place.home(),
            temporary: place.temporary(),
            network: if is_open { Network::Open } else { port.network() },
            unix_sockets: false,
            limits: sandbox::Limits::default(),
            environment: Vec::new(),
        }
    }
}

/// Where the gateway does not count, the agent must: by the budget, or by a limit that no honest task meets.
fn turn_limit(task: &AgentTask, way: &Way) -> Option<u32> {
    match way.access {
        ModelAccess::Gateway { .. } => None,
        ModelAccess::Login => {
            let turns = task.grant.turns.unwrap_or(OBSERVED_TURNS);
            Some(u32::try_from(turns).unwrap_or(u32::MAX))
        }
    }
}

fn mode(sandbox: SandboxMode) -> Mode {
    match sandbox {
        SandboxMode::ReadOnly => Mode::ReadOnly,
        SandboxMode::WorkspaceWrite => Mode::WorkspaceWrite,
        SandboxMode::DangerFullAccess => Mode::DangerFullAccess,
    }
}

/// An agent's way to its model.
struct Way {
    access: ModelAccess,
    /// What the gateway counts; none with a login.
    ticket: Option<Ticket>,
}
