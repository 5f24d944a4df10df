//! Gemini CLI with `--acp`: a long-running process that serves many prompts over JSON-RPC.

use std::path::Path;
use std::sync::Arc;

use gemicro_event::{Failure, Timestamp};

use super::acp_session::AcpSession;
use super::result_reader::GeminiReading;
use super::resume::{self, ResumeWay};
use super::setup::{self, GeminiProtocol};
use crate::agent_cli::{AgentCli, CliKind, program};
use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, ProcessEnd};
use crate::invocation::{CliInput, Invocation};
use crate::judge;
use crate::request::AgentRequest;
use crate::session::SessionId;
use crate::version::Version;

/// Gemini CLI as a long-running process.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiAcp;

impl GeminiAcp {
    /// Returns how to resume a session whose files are in this home. Loading a session within the minute of its
    /// creation destroys it.
    #[must_use]
    pub fn way_to_resume(home: &Path, session: &SessionId, now: Timestamp) -> ResumeWay {
        resume::way(home, session, now)
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
        let (files, policy_args) = setup::files(request, GeminiProtocol::Acp);
        let mut args = vec!["--acp".to_owned()];
        args.extend(setup::model_args(request));
        args.extend(policy_args);
        Ok(Invocation {
            program: program(self, request),
            args,
            env: setup::env(request),
            stdin: CliInput::Open,
            files,
            cwd: request.cwd.clone(),
        })
    }

    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure> {
        Ok(Dialogue::new(Box::new(AcpSession::new(request)?)))
    }

    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
        judge::judge(&GeminiReading, ended)
    }

    fn warm(&self) -> Option<Arc<dyn AgentCli>> {
        Some(Arc::new(*self))
    }
}
