//! The texts of the live log for each event of a pipeline.

use gemicro_engine::pipeline::flow::{PhaseAnswered, PhaseEnded, PhaseImported, PhaseStarted};
use gemicro_engine::pipeline::payload::{AgentDecision, AgentPayload, PayloadShape};
use gemicro_engine::pipeline::steps::{
    DeliverResult, Evidence, InitResult, MergeOutcome, MergeResult, RecordResult,
};
use gemicro_event::StreamId;

use crate::screen::numbers;
use crate::story::words;

/// Maximum number of details shown for one event.
const MANY: usize = 6;
/// Maximum number of output lines below a reason.
const OUTPUT_LINES: usize = 5;

/// The text of an event: a line, and details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogText {
    pub(super) line: String,
    pub(super) details: Vec<String>,
}

impl LogText {
    pub(super) fn line(line: String) -> Self {
        let details = Vec::new();
        Self { line, details }
    }
}

/// The branch, and the checks on its base.
pub(super) fn branch_texts(prepared: &InitResult, earlier: Option<&StreamId>) -> Vec<LogText> {
    let begun = match earlier {
        Some(run) => format!(
            "Continuing branch '{}' at {}, after run {run}.",
            prepared.branch,
            words::short(&prepared.tip)
        ),
        None => format!("Created branch '{}'.", prepared.branch),
    };
    let checks = match prepared.evidence.checks.is_empty() {
        true => LogText::line("No checks are configured.".to_owned()),
        false if earlier.is_some() => check_text("Checks on the branch", &prepared.evidence),
        false => check_text("Checks on the base", &prepared.evidence),
    };
    let is_new = |note: &&String| prepared.protection.as_ref() != Some(*note);
    let notes = prepared
        .protection
        .iter()
        .chain(prepared.notes.iter().filter(is_new));
    let place = prepared.worktree.iter();
    let place = place.map(|folder| format!("files: {folder}"));
    let begun = LogText {
        line: begun,
        details: place.chain(first_lines(notes.cloned().collect())).collect(),
    };
    vec![begun, checks]
}

/// Who begins to work; `None` if it is gemicro itself.
pub(super) fn start_text(started: &PhaseStarted) -> Option<LogText> {
    let role = started.role.as_ref()?.to_uppercase();
    let agent = started
        .agent
        .map(|agent| words::agent(agent, started.model.as_deref()));
    let round = (started.round > 1).then(|| format!("round {}", started.round));
    let about: Vec<String> = agent.into_iter().chain(round).collect();
    Some(LogText::line(match about.is_empty() {
        true => format!("Spawning {role}..."),
        false => format!("Spawning {role} ({})...", about.join("; ")),
    }))
}

/// The agent's answer, or why it is asked again.
pub(super) fn answer_text(answered: &PhaseAnswered) -> LogText {
    let denials = answered.denials.iter().map(|denial| format!("denied: {denial}"));
    let denials = first_lines(denials.collect());
    let (Some(payload), None) = (&answered.payload, &answered.refused) else {
        let why = answered.refused.as_deref().unwrap_or("it has no usable payload");
        let role = answered.role.to_uppercase();
        return LogText {
            line: format!("Answer {} of {role} cannot be used: {why}.", answered.ask),
            details: denials,
        };
    };
    let decision = payload.decision();
    let mut details = match decision.is_negative() {
        true => match payload.feedback().map(|it| it.points()).unwrap_or_default() {
            none if none.is_empty() => vec![new_reasons(payload).to_owned()],
            points => first_lines(points),
        },
        false => first_lines(
            payload
                .remarks()
                .iter()
                .map(|it| format!("remark: {it}"))
                .collect(),
        ),
    };
    details.extend(answered.dishonest.clone());
    details.extend(denials);
    let later = payload
        .backlog_items()
        .into_iter()
        .map(|item| format!("for later: {item}"));
    details.extend(first_lines(later.collect()));
    LogText {
        line: payload_text(payload, &decision),
        details,
    }
}

/// What was imported, or why it was not.
pub(super) fn import_text(imported: &PhaseImported, shape: Option<PayloadShape>) -> LogText {
    let Some(taken) = &imported.taken else {
        return LogText {
            line: "Importing the changes... REFUSED.".to_owned(),
            details: imported.refused.iter().flat_map(|why| reason(why)).collect(),
        };
    };
    let what = match shape {
        Some(PayloadShape::Investigator | PayloadShape::Researcher) => "Committing report",
        Some(PayloadShape::Architect) => "Committing plan",
        Some(PayloadShape::LeadAnalyst | PayloadShape::PlanReviewer | PayloadShape::Auditor) => {
            "Committing review"
        }
        Some(PayloadShape::Developer | PayloadShape::IntegrationSpecialist) | None => "Importing the changes",
    };
    let outcome = match (taken.faults.is_empty(), taken.commits.is_empty()) {
        (true, true) => "nothing changed.".to_owned(),
        (true, false) => format!("OK. ({})", words::import_summary(taken)),
        (false, _) => "not as claimed.".to_owned(),
    };
    let faults = taken.faults.iter().flat_map(|fault| reason(fault));
    let reports = taken.reports.iter().map(|report| format!("look at {report}"));
    LogText {
        line: format!("{what}... {outcome}"),
        details: first_lines(faults.chain(reports).chain(taken.notes.iter().cloned()).collect()),
    }
}

/// The results of gemicro's checks of a tree.
pub(super) fn check_text(what: &str, evidence: &Evidence) -> LogText {
    let faults = evidence.faults();
    let outcome = if faults.is_empty() { "OK." } else { "FAILED." };
    let took = numbers::duration(words::checked_ms(&evidence.checks));
    LogText {
        line: format!(
            "{what}... {outcome} ({}, {took})",
            words::checks(&evidence.checks)
        ),
        details: faults.iter().flat_map(|fault| reason(fault)).collect(),
    }
}

/// What gemicro itself committed.
pub(super) fn record_text(recorded: &RecordResult) -> LogText {
    LogText::line(match (&recorded.moved, recorded.paths.as_slice()) {
        (Some(_), _) => "Nothing is archived yet: main has new commits.".to_owned(),
        (None, []) => "Committing documents... nothing changed.".to_owned(),
        (None, paths) if paths.iter().all(|path| path.contains("/archived/")) => {
            format!("Archiving {}... OK.", numbers::count(paths.len(), "document"))
        }
        (None, [path]) => format!("Committing '{path}'... OK."),
        (None, paths) => format!("Committing {}... OK.", numbers::count(paths.len(), "document")),
    })
}

/// How main was merged.
pub(super) fn merge_text(merged: &MergeResult) -> LogText {
    let main = &merged.main.name;
    let (outcome, details) = match merged.outcome {
        MergeOutcome::UpToDate => ("already up to date.".to_owned(), Vec::new()),
        MergeOutcome::Merged => ("OK.".to_owned(), Vec::new()),
        MergeOutcome::Conflict => {
            let files = numbers::count(merged.files.len(), "file");
            (format!("CONFLICT in {files}."), first_lines(merged.files.clone()))
        }
    };
    LogText {
        line: format!("Merging {main}... {outcome}"),
        details,
    }
}

/// How the branch was delivered.
pub(super) fn delivery_text(branch: &str, delivered: &DeliverResult) -> LogText {
    let pushed = delivered
        .remote
        .as_ref()
        .map(|remote| format!("Pushed '{branch}' to {remote}."));
    let offered = match (&delivered.url, delivered.existed) {
        (Some(url), false) => Some(format!("Opened {url}.")),
        (Some(url), true) => Some(format!("The pull request already exists: {url}.")),
        (None, _) => Some("Wrote the text of a pull request.".to_owned()),
    };
    let line: Vec<String> = pushed.into_iter().chain(offered).collect();
    LogText {
        line: line.join(" "),
        details: first_lines(delivered.notes.clone()),
    }
}

/// Where a phase leads, unless that is simply the next one. `reasons` are those that were not reported yet.
pub(super) fn phase_end_text(
    ended: &PhaseEnded,
    verdict: Option<&str>,
    next: &str,
    reasons: &[String],
) -> Option<LogText> {
    let line = match ended.outcome.as_str() {
        "again" => format!("Phase {} did not pass; repeating it.", ended.phase),
        "stop" => format!("Stopped in phase {} ({}).", ended.phase, ended.label),
        "moved" => "Main has new commits; merging it again.".to_owned(),
        "ESCALATE" => format!("Escalated to {next}."),
        "FAIL" if verdict == Some("PASS") => format!("PASS is overruled; back to {next}."),
        "REJECT" | "FAIL" => format!("Back to {next}."),
        _ => return None,
    };
    let reasons = reasons.iter().filter(|_| ended.outcome != "moved");
    Some(LogText {
        line,
        details: reasons.take(MANY).flat_map(|why| reason(why)).collect(),
    })
}

/// The text of a payload.
fn payload_text(payload: &AgentPayload, decision: &AgentDecision) -> String {
    let document = payload.document().unwrap_or_default();
    let commit = || words::short(payload.commit_hash().unwrap_or_default());
    if let AgentDecision::Failed { reason } = decision {
        return format!("Failed: {reason}");
    }
    match payload.shape() {
        PayloadShape::Investigator | PayloadShape::Researcher => format!("Report written at '{document}'."),
        PayloadShape::Architect => format!("Implementation plan created at '{document}'."),
        PayloadShape::LeadAnalyst | PayloadShape::PlanReviewer => format!("{}.", decision.word()),
        PayloadShape::Developer => format!("Implementation complete. Commit: {}.", commit()),
        PayloadShape::Auditor => format!("{}. Report at '{document}'.", decision.word()),
        PayloadShape::IntegrationSpecialist => format!("Conflicts resolved. Commit: {}.", commit()),
    }
}

/// The text for a rejection without reasons.
fn new_reasons(payload: &AgentPayload) -> &'static str {
    match payload.document() {
        Some(_) => "see the report for the reasons",
        None => "no reasons given",
    }
}

/// A reason, followed by the end of a program's output.
fn reason(why: &str) -> Vec<String> {
    let mut lines = why.lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let output: Vec<&str> = lines.collect();
    let last = &output[output.len().saturating_sub(OUTPUT_LINES)..];
    std::iter::once(first)
        .chain(last.iter().map(|line| format!("| {line}")))
        .collect()
}

fn first_lines(mut details: Vec<String>) -> Vec<String> {
    if details.len() > MANY {
        let n_more = details.len() - MANY;
        details.truncate(MANY);
        details.push(format!("… and {n_more} more"));
    }
    details
}
