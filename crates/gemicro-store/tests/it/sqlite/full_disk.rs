//! No room: a clear error, nothing half written, and work goes on when there is room again.

use std::fs;
use std::path::Path;
use std::process::Command;

use gemicro_core::store::{NewEvent, Store, StoreError};
use gemicro_event::StreamId;
use gemicro_store::{SqliteStore, StoreOptions};
use serde_json::json;

use super::processes::{child, child_arguments};
use crate::make::{MINUTE, all, append_outside, event, folder, free_run, gap_free, large, note, open};

fn medium() -> NewEvent {
    event("noted", json!({ "text": "x".repeat(10_000) }))
}

/// Appends until there is no room; answers how many events were acknowledged.
async fn fill(store: &SqliteStore, stream: &StreamId) -> u64 {
    let mut last = 0;
    for _ in 0..10_000 {
        match append_outside(store, stream, vec![note(0), medium()]).await {
            Ok(appended) => last = appended.events[1].seq,
            Err(StoreError::Full { .. }) => return last,
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("the disk is never full");
}

#[tokio::test]
async fn a_store_at_its_limit_says_so_and_keeps_everything() {
    let folder = folder();
    let home = folder.path().join("home");
    let options = StoreOptions {
        max_bytes: Some(1 << 20),
        ..StoreOptions::default()
    };
    let store = SqliteStore::open_with(&home, &options).await.unwrap();
    let stream = free_run(&store, "limited").await;
    let n_events = fill(&store, &stream).await;
    assert_eq!(gap_free(&all(&store, &stream).await), n_events);

    // What needs no room still works, also in a group with what does.
    let (refused, lease) = tokio::join!(
        append_outside(&store, &stream, vec![medium()]),
        store.take_lease(&stream, "me", MINUTE)
    );
    assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
    store.release_lease(&lease.unwrap()).await.unwrap();
    store.close().await;
    let store = open(&home).await;
    assert_eq!(gap_free(&all(&store, &stream).await), n_events);
    assert_eq!(
        append_outside(&store, &stream, vec![medium()])
            .await
            .unwrap()
            .events[0]
            .seq,
        n_events + 1
    );
}

#[test]
fn a_full_disk_says_so_and_keeps_everything() {
    let folder = folder();
    let mount = folder.path().join("small-disk");
    fs::create_dir(&mount).unwrap();
    let script = r#"mount -t tmpfs -o size=3m,mode=700 tmpfs "$GEMICRO_TEST_HOME" && exec "$0" "$@""#;
    let inner = child("sqlite::full_disk::child_on_a_small_disk", &mount, "fill");
    let mut outer = Command::new("unshare");
    outer.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    outer.arg(inner.get_program()).args(inner.get_args());
    outer.envs(inner.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let can_mount = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            r#"mount -t tmpfs tmpfs "$0""#,
        ])
        .arg(&mount)
        .status();
    if !can_mount.is_ok_and(|status| status.success()) {
        let skipped = "this system lets nobody mount a small disk; only the limit of the database was tested";
        assert!(
            std::env::var_os("CI").is_none(),
            "a check may not skip itself in CI: {skipped}"
        );
        println!("SKIPPED: {skipped}");
        return;
    }
    let output = outer.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("the small disk was full"),
        "{text}"
    );
}

#[tokio::test]
#[ignore = "a child of the test above"]
async fn child_on_a_small_disk() {
    let Some((mount, _)) = child_arguments() else {
        return;
    };
    let home = mount.join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "full").await;
    append_outside(&store, &stream, vec![note(1)]).await.unwrap();
    take_all_space(&mount);
    let n_events = fill(&store, &stream).await.max(2);
    let refused = append_outside(&store, &stream, vec![large("blob")]).await;
    assert!(matches!(refused, Err(StoreError::Full { .. })), "{refused:?}");
    assert_eq!(gap_free(&all(&store, &stream).await), n_events);
    println!("the small disk was full");
    fs::remove_file(mount.join("filler")).unwrap();
    let appended = append_outside(&store, &stream, vec![large("blob"), medium()])
        .await
        .unwrap();
    assert_eq!(appended.events[1].seq, n_events + 2);
    store.verify().await.unwrap();
    store.close().await;
    assert_eq!(gap_free(&all(&open(&home).await, &stream).await), n_events + 2);
}

fn take_all_space(mount: &Path) {
    use std::io::Write;
    let mut filler = fs::File::create(mount.join("filler")).unwrap();
    while filler.write_all(&[0; 4096]).is_ok() {}
}
