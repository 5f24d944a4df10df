//! How a task ends: the branch, what vouches for it, and the request to merge it.

use std::fmt::Write;

use gemicro_core::flow::Outcome;
use gemicro_core::research::events::ResultMetadata;
use gemicro_core::run::RunState;
use gemicro_event::Json;
use serde_json::{Value, json};

use super::state::PipelineState;

/// The longest title of a request.
const TITLE_CHARS: usize = 72;

/// The end of a task that went all the way.
pub(super) fn result(state: &PipelineState, run: &RunState) -> Outcome {
    let plan = &state.plan;
    let branch = state.prepared.as_ref().map_or(&plan.branch, |it| &it.branch);
    let delivered = state.delivered.as_ref();
    let phases: Vec<Value> = state
        .ended
        .iter()
        .map(|it| {
            json!({
                "phase": it.phase,
                "label": it.label,
                "round": it.round,
                "outcome": it.outcome,
                "reasons": it.reasons,
                "document": it.document,
                "commit": it.commit,
            })
        })
        .collect();
    let url = delivered.and_then(|it| it.url.clone());
    let message = match &url {
        Some(url) => format!("Pipeline Success! Branch '{branch}' is offered at {url}."),
        None => format!("Pipeline Success! Branch '{branch}' is ready for merge."),
    };
    let (title, body) = request(state, run);
    Outcome::Completed {
        data: Json::from(json!({
            "answer": delivered.and_then(|it| it.request.clone()).unwrap_or_else(|| format!("# {title}\n\n{body}")),
            "branch": branch,
            "base": state.prepared.as_ref().map(|it| it.base.clone()),
            "commit": state.tip,
            "tree": state.tree,
            "feature": plan.feature,
            "mode": plan.mode,
            "phases": phases,
            "checks": state.evidence.as_ref().map(|it| it.checks.iter().map(|check| json!({
                "name": check.name,
                "command": check.command,
                "verdict": check.verdict,
                "took_ms": check.took_ms,
            })).collect::<Vec<_>>()),
            "documents": state.documents,
            "worktree": state.worktree,
            "request_url": url,
            "request_text": delivered.and_then(|it| it.request.clone()),
            "pushed_to": delivered.and_then(|it| it.remote.clone()),
            "reports": state.reports,
            "metadata": ResultMetadata::of(run),
        })),
        message,
    }
}

/// Title and text of the request to merge the branch.
pub(super) fn request(state: &PipelineState, run: &RunState) -> (String, String) {
    let first = state.plan.task.lines().find(|line| !line.trim().is_empty());
    let title = shortened(&plain(first.unwrap_or_default()));
    let mut body = String::from("## Task\n\n");
    for line in state.plan.task.lines().take(60) {
        let _ = writeln!(body, "> {}", plain(line));
    }
    body.push_str(
        "\n## What was decided\n\n| Phase | Round | Outcome | Document |\n| --- | --- | --- | --- |\n",
    );
    for it in &state.ended {
        let document = it.document.as_deref().unwrap_or("–");
        let _ = writeln!(
            body,
            "| {} {} | {} | {} | {document} |",
            it.label, it.phase, it.round, it.outcome
        );
    }
    if let Some(earlier) = &state.plan.earlier {
        let _ = writeln!(
            body,
            "\nIt goes on from run {0}, whose phases are told by `gemicro show {0}`.",
            earlier.run
        );
    }
    body.push_str("\n## Checks, run by gemicro\n\n");
    let checks = state
        .evidence
        .as_ref()
        .map(|it| it.checks.as_slice())
        .unwrap_or_default();
    if checks.is_empty() {
        body.push_str("None are configured: only the reviewers vouch for this branch.\n");
    }
    for check in checks {
        let n_tests = match check.n_tests() {
            Some(n) => format!(", {n} tests"),
            None if check.is_uncounted() => ", tests not counted".to_owned(),
            None => String::new(),
        };
        let _ = writeln!(body, "- `{}`: {}{n_tests}", plain(&check.command), check.word());
    }
    if !state.reports.is_empty() {
        body.push_str("\n## Look at these changes before merging\n\n");
        for report in &state.reports {
            let _ = writeln!(body, "- {}", plain(report));
        }
    }
    let _ = write!(
        body,
        "\nReviewed and checked: tree {}, git's name for all files of the branch but the documents of tasks.\n\nGemicro-Run: {}\n",
        state.tree, run.run
    );
    (title, body)
}

/// A title of whole words, as far as there are any.
fn shortened(line: &str) -> String {
    let line = line.trim();
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let kept: String = line.chars().take(TITLE_CHARS).collect();
    let kept = match kept.rsplit_once(char::is_whitespace) {
        Some((words, _)) if !words.trim().is_empty() => words.trim_end(),
        Some(_) | None => &kept,
    };
    format!("{kept}…")
}

/// One line that is safe to print.
fn plain(line: &str) -> String {
    line.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_end_with_a_whole_word() {
        let long = "Add a dark mode toggle to the settings page so that nobody is blinded at night";
        assert_eq!(
            shortened(long),
            "Add a dark mode toggle to the settings page so that nobody is blinded…"
        );
        let endless = "x".repeat(100);
        for (line, title) in [
            ("  Say bye. ", "Say bye.".to_owned()),
            (&"y".repeat(72), "y".repeat(72)),
            (&endless, format!("{}…", "x".repeat(72))),
        ] {
            assert_eq!(shortened(line), title);
        }
    }
}
