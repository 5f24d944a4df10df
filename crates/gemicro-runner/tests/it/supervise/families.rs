//! Descendants that try to get away: none does, however the run ends.

use std::time::Duration;

use gemicro_guard::sandbox::{ProcessHandle, end_leftover, still_running};
use gemicro_runner::supervise::RunLimits;

use super::processes::{asleep, eventually, marker, no_zombie_stays};
use super::tiers::all_tiers;
use super::world::{DONE, HELLO, Run, World};

/// Starts `sleep MARKER` where nobody would look for it.
fn runaways(marker: &str) -> String {
    format!(
        r#"sleep {marker} &
setsid sleep {marker} &
(setsid bash -c 'trap "" TERM HUP; (sleep {marker} & disown; sleep {marker}) </dev/null >/dev/null 2>&1 & disown' &)
nohup sleep {marker} >/dev/null 2>&1 &
python3 - <<'PYTHON'
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        os.execvp("sleep", ["sleep", "{marker}"])
    os._exit(0)
os.wait()
PYTHON
sleep 0.2
"#
    )
}

#[tokio::test]
async fn no_descendant_outlives_a_success() {
    for (tier, mode) in all_tiers() {
        let marker = marker(4);
        let count = "pgrep -c sleep > count 2>/dev/null || true";
        let world = World::new(&format!("{}{count}\n{HELLO}{DONE}", runaways(&marker)));
        let (outcome, _) = world
            .run(Run {
                mode,
                ..Run::new(tier)
            })
            .await;
        assert_eq!(
            outcome.result.as_ref().unwrap().text,
            "hello",
            "{tier}: {outcome:?}"
        );
        assert_eq!(
            (outcome.record.survivors, asleep(&marker)),
            (Some(0), 0),
            "{tier}"
        );
        // They were really there.
        let n_asleep: usize = super::world::read(world.path("wt/count"))
            .trim()
            .parse()
            .unwrap_or(0);
        assert!(n_asleep >= 5, "{tier}: {n_asleep}");
    }
    no_zombie_stays().await;
}

#[tokio::test]
async fn no_descendant_outlives_a_timeout() {
    for (tier, mode) in all_tiers() {
        let marker = marker(5);
        let world = World::new(&format!("{}{HELLO}\nsleep {marker}", runaways(&marker)));
        let run = Run {
            mode,
            limits: RunLimits {
                idle: Duration::from_millis(1500),
                grace: Duration::from_millis(200),
                ..RunLimits::default()
            },
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert!(outcome.result.is_err());
        assert_eq!(
            (outcome.record.survivors, asleep(&marker)),
            (Some(0), 0),
            "{tier}"
        );
        let handle = outcome.record.handle.unwrap();
        // The keeper leaves after its last word.
        assert!(eventually(|| !still_running(&handle)), "{tier}");
    }
}

/// A process that only forks and leaves, over and over, is never there when one looks; and some that multiply.
#[tokio::test]
async fn forking_without_end_does_not_help() {
    let comet = r#"#!/usr/bin/python3 -S
import os, signal, sys, time
print("begun", flush=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    # Four that hop, each with a fresh number every moment.
    os.fork(); os.fork()
    n = 0
    while True:
        if os.fork() > 0: os._exit(0)
        n += 1
        if n > 20000: os._exit(0)
# A bomb of bounded size: 2 to the power of 7.
if os.fork() == 0:
    for _ in range(7): os.fork()
    time.sleep(1000)
time.sleep(1000)
"#;
    for (tier, mode) in all_tiers() {
        let world = World::new(comet);
        let run = Run {
            mode,
            limits: RunLimits {
                idle: Duration::from_millis(1000),
                grace: Duration::from_millis(200),
                ..RunLimits::default()
            },
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert!(outcome.result.is_err());
        assert_eq!(outcome.record.survivors, Some(0), "{tier}: {:?}", outcome.record);
        let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            // The keeper has said its last word, and leaves.
            let is_keeper = line.contains("\"role\":\"keeper\"");
            !is_keeper && line.contains(&*world.path("user/tools").to_string_lossy())
        });
        assert_eq!(left.count(), 0, "{tier}");
    }
}

/// The real thing, held by the limit on processes. That does not bind root, who would take the machine down.
#[tokio::test]
async fn a_fork_bomb_is_bounded() {
    if rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: the limit on processes does not bind root");
        return;
    }
    for tier in super::tiers::tiers() {
        let world = World::new("echo begun; bomb() { bomb | bomb & }; bomb; sleep 1000");
        let run = Run {
            limits: RunLimits {
                total: Duration::from_secs(3),
                grace: Duration::from_millis(200),
                ..RunLimits::default()
            },
            sandbox_limits: gemicro_guard::sandbox::ResourceLimits {
                processes: Some(400),
                ..gemicro_guard::sandbox::ResourceLimits::default()
            },
            ..Run::new(*tier)
        };
        let (outcome, _) = world.run(run).await;
        assert!(outcome.result.is_err());
        assert_eq!(outcome.record.survivors, Some(0), "{tier}: {:?}", outcome.record);
        assert!(
            outcome.record.duration_ms < 15_000,
            "{tier}: {:?}",
            outcome.record
        );
    }
}

/// Becoming another program changes nothing.
#[tokio::test]
async fn a_program_that_becomes_another_is_still_ours() {
    for (tier, mode) in all_tiers() {
        let marker = marker(6);
        let script = format!("{HELLO}\n[ -z \"$AGAIN\" ] && AGAIN=1 exec \"$0\"\nexec sleep {marker}");
        let world = World::new(&script);
        let run = Run {
            mode,
            limits: RunLimits {
                idle: Duration::from_millis(800),
                grace: Duration::from_millis(200),
                ..RunLimits::default()
            },
            ..Run::new(tier)
        };
        let (outcome, _) = world.run(run).await;
        assert_eq!(outcome.record.partial_text, "hellohello");
        assert_eq!(
            (outcome.record.survivors, asleep(&marker)),
            (Some(0), 0),
            "{tier}"
        );
    }
}

#[test]
fn a_handle_names_one_process_only() {
    let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let handle = ProcessHandle::of(child.id()).unwrap();
    assert!(still_running(&handle));
    let other = ProcessHandle {
        started: handle.started + 1,
        ..handle.clone()
    };
    assert!(!still_running(&other));
    // Ending somebody else's number ends nobody.
    assert!(end_leftover(&other) && still_running(&handle));
    let before = ProcessHandle {
        boot: "another".to_owned(),
        ..handle.clone()
    };
    assert!(!still_running(&before));
    assert!(end_leftover(&handle) && !still_running(&handle));
    child.wait().unwrap();
    assert!(ProcessHandle::of(u32::MAX).is_none());
}
