//! Tasks from their beginning to their import, in all kinds of repositories.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{
    Import, RepositoryError, RepositoryNote, ShowOutcome, TaskRepo, TaskStart, TrustedRepo,
};
use gemicro_guard::sandbox::Tier;

use crate::outside::Outside;
use crate::world::{World, read, said, tiers};

/// A task begins, an agent works as agents do, and its work comes back.
fn works_in(world: &World) {
    for (idx, tier) in tiers().into_iter().enumerate() {
        let repository = world.open();
        let outside = Outside::take(world);
        let start = TaskStart::New(repository.head().clone());
        let mut task = world
            .try_task(&repository, &format!("t{idx}"), &format!("w{idx}/work"), start)
            .unwrap();
        let script = "set -e; test -z \"$(git status --porcelain)\"; git log --oneline main | head -1; git diff main...HEAD
            git log -1 --format='%an <%ae>' v1; echo new > src/new.rs; git add -A; git commit -qm 'agent: one'; echo left >> a.txt
            git branch --show-current; git config user.name; git config user.email";
        let output = world.agent(tier, &task, script);
        assert!(output.is_success(), "{tier}: {}", said(&output));
        let branch = format!("task/w{idx}/work\nA \"U\" Thor\na@example.org");
        assert!(said(&output).contains(&branch), "{tier}: {}", said(&output));
        let finished = world.finish(tier, &repository, &mut task);
        assert_eq!(finished.tripped, [], "{tier}");
        assert!(
            matches!(finished.shown, ShowOutcome::At(_)),
            "{:?}",
            finished.shown
        );
        let imported = finished.imported();
        assert_eq!((imported.n_commits, imported.n_files), (2, 2), "{tier}");
        assert_eq!((imported.insertions, imported.deletions), (2, 0), "{tier}");
        assert_eq!(&imported.old, repository.head());
        assert_eq!(task.tip(), &imported.new);
        assert_eq!(
            repository.task_branch(task.slug()).unwrap().as_ref(),
            Some(&imported.new)
        );
        outside.assert_only_task(world, tier, "an ordinary task");
        let log = world.shell(&format!(
            "git -C repo log -1 --format=%B {}; git -c core.fsmonitor=false -C repo fsck --strict 2>&1",
            imported.new
        ));
        assert!(log.starts_with("what the agent left\n\nGemicro-Task: t"), "{log}");
        // And once more, with nothing new.
        let finished = world.finish(tier, &repository, &mut task);
        assert_eq!(finished.result.unwrap(), Import::Nothing);
        assert_eq!(world.shell("git -C repo for-each-ref refs/gemicro"), "");
    }
}

#[test]
fn an_ordinary_repository() {
    let world = World::new();
    works_in(&world);
    let diff = world.open().diff(
        &world.open().resolve("main").unwrap(),
        &world.open().resolve("task/w0/work").unwrap(),
        10_000,
    );
    let diff = diff.unwrap();
    assert!(diff.text.contains("+left") && !diff.is_cut, "{diff:?}");
    let repository = world.open();
    let (main, tip) = (
        repository.resolve("main").unwrap(),
        repository.resolve("task/w0/work").unwrap(),
    );
    let cut = repository.diff(&main, &tip, 20).unwrap();
    assert_eq!((cut.text.len(), cut.is_cut), (20, true));
}

#[test]
fn a_reftable_repository() {
    works_in(&World::with_repository(
        "git init -q -b main --ref-format=reftable repo",
    ));
}

#[test]
fn a_sha256_repository() {
    works_in(&World::with_repository(
        "git init -q -b main --object-format=sha256 repo",
    ));
}

#[test]
fn a_detached_and_dirty_checkout() {
    let world = World::new();
    world.shell("cd repo; git checkout -q --detach; echo dirty >> src/lib.rs; echo new > untracked");
    works_in(&world);
    let shown = read(&world.path(".worktrees/task-w0-work/src/lib.rs"));
    assert!(!shown.contains("dirty"));
}

#[test]
fn a_shallow_clone() {
    let world = World::new();
    world.shell("mv repo full; git clone -q --depth=1 file://$PWD/full repo; cd repo; git fetch -q --depth=1 origin tag v1");
    assert_eq!(world.open().notes(), [RepositoryNote::Shallow]);
    works_in(&world);
}

#[test]
fn a_clone_with_alternates() {
    let world = World::new();
    world.shell(
        "mv repo full; git clone -q --shared full middle; git clone -q --shared middle repo
        echo ../../../middle/.git/objects > repo/.git/objects/info/alternates; git -C repo tag -f v1 >/dev/null",
    );
    works_in(&world);
}

#[test]
fn a_linked_worktree_of_the_user() {
    let world = World::new();
    world.shell("mv repo main-checkout; git -C main-checkout worktree repair >/dev/null; git -C main-checkout worktree add -q ../repo other");
    let repository = world.open();
    let mut task = world.task(&repository);
    assert_eq!(task.base(), &repository.resolve("other").unwrap());
    world.agent(Tier::Full, &task, "echo x > new");
    assert_eq!(
        world
            .finish(Tier::Full, &repository, &mut task)
            .imported()
            .n_files,
        1
    );
}

#[test]
fn submodules_and_lfs() {
    let world = World::new();
    // A filter in the user's settings must not run for content that agents can choose.
    world.shell(
        "git init -q module; git -C module commit -q --allow-empty -m m; cd repo
        git -c protocol.file.allow=always submodule --quiet add ../module module
        mkdir -p .git/lfs/objects; echo content > .git/lfs/objects/o; printf pointer > a.bin
        echo '*.bin filter=lfs -text' > .gitattributes; git add -A; git commit -qm more; cd ..
        git config --global filter.lfs.smudge \"touch $PWD/SMUDGED; cat\"; git config --global filter.lfs.clean false
        git config --global filter.lfs.process \"touch $PWD/PROCESSED\"; git config --global filter.lfs.required true",
    );
    works_in(&world);
    let repository = world.open();
    assert_eq!(
        repository.notes(),
        [RepositoryNote::Submodules, RepositoryNote::Lfs]
    );
    let start = TaskStart::New(repository.head().clone());
    let task = world.try_task(&repository, "stores", "stores", start).unwrap();
    assert_eq!(read(&task.worktree().join("a.bin")), "pointer");
    for tier in tiers() {
        let common = repository.common().display();
        let script = format!(
            "cat {common}/lfs/objects/o; ls {common}/modules/module/objects | head -1; echo x > {common}/lfs/objects/o
            echo x > {common}/modules/module/objects/x; cat {common}/modules/module/config"
        );
        let output = world.agent(tier, &task, &script);
        assert!(
            said(&output).starts_with("content\n"),
            "{tier}: {}",
            said(&output)
        );
        assert!(!said(&output).contains("[core]"), "{tier}: {}", said(&output));
    }
    assert_eq!(read(&world.path("repo/.git/lfs/objects/o")), "content\n");
    assert!(!world.path("SMUDGED").exists() && !world.path("PROCESSED").exists());
}

/// Sparse, with line endings, with a template of hooks, with signing: none of it reaches a task.
#[test]
fn settings_of_the_user_stay_theirs() {
    let world = World::new();
    world.shell(
        "git config --global core.autocrlf true; git config --global commit.gpgsign true
        git config --global core.fsmonitor \"touch $PWD/FSMONITOR\"; git config --global init.templateDir $PWD/template
        git config --global fetch.prune true; git config --global protocol.file.allow never
        mkdir -p template/hooks; cd repo
        for hook in post-checkout reference-transaction pre-commit post-index-change; do
        printf '#!/bin/sh\\ntouch %s\\nexit 1\\n' $PWD/../HOOK > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
        git -c core.hooksPath= -c core.fsmonitor=false sparse-checkout set docs; rm -f ../HOOK ../FSMONITOR",
    );
    works_in(&world);
    for name in ["HOOK", "FSMONITOR"] {
        assert!(!world.path(name).exists(), "{name}");
    }
    assert!(world.path("state/tasks/t0/wt/src/lib.rs").exists());
}

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
    world.finish(Tier::Full, &repository, &mut task).imported();
    let again = TaskRepo::reopen(&repository, task.folder()).unwrap();
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
    assert_eq!(
        TaskRepo::reopen(&repository, task.folder()).unwrap().tip(),
        task.tip()
    );
    // Killed before.
    let killed = killed.replace(
        &format!("\"next\": \"{}\"", task.tip()),
        &format!("\"next\": \"{}\"", "1".repeat(40)),
    );
    std::fs::write(&record, killed).unwrap();
    assert_eq!(
        TaskRepo::reopen(&repository, task.folder()).unwrap().tip(),
        task.base()
    );
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
