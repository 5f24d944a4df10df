//! The difference between two commits, for reviewers: the text of every file that has any, and the names of files that
//! are not shown.
//!
//! git treats a file with a NUL byte as binary. A script with one runs all the same, so it is shown.

use std::ffi::OsString;

use super::call::{CallPlace, GitCall, OutputBound};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::files::FileAt;
use super::report::plain;
use super::trusted::TrustedRepo;

/// Number of bytes that are read to decide whether a file is text.
const SAMPLE: u64 = 256 << 10;
/// Maximum number of binary files (by git's measure) that are examined; the rest is only named.
const MOST_LOOKED_AT: usize = 500;

/// A difference between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The patch; bytes that are not text are replaced.
    pub text: String,
    /// Whether the rest was left out.
    pub is_cut: bool,
    /// Files whose content is not in the text, or not to its end; safe to print.
    pub unshown: Vec<String>,
}

/// A file that differs.
struct DifferingFile {
    /// The first line of its part of the patch.
    head: String,
    path: String,
    /// By git's own measure.
    is_binary: bool,
}

/// How the files of a diff are shown.
#[derive(Clone, Copy)]
enum DiffStyle {
    /// As git would show them, without the files that are shown as text.
    Usual,
    /// As text, whatever they contain.
    AsText,
}

impl TrustedRepo {
    /// The difference between `new` and its merge base with `base`, at most `most_bytes` long.
    ///
    /// # Errors
    /// When git fails.
    pub fn diff(&self, base: &CommitId, new: &CommitId, most_bytes: usize) -> Result<Diff, RepositoryError> {
        let range = format!("{base}...{new}");
        let files = self.differing_files(&range)?;
        let (mut texts, mut unshown) = (Vec::new(), Vec::new());
        for (idx, file) in files.iter().filter(|file| file.is_binary).enumerate() {
            if idx < MOST_LOOKED_AT && self.reads_as_text(new, &file.path)? {
                texts.push(file.path.as_str());
            } else {
                unshown.push(plain(file.path.as_bytes()));
            }
        }
        // Several names that are not valid text can look the same in the patch, so they also count as not shown.
        let nameless = files
            .iter()
            .filter(|file| file.path.contains(char::REPLACEMENT_CHARACTER));
        unshown.extend(nameless.map(|file| plain(file.path.as_bytes())));
        let mut diff = self.part(&range, (DiffStyle::Usual, &texts), most_bytes)?;
        if !texts.is_empty() {
            let left = most_bytes.saturating_sub(diff.text.len());
            let part = self.part(&range, (DiffStyle::AsText, &texts), left)?;
            diff.text.push_str(&part.text);
            diff.is_cut |= part.is_cut;
        }
        if diff.is_cut {
            let is_whole = whole_heads(&diff.text);
            let cut = files
                .iter()
                .filter(|file| !is_whole.contains(&file.head.as_str()));
            unshown.extend(cut.map(|file| plain(file.path.as_bytes())));
        }
        unshown.sort_unstable();
        unshown.dedup();
        Ok(Diff { unshown, ..diff })
    }

    fn part(
        &self,
        range: &str,
        (shown, texts): (DiffStyle, &[&str]),
        most_bytes: usize,
    ) -> Result<Diff, RepositoryError> {
        let mut call = difference(&["--no-color", "--src-prefix=a/", "--dst-prefix=b/"]);
        let magic = match shown {
            DiffStyle::Usual => ":(top,exclude,literal)",
            DiffStyle::AsText => {
                call.arguments.push("--text".into());
                ":(top,literal)"
            }
        };
        call.arguments.extend([range, "--"].map(OsString::from));
        let paths = texts.iter().map(|path| format!("{magic}{path}").into());
        call.arguments.extend(paths);
        call.bound = OutputBound::Cut(most_bytes);
        let answer = self.git.run(call)?;
        if answer.code != 0 && !answer.is_cut {
            return Err(answer.failure());
        }
        Ok(Diff {
            text: String::from_utf8_lossy(&answer.output).into_owned(),
            is_cut: answer.is_cut,
            unshown: Vec::new(),
        })
    }

    fn differing_files(&self, range: &str) -> Result<Vec<DifferingFile>, RepositoryError> {
        let mut call = difference(&["--numstat", "-z"]);
        call.arguments.extend([range, "--"].map(OsString::from));
        let output = self.git.ok(call)?.output;
        let mut fields = output
            .split(|byte| *byte == 0)
            .map(|field| String::from_utf8_lossy(field).into_owned());
        let mut files = Vec::new();
        while let Some(field) = fields.next() {
            let mut words = field.splitn(3, '\t');
            let (Some(added), Some(_), Some(path)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let is_binary = added == "-";
            // For a renamed file, both names follow.
            let (old, path) = match path {
                "" => (
                    fields.next().unwrap_or_default(),
                    fields.next().unwrap_or_default(),
                ),
                path => (path.to_owned(), path.to_owned()),
            };
            files.push(DifferingFile {
                head: format!("diff --git a/{old} b/{path}"),
                path,
                is_binary,
            });
        }
        Ok(files)
    }

    fn reads_as_text(&self, commit: &CommitId, path: &str) -> Result<bool, RepositoryError> {
        Ok(match self.read_file(commit, path, SAMPLE)? {
            Some(FileAt::File { bytes, .. }) => reads_as_text(&bytes),
            Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) | None => false,
        })
    }
}

fn difference(options: &[&str]) -> GitCall<'static> {
    let mut arguments = vec!["diff", "--no-ext-diff", "--no-textconv", "--submodule=short"];
    arguments.extend(options);
    let mut call = GitCall::new(CallPlace::Repository, &arguments);
    call.settings
        .push(("core.quotePath".to_owned(), "false".to_owned()));
    call
}

/// The heads of all parts but the last: only a part that is followed by another is complete.
fn whole_heads(text: &str) -> Vec<&str> {
    let mut heads: Vec<&str> = text
        .split('\n')
        .filter(|line| line.starts_with("diff --git "))
        .collect();
    heads.pop();
    heads
}

/// Whether the content is readable by a person or a shell, ignoring NUL bytes.
pub(super) fn reads_as_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"#!") {
        return true;
    }
    let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let text = String::from_utf8_lossy(&bytes);
    let is_odd = |c: &char| {
        *c == char::REPLACEMENT_CHARACTER
            || (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}'))
    };
    let (n_odd, n_all) = (text.chars().filter(is_odd).count(), text.chars().count());
    n_all > 0 && n_odd * 10 <= n_all
}
