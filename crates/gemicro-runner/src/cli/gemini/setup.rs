//! Environment, settings and policy for both modes of Gemini CLI.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gemicro_guard::policy::Denial;
use serde_json::{Value, json};

use crate::environment;
use crate::guarded_settings;
use crate::invocation::SettingsFile;
use crate::mcp_server::{self, McpReached, McpServer};
use crate::request::{AgentRequest, CliSandboxMode, ModelAccess, ToolApproval};
use crate::version::Version;

pub(super) const PROGRAM: &str = "gemini";
pub(super) const INSTALL: &str = "npm install -g @google/gemini-cli";
pub(super) const MINIMUM: Version = Version::new(0, 61, 0);

/// The CLI's default of 10 causes minutes of silence at a rate limit; retrying is the engine's job.
const MAX_ATTEMPTS: u32 = 2;

const RULES_FILE: &str = "gemicro-policy.toml";
/// The variable for the gateway's token.
const TOKEN: &str = "GEMINI_API_KEY";
/// Built-in tools that change nothing.
const LOOKING: &[&str] = &[
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "grep_search",
    "search_file_content",
    "google_web_search",
    "write_todos",
    "get_internal_docs",
    "activate_skill",
    "complete_task",
    // Started by `invoke_agent`; rules also match a subagent by its name.
    "codebase_investigator",
];
/// Built-in tools that change something.
const CHANGING: &[&str] = &[
    "write_file",
    "replace",
    "run_shell_command",
    "web_fetch",
    "save_memory",
    // Judged like the others: the guard only lets read-only agents start.
    "invoke_agent",
];

/// Those that the CLI allows in its mode `auto_edit`.
const AUTO_EDIT: &[&str] = &["write_file", "replace", "web_fetch"];

pub(super) fn env(request: &AgentRequest) -> BTreeMap<String, String> {
    let mut env = environment::base(request);
    let home = request.home.display().to_string();
    environment::set(
        &mut env,
        &[
            ("GEMINI_CLI_HOME", home.as_str()),
            // It only works in a trusted workspace. Then it also loads `.gemini`, so the caller hides that folder.
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            // Prevents a wrapper process that ignores signals.
            ("GEMINI_CLI_NO_RELAUNCH", "1"),
        ],
    );
    if let ModelAccess::Gateway { base_url, token } = &request.access {
        environment::set(
            &mut env,
            &[(TOKEN, token.reveal()), ("GOOGLE_GEMINI_BASE_URL", base_url)],
        );
    }
    env
}

/// Without `-m MODEL`, the CLI spends a request on choosing one.
pub(super) fn model_args(request: &AgentRequest) -> Vec<String> {
    let model = request.model.iter();
    model.flat_map(|model| ["-m".to_owned(), model.clone()]).collect()
}

/// The protocol used with the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeminiProtocol {
    /// One prompt: no one can be asked, so a hook decides. Hooks fail open, so unknown tools are denied by rules.
    Headless,
    /// Over ACP there are no hooks, but it asks for permission.
    Acp,
}

/// Returns the settings and, with a guard or without approval, the rules and their argument.
pub(super) fn files(request: &AgentRequest, way: GeminiProtocol) -> (Vec<SettingsFile>, Vec<String>) {
    let mut settings = settings(request);
    let mut files = Vec::new();
    let mut rules = None;
    if let Some(guarded) = &request.guarded {
        if way == GeminiProtocol::Headless {
            settings["hooks"] = guarded_settings::hooks(
                request,
                guarded,
                PROGRAM,
                "BeforeTool",
                guarded_settings::GEMINI_TIMEOUT,
            );
            settings["hooksConfig"] = json!({"enabled": true});
            files.push(guarded_settings::policy_file(request, guarded));
        }
        rules = Some(guarded_rules(way));
    } else if way == GeminiProtocol::Headless
        && matches!(request.approval, ToolApproval::Ask | ToolApproval::AskEdits)
    {
        rules = Some(approval_rules(request));
    }
    let mut args = Vec::new();
    if let Some(mut text) = rules {
        allow_servers(&mut text, &request.mcp_servers);
        let path = request.home.join(RULES_FILE);
        args = vec!["--admin-policy".to_owned(), path.display().to_string()];
        files.push(SettingsFile { path, text });
    }
    files.push(SettingsFile {
        path: request.home.join(".gemini/settings.json"),
        text: settings.to_string(),
    });
    files.push(SettingsFile {
        path: request.home.join(".gemini/GEMINI.md"),
        text: request.instructions.clone(),
    });
    (files, args)
}

/// Returns an administrator rule in the CLI's policy format.
fn rule(tools: &[&str], decision: &str, priority: u32) -> String {
    let tools = match tools {
        ["*"] => "\"*\"".to_owned(),
        tools => format!("{tools:?}"),
    };
    format!("[[rule]]\ntoolName = {tools}\ndecision = \"{decision}\"\npriority = {priority}\n")
}

/// Returns the rules of a guarded agent. Read-only tools are always allowed.
fn guarded_rules(way: GeminiProtocol) -> String {
    let (others, changing) = match way {
        GeminiProtocol::Headless => ("deny", "allow"),
        GeminiProtocol::Acp => ("ask_user", "ask_user"),
    };
    let mut text = rule(&["*"], others, 10);
    if way == GeminiProtocol::Headless {
        text.push_str(
            "denyMessage = \"Permission Denied: unknown_tool (tool): gemicro does not know this tool\"\n",
        );
    }
    text.push_str(&rule(LOOKING, "allow", 100));
    text.push_str(&rule(CHANGING, changing, 100));
    if way == GeminiProtocol::Headless {
        text.push_str("allowRedirection = true\n");
    }
    text
}

/// Returns the rules where no one can approve a tool: the model may call tools that need approval, and gets the reason
/// of the denial.
fn approval_rules(request: &AgentRequest) -> String {
    let may_edit = approval_mode(request) == "auto_edit";
    let (allowed, denied): (Vec<&str>, Vec<&str>) = CHANGING
        .iter()
        .partition(|tool| may_edit && AUTO_EDIT.contains(tool));
    let deny = |tools: &[&str], priority| {
        let message = Denial::not_approved().message();
        format!("{}denyMessage = {message:?}\n", rule(tools, "deny", priority))
    };
    let mut text = deny(&["*"], 10);
    text.push_str(&rule(LOOKING, "allow", 100));
    if !allowed.is_empty() {
        text.push_str(&rule(&allowed, "allow", 100));
    }
    // The CLI hides tools that a rule denies whatever their arguments.
    text.push_str(&rule(&denied, "ask_user", 100));
    text.push_str(&deny(&denied, 200));
    text.push_str("argsPattern = \".\"\n");
    text
}

fn allow_servers(text: &mut String, servers: &[McpServer]) {
    for server in servers.iter().filter(|server| !server.allowed.is_empty()) {
        let tools: Vec<&str> = server.allowed.iter().map(String::as_str).collect();
        text.push_str(&rule(&tools, "allow", 100));
        let _ = writeln!(text, "mcpName = \"{}\"", server.name);
    }
}

/// Returns which tools the CLI allows by itself. In headless mode, no one can be asked: the rules deny the rest.
pub(super) fn approval_mode(request: &AgentRequest) -> &'static str {
    match (request.approval, request.sandbox) {
        _ if request.guarded.is_some() => "yolo",
        (ToolApproval::All, _) => "yolo",
        (ToolApproval::Ask, CliSandboxMode::ReadOnly)
        | (ToolApproval::AskEdits | ToolApproval::Harmless, _) => "default",
        (ToolApproval::Ask, CliSandboxMode::WorkspaceWrite | CliSandboxMode::DangerFullAccess) => "auto_edit",
    }
}

fn settings(request: &AgentRequest) -> Value {
    // With a base URL and no type, the CLI picks "gateway", which it then refuses.
    let auth = match request.access {
        ModelAccess::Gateway { .. } => "gemini-api-key",
        ModelAccess::Login => "oauth-personal",
    };
    let mut settings = json!({
        "security": {"auth": {"selectedType": auth}},
        "general": {
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
            "maxAttempts": MAX_ATTEMPTS,
            // Its clean-up would delete the history of other sessions.
            "sessionRetention": {"enabled": false},
        },
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        // A `.env` file of the workspace could redirect it to another provider.
        "advanced": {"ignoreLocalEnv": true},
        // A file of the workspace must not decide which other files can be read.
        "context": {"fileFiltering": {"respectGeminiIgnore": false}},
    });
    if let Some(limit) = request.turn_limit {
        settings["model"] = json!({"maxSessionTurns": limit});
    }
    if !request.given.is_empty() {
        // Its file tools refuse paths outside of its workspace folders. The guard prevents writing there.
        settings["context"]["includeDirectories"] = json!(request.given);
    }
    if !request.mcp_servers.is_empty() {
        let servers = request.mcp_servers.iter().map(|server| {
            let entry = match &server.reached {
                McpReached::Stdio { command, args, env } => {
                    json!({"command": command, "args": args, "env": env})
                }
                McpReached::Gateway { path } => json!({
                    "httpUrl": mcp_server::address(&request.access, path),
                    "headers": {"Authorization": format!("Bearer ${{{TOKEN}}}")},
                }),
            };
            (server.name.clone(), entry)
        });
        settings["mcpServers"] = Value::Object(servers.collect());
    }
    settings
}
