//! Whatever requests and providers do: the budget holds, and the key is written nowhere.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use gemicro_event::Usage;
use gemicro_llm::gateway::{AgentApi, GatewayConfig, NoteKind};
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::test_runner::{Config, TestRunner};

use crate::gateway_world::{
    KEY, Provider, Say, World, answer, config, grant, json_answer, message_body, stream, tokens,
};

/// What one provider connection does.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Reports(u64, u64),
    Cut,
    Error,
    NoUsage,
}

#[test]
fn random_sequences_never_pass_the_budget() {
    let fate = prop_oneof![
        (0_u64..3_000, 0_u64..3_000).prop_map(|(input, output)| Fate::Reports(input, output)),
        Just(Fate::Cut),
        Just(Fate::Error),
        Just(Fate::NoUsage),
    ];
    let case = (
        proptest::collection::vec((fate, 1_u64..6_000, proptest::bool::ANY), 1..14),
        2_000_u64..30_000,
    );
    let mut runner = TestRunner::new(Config {
        cases: 40,
        failure_persistence: None,
        ..Config::default()
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runner
        .run(&case, |(requests, budget)| {
            runtime.block_on(check(requests, budget));
            Ok(())
        })
        .unwrap();
}

async fn check(requests: Vec<(Fate, u64, bool)>, budget: u64) {
    let fates: Vec<Fate> = requests.iter().map(|(fate, ..)| *fate).collect();
    let is_cut = fates.iter().any(|fate| matches!(fate, Fate::Cut));
    let n = AtomicUsize::new(0);
    let provider = Provider::start(move |_| {
        let at = n.fetch_add(1, Ordering::Relaxed);
        match fates[at % fates.len()] {
            Fate::Reports(input, output) => stream(input, output),
            Fate::Cut => stream(5, 5)[..2].to_vec(),
            Fate::Error => vec![Say::Bytes(answer("500 Oh", "", "{}").into_bytes())],
            Fate::NoUsage => vec![Say::Bytes(json_answer("{}").into_bytes())],
        }
    })
    .await;
    let settings = GatewayConfig {
        reserve_time: Duration::from_millis(20),
        ..config()
    };
    let world = World::with(
        settings,
        grant(AgentApi::Anthropic, &provider.url, tokens(budget)),
    );
    join_all(requests.iter().map(|&(_, max_tokens, leaves)| {
        let world = &world;
        async move {
            let sent = world.post("/v1/messages", message_body(max_tokens)).send().await;
            match sent {
                Ok(sent) if !leaves => drop(sent.bytes().await),
                Ok(_) => {}
                // A provider that breaks off at once can take the head of the answer with it.
                Err(error) => assert!(is_cut, "the gateway answers: {error:?}"),
            }
            assert!(world.ticket.step_usage().cost.tokens <= budget);
        }
    }))
    .await;
    let notes = world.notes();
    let spent = world.ticket.close().await;
    assert!(spent.cost.tokens <= budget, "{spent:?} of {budget}");
    let reserved: u64 = notes
        .iter()
        .filter_map(|note| match &note.kind {
            NoteKind::Started { reserved, .. } => Some(reserved.tokens),
            _ => None,
        })
        .sum();
    assert!(spent.n_requests == 0 || reserved > 0);
    assert!(spent.usage == Usage::default() || spent.cost.tokens > 0);
}

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test died here").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "current_thread")]
async fn no_log_line_holds_key_or_token() {
    let log = Log::default();
    let to = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || to.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let n = AtomicUsize::new(0);
    let provider = Provider::start(move |_| match n.fetch_add(1, Ordering::Relaxed) {
        0 => stream(1, 1),
        1 => vec![Say::Bytes(
            answer("401 No", "", &format!("bad key {KEY}")).into_bytes(),
        )],
        2 => vec![Say::Bytes(format!("garbage {KEY}").into_bytes())],
        _ => stream(1, 1)[..2].to_vec(),
    })
    .await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    for _ in 0..4 {
        let heard = world.message(10).send().await.expect("the gateway answers");
        let _ = heard.bytes().await;
    }
    // The client of this test logs too, but not what it sends.
    let logged = String::from_utf8_lossy(&log.0.lock().expect("no test died here")).into_owned();
    assert!(logged.len() > 500, "{logged}");
    assert!(
        !logged.contains(KEY) && !logged.contains(world.ticket.token()),
        "{logged}"
    );
}
