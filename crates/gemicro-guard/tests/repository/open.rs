//! Repositories that can be opened, with their notes, and those that cannot, with their errors.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{GitSettings, RepositoryError, RepositoryNote, TaskStart, TrustedRepo};

use crate::world::World;

fn refused(world: &World, folder: &str) -> RepositoryError {
    TrustedRepo::open(&world.settings(), &world.path(folder)).unwrap_err()
}

#[test]
fn what_is_no_checkout_is_refused() {
    let world = World::without_repository();
    world.shell("mkdir empty; git init -q --bare bare.git; git init -q unborn");
    let error = refused(&world, "empty");
    assert!(matches!(error, RepositoryError::NotARepository { .. }), "{error}");
    let error = refused(&world, "missing");
    assert!(matches!(error, RepositoryError::NotARepository { .. }), "{error}");
    for folder in ["bare.git", "unborn/.git"] {
        let error = refused(&world, folder);
        assert!(matches!(error, RepositoryError::NoCheckout { .. }), "{error}");
    }
    let error = refused(&world, "unborn");
    assert!(matches!(error, RepositoryError::NoCommits), "{error}");
    assert_eq!(ErrorKind::from(&error), ErrorKind::UnsupportedRepository);
    world.shell("git config --global safe.bareRepository explicit");
    let error = refused(&world, "bare.git");
    assert!(matches!(error, RepositoryError::NoCheckout { .. }), "{error}");
}

#[test]
fn partial_clones_are_refused() {
    let world = World::new();
    world.shell(
        "git -C repo config uploadpack.allowFilter true
        git clone -q --filter=blob:none --no-checkout file://$PWD/repo partial 2>/dev/null",
    );
    let error = refused(&world, "partial");
    let RepositoryError::PartialClone { setting } = &error else {
        panic!("{error}");
    };
    assert!(setting.contains("promisor"), "{setting}");
    assert!(error.to_string().contains("without --filter"));
    world.shell("git -C repo config remote.up.promisor false");
    world.open();
    world.shell("git -C repo config extensions.partialClone origin");
    let error = refused(&world, "repo");
    assert!(matches!(error, RepositoryError::PartialClone { .. }), "{error}");
}

/// As root a repository is given away. Anybody else cannot do that: there git is told to see another owner.
#[test]
fn repositories_of_others_are_refused() {
    let world = World::new();
    let mut settings = world.settings();
    if rustix::process::getuid().is_root() {
        world.shell("chown -R 61235 repo");
    } else {
        world.shell(
            "mkdir fake; printf '#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec /usr/bin/git \"$@\"\n' > fake/git
            chmod +x fake/git",
        );
        settings.search_path = format!("{}:/usr/bin:/bin", world.path("fake").display()).into();
    }
    let error = TrustedRepo::open(&settings, &world.path("repo/src")).unwrap_err();
    assert!(matches!(error, RepositoryError::OtherOwner { .. }), "{error}");
    assert_eq!(ErrorKind::from(&error), ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("safe.directory"));
    world.shell("git config --global --add safe.directory $PWD/repo");
    TrustedRepo::open(&settings, &world.path("repo/src")).unwrap();
}

#[test]
fn folders_below_and_linked_worktrees_are_found() {
    let world = World::new();
    world.shell("git -C repo worktree add -q ../linked other");
    let main = world.open();
    for folder in ["repo/src", "linked", "linked/src"] {
        let found = TrustedRepo::open(&world.settings(), &world.path(folder)).unwrap();
        assert_eq!(found.common(), main.common());
    }
    let linked = TrustedRepo::open(&world.settings(), &world.path("linked")).unwrap();
    assert_eq!(linked.head(), &linked.resolve("other").unwrap());
    assert_ne!(linked.head(), main.head());
    assert_eq!(linked.top(), world.path("linked"));
    let error = main.resolve("--output=/tmp/x").unwrap_err();
    assert!(
        matches!(error, RepositoryError::UnknownRevision { .. }),
        "{error}"
    );
}

#[test]
fn what_the_user_should_know_is_noted() {
    let world = World::new();
    assert_eq!(world.open().notes(), []);
    world.shell("cd repo; echo dirty >> a.txt");
    assert_eq!(world.open().notes(), [RepositoryNote::Uncommitted]);
    world.shell("cd repo; git checkout -q a.txt; git checkout -q --detach; touch new");
    assert_eq!(
        world.open().notes(),
        [RepositoryNote::Uncommitted, RepositoryNote::Detached]
    );
    world.shell(
        "cd repo; rm new; git switch -q main; git init -q ../module; git -C ../module commit -q --allow-empty -m m
        git -c protocol.file.allow=always submodule --quiet add ../module module
        echo '*.bin filter=lfs diff=lfs merge=lfs -text' > .gitattributes; git add -A; git commit -qm more",
    );
    assert_eq!(
        world.open().notes(),
        [RepositoryNote::Submodules, RepositoryNote::Lfs]
    );
}

/// A user who stands in a task's folder must not make gemicro start git there.
#[test]
fn folders_of_agents_are_never_opened() {
    let world = World::new();
    let task = world.task(&world.open());
    let mut settings = world.settings();
    settings.agent_folders = vec![world.path("state/tasks")];
    world.shell("ln -s state/tasks/t1/wt/src link; git -C repo config core.fsmonitor 'touch ../FSMONITOR'");
    for folder in [
        task.worktree(),
        task.worktree().join("src"),
        task.folder().join("git"),
        world.path("link"),
    ] {
        let error = TrustedRepo::open(&settings, &folder).unwrap_err();
        assert!(matches!(error, RepositoryError::AgentsFolder { .. }), "{error}");
    }
    TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    assert!(!world.path("FSMONITOR").exists());
}

/// Nothing of the caller's environment reaches git, no hook runs, and a git that hangs is ended.
#[test]
fn git_is_started_bare_and_bounded() {
    let world = World::new();
    let fake = world.path("fake");
    world.shell("mkdir fake; printf '#!/bin/sh\\nenv > %s/env\\nexec /usr/bin/git \"$@\"\\n' $PWD > fake/git; chmod +x fake/git");
    let mut settings = world.settings();
    settings.search_path = format!("{}:/usr/bin:/bin", fake.display()).into();
    TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    let environment = crate::world::read(&world.path("env"));
    let mut names: Vec<&str> = environment
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with("GIT_CONFIG_KEY_") && !name.starts_with("GIT_CONFIG_VALUE_"))
        .collect();
    names.sort_unstable();
    // The last three are the shell's own.
    let expected = [
        "GIT_CONFIG_COUNT",
        "GIT_NO_LAZY_FETCH",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OPTIONAL_LOCKS",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "HOME",
        "LC_ALL",
        "PATH",
        "PWD",
    ];
    names.retain(|name| !["_", "SHLVL", "OLDPWD"].contains(name));
    assert_eq!(names, expected);

    world.shell("printf '#!/bin/sh\\nsleep 86396 & sleep 86396\\n' > fake/git");
    settings.time_limit = std::time::Duration::from_millis(300);
    let error = TrustedRepo::open(&settings, &world.path("repo")).unwrap_err();
    assert!(matches!(error, RepositoryError::GitTimeout { .. }), "{error}");
    settings.search_path = "/nowhere".into();
    let error = TrustedRepo::open(&settings, &world.path("repo")).unwrap_err();
    assert_eq!(ErrorKind::from(&error), ErrorKind::CommandNotFound);
}

#[test]
fn programs_that_a_repository_names_are_not_started() {
    let world = World::new();
    world.shell(
        "cd repo; git remote add origin git@example.invalid:x.git
        echo '* filter=p diff=p' > .git/info/attributes; tr a-z A-Z < a.txt > $HOME/b; mv $HOME/b a.txt
        for key in filter.p.clean filter.p.smudge diff.p.textconv diff.external core.fsmonitor core.sshCommand; do
            git config $key \"touch $HOME/STARTED-$key; cat\"; done",
    );
    let repository = TrustedRepo::open(&world.settings(), &world.path("repo")).unwrap();
    let error = repository.main_branch(None).unwrap_err().to_string();
    let words = "`core.sshcommand` in this repository's .git/config names a program";
    assert!(error.contains(words), "{error}");
    let left = world.shell("ls $HOME");
    assert!(!left.contains("STARTED"), "{left}");
}

#[test]
fn settings_that_cannot_be_switched_off_are_refused() {
    for plant in [
        r#"printf '[filter "\377"]\n\tclean = touch PLANTED\n' >> repo/.git/config"#,
        r#"printf '[filter "p"]\n\tclean = touch PLANTED\n' > repo/.git/more
           git -C repo config 'includeIf.gitdir:**/worktrees/**.path' more"#,
        "git -C repo config 'includeIf.onbranch:task/**.path' more",
        "git -C repo config core.gitProxy 'touch PLANTED'",
        "git -C repo config gc.recentObjectsHook 'touch PLANTED'",
        r#"git -C repo config extensions.worktreeConfig true
           printf '[includeIf "gitdir:**"]\n\tpath = more\n' > repo/.git/config.worktree"#,
    ] {
        let world = World::new();
        world.shell(plant);
        let error = refused(&world, "repo");
        assert!(
            matches!(error, RepositoryError::UnsafeSetting { .. }),
            "{plant}: {error}"
        );
        assert!(error.to_string().contains("git config --local --edit"), "{error}");
    }
}

#[test]
fn programs_of_a_worktree_are_not_started() {
    let world = World::new();
    world.shell(
        "git -C repo worktree add -q ../linked -b linked
        git -C repo config extensions.worktreeConfig true
        echo '* filter=p' > linked/.gitattributes
        git -C linked config --worktree filter.p.clean \"touch $PWD/PLANTED; cat\"
        git -C linked config --worktree core.sshCommand \"touch $PWD/PLANTED\"
        tr a-z A-Z < linked/a.txt > up; mv up linked/a.txt",
    );
    let settings = world.settings();
    let main = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    assert!(main.top().ends_with("repo"));
    // Opening a checkout looks for changes, which is what filters are for.
    TrustedRepo::open(&settings, &world.path("linked")).unwrap();
    assert!(!world.path("PLANTED").exists());
}

#[test]
fn an_alternate_that_holds_more_than_objects_is_refused() {
    let world = World::new();
    world.shell(
        "mkdir keys; echo secret > keys/id_ed25519
        git clone -q --shared repo shared
        echo ../../../keys > repo/.git/objects/info/alternates",
    );
    let error = refused(&world, "repo");
    assert!(matches!(error, RepositoryError::BadAlternate { .. }), "{error}");
    // Objects of another repository are what alternates are for.
    world.shell("rm repo/.git/objects/info/alternates");
    TrustedRepo::open(&world.settings(), &world.path("shared")).unwrap();
}

#[test]
fn a_link_in_the_git_folder_copies_no_file() {
    for name in ["info/exclude", "shallow"] {
        let world = World::new();
        let repository = world.open();
        world.shell(&format!(
            "echo secret > key; mkdir -p repo/.git/info; rm -f repo/.git/{name}; ln -s $PWD/key repo/.git/{name}"
        ));
        let start = TaskStart::New(repository.head().clone());
        let made = world.try_task(&repository, "t1", "x/work", start);
        assert!(made.is_ok() || name == "shallow", "{made:?}");
        let found = world.shell("grep -rl secret state 2>/dev/null || true");
        assert_eq!(found.trim(), "", "{name}");
    }
}

#[test]
fn a_git_that_the_repository_brings_is_not_started() {
    let world = World::new();
    world.shell(
        "mkdir -p repo/node_modules/.bin
        printf '#!/bin/sh\\ntouch PLANTED\\n' > repo/node_modules/.bin/git; chmod +x repo/node_modules/.bin/git",
    );
    let mut path = world.path("repo/node_modules/.bin").into_os_string();
    path.push(":/usr/local/bin:/usr/bin:/bin");
    let settings = GitSettings::new(path, world.path("user"));
    TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    assert_eq!(world.shell("find . -name PLANTED").trim(), "");
}
