//! Builds the arguments, environment and `config.toml` of `codex exec`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};
use serde::Serialize;
use serde_json::Value;

use super::result_reader::CodexReading;
use super::stream::CodexStream;
use crate::agent_cli::{AgentCli, CliKind, program};
use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, ProcessEnd};
use crate::environment;
use crate::guarded_settings;
use crate::invocation::{CliInput, Invocation, SettingsFile};
use crate::judge;
use crate::mcp_server::{self, McpReached};
use crate::prompt::{Habits, Mentions};
use crate::request::{AgentRequest, ModelAccess};
use crate::session::Session;
use crate::version::Version;

const HABITS: Habits = Habits {
    mentions: Mentions::None,
    commands: &['/'],
};

const RULES_FILE: &str = "gemicro.rules";
const INSTRUCTIONS_FILE: &str = "AGENTS.md";
/// Git subcommands that leave or rewrite the branch.
const LEAVING: &[&str] = &[
    "switch",
    "checkout",
    "push",
    "reset",
    "rebase",
    "merge",
    "update-ref",
    "symbolic-ref",
    "worktree",
];

const PROVIDER: &str = "gemicro";
/// The variable for the gateway's token.
const TOKEN: &str = "GEMICRO_GATEWAY_TOKEN";

/// The adapter for Codex CLI.
#[derive(Debug, Clone, Copy, Default)]
pub struct Codex;

/// The part of Codex's `config.toml` that gemicro writes.
#[derive(Serialize)]
struct Config<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_provider: Option<&'a str>,
    /// The cost of the provider's search cannot be limited, so it is off if there is a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    web_search: Option<&'a str>,
    /// Empty, so that the workspace root is the working folder and parent folders are not searched.
    project_root_markers: [&'a str; 0],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    model_providers: BTreeMap<&'a str, Provider<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    mcp_servers: BTreeMap<&'a str, CodexServer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<Value>,
    /// Folders, and whether their settings are trusted. Codex trusts folders that are not listed.
    projects: BTreeMap<String, CodexProject>,
    skills: Skills,
    analytics: CodexSwitch,
    otel: Exporters,
    features: Features,
}

#[derive(Serialize)]
struct CodexProject {
    trust_level: &'static str,
}

/// Skills of the workspace, whose descriptions it would show to the model even if the folder is untrusted.
#[derive(Serialize)]
struct Skills {
    include_instructions: bool,
    bundled: CodexSwitch,
}

/// Turns a feature on or off, such as analytics.
#[derive(Serialize)]
struct CodexSwitch {
    enabled: bool,
}

/// Exporters for metrics: all off. Without network access it would wait for them at exit.
#[derive(Serialize)]
struct Exporters {
    exporter: &'static str,
    trace_exporter: &'static str,
    metrics_exporter: &'static str,
}

/// Optional features that load external content.
#[derive(Serialize)]
struct Features {
    plugins: bool,
}

#[derive(Serialize)]
struct Provider<'a> {
    name: &'a str,
    base_url: String,
    env_key: &'a str,
    wire_api: &'a str,
    request_max_retries: u32,
    stream_max_retries: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
enum CodexServer<'a> {
    Stdio {
        command: &'a str,
        args: &'a [String],
        env: &'a BTreeMap<String, String>,
    },
    Http {
        url: String,
        bearer_token_env_var: &'a str,
    },
}

impl AgentCli for Codex {
    fn kind(&self) -> CliKind {
        CliKind::Codex
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn minimum_version(&self) -> Version {
        Version::new(0, 166, 0)
    }

    fn install_command(&self) -> &'static str {
        "npm install -g @openai/codex"
    }

    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure> {
        request.check()?;
        let prompt = request.prompt.render(HABITS)?;
        let home = codex_home(request);
        // Our sandbox surrounds the whole process; its own cannot be created inside it.
        let mut args = [
            "exec",
            "--json",
            "-s",
            "danger-full-access",
            "--skip-git-repo-check",
        ]
        .map(str::to_owned)
        .to_vec();
        match &request.session {
            Session::New | Session::NewNamed(_) => {}
            Session::Resume(id) => args.extend(["resume".to_owned(), id.argument()?]),
        }
        let mut files = vec![
            SettingsFile {
                path: home.join("config.toml"),
                text: config(request)?,
            },
            SettingsFile {
                path: home.join(INSTRUCTIONS_FILE),
                text: request.instructions.clone(),
            },
        ];
        if let Some(guarded) = &request.guarded {
            // The hook is ours, so it needs no manual trust; the workspace must not be able to disable it.
            args.extend(["--dangerously-bypass-hook-trust", "-c", "features.hooks=true"].map(str::to_owned));
            files.push(guarded_settings::policy_file(request, guarded));
            files.push(SettingsFile {
                path: home.join("rules").join(RULES_FILE),
                text: rules(),
            });
        }
        // The prompt is sent on standard input.
        args.push("-".to_owned());
        Ok(Invocation {
            program: program(self, request),
            args,
            env: env(request, &home),
            stdin: CliInput::Whole(prompt.into_bytes()),
            files,
            cwd: request.cwd.clone(),
        })
    }

    fn dialogue(&self, _request: &AgentRequest) -> Result<Dialogue, Failure> {
        Ok(Dialogue::new(Box::new(CodexStream::default())))
    }

    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
        judge::judge(&CodexReading, ended)
    }
}

/// Rules for commands that its hook would not see: prefixes of commands that leave the branch.
fn rules() -> String {
    let rule = |command: &&str| {
        format!(
            "prefix_rule(pattern=[\"git\",\"{command}\"], decision=\"forbidden\", \
             justification=\"Permission Denied: git_subcommand (git {command}): stay on your branch, and only commit\")\n"
        )
    };
    LEAVING.iter().map(rule).collect()
}

fn codex_home(request: &AgentRequest) -> PathBuf {
    request.home.join(".codex")
}

fn env(request: &AgentRequest, home: &Path) -> BTreeMap<String, String> {
    let mut env = environment::base(request);
    let home = home.display().to_string();
    environment::set(&mut env, &[("CODEX_HOME", home.as_str())]);
    if let ModelAccess::Gateway { token, .. } = &request.access {
        environment::set(&mut env, &[(TOKEN, token.reveal())]);
    }
    env
}

/// Marks the workspace as untrusted. Its settings could start programs or send the login elsewhere, and an agent may
/// have written them. Codex looks up the folder by its real path.
fn untrusted_projects(cwd: &Path) -> BTreeMap<String, CodexProject> {
    let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let names = [cwd, real.as_path()].map(|path| path.display().to_string());
    let trust_level = "untrusted";
    names
        .into_iter()
        .map(|name| (name, CodexProject { trust_level }))
        .collect()
}

fn config(request: &AgentRequest) -> Result<String, Failure> {
    let mut config = Config {
        model: request.model.as_deref(),
        model_provider: None,
        web_search: None,
        model_providers: BTreeMap::new(),
        mcp_servers: BTreeMap::new(),
        hooks: request.guarded.as_ref().map(|guarded| {
            guarded_settings::hooks(
                request,
                guarded,
                "codex",
                "PreToolUse",
                guarded_settings::SECONDS_TIMEOUT,
            )
        }),
        projects: untrusted_projects(&request.cwd),
        skills: Skills {
            include_instructions: false,
            bundled: CodexSwitch { enabled: false },
        },
        project_root_markers: [],
        analytics: CodexSwitch { enabled: false },
        otel: Exporters {
            exporter: "none",
            trace_exporter: "none",
            metrics_exporter: "none",
        },
        features: Features { plugins: false },
    };
    if let ModelAccess::Gateway { base_url, .. } = &request.access {
        config.model_provider = Some(PROVIDER);
        config.web_search = Some("disabled");
        config.model_providers.insert(
            PROVIDER,
            Provider {
                name: PROVIDER,
                base_url: format!("{base_url}/v1"),
                env_key: TOKEN,
                wire_api: "responses",
                // Retrying is the engine's policy.
                request_max_retries: 1,
                stream_max_retries: 1,
            },
        );
    }
    for server in &request.mcp_servers {
        let entry = match &server.reached {
            McpReached::Stdio { command, args, env } => CodexServer::Stdio { command, args, env },
            McpReached::Gateway { path } => CodexServer::Http {
                url: mcp_server::address(&request.access, path),
                bearer_token_env_var: TOKEN,
            },
        };
        config.mcp_servers.insert(&server.name, entry);
    }
    toml::to_string(&config)
        .map_err(|error| Failure::new(ErrorKind::Internal, format!("config.toml: {error}")))
}
