//! Hostile scripts in real sandboxes: what must fail fails, and the rest works.
//!
//! A tier that this machine lacks is skipped with a loud line, and fails in CI.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]
#![expect(clippy::print_stderr, reason = "a skipped tier must not pass unnoticed")]

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use gemicro_guard::sandbox::{
    CommandExit, GatewayPort, LaunchPlan, Launcher, Limits, Mode, Network, Notice, Pinning, Profile, Reach,
    SandboxError, Tier, plan, plan_supervised, probe,
};

#[path = "sandbox/shells.rs"]
mod shells;

/// A user's machine: a home with a key, a repository beside it, and the agent's folders.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
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

    fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn profile(&self) -> Profile {
        Profile {
            mode: Mode::WorkspaceWrite,
            workspace: self.path("task/wt"),
            writable: Vec::new(),
            pinned: Vec::new(),
            pinning: Pinning::WherePossible,
            readable: Vec::new(),
            hidden: vec![self.path("user/.ssh"), self.path("repo")],
            user_home: self.path("user"),
            home: self.path("task/home"),
            temporary: self.path("task/tmp"),
            network: Network::None,
            unix_sockets: false,
            limits: Limits::default(),
            environment: vec![
                ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
                ("U".to_owned(), self.path("user").display().to_string()),
                ("R".to_owned(), self.path("repo").display().to_string()),
            ],
        }
    }

    fn plan(&self, tier: Tier, profile: &Profile, script: &str) -> LaunchPlan {
        let command: [OsString; 3] = ["/bin/bash".into(), "-c".into(), script.into()];
        plan(&launcher(), tier, profile, &command).unwrap()
    }

    fn run(&self, tier: Tier, script: &str) -> Output {
        self.run_with(tier, &self.profile(), script)
    }

    fn run_with(&self, tier: Tier, profile: &Profile, script: &str) -> Output {
        self.plan(tier, profile, script).command().output().unwrap()
    }

    /// Everything outside the task's folder, as text.
    fn outside(&self) -> String {
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

fn launcher() -> Launcher {
    Launcher {
        program: env!("CARGO_BIN_EXE_guard-launch").into(),
        arguments: Vec::new(),
    }
}

/// The tiers that this machine has.
fn tiers() -> Vec<Tier> {
    let scratch = tempfile::tempdir().unwrap();
    let found = probe(&launcher(), scratch.path()).unwrap();
    let has = [(Tier::Full, found.bubblewrap), (Tier::Landlock, found.landlock)];
    for (tier, _) in has.iter().filter(|(_, has)| !has) {
        let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!in_ci, "tier {tier} is missing: {found:?}");
        eprintln!("SKIPPED: no tier {tier} on this machine: {found:?}");
    }
    has.iter()
        .filter(|(_, has)| *has)
        .map(|(tier, _)| *tier)
        .collect()
}

fn text(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[test]
fn what_this_machine_offers() {
    let scratch = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let found = probe(&launcher(), scratch.path()).unwrap();
    println!("{found:?} in {:?}", start.elapsed());
    for tier in tiers() {
        let world = World::new();
        let plan = world.plan(tier, &world.profile(), "true");
        let start = Instant::now();
        assert!(plan.command().status().unwrap().success());
        println!("tier {tier}: one start {:?}", start.elapsed());
    }
}

#[test]
fn ordinary_work_is_possible() {
    for tier in tiers() {
        let world = World::new();
        let script = "set -e; rm -r .git; git init -q .; echo x > a; git add a; \
            git -c user.name=a -c user.email=b commit -qm x; git log --oneline | wc -l; mkdir d; mv a d/b; \
            echo y > $TMPDIR/t; echo z > $HOME/z; ls | sort | head -1; python3 -c 'print(6*7)'; true & wait; \
            (sleep 0.01; echo done) | cat";
        let output = world.run(tier, script);
        assert!(output.status.success(), "{tier}: {}", text(&output));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "1\nd\n42\ndone\n",
            "{tier}"
        );
    }
}

#[test]
fn nothing_outside_can_be_written() {
    for tier in tiers() {
        let world = World::new();
        let before = world.outside();
        let script = r#"
            echo evil > $R/a.txt; echo evil >> $U/.bashrc; echo evil > $U/new; truncate -s 0 $R/a.txt
            rm -rf $R $U; mv ../wt ../../stolen; ln $R/a.txt hard && echo evil > hard; ln -s $R/a.txt soft; echo evil > soft
            mkdir ../../new; touch /etc/evil /usr/evil /evil /var/evil; cp /bin/true /usr/bin/evil
            python3 -c "import os; os.rename('$R/a.txt', 'a')"; python3 -c "open('$R/a.txt','r+').truncate(0)"
            echo 1 > /proc/sys/kernel/core_pattern; mknod dev b 8 0; exit 0"#;
        let output = world.run(tier, script);
        assert_eq!(world.outside(), before, "{tier}: {}", text(&output));
        for path in ["/etc/evil", "/usr/evil", "/evil", "/var/evil", "/usr/bin/evil"] {
            assert!(!Path::new(path).exists(), "{tier}: {path}");
        }
    }
}

#[test]
fn secrets_are_not_readable() {
    for tier in tiers() {
        let world = World::new();
        let script = r#"cat $U/.ssh/id; ls -la $U/.ssh; cat $R/a.txt; grep -r PRIVATE $U; cat /proc/$PPID/environ
            cat /proc/1/environ; for p in /proc/[0-9]*; do cat $p/environ; cat $p/root/$U/.ssh/id; done; env"#;
        let plan = world.plan(tier, &world.profile(), script);
        // The canary is in the environment of the process that starts it.
        let mut parent = Command::new("/bin/sh");
        parent
            .args(["-c", "env -i \"$@\"; true", "sh"])
            .env("CANARY", "SECRET-IN-PARENT");
        let variables = plan
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        parent
            .args(variables)
            .arg(&plan.program)
            .args(&plan.arguments)
            .current_dir(&plan.cwd);
        let output = text(&parent.output().unwrap());
        assert!(
            !output.contains("PRIVATE-KEY") && !output.contains("SECRET-IN-PARENT"),
            "{tier}: {output}"
        );
        let names: Vec<&str> = output
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, _)| name)
            .collect();
        assert!(names.contains(&"HOME"), "{tier}: {output}");
    }
}

#[test]
fn nothing_can_be_reached() {
    for tier in tiers() {
        let world = World::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = world.path("task/wt/socket");
        let _unix = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let script = format!(
            r#"import socket
def attempt(name, *make, to):
    try:
        s = socket.socket(*make); s.settimeout(2); s.connect(to); s.send(b"x"); print("REACHED", name)
    except OSError as error: print("no", name, error)
attempt("tcp", socket.AF_INET, socket.SOCK_STREAM, to=("127.0.0.1", {port}))
attempt("udp", socket.AF_INET, socket.SOCK_DGRAM, to=("8.8.8.8", 53))
attempt("tcp6", socket.AF_INET6, socket.SOCK_STREAM, to=("::1", {port}))
attempt("unix", socket.AF_UNIX, socket.SOCK_STREAM, to="{socket}")
a, b = socket.socketpair(); a.send(b"x"); print("pair", b.recv(1))"#,
            port = listener.local_addr().unwrap().port(),
            socket = socket.display(),
        );
        std::fs::write(world.path("task/wt/reach.py"), script).unwrap();
        let output = text(&world.run(tier, "python3 reach.py"));
        assert!(
            !output.contains("REACHED") && output.contains("pair b'x'"),
            "{tier}: {output}"
        );
        assert_eq!(
            output.lines().filter(|line| line.starts_with("no ")).count(),
            4,
            "{tier}: {output}"
        );
    }
}

#[test]
fn the_kernel_gives_no_way_out() {
    for tier in tiers() {
        let world = World::new();
        let script = r#"
import ctypes, os, fcntl, termios
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    result = getattr(libc, name)(*args)
    print(name, "OPEN" if result != -1 else os.strerror(ctypes.get_errno()))
call("ptrace", 0, 0, 0, 0)
call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
call("umount", b"/proc")
call("unshare", 0x10000000)
call("setns", 0, 0)
print("clone", "OPEN" if libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0) > 0 else "refused")
print("io_uring", "OPEN" if libc.syscall(425, 1, 0) >= 0 else "refused")
try:
    fcntl.ioctl(0, termios.TIOCSTI, b"x"); print("tiocsti OPEN")
except OSError as error: print("tiocsti", error)
for line in open("/proc/self/status"):
    if line.startswith(("CapEff", "CapPrm", "NoNewPrivs", "Seccomp:")): print(line.strip())
"#;
        std::fs::write(world.path("task/wt/out.py"), script).unwrap();
        let output = text(&world.run(
            tier,
            "python3 out.py; bwrap --ro-bind / / true && echo bwrap OPEN; sudo -n true && echo sudo OPEN",
        ));
        assert!(!output.contains("OPEN"), "{tier}: {output}");
        for line in [
            "CapEff:\t0000000000000000",
            "CapPrm:\t0000000000000000",
            "NoNewPrivs:\t1",
            "Seccomp:\t2",
        ] {
            assert!(output.contains(line), "{tier}: {output}");
        }
    }
}

#[test]
fn only_three_descriptors_are_inherited() {
    for tier in tiers() {
        let world = World::new();
        let plan = world.plan(
            tier,
            &world.profile(),
            "ls -l /proc/$$/fd | awk '{print $9}' | xargs",
        );
        let mut parent = Command::new("/bin/bash");
        parent
            .args(["-c", "exec \"$@\" 7</etc/passwd 9>/dev/null", "sh"])
            .env_clear();
        parent
            .envs(plan.environment.clone())
            .arg(&plan.program)
            .args(&plan.arguments)
            .current_dir(&plan.cwd);
        let output = text(&parent.stdin(Stdio::null()).output().unwrap());
        assert!(
            !output.contains('7') && !output.contains('9') && output.contains("0 1 2"),
            "{tier}: {output}"
        );
    }
}

#[test]
fn git_and_settings_are_pinned_in_the_callers_own_folder() {
    let world = World::new();
    let profile = Profile {
        pinned: Profile::settings_of(&world.path("task/wt")),
        pinning: Pinning::Required,
        ..world.profile()
    };
    for tier in tiers() {
        if tier == Tier::Landlock {
            let error = plan(&launcher(), tier, &profile, &["true".into()]).unwrap_err();
            assert!(matches!(error, SandboxError::CannotShut { .. }), "{error}");
            continue;
        }
        let script = "echo evil > .git/config; echo evil > .git/hooks/pre-commit; echo evil > .gemini/settings.json; \
            rm -rf .git .gemini; mv .git x; mv .gemini y; chmod 777 .git/config; echo fine > file; cat file";
        let output = world.run_with(tier, &profile, script);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "fine\n");
        let read = |name: &str| std::fs::read_to_string(world.path(name)).unwrap();
        assert_eq!(
            (read("task/wt/.git/config"), read("task/wt/.gemini/settings.json")),
            ("config".into(), "{}".into())
        );
        assert!(!world.path("task/wt/.git/hooks/pre-commit").exists());
        let plan = world.plan(tier, &profile, "true");
        assert!(plan.unpinned.contains(&world.path("task/wt/.claude")));
    }
}

#[test]
fn read_only_means_read_only() {
    for tier in tiers() {
        let world = World::new();
        let profile = Profile {
            mode: Mode::ReadOnly,
            ..world.profile()
        };
        let script = "echo x > new; rm -rf .gemini; echo y > .git/config; echo 1 > $TMPDIR/t && echo 2 > $HOME/h && cat .git/config";
        let output = world.run_with(tier, &profile, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "config",
            "{tier}: {}",
            text(&output)
        );
        assert!(!world.path("task/wt/new").exists() && world.path("task/wt/.gemini").exists());
    }
}

/// What reviewers get: of a workspace that is pinned as a whole only the folders named besides can be written.
#[test]
fn a_pinned_workspace_opens_the_named_folders_alone() {
    for tier in tiers() {
        let world = World::new();
        std::fs::create_dir_all(world.path("task/wt/docs/reviews")).unwrap();
        std::fs::write(world.path("task/wt/code"), "code").unwrap();
        let profile = Profile {
            writable: vec![world.path("task/wt/docs/reviews")],
            pinned: vec![world.path("task/wt"), world.path("task/wt/.git")],
            ..world.profile()
        };
        let script = r#"
            echo x > new; echo x > code; rm code; truncate -s 0 code; mkdir docs/other; mv docs moved; rm -rf .gemini
            ln -s ../../code docs/reviews/soft; echo x > docs/reviews/soft; ln code docs/reviews/hard && echo x > docs/reviews/hard
            mv docs/reviews docs/renamed; echo y > .git/config; python3 -c "import os; os.rename('code', 'docs/reviews/code')"
            mkdir docs/reviews/deep; echo mine > docs/reviews/deep/report && cat code docs/reviews/deep/report"#;
        let output = world.run_with(tier, &profile, script);
        let said = text(&output);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "codemine\n",
            "{tier}: {said}"
        );
        let read = |name: &str| std::fs::read_to_string(world.path(name)).unwrap();
        assert_eq!(
            (read("task/wt/code"), read("task/wt/docs/reviews/deep/report")),
            ("code".to_owned(), "mine\n".to_owned()),
            "{tier}: {said}"
        );
        let mut names: Vec<_> = std::fs::read_dir(world.path("task/wt"))
            .unwrap()
            .flatten()
            .collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        let names: Vec<_> = names.iter().map(std::fs::DirEntry::file_name).collect();
        assert_eq!(names, [".gemini", ".git", "code", "docs"], "{tier}: {said}");
        assert_eq!(read("task/wt/.git/config"), "config", "{tier}: {said}");
    }
}

/// How many processes have this text in their command line.
fn alive(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| {
            let line = String::from_utf8_lossy(line);
            line.starts_with("sleep\0") && line.contains(marker)
        })
        .count()
}

fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn nothing_outlives_the_parent() {
    for tier in tiers() {
        let world = World::new();
        let marker = format!(
            "86399.{}{}",
            std::process::id(),
            if tier == Tier::Full { 1 } else { 2 }
        );
        // In tier landlock a child that left its session outlives the parent: known, and cleaned up by the runner.
        let (script, n_sleeping) = match tier {
            Tier::Full => (
                format!("setsid sleep {marker} & (sleep {marker} &) ; exec sleep {marker}"),
                3,
            ),
            _ => (format!("exec sleep {marker}"), 1),
        };
        let plan = world.plan(tier, &world.profile(), &script);
        let mut parent = Command::new("/bin/sh");
        parent
            .args(["-c", "\"$@\" & wait", "sh"])
            .env_clear()
            .envs(plan.environment.clone());
        parent
            .arg(&plan.program)
            .args(&plan.arguments)
            .current_dir(&plan.cwd)
            .stdin(Stdio::null());
        let mut child = parent.spawn().unwrap();
        assert!(
            eventually(|| alive(&marker) == n_sleeping),
            "{tier}: {} started",
            alive(&marker)
        );
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            eventually(|| alive(&marker) == 0),
            "{tier}: {} left",
            alive(&marker)
        );
    }
}

#[test]
fn files_and_processes_are_bounded() {
    for tier in tiers() {
        let world = World::new();
        let profile = Profile {
            limits: Limits {
                file_bytes: Some(1 << 20),
                open_files: Some(64),
                ..Limits::default()
            },
            ..world.profile()
        };
        let output = world.run_with(
            tier,
            &profile,
            "head -c 5000000 /dev/zero > big; ulimit -n -c; ulimit -f; stat -c %s big",
        );
        let output = text(&output);
        assert!(
            output.contains("64") && output.contains("1048576"),
            "{tier}: {output}"
        );
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

/// A supervised command gets its input through the channel, and everything it leaves behind ends with it.
#[test]
fn supervised_commands_leave_nothing() {
    for tier in tiers() {
        let world = World::new();
        let marker = format!("86398.{}{}", std::process::id(), tier);
        let marker = marker.replace("full", "1").replace("landlock", "2");
        let script = format!(
            "read word; (setsid sleep {marker} </dev/null >/dev/null 2>&1 &); echo got $word; exit 7"
        );
        let command: [OsString; 3] = ["/bin/bash".into(), "-c".into(), script.into()];
        let plan = plan_supervised(&launcher(), tier, &world.profile(), &command).unwrap();
        assert_eq!(plan.reach, Reach::Nothing);
        let (mut command, control) = plan.supervised().unwrap();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        drop(command);
        let notice = control.wait(PATIENCE).unwrap();
        assert!(
            matches!(notice, Notice::Ready { listener: None }),
            "{tier}: {notice:?}"
        );
        let input = world.path("input");
        std::fs::write(&input, "word\n").unwrap();
        let input = std::fs::File::open(input).unwrap();
        control.hand_over(std::os::fd::AsFd::as_fd(&input)).unwrap();
        let mut output = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut output).unwrap();
        assert_eq!(output, "got word\n", "{tier}");
        let notice = control.wait(PATIENCE).unwrap();
        let is_ended = matches!(notice, Notice::Ended(CommandExit::Code(7)));
        assert!(is_ended, "{tier}: {notice:?}");
        assert_eq!(alive(&marker), 0, "{tier}");
        child.wait().unwrap();
    }
}

/// What cannot be started is told, and a keeper whose channel closes ends everything.
#[test]
fn the_channel_tells_and_ends() {
    for tier in tiers() {
        let world = World::new();
        let start = |command: &[OsString]| {
            let plan = plan_supervised(&launcher(), tier, &world.profile(), command).unwrap();
            let (mut command, control) = plan.supervised().unwrap();
            let child = command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            assert!(matches!(control.wait(PATIENCE).unwrap(), Notice::Ready { .. }));
            let nothing = std::fs::File::open("/dev/null").unwrap();
            control.hand_over(std::os::fd::AsFd::as_fd(&nothing)).unwrap();
            (child, control)
        };
        let (mut child, control) = start(&["/no/such/program".into()]);
        let notice = control.wait(PATIENCE).unwrap();
        let Notice::Failed { kind, message } = notice else {
            panic!("{tier}: {notice:?}");
        };
        assert_eq!(kind, gemicro_event::ErrorKind::CommandNotFound);
        assert!(message.contains("/no/such/program"), "{message}");
        child.wait().unwrap();

        let marker = format!("86397.{}", std::process::id());
        let script = format!("trap '' TERM; setsid sleep {marker} & sleep {marker}");
        let (mut child, control) = start(&["/bin/bash".into(), "-c".into(), script.into()]);
        assert!(eventually(|| alive(&marker) == 2), "{tier}");
        drop(control);
        child.wait().unwrap();
        assert!(eventually(|| alive(&marker) == 0), "{tier}");
    }
}

#[test]
fn a_listener_made_inside_is_served_outside() {
    for tier in tiers() {
        let world = World::new();
        let gateway = GatewayPort::open(tier, Mode::WorkspaceWrite).unwrap();
        let profile = Profile {
            network: gateway.network(),
            ..world.profile()
        };
        let ask = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{}; read -u 3 line; echo \"$line\"",
            gateway.port()
        );
        let command: [OsString; 3] = ["/bin/bash".into(), "-c".into(), ask.into()];
        let plan = plan_supervised(&launcher(), tier, &profile, &command).unwrap();
        let (mut command, control) = plan.supervised().unwrap();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let Notice::Ready { listener } = control.wait(PATIENCE).unwrap() else {
            panic!("{tier}: not ready");
        };
        assert_eq!(listener.is_some(), tier == Tier::Full);
        let listener = listener.or(gateway.into_listener()).unwrap();
        let nothing = std::fs::File::open("/dev/null").unwrap();
        control.hand_over(std::os::fd::AsFd::as_fd(&nothing)).unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"from outside\n").unwrap();
        let mut output = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut output).unwrap();
        assert_eq!(output, "from outside\n", "{tier}");
        child.wait().unwrap();
    }
}
