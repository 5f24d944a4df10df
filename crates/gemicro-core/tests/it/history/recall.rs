//! Retention and recall of statements, whatever their words, on folders in the format of the corpus.

use gemicro_core::history::{ConversationRecall, HistoryConfig, HistoryManager};
use serde_json::json;

use super::corpus::{conversation, limited};
use super::measure::{Corpus, Score};

/// Limits, and the least share of questions that prompts of this length can answer.
const LIMITS: [(u64, f64); 3] = [(4_000, 0.6), (8_000, 0.75), (16_000, 0.85)];

/// The prompts for the questions, each as `gemicro conversations render --message` makes it.
fn recall(corpus: &Corpus, limit: u64) -> Score {
    let mut history = HistoryManager::from_log(limited(limit), &corpus.log);
    corpus.recall(|message| {
        history.drop_plan();
        let result = history.build_prompt(message).expect("there is room");
        assert!(result.estimated_tokens <= limit);
        assert!(
            result.estimated_tokens * 100 >= limit * 90,
            "{}",
            result.estimated_tokens
        );
        result.prompt
    })
}

/// After the whole log, without a message and without a summariser.
#[expect(clippy::print_stdout, reason = "figures to look at")]
fn check_retention(name: &str) {
    let corpus = Corpus::named(name);
    let n_turns = corpus.log.len();
    let mut history = HistoryManager::from_log(HistoryConfig::default(), &corpus.log);
    let result = history.prompt().expect("there is room");
    assert!((14_400..=16_000).contains(&result.estimated_tokens));
    let score = corpus.retention(&result.prompt, n_turns);
    println!("{name}: {}", score.line());
    for class in ["rule", "decision", "done"] {
        assert!(score.share(class) >= 0.9, "{class}: {:?}", score.missing);
    }
    let silent = corpus.silent(
        &result.prompt,
        &history.report().expect("there was a prompt"),
        n_turns,
    );
    assert_eq!(silent, Vec::<String>::new());

    let mut history = HistoryManager::new(HistoryConfig::default()).without_recognition();
    for turn in corpus.log.turns() {
        history.add_turn(turn.clone());
    }
    let blind = corpus.retention(&history.prompt().expect("there is room").prompt, n_turns);
    println!("{name}, nothing recognised: {}", blind.line());
    assert!(blind.total() >= score.total() - 0.05, "{:?}", blind.missing);
}

#[test]
fn statements_are_kept_whatever_their_words() {
    check_retention("conversation");
}

#[test]
fn statements_in_unknown_phrases_are_kept() {
    check_retention("conversation-phrasings");
}

/// Every third question: all take minutes in a debug build; `cargo xtask bench history` asks all.
#[test]
fn a_message_brings_back_what_it_needs() {
    for name in ["conversation", "conversation-phrasings"] {
        let mut corpus = Corpus::named(name);
        let thirds = corpus.questions.into_iter().step_by(3);
        corpus.questions = thirds.collect();
        for (limit, least) in LIMITS {
            let score = recall(&corpus, limit);
            println!("{name} {limit}: {}", score.line());
            assert!(score.total() >= least, "{name} {limit}: {:?}", score.missing);
        }
    }
}

/// What was recalled for a message stays before it, so that the next prompt continues this one.
#[test]
fn recalled_statements_stay_while_an_epoch_lasts() {
    let corpus = Corpus::named("conversation");
    let mut history = HistoryManager::new(HistoryConfig::default());
    for turn in corpus.log.turns() {
        history.add_turn(turn.clone());
        history.prompt().unwrap();
    }
    // A new epoch has room to grow.
    history.compress_harder().unwrap();
    let message = "Which machine name stood between the log lines while we were checking the calibration?";
    let asked = history.build_prompt(message).unwrap().prompt;
    assert!(asked.contains(" recalled\n"), "{asked}");
    history.add_message(gemicro_core::history::Author::User, message);
    assert_eq!(history.prompt().unwrap().prompt, asked);
    history.add_message(gemicro_core::history::Author::Assistant, "I do not know.");
    let next = history.build_prompt("Look again.").unwrap().prompt;
    assert!(next.starts_with(&asked));
}

#[test]
fn a_conversation_answers_with_quotations() {
    let memory = ConversationRecall::new(conversation());
    let answer = |arguments: serde_json::Value| memory.answer(&arguments.to_string());
    let quoted = answer(json!({ "query": "GraphQL edge that nobody called" })).unwrap();
    assert!(
        quoted.starts_with("turn 2 user: Decided: drop the GraphQL edge, not keeping both"),
        "{quoted}"
    );
    let whole = answer(json!({ "turn": 3 })).unwrap();
    assert!(
        whole.starts_with("turn 3 assistant: The order of the two writes") && whole.contains("once per hour")
    );
    assert!(
        answer(json!({ "query": "xyzzyx" }))
            .unwrap()
            .starts_with("Nothing in this conversation")
    );
    assert_eq!(
        answer(json!({ "turn": 501 })).unwrap_err(),
        "there is no turn 501: this conversation has 500"
    );
    assert_eq!(answer(json!({})).unwrap_err(), "give `query` or `turn`");
    assert!(answer(json!([1])).unwrap_err().contains("give `query` or `turn`"));
}
