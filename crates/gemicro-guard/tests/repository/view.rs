//! What the user sees: the worktree beside the repository, and what the tripwire tells.

use gemicro_guard::repository::{CommitId, ShowOutcome, Slug, Tripwire, TripwireChange, TrustedRepo, show};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, read};

fn slug(text: &str) -> Slug {
    text.parse().unwrap()
}

fn why(shown: &ShowOutcome) -> String {
    match shown {
        ShowOutcome::At(folder) => panic!("it is at {}", folder.display()),
        ShowOutcome::Left { why, .. } => why.clone(),
    }
}

fn commit(repository: &TrustedRepo, name: &str) -> CommitId {
    repository.resolve(name).unwrap()
}

#[test]
fn the_worktree_follows_while_it_is_clean() {
    let world = World::new();
    let repository = world.open();
    let folder = world.path(".worktrees/task-a-b");
    let (one, two, three) = (
        commit(&repository, "v1"),
        commit(&repository, "v2"),
        commit(&repository, "main"),
    );
    assert_eq!(
        show(&repository, &slug("a/b"), &one),
        ShowOutcome::At(folder.clone())
    );
    assert_eq!(read(&folder.join("a.txt")), "one\n");
    assert_eq!(
        show(&repository, &slug("a/b"), &two),
        ShowOutcome::At(folder.clone())
    );
    assert_eq!(
        show(&repository, &slug("a/b"), &two),
        ShowOutcome::At(folder.clone())
    );
    assert_eq!(read(&folder.join("a.txt")), "one\ntwo\n");
    std::fs::write(folder.join("mine"), "mine").unwrap();
    let shown = show(&repository, &slug("a/b"), &three);
    assert!(why(&shown).contains("changes"), "{shown:?}");
    assert_eq!(read(&folder.join("a.txt")), "one\ntwo\n");
    std::fs::remove_file(folder.join("mine")).unwrap();
    world.shell("git -C .worktrees/task-a-b checkout -q --detach main; git -C repo branch side v1");
    let shown = show(&repository, &slug("a/b"), &one);
    assert!(why(&shown).contains("is not on the task's branch"), "{shown:?}");
    world.shell("git -C .worktrees/task-a-b switch -q side");
    let shown = show(&repository, &slug("a/b"), &three);
    assert!(why(&shown).contains("branch"), "{shown:?}");
    // Thrown away by the user, it is made again.
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(show(&repository, &slug("a/b"), &three), ShowOutcome::At(folder));
}

#[test]
fn what_is_in_the_way_is_left_alone() {
    let world = World::new();
    let repository = world.open();
    world.shell("mkdir -p .worktrees/task-a; echo mine > .worktrees/task-a/mine; ln -s /nowhere .worktrees/task-b; echo x > .worktrees/task-c");
    world.shell("cd .worktrees; for name in a b c; do cp -a task-$name repo-task-$name; done");
    let outside = Outside::take(&world);
    for name in ["a", "b", "c"] {
        let shown = show(&repository, &slug(name), repository.head());
        assert!(why(&shown).contains("already exists"), "{shown:?}");
    }
    world.shell("mv .worktrees aside; echo file > .worktrees");
    why(&show(&repository, &slug("d"), repository.head()));
    world.shell("rm .worktrees; mv aside .worktrees");
    outside.assert_same(&world, Tier::Full, "taken");
}

#[test]
fn two_projects_beside_each_other_have_places_of_their_own() {
    let world = World::new();
    let repository = world.open();
    let (one, two) = (commit(&repository, "v1"), commit(&repository, "v2"));
    world.shell("mkdir -p .worktrees/task-a; echo theirs > .worktrees/task-a/a.txt");
    let named = world.path(".worktrees/repo-task-a");
    assert_eq!(
        show(&repository, &slug("a"), &one),
        ShowOutcome::At(named.clone())
    );
    assert_eq!(
        show(&repository, &slug("a"), &two),
        ShowOutcome::At(named.clone())
    );
    assert_eq!(read(&named.join("a.txt")), "one\ntwo\n");
    assert_eq!(read(&world.path(".worktrees/task-a/a.txt")), "theirs\n");
}

/// The record of a worktree that was thrown away says that the place is ours; what is there is another project's.
#[test]
fn a_record_that_outlived_its_worktree_claims_nothing() {
    let world = World::new();
    let repository = world.open();
    let (one, two) = (commit(&repository, "v1"), commit(&repository, "v2"));
    let plain = world.path(".worktrees/task-a");
    assert_eq!(
        show(&repository, &slug("a"), &one),
        ShowOutcome::At(plain.clone())
    );
    std::fs::remove_dir_all(&plain).unwrap();
    world.shell("git clone -q repo theirs; git -C theirs worktree add -q --detach ../.worktrees/task-a v1");
    let head = || world.shell("git -C .worktrees/task-a rev-parse HEAD");
    let before = head();
    let named = world.path(".worktrees/repo-task-a");
    assert_eq!(show(&repository, &slug("a"), &two), ShowOutcome::At(named));
    assert_eq!(head(), before);
}

/// Everything that decides what git does or where its references are, in both formats of references.
#[test]
fn the_tripwire_names_what_changed() {
    for init in [
        "git init -q -b main repo",
        "git init -q -b main --ref-format=reftable repo",
    ] {
        let world = World::with_repository(init);
        let repository = world.open();
        let task = world.task(&repository);
        let (one, two) = (commit(&repository, "v1"), commit(&repository, "other"));
        let before = Tripwire::take(&repository, task.slug()).unwrap();
        world.shell(
            "cd repo; git update-ref refs/heads/task/x/work v1; git update-ref refs/gemicro/incoming/t9 v1",
        );
        let after = Tripwire::take(&repository, task.slug()).unwrap();
        assert_eq!(before.compare(&after), [], "{init}");
        world.shell("cd repo; git update-ref refs/heads/other v1; git update-ref refs/heads/new v1; git tag -d v1 >/dev/null");
        let after = Tripwire::take(&repository, task.slug()).unwrap();
        let mut changes = before.compare(&after);
        // Where references are kept is seen as well, in the one format that has the file.
        changes.retain(|change| change.what != "packed-refs");
        let change = |what: &str, before: Option<&CommitId>, after: Option<&CommitId>| TripwireChange {
            what: what.to_owned(),
            before: before.map(CommitId::to_string),
            after: after.map(CommitId::to_string),
        };
        let expected = [
            change("refs/heads/new", None, Some(&one)),
            change("refs/heads/other", Some(&two), Some(&one)),
            change("refs/tags/v1", Some(&one), None),
        ];
        assert_eq!(changes, expected, "{init}");
        let before = after;
        world.shell(
            "cd repo/.git; echo '[x]' >> config; mkdir -p hooks info; echo x > hooks/pre-commit; chmod +x hooks/pre-commit
            git -C .. checkout -q --detach; ln -s /etc/passwd info/attributes; echo '[y]' > config.worktree; git symbolic-ref refs/heads/link refs/heads/main",
        );
        let after = Tripwire::take(&repository, task.slug()).unwrap();
        let names: Vec<String> = before
            .compare(&after)
            .into_iter()
            .map(|change| change.what)
            .collect();
        let checkout = format!("HEAD of {}", world.path("repo").display());
        assert!(names.contains(&checkout), "{init}: {names:?}");
        for name in [
            "config",
            "config.worktree",
            "hooks/pre-commit",
            "info/attributes",
            "refs/heads/link",
        ] {
            assert!(
                names.iter().any(|found| found == name),
                "{init}: {name} is not in {names:?}"
            );
        }
    }
}

/// Whoever gives a branch an upstream changes no setting that makes git act; whoever hides one there does.
#[test]
fn the_tripwire_distinguishes_settings_of_branches() {
    let world = World::with_repository("git init -q -b main repo");
    let repository = world.open();
    let task = world.task(&repository);
    let changed = |script: &str| -> Vec<String> {
        let before = Tripwire::take(&repository, task.slug()).unwrap();
        world.shell(&format!("cd repo; cp .git/config ../kept; {script}"));
        let after = Tripwire::take(&repository, task.slug()).unwrap();
        world.shell("cp kept repo/.git/config");
        before
            .compare(&after)
            .into_iter()
            .map(|change| change.what)
            .collect()
    };
    for script in [
        "git config branch.main.remote origin; git config branch.main.merge refs/heads/main",
        "git config branch.some.rebase true; git config branch.some.pushRemote mine",
    ] {
        assert_eq!(changed(script), ["settings of branches"], "{script}");
    }
    for script in [
        "git config core.fsmonitor evil",
        "git config remote.origin.uploadpack evil",
        "git config branch.main.mergeOptions --strategy=evil",
        r#"printf '[branch "x"] [core]\n\tfsmonitor = evil\n' >> .git/config"#,
        r#"printf '[branch "x"]\n\tmerge = a\n[core]\n\tfsmonitor = evil\n' >> .git/config"#,
        r#"printf '[branch "x"]\n\tmerge = a\n [core]\n\tfsmonitor = evil\n' >> .git/config"#,
        r#"printf '[branch "x"]\n\tremote = a \\\n' >> .git/config"#,
        "chmod 666 .git/config",
    ] {
        let names = changed(script);
        assert!(names.contains(&"config".to_owned()), "{script}: {names:?}");
        world.shell("chmod 644 repo/.git/config");
    }
}
