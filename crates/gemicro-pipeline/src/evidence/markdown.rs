//! Classifies the lines of a Markdown text: visible text, code, comment or heading.
//!
//! The main function is [`lines`]. It handles fences and comments, but not links or tables. [`plain_text`] removes
//! emphasis so that texts can be compared.

use gemicro_event::text::one_line;

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkdownLine<'t> {
    /// Text that a reader sees.
    Text(&'t str),
    /// The first line of a fenced block, with its info string.
    Opening(&'t str),
    /// A line inside a fenced block.
    Code(&'t str),
    /// The last line of a fenced block.
    Closing,
    /// A line of a comment, which no reader sees.
    Hidden,
}

/// Classifies the lines of a text. An unclosed fence continues to the end, as in Markdown.
pub(super) fn lines(text: &str) -> Vec<MarkdownLine<'_>> {
    let mut fence: Option<OpenFence> = None;
    let mut in_comment = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(open) = fence {
            let is_end = open.is_closed_by(line);
            found.push(if is_end {
                MarkdownLine::Closing
            } else {
                MarkdownLine::Code(line)
            });
            if is_end {
                fence = None;
            }
            continue;
        }
        if in_comment {
            in_comment = !line.contains("-->");
            found.push(MarkdownLine::Hidden);
            continue;
        }
        if let Some((open, info)) = OpenFence::opened_by(line) {
            fence = Some(open);
            found.push(MarkdownLine::Opening(info));
            continue;
        }
        if let Some((before, comment)) = comment(line) {
            in_comment = !comment.contains("-->");
            // Text after a comment on the same line is ignored.
            found.push(if before.trim().is_empty() {
                MarkdownLine::Hidden
            } else {
                MarkdownLine::Text(before)
            });
            continue;
        }
        found.push(MarkdownLine::Text(line));
    }
    found
}

/// Returns the level and text of a heading.
pub(super) fn heading<'t>(line: &'t str, next: Option<&str>) -> Option<(usize, &'t str)> {
    let trimmed = line.trim();
    let indent = line.len() - line.trim_start().len();
    if indent > 3 || trimmed.is_empty() {
        return None;
    }
    let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) {
        let words = &trimmed[level..];
        return words
            .starts_with([' ', '\t'])
            .then(|| (level, words.trim().trim_end_matches('#').trim_end()));
    }
    let next = next.map(str::trim).unwrap_or_default();
    let is_underline = |c: char| next.len() >= 3 && next.chars().all(|other| other == c);
    let is_paragraph = !trimmed.starts_with(['-', '*', '+', '>', '|', '`']);
    if is_paragraph && is_underline('=') {
        return Some((1, trimmed));
    }
    if is_paragraph && is_underline('-') {
        return Some((2, trimmed));
    }
    // Many people write a heading as a line in bold. It ranks below all real headings.
    let bold = trimmed
        .strip_prefix("**")
        .and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"));
    bold.filter(|words| !words.contains("**")).map(|words| (7, words))
}

/// Removes emphasis and collapses white space.
pub(super) fn plain_text(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '*' | '_' | '`' | '~'))
        .collect();
    one_line(&plain)
}

/// Splits a line at its first comment, unless that is inside inline code.
fn comment(line: &str) -> Option<(&str, &str)> {
    let (before, comment) = line.split_once("<!--")?;
    let is_code = before.matches('`').count() % 2 == 1;
    (!is_code).then_some((before, comment))
}

#[derive(Debug, Clone, Copy)]
struct OpenFence {
    mark: char,
    length: usize,
}

impl OpenFence {
    fn opened_by(line: &str) -> Option<(Self, &str)> {
        let rest = line.trim_start_matches(' ');
        if line.len() - rest.len() > 3 {
            return None;
        }
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = rest.trim_start_matches(mark);
        let length = rest.len() - info.len();
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then_some((Self { mark, length }, info.trim()))
    }

    fn is_closed_by(self, line: &str) -> bool {
        let rest = line.trim_start_matches(' ');
        let after = rest.trim_start_matches(self.mark);
        line.len() - rest.len() <= 3 && rest.len() - after.len() >= self.length && after.trim().is_empty()
    }
}
