//! What can go wrong around a good bundle: the file it lies in, the branch, the disk.

use std::path::Path;
use std::process::Command;

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{
    BundleResult, CommitId, CommitMessage, GitSettings, ImportRefusal, ImportRules, RepositoryError,
    TaskRepo, Tripwire, TrustedRepo, import, import_unless,
};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, said, text};

/// A task with a bundle that could be imported.
fn bundled() -> (World, TrustedRepo, TaskRepo) {
    let world = World::new();
    let repository = world.open();
    let task = world.task(&repository);
    // Random bytes, so that a small disk is full.
    world.agent(
        Tier::Full,
        &task,
        "head -c 3000000 /dev/urandom > big; echo two > two",
    );
    let inside = world.inside(Tier::Full, &task);
    let message = CommitMessage {
        text: "work".to_owned(),
        trailers: Vec::new(),
    };
    assert!(inside.commit_all(&task, &message).unwrap().is_something);
    assert_eq!(inside.bundle(&task).unwrap(), BundleResult::Something);
    (world, repository, task)
}

#[test]
fn a_bundle_that_is_no_file_is_refused() {
    let (world, repository, mut task) = bundled();
    let outside = Outside::take(&world);
    for script in [
        "rm $TMPDIR/out.bundle",
        "ln -s ../wt/a.txt $TMPDIR/out.bundle",
        "ln -sf /etc/passwd $TMPDIR/out.bundle",
        "ln -sf /proc/self/fd/0 $TMPDIR/out.bundle",
        "rm $TMPDIR/out.bundle; mkfifo $TMPDIR/out.bundle",
        "rm $TMPDIR/out.bundle; mkdir $TMPDIR/out.bundle",
    ] {
        let output = world.agent(Tier::Landlock, &task, script);
        assert!(output.is_success(), "{script}: {}", said(&output));
        let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
        assert!(
            matches!(error, RepositoryError::Refused(ImportRefusal::NotAFile { .. })),
            "{script}: {error}"
        );
    }
    outside.assert_same(&world, Tier::Full, "no bundle");
}

#[test]
fn a_bundle_that_is_too_big_is_refused() {
    let (world, repository, mut task) = bundled();
    let outside = Outside::take(&world);
    let rules = ImportRules {
        bundle_bytes: 2 << 20,
        ..ImportRules::default()
    };
    let error = import(&repository, &mut task, &rules).unwrap_err();
    assert!(
        matches!(error, RepositoryError::Refused(ImportRefusal::TooBig { .. })),
        "{error}"
    );
    outside.assert_same(&world, Tier::Full, "too big");
    import(&repository, &mut task, &ImportRules::default()).unwrap();
}

#[test]
fn a_tip_with_faults_is_seen_and_not_taken_over() {
    let (_world, repository, mut task) = bundled();
    let old = task.tip().clone();
    let slug = task.slug().clone();
    let faults = |new: &CommitId| {
        assert_eq!(repository.task_branch(&slug).unwrap().as_ref(), Some(&old));
        assert!(repository.is_ancestor(&old, new).unwrap());
        Ok(vec!["it is red".to_owned(), "it is late".to_owned()])
    };
    let error = import_unless(&repository, &mut task, &ImportRules::default(), faults).unwrap_err();
    assert_eq!(ErrorKind::from(&error), ErrorKind::ImportRefused);
    assert!(error.to_string().ends_with("it is red; it is late"), "{error}");
    assert_eq!(repository.task_branch(&slug).unwrap(), Some(old));
    assert_eq!(repository.clean_incoming().unwrap(), 0);
    import(&repository, &mut task, &ImportRules::default()).unwrap();
}

#[test]
fn a_branch_that_was_moved_is_a_conflict() {
    let (world, repository, mut task) = bundled();
    world.shell("git -C repo update-ref refs/heads/task/x/work other");
    let outside = Outside::take(&world);
    let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    assert!(matches!(error, RepositoryError::BranchMoved { .. }), "{error}");
    assert_eq!(ErrorKind::from(&error), ErrorKind::Conflict);
    outside.assert_same(&world, Tier::Full, "moved");
    world.shell("git -C repo update-ref -d refs/heads/task/x/work");
    let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    world.shell("git -C repo symbolic-ref refs/heads/task/x/work refs/heads/main");
    import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    assert_eq!(
        world.shell("git -C repo rev-parse main"),
        repository.head().as_str()
    );
}

/// Somebody moves the branch after it was looked at: the swap itself must fail.
#[test]
fn a_branch_that_moves_during_the_import_is_a_conflict() {
    let (world, _, mut task) = bundled();
    // This git moves the branch just before it is asked to.
    world.shell(
        "mkdir fake; printf '#!/bin/sh\\ncase \"$*\" in *\"gemicro: import\"*) /usr/bin/git -C %s update-ref refs/heads/task/x/work other;; esac
        exec /usr/bin/git \"$@\"\\n' $PWD/repo > fake/git; chmod +x fake/git",
    );
    let mut settings = world.settings();
    settings.search_path = format!("{}:/usr/bin:/bin", world.path("fake").display()).into();
    let repository = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    assert!(matches!(error, RepositoryError::BranchMoved { .. }), "{error}");
    assert_eq!(
        world.shell("git -C repo rev-parse task/x/work"),
        repository.resolve("other").unwrap().as_str()
    );
    assert_eq!(world.shell("git -C repo for-each-ref refs/gemicro"), "");
}

#[test]
fn a_branch_that_is_checked_out_is_left_alone() {
    let (world, repository, mut task) = bundled();
    world.shell("git -C repo worktree add -q ../mine task/x/work");
    let outside = Outside::take(&world);
    let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    let RepositoryError::BranchCheckedOut { folder, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(folder, &world.path("mine"));
    outside.assert_same(&world, Tier::Full, "checked out");
    // What the error says is enough.
    world.shell("git -C mine switch -q --detach");
    import(&repository, &mut task, &ImportRules::default()).unwrap();
}

#[test]
fn what_a_killed_import_left_is_removed() {
    let (world, repository, mut task) = bundled();
    world.shell("cd repo; git update-ref refs/gemicro/incoming/t1 other; git update-ref refs/gemicro/incoming/t2 other");
    std::fs::create_dir_all(task.folder().join("out/quarantine/pack")).unwrap();
    std::fs::write(task.folder().join("out/in.bundle"), "old").unwrap();
    import(&repository, &mut task, &ImportRules::default()).unwrap();
    let left = world.shell("git -C repo for-each-ref --format='%(refname)' refs/gemicro");
    assert_eq!(left, "refs/gemicro/incoming/t2");
    assert_eq!(repository.clean_incoming().unwrap(), 1);
    assert_eq!(world.shell("git -C repo for-each-ref refs/gemicro"), "");
}

/// Names the world to the inner half of a test.
const WORLD: &str = "GUARD_WORLD";

/// Runs a test of this very binary with a small disk mounted by bubblewrap: no rights are needed for that.
fn on_a_small_disk(test: &str, mounted: &str, n_bytes: &str) {
    if let Some(world) = std::env::var_os(WORLD) {
        return import_on_a_full_disk(Path::new(&world));
    }
    let (world, repository, mut task) = bundled();
    let outside = Outside::take(&world);
    let saved = world.path("state/saved");
    let at = world.path(mounted);
    std::fs::rename(&at, &saved).unwrap();
    std::fs::create_dir(&at).unwrap();
    let script = "cp -a \"$1/.\" \"$2/\" && shift 2 && exec \"$@\"";
    let output = Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--size", n_bytes, "--tmpfs"])
        .arg(&at)
        .args(["/bin/sh", "-c", script, "sh"])
        .args([&saved, &at])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(WORLD, world.path(""))
        .output()
        .unwrap();
    let said = text(&output);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    std::fs::remove_dir(&at).unwrap();
    std::fs::rename(&saved, &at).unwrap();
    outside.assert_only_task(&world, Tier::Full, "a full disk");
    assert_eq!(&repository.task_branch(task.slug()).unwrap().unwrap(), task.tip());
    // With room, it works.
    import(&repository, &mut task, &ImportRules::default()).unwrap();
}

fn import_on_a_full_disk(world: &Path) {
    let settings = GitSettings::new(crate::world::PATH, world.join("user"));
    let repository = TrustedRepo::open(&settings, &world.join("repo")).unwrap();
    let mut task = TaskRepo::reopen(&repository, &world.join("state/tasks/t1")).unwrap();
    let before = Tripwire::take(&repository, task.slug()).unwrap();
    let error = import(&repository, &mut task, &ImportRules::default()).unwrap_err();
    assert!(matches!(error, RepositoryError::DiskFull { .. }), "{error:?}");
    assert_eq!(ErrorKind::from(&error), ErrorKind::StorageError);
    let after = Tripwire::take(&repository, task.slug()).unwrap();
    assert_eq!(before.compare(&after), []);
    let found = repository.task_branch(task.slug()).unwrap();
    assert_eq!(found.as_ref(), Some(task.tip()));
    // No reference of ours is left, and nothing in quarantine.
    assert_eq!(repository.clean_incoming().unwrap(), 0);
    assert_eq!(std::fs::read_dir(task.folder().join("out")).unwrap().count(), 0);
}

/// Room for the bundle, but not for its objects too.
#[test]
fn a_full_disk_below_the_task() {
    on_a_small_disk(
        "intake::a_full_disk_below_the_task",
        "state/tasks/t1/out",
        "4500000",
    );
}

#[test]
fn a_full_disk_below_the_repository() {
    on_a_small_disk(
        "intake::a_full_disk_below_the_repository",
        "repo/.git/objects",
        "1500000",
    );
}
