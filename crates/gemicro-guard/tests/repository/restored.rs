//! Commands of the branch run in a checkout before anybody looks at it: what is tracked is as committed afterwards.

use gemicro_guard::repository::{InsideCommand, TaskRepo};
use gemicro_guard::sandbox::Tier;

use crate::world::{World, read, said, tiers};

/// Runs a script as a setup does.
fn set_up(world: &World, tier: Tier, task: &TaskRepo, script: &str) {
    let inside = world.inside(tier, task);
    let profile = task.with_readable_git(inside.profile.clone());
    let command = ["/bin/bash".into(), "-c".into(), script.into()];
    let output = InsideCommand { profile, ..inside }.run(&command).unwrap();
    assert!(output.is_success(), "{tier}: {script}: {}", said(&output));
}

#[test]
fn what_a_setup_did_to_tracked_files_is_undone() {
    for tier in tiers() {
        for script in [
            "echo evil > a.txt; git update-index --assume-unchanged a.txt; true",
            "echo evil > a.txt; git add -A; git commit -qm evil; true",
            "blob=$(echo evil | git hash-object -w --stdin); git replace -f HEAD:a.txt $blob; echo a.txt > ../git/info/exclude; true",
            // The same length, and as old as it was.
            "touch -r a.txt t; printf 'xne\\ntwo\\nthree\\n' > a.txt; touch -r t a.txt; rm t",
            "touch -r a.txt t; printf 'xne\\ntwo\\nthree\\n' > n; touch -r t n; mv n a.txt; rm t",
            "rm -r src a.txt .gitignore; mkdir a.txt; touch a.txt/b",
            "mv src .src; ln -s .src src; echo evil > src/lib.rs",
            "chmod +x a.txt; chmod 0 src/lib.rs",
            "ln -sf ../../../beside.txt a.txt",
            // Settings of a home that git would read.
            "printf '[core]\\n\\tworktree = /tmp\\n\\tautocrlf = true\\n\\tattributesFile = ~/a\\n[filter \"f\"]\\n\\tsmudge = sed s/o/0/g\\n' > ~/.gitconfig
             mkdir -p ~/.config/git; echo '* filter=f' | tee ~/a > ~/.config/git/attributes; echo x >> a.txt",
        ] {
            let world = World::new();
            let repository = world.open();
            let task = world.task(&repository);
            set_up(&world, tier, &task, &format!("touch made; {script}"));
            let inside = world.inside(tier, &task);
            inside.restore(&repository, &task).unwrap();
            let worktree = task.worktree();
            assert_eq!(read(&worktree.join("a.txt")), "one\ntwo\nthree\n", "{tier}: {script}");
            assert_eq!(read(&worktree.join("src/lib.rs")), "fn lib() {}\n", "{tier}: {script}");
            assert!(!worktree.join("src").is_symlink(), "{tier}: {script}");
            assert!(!worktree.join("a.txt").is_symlink(), "{tier}: {script}");
            assert!(worktree.join("made").is_file(), "{tier}: {script}");
            let seen = "git status --porcelain --untracked-files=no; git log --format=%s; git show HEAD:a.txt";
            let seen = world.agent(tier, &task, &format!("rm -rf ~/.gitconfig ~/.config; {seen}"));
            assert_eq!(said(&seen), "three\ntwo\none\none\ntwo\nthree\n", "{tier}: {script}");
            assert_eq!(read(&world.path("beside.txt")), "beside");
        }
    }
}

#[test]
fn a_checkout_in_which_git_would_look_elsewhere_is_refused() {
    for tier in tiers() {
        for (script, path) in [
            ("git init -q src", "src/.git"),
            (
                "echo '*.rs working-tree-encoding=UTF-7' > src/.gitattributes; rm src/lib.rs",
                "src/.gitattributes",
            ),
            ("echo '* text eol=crlf' > .gitattributes", ".gitattributes"),
            (
                "mkdir e; git init -q e; echo gitdir: ../e/.git > src/.git",
                "src/.git",
            ),
            (
                "mkdir ../tmp/s; mv src/* ../tmp/s; rmdir src; ln -s ../tmp/s src",
                "src",
            ),
        ] {
            let world = World::new();
            let repository = world.open();
            let task = world.task(&repository);
            set_up(&world, tier, &task, script);
            match world.inside(tier, &task).restore(&repository, &task) {
                Err(error) => assert!(
                    error.to_string().contains(&format!("`{path}`")),
                    "{tier}: {error}"
                ),
                // git put the folder back itself.
                Ok(()) => assert!(
                    path == "src" && !task.worktree().join("src").is_symlink(),
                    "{tier}: {script}"
                ),
            }
        }
    }
    // Where the file cannot be pinned, it can be replaced.
    let world = World::new();
    let repository = world.open();
    let task = world.task(&repository);
    set_up(
        &world,
        Tier::Landlock,
        &task,
        "git init -q e; rm .git; echo gitdir: e/.git > .git",
    );
    let error = world.inside(Tier::Landlock, &task).restore(&repository, &task);
    assert!(error.unwrap_err().to_string().contains("`.git`"));
}
