//! Settings of a repository that make git start programs, and the values that switch them off.
//!
//! The main type is [`Programs`]. A repository may have been unpacked with its `.git/config`, so only programs that the
//! user's own settings name are started. The rule goes by the words that git's manual names such settings with, as git has no list of
//! them. Settings that cannot be named or replaced, or that depend on where git runs, are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gemicro_event::text;

use super::call::{CallPlace, GitCall};
use super::error::RepositoryError;
use super::git::Git;
use super::git_settings::GitSettings;

/// Sections in which every setting belongs to a program.
const SECTIONS: [&str; 8] = [
    "alias",
    "browser",
    "difftool",
    "guitool",
    "hook",
    "man",
    "mergetool",
    "pager",
];
/// How the names of settings end whose value is a program, or a folder with programs.
const NAMES: [&str; 19] = [
    "browser",
    "clean",
    "cmd",
    "command",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "hookspath",
    "httpd",
    "pager",
    "process",
    "program",
    "smtpserver",
    "smudge",
    "templatedir",
    "textconv",
    "tunnel",
];
/// The same, of settings that only remotes are spoken to with.
const OF_REMOTES: [&str; 6] = [
    "askpass",
    "helper",
    "receivepack",
    "sshcommand",
    "uploadpack",
    "vcs",
];
/// Settings of programs that a later value does not replace: git starts all of them, or the first.
const NOT_REPLACED: [&str; 2] = ["core.gitproxy", "gc.recentobjectshook"];
/// Shows two files as git shows them to an external diff program.
const DIFF: &str = "f() { diff -u \"$2\" \"$5\" || :; }; f";

/// What a repository has of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Programs {
    /// Settings that switch them off.
    pub(super) off: BTreeMap<String, String>,
    /// The first one that a remote would be spoken to with.
    pub(super) of_remotes: Option<String>,
}

impl Programs {
    /// Adds the names of settings in effect, as `git config --list --show-scope --name-only -z` lists them.
    pub(super) fn add_listed(&mut self, listed: &[u8]) -> Result<(), RepositoryError> {
        let mut words = listed.split(|byte| *byte == 0);
        while let (Some(scope), Some(key)) = (words.next(), words.next()) {
            self.add(matches!(scope, b"local" | b"worktree"), key)?;
        }
        Ok(())
    }

    /// Adds the names of settings of one of the repository's own files, as `git config --file` lists them.
    pub(super) fn add_own(&mut self, listed: &[u8]) -> Result<(), RepositoryError> {
        let keys = listed.split(|byte| *byte == 0).filter(|key| !key.is_empty());
        keys.into_iter().try_for_each(|key| self.add(true, key))
    }

    /// Filters are switched off wherever they are set: content from agents can ask for them.
    fn add(&mut self, is_own: bool, key: &[u8]) -> Result<(), RepositoryError> {
        let Ok(key) = std::str::from_utf8(key) else {
            // A variable that switches it off could not name it.
            let setting = format!("the name `{}`", text::plain(&String::from_utf8_lossy(key), 200));
            return Err(RepositoryError::UnsafeSetting { setting });
        };
        // What `includeIf` brings in depends on the folder and on the branch, and so may change from call to call.
        if is_own && (key.starts_with("includeif.") || NOT_REPLACED.contains(&key)) {
            let setting = format!("`{}`", text::plain(key, 200));
            return Err(RepositoryError::UnsafeSetting { setting });
        }
        let name = key.rsplit('.').next().unwrap_or_default();
        if let Some((driver, _)) = key.strip_prefix("filter.").and_then(|rest| rest.rsplit_once('.')) {
            for name in ["clean", "smudge", "process", "required"] {
                self.switch_off(format!("filter.{driver}.{name}"));
            }
        } else if is_own && names_program(key) {
            self.switch_off(key.to_owned());
        }
        if is_own && OF_REMOTES.contains(&name) && self.of_remotes.is_none() {
            self.of_remotes = Some(key.to_owned());
        }
        Ok(())
    }

    fn switch_off(&mut self, key: String) {
        let value = harmless(&key).to_owned();
        self.off.insert(key, value);
    }
}

/// Settings for git under which it starts no program that the repository of a folder names, nor one of its submodules,
/// which git looks into by itself.
///
/// # Errors
/// When git cannot read them.
pub fn programs_off(settings: &GitSettings, folder: &Path) -> Result<Vec<(String, String)>, RepositoryError> {
    let mut off = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let git = match Git::discover(settings, &folder) {
            Ok(git) => git,
            // git does not work there for an agent either.
            Err(
                RepositoryError::NotARepository { .. }
                | RepositoryError::NoCheckout { .. }
                | RepositoryError::OtherOwner { .. }
                | RepositoryError::NoGit(_),
            ) => continue,
            Err(error) => return Err(error),
        };
        if seen.insert(git.common().to_path_buf()) {
            off.extend(git.programs().off.clone());
            folders.extend(submodules(&git, &folder)?);
        }
    }
    Ok(off.into_iter().collect())
}

/// The checkouts of submodules, as the index names them.
fn submodules(git: &Git, folder: &Path) -> Result<Vec<PathBuf>, RepositoryError> {
    let arguments = ["ls-files", "--stage", "-z", "--full-name", ":/"];
    let listed = git
        .ok(GitCall::new(CallPlace::Checkout(folder), &arguments))?
        .output;
    let top = git
        .ok(GitCall::new(
            CallPlace::Checkout(folder),
            &["rev-parse", "--show-toplevel"],
        ))?
        .text();
    let entries = listed
        .split(|byte| *byte == 0)
        .filter(|entry| entry.starts_with(b"160000 "));
    let paths = entries.filter_map(|entry| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        Some(Path::new(&top).join(&*String::from_utf8_lossy(&entry[tab + 1..])))
    });
    Ok(paths
        .filter(|path| path.join(".git").symlink_metadata().is_ok())
        .collect())
}

fn names_program(key: &str) -> bool {
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    SECTIONS.contains(&section)
        || NAMES.iter().chain(&OF_REMOTES).any(|end| name.ends_with(end))
        || (section, name) == ("submodule", "update")
}

/// A value of a setting with which no program of the repository is started, and git works where it can.
fn harmless(key: &str) -> &'static str {
    match key.rsplit('.').next().unwrap_or_default() {
        "textconv" => "cat",
        "external" => DIFF,
        "command" if key.starts_with("diff.") => DIFF,
        // A conflict.
        "driver" => "false",
        "fsmonitor" | "required" => "false",
        "hookspath" => "/dev/null",
        "update" => "checkout",
        _ => "",
    }
}
