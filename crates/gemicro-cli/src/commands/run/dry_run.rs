//! What a run would do, before anything is done.

use std::fmt::Write as _;

use gemicro_core::ask::AgentName;
use gemicro_engine::Plan;
use gemicro_engine::pipeline::workflow::{Phase, Work, Workflow, Writes};

use crate::args::DataFormat;
use crate::output;
use crate::screen::{Screen, numbers, text};
use crate::story::words;
use crate::trouble::Stopped;

/// Columns of the names.
const LABEL: usize = 10;

/// Prints a plan.
pub(super) fn dry_run(plan: &Plan, screen: &Screen, format: DataFormat) -> Result<(), Stopped> {
    let Plan::Pipeline { plan, limits } = plan else {
        return Ok(());
    };
    if format != DataFormat::Text {
        let plan = serde_json::json!({ "plan": plan, "limits": limits });
        return output::print(&format!("{plan}\n"));
    }
    let workflow = &plan.workflow;
    let first = workflow.modes.get(&plan.mode).map_or("nothing", String::as_str);
    let delivery = match (plan.push, &plan.remote) {
        (true, Some(remote)) => format!("pushed to {remote} and offered there"),
        (true, None) => "pushed and offered, where there is a remote".to_owned(),
        (false, _) => "nothing is pushed".to_owned(),
    };
    let mut page = String::new();
    let mut field = |name: &str, value: &str| {
        let room = screen.width().saturating_sub(LABEL);
        let wrapped = text::wrap_markdown(&text::cut(value, 600), room);
        for (idx, line) in wrapped.lines().enumerate() {
            let name = if idx == 0 { name } else { "" };
            let _ = writeln!(page, "{}{line}", text::pad(name, LABEL));
        }
    };
    field("Task", &plan.task);
    field("Project", &plan.directory);
    field("Branch", &plan.branch);
    field("Mode", &format!("{}, which begins with {first}", plan.mode));
    field("Workflow", &workflow.name);
    field("Agent", &words::agent(plan.agent, plan.model.as_deref()));
    field("Delivery", &delivery);
    field("Budget", &limits.to_string());
    for notice in &plan.notices {
        field("Note", notice);
    }
    if workflow.checks.is_empty() {
        field("Checks", "none: only the reviewers vouch for the work");
    }
    for (idx, check) in workflow.checks.iter().enumerate() {
        let most = numbers::duration(check.timeout_ms);
        let name = if idx == 0 { "Checks" } else { "" };
        field(
            name,
            &format!("{}: {} (at most {most})", check.name, check.command),
        );
    }
    page.push_str("Phases\n");
    for phase in &workflow.phases {
        let line = described(workflow, phase, plan.agent);
        let _ = writeln!(page, "  {}", text::cut(&line, screen.width().saturating_sub(2)));
    }
    output::print(&page)
}

/// `A.1 plan: Architect (gemini), writes documents, at most 4 rounds`.
fn described(workflow: &Workflow, phase: &Phase, usual: AgentName) -> String {
    let what = match &phase.work {
        Work::Agent { role, .. } => match workflow.roles.get(role) {
            Some(role) => {
                let agent = role.agent.unwrap_or(usual);
                let model = role.model.as_deref();
                format!(
                    "{} ({}), {}",
                    role.title,
                    words::agent(agent, model),
                    written(role.sandbox)
                )
            }
            None => role.clone(),
        },
        Work::Merge => "main is merged".to_owned(),
        Work::Deliver => "documents are archived, the branch is offered".to_owned(),
    };
    let human = if phase.human.is_some() {
        ", a person is asked first"
    } else {
        ""
    };
    format!(
        "{} {}: {what}, at most {}{human}",
        phase.label,
        phase.name,
        numbers::count(phase.rounds as usize, "round")
    )
}

fn written(writes: Writes) -> &'static str {
    match writes {
        Writes::ReadOnly => "only reads",
        Writes::Reviews => "writes reviews",
        Writes::Documents => "writes documents",
        Writes::WorkspaceWrite => "writes the checkout",
    }
}
