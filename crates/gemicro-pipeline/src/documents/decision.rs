//! Writes a review document when the reviewer did not write one: [`decision_document`].
//!
//! The feedback is agent text. It is quoted line by line, so that it cannot forge a heading, a ticked box or a code
//! block, and anything that looks like a tagged gemicro block is defused. Verdicts are counted elsewhere.

use gemicro_event::text;

use super::feature::Feature;

/// A reviewer's decision.
#[derive(Debug, Clone, Copy)]
pub struct DecisionText<'d> {
    /// Title of the role, like `Plan Reviewer`.
    pub role: &'d str,
    /// Verdict, like `REJECT`.
    pub verdict: &'d str,
    /// The reviewer's reasons.
    pub feedback: &'d str,
    /// The task under review.
    pub feature: &'d Feature,
    /// Number of the review round.
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

/// Quotes text as Markdown, without leading and trailing blank lines.
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

/// Defuses a line that would start a gemicro block.
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
        // Keeps the colon, after the inserted space.
        neutral.push(':');
        rest = &rest[1..];
    }
    neutral.push_str(rest);
    // A comment would hide the text after the quotation.
    neutral.replace("<!--", "&lt;!--")
}

/// Removes hidden characters from a line.
fn visible(line: &str) -> String {
    text::plain(&line.replace('\t', " "), usize::MAX)
}

/// Makes text safe for use in a heading.
fn heading(words: &str) -> String {
    let blanks = words.replace(char::is_control, " ");
    text::plain(&text::one_line(&blanks.replace(|c| "`*_#<>".contains(c), "")), 80)
}

#[cfg(test)]
mod tests;
