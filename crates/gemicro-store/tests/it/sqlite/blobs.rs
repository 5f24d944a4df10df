//! Blob files: shared, missing, damaged.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::StreamExt;
use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_core::store::{Store, StoreError};
use gemicro_event::StreamId;

use crate::make::{all, append_outside, folder, free_run, large, note, open};

pub(crate) fn blob_files(home: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in fs::read_dir(home.join("blobs")).unwrap() {
        let folder = folder.unwrap().path();
        files.extend(fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
    }
    files
}

#[tokio::test]
async fn only_large_data_becomes_a_file_and_once() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "blobs").await;
    append_outside(&store, &stream, vec![note(1), large("a"), large("a")])
        .await
        .unwrap();
    let other = free_run(&store, "other").await;
    append_outside(&store, &other, vec![large("a"), large("b")])
        .await
        .unwrap();
    let files = blob_files(&home);
    assert_eq!(files.len(), 2);
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert_eq!(BlobId::of(&fs::read(&files[0]).unwrap()).as_str(), name);
    assert_eq!(
        files[0].parent().unwrap().file_name().unwrap().to_str().unwrap(),
        &name[..2]
    );
}

#[tokio::test]
async fn a_missing_blob_names_run_and_event() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "missing").await;
    append_outside(&store, &stream, vec![note(1), large("a"), note(2)])
        .await
        .unwrap();
    let file = blob_files(&home).remove(0);
    let whole = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let blob = BlobId::of(&whole).to_string();
    let missing = StoreError::MissingBlob {
        stream: stream.clone(),
        seq: 3,
        blob,
    };
    assert_eq!(store.read(&stream, 0, 10).await.unwrap_err(), missing);
    assert_eq!(store.read(&stream, 3, 10).await.unwrap().events.len(), 1);
    let seen: Vec<_> = store.subscribe(&stream, 0).collect().await;
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[2], Err(missing));

    fs::write(&file, "something else").unwrap();
    let error = store.read(&stream, 0, 10).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Damaged { message } if message.contains("event 3")),
        "{error:?}"
    );

    // Storing the same contents again repairs the file.
    append_outside(&store, &stream, vec![large("a")]).await.unwrap();
    assert_eq!(all(&store, &stream).await.len(), 5);
}

#[tokio::test]
async fn the_port_keeps_bytes() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    // A run's contents may come before the run.
    let stream = StreamId::random();
    let bytes = vec![0u8, 255, 10, 13];
    let id = store.put(&stream, bytes.clone()).await.unwrap();
    assert_eq!(store.put(&stream, bytes.clone()).await.unwrap(), id);
    assert_eq!(*store.get(&id).await.unwrap(), *bytes);
    let unknown = BlobId::of(b"unknown");
    assert!(matches!(store.get(&unknown).await, Err(BlobError::Missing { id }) if id == unknown));
    let file = blob_files(&folder.path().join("home")).remove(0);
    fs::write(file, "changed").unwrap();
    assert!(matches!(store.get(&id).await, Err(BlobError::Damaged { .. })));
}
