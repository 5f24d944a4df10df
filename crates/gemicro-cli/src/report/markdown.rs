//! The report as Markdown.

use std::fmt::Write as _;

use gemicro_core::research::{Grade, RelatedPassage, ReportSource, ResearchReport};
use gemicro_event::StreamId;

use crate::screen::text::{neutral, one_line};
use crate::view::stats_line;

pub(super) fn report_markdown(run: &StreamId, report: &ResearchReport) -> String {
    let mut out = format!("# {}\n\n## Summary\n\n", one_line(&report.question));
    match report.summary.as_str() {
        "" => out.push_str("No document answers this question.\n"),
        summary => out.push_str(&format!("{}\n", neutral(summary))),
    }
    if let Some(partial) = &report.partial {
        let _ = writeln!(out, "\nThis report is partial: {}.", one_line(partial));
    }
    if !report.findings.is_empty() {
        out.push_str("\n## Findings\n");
        for finding in &report.findings {
            let _ = writeln!(
                out,
                "\n### {}\n\n{}",
                one_line(&finding.query),
                neutral(&finding.answer).trim()
            );
        }
    }
    if !report.contradictions.is_empty() {
        out.push_str("\n## Contradictions\n\n");
        for contradiction in &report.contradictions {
            let sides = contradiction.sides.iter().map(|side| {
                let date = side.date.as_deref().unwrap_or("undated");
                format!(
                    "{} says **{}** ({date})",
                    one_line(&side.doc),
                    one_line(&side.value)
                )
            });
            let _ = writeln!(out, "- {}", sides.collect::<Vec<_>>().join("; "));
        }
    }
    if !report.gaps.is_empty() {
        out.push_str("\n## Without an answer\n\n");
        for gap in &report.gaps {
            let _ = writeln!(out, "- {}: {}", one_line(&gap.query), one_line(&gap.reason));
        }
    }
    let related = match report.findings.is_empty() {
        true => RelatedPassage::closest(&report.related),
        false => RelatedPassage::beside_answer(&report.related),
    };
    if !related.is_empty() {
        let _ = write!(out, "\n{}", neutral(&related));
    }
    if !report.sources.is_empty() {
        out.push_str("\n## Sources\n");
        for source in &report.sources {
            out.push_str(&source_entry(source));
        }
    }
    let _ = writeln!(
        out,
        "\n---\n\n{}. Run {run}; `gemicro show {run}` lists every step.",
        stats_line(&report.metadata)
    );
    out
}

fn source_entry(source: &ReportSource) -> String {
    let citation = &source.citation;
    let date = citation.date.as_ref();
    let date = date.map_or_else(String::new, |date| format!(" ({date})"));
    let proof = match citation.grade {
        Grade::Verified => {
            let lines = neutral(&citation.span);
            let lines = lines.lines().map(|line| format!("   > {line}"));
            lines.collect::<Vec<_>>().join("\n")
        }
        Grade::Provider => "   Named by the provider, not verified.".to_owned(),
    };
    format!(
        "\n{}. {}{date}\n\n{proof}\n",
        citation.number,
        one_line(&citation.doc)
    )
}
