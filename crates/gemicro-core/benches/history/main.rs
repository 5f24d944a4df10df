//! What compression keeps, what it costs and what it leaves of provider caches, on the conversation corpus:
//! `cargo xtask bench history`. Takes less than a minute. With `--folder DIR`, statements only, of a folder in the format of
//! the corpus.
//!
//! Prompts are made with the estimate, as for users, and measured with the real vocabulary of Gemma 3.
#![expect(clippy::print_stdout, reason = "a bench prints its tables")]

mod corpus;
mod cost;
#[path = "../../tests/it/history/measure.rs"]
mod measure;
mod prefix;
mod retention;
mod rivals;
mod statements;
mod table;
#[path = "../../tests/it/history/vocabulary.rs"]
mod vocabulary;

use std::error::Error;

use self::vocabulary::Vocabulary;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    if let Some(word) = words.next() {
        let folder = words.next().filter(|_| word == "--folder");
        return statements::run_folder(folder.ok_or("expected --folder DIR")?.as_ref());
    }
    let vocabulary = Vocabulary::load();
    let corpus = measure::Corpus::named("conversation");
    retention::run(&vocabulary, &corpus)?;
    statements::run()?;
    cost::run(&corpus.log)?;
    prefix::run(&vocabulary, &corpus.log)
}
