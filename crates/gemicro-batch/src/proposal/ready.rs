//! Turns a model's answer into files to write: parses it, applies it in memory, and checks that only tests change.

use std::collections::BTreeMap;

use super::check::{PatchProblem, PatchedFile, ProblemKind};
use crate::patch::{NewText, Patch, tests_only, unified_diff};
use crate::project::Project;

/// A patch that applies and changes only tests.
#[derive(Debug)]
pub(crate) struct ReadyProposal {
    /// The patch in git's format.
    pub(crate) patch: String,
    pub(crate) files: Vec<PatchedFile>,
    pub(crate) texts: Vec<NewText>,
}

/// A patch that cannot be used; `patch` and `files` are empty if it could not be parsed or applied.
#[derive(Debug)]
pub(crate) struct Unusable {
    pub(crate) problem: PatchProblem,
    pub(crate) patch: String,
    pub(crate) files: Vec<PatchedFile>,
}

/// Reads an answer and applies its patch to a project, in memory.
pub(crate) fn ready(
    project: &Project,
    answer: &str,
    leave: &[String],
) -> Result<ReadyProposal, Box<Unusable>> {
    let unusable = |kind, message: String, patch: String, files: Vec<PatchedFile>| {
        Box::new(Unusable {
            problem: PatchProblem { kind, message },
            patch,
            files,
        })
    };
    let patch = Patch::from_answer(answer)
        .map_err(|error| unusable(ProblemKind::NoPatch, error.to_string(), String::new(), Vec::new()))?;
    let texts = patch
        .apply(|path| project.read(path).map_err(|failure| failure.message))
        .map_err(|error| {
            unusable(
                ProblemKind::DoesNotApply,
                error.to_string(),
                String::new(),
                Vec::new(),
            )
        })?;
    let whole = unified_diff(&texts);
    let files: Vec<PatchedFile> = texts.iter().map(patched_file).collect();
    if let Some(text) = texts.iter().find(|text| text.new.contains('\0')) {
        let message = format!(
            "`{}` would contain a zero byte, which cannot be reviewed",
            text.path
        );
        return Err(unusable(ProblemKind::NoPatch, message, whole, files));
    }
    if let Some((path, line)) = texts.iter().find_map(lost_line) {
        let message =
            format!("`{path}` removes the line `{line}`: leave existing tests unchanged and add new ones");
        return Err(unusable(ProblemKind::NotATest, message, whole, files));
    }
    match tests_only(&texts, leave) {
        Ok(()) => Ok(ReadyProposal {
            patch: whole,
            files,
            texts,
        }),
        Err(error) => Err(unusable(ProblemKind::NotATest, error.to_string(), whole, files)),
    }
}

fn patched_file(text: &NewText) -> PatchedFile {
    let shown = unified_diff(std::slice::from_ref(text));
    // Skip the file names before the first hunk: they begin with the same characters.
    let count = |sign: char| {
        let hunks = shown.lines().skip_while(|line| !line.starts_with("@@"));
        hunks.filter(|line| line.starts_with(sign)).count() as u64
    };
    PatchedFile {
        path: text.path.clone(),
        is_new: text.old.is_none(),
        insertions: count('+'),
        deletions: count('-'),
    }
}

/// A non-trivial line of the old text that is missing from the new one. Imports may change.
fn lost_line(text: &NewText) -> Option<(String, String)> {
    let is_free = |line: &str| {
        let line = line.trim();
        let imports = [
            "use ", "pub use ", "mod ", "#include", "import ", "from ", "using ",
        ];
        line.chars().all(|c| !c.is_alphanumeric()) || imports.iter().any(|word| line.starts_with(word))
    };
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.new.lines() {
        *left.entry(line.trim_end()).or_default() += 1;
    }
    let lost = text.old.as_deref()?.lines().find(|line| {
        let is_there = left.get_mut(line.trim_end()).is_some_and(|n| {
            let has = *n > 0;
            *n = n.saturating_sub(1);
            has
        });
        !is_there && !is_free(line)
    })?;
    Some((text.path.clone(), lost.trim().chars().take(80).collect()))
}
