//! Plans as data: what the arguments say, and what is refused. The real thing is in `tests/sandbox.rs`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{
    LaunchPlan, Launcher, Network, PinnedPath, Profile, ResourceLimits, SandboxError, Shells, Tier,
    WriteMode, plan, probe,
};

struct Folders {
    root: tempfile::TempDir,
}

impl Folders {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["user/.ssh", "user/wt/.git", "user/tools", "home", "tmp"] {
            std::fs::create_dir_all(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.root.path()).unwrap().join(name)
    }

    fn profile(&self, mode: WriteMode) -> Profile {
        Profile {
            mode,
            workspace: self.path("user/wt"),
            writable: Vec::new(),
            pinned: Profile::settings_of(&self.path("user/wt")),
            pinning: PinnedPath::Required,
            shells: Shells::Apart,
            readable: vec![self.path("user/tools")],
            hidden: vec![self.path("user/.ssh")],
            user_home: self.path("user"),
            home: self.path("home"),
            temporary: self.path("tmp"),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: vec![
                ("KEY".to_owned(), "canary".to_owned()),
                ("HOME".to_owned(), "/wrong".to_owned()),
            ],
        }
    }
}

fn launcher() -> Launcher {
    Launcher {
        program: "/usr/bin/gemicro".into(),
        arguments: vec!["__launch".into()],
    }
}

fn planned(tier: Tier, profile: &Profile) -> Result<LaunchPlan, SandboxError> {
    plan(&launcher(), tier, profile, &["true".into()])
}

#[cfg(target_os = "linux")]
#[test]
fn bubblewrap_gets_every_wall_in_order() {
    let folders = Folders::new();
    std::fs::write(folders.path("user/wt/AGENT_MEMORY.md"), "").unwrap();
    let plan = planned(Tier::Full, &folders.profile(WriteMode::WorkspaceWrite)).unwrap();
    let program = plan.program.clone().into_os_string();
    let words: Vec<String> = [program]
        .iter()
        .chain(&plan.arguments)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let line = words.join(" ");
    let at = |part: &str| {
        line.find(part)
            .unwrap_or_else(|| panic!("{part} is not in {line}"))
    };
    let mount = |kind: &str, name: &str| format!("{kind} {0} {0}", folders.path(name).display());
    let begin = "/usr/bin/bwrap --die-with-parent --new-session --cap-drop ALL ";
    // Root owns the devices, so they are protected first.
    match at(begin) {
        0 => assert!(!rustix::process::geteuid().is_root(), "{line}"),
        _ => assert!(
            line.starts_with(&format!("/usr/bin/gemicro __launch devices -- {begin}")),
            "{line}"
        ),
    }
    at("--unshare-net");
    let in_order = [
        at("--ro-bind / / --dev /dev --proc /proc --tmpfs /run --tmpfs /tmp"),
        at(&format!("--tmpfs {} ", folders.path("user").display())),
        at(&mount("--bind", "user/wt")),
        at(&mount("--ro-bind", "user/wt/.git")),
        at("--chdir"),
        at("-- /usr/bin/gemicro __launch {"),
    ];
    assert!(in_order.is_sorted(), "{line}");
    at(&mount("--ro-bind", "user/wt/AGENT_MEMORY.md"));
    at(&mount("--ro-bind", "user/tools"));
    at(&mount("--bind", "home"));
    assert!(line.ends_with(" -- true"));
    assert!(!line.contains("canary"), "a credential in a process list");
    assert_eq!(plan.unpinned.len(), super::SETTINGS.len() - 2);
}

#[cfg(target_os = "linux")]
#[test]
fn read_only_opens_home_and_temporary_alone() {
    let folders = Folders::new();
    let plan = planned(Tier::Full, &folders.profile(WriteMode::ReadOnly)).unwrap();
    let binds: Vec<&OsString> = plan
        .arguments
        .iter()
        .zip(plan.arguments.iter().skip(1))
        .filter(|(word, _)| *word == "--bind")
        .map(|(_, path)| path)
        .collect();
    assert_eq!(
        binds,
        [folders.path("tmp").as_os_str(), folders.path("home").as_os_str()]
            .map(OsString::from)
            .iter()
            .rev()
            .collect::<Vec<_>>()
    );
}

#[test]
fn the_environment_is_what_was_given() {
    let folders = Folders::new();
    let profile = Profile {
        mode: WriteMode::DangerFullAccess,
        ..folders.profile(WriteMode::ReadOnly)
    };
    let plan = planned(Tier::None, &profile).unwrap();
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let expected = [
        ("KEY".to_owned(), "canary".to_owned()),
        ("HOME".to_owned(), text(folders.path("home"))),
        ("TMPDIR".to_owned(), text(folders.path("tmp"))),
    ];
    assert_eq!(
        (plan.environment.as_slice(), plan.tier),
        (expected.as_slice(), Tier::None)
    );
    assert_eq!(plan.program, Path::new("true"));
}

#[test]
fn less_than_was_asked_for_is_an_error() {
    let folders = Folders::new();
    let profile = folders.profile(WriteMode::WorkspaceWrite);
    for mode in [WriteMode::ReadOnly, WriteMode::WorkspaceWrite] {
        let error = planned(Tier::None, &folders.profile(mode)).unwrap_err();
        assert!(matches!(error, SandboxError::Unavailable { .. }));
    }
    let missing = Profile {
        workspace: folders.path("not there"),
        ..profile.clone()
    };
    assert!(matches!(
        planned(Tier::Full, &missing).unwrap_err(),
        SandboxError::Path { .. }
    ));
    let link = folders.path("user/wt/dangling");
    std::os::unix::fs::symlink("/proc/self/cwd/nothing there", &link).unwrap();
    let behind_link = Profile {
        hidden: vec![folders.path("user/not there"), link.clone()],
        ..profile.clone()
    };
    match planned(Tier::Full, &behind_link).unwrap_err() {
        SandboxError::Path { path, .. } => assert_eq!(path, link),
        other => panic!("{other}"),
    }
    // Landlock cannot shut a path inside an open folder.
    assert!(matches!(
        planned(Tier::Landlock, &profile).unwrap_err(),
        SandboxError::CannotShut { .. }
    ));
    let hidden = Profile {
        hidden: vec![folders.path("user/wt/.git")],
        pinned: Vec::new(),
        ..profile
    };
    assert!(matches!(
        planned(Tier::Landlock, &hidden).unwrap_err(),
        SandboxError::CannotShut { .. }
    ));
}

#[test]
fn a_launcher_that_does_not_start_is_no_tier() {
    let scratch = tempfile::tempdir().unwrap();
    let missing = Launcher {
        program: scratch.path().join("missing"),
        arguments: Vec::new(),
    };
    let found = probe(&missing, scratch.path()).unwrap();
    assert_eq!(
        (found.tier, found.bubblewrap, found.landlock),
        (Tier::None, false, false)
    );
    // A program that ends well without having looked is no proof either.
    let idle = Launcher {
        program: "/bin/true".into(),
        arguments: Vec::new(),
    };
    assert_eq!(probe(&idle, scratch.path()).unwrap().tier, Tier::None);
}

/// A program in the home itself must not open the home.
#[test]
fn the_home_cannot_be_opened() {
    let folders = Folders::new();
    for name in ["user", ""] {
        let profile = Profile {
            readable: vec![folders.path(name)],
            ..folders.profile(WriteMode::WorkspaceWrite)
        };
        let error = planned(Tier::Full, &profile).unwrap_err();
        assert!(matches!(error, SandboxError::Path { .. }), "{error}");
    }
}

/// Without a sandbox there is still a keeper, and it does not see the environment as an argument.
#[cfg(target_os = "linux")]
#[test]
fn supervised_commands_are_kept() {
    let folders = Folders::new();
    let profile = Profile {
        mode: WriteMode::DangerFullAccess,
        ..folders.profile(WriteMode::ReadOnly)
    };
    let plan = super::plan_supervised(&launcher(), Tier::None, &profile, &["true".into()]).unwrap();
    let words: Vec<String> = plan
        .arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    assert_eq!(plan.program, Path::new("/usr/bin/gemicro"));
    assert!(words[1].contains("\"keeper\""), "{words:?}");
    assert_eq!(words[2..], ["--", "true"]);
    assert!(!words.concat().contains("canary"));
    assert_eq!(plan.reach, super::NetworkReach::Everything);
}

#[test]
fn what_can_be_reached_is_reported() {
    use super::gateway::reach;
    use super::{Network, NetworkReach};

    let gateway = Network::Gateway { port: 1 };
    for (tier, network, abi, expected) in [
        (Tier::Full, gateway, 0, NetworkReach::Gateway),
        (Tier::Landlock, gateway, 4, NetworkReach::Gateway),
        (Tier::Landlock, gateway, 3, NetworkReach::Everything),
        (Tier::Landlock, Network::None, 3, NetworkReach::Nothing),
        (Tier::Full, Network::Open, 6, NetworkReach::Everything),
        (Tier::None, Network::None, 6, NetworkReach::Everything),
    ] {
        assert_eq!(reach(tier, network, abi), expected, "{tier} {network:?} {abi}");
    }
}

#[test]
fn seatbelt_names_every_path() {
    let folders = Folders::new();
    let profile = folders.profile(WriteMode::WorkspaceWrite);
    let plan = planned(Tier::Seatbelt, &profile).unwrap();
    let text = plan.arguments[1].to_string_lossy();
    for path in [
        &profile.workspace,
        &profile.home,
        &profile.temporary,
        &profile.hidden[0],
        &profile.user_home,
    ] {
        assert!(text.contains(&*path.to_string_lossy()), "{}", path.display());
    }
}

#[test]
fn a_profile_survives_json() {
    let folders = Folders::new();
    let profile = folders.profile(WriteMode::WorkspaceWrite);
    let text = serde_json::to_string(&profile).unwrap();
    assert!(text.contains("\"workspace-write\""));
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_a_private_folder_stand_for_no_others() {
    let folders = Folders::new();
    let own = folders.path("user/wt/.venv/bin").display().to_string();
    let mut profile = folders.profile(WriteMode::WorkspaceWrite);
    let given = format!(".:{own}:{}/bin:/usr/bin", profile.home.display());
    profile.environment = vec![("PATH".to_owned(), given)];
    for (pinning, kept) in [
        (PinnedPath::Required, format!("{own}:/usr/bin")),
        (PinnedPath::WherePossible, "/usr/bin".to_owned()),
    ] {
        profile.pinning = pinning;
        let plan = planned(Tier::Full, &profile).unwrap();
        assert!(
            plan.environment.contains(&("PATH".to_owned(), kept.clone())),
            "{kept}: {:?}",
            plan.environment
        );
    }
}
