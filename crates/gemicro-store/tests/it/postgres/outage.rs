//! A server that is not there, goes away, and comes back.

use futures_util::StreamExt;
use gemicro_core::queue::StepQueue;
use gemicro_core::store::{Store, StoreError};
use gemicro_store::{PostgresStore, StoreOptions};

use crate::make::{MINUTE, all, append_outside, folder, free_run, gap_free, large, note};
use crate::server::{Server, address};

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let nowhere = folder();
    let options = StoreOptions {
        busy_timeout: std::time::Duration::from_millis(200),
        ..StoreOptions::default()
    };
    let refused = PostgresStore::connect_with(&address(nowhere.path()), &options).await;
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains(&nowhere.path().display().to_string())
            && message.contains("see that the server runs"),
        "{message}"
    );
    let wrong = PostgresStore::connect("postgres://me:secret@:no-port/x").await;
    let message = wrong.unwrap_err().to_string();
    assert!(
        message.contains("postgres://user@host/database") && !message.contains("secret"),
        "{message}"
    );
}

#[tokio::test]
async fn a_port_that_refuses_is_not_tried_for_long() {
    // Nobody listens on a port that was just given back.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let options = StoreOptions {
        busy_timeout: MINUTE * 60,
        ..StoreOptions::default()
    };
    let address = format!("postgres://me:secret@127.0.0.1:{port}/x?sslmode=disable");
    let refused = tokio::time::timeout(MINUTE, PostgresStore::connect_with(&address, &options)).await;
    let message = refused.expect("it fails at once").unwrap_err().to_string();
    assert!(
        message.contains(&format!("127.0.0.1:{port}")) && !message.contains("secret"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_works_on_when_its_server_was_killed_and_started_again() {
    let mut server = Server::start();
    let store = server.store().await;
    let stream = free_run(&store, "survives").await;
    let mut followed = store.subscribe(&stream, 1);
    append_outside(&store, &stream, vec![note(1), large("x")])
        .await
        .unwrap();
    for seq in [2, 3] {
        assert_eq!(followed.next().await.unwrap().unwrap().seq, seq);
    }
    server.restart();
    // What rested broke with the server; the store takes new connections by itself.
    let mut n_refused = 0;
    loop {
        match append_outside(&store, &stream, vec![note(2)]).await {
            Ok(appended) => {
                assert_eq!(appended.events[0].seq, 4, "what was acknowledged is there");
                break;
            }
            Err(StoreError::Io { message }) if n_refused < 5 => {
                assert!(message.contains("does not answer"), "{message}");
                n_refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(gap_free(&all(&store, &stream).await), 4);
    assert_eq!(store.counts(None).await.unwrap().ready, 0);
    // A follower either goes on or says why it ended; it never goes silent.
    let next = tokio::time::timeout(MINUTE, followed.next()).await.unwrap();
    match next.unwrap() {
        Ok(event) => assert_eq!(event.seq, 4),
        Err(error) => assert!(matches!(error, StoreError::Io { .. }), "{error}"),
    }
    let mut again = store.subscribe(&stream, 3);
    assert_eq!(again.next().await.unwrap().unwrap().seq, 4);
}
