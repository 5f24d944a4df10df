//! Gemini CLI with `-o stream-json`: a process reads one prompt and exits.

use gemicro_event::Failure;

use super::result_reader::GeminiReading;
use super::setup::{self, GeminiProtocol};
use super::stream::StreamJson;
use crate::agent_cli::{AgentCli, CliKind, program};
use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, ProcessEnd};
use crate::invocation::{CliInput, Invocation};
use crate::judge;
use crate::prompt::{Habits, Mentions};
use crate::request::AgentRequest;
use crate::session::Session;
use crate::version::Version;

const HABITS: Habits = Habits {
    mentions: Mentions::Anywhere,
    commands: &['/'],
};

/// Gemini CLI, one process per prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiHeadless;

impl AgentCli for GeminiHeadless {
    fn kind(&self) -> CliKind {
        CliKind::Gemini
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
        let prompt = request.prompt.render(HABITS)?;
        let (files, policy_args) = setup::files(request, GeminiProtocol::Headless);
        let mut args = setup::model_args(request);
        args.extend(
            [
                "-o",
                "stream-json",
                "--approval-mode",
                setup::approval_mode(request),
            ]
            .map(str::to_owned),
        );
        args.extend(policy_args);
        match &request.session {
            Session::New => {}
            Session::NewNamed(id) => args.extend(["--session-id".to_owned(), id.argument()?]),
            Session::Resume(id) => args.extend(["--resume".to_owned(), id.argument()?]),
        }
        Ok(Invocation {
            program: program(self, request),
            args,
            env: setup::env(request),
            stdin: CliInput::Whole(prompt.into_bytes()),
            files,
            cwd: request.cwd.clone(),
        })
    }

    fn dialogue(&self, _request: &AgentRequest) -> Result<Dialogue, Failure> {
        Ok(Dialogue::new(Box::new(StreamJson)))
    }

    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
        judge::judge(&GeminiReading, ended)
    }
}
