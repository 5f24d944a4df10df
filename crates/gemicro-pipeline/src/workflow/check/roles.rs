//! Rejects roles with rights that do not fit their work.

use super::super::capability::offers;
use super::super::model::{Role, Workflow, Writes};
use super::super::outcomes::{is_reviewer, names_commit, names_document};
use super::super::places::ProblemList;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    for (name, role) in &workflow.roles {
        let key = format!("roles.{name}");
        if let Some(message) = wrong_rights(role) {
            report.add(format!("{key}.sandbox"), message);
        }
        let mut known = Vec::new();
        for wanted in &role.tools {
            let tool = wanted.tool;
            let key = format!("{key}.tools.{tool}");
            if known.contains(&tool) {
                report.add(key.as_str(), "listed twice: remove one");
            }
            known.push(tool);
            // A role without its own agent is checked against the agent of the run: `check_for`.
            if let Some(agent) = role.agent
                && !wanted.optional
                && !offers(agent, tool)
            {
                let message =
                    format!("{agent} does not have this tool: choose another `agent`, or remove the tool");
                report.add(key, message);
            }
        }
    }
}

fn wrong_rights(role: &Role) -> Option<&'static str> {
    let shape = role.shape;
    match role.sandbox {
        Writes::Documents | Writes::WorkspaceWrite if is_reviewer(shape) => {
            Some("a reviewer must not change what it reviews: write `read-only` or `reviews`")
        }
        Writes::ReadOnly if names_document(shape) => {
            Some("the role writes a document itself: write `reviews` for a reviewer, else `documents`")
        }
        Writes::ReadOnly | Writes::Reviews | Writes::Documents if names_commit(shape) => {
            Some("the role commits code: write `workspace-write`")
        }
        Writes::ReadOnly | Writes::Reviews | Writes::Documents | Writes::WorkspaceWrite => None,
    }
}
