//! Converts the Markdown of an answer to HTML: no raw HTML, no images, links only to web pages, `[n]` linked to its
//! source.

use gemicro_core::research::ReportSource;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream, html};

use super::html::escape;
use crate::screen::text::{neutral, one_line};

/// What an answer may use besides plain Markdown.
pub(super) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Whether an address is that of a web page.
pub(super) fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

/// Converts an answer whose markers refer to these sources.
pub(super) fn answer_html(markdown: &str, sources: &[ReportSource]) -> String {
    let markdown = neutral(markdown);
    let mut events = Vec::new();
    // Brackets inside code and links are kept.
    let mut n_open = 0_usize;
    let mut links_kept = Vec::new();
    for event in TextMergeStream::new(Parser::new_ext(&markdown, OPTIONS)) {
        match event {
            Event::Html(raw) | Event::InlineHtml(raw) => events.push(Event::Text(raw)),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Link { ref dest_url, .. }) => {
                let is_kept = is_web(dest_url);
                links_kept.push(is_kept);
                n_open += 1;
                if is_kept {
                    events.push(event);
                }
            }
            Event::End(TagEnd::Link) => {
                n_open = n_open.saturating_sub(1);
                if links_kept.pop().unwrap_or(false) {
                    events.push(event);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => {
                n_open += 1;
                events.push(event);
            }
            Event::End(TagEnd::CodeBlock) => {
                n_open = n_open.saturating_sub(1);
                events.push(event);
            }
            // The page itself uses the first heading levels.
            Event::Start(Tag::Heading { .. }) => events.push(Event::Start(Tag::Heading {
                level: HeadingLevel::H4,
                id: None,
                classes: Vec::new(),
                attrs: Vec::new(),
            })),
            Event::End(TagEnd::Heading(_)) => events.push(Event::End(TagEnd::Heading(HeadingLevel::H4))),
            Event::Text(text) if n_open == 0 => events.extend(with_marker_links(&text, sources)),
            other => events.push(other),
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// The text, with each `[n]` that names a source turned into a link that shows the quote.
fn with_marker_links(text: &str, sources: &[ReportSource]) -> Vec<Event<'static>> {
    let mut events = Vec::new();
    let mut rest = text;
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let marker = after.split_once(']').and_then(|(inside, rest)| {
            let number: usize = inside.parse().ok()?;
            let source = sources.iter().find(|it| it.citation.number == number)?;
            Some((source, rest))
        });
        match marker {
            Some((source, after_marker)) => {
                events.push(Event::Text(std::mem::take(&mut plain).into()));
                events.push(Event::InlineHtml(marker_link(source).into()));
                rest = after_marker;
            }
            None => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    events.push(Event::Text(plain.into()));
    events
}

fn marker_link(source: &ReportSource) -> String {
    let citation = &source.citation;
    let number = citation.number;
    let title = format!("{}: {}", citation.doc, one_line(&citation.span));
    format!(
        "<a class=\"marker\" href=\"#source-{number}\" title=\"{}\">[{number}]</a>",
        escape(&title)
    )
}
