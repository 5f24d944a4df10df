//! What an agent runs by a shell cannot reach into the agent, and a shell is still a shell.

use gemicro_guard::sandbox::{Mode, Tier};

use super::{World, text, tiers};

/// `timeout` stands for the agent: a program that is no shell and starts one.
const REACHING: &str = r#"timeout 20 bash -c '
    agent=/proc/$PPID
    tr "\0" " " < $agent/cmdline | grep -q "^timeout 20 bash" || echo "not the agent"
    cat $agent/environ > /dev/null && echo "read environ"
    cat $agent/maps > /dev/null && echo "read maps"
    head -c 1 $agent/mem > /dev/null && echo "opened mem"
    true >> $agent/mem && echo "opened mem to write"
    echo "{\"verdict\": \"PASS\"}" > $agent/fd/1 && echo "wrote its output"
    true < $agent/fd/0 && echo "opened its input"
    ls $agent/cwd/ > /dev/null && echo "went through its folder"
    ls $agent/root/ > /dev/null && echo "went through its root"
    exit 3'
    echo "ended with $?""#;

fn has_full() -> bool {
    tiers().contains(&Tier::Full)
}

#[test]
fn what_a_shell_runs_cannot_reach_into_the_agent() {
    if !has_full() {
        return;
    }
    for shell in ["bash", "sh", "/bin/sh", "/usr/bin/bash", "env bash"] {
        let output = World::new().run(
            Tier::Full,
            &REACHING.replacen("20 bash -c", &format!("20 {shell} -c"), 1),
        );
        let stdout = String::from_utf8_lossy(&output.stdout);
        let stdout = stdout.replace("not the agent\n", "");
        assert_eq!(stdout, "ended with 3\n", "{shell}: {}", text(&output));
    }
}

#[test]
fn who_only_reads_sends_no_signals_to_its_agent() {
    if !has_full() {
        return;
    }
    let script =
        "timeout 20 sh -c 'kill -USR1 $PPID 2> /dev/null && echo sent; sleep 5 & kill $! && echo own'";
    let world = World::new();
    let (mut pinned, mut reading) = (world.profile(), world.profile());
    pinned.pinned = vec![world.path("task/wt")];
    reading.mode = Mode::ReadOnly;
    for profile in [pinned, reading] {
        let output = world.run_with(Tier::Full, &profile, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "own\n",
            "{}",
            text(&output)
        );
    }
    let script = "timeout 20 sh -c 'sleep 60 > /dev/null 2>&1 & echo $! > x'; timeout 20 sh -c 'kill $(cat x) && echo sent'";
    let output = world.run(Tier::Full, script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "sent\n",
        "{}",
        text(&output)
    );
}

#[test]
fn what_git_starts_is_apart_as_well() {
    if !has_full() {
        return;
    }
    let output = World::new().run(
        Tier::Full,
        r#"set -e; rm -r .git; git init -q .; echo x > a; git add a
        printf '#!/usr/bin/python3\nimport os\nfor l in open("/proc/%%d/status" %% os.getppid()):\n  if l.startswith("PPid"): p = l.split()[1]\ntry:\n  open("/proc/%%s/environ" %% p).read(); print("read", file=open(os.environ["TMPDIR"] + "/log", "a"))\nexcept OSError as e: print("refused", file=open(os.environ["TMPDIR"] + "/log", "a"))\n' > $TMPDIR/f
        chmod +x $TMPDIR/f
        git config --global core.fsmonitor $TMPDIR/f
        timeout 20 git status > /dev/null || true
        sort -u $TMPDIR/log"#,
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "refused\n",
        "{}",
        text(&output)
    );
}

#[test]
fn a_script_that_names_its_shell_is_apart_as_well() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let output = world.run(
        Tier::Full,
        r#"printf '#!/bin/sh\ncat /proc/$PPID/environ > /dev/null && echo "read environ"\necho "$0 $1"\n' > x
        chmod +x x
        timeout 20 ./x one; timeout 20 xargs -a /dev/null -I{} true; echo {} | timeout 20 xargs ./x"#,
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "./x one\n./x {}\n",
        "{}",
        text(&output)
    );
}

#[test]
fn a_shell_is_still_a_shell() {
    if !has_full() {
        return;
    }
    let output = World::new().run(
        Tier::Full,
        r#"set -e
        mkdir a b; echo x > a/x; ln a/x b/hard; mv a/x b/x; test "$(stat -c %h b/x)" = 2
        sh -c 'echo "$0 $# $1"' name one
        bash -c 'echo ${BASH_VERSION:+bash}'; sh -c 'echo ${BASH_VERSION:-none}'
        sh -c 'exit 7' || echo "code $?"
        sh -c 'kill -TERM $$' || echo "code $?"
        sleep 60 & kill $!; wait $! || echo "code $?"
        deep() { if [ "$1" = 0 ]; then echo bottom; else N=$1 bash -c "$(declare -f deep); deep $(($1 - 1))"; fi; }
        deep 40"#,
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "name 1 one\nbash\nnone\ncode 7\ncode 143\ncode 143\nbottom\n",
        "{}",
        text(&output)
    );
}
