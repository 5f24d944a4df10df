//! A task in every kind of repository.

use gemicro_guard::repository::{Import, RepositoryNote, ShowOutcome, TaskStart};
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
