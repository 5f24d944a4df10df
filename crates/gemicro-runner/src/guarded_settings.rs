//! How a CLI is told to ask the guard before it uses a tool.
//!
//! The guarantee is the sandbox; this gives an agent a reason it can act on. What a CLI can be told differs: Gemini CLI
//! has rules of an administrator, hooks and, over ACP, requests for permission; Claude Code has hooks and requests;
//! Codex has rules for the beginnings of commands.

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
    /// Our own binary and the words that make it judge one call, for example `gemicro guard check`.
    pub check: Vec<String>,
    /// The name of the hook. A workspace can switch off hooks whose name it knows: nobody may guess it.
    pub hook: String,
    /// The user's additions to the built-in rules.
    pub policy: PolicyConfig,
}

/// Milliseconds that a hook may take: one that is ended lets its call pass.
const HOOK_MS: u64 = 60_000;
const POLICY_FILE: &str = "gemicro-guard.toml";

/// The command line of a hook, as a shell reads it.
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

/// A hook for every tool, in the form that Gemini CLI and Claude Code share.
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

/// How long Gemini CLI waits for a hook; it counts milliseconds.
pub(crate) const GEMINI_TIMEOUT: u64 = HOOK_MS;
/// How long Claude Code and Codex wait; they count seconds.
pub(crate) const SECONDS_TIMEOUT: u64 = HOOK_MS / 1000;

/// As in the user's settings.
#[derive(Serialize)]
struct SettingsSection<'a> {
    guard: &'a PolicyConfig,
}

/// The policy, for the hook to read.
pub(crate) fn policy_file(request: &AgentRequest, guarded: &GuardedSettings) -> SettingsFile {
    SettingsFile {
        path: policy_path(request),
        // What cannot be written cannot be read either, and the hook refuses everything then.
        text: toml::to_string(&SettingsSection {
            guard: &guarded.policy,
        })
        .unwrap_or_default(),
    }
}

fn policy_path(request: &AgentRequest) -> PathBuf {
    request.home.join(POLICY_FILE)
}

/// One word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

impl PermissionRequest {
    /// The call that is asked for, as the guard judges it. ACP tells a kind instead of a tool: there the command is the
    /// title, and a file is one of its locations.
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
            // A command that is not told cannot be judged.
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
            // It looks round in the workspace.
            "search" => ("list_directory".to_owned(), one("path", Value::from("."))),
            "think" => ("write_todos".to_owned(), Map::new()),
            "fetch" => ("web_fetch".to_owned(), one("url", title)),
            kind => (format!("acp:{kind}"), Map::new()),
        }
    }
}

/// The folder in which a command of ACP is run, where it is told: in words.
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

/// Every path that a request of ACP names: its locations and the files of its changes.
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
