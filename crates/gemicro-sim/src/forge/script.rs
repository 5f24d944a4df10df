//! What a simulated forge is like, as data or as YAML.

use serde::Deserialize;

use crate::scenario::yaml;

/// One repository at a simulated forge.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeScript {
    /// Whose API it speaks.
    pub api: ForgeApi,
    /// Owner and name, or groups and name.
    #[serde(default = "default_project")]
    pub project: String,
    /// The branch that requests are merged into.
    #[serde(default = "default_branch")]
    pub default_branch: String,
    /// How that branch is protected, and what the token may see of it.
    #[serde(default)]
    pub protection: ScriptedProtection,
    /// The only token that is good; without one, everybody may ask.
    #[serde(default)]
    pub token: Option<String>,
    /// What the token may do.
    #[serde(default)]
    pub rights: TokenRights,
    /// The requests that are there at the start, numbered from 1.
    #[serde(default)]
    pub requests: Vec<ScriptedRequest>,
    /// What goes wrong. Of those for the same purpose, the first that is not used up comes next.
    #[serde(default)]
    pub faults: Vec<ForgeFault>,
}

/// Whose API a simulated forge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgeApi {
    /// GitHub's REST API, at the root of the address.
    GitHub,
    /// GitLab's REST API, below `/api/v4`.
    GitLab,
}

/// How the default branch is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedProtection {
    /// No rule protects the branch.
    #[default]
    Off,
    /// By a rule for this branch that requires requests and blocks force pushes.
    On,
    /// By a rule for this branch that does neither.
    Weak,
    /// At GitHub by a ruleset, at GitLab by a pattern.
    Ruleset,
    /// It is protected, and the token may not see how.
    Forbidden,
    /// It is not protected, and the token may not see the rules.
    ForbiddenOff,
}

/// What a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenRights {
    /// Reads, creates and updates.
    #[default]
    Write,
    /// Reads, but creates and updates nothing.
    Read,
}

/// A request that is there at the start, open.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedRequest {
    /// The branch with the work.
    pub head: String,
    /// The branch it is for.
    pub base: String,
    /// Title, as it is shown to people.
    pub title: String,
    /// The description, in Markdown.
    #[serde(default)]
    pub body: String,
    /// It comes from a fork: another repository with a branch of that name.
    #[serde(default)]
    pub fork: bool,
}

/// Something that goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForgeFault {
    /// The calls that it befalls.
    pub on: CallPurpose,
    /// How many of them.
    #[serde(default = "once")]
    pub times: u32,
    /// The fault that these calls meet.
    pub what: ForgeFaultKind,
}

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPurpose {
    /// Reads the repository and its default branch.
    Repository,
    /// How a branch is protected, whichever way that is asked.
    Protection,
    /// The requests that are there.
    List,
    /// Opens a new request.
    Create,
    /// Changes title or description of a request.
    Update,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgeFaultKind {
    /// It is answered with this status, and nothing is done.
    Status(u16),
    /// It is done, and answered with this status all the same.
    DoneThenStatus(u16),
    /// It is done, and the answer breaks off.
    DoneThenCut,
    /// It is done, and no answer comes for as long as the forge runs.
    DoneThenHang,
    /// Somebody else opens the same request a moment before.
    Race,
    /// It is answered with a page for people.
    Garbage,
    /// It is sent to another address.
    Redirect(String),
    /// There were too many calls; the wait is in seconds.
    RateLimit(u64),
    /// The token is repeated in the error.
    Echo,
    /// A list is empty, as if it had not heard of the newest requests yet.
    Stale,
}

/// Why a script cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ForgeScriptError {
    /// The name the text was given.
    pub file: String,
    /// Where the offending value stands, from 1.
    pub line: u64,
    /// Where the offending value stands, from 1.
    pub column: u64,
    /// What was found and what was expected.
    pub message: String,
}

impl ForgeScript {
    /// A repository `octo/hello` without protection, requests or faults, for everybody.
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

    /// Reads a script from YAML; `file` is its name in errors.
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
