//! The tables: ours, of the right format, and the same as SQLite's.

use std::collections::BTreeSet;

use gemicro_core::store::StoreError;
use gemicro_store::{DurableStore, PostgresStore};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, PgConnection, Row};

use crate::durable::World;
use crate::make::{all, append_outside, folder, free_run, note};
use crate::server::Server;

#[tokio::test]
async fn a_newer_format_is_refused() {
    let world = World::postgres();
    let stream = free_run(&world.store().await, "kept").await;
    world.execute("UPDATE format SET version = 99").await;
    let World::Postgres(server) = &world else {
        unreachable!("it was made so")
    };
    let refused = PostgresStore::connect(&server.address()).await.unwrap_err();
    assert_eq!(refused, StoreError::NewerFormat { found: 99, known: 3 });
    world.execute("UPDATE format SET version = 3").await;
    assert_eq!(all(&world.store().await, &stream).await.len(), 1);
}

#[tokio::test]
async fn the_schema_of_another_program_is_refused() {
    let server = Server::start();
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    let theirs = "CREATE SCHEMA gemicro; CREATE TABLE gemicro.recipes (title TEXT)";
    connection.execute(theirs).await.unwrap();
    let refused = PostgresStore::connect(&server.address()).await.unwrap_err();
    let message = refused.to_string();
    assert!(
        matches!(refused, StoreError::Damaged { .. }) && message.contains("another program"),
        "{message}"
    );
    connection
        .execute("SELECT title FROM gemicro.recipes")
        .await
        .unwrap();
}

#[tokio::test]
async fn other_tables_of_the_database_are_left_alone() {
    let server = Server::start();
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    let theirs = "CREATE TABLE streams (no TEXT); INSERT INTO streams VALUES ('theirs')";
    connection.execute(theirs).await.unwrap();
    let store = server.store().await;
    let stream = free_run(&store, "beside").await;
    append_outside(&store, &stream, vec![note(1)]).await.unwrap();
    let row = connection.fetch_one("SELECT no FROM streams").await.unwrap();
    assert_eq!(row.get::<String, _>(0), "theirs");
}

#[tokio::test]
async fn both_engines_have_the_same_columns() {
    let server = Server::start();
    server.store().await.close().await;
    let mut connection = PgConnection::connect(&server.address()).await.unwrap();
    let ours = "SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END \
                FROM information_schema.columns WHERE table_schema = 'gemicro'";
    let rows = connection.fetch_all(ours).await.unwrap();
    let on_server: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();

    let folder = folder();
    let home = folder.path().join("home");
    DurableStore::open(&home).await.unwrap().close().await;
    let options = SqliteConnectOptions::new().filename(home.join("gemicro.db"));
    let mut connection = options.connect().await.unwrap();
    let ours = "SELECT m.name || '.' || c.name || iif(c.\"notnull\" OR c.pk, '', '?') \
                FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'";
    let rows = connection.fetch_all(ours).await.unwrap();
    let in_file: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();

    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<String> {
        one.difference(other).cloned().collect()
    };
    // SQLite numbers rows by itself, keeps blobs in files and its format in the header.
    assert_eq!(
        only(&on_server, &in_file),
        ["blobs.bytes", "blobs.id", "events.rowid", "format.version"]
    );
    // A server looks after its own log.
    assert_eq!(
        only(&in_file, &on_server),
        ["written.n_events", "written.no", "written.store_id"]
    );
}
