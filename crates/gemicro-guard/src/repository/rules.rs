//! What an import looks for in the changes of an agent.

use std::collections::BTreeSet;

use super::changes::{TreeChange, TreeChanges};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::new_commits::NewCommits;
use super::prefix::covers;
use super::refusal::ImportRefusal;
use super::report::{ImportWarning, ReportKind, plain};

/// What happens to symbolic links that lead out of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapingLinks {
    /// The import is refused.
    Refuse,
    /// Such links are imported with a warning.
    Report,
}

/// A file or folder that no agent may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservedPath {
    /// `docs/notes.md` is one file, `docs/archive/` is what lies below this folder.
    pub path: String,
    /// Who writes it instead, as a sentence for the agent.
    pub rule: String,
    /// The one file below it that is the agent's own.
    pub except: Option<String>,
}

/// The rules of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRules {
    /// The largest bundle that is read, in bytes.
    pub bundle_bytes: u64,
    /// Files over this are reported.
    pub file_bytes: u64,
    /// The most that all files of the new commits may have: they would be written when the branch is checked out.
    pub all_files_bytes: u64,
    /// What happens to links that lead out of the tree.
    pub escaping_links: EscapingLinks,
    /// What may be changed, if not everything: `docs/reviews/` is what lies below this folder, `docs/plan.md` is one
    /// file. Whatever else is added, changed, removed or renamed refuses the import.
    pub only: Option<Vec<String>>,
    /// Paths of the user's checkout that were only lent, such as files with secrets: neither they nor what is secret in
    /// them may be in a commit.
    pub never: Vec<String>,
    /// Folders in which whoever imports writes, too: they stay folders, and hold plain files alone.
    pub plain: Vec<String>,
    /// What others write, by their rule: no agent adds, changes or removes it. Named as in `only`.
    pub reserved: Vec<ReservedPath>,
    /// Commits of the user's repository that were merged into the branch, such as the main branch's. What is as it is
    /// there is not the agent's work: it is neither judged nor counted.
    pub known: Vec<CommitId>,
}

impl Default for ImportRules {
    fn default() -> Self {
        Self {
            bundle_bytes: 256 << 20,
            file_bytes: 5 << 20,
            all_files_bytes: 2 << 30,
            escaping_links: EscapingLinks::Refuse,
            only: None,
            never: Vec::new(),
            plain: Vec::new(),
            reserved: Vec::new(),
            known: Vec::new(),
        }
    }
}

/// The longest file in a folder of plain files.
const PLAIN_BYTES: u64 = 4 << 20;

/// So many paths are named where a list could be endless.
const NAMED: usize = 10;

/// Hidden files that neither run code nor instruct agents, besides those whose names end in `ignore`.
const HARMLESS: &[&str] = &[".editorconfig", ".gitkeep", ".keep", ".mailmap"];
/// Tools whose settings run code and are not hidden, by their names before the first dot.
const TOOLS: &[&str] = &["gemicro", "lefthook", "mise", "opencode"];
/// Agents that read instructions from `NAME.md` and `NAME.ANYTHING.md`.
const INSTRUCTED: &[&str] = &["agents", "claude", "codex", "gemini"];
/// Formats of settings.
const FORMATS: &[&str] = &["json", "jsonc", "toml", "yaml", "yml"];
/// Folders and files of continuous integration. A name that ends in `/` is a folder at any depth.
const CI: &[&str] = &[
    ".github/workflows/",
    ".github/actions/",
    ".gitlab/",
    ".circleci/",
    ".buildkite/",
    ".woodpecker/",
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".cirrus.yml",
    "jenkinsfile",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
];

/// What is to be reported of some changes.
///
/// # Errors
/// When a rule refuses them.
pub(super) fn apply(
    rules: &ImportRules,
    changes: &TreeChanges,
    new_commits: NewCommits,
) -> Result<Vec<ImportWarning>, RepositoryError> {
    // What a later commit changed back stays in the history.
    for files in [&changes.files, &new_commits.changes] {
        if let Some(allowed) = &rules.only {
            check_only(allowed, files)?;
        }
        check_reserved(&rules.reserved, files)?;
        check_lent(&rules.never, files)?;
    }
    check_plain(&rules.plain, &changes.files)?;
    let bytes = changes
        .files
        .iter()
        .filter_map(|change| change.new_bytes)
        .fold(0, u64::saturating_add);
    if bytes > rules.all_files_bytes {
        let limit = rules.all_files_bytes;
        return Err(ImportRefusal::TooMuch { bytes, limit }.into());
    }
    let links: Vec<ImportWarning> = new_commits
        .escaping_links
        .iter()
        .map(|(path, target)| ImportWarning {
            kind: ReportKind::EscapingLink,
            path: plain(path),
            detail: Some(format!("leads to {}", plain(target))),
        })
        .collect();
    if !links.is_empty() && rules.escaping_links == EscapingLinks::Refuse {
        return Err(ImportRefusal::EscapingLinks(links).into());
    }
    let of_files = changes.files.iter().flat_map(|change| of_file(rules, change));
    let mut reports: Vec<ImportWarning> = links.into_iter().chain(of_files).collect();
    // What is still there was reported with its size now.
    let is_reported = |big: &ImportWarning| {
        reports
            .iter()
            .any(|other| (other.kind, &other.path) == (big.kind, &big.path))
    };
    let gone: Vec<ImportWarning> = new_commits
        .big_files
        .into_iter()
        .filter(|big| !is_reported(big))
        .take(NAMED)
        .collect();
    reports.extend(gone);
    Ok(reports)
}

/// What others write is as it was, in any letter case: some file systems do not tell them apart. A file in the place of a
/// folder on the way to it would remove it.
fn check_reserved(reserved: &[ReservedPath], files: &[TreeChange]) -> Result<(), ImportRefusal> {
    for change in files {
        let path = change.path.to_lowercase();
        let is_about = |it: &&ReservedPath| {
            let reserved = it.path.trim_end_matches('/').to_lowercase();
            let is_own = it.except.as_ref() == Some(&change.path);
            !is_own && (covers(&reserved, path.as_bytes()) || covers(&path, reserved.as_bytes()))
        };
        if let Some(ReservedPath { rule, .. }) = reserved.iter().find(is_about) {
            return Err(ImportRefusal::Reserved {
                path: plain(change.path.as_bytes()),
                rule: rule.clone(),
            });
        }
    }
    Ok(())
}

/// What is lent is in no commit, and no file is in the place of a folder on the way to it.
fn check_lent(lent: &[String], files: &[TreeChange]) -> Result<(), ImportRefusal> {
    for change in files.iter().filter(|change| !change.is_removed()) {
        let path = || plain(change.path.as_bytes());
        for lent in lent.iter().map(|lent| lent.trim_end_matches('/')) {
            if covers(lent, change.path.as_bytes()) {
                return Err(ImportRefusal::Lent { path: path() });
            }
            if covers(&change.path, lent.as_bytes()) {
                let lent = lent.to_owned();
                return Err(ImportRefusal::InTheWay { path: path(), lent });
            }
        }
    }
    Ok(())
}

/// Folders stay folders, and hold plain files that can be read and replaced.
fn check_plain(folders: &[String], files: &[TreeChange]) -> Result<(), ImportRefusal> {
    for change in files.iter().filter(|change| !change.is_removed()) {
        let path = || plain(change.path.as_bytes());
        for folder in folders.iter().map(|folder| folder.trim_end_matches('/')) {
            if covers(&change.path, folder.as_bytes()) {
                let folder = folder.to_owned();
                return Err(ImportRefusal::NoFolder { path: path(), folder });
            }
            if !covers(folder, change.path.as_bytes()) {
                continue;
            }
            let is_document = |name: &str| name.ends_with(".md");
            let in_document = change.path.rsplit('/').skip(1).any(is_document);
            let is_long = change.new_bytes.is_some_and(|bytes| bytes > PLAIN_BYTES);
            if !change.is_plain_file() || in_document || is_long {
                return Err(ImportRefusal::NotPlain { path: path() });
            }
        }
    }
    Ok(())
}

fn check_only(allowed: &[String], files: &[TreeChange]) -> Result<(), ImportRefusal> {
    let is_outside = |path: &&str| !allowed.iter().any(|prefix| covers(prefix, path.as_bytes()));
    let paths = files.iter().map(|change| change.path.as_str());
    let outside: BTreeSet<&str> = paths.filter(is_outside).collect();
    if outside.is_empty() {
        return Ok(());
    }
    let named = outside.iter().take(NAMED).map(|path| plain(path.as_bytes()));
    Err(ImportRefusal::Outside {
        paths: named.collect(),
        n_paths: outside.len(),
        allowed: allowed.to_vec(),
    })
}

fn of_file(rules: &ImportRules, change: &TreeChange) -> Vec<ImportWarning> {
    let mut reports = Vec::new();
    let mut add = |kind, detail| {
        reports.push(ImportWarning {
            kind,
            path: plain(change.path.as_bytes()),
            detail,
        });
    };
    if change.is_gitlink() {
        add(ReportKind::Gitlink, None);
    }
    if let Some(bytes) = change.new_bytes.filter(|bytes| *bytes > rules.file_bytes) {
        add(ReportKind::BigFile, Some(format!("{bytes} bytes")));
    }
    if let Some(kind) = kind_of_path(&change.path) {
        add(kind, change.is_removed().then(|| "removed".to_owned()));
    }
    reports
}

/// What a path is by its name, in any letter case: some file systems do not tell them apart.
pub(super) fn kind_of_path(path: &str) -> Option<ReportKind> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_one_of = |list: &[&str]| {
        list.iter().any(|entry| match entry.strip_suffix('/') {
            Some(folder) => path == folder || path.starts_with(entry) || path.contains(&format!("/{entry}")),
            None => name == *entry,
        })
    };
    if name == ".gitattributes" {
        Some(ReportKind::Attributes)
    } else if name == ".gitmodules" {
        Some(ReportKind::Modules)
    } else if is_one_of(CI) {
        Some(ReportKind::Ci)
    } else if is_settings(&path, name) {
        Some(ReportKind::Settings)
    } else {
        None
    }
}

/// Whether a file, in lower case, can run code later or instruct an agent: every hidden file or folder could, and a few
/// files that are not hidden.
fn is_settings(path: &str, name: &str) -> bool {
    let is_hidden =
        |name: &str| name.starts_with('.') && !HARMLESS.contains(&name) && !name.ends_with("ignore");
    let mut parts = name.split('.');
    let (first, last) = (
        parts.next().unwrap_or_default(),
        parts.next_back().unwrap_or_default(),
    );
    path.split('/').any(is_hidden)
        || INSTRUCTED.contains(&first) && last == "md"
        || TOOLS.contains(&first) && FORMATS.contains(&last)
}
