//! The report as one HTML page.

use std::fmt::Write as _;

use gemicro_core::research::{CitedContradiction, Grade, ReportSource, ResearchReport};
use gemicro_event::StreamId;

use super::answer_html::{answer_html, is_web};
use crate::screen::text::{neutral, one_line};
use crate::view::stats_line;

const STYLE: &str = include_str!("page.css");

/// The text for an HTML page, invisible characters removed.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in neutral(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// The page of a research run.
pub(crate) fn report_page(run: &StreamId, report: &ResearchReport) -> String {
    let sections = [
        summary(report),
        findings(report),
        contradictions(report),
        gaps(report),
        other_passages(report),
        sources(report),
    ];
    let foot = format!("{}. Run {run}.", stats_line(&report.metadata));
    page(&one_line(&report.question), &sections.concat(), &foot)
}

/// The page of any other run: the screen of `gemicro show`.
pub(crate) fn story_page(run: &StreamId, title: &str, story: &str) -> String {
    let body = format!("<pre>{}</pre>\n", escape(story));
    page(&one_line(title), &body, &format!("Run {run}."))
}

fn page(title: &str, body: &str, foot: &str) -> String {
    let (title, foot) = (escape(title), escape(foot));
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<meta name=\"referrer\" content=\"no-referrer\">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}</main>
<footer>{foot}</footer>
</body>
</html>
"
    )
}

fn section(heading: &str, body: &str) -> String {
    format!("<section>\n<h2>{heading}</h2>\n{body}</section>\n")
}

fn summary(report: &ResearchReport) -> String {
    let mut body = match report.summary.as_str() {
        "" => "<p>No document answers this question.</p>\n".to_owned(),
        summary => answer_html(summary, &report.sources),
    };
    if let Some(partial) = &report.partial {
        let _ = writeln!(
            body,
            "<p class=\"note\">This report is partial: {}.</p>",
            escape(partial)
        );
    }
    section("Summary", &body)
}

fn findings(report: &ResearchReport) -> String {
    let each = report.findings.iter().map(|finding| {
        let query = escape(&one_line(&finding.query));
        let answer = answer_html(&finding.answer, &report.sources);
        format!("<h3>{query}</h3>\n{answer}")
    });
    match each.collect::<String>() {
        body if body.is_empty() => body,
        body => section("Findings", &body),
    }
}

fn contradictions(report: &ResearchReport) -> String {
    if report.contradictions.is_empty() {
        return String::new();
    }
    let tables = report
        .contradictions
        .iter()
        .map(|it| contradiction_table(it, &report.sources));
    section("Contradictions", &tables.collect::<String>())
}

fn contradiction_table(contradiction: &CitedContradiction, sources: &[ReportSource]) -> String {
    let rows = contradiction.sides.iter().map(|side| {
        let source = sources
            .iter()
            .find(|it| it.citation.doc == side.doc && it.citation.span == side.span);
        let link = source.map_or_else(String::new, |it| {
            let number = it.citation.number;
            format!(" <a class=\"marker\" href=\"#source-{number}\">[{number}]</a>")
        });
        format!(
            "<tr><td>{}{link}</td><td>{}</td><td><strong>{}</strong></td><td>{}</td></tr>\n",
            escape(&one_line(&side.doc)),
            escape(side.date.as_deref().unwrap_or("undated")),
            escape(&one_line(&side.value)),
            escape(&one_line(&side.span)),
        )
    });
    format!(
        "<table>\n<tr><th>Document</th><th>Date</th><th>Value</th><th>Quote</th></tr>\n{}</table>\n",
        rows.collect::<String>()
    )
}

fn gaps(report: &ResearchReport) -> String {
    if report.gaps.is_empty() {
        return String::new();
    }
    let gaps = report.gaps.iter().map(|gap| {
        format!(
            "<li><b>{}</b> {}</li>\n",
            escape(&one_line(&gap.query)),
            escape(&one_line(&gap.reason))
        )
    });
    let body = format!("<ul>\n{}</ul>\n", gaps.collect::<String>());
    section("Without an answer", &body)
}

fn other_passages(report: &ResearchReport) -> String {
    let each = report.related.iter().map(|related| {
        format!(
            "<figure><figcaption>{}</figcaption><blockquote>{}</blockquote></figure>\n",
            source_head(&related.doc, related.date.as_deref()),
            escape(&related.span)
        )
    });
    match each.collect::<String>() {
        body if body.is_empty() => body,
        body if report.findings.is_empty() => section("Closest passages", &body),
        body => section("Other passages that may help", &body),
    }
}

fn sources(report: &ResearchReport) -> String {
    let each = report.sources.iter().map(source_figure);
    match each.collect::<String>() {
        body if body.is_empty() => body,
        body => section("Sources", &body),
    }
}

fn source_figure(source: &ReportSource) -> String {
    let citation = &source.citation;
    let head = source_head(&citation.doc, citation.date.as_deref());
    let quote = match (&citation.grade, &source.context) {
        (Grade::Verified, Some(context)) => format!(
            "<blockquote>{}<mark>{}</mark>{}</blockquote>",
            escape(&context.before),
            escape(&context.quote),
            escape(&context.after)
        ),
        (Grade::Verified, None) => format!(
            "<blockquote><mark>{}</mark></blockquote>\n<p class=\"note\">The stored text of this document is missing.</p>",
            escape(&citation.span)
        ),
        (Grade::Provider, _) => format!(
            "<p class=\"note\">{} (named by the provider, not verified)</p>",
            escape(&one_line(&citation.title))
        ),
    };
    let number = citation.number;
    format!(
        "<figure id=\"source-{number}\"><figcaption><b>{number}</b> {head}</figcaption>\n{quote}\n</figure>\n"
    )
}

/// The document, as a link where it is a web page.
fn source_head(doc: &str, date: Option<&str>) -> String {
    let shown = escape(&one_line(doc));
    let shown = match is_web(doc) {
        true => format!("<a href=\"{shown}\" rel=\"noreferrer\">{shown}</a>"),
        false => shown,
    };
    let date = date.map_or_else(String::new, |date| format!(" ({})", escape(date)));
    format!("{shown}{date}")
}
