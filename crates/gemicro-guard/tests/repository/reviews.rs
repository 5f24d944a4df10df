//! Agents that judge: what they are given to read, where they may write, and what of it comes back.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{
    BundleResult, CommitMessage, Import, ImportRefusal, ImportRules, InsideCommand, RepositoryError,
    TaskRepo, TaskSandbox, TrustedRepo, import,
};
use gemicro_guard::sandbox::{Network, ResourceLimits, Tier, WriteMode};

use crate::outside::Outside;
use crate::world::{PATH, PATIENCE, World, launcher, read, said, tiers};

const REVIEWS: &str = "docs/dev_docs/reviews";

fn sandbox(world: &World, mode: WriteMode) -> TaskSandbox {
    TaskSandbox {
        mode,
        user_home: world.path("user"),
        readable: Vec::new(),
        hidden: vec![world.path("state")],
        network: Network::None,
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: vec![("PATH".to_owned(), PATH.to_owned())],
    }
}

fn taken_over(
    world: &World,
    (repository, task): (&TrustedRepo, &mut TaskRepo),
    only: &[&str],
) -> Result<Import, RepositoryError> {
    let inside = world.inside(Tier::Full, task);
    let message = CommitMessage {
        text: "review".to_owned(),
        trailers: Vec::new(),
    };
    inside.commit_all(task, &message)?;
    if inside.bundle(task)? == BundleResult::Nothing {
        return Ok(Import::Nothing);
    }
    let rules = ImportRules {
        only: Some(only.iter().map(|prefix| (*prefix).to_owned()).collect()),
        ..ImportRules::default()
    };
    import(repository, task, &rules)
}

#[test]
fn a_reviewer_writes_its_folder_alone() {
    for (idx, tier) in tiers().into_iter().enumerate() {
        let world = World::new();
        let repository = world.open();
        let mut task = world.task(&repository);
        let outside = Outside::take(&world);
        let mode = [WriteMode::WorkspaceWrite, WriteMode::ReadOnly][idx];
        let profile = task.review_profile(sandbox(&world, mode), &[REVIEWS]).unwrap();
        let inside = InsideCommand {
            launcher: launcher(),
            tier,
            profile,
            time_limit: PATIENCE,
        };
        let script = format!(
            "echo evil > a.txt; rm -rf src; echo evil > docs/dev_docs/evil; echo evil > ../git/HEAD; echo evil > ../git/objects/evil
            git commit -q --allow-empty -m evil; git add -A; mv {REVIEWS} docs/gone; ln -s ../../../a.txt {REVIEWS}/link; echo evil > {REVIEWS}/link; rm {REVIEWS}/link
            echo good > {REVIEWS}/report.md && git log --oneline | wc -l && git diff --stat HEAD && cat a.txt"
        );
        let command = ["/bin/bash".into(), "-c".into(), script.into()];
        let output = inside.run(&command).unwrap();
        assert!(output.is_success(), "{tier}: {}", said(&output));
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(printed, "3\none\ntwo\nthree\n", "{tier}: {}", said(&output));
        outside.assert_same(&world, tier, "a reviewer");
        let imported = taken_over(&world, (&repository, &mut task), &["docs/dev_docs/reviews/"]).unwrap();
        let Import::Done(imported) = imported else {
            panic!("{tier}: nothing was imported");
        };
        assert_eq!((imported.n_commits, imported.n_files), (1, 1), "{tier}");
        let paths = repository.changed_paths(&imported.old, &imported.new).unwrap();
        assert_eq!(paths, ["docs/dev_docs/reviews/report.md"], "{tier}");
    }
}

#[test]
fn a_folder_behind_a_link_is_not_opened() {
    let world = World::new();
    let task = world.task(&world.open());
    let outside = Outside::take(&world);
    let script = "mkdir -p real; ln -s ../../../../repo up; ln -s real inner; echo file > file; ln -s /nowhere dangling";
    assert!(world.agent(Tier::Full, &task, script).is_success());
    for folder in [
        "up",
        "up/new",
        "inner",
        "inner/new",
        "file",
        "file/new",
        "dangling",
    ] {
        let error = task
            .review_profile(sandbox(&world, WriteMode::WorkspaceWrite), &["real", folder])
            .unwrap_err();
        assert!(matches!(error, RepositoryError::File { .. }), "{folder}: {error}");
    }
    for folder in [
        "",
        "/",
        "..",
        "../git",
        "real/../..",
        "/etc",
        ".git",
        "real/.GIT",
        "./real",
    ] {
        let error = task
            .review_profile(sandbox(&world, WriteMode::WorkspaceWrite), &[folder])
            .unwrap_err();
        assert!(
            matches!(error, RepositoryError::BadPath { .. }),
            "{folder}: {error}"
        );
        assert_eq!(ErrorKind::from(&error), ErrorKind::InvalidInput);
    }
    outside.assert_same(&world, Tier::Full, "links");
}

#[test]
fn changes_elsewhere_are_refused() {
    let world = World::new();
    world.shell(
        "cd repo; mkdir -p docs/reviews; echo old > docs/reviews/old; git add -A; git commit -qm reviews",
    );
    let repository = world.open();
    let mut task = world.task(&repository);
    let outside = Outside::take(&world);
    for (script, expected) in [
        ("echo x >> a.txt", &["a.txt"][..]),
        ("git rm -q a.txt", &["a.txt"]),
        ("chmod +x a.txt", &["a.txt"]),
        ("git mv a.txt docs/reviews/a.txt", &["a.txt"]),
        ("git mv docs/reviews/old old", &["old"]),
        ("echo x > docs/reviews.md", &["docs/reviews.md"]),
        (
            "mkdir -p Docs/reviews; echo x > Docs/reviews/x",
            &["Docs/reviews/x"],
        ),
        ("rm -r docs/reviews; ln -s ../src docs/reviews", &["docs/reviews"]),
        (
            "echo x > $'new\\n\\033[2J'; echo x > docs/reviews/x",
            &["new\\u{a}\\u{1b}[2J"],
        ),
        // In another commit, and although the last one takes a part of it back.
        (
            "echo x > src/x; echo x > src/y; git add -A; git commit -qm x; git rm -q src/y; git commit -qm y",
            &["src/x"],
        ),
    ] {
        let output = world.agent(Tier::Full, &task, script);
        assert!(output.is_success(), "{script}: {}", said(&output));
        let error = taken_over(&world, (&repository, &mut task), &["docs/reviews/"]).unwrap_err();
        assert_eq!(ErrorKind::from(&error), ErrorKind::ImportRefused);
        let text = error.to_string();
        assert!(text.contains("(docs/reviews/)"), "{text}");
        let RepositoryError::Refused(ImportRefusal::Outside { paths, n_paths, .. }) = error else {
            panic!("{script}: {text}");
        };
        assert_eq!(
            (paths.as_slice(), n_paths),
            (
                &expected.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()[..],
                expected.len()
            ),
            "{script}"
        );
        task.rebuild(&repository).unwrap();
    }
    world.agent(Tier::Full, &task, "for n in $(seq 30); do echo $n > n$n; done");
    let error = taken_over(&world, (&repository, &mut task), &["docs/reviews/"]).unwrap_err();
    assert!(error.to_string().contains("and 29 more paths"), "{error}");
    task.rebuild(&repository).unwrap();
    outside.assert_same(&world, Tier::Full, "elsewhere");
    // An empty list allows nothing, a file itself.
    world.agent(
        Tier::Full,
        &task,
        "echo x >> a.txt; echo x > docs/reviews/new; git rm -q docs/reviews/old",
    );
    taken_over(&world, (&repository, &mut task), &[]).unwrap_err();
    let imported = taken_over(&world, (&repository, &mut task), &["docs/reviews/", "a.txt"]).unwrap();
    assert!(matches!(imported, Import::Done(imported) if imported.n_files == 3));
}

#[test]
fn what_is_handed_over_can_be_read_and_not_written() {
    for tier in tiers() {
        let world = World::new();
        let repository = world.open();
        let mut task = world.task(&repository);
        assert!(!task.handover().exists());
        let path = task.write_handover("plan.md", b"first").unwrap();
        assert_eq!(path, task.handover().join("plan.md"));
        task.write_handover("plan.md", b"second\n").unwrap();
        let inside = InsideCommand {
            profile: task.profile(sandbox(&world, WriteMode::WorkspaceWrite)),
            ..world.inside(tier, &task)
        };
        let script = format!(
            "cat {0}/plan.md; echo evil > {0}/plan.md; rm {0}/plan.md; echo evil > {0}/new; mv {0} {0}.old; chmod 777 {0}/plan.md; git status --porcelain",
            task.handover().display()
        );
        let output = inside
            .run(&["/bin/bash".into(), "-c".into(), script.into()])
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(printed, "second\n", "{tier}: {}", said(&output));
        assert_eq!(read(&path), "second\n");
        assert_eq!(std::fs::read_dir(task.handover()).unwrap().count(), 1, "{tier}");
        task.rebuild(&repository).unwrap();
        assert_eq!(read(&path), "second\n");
    }
}

#[test]
fn only_plain_names_are_handed_over() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::new();
    let task = world.task(&world.open());
    for name in [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/x",
        ".hidden",
        "-x",
        "a b",
        "ü",
        "a\0",
        &"x".repeat(101),
    ] {
        let error = task.write_handover(name, b"x").unwrap_err();
        assert!(
            matches!(error, RepositoryError::BadPath { .. }),
            "{name}: {error}"
        );
    }
    assert!(!task.handover().exists());
    let path = task.write_handover("a", b"x").unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&task.handover()), mode(&path)), (0o700, 0o600));
    // A link in its place is replaced, not followed.
    let beside = world.path("beside.txt");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&beside, &path).unwrap();
    std::os::unix::fs::symlink(&beside, task.handover().join(".a.new")).unwrap();
    task.write_handover("a", b"y").unwrap();
    assert_eq!(
        (read(&beside), read(&path)),
        ("beside".to_owned(), "y".to_owned())
    );
}
