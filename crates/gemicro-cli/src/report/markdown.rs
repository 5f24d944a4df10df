//! The report as Markdown: no raw HTML, no images, links only to web pages, so that opening it loads nothing.

use std::fmt::Write as _;

use gemicro_core::research::{Grade, RelatedPassage, ReportSource, ResearchReport};
use gemicro_event::StreamId;
use pulldown_cmark::{Event, Parser, Tag};

use super::answer_html::{OPTIONS, is_web};
use crate::screen::text::{neutral, one_line};
use crate::view::stats_line;

/// Passes after which every bracket is escaped: only a text that was made for it needs more.
const MAX_PASSES: usize = 8;

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
    inert(out)
}

/// The text with backslashes before raw HTML, images, links to other than web pages, and definitions of links, which
/// would turn markers into links. Quotes, file names and a model's words can have them.
fn inert(mut markdown: String) -> String {
    // A backslash can change what the text after it is.
    for _ in 0..MAX_PASSES {
        let mut active = active_at(&markdown);
        if active.is_empty() {
            return markdown;
        }
        active.sort_unstable();
        active.dedup();
        for at in active.into_iter().rev() {
            markdown.insert(at, '\\');
        }
    }
    markdown.replace('<', "&lt;").replace('[', "&#91;")
}

/// Where something begins that a viewer would run, load or follow.
fn active_at(markdown: &str) -> Vec<usize> {
    let parser = Parser::new_ext(markdown, OPTIONS);
    let definitions = parser.reference_definitions().iter();
    let mut active: Vec<usize> = definitions.map(|(_, it)| it.span.start).collect();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let tags = markdown[range.clone()].match_indices('<');
                active.extend(tags.map(|(at, _)| range.start + at));
            }
            Event::Start(Tag::Image { .. }) => active.push(range.start),
            Event::Start(Tag::Link { dest_url, .. }) if !is_web(&dest_url) => active.push(range.start),
            _ => {}
        }
    }
    active
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
