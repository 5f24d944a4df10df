//! What somebody wants of an agent, before it is known how its CLI is told.
//!
//! The main type is [`AgentRequest`]. Paths are those the CLI itself will see, inside its sandbox.

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
    /// What to say first.
    pub prompt: AgentPrompt,
    /// The folder that the agent works in.
    pub cwd: PathBuf,
    /// Folders outside of that which it is given to read.
    pub given: Vec<PathBuf>,
    /// Its own home for this run or conversation: settings and sessions, nobody else's files.
    pub home: PathBuf,
    /// Its folder for temporary files; some CLIs leave whole conversations there.
    pub temp: PathBuf,
    /// Where the program is, when it is not to be looked up by its name.
    pub program: Option<PathBuf>,
    /// The model, as the CLI calls it. Without one the CLI chooses, at the price of one more request.
    pub model: Option<String>,
    /// The session to begin or to resume.
    pub session: Session,
    /// What the guard lets it write.
    pub sandbox: CliSandboxMode,
    /// Who approves tools inside the sandbox.
    pub approval: ToolApproval,
    /// How it reaches its model.
    pub access: ModelAccess,
    /// Tool servers it may use.
    pub mcp_servers: Vec<McpServer>,
    /// At most this many model turns, where the CLI can count them (Gemini, Claude).
    pub turn_limit: Option<u32>,
    /// The environment to pick allowed variables from; see [`crate::environment`].
    pub inherited: BTreeMap<String, String>,
    /// Settings for git that switch off what the repository of the working folder would have it start.
    pub git_settings: Vec<(String, String)>,
    /// Instructions of the project for this CLI, given to it as those of its user. Claude Code and Codex load none
    /// from the workspace themselves; Gemini CLI does.
    pub instructions: String,
    /// The guard that its tools are judged by; then approvals are the guard's.
    pub guarded: Option<GuardedSettings>,
}

/// What an agent may write; enforced by the guard, told to the CLI so that it does not try in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CliSandboxMode {
    /// The agent may read files, but change none.
    ReadOnly,
    /// The agent may write in its working folder.
    #[default]
    WorkspaceWrite,
    /// Whatever the user may write.
    DangerFullAccess,
}

/// Who approves an agent's tools inside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolApproval {
    /// Nobody needs to (`yolo`); the sandbox alone binds it.
    #[default]
    All,
    /// What the CLI deems harmless, and edits where the sandbox lets it write. The rest is asked for, or
    /// refused where the CLI cannot ask.
    Ask,
    /// The same, but edits are asked for as well: a person is there.
    AskEdits,
}

/// How an agent reaches its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelAccess {
    /// Through our gateway, which holds the key and the budget.
    Gateway {
        /// `http://127.0.0.1:PORT`, without a path.
        base_url: String,
        /// What this step shows instead of a key.
        token: GatewayToken,
    },
    /// By a login in its home: only turns and time are capped. Claude Code never gets one.
    Login,
}

/// A secret that is worth something only to our gateway and only during one step.
#[derive(Clone, PartialEq, Eq)]
pub struct GatewayToken {
    text: String,
    /// Whether it stands for a login instead of a key.
    pub(crate) is_for_login: bool,
}

impl GatewayToken {
    /// Stands for a key.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self {
            text: token.into(),
            is_for_login: false,
        }
    }

    /// Stands for a login.
    #[must_use]
    pub fn of_login(token: impl Into<String>) -> Self {
        Self {
            is_for_login: true,
            ..Self::new(token)
        }
    }

    /// The token in plain text, to be given to the CLI.
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
    /// Refuses what no CLI could be told safely.
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
                return wrong("the gateway's token is empty or has blanks".to_owned());
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
