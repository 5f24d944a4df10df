//! A scripted chat for tests: receives orders, sends news.

use gemicro_chat::{Chapter, News, Order, Transport};
use gemicro_core::history::{Author, Turn};
use gemicro_event::StreamId;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::ChatChannel;

/// Starts an actor. It sends `first`, then the script's response to each order; after [`Order::Quit`] it closes. Its
/// task returns the orders that it received.
pub(super) fn start(
    first: Vec<News>,
    mut script: impl FnMut(&Order) -> Vec<News> + Send + 'static,
) -> (ChatChannel, JoinHandle<Vec<Order>>) {
    // Small buffers, so that both sides meet full channels.
    let (orders, mut taken) = mpsc::channel::<Order>(1);
    let (tell, news) = mpsc::channel(2);
    let task = tokio::spawn(async move {
        let mut got = Vec::new();
        for news in first {
            let _ = tell.send(news).await;
        }
        let _ = tell.send(News::Ready).await;
        while let Some(order) = taken.recv().await {
            let is_last = order == Order::Quit;
            for news in script(&order) {
                let _ = tell.send(news).await;
            }
            got.push(order);
            if is_last {
                let _ = tell.send(News::Closed).await;
                break;
            }
        }
        got
    });
    (ChatChannel { orders, news }, task)
}

/// An id that is the same in every test.
pub(super) fn id(text: &str) -> StreamId {
    StreamId::new(text).expect("a stream id")
}

/// A turn with its number.
pub(super) fn turn(number: u64, author: Author, text: &str) -> Turn {
    Turn {
        number,
        ..Turn::new(author, text)
    }
}

/// A conversation with these turns.
pub(super) fn opened_news(turns: Vec<Turn>) -> News {
    News::Opened(Chapter {
        id: id("c0nversat10n0001"),
        name: "the parser".to_owned(),
        speaker: "gemini · gemini-3.1-pro-preview".to_owned(),
        n_turns: turns.len() as u64,
        turns,
    })
}

/// A message that is being answered.
pub(super) fn sent_news(number: u64, text: &str) -> News {
    News::Asked {
        turn: turn(number, Author::User, text),
        run: id("run0000000000001"),
        transport: Transport::Native,
    }
}

pub(super) fn answered_news(number: u64, text: &str) -> News {
    News::Answered {
        turn: turn(number, Author::Assistant, text),
        usage: None,
        duration_ms: 3_200,
    }
}
