//! A request to run an agent, independent of its CLI.
//!
//! The main type is [`AgentRequest`]. Paths are as seen by the CLI inside its sandbox.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use gemicro_event::{ErrorKind, Failure};

use crate::guarded_settings::GuardedSettings;
use crate::mcp_server::McpServer;
use crate::prompt::AgentPrompt;
use crate::session::Session;

/// One run of an agent.
#[derive(Debug, Clone)]
pub struct AgentRequest {
    /// The first prompt.
    pub prompt: AgentPrompt,
    /// The folder that the agent works in.
    pub cwd: PathBuf,
    /// Folders outside of `cwd` that it may read.
    pub given: Vec<PathBuf>,
    /// Its own home for this run or conversation: settings and sessions.
    pub home: PathBuf,
    /// Its folder for temporary files; some CLIs leave whole conversations there.
    pub temp: PathBuf,
    /// Path of the program, if it is not looked up by name.
    pub program: Option<PathBuf>,
    /// The model, by the CLI's name. Without one the CLI chooses, which costs one more request.
    pub model: Option<String>,
    /// The session to begin or to resume.
    pub session: Session,
    /// Write access allowed by the guard.
    pub sandbox: CliSandboxMode,
    /// How tools inside the sandbox are approved.
    pub approval: ToolApproval,
    /// How it reaches its model.
    pub access: ModelAccess,
    /// Tool servers it may use.
    pub mcp_servers: Vec<McpServer>,
    /// Maximum number of model turns, if the CLI can count them (Gemini, Claude).
    pub turn_limit: Option<u32>,
    /// The environment to pick allowed variables from; see [`crate::environment`].
    pub inherited: BTreeMap<String, String>,
    /// Git settings that disable programs configured in the working folder's repository.
    pub git_settings: Vec<(String, String)>,
    /// Instructions of the project, given to this CLI as those of its user. Claude Code and Codex load none from the
    /// workspace themselves; Gemini CLI does.
    pub instructions: String,
    /// The guard that judges its tools; it then also decides approvals.
    pub guarded: Option<GuardedSettings>,
}

/// Write access of an agent. The guard enforces it; the CLI is informed so that it does not try in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CliSandboxMode {
    /// The agent may read files, but change none.
    ReadOnly,
    /// The agent may write in its working folder.
    #[default]
    WorkspaceWrite,
    /// Everything that the user may write.
    DangerFullAccess,
}

/// How an agent's tools inside the sandbox are approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolApproval {
    /// No approval needed (`yolo`); only the sandbox limits it.
    #[default]
    All,
    /// Allows what the CLI considers harmless, and edits if the sandbox permits writing. The rest needs approval, or is
    /// refused if the CLI cannot ask.
    Ask,
    /// Allows only what the CLI considers harmless, and offers the model nothing else if the CLI can hide it.
    Harmless,
    /// Like `Ask`, but edits need approval as well, because a person is present.
    AskEdits,
}

/// How an agent reaches its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelAccess {
    /// Through our gateway, which holds the key and the budget.
    Gateway {
        /// `http://127.0.0.1:PORT`, without a path.
        base_url: String,
        /// The token that this step uses instead of a key.
        token: GatewayToken,
    },
    /// With a login in its home: only turns and time are limited. Claude Code never gets one.
    Login,
}

/// A secret that only our gateway accepts, and only during one step.
#[derive(Clone, PartialEq, Eq)]
pub struct GatewayToken {
    text: String,
    /// Whether it stands for a login instead of a key.
    pub(crate) is_for_login: bool,
}

impl GatewayToken {
    /// Creates a token that stands for a key.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self {
            text: token.into(),
            is_for_login: false,
        }
    }

    /// Creates a token that stands for a login.
    #[must_use]
    pub fn of_login(token: impl Into<String>) -> Self {
        Self {
            is_for_login: true,
            ..Self::new(token)
        }
    }

    /// The token in plain text, for the CLI.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for GatewayToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

impl AgentRequest {
    /// Refuses requests that no CLI could handle safely.
    ///
    /// # Errors
    /// `invalid_input`, naming what is wrong.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |message: String| Err(Failure::new(ErrorKind::InvalidInput, message));
        let own = [("cwd", &self.cwd), ("home", &self.home), ("temp", &self.temp)];
        for (name, path) in own
            .into_iter()
            .chain(self.given.iter().map(|path| ("given", path)))
        {
            if !path.is_absolute() || path.to_str().is_none() {
                return wrong(format!(
                    "{name} must be an absolute path in UTF-8: {}",
                    path.display()
                ));
            }
        }
        if let Some(model) = &self.model
            && (model.is_empty() || model.starts_with('-') || model.chars().any(is_odd))
        {
            return wrong(format!("`{model}` is not a model name"));
        }
        if let ModelAccess::Gateway { base_url, token } = &self.access {
            let is_http = base_url.starts_with("http://") || base_url.starts_with("https://");
            if !is_http || base_url.ends_with('/') || base_url.chars().any(is_odd) {
                return wrong(format!("`{base_url}` is not a base URL without a final slash"));
            }
            if token.reveal().is_empty() || token.reveal().chars().any(is_odd) {
                return wrong("the gateway's token is empty or contains spaces".to_owned());
            }
        }
        self.mcp_servers
            .iter()
            .try_for_each(|server| server.check(&self.access))
    }
}

fn is_odd(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}
