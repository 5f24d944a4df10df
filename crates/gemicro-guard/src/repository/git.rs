//! Starts git outside the sandbox, only with the user's repository. No other code does.
//!
//! The main type is [`Git`]. It exists only for a repository that git itself found and accepted. It starts git without
//! the caller's environment, hooks, maintenance and prompts, without filters and programs named in the repository's
//! settings, and with limits on output and time. A command that contacts a remote also gets the few variables it needs
//! for that. This module knows nothing about tasks.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::call::{CallPlace, GitCall, GitOutput, Input, OutputBound, RemoteContact, path_of};
use super::error::RepositoryError;
use super::git_settings::GitSettings;
use super::programs::Programs;
use crate::search_path::{ProgramLookup, find_program};

/// Maximum number of bytes of an output that is read as a whole.
const ANSWER_BYTES: usize = 256 << 20;
/// Maximum number of bytes kept of stderr.
const WORDS_BYTES: usize = 64 << 10;
const PAUSE: Duration = Duration::from_millis(1);

/// Settings that stop git from running programs, prompting and doing maintenance.
const OVERRIDES: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("log.showSignature", "false"),
    ("protocol.ext.allow", "never"),
];

/// Variables that stop credential helpers from prompting: there is no user at the terminal.
const UNASKED: [(&str, &str); 2] = [("GIT_ASKPASS", ""), ("GCM_INTERACTIVE", "never")];

/// git, for one repository of the user.
#[derive(Debug, Clone)]
pub(super) struct Git {
    settings: GitSettings,
    /// The git directory that all checkouts have in common.
    common: PathBuf,
    /// Search path for git and the programs it starts.
    search_path: OsString,
    /// Path of git: starting it by a bare name would copy this process each time.
    program: PathBuf,
    /// Programs that the repository's own settings name.
    programs: Programs,
}

impl Git {
    /// Finds the repository of a folder: git itself says what it is and whether this user may use it.
    pub(super) fn discover(settings: &GitSettings, folder: &Path) -> Result<Self, RepositoryError> {
        let search_path = settings.programs(folder);
        let mut git = Self {
            settings: settings.clone(),
            common: PathBuf::new(),
            program: program(&search_path),
            search_path,
            programs: Programs::default(),
        };
        settings.refuse_agents(folder)?;
        let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
        let answer = git.run(GitCall::new(CallPlace::Checkout(folder), &asked))?;
        if answer.says("dubious ownership") {
            let folder = folder.to_path_buf();
            return Err(RepositoryError::OtherOwner { folder });
        }
        if answer.says("cannot use bare repository") {
            let folder = folder.to_path_buf();
            return Err(RepositoryError::NoCheckout { folder });
        }
        if answer.says("not a git repository") || answer.says("cannot change to") {
            let folder = folder.to_path_buf();
            return Err(RepositoryError::NotARepository { folder });
        }
        if answer.code != 0 {
            return Err(answer.failure());
        }
        // git before 2.31 has neither this option nor settings from variables, which this module relies on.
        if answer.output.starts_with(b"--path-format") {
            return Err(RepositoryError::OldGit);
        }
        git.common = path_of(&answer.output)?;
        settings.refuse_agents(&git.common)?;
        git.programs = git.read_programs(folder)?;
        Ok(git)
    }

    /// The programs that settings name: those in effect in the folder, and those of every worktree, since git also runs in
    /// worktrees.
    fn read_programs(&self, folder: &Path) -> Result<Programs, RepositoryError> {
        let mut programs = Programs::default();
        let asked = ["config", "--list", "--show-scope", "--name-only", "-z"];
        let listed = self.ok(GitCall::new(CallPlace::Checkout(folder), &asked))?;
        programs.add_listed(&listed.output)?;
        let worktrees = std::fs::read_dir(self.common.join("worktrees"));
        let worktrees = worktrees.into_iter().flatten().flatten();
        let folders = std::iter::once(self.common.clone()).chain(worktrees.map(|entry| entry.path()));
        for file in folders.map(|folder| folder.join("config.worktree")) {
            if file.symlink_metadata().is_err() {
                continue;
            }
            let mut call = GitCall::new(CallPlace::Repository, &["config", "--file"]);
            call.arguments.push(file.into());
            let options = ["--includes", "--list", "--name-only", "-z"];
            call.arguments.extend(options.map(OsString::from));
            programs.add_own(&self.ok(call)?.output)?;
        }
        Ok(programs)
    }

    /// Programs that the repository's own settings name; they are switched off.
    pub(super) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// The settings that git is started with.
    pub(super) fn settings(&self) -> &GitSettings {
        &self.settings
    }

    /// The git directory that all checkouts have in common.
    pub(super) fn common(&self) -> &Path {
        &self.common
    }

    /// Runs a command and returns its output, whatever its exit code.
    pub(super) fn run(&self, call: GitCall<'_>) -> Result<GitOutput, RepositoryError> {
        let name = call.name();
        let limit = match call.contact {
            RemoteContact::None => self.settings.time_limit,
            RemoteContact::Remote => self.settings.remote_time_limit,
        };
        let until = Instant::now() + limit;
        let most = match call.bound {
            OutputBound::Refuse => ANSWER_BYTES,
            OutputBound::Cut(bytes) => bytes,
        };
        let mut command = self.command(&call);
        let mut child = command.spawn().map_err(RepositoryError::NoGit)?;
        if let Input::Bytes(bytes) = call.input {
            feed(&mut child, bytes);
        }
        let (tx, rx) = mpsc::channel();
        collect(child.stdout.take(), most, GitStream::Output, &tx);
        collect(child.stderr.take(), WORDS_BYTES, GitStream::Words, &tx);
        drop(tx);
        let mut answer = GitOutput {
            command: name.clone(),
            code: -1,
            output: Vec::new(),
            is_cut: false,
            words: Vec::new(),
        };
        let late = || RepositoryError::GitTimeout {
            command: name.clone(),
            limit,
        };
        for _ in 0..2 {
            let left = until.saturating_duration_since(Instant::now());
            match rx.recv_timeout(left) {
                Ok((GitStream::Output, bytes, is_cut)) => (answer.output, answer.is_cut) = (bytes, is_cut),
                Ok((GitStream::Words, bytes, _)) => answer.words = bytes,
                Err(_) => {
                    end(&mut child);
                    return Err(late());
                }
            }
        }
        if answer.is_cut && matches!(call.bound, OutputBound::Refuse) {
            end(&mut child);
            let why = format!("more than {most} bytes");
            return Err(RepositoryError::GitAnswer { command: name, why });
        }
        while Instant::now() < until {
            let status = child.try_wait().map_err(RepositoryError::NoGit)?;
            if let Some(status) = status {
                answer.code = status.code().unwrap_or(-1);
                return self.run_checked(answer);
            }
            std::thread::sleep(PAUSE);
        }
        end(&mut child);
        Err(late())
    }

    /// Runs a command that must succeed.
    pub(super) fn ok(&self, call: GitCall<'_>) -> Result<GitOutput, RepositoryError> {
        let answer = self.run(call)?;
        match answer.code {
            0 => Ok(answer),
            _ => Err(answer.failure()),
        }
    }

    /// Runs a command in the repository that must succeed, and returns its trimmed output.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String, RepositoryError> {
        Ok(self.ok(GitCall::new(CallPlace::Repository, arguments))?.text())
    }

    fn run_checked(&self, answer: GitOutput) -> Result<GitOutput, RepositoryError> {
        let is_full = ["No space left on device", "Disk quota exceeded"];
        if answer.code != 0 && is_full.iter().any(|words| answer.says(words)) {
            return Err(RepositoryError::DiskFull {
                folder: self.common.clone(),
                line: answer.last_line(),
            });
        }
        Ok(answer)
    }

    fn command(&self, call: &GitCall<'_>) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .env("PATH", &self.search_path)
            .env("HOME", &self.settings.home)
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_PAGER", "cat")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(folder) = &self.settings.config_home {
            command.env("XDG_CONFIG_HOME", folder);
        }
        match call.at {
            CallPlace::Repository => command
                .current_dir(&self.common)
                .arg("--git-dir")
                .arg(&self.common),
            CallPlace::Checkout(folder) => command.arg("-C").arg(folder),
        };
        if let RemoteContact::Remote = call.contact {
            command.envs(self.settings.ways_to_remotes()).envs(UNASKED);
        }
        command
            .args(&call.arguments)
            .envs(call.variables.iter().map(|(name, value)| (name, value)));
        self.override_settings(&mut command, call);
        match &call.input {
            Input::Nothing => command.stdin(Stdio::null()),
            Input::Bytes(_) => command.stdin(Stdio::piped()),
            Input::File(file) => match file.try_clone() {
                Ok(file) => command.stdin(file),
                Err(_) => command.stdin(Stdio::null()),
            },
        };
        command
    }

    /// Uses variables, not `-c`, because a filter's name may contain any character.
    fn override_settings(&self, command: &mut Command, call: &GitCall<'_>) {
        let fixed = OVERRIDES
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let programs = self.programs.off.clone().into_iter();
        let own = call.settings.iter().cloned();
        let all: Vec<(String, String)> = programs.chain(fixed).chain(own).collect();
        command.env("GIT_CONFIG_COUNT", all.len().to_string());
        for (idx, (name, value)) in all.into_iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{idx}"), name);
            command.env(format!("GIT_CONFIG_VALUE_{idx}"), value);
        }
    }
}

/// The first git on the search path; otherwise a bare name, so that starting it reports that git is missing.
fn program(search_path: &OsStr) -> PathBuf {
    match find_program("git".as_ref(), search_path) {
        ProgramLookup::Program(git) => git,
        ProgramLookup::NotExecutable(_) | ProgramLookup::Nothing => "git".into(),
    }
}

#[derive(Debug, Clone, Copy)]
enum GitStream {
    Output,
    Words,
}

/// Reads a stream. Output beyond the limit is not read, so that git ends; stderr is drained.
fn collect(
    stream: Option<impl Read + Send + 'static>,
    most: usize,
    which: GitStream,
    tx: &mpsc::Sender<(GitStream, Vec<u8>, bool)>,
) {
    let tx = tx.clone();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut is_cut = false;
        if let Some(mut stream) = stream {
            let limit = u64::try_from(most).unwrap_or(u64::MAX);
            // A stream that fails gives a short output; the exit code shows the failure.
            let _ = stream.by_ref().take(limit).read_to_end(&mut kept);
            match which {
                GitStream::Output => is_cut = matches!(stream.read(&mut [0]), Ok(1)),
                GitStream::Words => drop(std::io::copy(&mut stream, &mut std::io::sink())),
            }
        }
        // Fails only if the caller has timed out.
        let _ = tx.send((which, kept, is_cut));
    });
}

fn feed(child: &mut Child, bytes: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // git may exit before it has read everything; its exit code shows whether that is a failure.
        std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    }
}

/// Kills git and the processes it started.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}
