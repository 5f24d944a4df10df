//! The document that gemicro writes for a reviewer who wrote none: [`decision_document`].
//!
//! The feedback is text of an agent. It is quoted line by line, so that it cannot forge a heading, a tick or a block, and
//! lines that look like the tagged blocks of gemicro lose what makes them so. Which verdict counts is decided elsewhere.

use gemicro_event::text;

use super::feature::Feature;

/// What a reviewer decided.
#[derive(Debug, Clone, Copy)]
pub struct DecisionText<'d> {
    /// The title of the role, as `Plan Reviewer`.
    pub role: &'d str,
    /// The word of the verdict, as `REJECT`.
    pub verdict: &'d str,
    /// What the reviewer said about it.
    pub feedback: &'d str,
    /// The task that was judged.
    pub feature: &'d Feature,
    /// The number of the round.
    pub version: u32,
}

/// Writes the document as Markdown.
pub fn decision_document(decision: DecisionText<'_>) -> String {
    let DecisionText {
        role,
        verdict,
        feedback,
        feature,
        version,
    } = decision;
    let mut document = format!(
        "# {}: {feature}, round {version}\n\nVerdict: **{}**\n\n## Feedback\n\n",
        heading(role),
        heading(verdict)
    );
    let quoted = quoted(feedback);
    if quoted.is_empty() {
        document.push_str("None was given.\n");
    } else {
        document.push_str(&quoted);
    }
    document
}

/// A text as a quotation, without blank lines at its ends.
fn quoted(feedback: &str) -> String {
    let lines: Vec<String> = feedback
        .replace("\r\n", "\n")
        .split(text::is_line_end)
        .map(|line| neutral(&visible(line)))
        .collect();
    let is_said = |line: &String| !line.trim().is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(is_said), lines.iter().rposition(is_said)) else {
        return String::new();
    };
    let mut quotation = String::new();
    for line in &lines[first..=last] {
        quotation.push_str(if line.is_empty() { ">" } else { "> " });
        quotation.push_str(line);
        quotation.push('\n');
    }
    quotation
}

/// A line without what would make it the start of a block of gemicro.
fn neutral(line: &str) -> String {
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let is_fence = start.starts_with("```") || start.starts_with("~~~");
    if is_fence && start.to_ascii_lowercase().contains("gemicro") {
        return "'''".to_owned();
    }
    let mut rest = line;
    let mut neutral = String::new();
    while let Some(at) = rest.to_ascii_lowercase().find("gemicro:") {
        let end = at + "gemicro".len();
        neutral.push_str(&rest[..end]);
        neutral.push(' ');
        rest = &rest[end..];
        // The colon stays, behind the space.
        neutral.push(':');
        rest = &rest[1..];
    }
    neutral.push_str(rest);
    // A comment would hide what follows the quotation.
    neutral.replace("<!--", "&lt;!--")
}

/// A line without hidden characters.
fn visible(line: &str) -> String {
    text::plain(&line.replace('\t', " "), usize::MAX)
}

/// Words of a heading.
fn heading(words: &str) -> String {
    let blanks = words.replace(char::is_control, " ");
    text::plain(&text::one_line(&blanks.replace(|c| "`*_#<>".contains(c), "")), 80)
}

#[cfg(test)]
mod tests;
