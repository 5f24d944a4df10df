//! Patches: read out of answers, applied to texts, written for git, held to tests.

mod applied;
mod forms;
mod git;
mod properties;
mod read;
mod tests_only;

use gemicro_batch::patch::{FilePatch, NewText, Patch, PatchChange, PatchError};

/// A patch of one file.
fn one_file(path: &str, change: PatchChange) -> Patch {
    let path = path.to_owned();
    Patch {
        files: vec![FilePatch { path, change }],
    }
}

/// Applies an answer to files.
fn apply(answer: &str, files: &[(&str, &str)]) -> Result<Vec<NewText>, PatchError> {
    Patch::from_answer(answer)?.apply(|path| {
        let found = files.iter().find(|(name, _)| *name == path);
        Ok::<_, String>(found.map(|(_, text)| (*text).to_owned()))
    })
}

/// The new text of the only file of an answer.
fn applied(answer: &str, path: &str, old: &str) -> String {
    let mut texts = apply(answer, &[(path, old)]).unwrap();
    assert_eq!(texts.len(), 1, "{answer}");
    texts.remove(0).new
}
