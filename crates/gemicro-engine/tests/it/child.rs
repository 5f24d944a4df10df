//! The other process: this test binary again, told by a variable of its own what to do.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::store::{Append, AppendResult, Lease, NewEvent, NewStream, Store, StoreError, StreamPage};
use gemicro_event::{CommandId, Event, StreamId};
use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};

use crate::simulated::{agent_plan, gemini};
use crate::support::{engine, engine_asking, plan};

const VARIABLE: &str = "GEMICRO_TEST_JOB";

/// What a child process does; its outcome goes to `place/outcome-NAME`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) place: PathBuf,
    /// The run to resume; a new one without it, whose id goes to `place/run`.
    pub(crate) resume: Option<String>,
    /// Kills itself right after this many appends are durable.
    pub(crate) kill_after: Option<usize>,
    pub(crate) lease_ms: u64,
    pub(crate) max_parallel: usize,
    /// How long the model takes for an answer.
    pub(crate) delay_ms: u64,
    /// Kills itself just before this many events of this kind would be written.
    pub(crate) kill_before: Option<(String, usize)>,
    /// Asks this simulator over the Gemini API instead of a scripted model.
    pub(crate) simulator: Option<String>,
    /// Hands the question to a research agent of the provider.
    pub(crate) agent: bool,
}

impl Job {
    pub(crate) fn start(place: &Path) -> Self {
        Self {
            name: "start".to_owned(),
            place: place.to_owned(),
            resume: None,
            kill_after: None,
            lease_ms: 200,
            max_parallel: 8,
            delay_ms: 0,
            kill_before: None,
            simulator: None,
            agent: false,
        }
    }

    /// The same process again, to go on with a run.
    pub(crate) fn resuming(&self, name: &str, run: &StreamId) -> Self {
        Self {
            name: name.to_owned(),
            resume: Some(run.to_string()),
            ..self.clone()
        }
    }

    pub(crate) fn spawn(&self) -> Child {
        Command::new(std::env::current_exe().expect("this test"))
            .args(["child::child_process", "--exact", "--nocapture"])
            .env(VARIABLE, serde_json::to_string(self).expect("JSON"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a second process")
    }

    /// How the child said it ended: `ok` or an error kind; nothing when it was killed.
    pub(crate) fn outcome(&self) -> Option<String> {
        std::fs::read_to_string(self.place.join(format!("outcome-{}", self.name))).ok()
    }
}

/// The run that a child started; nothing before its id is written.
pub(crate) fn started_run(place: &Path) -> Option<StreamId> {
    let text = std::fs::read_to_string(place.join("run")).ok()?;
    StreamId::new(text).ok()
}

/// Does nothing in an ordinary test run; the body of the child process otherwise.
#[test]
fn child_process() {
    let Ok(job) = std::env::var(VARIABLE) else { return };
    let job: Job = serde_json::from_str(&job).expect("a job");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let outcome = runtime.expect("a runtime").block_on(work(&job));
    std::fs::write(job.place.join(format!("outcome-{}", job.name)), outcome).expect("written");
}

async fn work(job: &Job) -> String {
    let engine = match &job.simulator {
        Some(url) => engine_asking(&job.place, &job.name, Arc::new(gemini(url))).await,
        None => engine(&job.place, &job.name, Duration::from_millis(job.delay_ms)).await,
    };
    let killer = |inner| -> Arc<dyn Store> {
        let kill_after = job.kill_after.unwrap_or(usize::MAX);
        Arc::new(KillingStore {
            inner,
            kill_after,
            n_appends: AtomicUsize::new(0),
            kill_before: job.kill_before.clone(),
            n_named: AtomicUsize::new(0),
            place: job.place.clone(),
        })
    };
    let engine = engine.tried_out(Duration::from_millis(job.lease_ms), job.max_parallel, killer);
    let run = match &job.resume {
        None if job.agent => engine.start(&agent_plan(), Default::default()).await,
        None => engine.start(&plan(&job.place), Default::default()).await,
        Some(id) => {
            engine
                .resume(&StreamId::new(id.clone()).expect("an id"), Default::default())
                .await
        }
    };
    let ended = match run {
        Ok(run) => run.wait().await.map(drop),
        Err(failure) => Err(failure),
    };
    ended.map_or_else(|failure| failure.kind.to_string(), |()| "ok".to_owned())
}

/// Ends its process with SIGKILL right after the k-th append became durable, or before an event of a kind.
struct KillingStore {
    inner: Arc<dyn Store>,
    kill_after: usize,
    n_appends: AtomicUsize,
    kill_before: Option<(String, usize)>,
    n_named: AtomicUsize,
    place: PathBuf,
}

impl KillingStore {
    fn count(&self) {
        if self.n_appends.fetch_add(1, Ordering::SeqCst) + 1 == self.kill_after {
            die();
        }
    }

    fn look(&self, append: &Append) {
        let Some((kind, nth)) = &self.kill_before else {
            return;
        };
        for _ in append.events.iter().filter(|it| it.update.event_type == *kind) {
            // Appends are asked for one after the other.
            if self.n_named.fetch_add(1, Ordering::SeqCst) + 1 == *nth {
                die();
            }
        }
    }
}

fn die() {
    kill_process(getpid(), Signal::KILL).expect("a process may kill itself");
    // The signal may take a moment; nothing more happens here.
    loop {
        std::thread::park();
    }
}

impl Store for KillingStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>> {
        std::fs::write(self.place.join("run"), new.stream.as_str()).expect("written");
        Box::pin(async move {
            let created = self.inner.create(new).await;
            self.count();
            created
        })
    }

    fn as_written(&self, events: Vec<NewEvent>) -> Vec<NewEvent> {
        self.inner.as_written(events)
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>> {
        Box::pin(async move {
            self.look(&append);
            let appended = self.inner.append(append).await;
            self.count();
            appended
        })
    }

    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>> {
        self.inner.read(stream, after, limit)
    }

    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>> {
        self.inner.subscribe(stream, after)
    }

    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>> {
        self.inner.take_lease(stream, owner, ttl)
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        self.inner.renew_lease(lease, ttl)
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.release_lease(lease)
    }

    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>> {
        self.inner.send_command(stream, command)
    }

    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>> {
        self.inner.open_commands(stream)
    }

    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.acknowledge(stream, ack)
    }

    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>> {
        self.inner.acknowledgement(stream, command_id)
    }

    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.save_snapshot(stream, seq, state)
    }

    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<(u64, Vec<u8>)>, StoreError>> {
        self.inner.load_snapshot(stream)
    }
}
