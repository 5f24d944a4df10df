//! Reads a patch from a model's answer.

use std::collections::BTreeSet;

use super::answer::{
    AnswerBlock, AnswerBlockKind, AnswerLine, FencedBlock, answer_lines, diff_blocks, fenced_blocks,
    is_file_header,
};
use super::change::{FilePatch, Hunk, HunkLine, Patch, PatchChange};
use super::error::{PatchError, RefusedChange};
use super::headers::{ExtendedHeader, FileSide, NamedFile, git_sides, named_file, read_extended};
use super::hunks::{HunkHeader, RawHunk, read_hunk};
use super::path::check_path;
use super::replace::read_replacements;
use super::whole::read_whole_files;

/// Maximum size of an answer, in bytes.
pub const MAX_PATCH_BYTES: usize = 2 << 20;
/// Maximum number of files in a patch.
pub const MAX_FILES: usize = 50;
/// Maximum number of hunks in a patch.
pub(super) const MAX_HUNKS: usize = 1_000;

impl Patch {
    /// Reads the patch from a model's answer.
    ///
    /// Three forms are accepted: whole files in named fenced blocks, search-and-replace blocks, and unified diffs. If
    /// the answer contains a diff, the other forms in it are ignored.
    ///
    /// A diff may be fenced, in several blocks that are joined, or bare in the text; its headers may be those of git
    /// or plain ones. Line numbers and counts are only hints; an empty line is a context line. Two
    /// sections for the same file are refused: it would be unclear whether the line numbers of the second count
    /// before or after the first.
    ///
    /// # Errors
    /// When no form is found, it is malformed or too large, a path leads out of the project, or a file is to be
    /// deleted, renamed, linked or given another mode.
    pub fn from_answer(answer: &str) -> Result<Self, PatchError> {
        if answer.len() > MAX_PATCH_BYTES {
            return Err(PatchError::TooLong {
                n_bytes: answer.len(),
                most: MAX_PATCH_BYTES,
            });
        }
        let lines = answer_lines(answer);
        let fenced = fenced_blocks(&lines);
        let mut files = PatchFiles::default();
        if let Some(blocks) = diff_blocks(&lines, &fenced) {
            read_diffs(&blocks, &mut files)?;
        } else {
            read_replacements(&lines, &mut files)?;
            read_whole_files(&lines, &fenced, &mut files)?;
        }
        if files.files.is_empty() {
            return Err(PatchError::NoPatch {
                why: nothing_read(&lines, &fenced),
            });
        }
        Ok(Self { files: files.files })
    }
}

/// Why no patch was found in an answer.
fn nothing_read(lines: &[AnswerLine<'_>], fenced: &[FencedBlock<'_>]) -> &'static str {
    if lines.iter().all(|line| line.text.trim().is_empty()) {
        "it is empty"
    } else if diff_blocks(lines, fenced).is_some() {
        "its diff has no hunks"
    } else if fenced.iter().any(FencedBlock::is_tagged_diff) {
        "its diff does not name the files"
    } else if fenced.is_empty() {
        "there is no code block in it"
    } else {
        "no line names the file of its code block"
    }
}

/// The files of a patch, each once and with an allowed path.
#[derive(Default)]
pub(super) struct PatchFiles {
    files: Vec<FilePatch>,
    paths: BTreeSet<String>,
}

impl PatchFiles {
    /// Checks a path before its change is read.
    pub(super) fn reserve(&mut self, path: &str) -> Result<(), PatchError> {
        check_path(path)?;
        if !self.paths.insert(path.to_owned()) {
            return Err(PatchError::Twice {
                path: path.to_owned(),
            });
        }
        if self.files.len() == MAX_FILES {
            return Err(PatchError::TooManyFiles { most: MAX_FILES });
        }
        Ok(())
    }

    /// Adds the change of a reserved path.
    pub(super) fn push(&mut self, path: String, change: PatchChange) {
        self.files.push(FilePatch { path, change });
    }
}

fn read_diffs(blocks: &[AnswerBlock<'_>], files: &mut PatchFiles) -> Result<(), PatchError> {
    let mut reader = DiffReader {
        files,
        section: None,
        n_hunks: 0,
    };
    for block in blocks {
        reader.block(block)?;
    }
    reader.finish()
}

struct DiffReader<'f> {
    files: &'f mut PatchFiles,
    section: Option<PatchSection>,
    n_hunks: usize,
}

/// The file section that is being read.
struct PatchSection {
    /// The line of its header.
    line: usize,
    /// The file names: from `diff --git`, replaced by those of `---` and `+++`.
    named: NamedFile,
    /// Whether an extended header says that the file is new.
    is_new: bool,
    /// Set if an extended header is a refused change.
    refused: Option<RefusedChange>,
    /// Whether `---` and `+++` were read, so that hunks may follow.
    has_names: bool,
    hunks: Vec<RawHunk>,
}

impl DiffReader<'_> {
    fn block(&mut self, block: &AnswerBlock<'_>) -> Result<(), PatchError> {
        let lines = &block.lines;
        let mut idx = 0;
        while idx < lines.len() {
            let AnswerLine { number, text } = lines[idx];
            if let Some(rest) = text.strip_prefix("diff --git ") {
                self.finish()?;
                let (old, new) = git_sides(rest);
                self.section = Some(PatchSection::new(number, named_file(&old, &new)));
                idx += 1;
            } else if is_file_header(lines, idx) {
                self.names(
                    number,
                    &FileSide::read(&text[4..]),
                    &FileSide::read(&lines[idx + 1].text[4..]),
                )?;
                idx += 2;
            } else if text.starts_with("@@") {
                idx = self.hunk(HunkHeader::read(text), lines, idx + 1, block.kind)?;
            } else if self.is_unannounced(text) {
                idx = self.hunk(HunkHeader::default(), lines, idx, block.kind)?;
            } else {
                self.other(text);
                idx += 1;
            }
        }
        Ok(())
    }

    /// Handles `---` and `+++`: of the section that `diff --git` started, or of a new one.
    fn names(&mut self, number: usize, old: &FileSide, new: &FileSide) -> Result<(), PatchError> {
        let found = named_file(old, new);
        match &mut self.section {
            Some(section) if !section.has_names => {
                section.has_names = true;
                section.named = found;
            }
            Some(_) | None => {
                self.finish()?;
                let mut section = PatchSection::new(number, found);
                section.has_names = true;
                self.section = Some(section);
            }
        }
        Ok(())
    }

    /// Whether a line adds to a new file whose `@@` is missing.
    fn is_unannounced(&self, text: &str) -> bool {
        let is_awaited =
            |section: &PatchSection| section.has_names && section.is_new() && section.hunks.is_empty();
        text.starts_with('+') && self.section.as_ref().is_some_and(is_awaited)
    }

    fn hunk(
        &mut self,
        header: HunkHeader,
        lines: &[AnswerLine<'_>],
        from: usize,
        kind: AnswerBlockKind,
    ) -> Result<usize, PatchError> {
        let Some(section) = self.section.as_mut().filter(|section| section.has_names) else {
            let line = lines[from.saturating_sub(1)].number;
            let message = "a hunk before `--- a/…` and `+++ b/…` have named its file".to_owned();
            return Err(PatchError::Malformed { line, message });
        };
        self.n_hunks += 1;
        if self.n_hunks > MAX_HUNKS {
            return Err(PatchError::TooManyHunks { most: MAX_HUNKS });
        }
        let (hunk, next) = read_hunk(header, lines, from, kind)?;
        section.hunks.push(hunk);
        Ok(next)
    }

    /// Handles any other line: before the hunks it may be an extended header, elsewhere it is prose.
    fn other(&mut self, text: &str) {
        let Some(section) = self.section.as_mut().filter(|section| section.hunks.is_empty()) else {
            return;
        };
        match read_extended(text) {
            ExtendedHeader::Plain => {}
            ExtendedHeader::New => section.is_new = true,
            ExtendedHeader::Refused(refused) => section.refused = section.refused.take().or(Some(refused)),
        }
    }

    /// Adds the section to the files.
    fn finish(&mut self) -> Result<(), PatchError> {
        let Some(section) = self.section.take() else {
            return Ok(());
        };
        let is_new = section.is_new();
        let NamedFile { path, refused, .. } = section.named;
        self.files.reserve(&path)?;
        if let Some(change) = section.refused.or(refused) {
            return Err(PatchError::Refused { path, change });
        }
        let change = if is_new || is_all_new(&section.hunks) {
            read_created(section.line, section.hunks)?
        } else {
            read_modified(section.line, section.hunks)?
        };
        self.files.push(path, change);
        Ok(())
    }
}

impl PatchSection {
    fn new(line: usize, named: NamedFile) -> Self {
        Self {
            line,
            named,
            is_new: false,
            refused: None,
            has_names: false,
            hunks: Vec::new(),
        }
    }

    fn is_new(&self) -> bool {
        self.is_new || self.named.is_new
    }
}

/// Whether the only hunk says that the old file had no lines, so the file is new.
fn is_all_new(hunks: &[RawHunk]) -> bool {
    match hunks {
        [only] => {
            only.header.start == Some(0)
                && only
                    .hunk
                    .lines
                    .iter()
                    .any(|line| matches!(line, HunkLine::Add(_)))
        }
        _ => false,
    }
}

fn read_created(line: usize, hunks: Vec<RawHunk>) -> Result<PatchChange, PatchError> {
    let mut text = String::new();
    for RawHunk { hunk, is_bare, .. } in hunks {
        for (hunk_line, is_bare) in hunk.lines.iter().zip(is_bare) {
            match hunk_line {
                HunkLine::Add(added) => text.push_str(added),
                // An empty line without its `+`.
                HunkLine::Context(_) if is_bare => {}
                HunkLine::Context(_) | HunkLine::Remove(_) => {
                    let message = "a new file has lines that are not added: begin each with `+`".to_owned();
                    return Err(PatchError::Malformed { line, message });
                }
            }
            text.push('\n');
        }
        if hunk.ends_without_newline {
            text.pop();
        }
    }
    Ok(PatchChange::Create { text })
}

fn read_modified(line: usize, hunks: Vec<RawHunk>) -> Result<PatchChange, PatchError> {
    let hunks: Vec<Hunk> = hunks
        .into_iter()
        .map(|raw| raw.hunk)
        .filter(Hunk::changes_something)
        .collect();
    if hunks.is_empty() {
        let message = "no line of this file is changed: give hunks with `@@`, `+` and `-`".to_owned();
        return Err(PatchError::Malformed { line, message });
    }
    Ok(PatchChange::Modify { hunks })
}
