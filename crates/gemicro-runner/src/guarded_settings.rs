//! Configures a CLI to ask the guard before it uses a tool.
//!
//! The sandbox enforces the rules; the guard gives the agent a reason it can act on. CLIs differ: Gemini CLI has
//! administrator rules, hooks and, over ACP, permission requests; Claude Code has hooks and requests; Codex has rules
//! for command prefixes.

use std::path::PathBuf;

use gemicro_guard::policy::{GuardedCall, PolicyConfig};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::invocation::SettingsFile;
use crate::permission::PermissionRequest;
use crate::request::AgentRequest;

/// The guard of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedSettings {
    /// Command that judges one call: our own binary and arguments, for example `gemicro guard check`.
    pub check: Vec<String>,
    /// Name of the hook. It must be unguessable, because a workspace can disable hooks by name.
    pub hook: String,
    /// The user's additions to the built-in rules.
    pub policy: PolicyConfig,
}

/// Maximum duration of a hook in milliseconds. If it times out, the CLI allows the call.
const HOOK_MS: u64 = 60_000;
const POLICY_FILE: &str = "gemicro-guard.toml";

/// Returns the shell command of a hook.
pub(crate) fn hook_line(request: &AgentRequest, guarded: &GuardedSettings, cli: &str) -> String {
    let (worktree, policy) = (request.cwd.display(), policy_path(request));
    let mut words = guarded.check.clone();
    words.extend(["--cli", cli, "--worktree"].map(str::to_owned));
    words.extend([
        worktree.to_string(),
        "--settings".to_owned(),
        policy.display().to_string(),
    ]);
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Returns a hook for every tool, in the format of Gemini CLI and Claude Code.
pub(crate) fn hooks(
    request: &AgentRequest,
    guarded: &GuardedSettings,
    cli: &str,
    event: &str,
    timeout: u64,
) -> Value {
    json!({event: [{
        "matcher": "*",
        "hooks": [{
            "type": "command",
            "command": hook_line(request, guarded, cli),
            "name": guarded.hook,
            "timeout": timeout,
        }],
    }]})
}

/// Hook timeout of Gemini CLI, in milliseconds.
pub(crate) const GEMINI_TIMEOUT: u64 = HOOK_MS;
/// Hook timeout of Claude Code and Codex, in seconds.
pub(crate) const SECONDS_TIMEOUT: u64 = HOOK_MS / 1000;

/// The section of the user's settings.
#[derive(Serialize)]
struct SettingsSection<'a> {
    guard: &'a PolicyConfig,
}

/// Returns the file with the policy, which the hook reads.
pub(crate) fn policy_file(request: &AgentRequest, guarded: &GuardedSettings) -> SettingsFile {
    SettingsFile {
        path: policy_path(request),
        // If it cannot be serialised, the file is empty and the hook refuses everything.
        text: toml::to_string(&SettingsSection {
            guard: &guarded.policy,
        })
        .unwrap_or_default(),
    }
}

fn policy_path(request: &AgentRequest) -> PathBuf {
    request.home.join(POLICY_FILE)
}

/// Quotes one word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl PermissionRequest {
    /// Returns the call for the guard to judge. ACP gives a kind instead of a tool: then the command is the title, and
    /// files are in the locations.
    #[must_use]
    pub fn tool_call(&self, worktree: impl Into<PathBuf>) -> GuardedCall {
        let worktree = worktree.into();
        let arguments = self.input.as_object().cloned().unwrap_or_default();
        let is_acp = arguments.contains_key("locations") && arguments.contains_key("content");
        let (tool, args) = if is_acp {
            self.by_kind(&arguments)
        } else {
            (self.tool.clone(), arguments)
        };
        GuardedCall {
            tool,
            args,
            cwd: worktree.clone(),
            worktree,
        }
    }

    fn by_kind(&self, arguments: &Map<String, Value>) -> (String, Map<String, Value>) {
        let title = Value::from(self.title.clone().unwrap_or_default());
        let one = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
        let paths = paths(arguments);
        match self.tool.as_str() {
            // A missing command cannot be judged.
            "execute" if title != "" => {
                let mut args = one("command", title);
                args.extend(folder(arguments).map(|folder| ("directory".to_owned(), folder)));
                ("run_shell_command".to_owned(), args)
            }
            "edit" | "delete" | "move" if !paths.is_empty() => {
                ("write_file".to_owned(), one("paths", paths.into()))
            }
            "read" | "search" if !paths.is_empty() => {
                ("read_many_files".to_owned(), one("paths", paths.into()))
            }
            // A search in the workspace.
            "search" => ("list_directory".to_owned(), one("path", Value::from("."))),
            "think" => ("write_todos".to_owned(), Map::new()),
            "fetch" => ("web_fetch".to_owned(), one("url", title)),
            kind => (format!("acp:{kind}"), Map::new()),
        }
    }
}

/// Returns the folder in which an ACP command runs, if its text names it.
fn folder(arguments: &Map<String, Value>) -> Option<Value> {
    let texts = arguments.get("content")?.as_array()?.iter();
    let mut texts = texts.filter_map(|part| part.get("content")?.get("text")?.as_str());
    texts.find_map(|text| {
        let rest = text.trim().strip_suffix(']')?;
        let folder = rest
            .strip_prefix("[current working directory ")
            .or_else(|| rest.strip_prefix("[in "));
        folder.map(Value::from)
    })
}

/// Returns all paths in an ACP request: its locations and the files of its changes.
fn paths(arguments: &Map<String, Value>) -> Vec<Value> {
    let parts = ["locations", "content"]
        .into_iter()
        .filter_map(|name| arguments.get(name)?.as_array());
    let paths = parts.flatten().filter_map(|part| part.get("path"));
    paths.cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gemicro_event::Json;
    use gemicro_guard::policy::{PolicyDecision, check};

    use super::*;
    use crate::permission::PermissionId;

    fn decide(tool: &str, title: &str, input: Value) -> PolicyDecision {
        let request = PermissionRequest {
            id: PermissionId("1".to_owned()),
            tool_call_id: None,
            tool: tool.to_owned(),
            title: Some(title.to_owned()),
            input: Json::from(input),
        };
        check(
            &PolicyConfig::default(),
            &request.tool_call(Path::new("/task/wt")),
        )
    }

    #[test]
    fn requests_of_acp_are_judged_by_what_they_name() {
        let inside = |folder: &str| {
            let text = format!("[current working directory {folder}]");
            json!({"content": [{"type": "content", "content": {"type": "text", "text": text}}], "locations": []})
        };
        let nothing = json!({"content": [], "locations": []});
        let at = |path: &str| json!({"content": [], "locations": [{"path": path}]});
        let diff =
            |path: &str| json!({"content": [{"type": "diff", "path": path, "newText": ""}], "locations": []});
        let table = [
            ("execute", "cargo test", nothing.clone(), true),
            ("execute", "git checkout -b evil", nothing.clone(), false),
            ("execute", "", nothing.clone(), false),
            ("execute", "rm a.txt", inside("/task/wt/sub"), true),
            ("execute", "rm a.txt", inside("/etc"), false),
            ("edit", "a.txt", diff("/task/wt/a.txt"), true),
            ("edit", "a.txt", diff("/task/wt/.git/config"), false),
            ("edit", "a.txt", diff("/etc/passwd"), false),
            ("edit", "a.txt", nothing.clone(), false),
            ("delete", "a.txt", at("/task/git/HEAD"), false),
            ("read", "f.txt", at("/task/wt/f.txt"), true),
            ("read", "f.txt", nothing.clone(), false),
            ("search", ".", nothing.clone(), true),
            ("fetch", "https://example.com/a", nothing.clone(), true),
            ("other", "anything", nothing, false),
        ];
        for (kind, title, input, expected) in table {
            let decision = decide(kind, title, input.clone());
            assert_eq!(
                decision.is_allowed(),
                expected,
                "{kind} {title} {input}: {decision:?}"
            );
        }
    }

    #[test]
    fn requests_of_claude_are_judged_as_they_are() {
        assert!(decide("Bash", "", json!({"command": "git status"})).is_allowed());
        assert!(!decide("Bash", "", json!({"command": "git push"})).is_allowed());
        assert!(!decide("Unheard", "", json!({})).is_allowed());
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
