//! A task is brought up to date with the main branch, with and without conflicts.

use gemicro_guard::repository::{
    BundleResult, CommitId, CommitMessage, Import, ImportResult, ImportRules, Merge, RepositoryError,
    TaskRepo, TrustedRepo, conflict_markers, import,
};
use gemicro_guard::sandbox::Tier;

use crate::world::{World, read, said, tiers};

fn message(text: &str) -> CommitMessage {
    CommitMessage {
        text: text.to_owned(),
        trailers: vec![("Gemicro-Task".to_owned(), "t1".to_owned())],
    }
}

/// The agent changed a file, and meanwhile main was moved on by this script.
fn behind(tier: Tier, work: &str, main: &str) -> (World, TrustedRepo, TaskRepo, CommitId) {
    let world = World::new();
    let repository = world.open();
    let task = world.task(&repository);
    let output = world.agent(tier, &task, work);
    assert!(output.is_success(), "{}", said(&output));
    let committed = world.inside(tier, &task).commit_all(&task, &message("work"));
    assert!(committed.unwrap().is_something);
    world.shell(&format!("cd repo; {main}; git add -A; git commit -qm main"));
    let theirs = repository.resolve("main").unwrap();
    (world, repository, task, theirs)
}

fn brought(
    world: &World,
    tier: Tier,
    (repository, task): (&TrustedRepo, &mut TaskRepo),
    known: &[CommitId],
) -> ImportResult {
    let bundled = world.inside(tier, task).bundle_without(task, known).unwrap();
    assert_eq!(bundled, BundleResult::Something);
    let rules = ImportRules {
        known: known.to_vec(),
        ..ImportRules::default()
    };
    match import(repository, task, &rules).unwrap() {
        Import::Done(imported) => imported,
        Import::Nothing => panic!("nothing was imported"),
    }
}

#[test]
fn a_merge_without_conflicts_is_committed() {
    for tier in tiers() {
        let main = "mkdir -p .github/workflows; echo ci > .github/workflows/ci.yml; seq 100 > numbers; git rm -q src/lib.rs; ln -s /etc out";
        let (world, repository, mut task, theirs) = behind(tier, "echo mine > mine", main);
        let inside = world.inside(tier, &task);
        let text = message("merge main\n\n# not a comment");
        assert_eq!(
            inside.merge(&task, &theirs, &text).unwrap(),
            Merge::Clean,
            "{tier}"
        );
        assert!(!task.is_merging());
        assert_eq!(
            inside.merge(&task, &theirs, &text).unwrap(),
            Merge::UpToDate,
            "{tier}"
        );
        assert_eq!(read(&task.worktree().join("mine")), "mine\n");
        // What main brought is neither judged nor counted.
        let imported = brought(
            &world,
            tier,
            (&repository, &mut task),
            std::slice::from_ref(&theirs),
        );
        assert_eq!((imported.n_commits, imported.n_files), (2, 1), "{tier}");
        assert_eq!((imported.insertions, imported.deletions), (1, 0), "{tier}");
        assert_eq!(imported.reports, [], "{tier}");
        let parents = format!("git -C repo log -1 --format=%P {}", imported.new);
        assert!(world.shell(&parents).ends_with(theirs.as_str()), "{tier}");
        let message = repository.message(&imported.new).unwrap();
        assert_eq!(
            message, "merge main\n\n# not a comment\n\nGemicro-Task: t1",
            "{tier}"
        );
    }
}

/// The shallow border stays where it is: a task has a copy of it from its beginning.
#[test]
fn a_shallow_clone_is_brought_up_to_date() {
    let world = World::new();
    world.shell("mv repo full; git clone -q --depth=1 file://$PWD/full repo");
    let repository = world.open();
    let mut task = world.task(&repository);
    world.agent(Tier::Full, &task, "echo mine > mine");
    let inside = world.inside(Tier::Full, &task);
    inside.commit_all(&task, &message("work")).unwrap();
    world.shell("cd full; for n in 1 2 3; do echo $n > n$n; git add -A; git commit -qm $n; done");
    let theirs = repository.main_branch(None).unwrap().commit;
    assert_eq!(
        inside.merge(&task, &theirs, &message("merge")).unwrap(),
        Merge::Clean
    );
    let imported = brought(&world, Tier::Full, (&repository, &mut task), &[theirs]);
    assert_eq!((imported.n_commits, imported.n_files), (2, 1));
}

/// Without being told, an import takes main's changes for the agent's.
#[test]
fn what_is_not_known_is_judged() {
    let main = "mkdir -p .github/workflows; echo ci > .github/workflows/ci.yml; echo x > src/new";
    let (world, repository, mut task, theirs) = behind(Tier::Full, "echo mine > mine", main);
    let inside = world.inside(Tier::Full, &task);
    inside.merge(&task, &theirs, &message("merge")).unwrap();
    let imported = brought(&world, Tier::Full, (&repository, &mut task), &[]);
    assert_eq!(
        (imported.n_commits, imported.n_files, imported.insertions),
        (3, 3, 3)
    );
    assert_eq!(imported.reports.len(), 1, "{imported:?}");
}

/// What the agent slips into a merge is its own work, although main changed the same files.
#[test]
fn what_is_slipped_into_a_merge_is_judged() {
    let main = "mkdir -p .github/workflows; echo ci > .github/workflows/ci.yml; echo x > src/new";
    let (world, repository, mut task, theirs) = behind(Tier::Full, "echo mine > mine", main);
    let inside = world.inside(Tier::Full, &task);
    inside.merge(&task, &theirs, &message("merge")).unwrap();
    let slipped = "echo evil >> .github/workflows/ci.yml; git commit -qa --amend --no-edit";
    assert!(world.agent(Tier::Full, &task, slipped).is_success());
    let imported = brought(&world, Tier::Full, (&repository, &mut task), &[theirs]);
    assert_eq!((imported.n_commits, imported.n_files), (2, 2));
    assert_eq!(imported.reports.len(), 1, "{imported:?}");
}

#[test]
fn a_conflict_is_left_for_the_agent() {
    for tier in tiers() {
        let (world, repository, mut task, theirs) =
            behind(tier, "echo mine >> a.txt", "echo theirs >> a.txt; echo x > other");
        let inside = world.inside(tier, &task);
        let Merge::Conflict { files, text } = inside.merge(&task, &theirs, &message("merge")).unwrap() else {
            panic!("{tier}: no conflict");
        };
        assert_eq!(files, ["a.txt"], "{tier}");
        assert!(
            text.contains("CONFLICT") && text.contains("a.txt"),
            "{tier}: {text}"
        );
        assert!(task.is_merging());
        let path = task.worktree().join("a.txt");
        assert!(conflict_markers(read(&path).as_bytes()), "{tier}");
        let output = world.agent(
            tier,
            &task,
            "printf 'one\\ntwo\\nthree\\nmine\\ntheirs\\n' > a.txt",
        );
        assert!(output.is_success() && !conflict_markers(read(&path).as_bytes()));
        let committed = inside.commit_all(&task, &message("merge main")).unwrap();
        assert!(committed.is_something && !task.is_merging(), "{tier}");
        let imported = brought(
            &world,
            tier,
            (&repository, &mut task),
            std::slice::from_ref(&theirs),
        );
        assert_eq!((imported.n_commits, imported.n_files), (2, 1), "{tier}");
        let commits = repository
            .commits_between(task.base(), &imported.new, 10)
            .unwrap();
        let last = commits.last().unwrap();
        assert_eq!(
            (last.subject.as_str(), last.n_parents),
            ("merge main", 2),
            "{tier}"
        );
        assert!(repository.is_ancestor(&theirs, &imported.new).unwrap());
    }
}

/// A conflict resolved so that nothing of main stays: still a merge, or main would conflict again.
#[test]
fn a_merge_that_changes_nothing_is_concluded() {
    for resolve in [
        "git checkout -q --ours a.txt",
        "git checkout -q --ours a.txt; git add a.txt",
    ] {
        let (world, repository, mut task, theirs) =
            behind(Tier::Full, "echo mine >> a.txt", "echo theirs >> a.txt");
        let inside = world.inside(Tier::Full, &task);
        let merged = inside.merge(&task, &theirs, &message("merge")).unwrap();
        assert!(matches!(merged, Merge::Conflict { .. }), "{merged:?}");
        assert!(world.agent(Tier::Full, &task, resolve).is_success());
        assert!(inside.commit_all(&task, &message("ours")).unwrap().is_something);
        assert_eq!(
            inside.merge(&task, &theirs, &message("merge")).unwrap(),
            Merge::UpToDate
        );
        let imported = brought(&world, Tier::Full, (&repository, &mut task), &[theirs]);
        assert_eq!((imported.n_commits, imported.n_files), (2, 1));
        assert!(!inside.commit_all(&task, &message("none")).unwrap().is_something);
    }
}

/// Hooks, signing, rerere and drivers that the agent set up do not stand in the way, and none of them runs outside.
#[test]
fn settings_of_the_agent_do_not_stop_a_merge() {
    let (world, _, task, theirs) = behind(Tier::Landlock, "echo mine > mine", "echo theirs >> a.txt");
    let script = "mkdir -p ../git/hooks; for hook in pre-merge-commit commit-msg prepare-commit-msg post-merge; do
        printf '#!/bin/sh\\nexit 1\\n' > ../git/hooks/$hook; chmod +x ../git/hooks/$hook; done
        git config commit.gpgsign true; git config rerere.enabled true; git config merge.ff only; git config branch.task/x/work.mergeOptions --squash";
    let output = world.agent(Tier::Landlock, &task, script);
    assert!(output.is_success(), "{}", said(&output));
    let inside = world.inside(Tier::Landlock, &task);
    assert_eq!(
        inside.merge(&task, &theirs, &message("merge")).unwrap(),
        Merge::Clean
    );
}

#[test]
fn what_is_not_committed_stops_a_merge() {
    let (world, _, task, theirs) = behind(
        Tier::Full,
        "echo mine > mine",
        "echo theirs >> a.txt; echo x > new",
    );
    let inside = world.inside(Tier::Full, &task);
    for script in [
        "echo dirty >> a.txt",
        "git checkout -q a.txt; echo untracked > new",
    ] {
        assert!(world.agent(Tier::Full, &task, script).is_success());
        let error = inside.merge(&task, &theirs, &message("merge")).unwrap_err();
        assert!(
            matches!(error, RepositoryError::Inside { .. }),
            "{script}: {error}"
        );
        assert!(!task.is_merging());
    }
    let nowhere = CommitId::parse(&"1".repeat(40)).unwrap();
    inside.merge(&task, &nowhere, &message("merge")).unwrap_err();
}

/// Conflicts are for an agent to resolve; everything else is as git merges it.
#[test]
fn a_merge_is_held_against_that_of_git_alone() {
    let world = World::new();
    world.shell(
        "cd repo; seq 30 > both; git add -A; git commit -qm both; git checkout -q -b ours
        echo mine >> a.txt; sed -i s/^1$/one/ both; git mv src/lib.rs src/renamed.rs; echo o > own; git add -A; git commit -qm ours
        git checkout -q main; echo theirs >> a.txt; sed -i s/^30$/thirty/ both; echo '// main' >> src/lib.rs; chmod +x .gitignore
        echo t > new; git add -A; git commit -qm theirs; git config merge.renames false",
    );
    let repository = world.open();
    let resolved = |name: &str, script: &str| {
        let made = format!(
            "cd repo; git checkout -q ours; git -c merge.renames=true merge -q main || true
            echo resolved > a.txt; {script}; git add -A; git commit -qm {name}; git branch {name}; git reset -q --hard HEAD~1"
        );
        world.shell(&made);
        let merge = repository
            .automatic_merge(
                &repository.resolve("ours").unwrap(),
                &repository.resolve("main").unwrap(),
                &[],
            )
            .unwrap();
        assert_eq!(merge.conflicts.iter().collect::<Vec<_>>(), ["a.txt"]);
        let departed = repository
            .departed_paths(&merge, &repository.resolve(name).unwrap())
            .unwrap();
        departed.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(resolved("good", "true"), Vec::<String>::new());
    assert_eq!(resolved("gone", "git rm -qf new"), ["new"]);
    assert_eq!(resolved("mode", "chmod -x .gitignore"), [".gitignore"]);
    assert_eq!(resolved("half", "sed -i s/thirty/30/ both"), ["both"]);
    assert_eq!(
        resolved("renamed", "git show ours:src/renamed.rs > src/renamed.rs"),
        ["src/renamed.rs"]
    );
    assert_eq!(
        resolved("more", "echo evil > evil; echo x >> own"),
        ["evil", "own"]
    );
}
