//! Each shell of an agent begins with a new home, which is nobody else's.

use gemicro_guard::sandbox::Tier;

use super::shells::{agents, has_full};
use super::world::{World, text};

#[test]
fn a_shell_shares_its_home_with_what_it_starts() {
    if !has_full() {
        return;
    }
    let world = World::new();
    for profile in agents(&world) {
        let script = r#"set -e; echo agent > $HOME/own
            timeout 20 sh -c 'mkdir ~/.cache; sh -c "echo kept > ~/.cache/x; echo kept > \$TMPDIR/x"
                cat ~/.cache/x $TMPDIR/x; git config --global user.name me; bash -c "git config user.name"
                cat ${HOME%/.shells/*}/own; HOME=$TMPDIR sh -c "test \$HOME = \$TMPDIR && echo chosen > ~/y; cat ~/y"
                T=$TMPDIR; export T; HOME=/ TMPDIR=/ sh -c "echo other > \$T/z"; cat $T/z
                env -i sh -c "echo bare > $T/z; cat $T/z"'
            timeout 20 env -u HOME sh -c 'echo new > ~/x; cat $HOME/x'
            HOME=$TMPDIR timeout 20 sh -c 'echo $HOME'; test ! -e $HOME/.gitconfig"#;
        let output = world.run_with(Tier::Full, &profile, script);
        let chosen = profile.temporary.display();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            format!("kept\nkept\nme\nagent\nchosen\nother\nbare\nnew\n{chosen}\n"),
            "{}",
            text(&output)
        );
    }
}

/// What a test could leave for the next shell of its agent: settings of git and of shells, programs, caches.
const PLANTING: &str = r##"timeout 20 bash -c '
    printf "#!/bin/sh\necho lie\n" > ~/lie; chmod +x ~/lie
    git config --global diff.external ~/lie; git config --global core.pager ~/lie; git config --global alias.st "!echo lie"
    mkdir -p ~/.config/git ~/.cargo ~/.local/bin $TMPDIR/node-compile-cache; cp ~/.gitconfig ~/.config/git/config
    for f in .bashrc .profile .bash_profile .bash_login .zshenv .inputrc .npmrc .pythonrc .cargo/config.toml .local/bin/git; do
        echo "echo lie" > ~/$f
    done'
"##;

#[test]
fn what_a_shell_leaves_in_its_home_is_not_there_for_the_next() {
    if !has_full() {
        return;
    }
    for number in 0..3 {
        let world = World::new();
        let profile = agents(&world)[number].clone();
        for looking in [
            "timeout 20 bash -c 'find ~ $TMPDIR -mindepth 1'",
            "timeout 20 sh -c 'find $HOME $TMPDIR -mindepth 1'",
            "timeout 20 bash -lc true",
            "echo true | timeout 20 bash -i 2> /dev/null",
            "timeout 20 env -u HOME bash -lc true",
            "timeout 20 git config --global --list || true",
            "timeout 20 git st 2> /dev/null || true",
            "timeout 20 sh -c 'mkdir $TMPDIR/r; cd $TMPDIR/r; git init -q; echo a > a; git add a; echo b > a; git diff | tail -n 1'",
        ] {
            let output = world.run_with(Tier::Full, &profile, &format!("{PLANTING}{looking}"));
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                stdout.replace("+b\n", ""),
                "",
                "{number}: {looking}: {}",
                text(&output)
            );
        }
    }
}

#[test]
fn a_shell_does_not_write_the_home_of_another() {
    if !has_full() {
        return;
    }
    for number in 0..3 {
        let world = World::new();
        let profile = agents(&world)[number].clone();
        // One that waits, and one that runs meanwhile, with the home that it was given and with others.
        let script = r#"A=$HOME; export A
            timeout 20 sh -c 'while [ ! -e $A/go ]; do sleep 0.05; done; find ~ $TMPDIR -mindepth 1' &
            until ls $A/.shells/*/home > /dev/null 2>&1; do sleep 0.05; done
            for h in $A $A/.shells $TMPDIR ""; do HOME=$h timeout 20 bash -c '
                for f in $A/.shells/*; do [ $f/tmp = $TMPDIR ] || { echo lie > $f/home/x; echo lie > $f/tmp/x; echo lie > $f/x; }; done
                mkdir $A/.shells/new $A/.skeleton/x; HOME=$(ls -d $A/.shells/*/home | head -n 1) sh -c "echo lie > ~/x"
                mv $TMPDIR $A/.shells/moved' 2> /dev/null; done
            touch $A/go; wait; ls $A/.shells | grep -e new -e moved"#;
        let output = world.run_with(Tier::Full, &profile, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "",
            "{number}: {}",
            text(&output)
        );
    }
}

#[test]
fn a_shells_home_begins_with_the_skeleton() {
    if !has_full() {
        return;
    }
    let world = World::new();
    let skeleton = world.profile().shell_skeleton();
    std::fs::create_dir_all(skeleton.join(".cargo")).unwrap();
    std::os::unix::fs::symlink("/usr/share", skeleton.join(".cargo/registry")).unwrap();
    let script = "for i in 1 2; do timeout 20 sh -c 'cd ~; find . -mindepth 1 | sort; readlink .cargo/registry; rm .cargo/registry'; done";
    let output = world.run(Tier::Full, script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "./.cargo\n./.cargo/registry\n/usr/share\n".repeat(2),
        "{}",
        text(&output)
    );
}

#[test]
fn modes_that_a_shell_changed_do_not_keep_the_next_from_starting() {
    if !has_full() {
        return;
    }
    let world = World::new();
    std::fs::create_dir_all(world.profile().shell_skeleton().join("a")).unwrap();
    let script = r#"timeout 20 sh -c 'A=${HOME%/.shells/*}; chmod 0 $A/.skeleton $A/.shells $A'
        timeout 20 sh -c 'cd ~ && ls && echo x > x && cat x'"#;
    let output = world.run(Tier::Full, script);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "a\nx\n",
        "{}",
        text(&output)
    );
}
