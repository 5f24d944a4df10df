//! A user's machine: a home with secrets, a repository beside it, a state folder, and agents that are shell scripts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use gemicro_guard::repository::{
    BundleResult, CommitMessage, GitSettings, Import, ImportResult, ImportRules, InsideCommand, InsideOutput,
    NewTask, RepositoryError, ShowOutcome, Slug, TaskRepo, TaskSandbox, TaskStart, Tripwire, TripwireChange,
    TrustedRepo, import, show,
};
use gemicro_guard::sandbox::{Launcher, Network, ResourceLimits, Tier, WriteMode, probe};

pub(crate) const SECRET: &str = "CANARY-PRIVATE-KEY";
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// What an agent may take, with room for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// With a repository of a few commits, branches and tags.
    pub(crate) fn new() -> Self {
        Self::with_repository("git init -q -b main repo")
    }

    /// The same, but its repository is made by this command.
    pub(crate) fn with_repository(init: &str) -> Self {
        let world = Self::without_repository();
        world.shell(&format!(
            "{init}; cd repo; mkdir -p src docs; echo one > a.txt; echo 'fn lib() {{}}' > src/lib.rs
            echo '*.log' > .gitignore; git add -A; git commit -qm one; git tag v1; echo two >> a.txt; git commit -qam two
            git branch other; git tag -a v2 -m v2; git pack-refs --all; echo three >> a.txt; git commit -qam three"
        ));
        world
    }

    pub(crate) fn without_repository() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["user/.ssh", "user/.aws", "state/tasks"] {
            std::fs::create_dir_all(world.path(name)).unwrap();
        }
        for (name, text) in [
            ("user/.ssh/id_rsa", SECRET),
            ("user/.ssh/id_ed25519", SECRET),
            ("user/.aws/credentials", SECRET),
            ("user/.netrc", SECRET),
            ("user/.bashrc", "user"),
            (
                "user/.gitconfig",
                "[user]\n\tname = A \\\"U\\\" Thor\n\temail = a@example.org\n",
            ),
            ("beside.txt", "beside"),
        ] {
            std::fs::write(world.path(name), text).unwrap();
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    /// Runs a script as the user; it must succeed.
    pub(crate) fn shell(&self, script: &str) -> String {
        let output = self.shell_output(script);
        assert!(output.status.success(), "{script}\n{}", text(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(crate) fn shell_output(&self, script: &str) -> Output {
        Command::new("/bin/bash")
            .args(["-e", "-c", script])
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", self.path("user"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.path(""))
            .output()
            .unwrap()
    }

    pub(crate) fn settings(&self) -> GitSettings {
        GitSettings::new(PATH, self.path("user"))
    }

    pub(crate) fn open(&self) -> TrustedRepo {
        TrustedRepo::open(&self.settings(), &self.path("repo")).unwrap()
    }

    /// A task `task/x/work` from the commit at HEAD.
    pub(crate) fn task(&self, repository: &TrustedRepo) -> TaskRepo {
        self.try_task(
            repository,
            "t1",
            "x/work",
            TaskStart::New(repository.head().clone()),
        )
        .unwrap()
    }

    pub(crate) fn try_task(
        &self,
        repository: &TrustedRepo,
        id: &str,
        slug: &str,
        start: TaskStart,
    ) -> Result<TaskRepo, RepositoryError> {
        let folder = self.path("state/tasks").join(id);
        let slug: Slug = slug.parse()?;
        TaskRepo::create(repository, NewTask { folder, slug, start })
    }

    pub(crate) fn inside(&self, tier: Tier, task: &TaskRepo) -> InsideCommand {
        let profile = task.profile(TaskSandbox {
            mode: WriteMode::WorkspaceWrite,
            user_home: self.path("user"),
            readable: Vec::new(),
            hidden: Vec::new(),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: vec![("PATH".to_owned(), PATH.to_owned())],
        });
        InsideCommand {
            launcher: launcher(),
            tier,
            profile,
            time_limit: PATIENCE,
        }
    }

    /// An agent that is a script.
    pub(crate) fn agent(&self, tier: Tier, task: &TaskRepo, script: &str) -> InsideOutput {
        let command: [OsString; 3] = ["/bin/bash".into(), "-c".into(), script.into()];
        self.inside(tier, task).run(&command).unwrap()
    }

    /// All that gemicro does after a step.
    pub(crate) fn finish(&self, tier: Tier, repository: &TrustedRepo, task: &mut TaskRepo) -> Finished {
        let before = Tripwire::take(repository, task.slug()).unwrap();
        let result = self.bring_back(tier, repository, task);
        let tip = task.tip().clone();
        let shown = show(repository, task.slug(), &tip);
        repository.diff(task.base(), &tip, 1 << 20).unwrap();
        let after = Tripwire::take(repository, task.slug()).unwrap();
        Finished {
            result,
            shown,
            tripped: before.compare(&after),
        }
    }

    fn bring_back(
        &self,
        tier: Tier,
        repository: &TrustedRepo,
        task: &mut TaskRepo,
    ) -> Result<Import, RepositoryError> {
        task.check_branch()?;
        let inside = self.inside(tier, task);
        let message = CommitMessage {
            text: "what the agent left".to_owned(),
            trailers: vec![("Gemicro-Task".to_owned(), task.id())],
        };
        inside.commit_all(task, &message)?;
        match inside.bundle(task)? {
            BundleResult::Nothing => Ok(Import::Nothing),
            BundleResult::Something => import(repository, task, &ImportRules::default()),
        }
    }
}

/// What came out of a step.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) result: Result<Import, RepositoryError>,
    pub(crate) shown: ShowOutcome,
    pub(crate) tripped: Vec<TripwireChange>,
}

impl Finished {
    /// The import, which must have been one.
    pub(crate) fn imported(self) -> ImportResult {
        match self.result.unwrap() {
            Import::Done(imported) => imported,
            Import::Nothing => panic!("nothing was imported"),
        }
    }
}

pub(crate) fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_guard-launch").into(),
        arguments: Vec::new(),
    }
}

/// Both tiers of Linux, which this machine must have.
pub(crate) fn tiers() -> [Tier; 2] {
    let scratch = tempfile::tempdir().unwrap();
    let found = probe(&launcher(), scratch.path()).unwrap();
    assert!(found.bubblewrap && found.landlock, "a tier is missing: {found:?}");
    [Tier::Full, Tier::Landlock]
}

pub(crate) fn text(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

pub(crate) fn said(output: &InsideOutput) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// The bytes of a file that must be there.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
