//! The dead-letter list can always be made again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gemicro_core::store::Store;
use gemicro_event::{ErrorKind, StreamId};
use gemicro_store::{PruneRule, SqliteStore};
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, SqliteConnection};

use super::rebuild::dump;
use crate::durable::dead_letters::{child_of, failed, letters, marks, resubmit};
use crate::make::{append_outside, end, folder, free_run, new_run, note, open, started};

async fn connect(home: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(home.join("gemicro.db"));
    options.connect().await.unwrap()
}

const TABLES: [&str; 2] = [
    "SELECT * FROM dead_letters ORDER BY stream_no, step",
    "SELECT no, id, parent_run, last_seq, ended, resubmits FROM streams ORDER BY no",
];

async fn tables(home: &Path) -> Vec<Vec<Vec<String>>> {
    let mut connection = connect(home).await;
    let mut all = Vec::new();
    for query in TABLES {
        all.push(dump(&mut connection, query).await);
    }
    connection.close().await.unwrap();
    all
}

/// Runs with all kinds of letters; large data lies in blobs.
async fn filled(home: &Path) -> SqliteStore {
    let store = open(home).await;
    let parent = free_run(&store, "parent").await;
    let erased_parent = free_run(&store, "erased parent").await;
    for stream in [&parent, &erased_parent] {
        let mut large = failed("large", 3, ErrorKind::EmptyResult, 2);
        let mut data: serde_json::Value = large.update.data.parse().unwrap();
        data["error"]["detail"] = json!("x".repeat(20_000));
        large.update.data = data.into();
        let events = vec![
            failed("ask", 1, ErrorKind::Timeout, 1),
            large,
            failed("no money", 0, ErrorKind::BudgetExceeded, 3),
            failed("ask", 2, ErrorKind::Internal, 4),
        ];
        append_outside(&store, stream, events).await.unwrap();
        resubmit(&store, stream).await;
    }
    let again = resubmit(&store, &parent).await;
    let events = vec![failed("ask", 2, ErrorKind::Internal, 5), note(1)];
    append_outside(&store, &again, events).await.unwrap();
    append_outside(&store, &parent, vec![failed("later", 2, ErrorKind::Internal, 6)])
        .await
        .unwrap();
    let erased = resubmit(&store, &again).await;
    store.erase(&erased).await.unwrap();
    store.erase(&erased_parent).await.unwrap();
    let mut large = child_of(&again, json!(true));
    let mut data: serde_json::Value = large.events[0].update.data.parse().unwrap();
    data["plan"] = json!("x".repeat(20_000));
    large.events[0].update.data = data.into();
    store.create(large).await.unwrap();
    store.create(child_of(&parent, json!(false))).await.unwrap();
    store
}

#[tokio::test]
async fn rebuilt_letters_equal_kept_ones() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = filled(&home).await;
    let (kept, listed) = (tables(&home).await, letters(&store, true).await);
    assert_eq!(listed.len(), 4);
    assert_eq!(letters(&store, false).await.len(), 1);
    let mut connection = connect(&home).await;
    let spoil = "DELETE FROM dead_letters WHERE step = 'ask'; \
                 INSERT INTO dead_letters SELECT no, 'ghost', 1, 1, 'timeout', '', 0, NULL FROM streams WHERE erased_at IS NULL; \
                 UPDATE dead_letters SET message = 'lost'; \
                 UPDATE streams SET resubmits = iif(resubmits IS NULL, 7, NULL) WHERE erased_at IS NULL \
                     AND coalesce(parent_run, '') NOT IN (SELECT id FROM streams WHERE erased_at IS NOT NULL)";
    connection.execute(spoil).await.unwrap();
    assert_ne!(tables(&home).await, kept);
    for _ in 0..2 {
        store.rebuild().await.unwrap();
        assert_eq!(tables(&home).await, kept);
        assert_eq!(letters(&store, true).await, listed);
    }
}

/// A store of format 1 with the contents of another one, as the program before this one left it.
async fn of_format_1(home: &Path, old_home: &Path) {
    fs::create_dir(old_home).unwrap();
    fs::set_permissions(old_home, fs::Permissions::from_mode(0o700)).unwrap();
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .args([home.join("blobs"), old_home.join("blobs")])
        .status();
    assert!(copied.unwrap().success());
    let options = SqliteConnectOptions::new()
        .filename(old_home.join("gemicro.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal);
    let mut connection = options.connect().await.unwrap();
    connection
        .execute(include_str!("../../../migrations/sqlite/0001_journal.sql"))
        .await
        .unwrap();
    connection
        .execute(AssertSqlSafe(format!(
            "ATTACH '{}' AS new",
            home.join("gemicro.db").display()
        )))
        .await
        .unwrap();
    let streams = "no, id, kind, parent_run, first_seq, last_seq, ended, erased_at, lease_owner, lease_epoch, \
                   lease_expires_at";
    let events = "stream_no, seq, schema_version, event_type, message, at_ms, data, data_blob, step, mark, attempt, \
                  trace, extra";
    let runs = "stream_no, flow, title, status, error_kind, n_events, tokens, micro_usd, turns, started_at, \
                updated_at, ended_at";
    let copy = format!(
        "INSERT INTO streams SELECT {streams} FROM new.streams; INSERT INTO events SELECT {events} FROM new.events; \
         INSERT INTO runs SELECT {runs} FROM new.runs; INSERT INTO running_steps SELECT * FROM new.running_steps; \
         INSERT INTO blob_refs SELECT * FROM new.blob_refs; \
         PRAGMA application_id = {}; PRAGMA user_version = 1",
        0x6765_6d69
    );
    connection.execute(AssertSqlSafe(copy)).await.unwrap();
    connection.close().await.unwrap();
    fs::set_permissions(old_home.join("gemicro.db"), fs::Permissions::from_mode(0o600)).unwrap();
}

#[tokio::test]
async fn a_store_of_the_format_before_gets_its_list_when_it_is_opened() {
    let folder = folder();
    let (home, old_home) = (folder.path().join("home"), folder.path().join("old"));
    let store = filled(&home).await;
    // Format 1 had no place to remember resubmissions by runs, or of runs, that were erased.
    let mut connection = connect(&home).await;
    connection
        .execute(
            "UPDATE streams SET resubmits = NULL WHERE erased_at IS NOT NULL \
             OR parent_run IN (SELECT id FROM streams WHERE erased_at IS NOT NULL)",
        )
        .await
        .unwrap();
    connection.close().await.unwrap();
    let (kept, listed) = (tables(&home).await, letters(&store, true).await);
    store.close().await;
    of_format_1(&home, &old_home).await;

    let store = open(&old_home).await;
    assert_eq!(store.check().await.unwrap().format, 5);
    assert_eq!(tables(&old_home).await, kept);
    assert_eq!(letters(&store, true).await, listed);
    // It works on, and stays as it is when opened again.
    let stream = free_run(&store, "new").await;
    append_outside(&store, &stream, vec![failed("ask", 1, ErrorKind::Timeout, 9)])
        .await
        .unwrap();
    // What is from before has no checksums; it is read all the same.
    let check = store.check_contents().await;
    assert_eq!(
        (check.problems, check.n_unsealed),
        (Vec::new(), check.n_events - 2)
    );
    store.close().await;
    assert_eq!(
        letters(&open(&old_home).await, true).await.len(),
        listed.len() + 1
    );
}

#[tokio::test]
async fn a_missing_blob_does_not_keep_an_older_store_from_opening() {
    let folder = folder();
    let (home, old_home) = (folder.path().join("home"), folder.path().join("old"));
    filled(&home).await.close().await;
    of_format_1(&home, &old_home).await;
    fs::remove_dir_all(old_home.join("blobs")).unwrap();
    let store = open(&old_home).await;
    let steps: Vec<String> = marks(&store).await.into_iter().map(|mark| mark.0).collect();
    assert_eq!(steps, ["later", "ask", "ask"]);
}

#[tokio::test]
async fn the_letters_of_an_erased_run_are_gone() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    for title in ["erased", "pruned", "kept"] {
        let stream = StreamId::new(format!("run-{title}")).unwrap();
        store
            .create(new_run(&stream, vec![started(title)]))
            .await
            .unwrap();
        let events = vec![failed(&format!("canary-{title}"), 1, ErrorKind::Timeout, 1)];
        append_outside(&store, &stream, events).await.unwrap();
    }
    store.erase(&StreamId::new("run-erased").unwrap()).await.unwrap();
    let pruned = StreamId::new("run-pruned").unwrap();
    append_outside(&store, &pruned, vec![end()]).await.unwrap();
    let rule = PruneRule {
        older_than: Some(std::time::Duration::ZERO),
        max_bytes: None,
    };
    assert_eq!(store.prune(&rule).await.unwrap().runs, [pruned]);
    assert_eq!(marks(&store).await, [("canary-kept".to_owned(), None)]);
    store.close().await;
    let bytes = fs::read(home.join("gemicro.db")).unwrap();
    for gone in ["canary-erased", "canary-pruned"] {
        let found = bytes.windows(gone.len()).any(|window| window == gone.as_bytes());
        assert!(!found, "{gone}");
    }
}
