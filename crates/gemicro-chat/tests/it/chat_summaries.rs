//! Summaries of a chat, written beside it.

use gemicro_chat::{News, Opening};
use gemicro_core::llm::LlmConfig;

use crate::chat_world::{Talk, World};

/// A chat with so much said that something had to be left out.
async fn summarised(summary: Option<&str>) -> (World, Talk, Vec<News>) {
    let world = World::new().await;
    world.model.state.lock().expect("free").summary = summary.map(str::to_owned);
    let mut config = world.config();
    config.history.max_prompt_tokens = 3_000;
    config.history.none_below = 500;
    config.history.summary_threshold = 1_000;
    config.history.heavy_above = 2_000;
    config.summariser = Some(LlmConfig {
        model: "gemini-3.5-flash-lite".to_owned(),
        ..LlmConfig::default()
    });
    let mut talk = world.open(config, Opening::New).await;
    let mut all = Vec::new();
    for n in 0..16 {
        let filler = format!("Day {n} was fine and the trains ran late again. ").repeat(30);
        all.extend(talk.say(&filler).await);
    }
    (world, talk, all)
}

#[tokio::test]
async fn summaries_are_written_beside_the_talk_and_once() {
    let (world, talk, _) = summarised(Some("The user told how the trains ran, day by day.")).await;
    let asked = world.model.asked("summarise");
    assert!(!asked.is_empty() && asked.iter().all(|it| it.model == "gemini-3.5-flash-lite"));
    let mut prompts: Vec<&str> = asked.iter().map(|it| it.prompt.as_str()).collect();
    prompts.sort_unstable();
    prompts.dedup();
    assert_eq!(prompts.len(), asked.len(), "nothing is asked twice");
    let last = world
        .model
        .asked("chat")
        .into_iter()
        .rev()
        .find(|it| it.previous.is_none());
    let last = last.expect("a told prompt");
    assert!(
        last.prompt.contains("how the trains ran, day by day"),
        "{}",
        last.prompt
    );
    let events = world.events(&talk.id).await;
    assert!(events.contains(&"summary_made".to_owned()), "{events:?}");
}

#[tokio::test]
async fn a_bad_summariser_harms_nothing() {
    let bloated = "More could be said about the trains and the weather of that day. ".repeat(4_000);
    for summary in ["", "]}{[ <<%%>> ))((", bloated.as_str()] {
        let (world, mut talk, news) = summarised(Some(summary)).await;
        let n_answers = news
            .iter()
            .filter(|it| matches!(it, News::Answered { .. }))
            .count();
        assert_eq!(n_answers, 16);
        talk.answer("and now?").await;
        let asked = world.model.asked("chat");
        assert!(!asked.iter().any(|it| it.prompt.contains("<<%%>>")));
    }
    // One that never answers: nobody waits for it.
    let (_world, mut talk, news) = summarised(None).await;
    assert_eq!(
        news.iter()
            .filter(|it| matches!(it, News::Answered { .. }))
            .count(),
        16
    );
    talk.answer("and now?").await;
    talk.quit().await;
}
