//! How long it takes from a folder of 10,000 documents to the first answer. Prints its figures.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gemicro_core::corpus::{Corpus, PassageQuery};
use gemicro_core::offline::{self, SubAnswer};
use gemicro_source::{PassageIndex, ReadLimits, pack, take_snapshot, unpack};

const N_DOCUMENTS: usize = 10_000;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_documents(folder.path());
    let sources = [folder.path().to_path_buf()];
    let cache = folder.path().join(".cache");

    let (read, snapshot) = timed(|| {
        take_snapshot(&sources, &ReadLimits::default(), None, "2031-05-04T00:00:00.000Z")
            .expect("readable documents")
    });
    let (packing, packed) = timed(|| pack(&snapshot));
    let (building, index) = timed(|| PassageIndex::build_in(&cache, &snapshot.documents).expect("an index"));
    let (answering, answer) = timed(|| first_answer(&index));
    let (opening, index) = timed(|| PassageIndex::open(&cache).expect("the index just built"));
    let (unpacking, _) = timed(|| unpack(&packed.bytes).expect("the pack just made"));
    let phrase = PassageQuery {
        phrases: vec!["pump 4711-3".to_owned()],
        terms: vec!["litres".to_owned(), "minute".to_owned()],
        limit: 20,
    };
    let (searching, _) = timed(|| index.search(&phrase).expect("an answer of the index"));

    let SubAnswer::Found { findings, .. } = answer else {
        panic!("the answer is in the documents")
    };
    println!(
        "{N_DOCUMENTS} documents, {} passages, pack of {} kB",
        index.n_passages(),
        packed.bytes.len() / 1024
    );
    for (name, time) in [
        ("read and parse", read),
        ("pack", packing),
        ("build the index", building),
        ("first answer", answering),
        ("folder to first answer", read + packing + building + answering),
        ("open the index again", opening),
        ("unpack", unpacking),
        ("phrase search", searching),
    ] {
        println!("{name:24} {:>10.1} ms", time.as_secs_f64() * 1e3);
    }
    println!("answer: {}", findings[0].span);
}

fn first_answer(index: &PassageIndex) -> SubAnswer {
    let question = "How many litres per minute does pump 4711-3 move?";
    let sub_questions = offline::decompose(question, 5);
    offline::answer(index, &sub_questions[0]).expect("an answer of the index")
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let made = work();
    (started.elapsed(), made)
}

fn write_documents(folder: &Path) {
    for n in 0..N_DOCUMENTS {
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
        let below = folder.join(format!("{:02}", n / 100));
        fs::create_dir_all(&below).expect("a folder");
        fs::write(below.join(format!("{n}.md")), text).expect("a document");
    }
}
