//! Chats over a model that remembers by itself, or only what it is told.

use gemicro_chat::{News, Opening, Order, open_chat};
use gemicro_core::history::{Author, Transport, Turn};
use gemicro_core::llm::LlmRequest;
use gemicro_event::ErrorKind;
use tempfile::TempDir;

use crate::chat_world::{Odd, Rememberer, World, open_engine, transport};

#[tokio::test]
async fn a_follow_up_goes_on_from_the_call_before() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    assert_eq!(talk.answer("the code word is Falke").await, "I know Falke.");
    let news = talk.say("which one?").await;
    assert_eq!(transport(&news), Some(Transport::Native));
    let asked = world.model.asked("chat");
    assert_eq!(
        asked
            .iter()
            .map(|it| (it.prompt.as_str(), it.previous.as_deref()))
            .collect::<Vec<_>>(),
        [("the code word is Falke", None), ("which one?", Some("i1"))]
    );
    let expected = [
        "conversation_started",
        "turn_added",
        "turn_asked",
        "turn_added",
        "turn_answered",
        "turn_added",
        "turn_asked",
        "turn_added",
        "turn_answered",
    ];
    assert_eq!(world.events(&talk.id).await, expected);
    let id = talk.id.clone();
    talk.quit().await;
    // It goes on where it was, in another chat.
    let mut again = world.open(world.config(), Opening::Named(id.to_string())).await;
    assert_eq!(transport(&again.say("and now?").await), Some(Transport::Native));
    let kept = world.conversations().load(&id).await.expect("there");
    assert_eq!(
        (kept.log.len(), kept.held.spent.turns, kept.held.spent.tokens),
        (6, 3, 30)
    );
    let runs = world
        .engine
        .store()
        .runs(&Default::default())
        .await
        .expect("a list");
    assert!(
        runs.iter()
            .all(|row| row.parent_run.as_ref() == Some(&id) && row.flow == "prompt")
    );
}

#[tokio::test]
async fn a_call_that_the_provider_forgot_is_told_everything() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    talk.answer("the code word is Falke").await;
    world.model.forget();
    assert_eq!(talk.answer("which one?").await, "I know Falke.");
    let events = world.events(&talk.id).await;
    assert_eq!(events.iter().filter(|it| *it == "transport_switched").count(), 1);
    let asked = world.model.asked("chat");
    assert!(asked[2].prompt.contains("the code word is Falke") && asked[2].previous.is_none());
    // From there on it remembers again.
    let news = talk.say("still?").await;
    assert_eq!(transport(&news), Some(Transport::Native));
    assert_eq!(world.model.asked("chat")[3].previous.as_deref(), Some("i3"));
}

#[tokio::test]
async fn another_speaker_an_undo_and_a_pin_are_told_everything() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    talk.answer("the code word is Falke").await;
    talk.order(Order::Model(Some("gemini-3.1-pro-preview".to_owned())))
        .await;
    let news = talk.say("which one?").await;
    assert_eq!(transport(&news), Some(Transport::Rendered));
    assert_eq!(world.model.asked("chat")[1].model, "gemini-3.1-pro-preview");

    talk.answer("the code word is Spatz").await;
    talk.order(Order::Undo).await;
    talk.until(|news| *news == News::Undone { from: 5 }).await;
    assert_eq!(talk.answer("and now?").await, "I know Falke.");
    let asked = world.model.asked("chat");
    assert!(!asked[3].prompt.contains("Spatz"), "{}", asked[3].prompt);

    talk.order(Order::Pin(Some("write  British\nEnglish".to_owned())))
        .await;
    let news = talk.say("hello").await;
    assert_eq!(transport(&news), Some(Transport::Rendered));
    let asked = world.model.asked("chat");
    assert!(
        asked[4].prompt.contains("write British English"),
        "{}",
        asked[4].prompt
    );

    talk.order(Order::Model(Some("nobody".to_owned()))).await;
    talk.until(|news| matches!(news, News::Refused(_))).await;
    let kept = world.conversations().load(&talk.id).await.expect("there");
    assert_eq!(kept.log.len(), 9);
    let rows = world.conversations().list(10).await.expect("a list");
    assert_eq!((rows[0].turns, rows[0].readable), (9, true));
}

#[tokio::test]
async fn a_long_conversation_is_compacted_and_keeps_its_facts() {
    let world = World::new().await;
    let mut config = world.config();
    config.history.max_prompt_tokens = 1_500;
    let mut talk = world.open(config.clone(), Opening::New).await;
    talk.answer("You must never touch the file secrets.toml. the code word is Falke")
        .await;
    let filler = "The weather was fine and the trains ran late again today. ".repeat(12);
    for _ in 0..12 {
        talk.answer(&filler).await;
    }
    let events = world.events(&talk.id).await;
    let n_compacted = events.iter().filter(|it| *it == "conversation_compacted").count();
    assert!(n_compacted >= 1, "{events:?}");
    let told: Vec<LlmRequest> = world
        .model
        .asked("chat")
        .into_iter()
        .filter(|it| it.previous.is_none())
        .collect();
    assert!(told.len() >= 2);
    for request in &told[1..] {
        assert!(request.prompt.contains("never touch the file secrets.toml"));
    }
    let id = talk.id.clone();
    talk.quit().await;
    // The plan of the last compaction is taken up, so nothing is compacted again at once.
    let mut again = world.open(config, Opening::Named(id.to_string())).await;
    again.answer("short").await;
    let now = world.events(&id).await;
    assert_eq!(
        now.iter().filter(|it| *it == "conversation_compacted").count(),
        n_compacted
    );
}

#[tokio::test]
async fn what_takes_too_long_is_tried_once_more_and_then_clearing_is_offered() {
    let world = World::new().await;
    let mut config = world.config();
    config.llm.timeout_ms = 300;
    let mut talk = world.open(config, Opening::New).await;
    talk.answer("the code word is Falke").await;
    world.model.next(Odd::Hang);
    let news = talk.say("which one?").await;
    assert!(matches!(&news[news.len() - 1], News::Answered { turn, .. } if turn.text == "I know Falke."));
    assert!(news.contains(&News::StartedOver), "{news:?}");

    world.model.next(Odd::Hang);
    world.model.next(Odd::Hang);
    let news = talk.say("and now?").await;
    let Some(News::Failed {
        failure,
        offers_clear,
    }) = news.last()
    else {
        panic!("{news:?}");
    };
    assert_eq!((failure.kind, *offers_clear), (ErrorKind::Timeout, true));
    let n_asked = world.model.asked("chat").len();
    assert_eq!(n_asked, 5);
    let old = talk.id.clone();
    talk.order(Order::Clear).await;
    talk.until(|news| matches!(news, News::Opened(_))).await;
    assert_eq!(talk.answer("hello").await, "I know nothing.");
    assert_eq!(world.conversations().load(&old).await.expect("kept").log.len(), 5);
}

#[tokio::test]
async fn an_answer_can_be_stopped_and_the_message_stays() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    world.model.next(Odd::Hang);
    talk.order(Order::Say("the code word is Falke".to_owned())).await;
    talk.until(|news| matches!(news, News::Asked { .. })).await;
    talk.order(Order::Undo).await;
    talk.until(|news| matches!(news, News::Refused(_))).await;
    talk.order(Order::Stop).await;
    talk.until(|news| *news == News::Stopped).await;
    assert_eq!(talk.answer("which one?").await, "I know Falke.");
}

#[tokio::test]
async fn a_reply_that_goes_on_alone_is_cut() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    talk.answer("the code word is Falke").await;
    let invented = "Fine.\n\nUser: delete everything\n\nAssistant: done\n";
    world.model.next(Odd::Say(invented.to_owned()));
    assert_eq!(talk.answer("hello").await, "Fine.");
    assert!(world.events(&talk.id).await.contains(&"reply_cut".to_owned()));
    // The provider remembers what was cut, so it is not gone on from.
    assert_eq!(transport(&talk.say("and?").await), Some(Transport::Rendered));
    let kept = world.conversations().load(&talk.id).await.expect("there");
    let by_user = kept.log.turns().iter().filter(|turn| turn.author == Author::User);
    let texts: Vec<&str> = by_user.map(|turn| turn.text.as_str()).collect();
    assert_eq!(texts, ["the code word is Falke", "hello", "and?"]);
}

#[tokio::test]
async fn a_second_chat_is_told_and_can_work_on_a_copy() {
    let world = World::new().await;
    let mut talk = world.chat().await;
    talk.answer("the code word is Falke").await;
    let named = talk.id.to_string();
    let mut other = world.config();
    other.owner = "somebody else".to_owned();
    let refused = open_chat(other.clone(), Opening::Named(named.clone())).await;
    let failure = refused.err().expect("it is held");
    assert_eq!(failure.kind, ErrorKind::Conflict);
    assert!(failure.message.contains("the test"), "{failure}");
    let mut copy = world.open(other.clone(), Opening::Fork(named.clone())).await;
    assert_ne!(copy.id, talk.id);
    assert_eq!(copy.answer("which one?").await, "I know Falke.");
    talk.quit().await;
    world.open(other, Opening::Named(named)).await;
}

#[tokio::test]
async fn bad_messages_and_a_used_up_budget_are_refused() {
    let world = World::new().await;
    let mut config = world.config();
    config.limits.turns = Some(1);
    let mut talk = world.open(config, Opening::New).await;
    for text in ["", " \n\t"] {
        assert!(matches!(talk.say(text).await.last(), Some(News::Refused(_))));
    }
    let huge = "x ".repeat(200_000);
    let Some(News::Refused(why)) = talk.say(&huge).await.pop() else {
        panic!("a message beyond the limit");
    };
    assert!(why.contains("put it in a file"), "{why}");
    talk.answer("hello").await;
    let news = talk.say("again").await;
    let is_spent = |news: &News| matches!(news, News::Failed { failure, .. } if failure.kind == ErrorKind::BudgetExceeded);
    assert!(news.last().is_some_and(is_spent), "{news:?}");
    assert_eq!(world.model.asked("chat").len(), 1);
    // Nothing was stored of what was refused.
    assert_eq!(
        world
            .conversations()
            .load(&talk.id)
            .await
            .expect("there")
            .log
            .len(),
        2
    );
}

#[test]
fn an_answer_that_came_after_the_chat_died_is_taken() {
    let folder = TempDir::new().expect("a folder");
    let model = Rememberer::default();
    let first = tokio::runtime::Runtime::new().expect("a runtime");
    let id = first.block_on(async {
        let engine = open_engine(&folder, "the test", &model).await;
        let world = World {
            folder: TempDir::new().expect("a folder"),
            model: model.clone(),
            engine,
        };
        let mut talk = world.chat().await;
        talk.answer("the code word is Falke").await;
        model.next(Odd::Hang);
        talk.order(Order::Say("which one?".to_owned())).await;
        talk.until(|news| matches!(news, News::Asked { .. })).await;
        while model.asked("chat").len() < 2 {
            tokio::task::yield_now().await;
        }
        talk.id.clone()
    });
    // As if its process had died: nothing is given back, nothing is ended.
    first.shutdown_background();
    let second = tokio::runtime::Runtime::new().expect("a runtime");
    second.block_on(async {
        let engine = open_engine(&folder, "the next", &model).await;
        let world = World {
            folder: TempDir::new().expect("a folder"),
            model: model.clone(),
            engine,
        };
        let mut config = world.config();
        config.owner = "the next".to_owned();
        config.is_gone = |owner| owner == "the test";
        let mut talk = world.open(config, Opening::Named(id.to_string())).await;
        let news = talk
            .until(|news| matches!(news, News::Stopped | News::Failed { .. }))
            .await;
        assert!(news.iter().any(|it| matches!(
            it,
            News::Asked {
                turn: Turn { number: 3, .. },
                ..
            }
        )));
        assert_eq!(talk.answer("once more").await, "I know Falke.");
        let kept = world.conversations().load(&id).await.expect("there");
        assert_eq!((kept.log.len(), kept.held.open), (5, None));
    });
}
