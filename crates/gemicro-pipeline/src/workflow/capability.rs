//! The tools that each agent has, and the roles that need more.
//!
//! The main function is [`check_for`]. It does not check whether an agent is installed.

use std::fmt;

use gemicro_core::ask::AgentName;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::model::{AgentTool, Workflow};

/// A tool of a role: `shell`, or `codebase_investigator?` if it is optional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedTool {
    /// The tool that the role asks for.
    pub tool: AgentTool,
    /// Whether an agent without it can do the work.
    pub optional: bool,
}

/// A tool that a role needs but its agent does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingTool {
    /// The role's name in the file.
    pub role: String,
    /// The agent for that role.
    pub agent: AgentName,
    /// The tool that the role asks for.
    pub tool: AgentTool,
}

impl fmt::Display for MissingTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, agent, tool } = self;
        write!(f, "roles.{role}.tools: {agent} has no `{tool}`")?;
        let able: Vec<&str> = AgentName::ALL
            .into_iter()
            .filter(|agent| offers(*agent, *tool))
            .map(AgentName::as_str)
            .collect();
        write!(
            f,
            "; give the role `agent: {}`, or leave the tool out",
            able.join("` or `")
        )
    }
}

/// Returns all missing tools; `agent` is used for roles that name none.
#[must_use]
pub fn check_for(workflow: &Workflow, agent: AgentName) -> Vec<MissingTool> {
    let roles = workflow.roles.iter();
    roles
        .flat_map(|(name, role)| {
            let agent = role.agent.unwrap_or(agent);
            let needed = role.tools.iter().filter(|wanted| !wanted.optional);
            let missing = needed.filter(move |wanted| !offers(agent, wanted.tool));
            missing.map(move |wanted| MissingTool {
                role: name.clone(),
                agent,
                tool: wanted.tool,
            })
        })
        .collect()
}

/// Returns true if an agent has a tool.
#[must_use]
pub fn offers(agent: AgentName, tool: AgentTool) -> bool {
    match (agent, tool) {
        (_, AgentTool::Read | AgentTool::Edit | AgentTool::Shell) => true,
        (AgentName::Gemini | AgentName::Claude, AgentTool::WebSearch) => true,
        // Its search is disabled behind the gateway, because its cost could not be limited.
        (AgentName::Codex, AgentTool::WebSearch) => false,
        (AgentName::Gemini, AgentTool::CodebaseInvestigator) => true,
        (AgentName::Claude | AgentName::Codex, AgentTool::CodebaseInvestigator) => false,
    }
}

impl AgentTool {
    /// The name in workflow files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Shell => "shell",
            Self::WebSearch => "web_search",
            Self::CodebaseInvestigator => "codebase_investigator",
        }
    }
}

impl fmt::Display for AgentTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for WantedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.optional { "?" } else { "" };
        write!(f, "{}{mark}", self.tool)
    }
}

impl Serialize for WantedTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WantedTool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (name, optional) = match text.strip_suffix('?') {
            Some(name) => (name, true),
            None => (text.as_str(), false),
        };
        let tool = AgentTool::deserialize(IntoDeserializer::<D::Error>::into_deserializer(name))?;
        Ok(Self { tool, optional })
    }
}
