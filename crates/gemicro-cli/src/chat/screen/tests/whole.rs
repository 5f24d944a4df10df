//! The loop with a scripted chat and scripted keys.

use std::io;

use futures_util::StreamExt;
use futures_util::stream;
use gemicro_chat::{News, Order};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::state;
use crate::chat::ChatChannel;
use crate::chat::actor::{self, answered_news, opened_news, sent_news};
use crate::chat::screen::run::{Surface, show};
use crate::command_error::CommandError;

fn key(code: KeyCode) -> io::Result<Event> {
    Ok(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn keys(text: &str) -> Vec<io::Result<Event>> {
    text.chars()
        .map(|c| {
            key(if c == '\n' {
                KeyCode::Enter
            } else {
                KeyCode::Char(c)
            })
        })
        .collect()
}

/// Shows a chat; keys come from a channel and never end by themselves.
async fn shown(
    ends: ChatChannel,
    keys: mpsc::Receiver<io::Result<Event>>,
    stop: &CancellationToken,
) -> (String, Result<(), CommandError>) {
    let mut terminal = Terminal::new(TestBackend::new(60, 20)).unwrap();
    let events = stream::unfold(keys, |mut keys| async move {
        keys.recv().await.map(|key| (key, keys))
    });
    let surface = Surface {
        terminal: &mut terminal,
        events: Box::pin(events.chain(stream::pending())),
        suspend: || Ok(()),
    };
    let result = show(surface, &mut state(), ends, stop).await;
    (terminal.backend().to_string(), result)
}

#[tokio::test(start_paused = true)]
async fn a_message_is_sent_answered_and_the_chat_closed() {
    let (typed, keys_in) = mpsc::channel(64);
    let (answers, mut answered_now) = mpsc::channel(1);
    let (ends, actor) = actor::start(vec![opened_news(Vec::new())], move |order| match order {
        Order::Say(text) => {
            let _ = answers.try_send(());
            vec![
                sent_news(1, text),
                News::Text("Hel".to_owned()),
                News::Text("lo!".to_owned()),
                answered_news(2, "Hello!"),
            ]
        }
        _ => Vec::new(),
    });
    let person = tokio::spawn(async move {
        for key in keys("hi\n") {
            typed.send(key).await.unwrap();
        }
        answered_now.recv().await;
        // Paused time continues when all wait: everything that was sent is drawn by then.
        tokio::time::sleep(super::seconds(1)).await;
        for key in keys("/quit\n") {
            typed.send(key).await.unwrap();
        }
    });
    let stop = CancellationToken::new();
    let (screen, result) = shown(ends, keys_in, &stop).await;
    assert!(result.is_ok(), "{result:?}");
    assert!(screen.contains("› hi") && screen.contains("Hello!"), "{screen}");
    person.await.unwrap();
    assert_eq!(actor.await.unwrap(), [Order::Say("hi".to_owned()), Order::Quit]);
}

#[tokio::test(start_paused = true)]
async fn a_signal_ends_the_screen_and_reports_the_chat() {
    let (_typed, keys_in) = mpsc::channel(1);
    let (ends, actor) = actor::start(vec![opened_news(Vec::new())], |_| Vec::new());
    let stop = CancellationToken::new();
    stop.cancel();
    let (_, result) = shown(ends, keys_in, &stop).await;
    assert!(matches!(result, Err(CommandError::AlreadyReported(130))));
    assert_eq!(actor.await.unwrap(), [Order::Quit]);
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_breaks_off_is_reported() {
    let (_typed, keys_in) = mpsc::channel(1);
    let (orders, _) = mpsc::channel(1);
    let (_, news) = mpsc::channel(1);
    let (_, result) = shown(ChatChannel { orders, news }, keys_in, &CancellationToken::new()).await;
    let failure = result.unwrap_err().into_failure();
    assert_eq!(failure.message, "the chat ended unexpectedly");
}
