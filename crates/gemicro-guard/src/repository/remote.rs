//! The remotes of the user's repository, and how git contacts one: with the user's credentials, and without prompting.
//!
//! The main type is [`GitRemote`]. `main_branch` and `push` decide what is fetched or pushed.

use std::ffi::OsString;

use super::call::{GitOutput, RemoteContact, last_line};
use super::credentials;
use super::error::RepositoryError;
use super::remote_error::RemoteError;
use super::report::plain;
use super::slug;
use super::trusted::TrustedRepo;

/// Messages of git and its helpers about missing or insufficient credentials.
const DENIED: &[&str] = &[
    "Authentication failed",
    "Permission denied",
    "could not read Username",
    "could not read Password",
    "unable to get password",
    "Invalid username or",
    "returned error: 401",
    "returned error: 403",
    "Host key verification failed",
];

/// Lines that git adds to every failed connection.
const SAID_ALWAYS: &[&str] = &[
    "fatal: Could not read from remote repository.",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
];

/// One remote of the user.
#[derive(Clone, PartialEq, Eq)]
pub struct GitRemote {
    /// Name in the git configuration, such as `origin`.
    pub name: String,
    /// Its URL, without credentials.
    pub url: String,
    /// All its URLs as they are set, which may contain credentials.
    raw_urls: Vec<String>,
}

impl std::fmt::Debug for GitRemote {
    /// Omits the URLs as they are set.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Remote");
        shown.field("name", &self.name).field("url", &self.url);
        shown.finish_non_exhaustive()
    }
}

impl GitRemote {
    /// The error for a failed answer from this remote.
    pub(super) fn failure(&self, answer: &GitOutput) -> RemoteError {
        let words = String::from_utf8_lossy(&answer.words);
        let telling: Vec<&str> = words.lines().filter(|line| !SAID_ALWAYS.contains(line)).collect();
        let line = self.redact_git_text(&last_line(telling.join("\n").as_bytes()));
        let remote = self.name.clone();
        match DENIED.iter().any(|words| answer.says(words)) {
            true => RemoteError::Denied { remote, line },
            false => RemoteError::Unreachable { remote, line },
        }
    }

    /// git's text without the secrets of the URLs.
    pub(super) fn redact_git_text(&self, words: &str) -> String {
        credentials::redact_git_text(words, &self.raw_urls)
    }
}

impl TrustedRepo {
    /// The remotes, in the order of the settings.
    ///
    /// # Errors
    /// When git fails.
    pub fn remotes(&self) -> Result<Vec<GitRemote>, RepositoryError> {
        let arguments = ["config", "-z", "--get-regexp", r"^remote\..*\.(url|pushurl)$"];
        // Exit code 1: there are none.
        let output = self.here(&arguments)?.output;
        let mut remotes: Vec<GitRemote> = Vec::new();
        for entry in output.split(|byte| *byte == 0) {
            let entry = String::from_utf8_lossy(entry);
            let Some((key, url)) = entry.split_once('\n') else {
                continue;
            };
            let key = key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.'));
            let Some((name, kind)) = key else {
                continue;
            };
            let at = remotes.iter().position(|remote| remote.name == name);
            let at = at.unwrap_or_else(|| {
                remotes.push(GitRemote {
                    name: name.to_owned(),
                    url: String::new(),
                    raw_urls: Vec::new(),
                });
                remotes.len() - 1
            });
            // A remote may have several URLs; git fetches from the first.
            if kind == "url" && remotes[at].url.is_empty() {
                remotes[at].url = credentials::shown_address(url);
            }
            remotes[at].raw_urls.push(url.to_owned());
        }
        // Without a URL there is nothing to fetch from.
        remotes.retain(|remote| !remote.url.is_empty());
        Ok(remotes)
    }

    /// The remote with this name, if the name is safe to use.
    pub(super) fn remote(&self, name: &str) -> Result<GitRemote, RepositoryError> {
        let found = self.remotes()?.into_iter().find(|remote| remote.name == name);
        let shown = plain(name.as_bytes());
        let remote = found.ok_or_else(|| RemoteError::Unknown {
            remote: shown.clone(),
        })?;
        // The name becomes part of references, settings and arguments.
        match slug::problem(name) {
            None => Ok(remote),
            Some(why) => Err(RemoteError::BadName { remote: shown, why }.into()),
        }
    }

    /// Contacts a remote, and returns git's output, whatever its exit code.
    pub(super) fn speak(&self, remote: &GitRemote, arguments: &[&str]) -> Result<GitOutput, RepositoryError> {
        if let Some(key) = &self.git.programs().of_remotes {
            return Err(RemoteError::NamesProgram {
                key: plain(key.as_bytes()),
            }
            .into());
        }
        // A URL may be relative to the checkout.
        let mut call = self.call_here(arguments);
        call.contact = RemoteContact::Remote;
        if let Some(command) = self.silent_ssh()? {
            call.variables.push(("GIT_SSH_COMMAND", command));
        }
        let own = |key: &str, value: &str| (format!("remote.{}.{key}", remote.name), value.to_owned());
        call.settings = vec![
            own("followRemoteHEAD", "never"),
            own("mirror", "false"),
            ("credential.interactive".to_owned(), "false".to_owned()),
            // Sends no push options from the user's settings.
            ("push.pushOption".to_owned(), String::new()),
        ];
        self.git.run(call)
    }

    /// The user's ssh command, with an option to never prompt. A program other than ssh is left as the user set it.
    fn silent_ssh(&self) -> Result<Option<OsString>, RepositoryError> {
        let given = self.git.settings().ways_to_remotes();
        let given = given.into_iter().find(|(name, _)| *name == "GIT_SSH_COMMAND");
        let command = match given {
            Some((_, command)) => command.to_string_lossy().into_owned(),
            None => self.here(&["config", "--get", "core.sshCommand"])?.text(),
        };
        let program = command.split_whitespace().next().unwrap_or("ssh");
        let name = program.rsplit('/').next().unwrap_or(program);
        Ok((name == "ssh").then(|| {
            let command = if command.is_empty() { "ssh" } else { &command };
            format!("{command} -oBatchMode=yes").into()
        }))
    }
}
