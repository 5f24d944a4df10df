//! The document that gemicro writes for a reviewer who wrote none: [`decision_document`].
//!
//! The feedback is text of an agent. It is quoted line by line, so that it cannot forge a heading, a tick or a block, and
//! lines that look like the tagged blocks of gemicro lose what makes them so. Which verdict counts is decided elsewhere.

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
    /// The task.
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
        one_line(role),
        one_line(verdict)
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
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .replace("\r\n", "\n")
        .split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
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

/// A line without control characters and those that turn text round.
fn visible(line: &str) -> String {
    let is_turning =
        |c: char| ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    line.chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_turning(*c))
        .collect()
}

/// Words of a heading.
fn one_line(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !"`*_#<>".contains(*c))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    visible(&words.join(" ")).chars().take(80).collect()
}

#[cfg(test)]
mod tests;
