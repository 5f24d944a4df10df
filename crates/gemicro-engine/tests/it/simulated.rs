//! Five-branch runs that ask the simulator over the real Gemini adapter; its log says what was really sent.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::llm::LlmConfig;
use gemicro_core::research::events::FinalResult;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_engine::{Backend, Engine, Plan};
use gemicro_event::{Charge, Event, StreamId};
use gemicro_llm::{GeminiBackend, GeminiConfig};
use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use gemicro_sim::{LogEntry, RunningSimulator, Simulator};

use crate::child::{Job, started_run};
use crate::support::{Place, count, engine_asking, final_result, journal, plan_with};

/// Model calls of a run: one decomposition, five answers, one report.
pub(crate) const N_CALLS: usize = 7;
const AGENT: &str = "deep-research-preview-04-2026";

/// The adapter as the program uses it, only with less patience.
pub(crate) fn gemini(url: &str) -> GeminiBackend {
    let config = GeminiConfig {
        base_url: url.to_owned(),
        poll: Duration::from_millis(50),
        ..GeminiConfig::new("test-key-0123456789-abcdef")
    };
    GeminiBackend::new(config).expect("a good address and key")
}

/// The question handed to a research agent of the provider.
pub(crate) fn agent_plan() -> Plan {
    let llm = LlmConfig {
        model: AGENT.to_owned(),
        ..LlmConfig::default()
    };
    plan_with(Vec::new(), Backend::Agent(llm))
}

/// What makes the prompt of a call its own; 0 is the decomposition, 6 the report.
pub(crate) fn part_of(call: usize) -> String {
    match call {
        0 => "\"sub_queries\"".to_owned(),
        6 => "Findings:".to_owned(),
        branch => format!("Question: What is crossing {branch}?"),
    }
}

/// The step of a call.
pub(crate) fn step_of(call: usize) -> String {
    match call {
        0 => "decompose".to_owned(),
        6 => "synthesize".to_owned(),
        branch => format!("sub-query {branch}"),
    }
}

/// The rule of one call: small pieces with a breath between them, and whatever is `added` to the reply.
fn rule(call: usize, added: &str) -> String {
    let says = match call {
        0 => {
            let branches: Vec<String> = (1..=5).map(|n| format!("\"What is crossing {n}?\"")).collect();
            format!("json: {{ sub_queries: [{}] }}", branches.join(", "))
        }
        _ => "persona: researcher".to_owned(),
    };
    let part = part_of(call);
    format!(
        "  - name: {}\n    when: {{ prompt_contains: '{part}' }}\n    reply: {{ {says}, chunks: {{ sizes: [12] }}, \
         delay: {{ between_ms: 2 }}{added} }}\n",
        step_of(call)
    )
}

/// A scenario of the run: `first` are rules before all others, `added` goes into the reply of one call.
pub(crate) fn scenario(first: &str, added: Option<(usize, &str)>) -> String {
    // Findings name the branches, so the report's rule comes first.
    let rules = [6, 0, 1, 2, 3, 4, 5].map(|call| match added {
        Some((which, added)) if which == call => rule(call, added),
        _ => rule(call, ""),
    });
    format!("scenario: five\nrules:\n{first}{}", rules.concat())
}

/// A place and a simulator of its own.
pub(crate) struct Simulated {
    pub(crate) place: Place,
    pub(crate) simulator: RunningSimulator,
}

impl Simulated {
    pub(crate) async fn new(scenario: &str) -> Self {
        let scenario = Scenario::parse("five.yaml", scenario).unwrap_or_else(|error| panic!("{error}"));
        let any = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self {
            place: Place::new(),
            simulator: Simulator::start(scenario, any).await.expect("it listens"),
        }
    }

    /// A child process that starts the run.
    pub(crate) fn job(&self) -> Job {
        Job {
            simulator: Some(self.simulator.url()),
            ..Job::start(self.place.path())
        }
    }

    pub(crate) async fn engine(&self) -> Engine {
        let model = Arc::new(gemini(&self.simulator.url()));
        engine_asking(self.place.path(), "the test", model).await
    }

    /// Requests to one endpoint since the log had `since` entries.
    pub(crate) fn requests(&self, endpoint: ScenarioEndpoint, since: usize) -> Vec<LogEntry> {
        let entries = self.simulator.log().entries().into_iter().skip(since);
        entries.filter(|entry| entry.endpoint == Some(endpoint)).collect()
    }

    pub(crate) fn n_logged(&self) -> usize {
        self.simulator.log().entries().len()
    }

    /// How often each call was started, by step.
    pub(crate) fn posts(&self) -> BTreeMap<String, usize> {
        let mut posts = BTreeMap::new();
        for entry in self.requests(ScenarioEndpoint::Interactions, 0) {
            let rule = entry
                .rule
                .unwrap_or_else(|| panic!("unexpected: {}", entry.prompt));
            *posts.entry(rule).or_default() += 1;
        }
        posts
    }
}

/// Waits for something that another process or task does.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..3_000 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} never came");
}

/// Waits until the run of a child has an event.
pub(crate) async fn until_event(
    engine: &Engine,
    place: &Place,
    what: &str,
    fits: impl Fn(&Event) -> bool,
) -> StreamId {
    until(what, async || {
        let id = started_run(place.path())?;
        let page = engine.store().read(&id, 0, 10_000).await.ok()?;
        page.events.iter().any(&fits).then_some(id)
    })
    .await
}

/// Waits until so many branches have their answers.
pub(crate) async fn until_completed(engine: &Engine, place: &Place, n_branches: usize) -> StreamId {
    let id = started_run(place.path()).expect("it began");
    until("the other branches", async || {
        let n = count(&journal(engine, &id).await, "sub_query_completed");
        (n >= n_branches).then_some(())
    })
    .await;
    id
}

/// Whether an event is the handle of a call.
pub(crate) fn is_handle(event: &Event, call: usize) -> bool {
    let handle = event.update.as_step_handle();
    handle.is_some_and(|handle| handle.step.as_str() == step_of(call))
}

/// `kill -9`, and nobody left behind.
pub(crate) async fn kill(mut child: Child) {
    child.kill().expect("it still runs");
    ended(child).await;
}

/// Waits for a child without holding a thread of the runtime.
pub(crate) async fn ended(mut child: Child) -> std::process::ExitStatus {
    let waited = tokio::task::spawn_blocking(move || child.wait()).await;
    waited.expect("joined").expect("the child ends")
}

/// What the run paid beyond its own calls: attempts that were cut off without a handle.
pub(crate) fn lost_for_good(events: &[Event]) -> Charge {
    let lost = events.iter().filter_map(|event| event.update.as_step_lost());
    let lost = lost.filter(|lost| !lost.kept);
    lost.fold(Charge::ZERO, |sum, lost| sum.plus(lost.charge))
}

/// The report, the money and the order are those of an undisturbed run; what was lost is paid on top.
pub(crate) fn check_result(events: &[Event], calm: &FinalResult, what: &str) {
    let result = final_result(events);
    assert_eq!(result.answer, calm.answer, "{what}");
    assert_eq!(result.citations, calm.citations, "{what}");
    assert_eq!(result.partial, None, "{what}");
    let lost = lost_for_good(events);
    assert_eq!(
        (result.metadata.total_tokens, result.metadata.micro_usd),
        (
            calm.metadata.total_tokens + lost.tokens,
            calm.metadata.micro_usd + lost.micro_usd
        ),
        "{what}: {lost:?} lost"
    );
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    for done in events.iter().filter_map(|event| event.update.as_step_completed()) {
        *completed.entry(done.step.to_string()).or_default() += 1;
    }
    assert!(completed.values().all(|n| *n == 1), "{what}: {completed:?}");
    let mut numbered = events.iter().zip(1..);
    assert!(
        numbered.all(|(event, place)| event.seq == place),
        "{what}: a gap in the journal"
    );
}

/// The result of an undisturbed run of the same scenario.
pub(crate) async fn calm_result() -> FinalResult {
    let world = Simulated::new(&scenario("", None)).await;
    let engine = world.engine().await;
    let run = engine.start(&world.place.plan(), Default::default()).await;
    let run = run.expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("ends");
    let result = final_result(&journal(&engine, &id).await);
    assert_eq!(result.citations.len(), 5, "{}", result.answer);
    assert_eq!(world.posts().len(), N_CALLS);
    assert!(world.posts().values().all(|n| *n == 1), "{:?}", world.posts());
    result
}
