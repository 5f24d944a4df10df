//! The dead-letter list: what gets on it, what takes it off, and that it can always be made again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gemicro_core::store::{NewEvent, NewStream, StepMark, Store};
use gemicro_event::{ErrorKind, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::{DeadLetterFilter, DeadLetterRow, PruneRule, SqliteStore};
use serde_json::json;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, SqliteConnection};

use super::rebuild::dump;
use crate::make::{append_outside, end, event, folder, free_run, new_run, note, of_step, open, started};

/// A step that failed for good at a second after a fixed moment.
fn failed(step: &str, attempt: u32, kind: ErrorKind, second: i64) -> NewEvent {
    let error = Failure::new(kind, format!("{step} did not work"));
    let data = json!({ "step": step, "attempt": attempt, "error": error });
    let mut failed = event("step_failed", data);
    failed.update.timestamp = at(second);
    failed.step = Some(StepKey::new(step));
    failed
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + second * 1000)
}

/// A run whose data says that it does again what failed in its parent, or not.
fn child_of(parent: &StreamId, resubmits: serde_json::Value) -> NewStream {
    let data = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": "again", "plan": {},
        "resubmits": resubmits });
    NewStream {
        parent_run: Some(parent.clone()),
        ..new_run(&StreamId::random(), vec![event("run_started", data)])
    }
}

async fn resubmit(store: &SqliteStore, parent: &StreamId) -> StreamId {
    let new = child_of(parent, json!(true));
    let stream = new.stream.clone();
    store.create(new).await.unwrap();
    stream
}

async fn letters(store: &SqliteStore, include_resubmitted: bool) -> Vec<DeadLetterRow> {
    let filter = DeadLetterFilter {
        include_resubmitted,
        ..DeadLetterFilter::default()
    };
    store.dead_letters(&filter).await.unwrap()
}

/// The letters in short: step, and whether or by whom it is done again.
async fn marks(store: &SqliteStore) -> Vec<(String, Option<StreamId>)> {
    let all = letters(store, true).await;
    all.into_iter()
        .map(|row| (row.step.to_string(), row.resubmitted_as))
        .collect()
}

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

#[tokio::test]
async fn steps_that_failed_for_good_are_listed_newest_first() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let first = free_run(&store, "first").await;
    let second = free_run(&store, "second").await;
    append_outside(
        &store,
        &first,
        vec![
            of_step("fine", StepMark::Started(1)),
            of_step("fine", StepMark::Ended(1)),
            failed("ask", 3, ErrorKind::UpstreamError, 10),
            failed("late", 1, ErrorKind::MalformedOutput, 30),
        ],
    )
    .await
    .unwrap();
    append_outside(
        &store,
        &second,
        vec![failed("ask", 1, ErrorKind::AuthFailed, 20), end()],
    )
    .await
    .unwrap();
    let row = |run: &StreamId, step: &str, attempts, error_kind, second| DeadLetterRow {
        run: run.clone(),
        step: StepKey::new(step),
        attempts,
        error_kind,
        message: format!("{step} did not work"),
        at: at(second),
        resubmitted_as: None,
    };
    let expected = vec![
        row(&first, "late", 1, ErrorKind::MalformedOutput, 30),
        row(&second, "ask", 1, ErrorKind::AuthFailed, 20),
        row(&first, "ask", 3, ErrorKind::UpstreamError, 10),
    ];
    assert_eq!(letters(&store, false).await, expected);
    let one = DeadLetterFilter {
        limit: Some(1),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&one).await.unwrap(), expected[..1]);
    let of_second = DeadLetterFilter {
        run: Some(second),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&of_second).await.unwrap(), expected[1..2]);
    let of_nobody = DeadLetterFilter {
        run: Some(StreamId::random()),
        ..DeadLetterFilter::default()
    };
    assert_eq!(store.dead_letters(&of_nobody).await.unwrap(), vec![]);
}

#[tokio::test]
async fn steps_that_another_run_could_not_mend_are_no_dead_letters() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let stream = free_run(&store, "refused").await;
    let events = vec![
        failed("stopped", 1, ErrorKind::Cancelled, 1),
        failed("suspended", 1, ErrorKind::Interrupted, 2),
        failed("nothing there", 1, ErrorKind::NoEvidence, 3),
        failed("no money at first", 0, ErrorKind::BudgetExceeded, 4),
        failed("no money left", 2, ErrorKind::BudgetExceeded, 5),
        failed("never tried", 0, ErrorKind::UpstreamError, 6),
        event("step_failed", json!({ "of another shape": true })),
        event(
            "step_retrying",
            failed("again", 1, ErrorKind::Timeout, 7)
                .update
                .data
                .parse()
                .unwrap(),
        ),
    ];
    append_outside(&store, &stream, events).await.unwrap();
    assert_eq!(letters(&store, true).await, vec![]);
}

#[tokio::test]
async fn a_run_that_resubmits_takes_the_letters_of_its_parent_off_the_list() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let parent = free_run(&store, "parent").await;
    let other = free_run(&store, "other").await;
    let ask = |second| vec![failed("ask", 2, ErrorKind::Timeout, second)];
    append_outside(&store, &parent, ask(1)).await.unwrap();
    append_outside(&store, &other, ask(2)).await.unwrap();

    for resubmits in [json!(false), json!("yes"), json!(null)] {
        store.create(child_of(&parent, resubmits)).await.unwrap();
    }
    let mut not_first = child_of(&parent, json!(true));
    not_first.events.insert(0, note(1));
    store.create(not_first).await.unwrap();
    let mut orphan = child_of(&parent, json!(true));
    orphan.parent_run = None;
    store.create(orphan).await.unwrap();
    assert_eq!(letters(&store, false).await.len(), 2, "none of them resubmits");

    let again = resubmit(&store, &parent).await;
    let open_letters = letters(&store, false).await;
    assert_eq!(
        open_letters.iter().map(|row| &row.run).collect::<Vec<_>>(),
        [&other]
    );
    assert_eq!(
        marks(&store).await,
        [("ask".to_owned(), None), ("ask".to_owned(), Some(again.clone()))]
    );

    // What fails later was not done again; the newest resubmission is the one that is named.
    append_outside(&store, &parent, vec![failed("later", 1, ErrorKind::Timeout, 3)])
        .await
        .unwrap();
    assert_eq!(marks(&store).await[0], ("later".to_owned(), None));
    let newest = resubmit(&store, &parent).await;
    assert_eq!(marks(&store).await[0].1, Some(newest.clone()));
    assert_eq!(marks(&store).await[2].1, Some(newest.clone()));
    // It stays known when it is erased itself.
    store.erase(&newest).await.unwrap();
    assert_eq!(marks(&store).await[0].1, Some(newest));
}

#[tokio::test]
async fn one_transaction_keeps_the_order_of_failure_and_resubmission() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let parent = free_run(&store, "parent").await;
    let n_groups = store.n_groups();
    let ask = |step| vec![failed(step, 2, ErrorKind::Timeout, 1)];
    let again = child_of(&parent, json!(true));
    let id = again.stream.clone();
    // The writer takes all three at once.
    let (before, created, after) = tokio::join!(
        append_outside(&store, &parent, ask("before")),
        store.create(again),
        append_outside(&store, &parent, ask("after")),
    );
    before.unwrap();
    created.unwrap();
    after.unwrap();
    assert_eq!(store.n_groups(), n_groups + 1);
    assert_eq!(
        marks(&store).await,
        [("after".to_owned(), None), ("before".to_owned(), Some(id))]
    );
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
                 INSERT INTO dead_letters SELECT no, 'ghost', 1, 1, 'timeout', '', 0 FROM streams WHERE erased_at IS NULL; \
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
    let copy = format!(
        "INSERT INTO streams SELECT {streams} FROM new.streams; INSERT INTO events SELECT * FROM new.events; \
         INSERT INTO runs SELECT * FROM new.runs; INSERT INTO running_steps SELECT * FROM new.running_steps; \
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
    assert_eq!(store.check().await.unwrap().format, 2);
    assert_eq!(tables(&old_home).await, kept);
    assert_eq!(letters(&store, true).await, listed);
    // It works on, and stays as it is when opened again.
    let stream = free_run(&store, "new").await;
    append_outside(&store, &stream, vec![failed("ask", 1, ErrorKind::Timeout, 9)])
        .await
        .unwrap();
    store.verify().await.unwrap();
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
