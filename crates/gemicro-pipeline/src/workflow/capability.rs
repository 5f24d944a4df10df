//! Which tools each agent has when gemicro starts it, and which roles ask for more.
//!
//! The main function is [`check_for`]. Whether an agent is installed is not asked here.

use std::fmt;

use gemicro_core::ask::AgentName;
use serde::Serialize;

use super::model::{Tool, Workflow};

/// A tool that a role needs and its agent does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingTool {
    /// The role's name in the file.
    pub role: String,
    /// Who would do its work.
    pub agent: AgentName,
    /// What it lacks.
    pub tool: Tool,
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

/// Every tool that some role needs and does not get, `agent` working where a role names none.
#[must_use]
pub fn check_for(workflow: &Workflow, agent: AgentName) -> Vec<MissingTool> {
    let roles = workflow.roles.iter();
    roles
        .flat_map(|(name, role)| {
            let agent = role.agent.unwrap_or(agent);
            let missing = role.tools.iter().filter(move |tool| !offers(agent, **tool));
            missing.map(move |tool| MissingTool {
                role: name.clone(),
                agent,
                tool: *tool,
            })
        })
        .collect()
}

/// Whether an agent has a tool.
#[must_use]
pub fn offers(agent: AgentName, tool: Tool) -> bool {
    match (agent, tool) {
        (_, Tool::Read | Tool::Edit | Tool::Shell) => true,
        (AgentName::Gemini | AgentName::Claude, Tool::WebSearch) => true,
        // Behind the gateway its search is off: nobody could bound what it costs.
        (AgentName::Codex, Tool::WebSearch) => false,
        (AgentName::Gemini, Tool::CodebaseInvestigator) => true,
        (AgentName::Claude | AgentName::Codex, Tool::CodebaseInvestigator) => false,
    }
}

impl Tool {
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

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
