//! Keeps files that are copied into a task for use only, and the secrets in them, out of its commits.
//!
//! The main type is [`CarriedSecrets`]. `secrets` decides what is a secret; text that the repository already contains
//! is not. A secret that was encoded or split is not found.

mod secrets;

use std::path::{Path, PathBuf};

use super::call::{CallPlace, GitCall, Input};
use super::commit_id::CommitId;
use super::create::identity;
use super::error::RepositoryError;
use super::prefix::covers;
use super::quarantine::Quarantine;
use super::refusal::ImportRefusal;
use super::report::plain;
use super::trusted::TrustedRepo;

/// Maximum size of a file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Maximum number of files read from a folder: one with more contains dependencies, not secrets, and is not read.
const MOST_FILES: usize = 100;
/// Maximum size of an object that is searched, in bytes.
const MOST_SEARCHED: u64 = 64 << 20;

pub(super) struct CarriedSecrets<'a> {
    paths: &'a [String],
    secrets: Vec<LentSecret>,
}

/// Text that must not be in a commit.
struct LentSecret {
    text: String,
    /// The file that it is from, safe to print.
    from: String,
}

impl<'a> CarriedSecrets<'a> {
    /// Reads the copied-in files from the user's checkout. The committer's name and email are not secrets: every commit
    /// has them.
    pub(super) fn read(repository: &TrustedRepo, paths: &'a [String]) -> Result<Self, RepositoryError> {
        let top = repository.top();
        let mut secrets: Vec<LentSecret> = Vec::new();
        for path in paths {
            let mut files = Vec::new();
            let is_small = collect(&top.join(path), &mut files);
            for file in files.iter().filter(|_| is_small) {
                let Ok(bytes) = std::fs::read(file) else { continue };
                let name = file.strip_prefix(top).unwrap_or(file);
                let from = plain(name.to_string_lossy().as_bytes());
                let text = String::from_utf8_lossy(&bytes);
                secrets.extend(secrets::of_file(&text).into_iter().map(|text| LentSecret {
                    text: text.to_owned(),
                    from: from.clone(),
                }));
            }
        }
        if !secrets.is_empty() {
            let (name, email) = identity(repository)?;
            secrets.retain(|secret| !name.contains(&secret.text) && !email.contains(&secret.text));
        }
        Ok(Self { paths, secrets })
    }

    /// Searches everything that was added since a commit, even if later commits removed it again.
    pub(super) fn check(
        &self,
        repository: &TrustedRepo,
        quarantine: &Quarantine<'_>,
        (old, new): (&CommitId, &CommitId),
        known: &[CommitId],
    ) -> Result<(), RepositoryError> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let without: Vec<String> = known.iter().chain([old]).map(|id| format!("^{id}")).collect();
        let mut arguments = vec!["rev-list", "--objects", new.as_str()];
        arguments.extend(without.iter().map(String::as_str).chain(["--"]));
        let output = quarantine.ok(&arguments, Input::Nothing)?.output;
        let listed = String::from_utf8_lossy(&output);
        let objects: Vec<(&str, &str)> = listed
            .lines()
            .map(|line| line.split_once(' ').unwrap_or((line, "")))
            .collect();
        for (_, path) in objects.iter().filter(|(_, path)| !path.is_empty()) {
            let is_lent = |lent: &String| covers(lent.trim_end_matches('/'), path.as_bytes());
            if self.paths.iter().any(is_lent) {
                let path = plain(path.as_bytes());
                return Err(ImportRefusal::Lent { path }.into());
            }
            self.search(path, "the name of a file", (repository, old))?;
        }
        self.search_objects(quarantine, &objects, (repository, old))
    }

    /// Searches commits and files, a few megabytes at a time.
    fn search_objects(
        &self,
        quarantine: &Quarantine<'_>,
        objects: &[(&str, &str)],
        public: (&TrustedRepo, &CommitId),
    ) -> Result<(), RepositoryError> {
        if self.secrets.is_empty() {
            return Ok(());
        }
        let asked: String = objects.iter().map(|(id, _)| format!("{id}\n")).collect();
        let check = ["cat-file", "--batch-check=%(objecttype) %(objectsize)"];
        let facts = quarantine.ok(&check, Input::Bytes(asked.into_bytes()))?.text();
        let mut batch: Vec<(&str, &str)> = Vec::new();
        let mut n_bytes = 0;
        for ((id, path), facts) in objects.iter().zip(facts.lines()) {
            let (kind, size) = facts.split_once(' ').unwrap_or_default();
            if kind == "tree" {
                continue;
            }
            let bytes: u64 = size.parse().unwrap_or(u64::MAX);
            if bytes > MOST_SEARCHED {
                let limit = MOST_SEARCHED;
                return Err(ImportRefusal::TooMuch { bytes, limit }.into());
            }
            if n_bytes + bytes > MOST_SEARCHED {
                self.search_batch(quarantine, &std::mem::take(&mut batch), public)?;
                n_bytes = 0;
            }
            n_bytes += bytes;
            batch.push((id, path));
        }
        self.search_batch(quarantine, &batch, public)
    }

    fn search_batch(
        &self,
        quarantine: &Quarantine<'_>,
        objects: &[(&str, &str)],
        public: (&TrustedRepo, &CommitId),
    ) -> Result<(), RepositoryError> {
        let asked: String = objects.iter().map(|(id, _)| format!("{id}\n")).collect();
        let answer = quarantine.ok(&["cat-file", "--batch"], Input::Bytes(asked.into_bytes()))?;
        let mut rest = answer.output.as_slice();
        for (_, path) in objects {
            let Some((bytes, after)) = super::changes::next_object(rest) else {
                let line = "an object cannot be read".to_owned();
                return Err(ImportRefusal::Objects { line }.into());
            };
            rest = after;
            let place = match path.is_empty() {
                true => "the message of a commit",
                false => path,
            };
            self.search(&String::from_utf8_lossy(bytes), place, public)?;
        }
        Ok(())
    }

    /// Refuses text that contains a secret which is not already in the repository.
    fn search(
        &self,
        text: &str,
        place: &str,
        (repository, old): (&TrustedRepo, &CommitId),
    ) -> Result<(), RepositoryError> {
        for secret in &self.secrets {
            if text.contains(&secret.text) && !repository.tells(old, &secret.text)? {
                return Err(ImportRefusal::Secret {
                    place: plain(place.as_bytes()),
                    from: secret.from.clone(),
                }
                .into());
            }
        }
        Ok(())
    }
}

impl TrustedRepo {
    /// Whether every line of the text is in a commit's files. git gets the text on stdin, where other users cannot see
    /// it.
    fn tells(&self, commit: &CommitId, text: &str) -> Result<bool, RepositoryError> {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let arguments = [
                "grep",
                "--quiet",
                "--fixed-strings",
                "--text",
                "-f",
                "-",
                commit.as_str(),
            ];
            let mut call = GitCall::new(CallPlace::Repository, &arguments);
            call.input = Input::Bytes(format!("{line}\n").into_bytes());
            let answer = self.git.run(call)?;
            match answer.code {
                0 => {}
                1 => return Ok(false),
                _ => return Err(answer.failure()),
            }
        }
        Ok(true)
    }
}

/// Collects the regular files at a path that are not too long; returns false if there are too many.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> bool {
    let Ok(about) = path.symlink_metadata() else {
        return true;
    };
    if about.is_file() && about.len() <= MOST_BYTES {
        files.push(path.to_owned());
    }
    if about.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        for entry in entries {
            if files.len() > MOST_FILES || !collect(&entry.path(), files) {
                return false;
            }
        }
    }
    files.len() <= MOST_FILES
}
