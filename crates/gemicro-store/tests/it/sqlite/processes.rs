//! Several processes on one store, and processes that die in the middle.
//!
//! A child is this test program again, told to run one of the ignored tests below on a given folder.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use gemicro_event::{Event, StreamId};

use crate::make::{MINUTE, all, append_outside, folder, follow, free_run, gap_free, large, note, open};

/// Starts this program again for one test, with the folder and a word in its environment.
pub(crate) fn child(test: &str, home: &Path, word: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    command
        .env("GEMICRO_TEST_HOME", home)
        .env("GEMICRO_TEST_WORD", word);
    command
}

/// What the parent said, inside a child; `None` when somebody runs all ignored tests.
pub(crate) fn child_arguments() -> Option<(PathBuf, String)> {
    let home = PathBuf::from(std::env::var_os("GEMICRO_TEST_HOME")?);
    Some((home, std::env::var("GEMICRO_TEST_WORD").unwrap()))
}

fn said(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}

/// Kills its child when a test ends early.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a child of the tests below"]
async fn child_appends_for_ever() {
    let Some((home, word)) = child_arguments() else {
        return;
    };
    let store = Arc::new(open(&home).await);
    let stream = StreamId::new(word).unwrap();
    let appenders: Vec<_> = (0..8)
        .map(|appender| {
            let (store, stream) = (Arc::clone(&store), stream.clone());
            tokio::spawn(async move {
                for n in 0.. {
                    let last = if n % 16 == 15 {
                        large(&format!("{appender}/{n}"))
                    } else {
                        note(n)
                    };
                    let appended = append_outside(&*store, &stream, vec![note(n), note(n), last])
                        .await
                        .unwrap();
                    said(&format!("acknowledged {}", appended.events[2].seq));
                }
            })
        })
        .collect();
    for appender in appenders {
        appender.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9() {
    let folder = folder();
    let home = folder.path().join("home");
    let stream = {
        let store = open(&home).await;
        let stream = free_run(&store, "killed").await;
        store.close().await;
        stream
    };
    let mut n_before = 1;
    for round in 0..6 {
        let mut command = child(
            "sqlite::processes::child_appends_for_ever",
            &home,
            stream.as_str(),
        );
        let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap());
        let lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
        let mut acknowledged = Vec::new();
        for line in lines {
            // The last line may be cut off by the kill.
            let Ok(line) = line else { break };
            acknowledged.extend(
                line.strip_prefix("acknowledged ")
                    .and_then(|seq| seq.parse::<u64>().ok()),
            );
            if acknowledged.len() == 20 + round * 17 {
                running.0.kill().unwrap();
            }
        }
        running.0.wait().unwrap();
        let store = open(&home).await;
        store.verify().await.unwrap();
        let events = all(&store, &stream).await;
        let n_events = gap_free(&events);
        let highest = acknowledged.iter().max().copied().unwrap_or_default();
        assert!(
            n_events >= highest,
            "event {highest} was acknowledged, {n_events} are there"
        );
        assert_eq!(
            (n_events - 1) % 3,
            0,
            "an append of three events is there whole or not at all"
        );
        assert!(n_events > n_before);
        assert_eq!(
            store.run(&stream).await.unwrap().n_events,
            n_events,
            "the list knows them too"
        );
        n_before = n_events;
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a child of the test below"]
async fn child_appends_a_hundred() {
    let Some((home, word)) = child_arguments() else {
        return;
    };
    let store = open(&home).await;
    let stream = StreamId::new(word).unwrap();
    for n in 0..100 {
        append_outside(&store, &stream, vec![note(n)]).await.unwrap();
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_a_store() {
    let folder = folder();
    let home = folder.path().join("home");
    let store = open(&home).await;
    let stream = free_run(&store, "shared").await;
    let follower = {
        let (store, stream) = (store.clone(), stream.clone());
        tokio::spawn(async move { follow(&store, &stream, 0).await })
    };
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = child(
                "sqlite::processes::child_appends_a_hundred",
                &home,
                stream.as_str(),
            );
            Running(command.stdout(Stdio::null()).spawn().unwrap())
        })
        .collect();
    for n in 0..100 {
        append_outside(&store, &stream, vec![note(n)]).await.unwrap();
        store.runs(&gemicro_store::RunFilter::default()).await.unwrap();
    }
    for mut child in children {
        let status = tokio::task::spawn_blocking(move || child.0.wait().unwrap())
            .await
            .unwrap();
        assert!(status.success());
    }
    append_outside(&store, &stream, vec![crate::make::end()])
        .await
        .unwrap();
    let seen: Vec<Event> = tokio::time::timeout(MINUTE, follower).await.unwrap().unwrap();
    assert_eq!(gap_free(&seen), 402);
    assert_eq!(seen, all(&store, &stream).await);
}
