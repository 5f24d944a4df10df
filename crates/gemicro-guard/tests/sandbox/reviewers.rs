//! What a shell of an agent leaves behind: nothing where the agent only reads its workspace.

use std::path::Path;

use gemicro_guard::sandbox::{Profile, Tier, WriteMode};

use super::shells::{agents, has_full};
use super::world::{World, text};

/// Leaves processes in every way there is, and says how many of them are there afterwards.
const LEAVING: &str = r#"timeout 20 sh -c '
    sleep 8639999 & setsid sleep 8639999 & (sleep 8639999 &); (setsid sh -c "sleep 8639999 & sleep 8639999" &)
    nohup sleep 8639999 > /dev/null 2>&1 & python3 -c "
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp(\"sleep\", [\"sleep\", \"8639999\"])
    os._exit(0)
os.wait()
"
    exit 3'
    echo "code $?"
    cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\0' '\n' | grep -qx '863999[9]' && echo some || echo none"#;

#[test]
fn nothing_of_a_shell_is_left_where_the_workspace_is_only_read() {
    if !has_full() {
        return;
    }
    for number in 0..3 {
        let world = World::new();
        let profile = agents(&world)[number].clone();
        let output = world.run_with(Tier::Full, &profile, LEAVING);
        let stdout = String::from_utf8_lossy(&output.stdout);
        // Whoever writes the workspace starts servers so.
        let expected = match number {
            0 => "code 3\nsome\n",
            _ => "code 3\nnone\n",
        };
        assert_eq!(stdout, expected, "{number}: {}", text(&output));
    }
}

/// An agent that loses patience kills the group of its shell; whoever left that group is found all the same.
const IMPATIENT: &str = r#"
import os, signal, subprocess, time
def left():
    n = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        # Only the sleepers: setsid is there twice for a moment.
        try: n += open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")[:2] == [b"sleep", b"8639999"]
        except OSError: pass
    return n
for how in (signal.SIGKILL, signal.SIGTERM):
    for send in (os.killpg, os.kill):
        shell = subprocess.Popen(["sh", "-c", "setsid sleep 8639999 & echo ready; sleep 8639999"], stdout=subprocess.PIPE, start_new_session=True)
        shell.stdout.readline()
        end = time.monotonic() + 20
        while left() < 2 and time.monotonic() < end: time.sleep(0.01)
        started = left()
        send(shell.pid, how)
        code = shell.wait()
        end = time.monotonic() + 20
        while left() and time.monotonic() < end: time.sleep(0.01)
        print(started == 2, code == -how, left())
"#;

#[test]
fn nothing_is_left_of_a_shell_that_is_killed() {
    if !has_full() {
        return;
    }
    let world = World::new();
    std::fs::write(world.path("task/wt/impatient.py"), IMPATIENT).unwrap();
    for profile in &agents(&world)[1..] {
        let output = world.run_with(Tier::Full, profile, "exec python3 impatient.py");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "True True 0\n".repeat(4),
            "{}",
            text(&output)
        );
    }
}

#[test]
fn a_kept_shell_is_still_a_shell() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let script = r#"
        echo in | timeout 20 sh -c 'cat; echo "$0 $# $1" >&2' name one 2>&1
        timeout 20 bash -c 'exit 7'; echo "code $?"
        timeout 20 sh -c 'kill -TERM $$'; echo "code $?"
        timeout 20 sh -c 'kill -KILL $$'; echo "code $?"
        timeout 20 sh -c 'trap "echo caught; exit 5" USR1; kill -USR1 $$; sleep 1'; echo "code $?"
        timeout 20 git --version | cut -c 1-3
        timeout 20 sh -c 'for i in 1 2 3; do sh -c "echo $i" & wait; done'
        timeout 20 sh -c 'kill -KILL $PPID 2> /dev/null && echo killed; kill -TERM -$PPID 2> /dev/null && echo killed'"#;
    for profile in &agents(&world)[1..] {
        let output = world.run_with(Tier::Full, profile, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "in\nname 1 one\ncode 7\ncode 143\ncode 137\ncaught\ncode 5\ngit\n1\n2\n3\n",
            "{}",
            text(&output)
        );
    }
}

/// The folders that all programs use for temporary files are empty for each shell, but for what is the agent's own.
#[test]
fn no_shell_finds_what_another_left_in_common_folders() {
    if !has_full() {
        return;
    }
    let list = "timeout 20 sh -c 'cd /; ls -A /tmp /dev/shm | xargs'";
    let script = format!(
        r#"echo mine > /tmp/own; {list}
        timeout 20 sh -c 'for f in /tmp /var/tmp /dev/shm; do echo evil > $f/x; mkdir -p $f/d/e; chmod 0 $f/d; ln -s / $f/l; done'
        {list}; cat /tmp/own; test -e /var/tmp/x || echo gone
        timeout 20 sh -c 'echo evil > /tmp/pytest; echo out > /tmp/answer'; cat /tmp/answer"#
    );
    // Not below `/tmp`, which shells cannot write where the agent's home is in it.
    let world = World::below(Path::new("/var/tmp"));
    let profile = Profile {
        mode: WriteMode::ReadOnly,
        ..world.profile()
    };
    let output = world.run_with(Tier::Full, &profile, &script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "/dev/shm: /tmp: own\n/dev/shm: /tmp: own\nmine\ngone\nout\n",
        "{}",
        text(&output)
    );
}
