//! Gemini CLI with `--acp`: a warm process that serves many prompts over JSON-RPC.

use gemicro_event::{Failure, Timestamp};

use super::acp_session::AcpSession;
use super::reading::GeminiReading;
use super::setup;
use crate::agent_cli::{AgentCli, CliKind, program};
use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, Ended};
use crate::invocation::{Invocation, Stdin};
use crate::judge;
use crate::request::AgentRequest;
use crate::version::Version;

/// Gemini CLI as a warm process.
#[derive(Debug, Clone, Default)]
pub struct GeminiAcp {
    /// Rules of its policy engine (TOML) that nothing in the workspace can undo.
    pub admin_policy: Option<String>,
}

impl GeminiAcp {
    /// Whether a session made at `created_at` can be loaded now. In the minute of its creation, loading it
    /// destroys it.
    #[must_use]
    pub fn may_load(created_at: Timestamp, now: Timestamp) -> bool {
        let minute = |at: Timestamp| at.as_millis().div_euclid(60_000);
        minute(created_at) != minute(now)
    }
}

impl AgentCli for GeminiAcp {
    fn kind(&self) -> CliKind {
        CliKind::GeminiAcp
    }

    fn program(&self) -> &'static str {
        setup::PROGRAM
    }

    fn minimum_version(&self) -> Version {
        setup::MINIMUM
    }

    fn install_command(&self) -> &'static str {
        setup::INSTALL
    }

    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure> {
        request.check()?;
        let (files, policy_args) = setup::files(request, self.admin_policy.as_deref());
        let mut args = vec!["--acp".to_owned()];
        args.extend(setup::model_args(request));
        args.extend(policy_args);
        Ok(Invocation {
            program: program(self, request),
            args,
            env: setup::env(request),
            stdin: Stdin::Open,
            files,
            cwd: request.cwd.clone(),
        })
    }

    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure> {
        Ok(Dialogue::new(Box::new(AcpSession::new(request)?)))
    }

    fn judge(&self, ended: &Ended<'_>) -> Result<AgentEnd, Failure> {
        judge::judge(&GeminiReading, ended)
    }
}
