//! The material that a model is shown of a project, and its text in the prompt.

use std::fmt::Write;

use gemicro_core::flow::Step;
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::{CodeLanguage, LineRange};

/// The step kind that gathers the material.
pub const MATERIAL_STEP: &str = "test_material";

/// The lines that a test should cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalAim {
    /// All lines of the file that the reports call uncovered.
    Uncovered,
    /// The uncovered lines of a range; the whole range if no report knows the file.
    Within(LineRange),
    /// Exactly these lines, which the caller has measured.
    Lines(Vec<LineRange>),
}

/// Input of a step of kind `test_material`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialInput {
    /// The project; an absolute path.
    pub directory: String,
    /// The file to test, relative to the project.
    pub target: String,
    /// The lines to cover.
    pub aim: ProposalAim,
    /// Reports; empty for those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

impl MaterialInput {
    /// The step that gathers the material.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step::free(key, MATERIAL_STEP, self)
    }
}

/// The material that a model is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Material")]
pub struct ProposalMaterial {
    /// The file to test.
    pub target: String,
    /// The language that decides how tests are written.
    pub language: CodeLanguage,
    /// How tests import from the file, if its path shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<String>,
    /// The lines to cover.
    pub lines: Vec<LineRange>,
    /// The code around them.
    pub excerpts: Vec<Excerpt>,
    /// Existing tests close to the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<Neighbour>,
    /// Build files and test folders, which show where a new test can go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<String>,
    /// Problems found while gathering.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Some lines of the file to test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// Number of the first line.
    pub first: u32,
    /// The lines.
    pub text: String,
}

/// An existing test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbour {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Its text, or the start of it.
    pub text: String,
    /// Whether the rest was left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl ProposalMaterial {
    /// The lines to cover, as text.
    #[must_use]
    pub fn line_list(&self) -> String {
        let ranges: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        ranges.join(", ")
    }

    /// The text for the prompt: numbered code with `!` before the lines to cover, then the neighbouring tests.
    #[must_use]
    pub fn prompt_text(&self) -> String {
        let mut text = format!(
            "The code under test; `!` marks the lines to cover:\n<file name=\"{}\">\n",
            name(&self.target)
        );
        for excerpt in &self.excerpts {
            for (number, line) in (excerpt.first..).zip(excerpt.text.lines()) {
                let is_asked = self.lines.iter().any(|it| (it.first..=it.last).contains(&number));
                let mark = if is_asked { '!' } else { ' ' };
                let _ = writeln!(text, "{number:>5} {mark} {}", harmless(line));
            }
            text.push_str("      …\n");
        }
        text.push_str("</file>\n");
        if let Some(import) = &self.import {
            let shape = match self.language {
                CodeLanguage::Rust => " In a new file, test functions have no `mod` around them.",
                CodeLanguage::Cpp | CodeLanguage::Other => "",
            };
            let _ = write!(text, "\nTests import from it with `{}`.{shape}\n", name(import));
        }
        if self.neighbours.is_empty() {
            text.push_str("\nThere are no other tests beside it.\n");
        }
        for neighbour in &self.neighbours {
            let cut = if neighbour.is_cut { " (its beginning)" } else { "" };
            let _ = write!(
                text,
                "\nAn existing test{cut}:\n<file name=\"{}\">\n{}\n</file>\n",
                name(&neighbour.path),
                harmless(neighbour.text.trim_end())
            );
        }
        if !self.layout.is_empty() {
            let names: Vec<String> = self.layout.iter().map(|path| name(path)).collect();
            let _ = write!(
                text,
                "\nBuild files and tests of the project: {}\n",
                names.join(", ")
            );
        }
        text
    }
}

/// Escapes text so that it cannot close the surrounding tag.
pub(super) fn harmless(text: &str) -> String {
    text.replace("</file", "< /file").replace("<file ", "< file ")
}

/// A path on one line and without special characters: files can have any name.
fn name(path: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '<' | '>' | '"' | '\u{2028}' | '\u{2029}');
    path.replace(is_odd, "_")
}
