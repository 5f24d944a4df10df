//! Parses a string into text and references.

use std::fmt;

use crate::contract::MAX_ID_BYTES;

/// Separates the task id from the path in its output.
const OUTPUT: &str = ".output";

/// A string with references in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceTemplate {
    /// Its parts, in order. No two adjacent parts are text.
    pub pieces: Vec<TemplatePiece>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    /// Literal text.
    Text(String),
    /// A value of another task's output.
    Reference(Reference),
}

/// A reference to a value in the output of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Id of the task.
    pub task_id: String,
    /// The path in its output.
    pub path: Vec<PathPart>,
}

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPart {
    /// `.name`: a field; a number can also be an array index.
    Name(String),
    /// `[3]`: an array index.
    Index(usize),
}

impl ReferenceTemplate {
    /// Parses a string. Every string is a valid template.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("$${") {
                plain.push_str("${");
                rest = after;
            } else if let Some((reference, after)) = reference_at(rest) {
                if !plain.is_empty() {
                    pieces.push(TemplatePiece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(TemplatePiece::Reference(reference));
                rest = after;
            } else {
                plain.push('$');
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(TemplatePiece::Text(plain));
        }
        Self { pieces }
    }

    /// The references in it.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Text(_) => None,
            TemplatePiece::Reference(reference) => Some(reference),
        })
    }

    /// The reference that is the whole string, if it is one.
    #[must_use]
    pub fn whole(&self) -> Option<&Reference> {
        match self.pieces.as_slice() {
            [TemplatePiece::Reference(reference)] => Some(reference),
            _ => None,
        }
    }
}

/// Parses a reference at the start of a text; also returns the rest.
fn reference_at(text: &str) -> Option<(Reference, &str)> {
    let inside = text.strip_prefix("${")?;
    // Stop at another opening, so that the parser stays linear.
    let end = inside.find(['}', '{', '$'])?;
    let (inside, after) = (&inside[..end], inside[end..].strip_prefix('}')?);
    let (task_id, path) = inside
        .match_indices(OUTPUT)
        .map(|(at, _)| (&inside[..at], &inside[at + OUTPUT.len()..]))
        .find(|(_, path)| path.is_empty() || path.starts_with(['.', '[']))?;
    is_task_id(task_id).then_some(())?;
    let reference = Reference {
        task_id: task_id.to_owned(),
        path: parts(path)?,
    };
    Some((reference, after))
}

/// Parses a path such as `.name[3].other`.
fn parts(mut text: &str) -> Option<Vec<PathPart>> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        if let Some(after) = text.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let name = &after[..end];
            let fits = !name.is_empty() && !name.contains(']');
            parts.push(fits.then(|| PathPart::Name(name.to_owned()))?);
            text = &after[end..];
        } else {
            let (index, after) = text.strip_prefix('[')?.split_once(']')?;
            let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            parts.push(is_number.then(|| index.parse().map(PathPart::Index).ok())??);
            text = after;
        }
    }
    Some(parts)
}

/// Whether a text is a valid task id: 1 to 128 bytes of letters, digits, `_`, `-`, `.`, `:` and `/`.
#[must_use]
pub fn is_task_id(text: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&text.len())
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.:/".contains(letter))
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${{{}{OUTPUT}", self.task_id)?;
        for part in &self.path {
            match part {
                PathPart::Name(name) => write!(f, ".{name}")?,
                PathPart::Index(index) => write!(f, "[{index}]")?,
            }
        }
        f.write_str("}")
    }
}
