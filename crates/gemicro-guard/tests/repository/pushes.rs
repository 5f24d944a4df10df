//! Where a branch of a task goes, and what is said when it is refused.

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{CommitId, PushOutcome, RemoteError};

use crate::remotes::{remote_error, slug, with_origin};

#[test]
fn a_branch_is_pushed_and_nothing_else() {
    let world = with_origin();
    world.shell(
        "cd repo; git config push.followTags true; git config push.pushOption x; git config remote.origin.push '+refs/heads/*:refs/heads/*'
        git config remote.origin.mirror true; git config push.gpgSign true; git tag -a new -m new; git branch mine
        printf '#!/bin/sh\\ntouch %s\\nexit 1\\n' $PWD/../HOOK > .git/hooks/pre-push; chmod +x .git/hooks/pre-push",
    );
    let repository = world.open();
    let there = || world.shell("git -C origin.git for-each-ref");
    let before = there();
    let two = repository.resolve("v2").unwrap();
    assert_eq!(
        repository.push("origin", &slug(), &two).unwrap(),
        PushOutcome::Done
    );
    assert_eq!(
        there().replace(&format!("{two} commit\trefs/heads/task/x/work\n"), ""),
        before
    );
    assert_eq!(
        repository.push("origin", &slug(), &two).unwrap(),
        PushOutcome::UpToDate
    );
    let head = repository.head();
    assert_eq!(
        repository.push("origin", &slug(), head).unwrap(),
        PushOutcome::Done
    );
    assert_eq!(
        world.shell("git -C origin.git rev-parse task/x/work"),
        head.as_str()
    );
    assert!(!world.path("HOOK").exists());
}

#[test]
fn a_push_that_is_refused_says_why() {
    let world = with_origin();
    let repository = world.open();
    let (one, two) = (
        repository.resolve("v1").unwrap(),
        repository.resolve("v2").unwrap(),
    );
    let refused = |commit: &CommitId| {
        let error = repository.push("origin", &slug(), commit).unwrap_err();
        (ErrorKind::from(&error), remote_error(error))
    };
    let there = || world.shell("git -C origin.git for-each-ref refs/heads/task");
    // Behind, and then beside.
    repository.push("origin", &slug(), &two).unwrap();
    let (kind, error) = refused(&one);
    assert_eq!(kind, ErrorKind::Conflict);
    assert!(matches!(error, RemoteError::NotFastForward { .. }), "{error}");
    world.shell("cd other; git fetch -q; git switch -q task/x/work; git commit -q --allow-empty -m theirs; git push -q");
    let before = there();
    let (_, error) = refused(repository.head());
    assert!(matches!(error, RemoteError::NotFastForward { .. }), "{error}");
    assert_eq!(there(), before);
    // Protected.
    world.shell("printf '#!/bin/sh\\necho \"error: GH006: protected\\033[2J branch\" >&2\\nexit 1\\n' > origin.git/hooks/update; chmod +x origin.git/hooks/update; git -C origin.git update-ref refs/heads/task/x/work v1");
    let (kind, error) = refused(repository.head());
    assert_eq!(kind, ErrorKind::PermissionDenied);
    let text = error.to_string();
    assert!(matches!(error, RemoteError::PushRefused { .. }), "{text}");
    assert!(
        text.contains("hook declined") && text.contains("GH006: protected[2J branch"),
        "{text}"
    );
    // A commit that is not there.
    let nowhere = CommitId::parse(&"1".repeat(40)).unwrap();
    repository.push("origin", &slug(), &nowhere).unwrap_err();
}
