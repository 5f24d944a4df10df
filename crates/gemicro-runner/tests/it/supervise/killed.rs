//! gemicro itself is killed: its agents die with it.

use std::process::{Command, Stdio};

use super::processes::{asleep, eventually, marker};
use super::tiers::all_tiers;
use super::world::{Run, World};

/// The child: supervises until it is killed. Does nothing when it is not asked to.
#[tokio::test]
async fn as_a_gemicro_that_is_killed() {
    let (Ok(script), Ok(tier)) = (std::env::var("KILLED_SCRIPT"), std::env::var("KILLED_TIER")) else {
        return;
    };
    let world = World::new(&script);
    let (tier, mode) = *all_tiers()
        .iter()
        .find(|(name, _)| name.to_string() == tier)
        .unwrap();
    let run = Run {
        mode,
        ..Run::new(tier)
    };
    world.run(run).await.0.result.unwrap();
}

#[test]
fn agents_die_with_gemicro() {
    for (tier, _) in all_tiers() {
        let marker = marker(8);
        let script = format!(
            "trap '' TERM HUP INT; setsid sleep {marker} & (setsid nohup sleep {marker} >/dev/null 2>&1 &); sleep {marker}"
        );
        let mut gemicro = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "supervise::killed::as_a_gemicro_that_is_killed"])
            .env("KILLED_SCRIPT", script)
            .env("KILLED_TIER", tier.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        assert!(eventually(|| asleep(&marker) == 3), "{tier}: {}", asleep(&marker));
        gemicro.kill().unwrap();
        gemicro.wait().unwrap();
        assert!(
            eventually(|| asleep(&marker) == 0),
            "{tier}: {} left",
            asleep(&marker)
        );
    }
}
