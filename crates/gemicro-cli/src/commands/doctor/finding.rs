//! One thing that was looked at, and how it is printed.

use serde::Serialize;

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Paint, Screen, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FindingLevel {
    Good,
    Attention,
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct DoctorFinding {
    pub(super) what: &'static str,
    pub(super) standing: FindingLevel,
    pub(super) found: String,
    pub(super) fix: Option<String>,
}

pub(super) fn print(
    findings: &[DoctorFinding],
    format: DataFormat,
    screen: &Screen,
) -> Result<(), CommandError> {
    output::print_rows(findings, format, || {
        let columns = screen.stdout_is_terminal.then(|| screen.width());
        let lines = findings.iter().map(|it| line(it, screen.on_stdout(), columns));
        output::print(&lines.collect::<String>())
    })
}

/// The lines of a finding, broken at blanks for a terminal of so many columns. A fix stays whole: it may be a command.
fn line(finding: &DoctorFinding, paint: Paint, columns: Option<usize>) -> String {
    let mark = match finding.standing {
        FindingLevel::Good => paint.good("✓"),
        FindingLevel::Attention => paint.warn("!"),
        FindingLevel::Bad => paint.bad("✗"),
    };
    let fix = finding
        .fix
        .as_ref()
        .map_or_else(String::new, |fix| format!("  fix: {}\n", text::one_line(fix)));
    let words = format!("{}: {}", finding.what, text::one_line(&finding.found));
    let words = match columns {
        Some(columns) => text::wrap_markdown(&words, columns.saturating_sub(2)).replace('\n', "\n  "),
        None => words,
    };
    format!("{mark} {words}\n{fix}")
}

pub(super) fn good(what: &'static str, found: String) -> DoctorFinding {
    DoctorFinding {
        what,
        standing: FindingLevel::Good,
        found,
        fix: None,
    }
}

pub(super) fn attention(what: &'static str, found: String, fix: impl Into<String>) -> DoctorFinding {
    DoctorFinding {
        what,
        standing: FindingLevel::Attention,
        found,
        fix: Some(fix.into()),
    }
}

pub(super) fn bad(what: &'static str, found: String, fix: String) -> DoctorFinding {
    DoctorFinding {
        what,
        standing: FindingLevel::Bad,
        found,
        fix: Some(fix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_finding_is_broken_between_words_on_a_terminal_only() {
        let found =
            "/opt/someone/.local/lib/node_modules/.bin/claude, version 2.1.197; the key is set".to_owned();
        let finding = attention(
            "agent claude",
            found,
            "run a command that is longer than the line is",
        );
        let paint = Paint::new(false);
        assert_eq!(
            line(&finding, paint, Some(40)),
            "! agent claude:\n  /opt/someone/.local/lib/node_modules/\n  .bin/claude, version 2.1.197; the key\n  is set\n  \
             fix: run a command that is longer than the line is\n"
        );
        assert_eq!(line(&finding, paint, None).lines().count(), 2);
    }
}
