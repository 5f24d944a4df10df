//! Claude Code with JSON lines in both directions, for single prompts and for long-running processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use gemicro_event::{ErrorKind, Failure};
use serde_json::{Value, json};

use super::result_reader::ClaudeReading;
use super::stream::ClaudeStream;
use crate::agent_cli::{AgentCli, CliKind, program};
use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, ProcessEnd};
use crate::environment;
use crate::guarded_settings;
use crate::invocation::{CliInput, Invocation, SettingsFile};
use crate::judge;
use crate::mcp_server::{self, McpReached};
use crate::request::{AgentRequest, CliSandboxMode, GatewayToken, ModelAccess, ToolApproval};
use crate::session::Session;
use crate::version::Version;

/// The adapter for the CLI `claude`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeCode;

const CONFIG_FOLDER: &str = ".claude";
const SETTINGS_FILE: &str = "gemicro-settings.json";
const INSTRUCTIONS_FILE: &str = "CLAUDE.md";
const MCP_FILE: &str = "gemicro-mcp.json";

impl AgentCli for ClaudeCode {
    fn kind(&self) -> CliKind {
        CliKind::Claude
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn minimum_version(&self) -> Version {
        Version::new(2, 1, 197)
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @anthropic-ai/claude-code"
    }

    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure> {
        request.check()?;
        let ModelAccess::Gateway { base_url, token } = &request.access else {
            let message = "Claude Code reaches its model through the gateway only";
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        };
        let mut args: Vec<String> = [
            "-p",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            "--include-partial-messages",
            "--permission-prompt-tool",
            "stdio",
            "--permission-mode",
            permission_mode(request),
        ]
        .map(str::to_owned)
        .to_vec();
        let mut add = |name: &str, value: String| args.extend([name.to_owned(), value]);
        if let Some(model) = &request.model {
            add("--model", model.clone());
        }
        if let Some(limit) = request.turn_limit {
            add("--max-turns", limit.to_string());
        }
        match &request.session {
            Session::New => {}
            Session::NewNamed(id) => add("--session-id", id.argument()?),
            Session::Resume(id) => add("--resume", id.argument()?),
        }
        let mut files = Vec::new();
        if !request.mcp_servers.is_empty() {
            let path = request.home.join(CONFIG_FOLDER).join(MCP_FILE);
            add("--mcp-config", path.display().to_string());
            let text = mcp_config(request, token).to_string();
            files.push(SettingsFile { path, text });
        }
        // Settings, hooks, agents, skills and tool servers of the workspace could run programs or redirect it to
        // another provider. So only those in its own home count, and the ones given here.
        let path = request.home.join(CONFIG_FOLDER).join(SETTINGS_FILE);
        add("--setting-sources", "user".to_owned());
        add("--settings", path.display().to_string());
        args.push("--strict-mcp-config".to_owned());
        if let Some(guarded) = &request.guarded {
            files.push(guarded_settings::policy_file(request, guarded));
        }
        let text = settings(request, base_url).to_string();
        files.push(SettingsFile { path, text });
        files.push(SettingsFile {
            path: request.home.join(CONFIG_FOLDER).join(INSTRUCTIONS_FILE),
            text: request.instructions.clone(),
        });
        Ok(Invocation {
            program: program(self, request),
            args,
            env: env(request, base_url, token),
            stdin: CliInput::Open,
            files,
            cwd: request.cwd.clone(),
        })
    }

    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure> {
        Ok(Dialogue::new(Box::new(ClaudeStream::new(&request.prompt)?)))
    }

    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
        judge::judge(&ClaudeReading, ended)
    }

    fn warm(&self) -> Option<Arc<dyn AgentCli>> {
        Some(Arc::new(*self))
    }
}

/// Returns the permission mode. Everything it does not allow is asked for over the standard streams.
fn permission_mode(request: &AgentRequest) -> &'static str {
    match (request.approval, request.sandbox) {
        // Calls that the hook allows are asked for again, and answered by the same policy.
        _ if request.guarded.is_some() => "default",
        (ToolApproval::All, _) => "bypassPermissions",
        (ToolApproval::Ask, CliSandboxMode::ReadOnly)
        | (ToolApproval::AskEdits | ToolApproval::Harmless, _) => "default",
        (ToolApproval::Ask, CliSandboxMode::WorkspaceWrite | CliSandboxMode::DangerFullAccess) => {
            "acceptEdits"
        }
    }
}

/// Settings that take precedence over all others.
fn settings(request: &AgentRequest, base_url: &str) -> Value {
    let mut settings = json!({"sandbox": {"enabled": false}, "env": {"ANTHROPIC_BASE_URL": base_url}});
    if let Some(guarded) = &request.guarded {
        settings["hooks"] = guarded_settings::hooks(
            request,
            guarded,
            "claude",
            "PreToolUse",
            guarded_settings::SECONDS_TIMEOUT,
        );
        settings["disableAllHooks"] = json!(false);
    }
    settings
}

/// The variable for the gateway's token. Key and login are sent in different headers, and a login with its beta header.
fn token_variable(token: &GatewayToken) -> &'static str {
    if token.is_for_login {
        "CLAUDE_CODE_OAUTH_TOKEN"
    } else {
        "ANTHROPIC_API_KEY"
    }
}

fn env(request: &AgentRequest, base_url: &str, token: &GatewayToken) -> BTreeMap<String, String> {
    let mut env = environment::base(request);
    let config = request.home.join(CONFIG_FOLDER).display().to_string();
    environment::set(
        &mut env,
        &[
            ("CLAUDE_CONFIG_DIR", config.as_str()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            // After 5 seconds, its default, it would start on a busy machine without our tools.
            ("MCP_CONNECT_TIMEOUT_MS", "60000"),
            // Retrying is the engine's policy.
            ("CLAUDE_CODE_MAX_RETRIES", "1"),
            (token_variable(token), token.reveal()),
            ("ANTHROPIC_BASE_URL", base_url),
        ],
    );
    match (request.approval, request.sandbox) {
        // As root it refuses to skip approvals unless it runs in a sandbox, which it does.
        (ToolApproval::All, CliSandboxMode::ReadOnly | CliSandboxMode::WorkspaceWrite) => {
            environment::set(&mut env, &[("IS_SANDBOX", "1")]);
        }
        (ToolApproval::All, CliSandboxMode::DangerFullAccess)
        | (ToolApproval::Ask | ToolApproval::AskEdits | ToolApproval::Harmless, _) => {}
    }
    env
}

fn mcp_config(request: &AgentRequest, token: &GatewayToken) -> Value {
    let servers = request.mcp_servers.iter().map(|server| {
        let entry = match &server.reached {
            McpReached::Stdio { command, args, env } => json!({"command": command, "args": args, "env": env}),
            McpReached::Gateway { path } => json!({
                "type": "http",
                "url": mcp_server::address(&request.access, path),
                "headers": {"Authorization": format!("Bearer ${{{}}}", token_variable(token))},
            }),
        };
        (server.name.clone(), entry)
    });
    json!({"mcpServers": Value::Object(servers.collect())})
}
