//! What an agent runs by a shell cannot reach into the agent, and a shell is still a shell.

use gemicro_guard::sandbox::{Profile, Shells, Tier, WriteMode};

use super::world::{World, text, tiers};

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

pub(crate) fn has_full() -> bool {
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
    reading.mode = WriteMode::ReadOnly;
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
        r#"set -e; export T=$TMPDIR; rm -r .git; git init -q .; echo x > a; git add a
        printf '#!/usr/bin/python3\nimport os\nfor l in open("/proc/%%d/status" %% os.getppid()):\n  if l.startswith("PPid"): p = l.split()[1]\ntry:\n  open("/proc/%%s/environ" %% p).read(); print("read", file=open(os.environ["T"] + "/log", "a"))\nexcept OSError as e: print("refused", file=open(os.environ["T"] + "/log", "a"))\n' > $TMPDIR/f
        chmod +x $TMPDIR/f
        git config core.fsmonitor $TMPDIR/f
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
fn a_workspace_is_written_although_the_agents_home_lies_in_it() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let profile = Profile {
        workspace: world.path("task"),
        ..world.profile()
    };
    let output = world.run_with(
        Tier::Full,
        &profile,
        "timeout 20 sh -c 'echo done > made; cat made'",
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "done\n",
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

/// Whoever the agent is: one that reads, one that writes, one that writes a few folders.
pub(crate) fn agents(world: &World) -> [Profile; 3] {
    let usual = world.profile();
    let reading = Profile {
        mode: WriteMode::ReadOnly,
        ..usual.clone()
    };
    let judging = Profile {
        pinned: vec![world.path("task/wt")],
        ..usual.clone()
    };
    [usual, reading, judging]
}

#[test]
fn what_a_shell_runs_does_not_write_the_agents_home() {
    if !has_full() {
        return;
    }
    for number in 0..3 {
        let world = World::new();
        let profile = agents(&world)[number].clone();
        let home = world.path("task/home");
        let settings = home.join(".gemini/settings.json");
        std::fs::create_dir(home.join(".gemini")).unwrap();
        std::fs::write(&settings, "ours").unwrap();
        let script = r#"A=$HOME; export A; timeout 20 sh -c '
            echo evil > $A/.gemini/settings.json; echo evil > $A/.gemini/new; echo evil > $A/.npmrc
            mkdir $A/.codex; rm -r $A/.gemini; mv $A/.gemini $A/moved; truncate -s 0 $A/.gemini/settings.json
            echo evil > $TMPDIR/x; mv $TMPDIR/x $A/.gemini/settings.json; ln $TMPDIR/x $A/hard; ln -s $TMPDIR $A/soft
            HOME=$A sh -c "echo evil > ~/.gitconfig"; HOME=$A git config --global a.b evil; git config --global a.b mine
            python3 -c "import os; os.rename(\"$A/.shells\", \"$A/.claude\")"; mv $A $A.old
            ln $A/.gemini/settings.json $HOME/hard; echo evil > $HOME/hard; mv $A/.gemini/settings.json $HOME/taken
            rm -r $A/.shells; ln -s $A $HOME/up; echo evil > $HOME/up/new' 2> /dev/null; true"#;
        let output = world.run_with(Tier::Full, &profile, script);
        let mut left: Vec<_> = std::fs::read_dir(&home).unwrap().flatten().collect();
        left.sort_by_key(std::fs::DirEntry::file_name);
        let left: Vec<_> = left.iter().map(std::fs::DirEntry::file_name).collect();
        assert_eq!(left, [".gemini", ".shells"], "{number}: {}", text(&output));
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), "ours", "{number}");
        assert_eq!(
            std::fs::read_dir(home.join(".gemini")).unwrap().count(),
            1,
            "{number}"
        );
    }
}

#[test]
fn an_agent_that_is_a_script_is_no_shell_of_its_own() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let script = r#"printf '#!/bin/sh\necho mine > $HOME/own; timeout 20 sh -c "echo evil > $HOME/own" 2> /dev/null; cat $HOME/own\n' > x
        chmod +x x; exec ./x"#;
    let output = world.run(Tier::Full, script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "mine\n",
        "{}",
        text(&output)
    );
}

/// A check is its shell: there is nobody to keep it away from.
#[test]
fn a_command_without_an_agent_has_one_home() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let profile = Profile {
        shells: Shells::Within,
        ..world.profile()
    };
    let output = world.run_with(
        Tier::Full,
        &profile,
        "sh -c 'echo x > ~/x; kill -0 $PPID && cat /proc/$PPID/environ > /dev/null' && cat $HOME/x",
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "x\n",
        "{}",
        text(&output)
    );
    assert!(world.path("task/home/x").exists());
}

#[test]
fn a_link_in_the_place_of_the_shells_home_opens_nothing() {
    if !has_full() {
        return;
    }
    let world = World::new();
    std::fs::create_dir(world.path("task/home/.gemini")).unwrap();
    std::os::unix::fs::symlink(".gemini", world.path("task/home/.shells")).unwrap();
    let output = world.run(Tier::Full, "timeout 20 sh -c 'echo evil > ~/x'");
    assert!(
        !output.status.success() && text(&output).contains("the folder for shells"),
        "{}",
        text(&output)
    );
    assert!(!world.path("task/home/.gemini/x").exists());
}

#[test]
fn a_pin_stays_in_its_place() {
    if !has_full() {
        return;
    }
    let world = World::new();
    std::fs::create_dir_all(world.path("task/wt/a/b")).unwrap();
    std::fs::create_dir_all(world.path("task/home/.gemini")).unwrap();
    let pinned = vec![
        world.path("task/wt/a/b/pin"),
        world.path("task/home/.gemini/settings.json"),
    ];
    for pin in &pinned {
        std::fs::write(pin, "ours").unwrap();
    }
    let profile = Profile {
        pinned,
        ..world.profile()
    };
    let script = r#"for f in a a/b $HOME/.gemini; do mv $f $f.old && mkdir -p $f; done
        mkdir -p a/b $HOME/.gemini; echo evil > a/b/pin; echo evil > $HOME/.gemini/settings.json
        rm -r a $HOME/.gemini; echo fine > a/b/other; echo fine > $HOME/.gemini/other; mv a/b/other a/b/moved; cat a/b/moved"#;
    let output = world.run_with(Tier::Full, &profile, script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "fine\n",
        "{}",
        text(&output)
    );
    for pin in profile.pinned {
        assert_eq!(
            std::fs::read_to_string(&pin).unwrap(),
            "ours",
            "{}",
            pin.display()
        );
    }
}
