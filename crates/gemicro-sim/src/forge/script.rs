//! The configuration of a simulated forge, as data or YAML.

use serde::Deserialize;

use crate::scenario::yaml;

/// One repository at a simulated forge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeScript {
    /// The API it simulates.
    pub api: ForgeApi,
    /// Owner and name, or groups and name.
    #[serde(default = "default_project")]
    pub project: String,
    /// The branch that requests are merged into.
    #[serde(default = "default_branch")]
    pub default_branch: String,
    /// Protection of that branch, and how much the token may see.
    #[serde(default)]
    pub protection: ScriptedProtection,
    /// The only valid token; by default no token is needed.
    #[serde(default)]
    pub token: Option<String>,
    /// Permissions of the token.
    #[serde(default)]
    pub rights: TokenRights,
    /// The merge requests at the start, numbered from 1.
    #[serde(default)]
    pub requests: Vec<ScriptedRequest>,
    /// The faults to simulate. For each purpose, they are used in order.
    #[serde(default)]
    pub faults: Vec<ForgeFault>,
}

/// The API of a simulated forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgeApi {
    /// GitHub's REST API, at the root of the address.
    GitHub,
    /// GitLab's REST API, below `/api/v4`.
    GitLab,
}

/// Protection of the default branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedProtection {
    /// No rule protects the branch.
    #[default]
    Off,
    /// A rule for this branch requires merge requests and blocks force pushes.
    On,
    /// A rule for this branch does neither.
    Weak,
    /// A ruleset at GitHub, a pattern at GitLab.
    Ruleset,
    /// It is protected, but the token may not see how.
    Forbidden,
    /// It is not protected, but the token may not see the rules.
    ForbiddenOff,
}

/// Permissions of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRights {
    /// Read, create and update.
    #[default]
    Write,
    /// Read only.
    Read,
}

/// An open merge request at the start.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRequest {
    /// The branch with the work.
    pub head: String,
    /// The target branch.
    pub base: String,
    /// Title shown to users.
    pub title: String,
    /// The description, in Markdown.
    #[serde(default)]
    pub body: String,
    /// Whether it comes from a fork, which has a branch of the same name.
    #[serde(default)]
    pub fork: bool,
}

/// A simulated fault.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeFault {
    /// The calls it affects.
    pub on: CallPurpose,
    /// Number of affected calls.
    #[serde(default = "once")]
    pub times: u32,
    /// The fault.
    pub what: ForgeFaultKind,
}

/// The purpose of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPurpose {
    /// Reads the repository and its default branch.
    Repository,
    /// Reads the protection of a branch, by any call.
    Protection,
    /// Lists the merge requests.
    List,
    /// Opens a merge request.
    Create,
    /// Changes the title or description of a merge request.
    Update,
}

/// The effect of a fault on a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgeFaultKind {
    /// Answers with this status; nothing is done.
    Status(u16),
    /// The call is done, but answered with this status.
    DoneThenStatus(u16),
    /// The call is done, but the answer is cut off.
    DoneThenCut,
    /// The call is done, but no answer is sent while the forge runs.
    DoneThenHang,
    /// Another user opens the same merge request a moment before.
    Race,
    /// Answers with an HTML page.
    Garbage,
    /// Redirects to another address.
    Redirect(String),
    /// Reports too many calls; the wait is in seconds.
    RateLimit(u64),
    /// Repeats the token in the error.
    Echo,
    /// Returns an empty list, as if the newest requests were not indexed yet.
    Stale,
}

/// An error in a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ForgeScriptError {
    /// Name of the text, for errors.
    pub file: String,
    /// Line of the invalid value, counted from 1.
    pub line: u64,
    /// Column of the invalid value, counted from 1.
    pub column: u64,
    /// What was found and what was expected.
    pub message: String,
}

impl ForgeScript {
    /// Creates a repository `octo/hello` without protection, merge requests or faults, that needs no token.
    #[must_use]
    pub fn new(api: ForgeApi) -> Self {
        Self {
            api,
            project: default_project(),
            default_branch: default_branch(),
            protection: ScriptedProtection::default(),
            token: None,
            rights: TokenRights::default(),
            requests: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Parses a script from YAML; `file` is its name in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, ForgeScriptError> {
        yaml::parse(text, "a forge").map_err(|wrong| ForgeScriptError {
            file: file.to_owned(),
            line: wrong.line,
            column: wrong.column,
            message: wrong.message,
        })
    }
}

fn default_project() -> String {
    "octo/hello".to_owned()
}

fn default_branch() -> String {
    "main".to_owned()
}

fn once() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_from_yaml() {
        let text = "\
api: gitlab
project: group/sub/hello
protection: forbidden
token: secret
rights: read
requests:
  - { head: task/a, base: main, title: A }
faults:
  - { on: list, times: 2, what: { status: 500 } }
  - { on: create, what: done_then_cut }
";
        let expected = ForgeScript {
            project: "group/sub/hello".to_owned(),
            protection: ScriptedProtection::Forbidden,
            token: Some("secret".to_owned()),
            rights: TokenRights::Read,
            requests: vec![ScriptedRequest {
                head: "task/a".to_owned(),
                base: "main".to_owned(),
                title: "A".to_owned(),
                body: String::new(),
                fork: false,
            }],
            faults: vec![
                ForgeFault {
                    on: CallPurpose::List,
                    times: 2,
                    what: ForgeFaultKind::Status(500),
                },
                ForgeFault {
                    on: CallPurpose::Create,
                    times: 1,
                    what: ForgeFaultKind::DoneThenCut,
                },
            ],
            ..ForgeScript::new(ForgeApi::GitLab)
        };
        assert_eq!(ForgeScript::parse("forge.yaml", text), Ok(expected));
    }

    #[test]
    fn a_wrong_script_says_where() {
        let error = ForgeScript::parse("forge.yaml", "api: github\nprotektion: on\n").unwrap_err();
        assert!(error.to_string().starts_with("forge.yaml:2:1: "), "{error}");
    }
}
