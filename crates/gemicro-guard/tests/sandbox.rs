//! Hostile scripts in real sandboxes: what must fail fails, and the rest works.
//!
//! A tier that this machine lacks is skipped with a loud line, and fails in CI.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]
#![expect(clippy::print_stderr, reason = "a skipped tier must not pass unnoticed")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use gemicro_guard::sandbox::{
    PinnedPath, Profile, ResourceLimits, SandboxError, Tier, WriteMode, plan, probe,
};

#[path = "sandbox/others.rs"]
mod others;
#[path = "sandbox/reviewers.rs"]
mod reviewers;
#[path = "sandbox/root.rs"]
mod root;
#[path = "sandbox/shell_homes.rs"]
mod shell_homes;
#[path = "sandbox/shells.rs"]
mod shells;
#[path = "sandbox/supervised.rs"]
mod supervised;
#[path = "sandbox/world.rs"]
mod world;

use world::{World, launcher, text, tiers};

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
        pinning: PinnedPath::Required,
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
            mode: WriteMode::ReadOnly,
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

#[test]
fn files_and_processes_are_bounded() {
    for tier in tiers() {
        let world = World::new();
        let profile = Profile {
            limits: ResourceLimits {
                file_bytes: Some(1 << 20),
                open_files: Some(64),
                ..ResourceLimits::default()
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
