//! What an agent runs by a shell cannot reach into the agent, and a shell is still a shell.

use gemicro_guard::sandbox::Tier;

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
