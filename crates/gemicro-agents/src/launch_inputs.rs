//! How an agent reaches its model, and what it may see and write.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_core::ask::{AgentTask, SandboxMode};
use gemicro_core::budget::Limits;
use gemicro_core::execute::StepCall;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{self, GatewayPort, Network, PinnedPath, Profile, Shells, Tier, WriteMode};
use gemicro_llm::gateway::{Gateway, GatewayGrant, ModelRules, Observer, ServedTool, Ticket};
use gemicro_runner::supervise::RunLimits;
use gemicro_runner::{
    AgentPrompt, AgentRequest, GatewayToken, GuardedSettings, ModelAccess, Session, ToolApproval,
};

use super::branch::OnBranch;
use super::conversation_home::ConversationHome;
use super::setup::{AgentAccess, AgentSetup, wire};
use super::shared_resources::SharedAgentResources;
use super::submission::ResultTool;
use super::workspace_settings;

/// Default limit of turns for an agent with a login inside the sandbox.
const OBSERVED_TURNS: u64 = 200;

/// How this agent reaches its model.
pub(super) fn access(setup: &AgentSetup, task: &AgentTask) -> Result<AgentAccess, Failure> {
    match setup.access.get(&task.agent) {
        None => {
            let message = format!("{} has no key and no login on this machine", task.agent);
            Err(Failure::new(ErrorKind::AuthFailed, message))
        }
        Some(Err(failure)) => Err(failure.clone()),
        // Read for every attempt: the user may have renewed it.
        Some(Ok(AgentAccess::Login(login))) if let Some(upstream) = &login.upstream => Ok(AgentAccess::Key {
            upstream: upstream.clone(),
            key: login.token()?,
        }),
        Some(Ok(access)) => Ok(access.clone()),
    }
}

/// Opens the gateway for a turn of the agent, with its tool; `token` is that of its process, if it already has one.
/// `None` for a login inside the sandbox.
pub(super) fn ticket(
    (setup, gateway): (&AgentSetup, &Gateway),
    task: &AgentTask,
    access: &AgentAccess,
    token: Option<&str>,
    (observer, tool): (Observer, Option<ServedTool>),
) -> Result<Option<Ticket>, Failure> {
    let AgentAccess::Key { upstream, key } = access else {
        return Ok(None);
    };
    let grant = GatewayGrant {
        label: task.agent.to_string(),
        wire: wire(task.agent),
        upstream: upstream.clone(),
        key: Some(key.clone()),
        budget: Limits {
            tokens: task.grant.tokens,
            micro_usd: task.grant.micro_usd.filter(|_| !access.is_paid_by_account()),
            turns: task.grant.turns,
            wall_ms: None,
        },
        models: ModelRules::default(),
        // Without a sandbox, the network is open anyway.
        web: task.sandbox == SandboxMode::DangerFullAccess || setup.policy.read()?.provider_web,
        observer: Some(observer),
        tool,
    };
    let ticket = match token {
        Some(token) => gateway.open_again(token, grant)?,
        None => gateway.open(grant)?,
    };
    Ok(Some(ticket))
}

/// The request to the runner.
pub(super) fn request(
    setup: &AgentSetup,
    task: &AgentTask,
    place: &ConversationHome,
    (session, prompt): (Session, AgentPrompt),
    (port, ticket): (&GatewayPort, Option<&Ticket>),
    (branch, guard): (Option<&OnBranch>, Option<&PolicyConfig>),
) -> AgentRequest {
    AgentRequest {
        prompt,
        cwd: branch.map_or_else(|| PathBuf::from(&task.directory), OnBranch::worktree),
        given: branch.and_then(OnBranch::given_folder).into_iter().collect(),
        home: place.home(),
        temp: place.temporary(),
        program: None,
        model: task.model.clone(),
        session,
        sandbox: match task.sandbox {
            SandboxMode::ReadOnly => gemicro_runner::CliSandboxMode::ReadOnly,
            SandboxMode::WorkspaceWrite => gemicro_runner::CliSandboxMode::WorkspaceWrite,
            SandboxMode::DangerFullAccess => gemicro_runner::CliSandboxMode::DangerFullAccess,
        },
        approval: match (task.yolo, task.asks) {
            (true, _) => ToolApproval::All,
            (false, true) => ToolApproval::AskEdits,
            (false, false) => ToolApproval::Ask,
        },
        access: match ticket {
            Some(ticket) => ModelAccess::Gateway {
                base_url: port.base_url(),
                token: match ticket.is_for_login() {
                    true => GatewayToken::of_login(ticket.token()),
                    false => GatewayToken::new(ticket.token()),
                },
            },
            None => ModelAccess::Login,
        },
        mcp_servers: Vec::new(),
        // If the gateway does not count turns, the agent must: by the budget, or by a limit that no honest task
        // reaches.
        turn_limit: match ticket {
            Some(_) => None,
            None => Some(u32::try_from(task.grant.turns.unwrap_or(OBSERVED_TURNS)).unwrap_or(u32::MAX)),
        },
        inherited: setup.environment.clone(),
        git_settings: Vec::new(),
        instructions: match branch {
            Some(branch) => branch.instructions.clone(),
            None => workspace_settings::instructions_in(task.agent, Path::new(&task.directory)),
        },
        guarded: guard.map(|policy| GuardedSettings {
            check: guard_check(setup),
            hook: format!("g-{}", StreamId::random()),
            policy: policy.clone(),
        }),
    }
}

/// The gemicro binary as a hook.
fn guard_check(setup: &AgentSetup) -> Vec<String> {
    let program = setup.launcher.program.display().to_string();
    vec![program, "guard".to_owned(), "check".to_owned()]
}

/// The user's policy; an agent may also use its own temporary folder, read what it is given, and submit its result.
///
/// # Errors
/// When the user's policy cannot be read.
pub(super) fn policy(
    setup: &AgentSetup,
    place: &ConversationHome,
    branch: &OnBranch,
    tool: Option<&ResultTool>,
) -> Result<PolicyConfig, Failure> {
    let mut policy = setup.policy.read()?;
    policy
        .tools
        .extend(tool.into_iter().flat_map(|_| ResultTool::names()));
    policy.writable.push(place.temporary());
    policy.readable.push(place.temporary());
    policy.readable.extend(branch.given_folder());
    Ok(policy)
}

/// The agent's sandbox profile, in which it sees the user's toolchains.
///
/// # Errors
/// When the tier cannot hide settings that the agent must not load, or the user's toolchains cannot be determined.
pub(super) fn profile(
    (setup, commons): (&AgentSetup, &SharedAgentResources),
    task: &AgentTask,
    place: &ConversationHome,
    (port, tier): (&GatewayPort, Tier),
    has_gateway: bool,
    branch: Option<&OnBranch>,
) -> Result<Profile, Failure> {
    let workspace = PathBuf::from(&task.directory);
    let workplace = branch.map_or_else(|| workspace.clone(), OnBranch::worktree);
    let mut hidden = workspace_settings::hidden_settings(task.agent, &workplace, &setup.user_home);
    workspace_settings::check_hidden(task.agent, tier, &hidden)?;
    let mut pinned = Profile::settings_of(&workspace);
    pinned.retain(|path| !hidden.contains(path));
    hidden.push(commons.state().to_owned());
    let mode = mode(task.sandbox);
    let is_open = mode == WriteMode::DangerFullAccess || !has_gateway;
    let usual = Profile {
        mode,
        pinned,
        workspace,
        writable: Vec::new(),
        pinning: PinnedPath::Required,
        shells: Shells::Apart,
        readable: Vec::new(),
        hidden,
        user_home: setup.user_home.clone(),
        home: place.home(),
        temporary: place.temporary(),
        network: if is_open { Network::Open } else { port.network() },
        unix_sockets: false,
        limits: sandbox::ResourceLimits::default(),
        environment: Vec::new(),
    };
    let mut usual = match mode {
        WriteMode::DangerFullAccess => usual,
        WriteMode::ReadOnly | WriteMode::WorkspaceWrite => setup.toolchains()?.open_in(usual),
    };
    Ok(match branch {
        None => usual,
        Some(branch) => {
            // The hook is started inside the sandbox.
            usual.readable.push(setup.launcher.program.clone());
            branch.profile(usual)
        }
    })
}

pub(super) fn mode(sandbox: SandboxMode) -> WriteMode {
    match sandbox {
        SandboxMode::ReadOnly => WriteMode::ReadOnly,
        SandboxMode::WorkspaceWrite => WriteMode::WorkspaceWrite,
        SandboxMode::DangerFullAccess => WriteMode::DangerFullAccess,
    }
}

/// The agent's time limits.
pub(super) fn limits(task: &AgentTask) -> RunLimits {
    RunLimits {
        idle: Duration::from_millis(task.idle_ms),
        total: Duration::from_millis(task.total_ms),
        ..RunLimits::default()
    }
}

/// Run, step and attempt, in characters that are valid in any folder name.
pub(super) fn name(call: &StepCall) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let step: String = call.step.key.as_str().chars().take(64).map(plain).collect();
    format!("{}-{step}-{}", call.run, call.attempt)
}
