//! Prompts for messages that need an old statement, measured on folders in the format of the corpus.

use gemicro_core::history::{ConversationLog, HistoryManager};
use gemicro_core::tokens::{CautiousCount, TokenCount};

use super::corpus::limited;
use super::measure::Corpus;

const LIMITS: [u64; 3] = [4_000, 8_000, 16_000];

/// The prompt for a message after the whole log, as `gemicro conversations render --message` makes it.
fn prompt_for(log: &ConversationLog, limit: u64, message: &str) -> String {
    let mut history = HistoryManager::from_log(limited(limit), log);
    let prompt = history.build_prompt(message).map(|result| result.prompt);
    let prompt = prompt.unwrap_or_default();
    assert!(CautiousCount.tokens(&prompt) <= limit);
    prompt
}

/// Prints what a folder's prompts keep; the folder is named by `CONVERSATION_CORPUS`.
#[test]
#[ignore = "for a folder of your choice: CONVERSATION_CORPUS=DIR cargo nextest run -p gemicro-core --run-ignored only --no-capture measure_a_folder"]
fn measure_a_folder() {
    let folder = std::env::var_os("CONVERSATION_CORPUS").expect("CONVERSATION_CORPUS names a folder");
    let corpus = Corpus::load(folder.as_ref());
    for limit in LIMITS {
        let mut history = HistoryManager::from_log(limited(limit), &corpus.log);
        match history.prompt() {
            Ok(result) => {
                let score = corpus.retention(&result.prompt, corpus.log.len());
                let silent = corpus.silent(&result.prompt, &history.report().unwrap(), corpus.log.len());
                println!("{limit} static, {} tokens, silent {}: {}", result.estimated_tokens, silent.len(), score.line());
                println!("    missing {:?}", score.missing);
            }
            Err(error) => println!("{limit} static: {error}"),
        }
        let mut n_tokens = 0;
        let score = corpus.recall(|message| {
            let prompt = prompt_for(&corpus.log, limit, message);
            n_tokens += CautiousCount.tokens(&prompt);
            prompt
        });
        println!("{limit} recall, {} tokens: {}", n_tokens / corpus.questions.len() as u64, score.line());
        println!("    missing {:?}", score.missing);
    }
}
