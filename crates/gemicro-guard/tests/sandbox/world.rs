//! What the tests of the sandbox have in common: a user's machine, and the tiers of this one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Output;

use gemicro_guard::sandbox::{
    LaunchPlan, Launcher, Network, PinnedPath, Profile, ResourceLimits, Shells, Tier, WriteMode, plan, probe,
};

/// A user's machine: a home with a key, a repository beside it, and the agent's folders.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    pub(crate) fn below(folder: &std::path::Path) -> Self {
        let world = Self {
            folder: tempfile::tempdir_in(folder).unwrap(),
        };
        for name in [
            "user/.ssh",
            "repo",
            "task/wt/.git/hooks",
            "task/wt/.gemini",
            "task/home",
            "task/tmp",
        ] {
            std::fs::create_dir_all(world.path(name)).unwrap();
        }
        for (name, text) in [
            ("user/.ssh/id", "PRIVATE-KEY"),
            ("user/.bashrc", "user"),
            ("repo/a.txt", "repo"),
            ("task/wt/.git/config", "config"),
            ("task/wt/.gemini/settings.json", "{}"),
        ] {
            std::fs::write(world.path(name), text).unwrap();
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub(crate) fn profile(&self) -> Profile {
        Profile {
            mode: WriteMode::WorkspaceWrite,
            workspace: self.path("task/wt"),
            writable: Vec::new(),
            pinned: Vec::new(),
            pinning: PinnedPath::WherePossible,
            shells: Shells::Apart,
            readable: Vec::new(),
            hidden: vec![self.path("user/.ssh"), self.path("repo")],
            user_home: self.path("user"),
            home: self.path("task/home"),
            temporary: self.path("task/tmp"),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: vec![
                ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
                ("U".to_owned(), self.path("user").display().to_string()),
                ("R".to_owned(), self.path("repo").display().to_string()),
            ],
        }
    }

    pub(crate) fn plan(&self, tier: Tier, profile: &Profile, script: &str) -> LaunchPlan {
        let command: [OsString; 3] = ["/bin/bash".into(), "-c".into(), script.into()];
        plan(&launcher(), tier, profile, &command).unwrap()
    }

    pub(crate) fn run(&self, tier: Tier, script: &str) -> Output {
        self.run_with(tier, &self.profile(), script)
    }

    pub(crate) fn run_with(&self, tier: Tier, profile: &Profile, script: &str) -> Output {
        self.plan(tier, profile, script).command().output().unwrap()
    }

    /// Everything outside the task's folder, as text.
    pub(crate) fn outside(&self) -> String {
        let names = ["user", "user/.ssh", "repo", ""];
        let mut lines: Vec<String> = names
            .iter()
            .flat_map(|name| std::fs::read_dir(self.path(name)).unwrap().flatten())
            .map(|entry| {
                format!(
                    "{} {:?}",
                    entry.path().display(),
                    std::fs::read_to_string(entry.path()).ok()
                )
            })
            .collect();
        lines.sort();
        lines.join("\n")
    }
}

pub(crate) fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_guard-launch").into(),
        arguments: Vec::new(),
    }
}

/// The tiers that this machine has.
pub(crate) fn tiers() -> Vec<Tier> {
    let scratch = tempfile::tempdir().unwrap();
    let found = probe(&launcher(), scratch.path()).unwrap();
    let has = [(Tier::Full, found.bubblewrap), (Tier::Landlock, found.landlock)];
    for (tier, _) in has.iter().filter(|(_, has)| !has) {
        let has_program = Path::new("/usr/bin/bwrap").exists();
        assert!(has_program, "bubblewrap is missing: run `cargo xtask setup`");
        let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!in_ci, "tier {tier} is missing: {found:?}");
        eprintln!("SKIPPED: no tier {tier} on this machine: {found:?}");
    }
    has.iter()
        .filter(|(_, has)| *has)
        .map(|(tier, _)| *tier)
        .collect()
}

pub(crate) fn text(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}
