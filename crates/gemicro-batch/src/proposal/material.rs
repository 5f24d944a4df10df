//! What a model is shown of a project: data, and how it stands in a prompt.

use std::fmt::Write;

use gemicro_core::flow::Step;
use gemicro_event::StepKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::{CodeLanguage, LineRange};

/// The step kind that gathers it.
pub const MATERIAL_STEP: &str = "test_material";

/// Which lines a test is to cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalAim {
    /// Those that the reports call uncovered, in the whole file.
    Uncovered,
    /// Those that the reports call uncovered in a range; all of it where no report knows the file.
    Within(LineRange),
    /// Exactly these lines, which the caller has measured.
    Lines(Vec<LineRange>),
}

/// Input of a step of kind `test_material`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialInput {
    /// The project; an absolute path.
    pub directory: String,
    /// The file to be tested, relative to it.
    pub target: String,
    /// Its lines.
    pub aim: ProposalAim,
    /// Named reports; else those in the usual places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

impl MaterialInput {
    /// The step that gathers it.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Step {
        Step::free(key, MATERIAL_STEP, self)
    }
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Material")]
pub struct ProposalMaterial {
    /// The file to be tested.
    pub target: String,
    /// The language that decides how tests are written.
    pub language: CodeLanguage,
    /// How tests import from the file, where its path says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import: Option<String>,
    /// The lines to cover.
    pub lines: Vec<LineRange>,
    /// The code around them.
    pub excerpts: Vec<Excerpt>,
    /// Tests that are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<Neighbour>,
    /// Build files and test folders: where a new test can go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<String>,
    /// What was odd.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Some lines of the file to be tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Excerpt {
    /// Number of the first line.
    pub first: u32,
    /// The lines.
    pub text: String,
}

/// A test that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbour {
    /// Path in the project, with forward slashes.
    pub path: String,
    /// Its text, or the beginning of it.
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

    /// As it stands in a prompt: numbered code with `!` before the lines to cover, then the neighbouring tests.
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
                "\nA test that is there{cut}:\n<file name=\"{}\">\n{}\n</file>\n",
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

/// A text that cannot close the tag it stands in.
pub(super) fn harmless(text: &str) -> String {
    text.replace("</file", "< /file").replace("<file ", "< file ")
}

/// A path as one word on one line: a project may have files of any name.
fn name(path: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '<' | '>' | '"' | '\u{2028}' | '\u{2029}');
    path.replace(is_odd, "_")
}
