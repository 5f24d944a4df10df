//! Files that are not a store, or no longer one: a clear word, and the file stays as it is.

use std::fs;
use std::path::{Path, PathBuf};

use gemicro_core::store::{Store, StoreError};
use gemicro_event::StreamId;
use gemicro_store::{RunFilter, SqliteStore};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use crate::make::{append_outside, folder, free_run, note, open};

/// A closed store with a few hundred events.
async fn filled(home: &Path) -> (PathBuf, StreamId) {
    let store = open(home).await;
    let stream = free_run(&store, "filled").await;
    for _ in 0..20 {
        append_outside(&store, &stream, (0..50).map(note).collect())
            .await
            .unwrap();
    }
    store.close().await;
    (home.join("gemicro.db"), stream)
}

async fn check_damaged(home: &Path, db: &Path) {
    let before = fs::read(db).unwrap();
    let error = SqliteStore::open(home).await.unwrap_err();
    let StoreError::Damaged { message } = &error else {
        panic!("{error:?}")
    };
    assert!(message.contains(db.to_str().unwrap()), "{message}");
    assert!(message.contains("mv gemicro.db* blobs damaged"), "{message}");
    assert_eq!(fs::read(db).unwrap(), before, "the file was left as it is");
}

async fn set(db: &Path, pragma: &str) {
    let options = SqliteConnectOptions::new().filename(db).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    connection
        .execute(AssertSqlSafe(pragma.to_owned()))
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_file_of_garbage_is_refused() {
    let folder = folder();
    let home = folder.path().join("home");
    let (db, _) = filled(&home).await;
    let mut bytes = fs::read(&db).unwrap();
    bytes[..64].fill(0xA5);
    fs::write(&db, bytes).unwrap();
    check_damaged(&home, &db).await;
    fs::write(&db, "this is not a database").unwrap();
    check_damaged(&home, &db).await;
}

#[tokio::test]
async fn a_truncated_file_is_refused() {
    let folder = folder();
    for (name, keep) in [("half", 2), ("most", 1)] {
        let home = folder.path().join(name);
        let (db, _) = filled(&home).await;
        let length = fs::metadata(&db).unwrap().len();
        let cut = if keep == 2 { length / 2 } else { length - 4096 };
        fs::OpenOptions::new()
            .write(true)
            .open(&db)
            .unwrap()
            .set_len(cut)
            .unwrap();
        check_damaged(&home, &db).await;
    }
}

#[tokio::test]
async fn an_emptied_file_beside_its_blobs_is_refused() {
    let folder = folder();
    let home = folder.path().join("home");
    let (db, _) = filled(&home).await;
    fs::create_dir(home.join("blobs/ab")).unwrap();
    fs::write(&db, "").unwrap();
    check_damaged(&home, &db).await;
}

#[tokio::test]
async fn a_flipped_page_is_an_error_not_a_panic() {
    let folder = folder();
    let home = folder.path().join("home");
    let (db, stream) = filled(&home).await;
    let whole = fs::read(&db).unwrap();
    let mut n_refused = 0;
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..page * 4096 + 64]
            .iter_mut()
            .for_each(|byte| *byte = !*byte);
        fs::write(&db, bytes).unwrap();
        let store = match SqliteStore::open(&home).await {
            Ok(store) => store,
            Err(StoreError::Damaged { .. }) => {
                n_refused += 1;
                continue;
            }
            Err(error) => panic!("page {page}: {error:?}"),
        };
        let results = [
            store.read(&stream, 0, usize::MAX).await.map(drop),
            store.runs(&RunFilter::default()).await.map(drop),
            store.verify().await,
        ];
        for result in results {
            assert!(
                matches!(result, Ok(()) | Err(StoreError::Damaged { .. })),
                "page {page}: {result:?}"
            );
        }
        assert!(
            matches!(store.verify().await, Err(StoreError::Damaged { .. })),
            "page {page} is seen as damaged"
        );
        store.close().await;
        n_refused += 1;
    }
    assert!(n_refused > 10);
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let folder = folder();
    let home = folder.path().join("home");
    let (db, _) = filled(&home).await;
    set(&db, "PRAGMA user_version = 99").await;
    let error = SqliteStore::open(&home).await.unwrap_err();
    assert_eq!(error, StoreError::NewerFormat { found: 99, known: 5 });
    set(&db, "PRAGMA user_version = 5").await;
    open(&home).await;
}

#[tokio::test]
async fn the_database_of_another_program_is_refused() {
    let folder = folder();
    let home = folder.path().join("home");
    open(&home).await.close().await;
    let db = home.join("gemicro.db");
    fs::remove_file(&db).unwrap();
    set(&db, "CREATE TABLE recipes (title TEXT)").await;
    check_damaged(&home, &db).await;
}

#[tokio::test]
async fn an_undamaged_store_passes() {
    let folder = folder();
    let home = folder.path().join("home");
    filled(&home).await;
    let store = open(&home).await;
    store.verify().await.unwrap();
    let check = store.check().await.unwrap();
    assert_eq!((check.n_runs, check.format, check.blob_bytes), (1, 5, 0));
    assert_eq!(check.path, home.join("gemicro.db"));
    assert!(check.db_bytes > 50_000 && check.free_bytes > 0, "{check:?}");
}
