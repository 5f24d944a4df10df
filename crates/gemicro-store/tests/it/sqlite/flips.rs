//! A database file that changed on the disk: single bits, a missing end, a missing write-ahead log.

use std::fs;
use std::path::{Path, PathBuf};

use gemicro_core::store::{Append, BoardLine, NewStream, Store, StoreError, StreamKind, Writer};
use gemicro_event::{ErrorKind, Json, StreamId};
use gemicro_store::{DeadLetterFilter, DurableStore, RunFilter};
use serde_json::json;

use crate::durable::dead_letters::failed;
use crate::make::{append_outside, end, event, folder, free_run, large, new_run, note, open};

/// Runs of several kinds with texts in them, and a conversation; closed.
async fn filled(home: &Path) -> Vec<StreamId> {
    let store = open(home).await;
    let mut streams = Vec::new();
    for n in 0..12_usize {
        let stream = free_run(&store, &format!("run number {n}")).await;
        let text = format!("what was said in run {n}, word for word; ").repeat(5);
        let line = BoardLine {
            place: 0,
            state: "completed".to_owned(),
            shown: Json::from(json!({ "task_id": n, "output": text })),
        };
        let append = Append {
            stream: stream.clone(),
            writer: Writer::Outside,
            events: (0..20)
                .map(|at| event("noted", json!({ "at": at, "text": text })))
                .collect(),
            board: vec![line],
        };
        store.append(append).await.unwrap();
        let last = match n % 3 {
            0 => vec![large("x"), end()],
            1 => vec![failed("ask", 1, ErrorKind::Timeout, 9)],
            _ => vec![note(n)],
        };
        append_outside(&store, &stream, last).await.unwrap();
        streams.push(stream);
    }
    let talk = StreamId::random();
    let new = NewStream {
        kind: StreamKind::Conversation,
        ..new_run(&talk, (0..30).map(note).collect())
    };
    store.create(new).await.unwrap();
    streams.push(talk);
    store.close().await;
    streams
}

/// Everything that can be read, as text.
async fn read_all(home: &Path, streams: &[StreamId]) -> Result<String, StoreError> {
    let store = DurableStore::open(home).await?;
    let read = read_from(&store, streams).await;
    store.close().await;
    read
}

async fn read_from(store: &DurableStore, streams: &[StreamId]) -> Result<String, StoreError> {
    let mut text = format!("{:?}", store.runs(&RunFilter::default()).await?);
    for stream in streams {
        text += &format!("{:?}", store.read(stream, 0, usize::MAX).await?);
        text += &store.board(stream).await?.shown;
    }
    let letters = store.dead_letters(&DeadLetterFilter::default()).await?;
    Ok(text + &format!("{letters:?}"))
}

/// Puts the files of a closed store back.
fn put_back(home: &Path, kept: &[(PathBuf, Vec<u8>)]) {
    for name in ["gemicro.db-wal", "gemicro.db-shm"] {
        fs::remove_file(home.join(name)).ok();
    }
    for (path, bytes) in kept {
        fs::write(path, bytes).unwrap();
    }
}

fn keep(home: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let keep = |name: &str| (home.join(name), fs::read(home.join(name)).unwrap());
    ["gemicro.db", "gemicro.db-written"].map(keep).to_vec()
}

#[tokio::test]
async fn no_single_bit_changes_what_is_read_without_an_error() {
    let folder = folder();
    let home = folder.path().join("home");
    let streams = filled(&home).await;
    let kept = keep(&home);
    let whole = read_all(&home, &streams).await.unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut n_reported = 0;
    for n in 0..300 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        put_back(&home, &kept);
        let mut bytes = kept[0].1.clone();
        let bit = usize::try_from(random % (bytes.len() as u64 * 8)).unwrap();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&kept[0].0, bytes).unwrap();
        match read_all(&home, &streams).await {
            Ok(read) => assert!(read == whole, "flip {n}, bit {bit}: other contents and no error"),
            Err(_) => n_reported += 1,
        }
    }
    assert!(
        n_reported > 60,
        "{n_reported} of 300: the file holds mostly texts"
    );
    put_back(&home, &kept);
    assert_eq!(read_all(&home, &streams).await.unwrap(), whole);
}

#[tokio::test]
async fn a_file_that_was_cut_short_anywhere_is_noticed() {
    let folder = folder();
    let home = folder.path().join("home");
    filled(&home).await;
    let kept = keep(&home);
    let n_pages = kept[0].1.len() / 4096;
    for n_left in 1..n_pages {
        put_back(&home, &kept);
        fs::write(&kept[0].0, &kept[0].1[..n_left * 4096]).unwrap();
        let Ok(store) = DurableStore::open(&home).await else {
            continue;
        };
        let quick = store.quick_check().await;
        store.close().await;
        assert!(
            matches!(quick, Err(StoreError::Damaged { .. })),
            "{n_left} of {n_pages} pages: {quick:?}"
        );
    }
}

/// Copies a store as a crash would leave it.
fn copy_after_crash(home: &Path, to: &Path, names: &[&str]) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(to).unwrap();
    for name in names {
        fs::copy(home.join(name), to.join(name)).unwrap();
    }
}

#[tokio::test]
async fn a_deleted_write_ahead_log_is_noticed_and_its_loss_can_be_accepted() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "lost").await;
    for n in 0..10 {
        append_outside(&store, &stream, vec![note(n), note(n)])
            .await
            .unwrap();
    }
    let (crashed, robbed) = (folder.path().join("crashed"), folder.path().join("robbed"));
    copy_after_crash(
        &home,
        &crashed,
        &["gemicro.db", "gemicro.db-wal", "gemicro.db-written"],
    );
    copy_after_crash(&home, &robbed, &["gemicro.db", "gemicro.db-written"]);
    store.close().await;
    let whole = open(&crashed).await;
    assert_eq!(whole.read(&stream, 0, 100).await.unwrap().events.len(), 21);
    whole.close().await;

    let error = DurableStore::open(&robbed).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.contains("the last 21 events") && message.contains("gemicro store accept-loss"),
        "{message}"
    );
    assert_eq!(DurableStore::accept_loss(&robbed).await.unwrap(), 21);
    assert_eq!(DurableStore::accept_loss(&robbed).await.unwrap(), 0);
    let store = open(&robbed).await;
    free_run(&store, "new").await;
    store.close().await;
    open(&robbed).await;
}

#[tokio::test]
async fn a_new_store_in_the_place_of_an_old_one_misses_nothing() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    free_run(&store, "old").await;
    store.close().await;
    fs::remove_file(home.join("gemicro.db")).unwrap();
    let store = open(&home).await;
    free_run(&store, "new").await;
    store.close().await;
    // Nor does one whose number is gone or unreadable.
    fs::remove_file(home.join("gemicro.db-written")).unwrap();
    open(&home).await.close().await;
    fs::write(home.join("gemicro.db-written"), "99999999").unwrap();
    open(&home).await.close().await;
}
