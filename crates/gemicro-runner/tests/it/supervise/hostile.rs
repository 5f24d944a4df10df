//! What a hostile agent gets: its workspace, three descriptors, a short environment, and nothing else.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use gemicro_guard::sandbox::{NetworkReach, ResourceLimits, Tier, probe};
use gemicro_runner::supervise::Spares;

use super::processes::{asleep, marker};
use super::tiers::{launcher, tiers};
use super::world::{DONE, HELLO, Run, World, read};

#[tokio::test]
async fn a_hostile_script_gets_nothing() {
    for tier in tiers() {
        let marker = marker(7);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let script = format!(
            r#"exec > hostile.log 2>&1 3>&1; exec 4>&1
U={user}; R={repo}
echo evil > $U/new; echo evil >> $U/.ssh/id; echo evil > $R/a.txt; rm -rf $R $U; touch /etc/evil /usr/evil; mkdir ../new
cat $U/.ssh/id; cat ~/.ssh/id; ls $U $U/.ssh; cat $R/a.txt; grep -rs PRIVATE[-]KEY $U
for p in /proc/[0-9]*; do cat $p/root$U/.ssh/id; done 2>/dev/null
python3 -c "import socket; s = socket.create_connection(('127.0.0.1', {port}), 2); print('REACHED')"
setsid sleep {marker} & (sleep {marker} &)
[ {may_kill} = yes ] && kill -9 $PPID
"#,
            user = "$(dirname $(dirname $(dirname $0)))",
            repo = "../repo",
            port = listener.local_addr().unwrap().port(),
            may_kill = if *tier == Tier::Full || landlock_abi() >= 6 {
                "yes"
            } else {
                "no"
            },
        );
        // It kills its keeper, if the kernel lets it: below Landlock ABI 6 it does, a known gap.
        let world = World::new(&script);
        let (outcome, _) = world.run(Run::new(*tier)).await;
        let log = read(world.path("wt/hostile.log"));
        assert!(
            !log.contains("PRIVATE-KEY") && !log.contains("REACHED"),
            "{tier}: {log}"
        );
        assert_eq!(read(world.path("user/.ssh/id")), "PRIVATE-KEY", "{tier}");
        assert_eq!(read(world.path("repo/a.txt")), "repo", "{tier}");
        for path in ["user/new", "new"] {
            assert!(!world.path(path).exists(), "{tier}: {path}");
        }
        assert!(!std::path::Path::new("/etc/evil").exists() && !std::path::Path::new("/usr/evil").exists());
        assert_eq!(
            (outcome.record.survivors, asleep(&marker)),
            (Some(0), 0),
            "{tier}: {log}"
        );
        assert_eq!(outcome.record.reach, Some(NetworkReach::Nothing));
    }
}

/// No less when a keeper had waited for it.
#[tokio::test]
async fn environment_descriptors_and_terminal() {
    for (tier, has_waited) in tiers().iter().flat_map(|tier| [(tier, false), (tier, true)]) {
        let script = r#"env | cut -d= -f1 | sort > names
python3 - > probe <<'PYTHON'
import fcntl, os, termios
print("fds", sorted(int(fd) for fd in os.listdir(f"/proc/{os.getppid()}/fd")))
for fd in range(3):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b"x"); print("TYPED")
    except OSError as error: print("no", error.errno)
try:
    open("/dev/tty"); print("TERMINAL")
except OSError: print("no terminal")
print("leader", os.getsid(0) != os.getsid(os.getpid()) or os.getsid(0))
PYTHON
"#;
        let world = World::new(&format!("{script}{HELLO}{DONE}"));
        let spares = Arc::new(Spares::default());
        spares.fill(&launcher());
        let run = Run {
            spares: has_waited.then_some(spares),
            ..Run::new(*tier)
        };
        let (outcome, _) = world.run(run).await;
        outcome.result.unwrap();
        let names = read(world.path("wt/names"));
        let names: BTreeSet<&str> = names.lines().collect();
        let expected = [
            // What the shell sets by itself.
            "PWD",
            "SHLVL",
            "_", // What an agent gets.
            "GEMINI_API_KEY",
            "GEMINI_CLI_HOME",
            "GEMINI_CLI_NO_RELAUNCH",
            "GEMINI_CLI_TRUST_WORKSPACE",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_KEY_1",
            "GIT_CONFIG_KEY_2",
            "GIT_CONFIG_KEY_3",
            "GIT_CONFIG_KEY_4",
            "GIT_CONFIG_KEY_5",
            "GIT_CONFIG_VALUE_0",
            "GIT_CONFIG_VALUE_1",
            "GIT_CONFIG_VALUE_2",
            "GIT_CONFIG_VALUE_3",
            "GIT_CONFIG_VALUE_4",
            "GIT_CONFIG_VALUE_5",
            "GOOGLE_GEMINI_BASE_URL",
            "HOME",
            "LANG",
            "NODE_DISABLE_COMPILE_CACHE",
            "NO_COLOR",
            "PATH",
            "TMPDIR",
        ];
        assert_eq!(names, expected.into_iter().collect(), "{tier}");
        let probe = read(world.path("wt/probe"));
        // 255 is bash's own, for the script it reads.
        assert!(probe.starts_with("fds [0, 1, 2, 255]"), "{tier}: {probe}");
        assert!(
            !probe.contains("TYPED") && !probe.contains("TERMINAL"),
            "{tier}: {probe}"
        );
        let settings = world.path("home/.gemini/settings.json");
        let mode = std::fs::metadata(&settings).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn limits_hold() {
    for tier in tiers() {
        let world = World::new(&format!(
            "ulimit -n > limits; ulimit -u >> limits; head -c 5000000 /dev/zero > big; {HELLO}{DONE}"
        ));
        let run = Run {
            sandbox_limits: ResourceLimits {
                processes: Some(500),
                open_files: Some(128),
                file_bytes: Some(1 << 20),
                ..ResourceLimits::default()
            },
            ..Run::new(*tier)
        };
        let (outcome, _) = world.run(run).await;
        outcome.result.unwrap();
        assert_eq!(read(world.path("wt/limits")), "128\n500\n", "{tier}");
        assert_eq!(std::fs::metadata(world.path("wt/big")).unwrap().len(), 1 << 20);
    }
}

fn landlock_abi() -> u8 {
    let scratch = tempfile::tempdir().unwrap();
    probe(&launcher(), scratch.path()).unwrap().landlock_abi
}

/// No wall of the kernel holds modes.
#[tokio::test]
async fn modes_that_were_changed_do_not_keep_the_next_turn_from_starting() {
    for tier in tiers() {
        let shutting = r#"mkdir -p ~/.gemini/deep "$TMPDIR/deep"; echo kept > ~/.gemini/deep/file; touch "$TMPDIR/deep/file"
A=$HOME T=$TMPDIR timeout 20 sh -c 'chmod 0 $A/.gemini/deep/file $A/.gemini/deep $A/.gemini/settings.json $A/.gemini $A $T/deep $T'"#;
        let world = World::new(&format!("{shutting}\n{HELLO}{DONE}"));
        let (first, _) = world.run(Run::new(*tier)).await;
        first.result.unwrap();
        for folder in ["home", "tmp"] {
            let mode = std::fs::metadata(world.path(folder))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0, "{tier}: {folder}");
        }
        world.install(
            "gemini",
            &format!("cat ~/.gemini/deep/file > kept; ls -A $TMPDIR > left; {HELLO}{DONE}"),
        );
        let (second, _) = world.run(Run::new(*tier)).await;
        second.result.unwrap();
        assert_eq!(read(world.path("wt/kept")), "kept\n", "{tier}");
        assert_eq!(read(world.path("wt/left")), "", "{tier}");
    }
}
