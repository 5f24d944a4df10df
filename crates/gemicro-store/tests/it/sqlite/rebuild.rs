//! Projections made again are equal to the kept ones.

use gemicro_core::store::{NewStream, StepMark, Store, StreamKind, Writer};
use gemicro_event::{StepKey, StreamId};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Column, ConnectOptions, Executor, Row, SqliteConnection, ValueRef};

use super::blobs::blob_files;
use crate::make::{append, append_outside, end, folder, free_run, large, new_run, note, of_step, open};

/// Every value of a table as text.
pub(crate) async fn dump(connection: &mut SqliteConnection, query: &'static str) -> Vec<Vec<String>> {
    let rows = connection.fetch_all(query).await.unwrap();
    let text = |row: &sqlx::sqlite::SqliteRow, index: usize| {
        let value = row.try_get_raw(index).unwrap();
        if value.is_null() {
            return "NULL".to_owned();
        }
        row.try_get::<String, _>(index)
            .or_else(|_| row.try_get::<i64, _>(index).map(|n| n.to_string()))
            .unwrap()
    };
    rows.iter()
        .map(|row| {
            row.columns()
                .iter()
                .map(|column| text(row, column.ordinal()))
                .collect()
        })
        .collect()
}

#[tokio::test]
async fn rebuilt_equals_kept() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    for n in 0..70 {
        let stream = free_run(&store, &format!("run {n}")).await;
        append_outside(
            &store,
            &stream,
            vec![
                of_step("a", StepMark::Started(1)),
                of_step("b", StepMark::Started(2)),
            ],
        )
        .await
        .unwrap();
        let executor = Writer::Executor {
            step: StepKey::new("a"),
            attempt: 1,
        };
        append(
            &store,
            &stream,
            executor,
            vec![large("x"), of_step("a", StepMark::Ended(1))],
        )
        .await
        .unwrap();
        if n % 3 == 0 {
            append_outside(&store, &stream, vec![end()]).await.unwrap();
        }
        if n % 10 == 0 {
            store.erase(&stream).await.unwrap();
        }
    }
    let talk = StreamId::random();
    let new = NewStream {
        kind: StreamKind::Conversation,
        ..new_run(&talk, vec![note(1), end()])
    };
    store.create(new).await.unwrap();

    let options = SqliteConnectOptions::new().filename(home.join("gemicro.db"));
    let mut connection = options.connect().await.unwrap();
    let queries = [
        "SELECT * FROM runs ORDER BY stream_no",
        "SELECT * FROM running_steps ORDER BY stream_no, step",
        "SELECT * FROM streams ORDER BY no",
    ];
    let mut kept = Vec::new();
    for query in queries {
        kept.push(dump(&mut connection, query).await);
    }
    assert_eq!(kept[0].len(), 70);
    assert_eq!(kept[1].len(), 63);

    connection
        .execute("UPDATE runs SET title = 'lost', n_events = 0, status = 'parked' WHERE title <> 'erased'")
        .await
        .unwrap();
    connection
        .execute("DELETE FROM running_steps; UPDATE streams SET ended = 0 WHERE erased_at IS NULL")
        .await
        .unwrap();
    let report = store.rebuild().await.unwrap();
    assert_eq!((report.n_streams, report.unreadable.len()), (64, 0));
    for (query, kept) in queries.into_iter().zip(&kept) {
        assert_eq!(&dump(&mut connection, query).await, kept, "{query}");
    }

    // The writer goes on from the rebuilt state.
    let stream = store.runs(&gemicro_store::RunFilter::default()).await.unwrap()[1]
        .run
        .clone();
    append_outside(&store, &stream, vec![note(1)]).await.unwrap();

    std::fs::remove_file(&blob_files(&home)[0]).unwrap();
    let report = store.rebuild().await.unwrap();
    assert_eq!(report.unreadable.len(), 63);
}
