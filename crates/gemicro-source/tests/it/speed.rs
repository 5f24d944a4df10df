//! How fast a large folder becomes an index. Prints its figures; the bound is wide enough for slow machines.

use std::time::{Duration, Instant};

use gemicro_core::corpus::{Corpus, PassageQuery};
use gemicro_source::{PassageIndex, pack, unpack};

use crate::support::{folder_with, snapshot_of};

/// Run with `cargo test --release -p gemicro-source -- --ignored --nocapture ten_thousand`.
#[test]
#[ignore = "a measurement, for release builds"]
fn ten_thousand_documents() {
    let folder = folder_with(&[]);
    for n in 0..10_000 {
        let mut text = format!("# Report {n}\n\n- date: 2031-05-{:02}\n\n", n % 28 + 1);
        for part in 0..6 {
            let sentence = format!(
                "The harbour office of region {} found that pump {n}-{part} moves {} litres per minute. \
                 It was agreed that the matter will be looked at again after the holidays. ",
                (n * 7 + part) % 97,
                (n * 31 + part * 17) % 5_000
            );
            text.push_str(&sentence.repeat(2));
            text.push_str("\n\n");
        }
        let below = folder.path().join(format!("{:02}", n / 100));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(below.join(format!("{n}.md")), text).unwrap();
    }
    let started = Instant::now();
    let snapshot = snapshot_of(&[folder.path()]);
    let read = started.elapsed();
    let packed = pack(&snapshot);
    let pack_time = started.elapsed() - read;
    let cache = folder.path().join(".cache");
    let index = PassageIndex::build_in(&cache, &snapshot.documents).unwrap();
    let built = started.elapsed() - read - pack_time;
    let again = Instant::now();
    drop(index);
    let index = PassageIndex::open(&cache).unwrap();
    let opened = again.elapsed();
    let again = Instant::now();
    let documents = unpack(&packed.bytes).unwrap();
    let unpacked = again.elapsed();
    let again = Instant::now();
    let query = PassageQuery {
        phrases: vec!["pump 4711-3".to_owned()],
        terms: vec!["litres".to_owned(), "minute".to_owned(), "harbour".to_owned()],
        limit: 20,
    };
    let hits = index.search(&query).unwrap();
    let searched = again.elapsed();
    let again = Instant::now();
    let broad = PassageQuery {
        phrases: Vec::new(),
        ..query
    };
    let n_broad = index.search(&broad).unwrap().len();
    let broadly = again.elapsed();
    println!(
        "{} documents, {} passages, pack of {} kB: read and parse {read:?}, pack {pack_time:?}, index {built:?}, \
         open {opened:?}, unpack {unpacked:?}, phrase search {searched:?}, word search {broadly:?}",
        documents.len(),
        index.n_passages(),
        packed.bytes.len() / 1024
    );
    assert_eq!((hits.len(), n_broad), (1, 20));
    assert!(started.elapsed() < Duration::from_secs(60));
}
