//! Requests and endings that tests start from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};
use gemicro_runner::{
    AgentCli, AgentItem, AgentPrompt, AgentRequest, CliSandboxMode, GatewayToken, ModelAccess, ProcessEnd,
    ProcessExit, Session, ToolApproval, TurnTranscript,
};

/// A request that leaves everything open that can be.
pub(crate) fn request(prompt: AgentPrompt) -> AgentRequest {
    AgentRequest {
        prompt,
        cwd: PathBuf::from("/srv/me/project"),
        given: Vec::new(),
        home: PathBuf::from("/srv/run-1/home"),
        temp: PathBuf::from("/srv/run-1/temp"),
        program: None,
        model: None,
        session: Session::New,
        sandbox: CliSandboxMode::ReadOnly,
        approval: ToolApproval::Ask,
        access: ModelAccess::Gateway {
            base_url: "http://127.0.0.1:4321".to_owned(),
            token: GatewayToken::new("step-token"),
        },
        mcp_servers: Vec::new(),
        turn_limit: None,
        inherited: BTreeMap::new(),
        git_settings: Vec::new(),
        instructions: String::new(),
        guarded: None,
    }
}

/// When the captures were taken, roughly.
fn ended_at() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-11-15T00:30:00Z").unwrap()
}

/// A turn of a new session that ended so, with nothing on standard error.
pub(crate) fn ended(exit: ProcessExit, transcript: &TurnTranscript) -> ProcessEnd<'_> {
    ProcessEnd {
        exit,
        transcript,
        stderr_tail: "",
        session: &Session::New,
        upstream: None,
        ended_at: ended_at(),
    }
}

/// All items of a stream that comes in one piece.
pub(crate) fn items(cli: &dyn AgentCli, stream: &[u8]) -> Vec<AgentItem> {
    let mut dialogue = cli.dialogue(&request(AgentPrompt::user("hi"))).unwrap();
    let mut items = dialogue.feed(stream);
    items.extend(dialogue.finish());
    items
}
