//! One thing that was looked at, and how it is printed.

use serde::Serialize;

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Screen, text};

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
        output::print(&findings.iter().map(|it| line(it, screen)).collect::<String>())
    })
}

fn line(finding: &DoctorFinding, screen: &Screen) -> String {
    let paint = screen.on_stdout();
    let mark = match finding.standing {
        FindingLevel::Good => paint.good("✓"),
        FindingLevel::Attention => paint.warn("!"),
        FindingLevel::Bad => paint.bad("✗"),
    };
    let fix = finding
        .fix
        .as_ref()
        .map_or_else(String::new, |fix| format!("  fix: {}\n", text::one_line(fix)));
    format!(
        "{mark} {}: {}\n{fix}",
        finding.what,
        text::one_line(&finding.found)
    )
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
