//! The only place that starts git outside the sandbox, and only with the user's repository.
//!
//! The main type is [`Git`]: it can only be had for a repository that git itself found and accepted. It starts
//! git without the caller's environment, without hooks, filters and programs that the repository's settings name,
//! without maintenance and prompts, with a bound on output and on time. A command that speaks to a remote gets the few
//! variables that lead there. It knows nothing of tasks.

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

/// What an answer that is read as a whole may have.
const ANSWER_BYTES: usize = 256 << 20;
/// What is kept of what git says on stderr.
const WORDS_BYTES: usize = 64 << 10;
const PAUSE: Duration = Duration::from_millis(1);

/// Nothing of these may run a program, ask, or tidy up on its own.
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

/// Whoever asks on the way to a remote gets no answer: nobody sits there.
const UNASKED: [(&str, &str); 2] = [("GIT_ASKPASS", ""), ("GCM_INTERACTIVE", "never")];

/// git, for one repository of the user.
#[derive(Debug, Clone)]
pub(super) struct Git {
    settings: GitSettings,
    /// The git directory that all checkouts have in common.
    common: PathBuf,
    /// Where git and what it starts are searched.
    search_path: OsString,
    /// git itself, by its path: a bare name would cost a copy of this process for every start.
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
        // Before 2.31 git knew neither this option nor settings by variables, on which much depends here.
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

    /// How git is started.
    pub(super) fn settings(&self) -> &GitSettings {
        &self.settings
    }

    /// The git directory that all checkouts have in common.
    pub(super) fn common(&self) -> &Path {
        &self.common
    }

    /// Runs a command and gives its answer, whatever its exit code.
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
            let why = format!("it has more than {most} bytes");
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

    /// Runs a command in the repository that must succeed, and gives its trimmed output.
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

    /// By variables, not by `-c`: a filter's name may hold anything.
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

/// The first git on the search path; where there is none, what tells so when it is started.
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

/// Reads a stream to its end. Output that is too long is left alone, so that git ends; words are drained.
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
            // What cannot be read is a short answer; the exit code tells.
            let _ = stream.by_ref().take(limit).read_to_end(&mut kept);
            match which {
                GitStream::Output => is_cut = matches!(stream.read(&mut [0]), Ok(1)),
                GitStream::Words => drop(std::io::copy(&mut stream, &mut std::io::sink())),
            }
        }
        // Nobody waits any more when it took too long.
        let _ = tx.send((which, kept, is_cut));
    });
}

fn feed(child: &mut Child, bytes: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // git may end before it read everything; its exit code tells.
        std::thread::spawn(move || drop(stdin.write_all(&bytes)));
    }
}

/// Ends git and what it started.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
}
