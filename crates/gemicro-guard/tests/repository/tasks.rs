//! Tasks from their beginning to their import.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{RepositoryError, TaskRepo, TaskStart, TrustedRepo};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, read, said, tiers};

#[test]
fn what_is_taken_is_refused_and_nothing_is_left() {
    let world = World::new();
    let repository = world.open();
    let head = || repository.head().clone();
    let task = world.task(&repository);
    let outside = Outside::take(&world);
    let error = world
        .try_task(&repository, "t1", "y", TaskStart::New(head()))
        .unwrap_err();
    assert!(matches!(error, RepositoryError::FolderTaken { .. }), "{error}");
    for slug in ["x/work", "x", "x/work/deeper"] {
        let error = world
            .try_task(&repository, "t2", slug, TaskStart::New(head()))
            .unwrap_err();
        assert!(matches!(error, RepositoryError::BranchTaken { .. }), "{error}");
        assert_eq!(ErrorKind::from(&error), ErrorKind::Conflict);
    }
    let error = world
        .try_task(&repository, "t2", "z", TaskStart::Continue)
        .unwrap_err();
    assert!(matches!(error, RepositoryError::BranchMissing { .. }), "{error}");
    for slug in [
        "",
        "-x",
        ".x",
        "x/",
        "/x",
        "x..y",
        "x.lock",
        "x y",
        "x/-y",
        "é",
        "x~1",
        "@{u}",
        &"x".repeat(101),
    ] {
        let error = world
            .try_task(&repository, "t2", slug, TaskStart::New(head()))
            .unwrap_err();
        assert!(
            matches!(error, RepositoryError::BadSlug { .. }),
            "{slug}: {error}"
        );
    }
    for id in ["a b", "..", "a.b", &"x".repeat(65)] {
        let error = world
            .try_task(&repository, id, "y", TaskStart::New(head()))
            .unwrap_err();
        assert!(
            matches!(error, RepositoryError::BadTaskFolder { .. }),
            "{id}: {error}"
        );
    }
    // A folder in the repository would open it to the agent.
    std::fs::create_dir(world.path("repo/tasks")).unwrap();
    let error = world
        .try_task(&repository, "../../repo/tasks/t", "y", TaskStart::New(head()))
        .unwrap_err();
    assert!(matches!(error, RepositoryError::BadTaskFolder { .. }), "{error}");
    std::fs::remove_dir(world.path("repo/tasks")).unwrap();
    // A base that does not exist: branch and folder are not there afterwards.
    let nowhere = gemicro_guard::repository::CommitId::parse(&"1".repeat(40)).unwrap();
    world
        .try_task(&repository, "t3", "y", TaskStart::New(nowhere))
        .unwrap_err();
    assert!(!world.path("state/tasks/t3").exists());
    outside.assert_same(&world, Tier::Full, "refused tasks");
    task.discard().unwrap();
    assert!(!world.path("state/tasks/t1").exists());
}

/// What `gemicro ask --branch task/x` run twice does: the second goes on where the first ended.
#[test]
fn a_second_task_continues_on_the_branch() {
    let world = World::new();
    let repository = world.open();
    let start = || TaskStart::ContinueOrNew(repository.head().clone());
    let mut first = world.try_task(&repository, "t1", "x", start()).unwrap();
    world.agent(Tier::Full, &first, "echo first > first");
    let tip = world.finish(Tier::Full, &repository, &mut first).imported().new;
    let mut second = world.try_task(&repository, "t2", "task/x", start()).unwrap();
    assert_eq!((second.base(), second.tip()), (&tip, &tip));
    world.agent(Tier::Landlock, &second, "cat first && echo second > second");
    let imported = world.finish(Tier::Landlock, &repository, &mut second).imported();
    assert_eq!((imported.old, imported.n_files), (tip, 1));
    assert!(world.path(".worktrees/task-x/second").exists());
    // The first, still open, is behind now.
    world.agent(Tier::Full, &first, "echo third > third");
    let error = world
        .finish(Tier::Full, &repository, &mut first)
        .result
        .unwrap_err();
    assert!(matches!(error, RepositoryError::BranchMoved { .. }), "{error}");
    first.rebuild(&repository).unwrap();
    world.agent(Tier::Full, &first, "cat second && echo third > third");
    assert_eq!(
        world
            .finish(Tier::Full, &repository, &mut first)
            .imported()
            .n_files,
        1
    );
}

#[test]
fn a_task_is_found_again() {
    let world = World::new();
    let repository = world.open();
    let mut task = world.task(&repository);
    world.agent(Tier::Full, &task, "echo one > one");
    let imported = world.finish(Tier::Full, &repository, &mut task).imported();
    let again = TaskRepo::reopen(&repository, task.folder()).unwrap();
    assert_eq!((again.last_import(), imported.n_files), (Some(&imported), 1));
    assert_eq!(
        (again.tip(), again.base(), again.slug()),
        (task.tip(), task.base(), task.slug())
    );
    // Killed after the branch was moved and before that was written down.
    let record = task.folder().join("task.json");
    let killed = read(&record)
        .replace(
            &format!("\"tip\": \"{}\"", task.tip()),
            &format!("\"tip\": \"{}\"", task.base()),
        )
        .replace("\"next\": null", &format!("\"next\": \"{}\"", task.tip()));
    std::fs::write(&record, &killed).unwrap();
    let again = TaskRepo::reopen(&repository, task.folder()).unwrap();
    assert_eq!((again.tip(), again.last_import()), (task.tip(), Some(&imported)));
    // Killed before.
    let killed = killed.replace(
        &format!("\"next\": \"{}\"", task.tip()),
        &format!("\"next\": \"{}\"", "1".repeat(40)),
    );
    std::fs::write(&record, killed).unwrap();
    let again = TaskRepo::reopen(&repository, task.folder()).unwrap();
    assert_eq!((again.tip(), again.last_import()), (task.base(), None));
    world.shell("git clone -q repo clone");
    let other = TrustedRepo::open(&world.settings(), &world.path("clone")).unwrap();
    let error = TaskRepo::reopen(&other, task.folder()).unwrap_err();
    assert!(matches!(error, RepositoryError::NotATask { .. }), "{error}");
    let error = TaskRepo::reopen(&repository, &world.path("state")).unwrap_err();
    assert!(matches!(error, RepositoryError::NotATask { .. }), "{error}");
}

/// Where most users have both: everything below the home, which agents do not see.
#[test]
fn repository_and_state_in_the_home() {
    let world = World::new();
    world.shell("mv repo state user; ln -s user/repo repo; ln -s user/state state");
    for (idx, tier) in tiers().into_iter().enumerate() {
        let repository = world.open();
        let start = TaskStart::New(repository.head().clone());
        let name = format!("t{idx}");
        let mut task = world.try_task(&repository, &name, &name, start).unwrap();
        let home = world.path("user");
        let script = format!(
            "cat {0}/.ssh/id_rsa {0}/repo/.git/config {0}/repo/a.txt; ls {0}/state/tasks/{name}; echo x > {0}/repo/a.txt; git log --oneline | wc -l; echo new > new",
            home.display()
        );
        let output = world.agent(tier, &task, &script);
        let text = said(&output);
        assert!(
            !text.contains("CANARY") && !text.contains("[core]") && !text.contains("one\ntwo"),
            "{tier}: {text}"
        );
        assert!(text.contains("3\n"), "{tier}: {text}");
        assert_eq!(
            world.finish(tier, &repository, &mut task).imported().n_files,
            1,
            "{tier}"
        );
        assert_eq!(read(&world.path("repo/a.txt")), "one\ntwo\nthree\n");
    }
}

/// An agent that was killed in the middle of a git command leaves locks.
#[test]
fn locks_of_a_killed_git_are_no_obstacle() {
    for tier in tiers() {
        let world = World::new();
        let repository = world.open();
        let mut task = world.task(&repository);
        let script = "echo x > x; touch ../git/index.lock ../git/HEAD.lock; mkdir -p ../git/refs/heads/task/x; touch ../git/refs/heads/task/x/work.lock";
        world.agent(tier, &task, script);
        assert_eq!(
            world.finish(tier, &repository, &mut task).imported().n_files,
            1,
            "{tier}"
        );
    }
}

/// Whatever an agent made of its folders, they can be made anew.
#[test]
fn a_task_is_rebuilt_from_its_last_import() {
    for tier in tiers() {
        let world = World::new();
        let repository = world.open();
        let mut task = world.task(&repository);
        world.agent(tier, &task, "echo kept > kept");
        world.finish(tier, &repository, &mut task).imported();
        let outside = Outside::take(&world);
        world.agent(
            tier,
            &task,
            "rm -rf ../git/refs ../git/objects ../git/packed-refs kept; mkdir -p shut/inner; ln -s / shut/inner/root; chmod 000 shut/inner shut
            for n in $(seq 300); do mkdir d; cd d; done; cd; mkfifo $TMPDIR/pipe; ln -s /etc $TMPDIR/out.bundle; chmod 500 ../git",
        );
        task.rebuild(&repository).unwrap();
        outside.assert_same(&world, tier, "rebuild");
        assert_eq!(read(&task.worktree().join("kept")), "kept\n");
        let mut names: Vec<_> = std::fs::read_dir(task.folder())
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["git", "home", "out", "task.json", "tmp", "wt"]);
        world.agent(
            tier,
            &task,
            "test -z \"$(git status --porcelain)\" && echo more > more",
        );
        assert_eq!(world.finish(tier, &repository, &mut task).imported().n_files, 1);
    }
}

/// A NUL byte makes no secret of a file, and what cannot be shown is named.
#[test]
fn a_difference_shows_all_text() {
    let world = World::new();
    world.shell(
        "cd repo; git checkout -q -b other-work; printf 'echo evil\\n#\\0\\n' > run.sh; head -c 3000 /dev/zero > pad; echo evil two >> pad
        (echo '#!/bin/sh'; echo evil three; head -c 9000 /dev/urandom) > script; head -c 9000 /dev/urandom > picture
        git mv src/lib.rs 'src/with b.rs'; echo more >> a.txt; git add -A; git commit -qm work",
    );
    let repository = world.open();
    let (main, tip) = (
        repository.resolve("main").unwrap(),
        repository.resolve("other-work").unwrap(),
    );
    let diff = repository.diff(&main, &tip, 1 << 20).unwrap();
    for shown in [
        "+echo evil\n",
        "+evil three\n",
        "evil two",
        "+more",
        "rename to src/with b.rs",
    ] {
        assert!(diff.text.contains(shown), "{shown}: {}", diff.text);
    }
    assert_eq!((diff.is_cut, diff.unshown), (false, vec!["picture".to_owned()]));
    // What comes after the cut is named, too.
    world.shell("cd repo; seq 9000 > b; echo zzz > zzz; git add -A; git commit -qm long");
    let tip = repository.resolve("other-work").unwrap();
    let diff = repository.diff(&main, &tip, 2000).unwrap();
    assert!(diff.is_cut && diff.text.contains("+more"), "{}", diff.text);
    let unshown = ["b", "pad", "picture", "run.sh", "script", "src/with b.rs", "zzz"];
    assert_eq!(diff.unshown, unshown);
}
