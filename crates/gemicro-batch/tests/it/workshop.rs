//! Workshops in a real sandbox.
//!
//! A machine without a sandbox skips them with a loud line, and fails in CI.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gemicro_batch::shell::ShellSetup;
use gemicro_batch::workshop::{Toolchains, Workshop};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::policy::PolicyConfig;
use gemicro_guard::sandbox::{
    Launcher, Network, PinnedPath, Profile, ResourceLimits, Shells, Tier, WriteMode, probe,
};
use tokio_util::sync::CancellationToken;

pub(crate) const SECRET: &str = "sk-secret-0123456789abcdef";
const LONG: Duration = Duration::from_secs(60);

/// A user's home, a project beside it, and a sandbox.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) tier: Tier,
}

impl World {
    /// Nothing where this machine has no sandbox.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let tier = probe(&launcher(), &folder.path().join("probe")).unwrap().tier;
        if tier != Tier::Full {
            let has_program = Path::new("/usr/bin/bwrap").exists();
            assert!(has_program, "bubblewrap is missing: run `cargo xtask setup`");
            let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!in_ci, "this machine has no sandbox of tier full");
            println!("SKIPPED: this machine has no sandbox of tier full");
            return None;
        }
        let world = Self { folder, tier };
        for name in ["user", "project", "scratch", "state", "home", "tmp"] {
            std::fs::create_dir_all(world.path(name)).unwrap();
        }
        world.write("user/key", "private");
        Some(world)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn setup(&self) -> ShellSetup {
        ShellSetup {
            launcher: launcher(),
            tier: self.tier,
            policy: PolicyConfig::default(),
            user_home: self.path("user"),
            hidden: vec![self.path("state")],
            scratch: self.path("scratch"),
            path: "/usr/local/bin:/usr/bin:/bin".to_owned(),
            toolchains: Toolchains::default(),
            redactor: Redactor::new([SECRET]),
        }
    }

    pub(crate) fn workshop(&self, toolchains: &Toolchains) -> Workshop {
        let profile = Profile {
            mode: WriteMode::WorkspaceWrite,
            workspace: self.path("project"),
            writable: Vec::new(),
            pinned: Vec::new(),
            pinning: PinnedPath::WherePossible,
            shells: Shells::Within,
            readable: Vec::new(),
            hidden: vec![self.path("state")],
            user_home: self.path("user"),
            home: self.path("home"),
            temporary: self.path("tmp"),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
        };
        Workshop {
            launcher: launcher(),
            tier: self.tier,
            profile: toolchains.open_in(profile),
            folder: self.path("project"),
            redactor: Redactor::new([SECRET]),
        }
    }

    /// What a command leaves: its exit code and what it printed.
    async fn check(&self, command: &str, expected: (Option<i32>, &str)) {
        self.check_with(&Toolchains::default(), command, expected).await;
    }

    pub(crate) async fn check_with(
        &self,
        toolchains: &Toolchains,
        command: &str,
        expected: (Option<i32>, &str),
    ) {
        let workshop = self.workshop(toolchains);
        let ran = workshop
            .run(command, LONG, &CancellationToken::new())
            .await
            .unwrap();
        assert_eq!((ran.exit_code, ran.output.as_str()), expected, "{command}");
        assert_eq!(ran.is_good(), ran.exit_code == Some(0));
    }
}

fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_batch-launch").into(),
        arguments: Vec::new(),
    }
}

#[tokio::test]
async fn a_command_ends_with_its_code_and_its_words() {
    let Some(world) = World::new() else { return };
    world.write("project/a.txt", "hello\n");
    world.check("cat a.txt", (Some(0), "hello\n")).await;
    world
        .check("echo oops >&2; echo out; exit 3", (Some(3), "out\noops\n"))
        .await;
    world.check("kill -9 $$", (Some(137), "")).await;
    world.check(&format!("echo {SECRET}"), (Some(0), "***\n")).await;
    // Of much output the last whole lines are kept.
    let kept: String = (1..=10_000).map(|n| format!("{n}\n")).collect();
    let from = kept.len() - 16 * 1024;
    let from = from + kept[from..].find('\n').unwrap() + 1;
    world.check("seq 10000", (Some(0), &kept[from..])).await;
}

#[tokio::test]
async fn a_late_command_has_no_code() {
    let Some(world) = World::new() else { return };
    let workshop = world.workshop(&Toolchains::default());
    let limit = Duration::from_millis(500);
    let ran = workshop
        .run("sleep 1000", limit, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!((ran.exit_code, ran.is_good()), (None, false));
}

#[tokio::test]
async fn a_stopped_command_is_no_result() {
    let Some(world) = World::new() else { return };
    let cancel = CancellationToken::new();
    cancel.cancel();
    let workshop = world.workshop(&Toolchains::default());
    let stopped = workshop.run("touch mark", LONG, &cancel).await.unwrap_err();
    assert_eq!(
        stopped,
        Failure::new(ErrorKind::Cancelled, "stopped while a command ran")
    );
}

#[tokio::test]
async fn files_are_written_and_removed() {
    let Some(world) = World::new() else { return };
    let (workshop, cancel) = (world.workshop(&Toolchains::default()), CancellationToken::new());
    for path in ["a.txt", "new folder/-b $(x).txt", "-c/d.txt"] {
        let text = format!("{path}\n");
        workshop.write(path, &text, &cancel).await.unwrap();
        assert_eq!(world.read(&format!("project/{path}")), text);
        workshop.write(path, "", &cancel).await.unwrap();
        assert_eq!(world.read(&format!("project/{path}")), "", "it is replaced");
        workshop.remove(path, &cancel).await.unwrap();
        assert!(!world.path("project").join(path).exists());
        workshop.remove(path, &cancel).await.unwrap();
    }
    let large = "x".repeat(1 << 20);
    workshop.write("large.txt", &large, &cancel).await.unwrap();
    assert!(world.read("project/large.txt") == large);
}

#[tokio::test]
async fn a_planted_link_leads_no_one_out() {
    let Some(world) = World::new() else { return };
    world.write("outside/a.txt", "untouched");
    world
        .check(
            "ln -s ../outside/a.txt a.txt && ln -s ../outside folder && ln -s ../user/key key",
            (Some(0), ""),
        )
        .await;
    let (workshop, cancel) = (world.workshop(&Toolchains::default()), CancellationToken::new());
    for path in ["a.txt", "folder/a.txt", "folder/new.txt"] {
        let refused = workshop.write(path, "changed", &cancel).await.unwrap_err();
        assert_eq!(refused.kind, ErrorKind::PermissionDenied, "{}", refused.message);
        let said = format!("writing {path} failed in the sandbox: ");
        assert!(refused.message.starts_with(&said), "{}", refused.message);
    }
    let _ = workshop.write("key", "changed", &cancel).await;
    let _ = workshop.remove("folder/a.txt", &cancel).await;
    assert_eq!(world.read("outside/a.txt"), "untouched");
    assert_eq!(world.read("user/key"), "private");
    assert!(!world.path("outside/new.txt").exists());
    // The link itself goes, and nothing behind it.
    workshop.remove("a.txt", &cancel).await.unwrap();
    assert!(world.path("project/a.txt").symlink_metadata().is_err());
}

/// What an agent's shells look for is in what their homes begin with; what was planted there leads nobody else away.
#[test]
fn toolchains_are_linked_for_shells_and_through_no_link() {
    let Some(world) = World::new() else { return };
    world.write("user/.cargo/registry/src/a.rs", "a crate\n");
    let toolchains = Toolchains::of(&world.path("user"), "/usr/bin", |_| None);
    let agents = Profile {
        shells: Shells::Apart,
        ..world.workshop(&Toolchains::default()).profile
    };
    let shells = toolchains.open_in(agents.clone()).shell_skeleton();
    assert!(shells.join(".cargo/registry/src/a.rs").is_file());
    std::fs::remove_dir_all(shells.join(".cargo")).unwrap();
    std::os::unix::fs::symlink(world.path("tmp"), shells.join(".cargo")).unwrap();
    toolchains.link(&agents);
    assert!(world.path("tmp/registry").symlink_metadata().is_err());
}

#[tokio::test]
async fn toolchains_are_seen_and_credentials_are_not() {
    let Some(world) = World::new() else { return };
    for (path, text) in [
        (".cargo/bin/tool", "#!/bin/sh\necho a tool\n"),
        (".cargo/credentials.toml", "token"),
        (".cargo/config.toml", "settings"),
        (".cargo/registry/src/a.rs", "a crate\n"),
        (".rustup/toolchains/x", "a compiler\n"),
        (".ssh/id", "a key"),
        ("go/bin/other", "not on the path"),
    ] {
        world.write(&format!("user/{path}"), text);
    }
    let tool = world.path("user/.cargo/bin/tool");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let home = world.path("user");
    let path = format!("{}/.cargo/bin:/usr/bin", home.display());
    let toolchains = Toolchains::of(&home, &path, |_| None);
    let seen = |path: &str| format!("cat {}", home.join(path).display());
    world
        .check_with(&toolchains, &tool.display().to_string(), (Some(0), "a tool\n"))
        .await;
    world
        .check_with(
            &toolchains,
            &seen(".cargo/registry/src/a.rs"),
            (Some(0), "a crate\n"),
        )
        .await;
    world
        .check_with(
            &toolchains,
            "cat ~/.cargo/registry/src/a.rs",
            (Some(0), "a crate\n"),
        )
        .await;
    world
        .check_with(
            &toolchains,
            "cat $RUSTUP_HOME/toolchains/x",
            (Some(0), "a compiler\n"),
        )
        .await;
    world
        .check_with(&toolchains, "echo $CARGO_NET_OFFLINE", (Some(0), "true\n"))
        .await;
    for path in [
        ".cargo/credentials.toml",
        ".cargo/config.toml",
        ".ssh/id",
        "key",
        "go/bin/other",
    ] {
        let command = format!("{} 2> /dev/null", seen(path));
        world.check_with(&toolchains, &command, (Some(1), "")).await;
    }
    world
        .check_with(
            &toolchains,
            "cat ~/.cargo/credentials.toml 2> /dev/null",
            (Some(1), ""),
        )
        .await;
    let command = format!("touch {}/x 2> /dev/null", tool.parent().unwrap().display());
    world.check_with(&toolchains, &command, (Some(1), "")).await;
}

#[test]
fn a_home_is_no_toolchain() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    let path = format!(
        "{}:{}:/usr/bin:none::",
        home.display(),
        home.parent().unwrap().display()
    );
    // Whatever variables say.
    let named = |value: PathBuf| move |_: &str| Some(value.display().to_string());
    for value in [home.clone(), home.parent().unwrap().to_owned(), home.join("none")] {
        let toolchains = Toolchains::of(&home, &path, named(value.clone()));
        assert_eq!(toolchains, Toolchains::default(), "{}", value.display());
    }
    // A home behind a link is the same home.
    std::fs::create_dir_all(home.join("real/bin")).unwrap();
    symlink(home.join("real"), home.join("link")).unwrap();
    let path = home.join("link/bin").display().to_string();
    let linked = Toolchains::of(&home.join("link"), &path, |_| None);
    assert_ne!(linked, Toolchains::default());
    assert_eq!(linked, Toolchains::of(&home.join("real"), &path, |_| None));
}
