//! Live text: the text so far, then the tail; coalesced for the slow; bounded; new attempts start again.

use futures_util::{FutureExt, StreamExt};
use gemicro_core::live::{LiveHub, LiveItem};
use gemicro_event::StepKey;

fn key(name: &str) -> StepKey {
    StepKey::new(name)
}

fn item(step: &str, attempt: u32, offset: u64, text: &str) -> LiveItem {
    LiveItem {
        step: key(step),
        attempt,
        offset,
        text: text.to_owned(),
    }
}

/// What a subscriber can have at this moment.
fn ready(stream: &mut futures_util::stream::BoxStream<'static, LiveItem>) -> Vec<LiveItem> {
    let mut items = Vec::new();
    while let Some(Some(item)) = stream.next().now_or_never() {
        items.push(item);
    }
    items
}

#[tokio::test]
async fn a_late_subscriber_gets_the_text_so_far_and_then_the_tail() {
    let hub = LiveHub::new();
    let text = hub.writer(&key("a"), 1);
    text.push("Hello, ");
    text.push("w");
    let mut late = hub.subscribe();
    assert_eq!(ready(&mut late), [item("a", 1, 0, "Hello, w")]);
    text.push("orld");
    assert_eq!(ready(&mut late), [item("a", 1, 8, "orld")]);
    assert_eq!(ready(&mut late), []);
}

#[tokio::test]
async fn a_slow_reader_gets_larger_pieces_and_never_blocks_the_writer() {
    let hub = LiveHub::new();
    let mut slow = hub.subscribe();
    assert_eq!(ready(&mut slow), []);
    let text = hub.writer(&key("a"), 1);
    for _ in 0..1_000 {
        text.push("ab");
    }
    assert_eq!(ready(&mut slow), [item("a", 1, 0, &"ab".repeat(1_000))]);
}

#[tokio::test]
async fn old_text_is_dropped_past_the_bound_and_shows_as_a_jump() {
    const BOUND: usize = 256 * 1024;
    let hub = LiveHub::new();
    let text = hub.writer(&key("a"), 1);
    let mut written = String::new();
    // Pieces of every sort of length, with characters of several bytes.
    for idx in 0..4_000 {
        let piece = "Grüße, 世界 ".repeat(idx % 13);
        written.push_str(&piece);
        text.push(&piece);
    }
    text.push(&"z".repeat(3 * BOUND));
    written.push_str(&"z".repeat(3 * BOUND));
    let items = ready(&mut hub.subscribe());
    let [kept] = items.as_slice() else {
        panic!("one piece: {}", items.len())
    };
    assert!(kept.text.len() <= BOUND, "{} bytes are kept", kept.text.len());
    assert!(kept.offset > 0);
    assert_eq!(kept.text, written[usize::try_from(kept.offset).expect("small")..]);
}

#[tokio::test]
async fn a_new_attempt_starts_at_zero_and_the_old_one_is_not_heard() {
    let hub = LiveHub::new();
    let first = hub.writer(&key("a"), 1);
    let mut reader = hub.subscribe();
    first.push("half an ans");
    assert_eq!(ready(&mut reader), [item("a", 1, 0, "half an ans")]);
    let second = hub.writer(&key("a"), 2);
    first.push("wer of the dead");
    second.push("A whole answer");
    assert_eq!(ready(&mut reader), [item("a", 2, 0, "A whole answer")]);
    hub.remove(&key("a"));
    second.push("too late");
    assert_eq!(ready(&mut reader), []);
    assert_eq!(ready(&mut hub.subscribe()), []);
}

#[tokio::test]
async fn steps_do_not_mix() {
    let hub = LiveHub::new();
    let (a, b) = (hub.writer(&key("a"), 1), hub.writer(&key("b"), 1));
    let mut reader = hub.subscribe();
    a.push("1");
    b.push("2");
    a.push("3");
    assert_eq!(ready(&mut reader), [item("a", 1, 0, "13"), item("b", 1, 0, "2")]);
}

#[tokio::test]
async fn a_subscription_ends_with_its_hub() {
    let hub = LiveHub::new();
    let mut reader = hub.subscribe();
    drop(hub);
    assert_eq!(reader.next().await, None);
}

#[tokio::test]
async fn a_model_writes_live_while_its_step_runs() {
    use crate::support::{ProbeStore, ResearchSetup};
    use gemicro_core::drive::{begin, drive};
    use gemicro_core::llm::scripted::Part;
    use gemicro_core::research::ResearchFlow;

    let store = ProbeStore::new();
    let setup = ResearchSetup::new(Part::Perfect);
    let ctx = setup.context(&store);
    let mut reader = ctx.live.subscribe();
    let heard = tokio::spawn(async move { reader.next().await });
    tokio::task::yield_now().await;
    let id = gemicro_event::StreamId::random();
    let lease = begin(&ctx, &id, None, &setup.started()).await.expect("begins");
    drive(&ctx, &ResearchFlow, lease).await.expect("ends");
    let first = heard
        .await
        .expect("no panic")
        .expect("text was heard before the end");
    assert_eq!((first.attempt, first.offset), (1, 0));
}
