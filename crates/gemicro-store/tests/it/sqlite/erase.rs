//! Erasing, pruning, sweeping.

use std::fs;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use gemicro_core::blob::Blobs;
use gemicro_core::command::AgentCommand;
use gemicro_core::store::{Store, StoreError};

use super::blobs::blob_files;
use crate::make::{MINUTE, all, append_outside, folder, free_run, large, new_run, note, open, started};

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
async fn a_sweep_removes_what_no_one_names() {
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
