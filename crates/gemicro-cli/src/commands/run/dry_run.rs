//! Shows what a run would do, without doing anything.

use std::fmt::Write as _;

use gemicro_core::ask::AgentName;
use gemicro_core::budget::Limits;
use gemicro_engine::Plan;
use gemicro_engine::pipeline::Outlook;
use gemicro_engine::pipeline::workflow::{Phase, PhaseWork, Workflow, Writes};
use gemicro_pipeline::plan::PipelinePlan;
use serde_json::{Value, json};

use super::ready::{RunStart, look, refuse};
use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Screen, numbers, text};
use crate::session::Context;
use crate::story::words;

/// Width of the labels.
const LABEL: usize = 10;
/// Maximum length of the user's text on a terminal.
const LONGEST: usize = 600;

/// Prints a plan, and lists everything that would stop it at the start.
///
/// # Errors
/// When something would stop it.
pub(super) fn dry_run(ctx: &Context, plan: &Plan, format: PrintFormat) -> Result<(), CommandError> {
    let (plan, limits) = (plan.read()?, &plan.limits);
    let start = look(ctx, &plan)?;
    let page = match format {
        PrintFormat::Text | PrintFormat::Markdown => page(&plan, limits, &start, &ctx.screen),
        PrintFormat::Json | PrintFormat::Jsonl => object(&plan, limits, &start),
    };
    output::print(&page)?;
    let refused = refuse(ctx, start.obstacles);
    match (format, refused) {
        // The object contains all of them: a second object would not be valid JSON.
        (PrintFormat::Json | PrintFormat::Jsonl, Err(CommandError::Report(last))) => {
            output::say(&last.text(&ctx.screen));
            Err(CommandError::AlreadyReported(last.failure.kind.exit_code()))
        }
        (_, refused) => refused,
    }
}

/// The plan as JSON, for programs.
fn object(plan: &PipelinePlan, limits: &Limits, start: &RunStart) -> String {
    let obstacles = start.obstacles.iter();
    let obstacles: Vec<_> = obstacles
        .map(|it| json!({ "kind": it.failure.kind, "message": it.failure.message, "hint": it.hint() }))
        .collect();
    let outlook = &start.outlook;
    let mut plan = json!(plan);
    // The prompts are long and known: `gemicro workflow show --format json` prints them.
    let prompts = plan
        .pointer_mut("/workflow/prompts")
        .and_then(Value::as_object_mut);
    for text in prompts.into_iter().flat_map(|prompts| prompts.values_mut()) {
        *text = json!({ "bytes": text.as_str().map(str::len) });
    }
    let object = json!({
        "plan": plan,
        "limits": limits,
        "branch": outlook.branch,
        "repository": outlook.repository,
        "main": outlook.main,
        "remote": outlook.remote,
        "forge": outlook.forge,
        "notes": outlook.notes,
        "obstacles": obstacles,
    });
    format!("{object}\n")
}

/// The plan as text.
fn page(plan: &PipelinePlan, limits: &Limits, start: &RunStart, screen: &Screen) -> String {
    let workflow = &plan.workflow;
    let first = workflow.modes.get(&plan.mode).map_or("nothing", String::as_str);
    let outlook = &start.outlook;
    let branch = outlook.branch.as_ref().unwrap_or(&plan.branch);
    let delivery = delivery(plan.push, branch, outlook);
    let project = match outlook.repository.as_ref().filter(|top| **top != plan.directory) {
        Some(top) => format!("{}, a folder of the repository {top}", plan.directory),
        None => plan.directory.clone(),
    };
    // Lines in a file or a pipe are not wrapped.
    let (columns, longest) = match screen.stdout_is_terminal {
        true => (screen.width(), LONGEST),
        false => (usize::MAX, usize::MAX),
    };
    let mut page = String::new();
    let mut field = |name: &str, value: &str| {
        let room = columns.saturating_sub(LABEL);
        let wrapped = text::wrap_markdown(&text::cut(value, longest), room);
        for (idx, line) in wrapped.lines().enumerate() {
            let name = if idx == 0 { name } else { "" };
            let _ = writeln!(page, "{}{line}", text::pad(name, LABEL));
        }
    };
    field("Task", &plan.task);
    field("Project", &project);
    field("Branch", branch);
    if let Some(main) = &outlook.main {
        field("Main", main);
    }
    field("Mode", &format!("{}, starting with {first}", plan.mode));
    field("Workflow", &workflow.name);
    field("Agent", &words::agent(plan.agent, plan.model.as_deref()));
    field("Delivery", &delivery);
    field("Budget", &limits.to_string());
    for notice in plan.notices.iter().chain(&outlook.notes) {
        field("Note", notice);
    }
    if workflow.checks.is_empty() {
        field("Checks", "none: only the reviewers check the work");
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
    for phase in workflow.phases_of(plan.mode) {
        let line = text::one_line(&phase_line(workflow, phase, plan.agent));
        // Wrapped as a list item, with a hanging indent.
        let item = text::wrap_markdown(&format!("- {line}"), columns.saturating_sub(2));
        for line in item.lines() {
            let _ = writeln!(page, "  {line}");
        }
    }
    if start.obstacles.is_empty() {
        page.push_str("Ready to run.\n");
    }
    page
}

/// Where the branch is delivered in the end.
fn delivery(push: bool, branch: &str, outlook: &Outlook) -> String {
    let Some(base) = outlook.base.as_ref().filter(|_| push) else {
        return match push {
            true => "push and pull request, if there is a remote".to_owned(),
            false => "no push: the branch stays local".to_owned(),
        };
    };
    match (&outlook.remote, &outlook.forge) {
        (Some(remote), Some(forge)) => {
            format!("push to {remote} as {branch}, then a pull request into {base} at {forge}")
        }
        (Some(remote), None) => format!(
            "push to {remote} as {branch}; without a forge token, only the text of a pull request into {base} is \
             written"
        ),
        (None, _) => "no remote: the branch stays local".to_owned(),
    }
}

/// `A.1 plan: Architect (gemini), writes documents, at most 4 rounds`.
fn phase_line(workflow: &Workflow, phase: &Phase, usual: AgentName) -> String {
    let what = match &phase.work {
        PhaseWork::Agent { role, .. } => match workflow.roles.get(role) {
            Some(role) => {
                let agent = role.agent.unwrap_or(usual);
                let model = role.model.as_deref();
                format!(
                    "{} ({}), {}",
                    role.title,
                    words::agent(agent, model),
                    writes_text(role.sandbox)
                )
            }
            None => role.clone(),
        },
        PhaseWork::Merge => "merge main".to_owned(),
        PhaseWork::Deliver => "archive documents, push the branch".to_owned(),
    };
    let human = phase.human.as_ref();
    let human = human.map_or_else(String::new, |question| format!(", asks you first: {question}"));
    format!(
        "{} {}: {what}, at most {}{human}",
        phase.label,
        phase.name,
        numbers::count(phase.rounds as usize, "round")
    )
}

fn writes_text(writes: Writes) -> &'static str {
    match writes {
        Writes::ReadOnly => "only reads",
        Writes::Reviews => "writes reviews",
        Writes::Documents => "writes documents",
        Writes::WorkspaceWrite => "writes the checkout",
    }
}
