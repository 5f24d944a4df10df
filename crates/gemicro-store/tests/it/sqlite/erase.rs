//! Erasing, pruning, sweeping.

use std::fs;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use gemicro_core::blob::Blobs;
use gemicro_core::command::AgentCommand;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{RunStatus, Timestamp};
use gemicro_store::{PruneRule, RunFilter, SqliteStore};

use super::blobs::{blob_files, large};
use crate::make::{
    MINUTE, all, append_outside, driven_run, end, folder, free_run, new_run, note, open, started,
};

#[tokio::test]
async fn erasing_leaves_a_tombstone_and_what_others_need() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "secret canary title").await;
    let other = free_run(&store, "other").await;
    let mut secret = note(1);
    secret.update.message = "canary in the table".to_owned();
    append_outside(&store, &stream, vec![large("a"), large("b"), secret])
        .await
        .unwrap();
    append_outside(&store, &other, vec![large("a")]).await.unwrap();
    store
        .save_snapshot(&stream, 1, b"canary state".to_vec())
        .await
        .unwrap();
    store
        .send_command(&stream, AgentCommand::cancel("canary"))
        .await
        .unwrap();
    store.put(&stream, b"put".to_vec()).await.unwrap();
    let erased = store.erase(&stream).await.unwrap();
    assert_eq!((erased.n_events, erased.n_blobs), (4, 2));
    assert_eq!(blob_files(&home).len(), 1);
    assert_eq!(all(&store, &other).await.len(), 2);

    let row = store.run(&stream).await.unwrap();
    assert_eq!((row.title.as_str(), row.n_events), ("erased", 4));
    assert_eq!(store.find_run(stream.as_str()).await.unwrap(), stream);
    let error = store.read(&stream, 0, 1).await.unwrap_err();
    assert!(matches!(&error, StoreError::Erased { .. }), "{error:?}");
    assert_eq!(
        append_outside(&store, &stream, vec![note(1)]).await.unwrap_err(),
        error
    );
    assert_eq!(store.take_lease(&stream, "me", MINUTE).await.unwrap_err(), error);
    assert_eq!(store.load_snapshot(&stream).await.unwrap_err(), error);
    assert_eq!(store.open_commands(&stream).await.unwrap_err(), error);
    assert!(store.put(&stream, b"again".to_vec()).await.is_err());
    let again = store.create(new_run(&stream, vec![started("again")])).await;
    assert_eq!(
        again.unwrap_err(),
        StoreError::Exists {
            stream: stream.clone()
        }
    );
    let seen: Vec<_> = store.subscribe(&stream, 1).collect().await;
    let [Ok(gap), Err(last)] = seen.as_slice() else {
        panic!("a gap and the reason: {seen:?}")
    };
    assert_eq!((gap.update.event_type.as_str(), gap.seq), ("gap", 4));
    assert_eq!(gap.update.data["first_available"], 5);
    assert_eq!(*last, error);
    store.erase(&stream).await.unwrap();

    store.close().await;
    for file in fs::read_dir(&home)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.is_file())
    {
        let bytes = fs::read(&file).unwrap();
        assert!(
            !bytes.windows(6).any(|window| window == b"canary"),
            "{} still holds it",
            file.display()
        );
    }
}

#[tokio::test]
async fn a_run_that_is_worked_on_is_not_erased() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let lease = driven_run(&store, "driver").await;
    let error = store.erase(&lease.stream).await.unwrap_err();
    assert!(matches!(error, StoreError::LeaseHeld { .. }), "{error:?}");
    store.release_lease(&lease).await.unwrap();
    store.erase(&lease.stream).await.unwrap();
}

#[tokio::test]
async fn a_blob_survives_an_erase_between_its_file_and_its_event() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    // Many rounds of: one run erases the content while another appends it.
    for round in 0..20 {
        let first = free_run(&store, "first").await;
        let second = free_run(&store, "second").await;
        let content = || large(&format!("round {round}"));
        append_outside(&store, &first, vec![content()]).await.unwrap();
        let (erased, appended) = tokio::join!(
            store.erase(&first),
            append_outside(&store, &second, vec![content()])
        );
        erased.unwrap();
        appended.unwrap();
        assert_eq!(all(&store, &second).await.len(), 2);
    }
}

#[tokio::test]
async fn a_sweep_removes_what_nobody_names() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "kept").await;
    append_outside(&store, &stream, vec![large("kept")])
        .await
        .unwrap();
    let kept = blob_files(&home);
    let orphan = home.join("blobs/ab").join(format!("ab{}", "0".repeat(62)));
    fs::create_dir_all(orphan.parent().unwrap()).unwrap();
    let half = orphan.with_file_name("new-half-written");
    let young = orphan.with_file_name(format!("ab{}", "1".repeat(62)));
    let long_ago = SystemTime::now() - Duration::from_secs(86_400);
    for path in [&orphan, &half, &young, &kept[0]] {
        if !path.exists() {
            fs::write(path, "left over").unwrap();
        }
        if path != &young {
            fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(long_ago)
                .unwrap();
        }
    }
    let swept = store.sweep().await.unwrap();
    assert_eq!((swept.n_blobs, swept.blob_bytes), (1, 9));
    assert!(kept[0].exists() && young.exists() && !orphan.exists() && !half.exists());
    assert_eq!(all(&store, &stream).await.len(), 2);
}

async fn ended_run(store: &SqliteStore, age: Duration) -> gemicro_event::StreamId {
    let stream = free_run(store, "ended").await;
    let mut last = end();
    last.update.timestamp =
        Timestamp::from_millis(Timestamp::now().as_millis() - i64::try_from(age.as_millis()).unwrap());
    append_outside(store, &stream, vec![large(stream.as_str()), last])
        .await
        .unwrap();
    stream
}

#[tokio::test]
async fn pruning_by_age_takes_old_ended_runs() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let day = Duration::from_secs(86_400);
    let old = ended_run(&store, day * 30).await;
    let recent = ended_run(&store, day).await;
    let open_run = free_run(&store, "open for ages").await;
    let rule = PruneRule {
        older_than: Some(day * 7),
        max_bytes: None,
    };
    let report = store.prune(&rule).await.unwrap();
    assert_eq!(
        (report.runs.as_slice(), report.n_events, report.n_blobs),
        ([old.clone()].as_slice(), 3, 1)
    );
    assert!(report.bytes_after < report.bytes_before);
    assert!(matches!(
        store.read(&old, 0, 1).await,
        Err(StoreError::Erased { .. })
    ));
    assert_eq!(all(&store, &recent).await.len(), 3);
    assert_eq!(all(&store, &open_run).await.len(), 1);
    assert_eq!(store.prune(&rule).await.unwrap().runs, vec![]);
    let erased = store
        .runs(&RunFilter {
            status: Some(RunStatus::Completed),
            ..RunFilter::default()
        })
        .await
        .unwrap();
    assert_eq!(erased.len(), 2);
}

#[tokio::test]
async fn pruning_by_size_takes_the_oldest_first() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let mut runs = Vec::new();
    for age in [50, 40, 30, 20, 10] {
        runs.push(ended_run(&store, Duration::from_secs(age * 3600)).await);
    }
    let unlimited = store.prune(&PruneRule::default()).await.unwrap();
    assert_eq!(unlimited.runs, vec![]);
    let max_bytes = unlimited.bytes_after - 400_000;
    let report = store
        .prune(&PruneRule {
            older_than: None,
            max_bytes: Some(max_bytes),
        })
        .await
        .unwrap();
    assert_eq!(report.runs, runs[..2]);
    assert!(report.bytes_after <= max_bytes, "{report:?}");
}
