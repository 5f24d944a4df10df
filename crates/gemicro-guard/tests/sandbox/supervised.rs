//! What is started is watched to its end, and nothing of it is left.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gemicro_guard::sandbox::{
    CommandExit, GatewayPort, NetworkReach, Notice, Profile, Tier, WriteMode, plan_supervised,
};

use super::world::{World, launcher, tiers};

const PATIENCE: Duration = Duration::from_secs(10);

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
        assert_eq!(plan.reach, NetworkReach::Nothing);
        let (mut command, control) = plan.supervised_command().unwrap();
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
fn the_channel_reports_and_ends() {
    for tier in tiers() {
        let world = World::new();
        let start = |command: &[OsString]| {
            let plan = plan_supervised(&launcher(), tier, &world.profile(), command).unwrap();
            let (mut command, control) = plan.supervised_command().unwrap();
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
        let gateway = GatewayPort::open(tier, WriteMode::WorkspaceWrite).unwrap();
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
        let (mut command, control) = plan.supervised_command().unwrap();
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
