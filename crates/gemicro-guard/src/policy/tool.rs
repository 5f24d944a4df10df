//! Classifies the tool of a call and checks its arguments. Unknown tools are denied.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::call::GuardedCall;
use super::config::PolicyConfig;
use super::decision::Denial;
use super::paths::Roots;
use super::rule::PolicyRule;
use super::{address, patch, shell};

/// The kind of a tool, which decides the rules for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolKind {
    /// Runs a shell command.
    Shell,
    /// Writes the files it names.
    Write,
    /// Applies a patch that names its files.
    Patch,
    /// Reads or lists the paths it names.
    Read,
    /// Reads the files that match its glob pattern.
    Glob,
    Fetch,
    /// Starts an agent inside the agent.
    SubAgent,
    /// Touches nothing but the conversation.
    Harmless,
}

/// Sub-agents that only read; their own tool calls are judged one by one.
const LOOKING_AGENTS: &[&str] = &["codebase_investigator"];

/// Names in lower case without `_` and `-`: CLIs spell the same tool in several ways.
const TOOLS: &[(ToolKind, &[&str])] = &[
    (
        ToolKind::Shell,
        &[
            "bash",
            "shell",
            "executeshellcommand",
            "runshellcommand",
            "localshell",
            "shellcommand",
            "execcommand",
            "container.exec",
            "terminal",
            "runterminalcommand",
            "monitor",
        ],
    ),
    (
        ToolKind::Write,
        &[
            "writefile",
            "write",
            "edit",
            "multiedit",
            "replace",
            "editfile",
            "notebookedit",
            "createfile",
            "deletefile",
            "movefile",
            "renamefile",
            "strreplaceeditor",
            "strreplacebasededittool",
        ],
    ),
    (ToolKind::Patch, &["applypatch"]),
    (
        ToolKind::Read,
        &[
            "readfile",
            "read",
            "readmanyfiles",
            "notebookread",
            "grep",
            "grepsearch",
            "searchfilecontent",
            "ls",
            "listdirectory",
            "listdir",
            "viewimage",
        ],
    ),
    (ToolKind::Glob, &["glob", "findfiles"]),
    (ToolKind::Fetch, &["webfetch", "fetch"]),
    (ToolKind::SubAgent, &["invokeagent"]),
    (
        ToolKind::Harmless,
        &[
            "todowrite",
            "todoread",
            "writetodos",
            "updateplan",
            "exitplanmode",
            "enterplanmode",
            "bashoutput",
            "killshell",
            "killbash",
            "websearch",
            "googlewebsearch",
            "askuser",
            "askuserquestion",
            "toolsearch",
            "completetask",
        ],
    ),
];

/// Argument names that carry one path.
const PATH_KEYS: &[&str] = &[
    "file_path",
    "path",
    "absolute_path",
    "notebook_path",
    "filepath",
    "dir_path",
    "directory",
    "target_file",
    "filename",
    "file",
    "source",
    "destination",
    "old_path",
    "new_path",
    "source_path",
    "destination_path",
];
/// Argument names that carry several.
const PATHS_KEYS: &[&str] = &["paths", "files", "file_paths", "include"];
/// Argument names that carry the folder a shell command starts in.
const FOLDER_KEYS: &[&str] = &["dir_path", "directory", "workdir", "cwd", "working_directory"];

/// Judges a call by its tool.
pub(super) fn judge(config: &PolicyConfig, call: &GuardedCall) -> Result<(), Denial> {
    let roots = Roots {
        worktree: &call.worktree,
        config,
    };
    if let Some(file) = config.settings_file.as_deref()
        && roots.could_change(file)
    {
        let hint = "the agent can write the guard's settings file; the user must move it outside the agent's folders";
        return Err(Denial::new(
            PolicyRule::Internal,
            file.display().to_string(),
            hint,
        ));
    }
    if config.tools.contains(&call.tool) {
        return Ok(());
    }
    if !call.worktree.is_absolute() || !call.cwd.is_absolute() {
        return Err(arguments(
            call,
            "the worktree and the working directory must be absolute paths",
        ));
    }
    let kind = kind_of(&call.tool).ok_or_else(|| {
        Denial::new(
            PolicyRule::UnknownTool,
            call.tool.clone(),
            "this tool is not allowed here; use the shell or the file tools",
        )
    })?;
    match kind {
        ToolKind::Shell => shell_call(&roots, call),
        ToolKind::Write => {
            let found = named_paths(call)?;
            if found.is_empty() {
                return Err(arguments(call, "give the file to write in `file_path`"));
            }
            found
                .iter()
                .try_for_each(|path| roots.writable(&place(call, path)?, path))
        }
        ToolKind::Patch => patch_call(&roots, call),
        ToolKind::Read => read_call(&roots, call),
        ToolKind::Glob => {
            for pattern in text_of(&call.args, "pattern").into_iter() {
                let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
                let has_parent = pattern.split(['/', ',', '{', '}']).any(|part| part == "..");
                if has_parent
                    || place(call, fixed)
                        .and_then(|path| roots.readable(&path, pattern))
                        .is_err()
                {
                    return Err(Denial::new(
                        PolicyRule::OutsideWorktree,
                        pattern,
                        "look inside the worktree only",
                    ));
                }
            }
            read_call(&roots, call)
        }
        ToolKind::Fetch => fetch_call(config, call),
        ToolKind::SubAgent => match text_of(&call.args, "agent_name") {
            Some(name) if LOOKING_AGENTS.contains(&name) => Ok(()),
            Some(_) | None => Err(Denial::new(
                PolicyRule::UnknownTool,
                call.tool.clone(),
                "only the agent codebase_investigator can be started here; do the rest yourself",
            )),
        },
        ToolKind::Harmless => Ok(()),
    }
}

/// Judges a patch that a program of a shell line applies.
pub(super) fn patch_text(roots: &Roots<'_>, cwd: &Path, text: &str) -> Result<(), Denial> {
    let found = patch::paths(text);
    if found.is_empty() {
        return Err(Denial::new(
            PolicyRule::ToolArguments,
            text,
            "the patch does not name a file",
        ));
    }
    found
        .iter()
        .try_for_each(|path| roots.writable(&plain_place(cwd, path)?, path))
}

fn kind_of(tool: &str) -> Option<ToolKind> {
    let name: String = tool
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .collect();
    TOOLS
        .iter()
        .find(|(_, names)| names.contains(&name.as_str()))
        .map(|(kind, _)| *kind)
}

fn shell_call(roots: &Roots<'_>, call: &GuardedCall) -> Result<(), Denial> {
    let mut cwd = call.cwd.clone();
    for key in FOLDER_KEYS {
        match call.args.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(folder)) => cwd = plain_place(&cwd, folder)?,
            Some(_) => return Err(arguments(call, "the working directory must be a string")),
        }
    }
    let mut n_commands = 0;
    // The tool decides which of several commands runs, so each must be allowed.
    for command in ["command", "cmd", "script"]
        .iter()
        .filter_map(|key| call.args.get(*key))
    {
        n_commands += 1;
        match command {
            Value::String(text) => shell::line(roots, &cwd, text)?,
            Value::Array(words) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                let words = words.ok_or_else(|| arguments(call, "the words of a command must be strings"))?;
                shell::words(roots, &cwd, &words)?;
            }
            _ => return Err(arguments(call, "give the command in `command`")),
        }
    }
    if n_commands == 0 {
        return Err(arguments(call, "give the command in `command`"));
    }
    Ok(())
}

fn patch_call(roots: &Roots<'_>, call: &GuardedCall) -> Result<(), Denial> {
    for path in named_paths(call)? {
        roots.writable(&place(call, &path)?, &path)?;
    }
    let mut n_patches = 0;
    // Codex' hooks carry the patch in `command`.
    for text in ["input", "patch", "diff", "content", "command"]
        .iter()
        .filter_map(|key| text_of(&call.args, key))
    {
        n_patches += 1;
        patch_text(roots, &call.cwd, text)?;
    }
    if n_patches == 0 {
        return Err(arguments(call, "give the patch in `input`"));
    }
    Ok(())
}

fn read_call(roots: &Roots<'_>, call: &GuardedCall) -> Result<(), Denial> {
    for path in named_paths(call)? {
        let fixed = path.split(['*', '?', '{']).next().unwrap_or_default();
        let checked = if path.split('/').any(|part| part == "..") {
            &path
        } else {
            fixed
        };
        roots.readable(&place(call, checked)?, &path)?;
    }
    Ok(())
}

fn fetch_call(config: &PolicyConfig, call: &GuardedCall) -> Result<(), Denial> {
    if config.deny_web {
        return Err(Denial::new(
            PolicyRule::UnknownTool,
            call.tool.clone(),
            "fetching from the web is switched off",
        ));
    }
    let texts: Vec<&str> = call.args.values().flat_map(texts).collect();
    let mut n_addresses = 0;
    for text in texts {
        for url in address::in_text(text) {
            address::public(url)?;
            n_addresses += 1;
        }
    }
    match text_of(&call.args, "url") {
        Some(url) => address::public(url),
        None if n_addresses > 0 => Ok(()),
        None => Err(arguments(call, "give the address in `url`")),
    }
}

/// Every path that the arguments name.
fn named_paths(call: &GuardedCall) -> Result<Vec<String>, Denial> {
    let mut found = Vec::new();
    for (key, value) in &call.args {
        let key = key.to_lowercase();
        if PATH_KEYS.contains(&key.as_str()) || PATHS_KEYS.contains(&key.as_str()) {
            match value {
                Value::Null => {}
                Value::String(path) => found.push(path.clone()),
                Value::Array(paths) if PATHS_KEYS.contains(&key.as_str()) => {
                    for path in paths {
                        let path = path
                            .as_str()
                            .ok_or_else(|| arguments(call, "paths must be strings"))?;
                        found.push(path.to_owned());
                    }
                }
                _ => return Err(arguments(call, "paths must be strings")),
            }
        }
    }
    Ok(found)
}

fn place(call: &GuardedCall, path: &str) -> Result<PathBuf, Denial> {
    plain_place(&call.cwd, path)
}

/// A path from a tool's argument. No shell expands it, so `~` and control characters are refused.
fn plain_place(cwd: &Path, path: &str) -> Result<PathBuf, Denial> {
    if path.starts_with('~') || path.chars().any(char::is_control) {
        return Err(Denial::new(
            PolicyRule::OutsideWorktree,
            path,
            "write the path plainly, inside the worktree",
        ));
    }
    // Not normalised: `link/..` must be followed as the kernel would.
    Ok(cwd.join(path))
}

fn text_of<'a>(args: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    args.get(key).and_then(Value::as_str)
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn arguments(call: &GuardedCall, hint: &str) -> Denial {
    Denial::new(PolicyRule::ToolArguments, call.tool.clone(), hint)
}
