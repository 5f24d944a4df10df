//! Commands that misbehave.

use std::time::{Duration, Instant};

use gemicro_notify::{Notifier, NotifySettings};

async fn error_of(command: String) -> Option<String> {
    let settings = NotifySettings {
        command: Some(command),
        ..NotifySettings::default()
    };
    let outcomes = Notifier::test(&settings).await;
    outcomes.into_iter().next().unwrap().error
}

/// None of them holds its caller for longer than the limit, and no process of theirs is left.
#[tokio::test(flavor = "multi_thread")]
async fn commands_that_hang_fail_or_flood() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("left");
    let begun = Instant::now();
    let hangs = format!("(sleep 14; touch {}) & sleep 60", left.display());
    let (hangs, fails, floods, ignores) = tokio::join!(
        error_of(hangs),
        error_of("cat >/dev/null; exit 3".to_owned()),
        error_of("while :; do echo flood; echo flood >&2; done".to_owned()),
        error_of("exec <&-; true".to_owned()),
    );
    assert!(begun.elapsed() < Duration::from_secs(13), "{:?}", begun.elapsed());
    assert_eq!(hangs.as_deref(), Some("the command did not end within 10 s"));
    assert_eq!(floods.as_deref(), Some("the command did not end within 10 s"));
    assert_eq!(fails.as_deref(), Some("the command ended with exit status: 3"));
    assert_eq!(ignores, None);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!left.exists(), "a process outlived the limit");
}
