//! Parses and checks a workflow file.
//!
//! The main function is [`parse`]. It opens no file: the caller provides prompts by name.

use std::collections::BTreeMap;

use gemicro_core::ask::TaskGrant;
use serde_saphyr::Spanned;

use super::check;
use super::entries::KeyEntries;
use super::error::WorkflowError;
use super::file::{CheckFile, PhaseAction, PhaseFile, RoleFile, WorkflowFile};
use super::model::{
    Check, EdgeTarget, Phase, PhaseWork, PipelineMode, Reads, Role, Workflow, default_memory_tokens,
};
use super::outcomes::DONE;
use super::places::ProblemList;
use super::prompt::{ENDING_FILE, RULES_FILE};
use super::values::Milliseconds;
use super::yaml;

/// The supported version of the file format.
pub const FORMAT_VERSION: u32 = 1;

/// Default for how many times a phase may be entered.
const ROUNDS: u32 = 4;
/// Default for how many times an answer is asked for again.
const ASKS: u32 = 2;
/// Defaults for the duration of a step, its silence, and the duration of a check.
const TOTAL: Milliseconds = Milliseconds::minutes(30);
const IDLE: Milliseconds = Milliseconds::minutes(5);
const CHECK: Milliseconds = Milliseconds::minutes(20);

/// Parses and checks a workflow; `prompts` returns the text of a prompt file by name.
///
/// # Errors
/// When the text is not a valid workflow: all problems at once, each with its position.
pub fn parse(text: &str, prompts: &dyn Fn(&str) -> Option<String>) -> Result<Workflow, WorkflowError> {
    let file: WorkflowFile = yaml::read(text).map_err(WorkflowError::Unreadable)?;
    let mut report = ProblemList::default();
    let mut workflow = convert(file, &mut report);
    if report.is_clean() {
        workflow.prompts = gather(&workflow, prompts);
        check::check(&workflow, &mut report);
    }
    if report.is_clean() {
        return Ok(workflow);
    }
    Err(WorkflowError::Unsound(report.into_problems()))
}

/// Collects the prompts of all roles, and the parts common to all prompts. Only plain file names are looked up.
fn gather(workflow: &Workflow, prompts: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let of_roles = workflow.roles.values().map(|role| role.prompt.as_str());
    [RULES_FILE, ENDING_FILE]
        .into_iter()
        .chain(of_roles)
        .filter(|name| check::is_prompt_name(name))
        .filter_map(|name| Some((name.to_owned(), prompts(name)?)))
        .collect()
}

fn convert(file: WorkflowFile, report: &mut ProblemList) -> Workflow {
    report.places.note("workflow", &file.workflow);
    report.places.note("version", &file.version);
    if file.version.value != FORMAT_VERSION {
        let message = format!(
            "this version of gemicro supports only version {FORMAT_VERSION}: write `version: {FORMAT_VERSION}`"
        );
        report.add("version", message);
    }
    let rounds = match &file.rounds {
        Some(rounds) => {
            report.places.note("rounds", rounds);
            // Reported once, not for every phase that uses the default.
            if rounds.value == 0 {
                report.add(
                    "rounds",
                    "with 0 rounds no phase is ever entered: write 1 or more",
                );
            }
            rounds.value.max(1)
        }
        None => ROUNDS,
    };
    if let Some(asks) = &file.max_asks {
        report.places.note("max_asks", asks);
    }
    if let Some(tokens) = &file.memory_tokens {
        report.places.note("memory_tokens", tokens);
    }
    Workflow {
        modes: modes(file.modes, report),
        roles: roles(file.roles, report),
        phases: phases(file.phases, rounds, report),
        checks: checks(file.checks, report),
        setup: texts("setup", file.setup, report),
        carry: texts("carry", file.carry, report),
        caches: texts("caches", file.caches, report),
        network: file.network,
        max_asks: file.max_asks.map_or(ASKS, |asks| asks.value),
        memory_tokens: file
            .memory_tokens
            .map_or_else(default_memory_tokens, |tokens| tokens.value),
        name: file.workflow.value,
        prompts: BTreeMap::new(),
    }
}

fn modes(
    entries: Spanned<KeyEntries<Spanned<String>>>,
    report: &mut ProblemList,
) -> BTreeMap<PipelineMode, String> {
    report.places.note("modes", &entries);
    let mut modes = BTreeMap::new();
    for (name, phase) in entries.value.0 {
        let key = format!("modes.{}", name.value);
        match PipelineMode::ALL
            .into_iter()
            .find(|mode| mode.as_str() == name.value)
        {
            Some(mode) => {
                report.places.note(key, &phase);
                modes.insert(mode, phase.value);
            }
            None => {
                report.places.note(key.as_str(), &name);
                report.add(
                    key,
                    "there is no such mode: write `bugfix`, `research` or `direct`",
                );
            }
        }
    }
    modes
}

fn roles(entries: KeyEntries<RoleFile>, report: &mut ProblemList) -> BTreeMap<String, Role> {
    let mut roles = BTreeMap::new();
    for (name, role) in entries.0 {
        let key = format!("roles.{}", name.value);
        report.places.note(key.as_str(), &name);
        roles.insert(name.value, role_of(&key, role, report));
    }
    roles
}

fn role_of(key: &str, role: RoleFile, report: &mut ProblemList) -> Role {
    let places = &mut report.places;
    places.note(format!("{key}.title"), &role.title);
    places.note(format!("{key}.shape"), &role.shape);
    places.note(format!("{key}.sandbox"), &role.sandbox);
    places.note(format!("{key}.prompt"), &role.prompt);
    if let Some(model) = &role.model {
        places.note(format!("{key}.model"), model);
    }
    for tool in &role.tools {
        places.note(format!("{key}.tools.{}", tool.value.tool), tool);
    }
    for (name, limit) in [
        ("max_tokens", &role.budget.max_tokens),
        ("max_turns", &role.budget.max_turns),
    ] {
        if let Some(limit) = limit {
            places.note(format!("{key}.budget.{name}"), limit);
        }
    }
    if let Some(idle) = &role.timeouts.idle {
        places.note(format!("{key}.timeouts.idle"), idle);
    }
    let total = role.timeouts.total.unwrap_or(TOTAL);
    // A shorter total time also shortens the default silence, so that users need not set both.
    let idle = role
        .timeouts
        .idle
        .map_or(IDLE.0.min(total.0), |idle| idle.value.0);
    Role {
        title: role.title.value,
        shape: role.shape.value,
        agent: role.agent.map(|agent| agent.value),
        model: role.model.map(|model| model.value),
        sandbox: role.sandbox.value,
        tools: role.tools.into_iter().map(|tool| tool.value).collect(),
        prompt: role.prompt.value,
        grant: TaskGrant {
            tokens: role.budget.max_tokens.map(|tokens| tokens.value),
            micro_usd: role.budget.max_usd.map(|usd| usd.0),
            turns: role.budget.max_turns.map(|turns| turns.value),
        },
        total_ms: total.0,
        idle_ms: idle,
    }
}

fn phases(files: Vec<PhaseFile>, rounds: u32, report: &mut ProblemList) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for file in files {
        let key = format!("phases.{}", file.name.value);
        report.places.note(key.as_str(), &file.name);
        if phases.iter().any(|phase| phase.name == file.name.value) {
            report.add(key, "two phases have this name: rename one");
        } else if let Some(phase) = phase_of(&key, file, rounds, report) {
            phases.push(phase);
        }
    }
    phases
}

fn phase_of(key: &str, file: PhaseFile, rounds: u32, report: &mut ProblemList) -> Option<Phase> {
    report.places.note(format!("{key}.label"), &file.label);
    for (name, text) in [
        ("role", &file.role),
        ("document", &file.document),
        ("human", &file.human),
    ] {
        if let Some(text) = text {
            report.places.note(format!("{key}.{name}"), text);
        }
    }
    if let Some(rounds) = &file.rounds {
        report.places.note(format!("{key}.rounds"), rounds);
    }
    let edges = edges(key, file.next, file.on, report);
    let work = match (file.role, file.action) {
        (Some(role), None) => PhaseWork::Agent {
            role: role.value,
            reads: reads(key, file.reads, report),
            document: file.document.map(|document| document.value),
        },
        (None, Some(action)) => {
            if !file.reads.is_empty() || file.document.is_some() {
                report.add(
                    key,
                    "`reads` and `document` belong to a `role`: an `action` has neither",
                );
            }
            match action.value {
                PhaseAction::Merge => PhaseWork::Merge,
                PhaseAction::Deliver => PhaseWork::Deliver,
            }
        }
        (Some(_), Some(_)) | (None, None) => {
            report.add(key, "write either `role` or `action` (`merge`, `deliver`)");
            return None;
        }
    };
    Some(Phase {
        name: file.name.value,
        label: file.label.value,
        work,
        edges,
        rounds: file.rounds.map_or(rounds, |rounds| rounds.value),
        human: file.human.map(|human| human.value),
    })
}

fn edges(
    key: &str,
    next: Option<Spanned<String>>,
    on: Option<Spanned<KeyEntries<Spanned<String>>>>,
    report: &mut ProblemList,
) -> BTreeMap<String, EdgeTarget> {
    let mut edges = BTreeMap::new();
    if let Some(next) = next {
        report.places.note(format!("{key}.next"), &next);
        edges.insert(DONE.to_owned(), target(next.value));
    }
    if let Some(on) = &on {
        report.places.note(format!("{key}.on"), on);
    }
    for (word, to) in on.map(|on| on.value.0).unwrap_or_default() {
        let key = format!("{key}.on.{}", word.value);
        report.places.note(key.as_str(), &word);
        if word.value == DONE {
            report.add(key, "write `next: PHASE` instead");
        } else {
            edges.insert(word.value, target(to.value));
        }
    }
    edges
}

fn target(name: String) -> EdgeTarget {
    match name.as_str() {
        "back" => EdgeTarget::Back,
        "end" => EdgeTarget::End,
        _ => EdgeTarget::Phase(name),
    }
}

fn reads(key: &str, files: Vec<Spanned<String>>, report: &mut ProblemList) -> Vec<Reads> {
    let mut reads: Vec<Reads> = Vec::new();
    for file in files {
        let (artifact, optional) = match file.value.strip_suffix('?') {
            Some(artifact) => (artifact, true),
            None => (file.value.as_str(), false),
        };
        let key = format!("{key}.reads.{artifact}");
        report.places.note(key.as_str(), &file);
        if reads.iter().any(|other| other.artifact == artifact) {
            report.add(key, "listed twice: remove one");
            continue;
        }
        reads.push(Reads {
            artifact: artifact.to_owned(),
            optional,
        });
    }
    reads
}

fn checks(files: Vec<CheckFile>, report: &mut ProblemList) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for file in files {
        let key = format!("checks.{}", file.name.value);
        report.places.note(key.as_str(), &file.name);
        if checks.iter().any(|other| other.name == file.name.value) {
            report.add(key, "two checks have this name: rename one");
        }
        checks.push(Check {
            name: file.name.value,
            command: file.command,
            tests: file.tests,
            timeout_ms: file.timeout.unwrap_or(CHECK).0,
        });
    }
    checks
}

fn texts(key: &str, files: Vec<Spanned<String>>, report: &mut ProblemList) -> Vec<String> {
    let noted = files.into_iter().enumerate().map(|(idx, text)| {
        report.places.note(format!("{key}.{idx}"), &text);
        text.value
    });
    noted.collect()
}
