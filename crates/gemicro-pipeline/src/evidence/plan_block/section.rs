//! The sections that a plan must have.
//!
//! Headings match at any level and in any letter case, with or without numbering (`3.`, `B)`, `Section 2:`), emphasis
//! and extra words. Each [`PlanSection`] lists the accepted wordings. A section must not be empty.

use crate::evidence::markdown::{MarkdownLine, heading, plain_text};

/// A section that a plan must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanSection {
    /// Title shown to users.
    pub title: &'static str,
    /// Accepted wordings: a heading must have all words of one of them. Words match by prefix: `document` matches
    /// `documents`.
    pub wordings: &'static [&'static [&'static str]],
}

/// The required sections, in their usual order.
pub const SECTIONS: &[PlanSection] = &[
    PlanSection {
        title: "List of Reference Documents",
        wordings: &[
            &["reference"],
            &["related", "document"],
            &["source", "document"],
            &["background", "document"],
        ],
    },
    PlanSection {
        title: "Detailed Logic",
        wordings: &[
            &["logic"],
            &["detailed", "design"],
            &["detailed", "implementation"],
            &["implementation", "detail"],
            &["implementation", "step"],
            &["technical", "design"],
        ],
    },
    PlanSection {
        title: "Test Scenarios",
        wordings: &[
            &["test", "scenario"],
            &["test", "case"],
            &["test", "plan"],
            &["tests"],
            &["testing"],
        ],
    },
    PlanSection {
        title: "Documentation to Update",
        wordings: &[
            &["documentation", "update"],
            &["docs", "update"],
            &["document", "to", "update"],
            &["documentation", "change"],
            &["update", "doc"],
        ],
    },
    PlanSection {
        title: "Expected Deliverables",
        wordings: &[&["deliverable"]],
    },
    PlanSection {
        title: "Completion Checklist",
        wordings: &[&["checklist"], &["check", "list"], &["definition", "of", "done"]],
    },
];

/// Returns what is wrong with the sections of a plan.
pub(super) fn faults(lines: &[MarkdownLine<'_>]) -> Vec<String> {
    let found = find_headings(lines);
    SECTIONS
        .iter()
        .filter_map(|section| {
            let mut matching = found
                .iter()
                .filter(|found| section.is_named(&found.words))
                .peekable();
            let title = section.title;
            if matching.peek().is_none() {
                return Some(format!(
                    "the plan has no section `{title}`: add it with a heading of that name"
                ));
            }
            matching
                .all(|found| !found.has_text)
                .then(|| format!("the section `{title}` of the plan is empty: fill it"))
        })
        .collect()
}

impl PlanSection {
    fn is_named(&self, heading: &[String]) -> bool {
        let has = |word: &&str| heading.iter().any(|other| other.starts_with(*word));
        self.wordings.iter().any(|wording| wording.iter().all(has))
    }
}

/// A heading of the plan.
struct PlanHeading {
    level: usize,
    words: Vec<String>,
    /// Whether there is text between it and the next heading of the same or a higher level.
    has_text: bool,
}

fn find_headings(lines: &[MarkdownLine<'_>]) -> Vec<PlanHeading> {
    let mut found: Vec<PlanHeading> = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let next = match lines.get(idx + 1) {
            Some(MarkdownLine::Text(next)) => Some(*next),
            Some(
                MarkdownLine::Opening(_)
                | MarkdownLine::Code(_)
                | MarkdownLine::Closing
                | MarkdownLine::Hidden,
            )
            | None => None,
        };
        let text = match line {
            MarkdownLine::Text(text) => text,
            MarkdownLine::Code(text) if !text.trim().is_empty() => {
                say(&mut found);
                continue;
            }
            MarkdownLine::Opening(_)
            | MarkdownLine::Code(_)
            | MarkdownLine::Closing
            | MarkdownLine::Hidden => continue,
        };
        if let Some((level, words)) = heading(text, next) {
            found.push(PlanHeading {
                level,
                words: words_of(words),
                has_text: false,
            });
        } else if text.contains(char::is_alphanumeric) {
            say(&mut found);
        }
    }
    found
}

/// Records that the last heading has text, and so the headings that contain it.
fn say(found: &mut [PlanHeading]) {
    let mut level = usize::MAX;
    for heading in found.iter_mut().rev() {
        if heading.level < level {
            heading.has_text = true;
            level = heading.level;
        }
    }
}

fn words_of(heading: &str) -> Vec<String> {
    plain_text(heading)
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
