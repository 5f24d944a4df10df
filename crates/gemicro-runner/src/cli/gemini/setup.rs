//! What both ways of running Gemini CLI need: environment, settings, policy.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::environment;
use crate::invocation::SettingsFile;
use crate::request::{AgentRequest, ModelAccess};
use crate::version::Version;

pub(super) const PROGRAM: &str = "gemini";
pub(super) const INSTALL: &str = "npm install -g @google/gemini-cli";
pub(super) const MINIMUM: Version = Version::new(0, 61, 0);

/// The CLI's own default of 10 is silent for minutes while a limit lasts; retrying is the engine's policy.
const MAX_ATTEMPTS: u32 = 2;

/// The whole environment.
pub(super) fn env(request: &AgentRequest) -> BTreeMap<String, String> {
    let mut env = environment::base(request);
    let home = request.home.display().to_string();
    environment::set(
        &mut env,
        &[
            ("GEMINI_CLI_HOME", home.as_str()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            // One process instead of a wrapper that ignores signals.
            ("GEMINI_CLI_NO_RELAUNCH", "1"),
        ],
    );
    if let ModelAccess::Gateway { base_url, token } = &request.access {
        environment::set(
            &mut env,
            &[
                ("GEMINI_API_KEY", token.reveal()),
                ("GOOGLE_GEMINI_BASE_URL", base_url),
            ],
        );
    }
    env
}

/// `-m MODEL`: without it the CLI spends a request to choose one.
pub(super) fn model_args(request: &AgentRequest) -> Vec<String> {
    let model = request.model.iter();
    model.flat_map(|model| ["-m".to_owned(), model.clone()]).collect()
}

/// Settings, and the policy with its argument.
pub(super) fn files(request: &AgentRequest, admin_policy: Option<&str>) -> (Vec<SettingsFile>, Vec<String>) {
    let mut files = vec![SettingsFile {
        path: request.home.join(".gemini/settings.json"),
        text: settings(request).to_string(),
    }];
    let mut args = Vec::new();
    if let Some(policy) = admin_policy {
        let path = policy_path(request);
        args = vec!["--admin-policy".to_owned(), path.display().to_string()];
        files.push(SettingsFile {
            path,
            text: policy.to_owned(),
        });
    }
    (files, args)
}

fn policy_path(request: &AgentRequest) -> PathBuf {
    request.home.join("gemicro-policy.toml")
}

fn settings(request: &AgentRequest) -> Value {
    // With a base URL and no type the CLI picks "gateway", which it then refuses.
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
            // Its clean-up deletes the history of other sessions.
            "sessionRetention": {"enabled": false},
        },
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    if let Some(limit) = request.turn_limit {
        settings["model"] = json!({"maxSessionTurns": limit});
    }
    if !request.mcp_servers.is_empty() {
        let servers = request.mcp_servers.iter().map(|server| {
            let entry = json!({"command": server.command, "args": server.args, "env": server.env});
            (server.name.clone(), entry)
        });
        settings["mcpServers"] = Value::Object(servers.collect());
    }
    settings
}
