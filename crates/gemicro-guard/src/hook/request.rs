//! Reads a request into a [`GuardedCall`].

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::HookError;
use super::format::HookFormat;
use crate::policy::GuardedCall;

/// A request whose text is JSON.
#[derive(Debug)]
pub struct HookRequest(Map<String, Value>);

impl HookRequest {
    /// Reads the text of a request.
    pub fn parse(text: &str) -> Result<Self, HookError> {
        Ok(Self(serde_json::from_str(text)?))
    }

    /// The format that it seems to have: a hook names its event, and any other request is in gemicro's own format.
    pub fn format(&self) -> HookFormat {
        let event = self.0.get("hook_event_name").and_then(Value::as_str);
        event
            .and_then(HookFormat::of_event)
            .unwrap_or(HookFormat::Neutral)
    }

    /// The tool call that it asks for. `worktree` is the task's folder as the caller knows it: a CLI's request cannot
    /// choose it, and a request in the neutral format may only omit or repeat it.
    pub fn call(&self, format: HookFormat, worktree: Option<&Path>) -> Result<GuardedCall, HookError> {
        read(format, &self.0, worktree)
    }
}

fn read(
    format: HookFormat,
    request: &Map<String, Value>,
    worktree: Option<&Path>,
) -> Result<GuardedCall, HookError> {
    match format.event() {
        Some(expected) => {
            let found = text_of(request, "hook_event_name")?;
            if found != expected {
                return Err(HookError::WrongEvent {
                    found: found.to_owned(),
                    expected,
                });
            }
            from_cli(request, worktree)
        }
        None => neutral(request, worktree),
    }
}

fn from_cli(request: &Map<String, Value>, worktree: Option<&Path>) -> Result<GuardedCall, HookError> {
    let cwd = PathBuf::from(text_of(request, "cwd")?);
    let args = match request.get("tool_input") {
        Some(Value::Object(args)) => args.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(HookError::Field { field: "tool_input" }),
    };
    Ok(GuardedCall {
        tool: text_of(request, "tool_name")?.to_owned(),
        args,
        worktree: worktree.map_or_else(|| cwd.clone(), Path::to_path_buf),
        cwd,
    })
}

fn neutral(request: &Map<String, Value>, worktree: Option<&Path>) -> Result<GuardedCall, HookError> {
    let mut args = match request.get("args") {
        Some(Value::Object(args)) => args.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(HookError::Field { field: "args" }),
    };
    match request.get("command") {
        None | Some(Value::Null) => {}
        // Two commands in one request: it is unknown which one runs.
        Some(_) if args.contains_key("command") => return Err(HookError::Field { field: "command" }),
        Some(command) => {
            args.insert("command".to_owned(), command.clone());
        }
    }
    let named = match request.get("worktree") {
        None | Some(Value::Null) => None,
        Some(_) => Some(PathBuf::from(text_of(request, "worktree")?)),
    };
    let worktree = match (worktree, named) {
        (Some(known), Some(named)) if known != named => return Err(HookError::Field { field: "worktree" }),
        (Some(known), _) => known.to_path_buf(),
        (None, Some(named)) => named,
        (None, None) => PathBuf::from(text_of(request, "cwd")?),
    };
    let cwd = match request.get("cwd") {
        None | Some(Value::Null) => worktree.clone(),
        Some(_) => PathBuf::from(text_of(request, "cwd")?),
    };
    Ok(GuardedCall {
        tool: text_of(request, "tool")?.to_owned(),
        args,
        cwd,
        worktree,
    })
}

fn text_of<'a>(request: &'a Map<String, Value>, field: &'static str) -> Result<&'a str, HookError> {
    request
        .get(field)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .ok_or(HookError::Field { field })
}
