//! The face of seed 3: messages in, prompts out.

use gemicro_core::history::{
    Author, HistoryConfig, HistoryError, HistoryManager, HistoryWarning, Level, Prompt, PromptPlan, Tag,
    View, read_prompt, render,
};

use super::corpus::{conversation, limited};

/// About a hundred tokens that hold nothing to pin.
fn filler(idx: usize) -> String {
    format!(
        "Part {idx}: {}",
        "we talk about the garden and what grows in it ".repeat(8)
    )
}

fn talk(config: HistoryConfig, n_messages: usize) -> HistoryManager {
    let mut history = HistoryManager::new(config);
    for idx in 0..n_messages {
        let author = if idx % 2 == 0 {
            Author::User
        } else {
            Author::Assistant
        };
        history.add_message(author, filler(idx));
    }
    history
}

#[test]
fn defaults_of_the_document() {
    let config = HistoryConfig::default();
    assert_eq!(
        (
            config.max_prompt_tokens,
            config.summary_threshold,
            config.recent_message_count,
            config.enable_compression
        ),
        (16_000, 8_000, 8, true)
    );
    assert!((4_000..=8_000).contains(&config.reply_reserve));
    assert_eq!(
        (config.warn_tokens, config.hard_max_tokens, config.model_limit),
        (16_000, 60_000, 900_000)
    );
    let levels = [0, 4_999, 5_000, 15_000, 15_001].map(|tokens| config.level(tokens));
    assert_eq!(
        levels,
        [
            Level::None,
            Level::None,
            Level::Window,
            Level::Window,
            Level::Heavy
        ]
    );
    assert_eq!(limited(100_000).limit(), 60_000);
    let small = HistoryConfig {
        model_limit: 8_000,
        reply_reserve: 4_000,
        ..HistoryConfig::default()
    };
    assert_eq!(small.limit(), 4_000);
    let read: HistoryConfig = serde_json::from_str(r#"{"max_prompt_tokens": 9000}"#).unwrap();
    assert_eq!(read, limited(9_000));
}

#[test]
fn short_conversations_are_shown_whole() {
    for n_messages in [0, 1, 5, 20] {
        let mut history = talk(HistoryConfig::default(), n_messages);
        let result = history.build_prompt("What is 2+2?").unwrap();
        assert!(!result.was_compressed);
        assert_eq!(history.message_count(), n_messages, "the message is not added");
        let read = read_prompt(&Prompt {
            text: result.prompt,
            tag: result.tag,
        })
        .unwrap();
        assert_eq!(read.turns.len(), n_messages + 1);
        assert_eq!(read.turns.last().unwrap().text, "What is 2+2?");
        assert!(
            read.turns
                .iter()
                .zip(history.log().turns())
                .all(|(read, turn)| read == turn)
        );
    }
}

#[test]
fn a_prompt_continues_the_one_before() {
    let mut history = talk(HistoryConfig::default(), 10);
    let first = history.build_prompt("and now?").unwrap().prompt;
    assert_eq!(history.build_prompt("and now?").unwrap().prompt, first);
    history.add_message(Author::User, "and now?");
    assert_eq!(history.prompt().unwrap().prompt, first);
    history.add_message(Author::Assistant, "now we rest");
    let second = history.build_prompt("good").unwrap().prompt;
    assert!(second.starts_with(&first));
}

#[test]
fn a_message_that_was_never_sent_leaves_no_trace() {
    let mut history = talk(HistoryConfig::default(), 6);
    history.build_prompt("never sent").unwrap();
    history.add_message(Author::User, "sent");
    let prompt = history.prompt().unwrap().prompt;
    assert!(prompt.contains("\nsent\n") && !prompt.contains("never sent"));
}

#[test]
fn long_conversations_are_compressed_by_their_level() {
    let mut history = talk(HistoryConfig::default(), 110);
    let total = history.estimated_total_tokens();
    assert!((8_000..=15_000).contains(&total), "{total}");
    let result = history.build_prompt("go on").unwrap();
    assert!(result.was_compressed && result.estimated_tokens < total);
    let plan = history.plan().unwrap();
    assert_eq!((plan.level, &plan.kept[..2]), (Level::Window, &[1, 2][..]));

    let mut history = talk(HistoryConfig::default(), 300);
    let result = history.build_prompt("go on").unwrap();
    let plan = history.plan().unwrap();
    assert_eq!(plan.level, Level::Heavy);
    let n_shown = 301 - plan.from + 1;
    assert!(
        (6..=10).contains(&n_shown),
        "the last three to five exchanges, not {n_shown} messages"
    );
    assert!(
        (14_400..=16_000).contains(&result.estimated_tokens),
        "the rest is filled with old turns and statements: {}",
        result.estimated_tokens
    );
    let total = history.estimated_total_tokens();
    assert!(history.warnings().iter().any(|warning| matches!(
        warning,
        HistoryWarning::LongConversation { tokens } if *tokens > total
    )));
}

#[test]
fn tool_output_is_dropped_masked_and_cut_before_anything_is_sealed() {
    let mut history = HistoryManager::new(HistoryConfig::default());
    let output: String = (0..60).map(|idx| format!("line {idx} of the output\n")).collect();
    history.add_message(Author::User, "look");
    history.add_message(Author::Assistant, "I look");
    for idx in 0..12 {
        let text = if idx < 2 {
            output.clone()
        } else {
            format!("{idx} {output}")
        };
        history.add_message(Author::Tool, text);
        history.add_message(Author::Assistant, "I see");
    }
    let total = history.estimated_total_tokens();
    assert!((5_000..8_000).contains(&total), "{total}");
    let result = history.prompt().unwrap();
    let plan = history.plan().unwrap();
    assert!(result.was_compressed && plan.segments.is_empty());
    assert_eq!(plan.view(5), &View::SameAs { turn: 3 });
    assert!(
        matches!(plan.view(7), View::Cut { .. }),
        "an old output is masked"
    );
    assert_eq!(plan.view(25), &View::Whole, "a recent one is not");
    assert!(result.prompt.contains("sha256"));
}

#[test]
fn dropping_the_plan_gives_the_original_back() {
    let log = conversation();
    let mut history = HistoryManager::from_log(HistoryConfig::default(), &log);
    assert!(history.prompt().unwrap().was_compressed);
    let whole = render(
        history.log(),
        &PromptPlan::verbatim(Tag::parse("aaaaaa").unwrap()),
    );
    assert_eq!(read_prompt(&whole).unwrap().turns, log.turns());
}

#[test]
fn a_stored_plan_continues_byte_for_byte() {
    let log = conversation();
    let mut history = HistoryManager::new(HistoryConfig::default());
    for turn in log.range(1, 260) {
        history.add_turn(turn.clone());
        history.prompt().unwrap();
    }
    let stored = serde_json::to_string(&(history.plan().unwrap(), history.summaries())).unwrap();
    let (plan, cache) = serde_json::from_str(&stored).unwrap();
    let mut resumed =
        HistoryManager::from_log(HistoryConfig::default(), &log.cut_after(260)).with_plan(plan, cache);
    assert_eq!(resumed.prompt().unwrap().prompt, history.prompt().unwrap().prompt);
}

#[test]
fn without_compression_a_long_conversation_is_refused() {
    let config = HistoryConfig {
        enable_compression: false,
        hard_max_tokens: 5_000,
        ..HistoryConfig::default()
    };
    let mut history = talk(config.clone(), 20);
    assert!(!history.prompt().unwrap().was_compressed);
    let mut history = talk(config, 100);
    let Err(HistoryError::NotCompressed { needed, limit: 5_000 }) = history.prompt() else {
        panic!("not refused");
    };
    assert!(needed > 5_000);
}

#[test]
fn what_may_not_be_touched_is_refused_when_it_does_not_fit() {
    let mut history = HistoryManager::new(limited(2_000));
    history.add_message(Author::User, "word ".repeat(3_000));
    let Err(error) = history.prompt() else {
        panic!("not refused")
    };
    assert!(matches!(error, HistoryError::TooSmall { limit: 2_000, .. }));
    let failure = gemicro_event::Failure::from(error);
    assert_eq!(failure.kind, gemicro_event::ErrorKind::InvalidInput);
    // The conversation goes on once the message is an old one.
    history.add_message(Author::User, "shorter");
    assert!(history.prompt().unwrap().prompt.contains("shorter"));
}

#[test]
fn after_a_timeout_the_prompt_is_at_most_half() {
    let mut history = HistoryManager::from_log(HistoryConfig::default(), &conversation());
    history.prompt().unwrap();
    history.compress_harder().unwrap();
    assert!(history.prompt().unwrap().estimated_tokens <= 8_000);
}

#[test]
fn clearing_forgets_everything() {
    let mut history = talk(HistoryConfig::default(), 30);
    history.prompt().unwrap();
    history.clear_history();
    assert_eq!(
        (history.message_count(), history.estimated_total_tokens()),
        (0, 0)
    );
    assert!(history.plan().is_none() && history.report().is_none());
    assert!(!history.build_prompt("hello").unwrap().prompt.contains("garden"));
}
