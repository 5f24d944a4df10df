//! The environment of agents: programs, keys, logins and addresses of models.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gemicro_batch::workshop::Toolchains;
use gemicro_core::ask::{AgentName, AgentTask};
use gemicro_event::{Failure, Timestamp};
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::Launcher;
use gemicro_llm::gateway::{AgentApi, GatewaySecret, UpstreamAddress};
use gemicro_pipeline::forge::Forges;
use gemicro_pipeline::workflow::WorkflowReader;
use gemicro_runner::{
    AgentCli, ClaudeCode, Codex, GeminiAcp, GeminiHeadless, LocatedProgram, ResumeWay, Session, locate,
};

/// Everything that agents need from their environment.
#[derive(Debug, Clone)]
pub struct AgentSetup {
    /// The gemicro binary as the launcher of sandboxes.
    pub launcher: Launcher,
    /// Variables that agents may get, each by its own list; includes `PATH`.
    pub environment: BTreeMap<String, String>,
    /// The user's home, which agents cannot see.
    pub user_home: PathBuf,
    /// How each agent reaches its model, or why it cannot; an agent that is not named here has neither key nor login.
    pub access: BTreeMap<AgentName, Result<AgentAccess, Failure>>,
    /// What the user additionally allows agents on a branch.
    pub policy: PolicyReader,
    /// Variables that git needs to reach a remote of the user's repository; agents do not get them.
    pub remote_variables: Vec<(String, String)>,
    /// The forges on which requests to merge can be opened.
    pub forges: Forges,
    /// Reads the workflow of a project.
    pub workflows: WorkflowReader,
    /// How many agents work at once, over all runs of the state folder.
    pub max_agents: usize,
}

/// The number of agents at once, unless the user sets it: one per core, at least 4. They mostly wait for their model.
#[must_use]
pub fn default_max_agents() -> usize {
    std::thread::available_parallelism().map_or(4, |cores| cores.get().max(4))
}

impl AgentSetup {
    /// The user's `PATH`, or an empty string if it is not set.
    #[must_use]
    pub fn search_path(&self) -> String {
        self.environment.get("PATH").cloned().unwrap_or_default()
    }

    /// The user's toolchains, and further folders that sandboxed commands may read.
    ///
    /// # Errors
    /// When the user's policy cannot be read.
    pub fn toolchains(&self) -> Result<Toolchains, Failure> {
        let variable = |name: &str| self.environment.get(name).cloned();
        let path = self.search_path();
        let further = self.policy.read()?.readable;
        Ok(Toolchains::of(&self.user_home, &path, variable).with(&further))
    }
}

/// Reads the user's policy. A worker outlives changes to it, so it is read for every turn.
#[derive(Clone)]
pub struct PolicyReader(Arc<dyn Fn() -> Result<PolicyConfig, Failure> + Send + Sync>);

impl PolicyReader {
    /// Reads the policy with this function each time.
    pub fn new(read: impl Fn() -> Result<PolicyConfig, Failure> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The current policy.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<PolicyConfig, Failure> {
        (self.0)()
    }
}

impl fmt::Debug for PolicyReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PolicyReader")
    }
}

/// How an agent reaches its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentAccess {
    /// Through the gateway, which holds the key or the token of a login.
    Key {
        /// Address of the model.
        upstream: UpstreamAddress,
        /// The key or token.
        key: GatewaySecret,
    },
    /// With the agent's own login.
    Login(Login),
}

impl AgentAccess {
    /// The login that must be copied into its home.
    pub(super) fn login(&self) -> Option<&Login> {
        match self {
            Self::Login(login) => Some(login),
            Self::Key { .. } => None,
        }
    }

    /// Whether an account is billed instead of a key.
    pub(super) fn is_paid_by_account(&self) -> bool {
        match self {
            Self::Login(_) => true,
            Self::Key { key, .. } => key.is_login(),
        }
    }
}

/// The file with a login of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// The file in the user's home.
    pub file: PathBuf,
    /// Its path in the agent's home.
    pub place: PathBuf,
    /// The address for which the gateway uses the token in the file, which then stays outside the sandbox. Without it,
    /// usage is only observed.
    pub upstream: Option<UpstreamAddress>,
}

/// The adapter of an agent for a process in this session. Gemini CLI stays warm with ACP, unless loading the session
/// would destroy it.
pub(super) fn cli(agent: AgentName, session: &Session, home: &Path, is_warm: bool) -> Box<dyn AgentCli> {
    let by_acp = is_warm
        && match session {
            Session::New | Session::NewNamed(_) => true,
            Session::Resume(session) => {
                GeminiAcp::way_to_resume(home, session, Timestamp::now()) == ResumeWay::Acp
            }
        };
    match agent {
        AgentName::Gemini if by_acp => Box::new(GeminiAcp),
        AgentName::Gemini => Box::new(GeminiHeadless),
        AgentName::Claude => Box::new(ClaudeCode),
        AgentName::Codex => Box::new(Codex),
    }
}

/// The program of an agent, if it can be found.
pub(super) fn program(setup: &AgentSetup, agent: AgentName) -> Option<LocatedProgram> {
    let cli = cli(agent, &Session::New, Path::new(""), false);
    locate(Path::new(cli.program()), &setup.search_path()).ok()
}

/// Whether Gemini CLI must use ACP so that a person can be asked. On a branch a hook judges: with ACP, its model would
/// not get the reason for a refusal.
pub(super) fn must_ask(setup: &AgentSetup, task: &AgentTask) -> bool {
    let program = || program(setup, task.agent);
    let is_asked = task.branch.is_none() && task.asks && !task.yolo;
    is_asked && program().is_some_and(|located| speaks_acp(&located.program))
}

/// Whether tools that need approval are refused, because no one can be asked.
pub(super) fn approves_nothing(task: &AgentTask) -> bool {
    !task.yolo && !task.asks
}

/// The wire format an agent speaks.
pub(super) fn wire(agent: AgentName) -> AgentApi {
    match agent {
        AgentName::Gemini => AgentApi::Gemini,
        AgentName::Claude => AgentApi::Anthropic,
        AgentName::Codex => AgentApi::OpenAi,
    }
}

/// Whether a program is Gemini CLI itself, and not a script in its place that may not pass on `--acp`: it must belong
/// to that npm package.
pub(super) fn speaks_acp(program: &Path) -> bool {
    let program = program.canonicalize().ok();
    let manifest = program.and_then(|program| {
        let mut files = program
            .ancestors()
            .skip(1)
            .map(|folder| folder.join("package.json"));
        files.find(|file| file.is_file())
    });
    let text = manifest.and_then(|file| std::fs::read_to_string(file).ok());
    let manifest = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    manifest.is_some_and(|manifest| manifest["name"] == "@google/gemini-cli")
}
