//! Writes the title and text of the merge request: the task, the decisions of all its runs, and the checks.
//!
//! Text from agents and users is shown as code, so that it cannot contain links, mention people or close issues.

use std::fmt::Write;

use gemicro_core::run::RunState;
use gemicro_event::StreamId;
use gemicro_event::text;

use super::state::PipelineState;
use crate::phase_decided::PhaseDecided;

/// Maximum length of a title.
const TITLE_CHARS: usize = 72;
/// Maximum length of the text. GitHub has the lowest limit of all supported forges: 65,536 characters.
const MOST_CHARS: usize = 65_000;
/// Minimum space reserved for the task's own text.
const LEAST_TASK: usize = 2_000;

/// How much detail to add to the decisions, which are always listed. Detail is reduced until the text fits.
const GENEROSITY: [Generosity; 3] = [
    Generosity {
        why_chars: usize::MAX,
        n_reports: usize::MAX,
    },
    Generosity {
        why_chars: 80,
        n_reports: 50,
    },
    Generosity {
        why_chars: 0,
        n_reports: 20,
    },
];

/// How much detail to add to the decisions.
#[derive(Clone, Copy)]
struct Generosity {
    /// Maximum length of each reason.
    why_chars: usize,
    /// Maximum number of listed changes that need a look.
    n_reports: usize,
}

pub(super) fn request(state: &PipelineState, run: &RunState) -> (String, String) {
    let task = &state.plan.task;
    let first = task.lines().find(|line| !line.trim().is_empty());
    let title = shorten_title(&plain(first.unwrap_or_default()));
    let mut rest = String::new();
    for generosity in GENEROSITY {
        rest = after_task(state, &run.run, generosity);
        if rest.chars().count() + LEAST_TASK <= MOST_CHARS {
            break;
        }
    }
    let room = MOST_CHARS.saturating_sub(rest.chars().count()).max(LEAST_TASK);
    let body = format!("## Task\n\n{}{rest}", quoted(task, room - "## Task\n\n".len()));
    (title, body)
}

/// Quotes the task. If it is too long, the middle is left out.
fn quoted(task: &str, room: usize) -> String {
    let lines = |text: &str| -> String { text.lines().map(|line| format!("> {}\n", plain(line))).collect() };
    let whole = lines(task);
    if whole.chars().count() <= room {
        return whole;
    }
    let n_chars = task.chars().count();
    let mark =
        |n_left_out: usize| format!("> […]\n\n*{n_left_out} characters of the task are left out here.*\n\n");
    let keeping = |n_kept: usize| {
        let first: String = task.chars().take(n_kept).collect();
        let last: String = task.chars().skip(n_chars - n_kept).collect();
        let mark = mark(n_chars - 2 * n_kept);
        format!("{}{mark}{}", lines(&first), lines(&last))
    };
    // The length of the quotation depends on the line breaks, so a binary search finds what fits.
    let (mut fits, mut too_much) = (0, n_chars.min(room) / 2 + 1);
    while fits + 1 < too_much {
        let n_kept = fits.midpoint(too_much);
        match keeping(n_kept).chars().count() <= room {
            true => fits = n_kept,
            false => too_much = n_kept,
        }
    }
    keeping(fits)
}

fn after_task(state: &PipelineState, run: &StreamId, generosity: Generosity) -> String {
    let mut text = "\n## What was decided\n".to_owned();
    write_run_tables(&mut text, state, run, generosity.why_chars);
    text.push_str("\n## Checks, run by gemicro\n\n");
    let checks = state.evidence.as_ref().map(|it| it.checks.as_slice());
    let checks = checks.unwrap_or_default();
    if checks.is_empty() {
        text.push_str("None are configured: only the reviewers vouch for this branch.\n");
    }
    for check in checks {
        let n_tests = match check.n_tests() {
            Some(n) => format!(", {n} tests"),
            None if check.is_uncounted() => ", tests not counted".to_owned(),
            None => String::new(),
        };
        let _ = writeln!(text, "- `{}`: {}{n_tests}", plain(&check.command), check.word());
    }
    if !state.reports.is_empty() {
        text.push_str("\n## Look at these changes before merging\n\n");
        for report in state.reports.iter().take(generosity.n_reports) {
            let _ = writeln!(text, "- {}", plain(report));
        }
        let n_more = state.reports.len().saturating_sub(generosity.n_reports);
        if n_more > 0 {
            let _ = writeln!(text, "- … and {n_more} more, which `gemicro show {run}` names");
        }
    }
    let _ = write!(
        text,
        "\nReviewed: files with the digest {} (SHA-256 of names, modes and content, without the documents of tasks).\n\n\
         Gemicro-Run: {run}\n",
        state.tree
    );
    text
}

/// Writes one table per run of the task.
fn write_run_tables(text: &mut String, state: &PipelineState, run: &StreamId, why_chars: usize) {
    if let Some(earlier) = state.plan.earlier.as_ref().filter(|it| it.decided.is_empty()) {
        let _ = writeln!(
            text,
            "\nIt continues run {0}; `gemicro show {0}` shows its phases.",
            earlier.run
        );
    }
    let runs = state.decided.chunk_by(|one, other| one.run == other.run);
    let is_one = state.decided.iter().all(|it| it.run == *run);
    for of_run in runs {
        let made_in = &of_run[0].run;
        if !is_one {
            let which = if made_in == run { ", this one" } else { "" };
            let _ = writeln!(text, "\nIn run {made_in}{which}:");
        }
        text.push_str("\n| Phase | Round | Outcome | Why | Document |\n| --- | --- | --- | --- | --- |\n");
        for it in of_run {
            let why = it
                .why
                .as_deref()
                .map(|why| code(&text::shortened(why, why_chars)));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                it.phase,
                it.round,
                outcome(it),
                why.as_deref().filter(|_| why_chars > 0).unwrap_or("–"),
                it.document.as_deref().unwrap_or("–")
            );
        }
    }
}

/// Returns the outcome of a phase, or a person's answer before it.
fn outcome(decided: &PhaseDecided) -> String {
    match (&decided.said_by, decided.is_gate) {
        (_, false) => match &decided.verdict {
            Some(verdict) => format!("said {verdict}: {}", decided.outcome),
            None => decided.outcome.clone(),
        },
        (Some(name), true) => format!("{} answered {} before this phase", code(name), decided.outcome),
        (None, true) => format!("a person answered {} before this phase", decided.outcome),
    }
}

/// Formats untrusted text as code in a table cell.
fn code(words: &str) -> String {
    format!("`{}`", plain(words).replace('`', "'").replace('|', "\\|"))
}

/// Shortens a title, at a word boundary if possible.
fn shorten_title(line: &str) -> String {
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
    text::plain(line, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_end_with_a_whole_word() {
        let long = "Add a dark mode toggle to the settings page so that nobody is blinded at night";
        assert_eq!(
            shorten_title(long),
            "Add a dark mode toggle to the settings page so that nobody is blinded…"
        );
        let endless = "x".repeat(100);
        for (line, title) in [
            ("  Say bye. ", "Say bye.".to_owned()),
            (&"y".repeat(72), "y".repeat(72)),
            (&endless, format!("{}…", "x".repeat(72))),
        ] {
            assert_eq!(shorten_title(line), title);
        }
    }

    #[test]
    fn a_long_task_loses_its_middle_and_says_so() {
        assert_eq!(quoted("Greet.\nBe kind.", 100), "> Greet.\n> Be kind.\n");
        for task in ["x".repeat(5_000), "y\n".repeat(3_000), "ü¶\n\n".repeat(1_000)] {
            let text = quoted(&format!("FIRST {task} LAST"), 1_000);
            assert!(text.chars().count() <= 1_000, "{}", text.chars().count());
            assert!(text.starts_with("> FIRST") && text.ends_with("LAST\n"), "{text}");
            assert!(
                text.contains(" characters of the task are left out here."),
                "{text}"
            );
        }
    }

    #[test]
    fn foreign_words_do_nothing() {
        assert_eq!(code("a|b `c`\u{1b} @all"), "`a\\|b 'c' @all`");
    }
}
