//! A user's machine with a fake CLI on it, and what a run of that CLI came to.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::{
    GatewayPort, Launcher, Network, PinnedPath, ProcessHandle, Profile, ResourceLimits, Shells, Tier,
    WriteMode,
};
use gemicro_runner::supervise::{
    AgentTurn, RunLimits, RunWatcher, Spares, Supervision, TurnOutcome, VersionCache, WarmAgent, supervise,
    supervise_warm,
};
use gemicro_runner::{
    AgentCli, AgentItem, AgentPrompt, AgentRequest, ClaudeCode, CliSandboxMode, GatewayToken, GeminiHeadless,
    ModelAccess, PermissionAnswer, PermissionRequest, Session, ToolApproval,
};
use tokio_util::sync::CancellationToken;

use super::tiers::launcher;

/// A successful stream of Gemini CLI that says `hello`.
pub(crate) const HELLO: &str = r#"
echo '{"type":"init","timestamp":"t","session_id":"11111111-2222-3333-4444-555555555555","model":"m"}'
echo '{"type":"message","timestamp":"t","role":"assistant","content":"hello","delta":true}'
"#;
pub(crate) const DONE: &str = r#"
echo '{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":3,"input_tokens":1,"output_tokens":2,"cached":0,"input":1,"duration_ms":1,"tool_calls":0,"models":{}}}'
"#;

pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// What differs from run to run.
pub(crate) struct Run {
    pub(crate) tier: Tier,
    pub(crate) mode: CliSandboxMode,
    pub(crate) limits: RunLimits,
    pub(crate) cancel: CancellationToken,
    pub(crate) secrets: Vec<String>,
    pub(crate) has_gateway: bool,
    pub(crate) prompt: AgentPrompt,
    pub(crate) model: Option<String>,
    pub(crate) session: Session,
    pub(crate) approval: ToolApproval,
    pub(crate) sandbox_limits: ResourceLimits,
    pub(crate) launcher: Launcher,
    pub(crate) spares: Option<Arc<Spares>>,
}

impl Run {
    pub(crate) fn new(tier: Tier) -> Self {
        Self {
            tier,
            mode: CliSandboxMode::WorkspaceWrite,
            limits: RunLimits {
                idle: Duration::from_secs(20),
                total: Duration::from_secs(60),
                grace: Duration::from_millis(300),
                linger: Duration::from_millis(500),
                ..RunLimits::default()
            },
            cancel: CancellationToken::new(),
            secrets: Vec::new(),
            has_gateway: false,
            prompt: AgentPrompt::user("hi"),
            model: None,
            session: Session::New,
            approval: ToolApproval::All,
            sandbox_limits: ResourceLimits::default(),
            launcher: launcher(),
            spares: None,
        }
    }
}

/// What a test does when it sees an item.
type OnItem = Box<dyn FnMut(&AgentItem) + Send>;

/// Keeps what it sees.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) items: Vec<AgentItem>,
    pub(crate) handle: Option<ProcessHandle>,
    pub(crate) asked: Vec<String>,
    pub(crate) allows: bool,
    /// Serves the gateway with this body.
    pub(crate) serves: Option<&'static str>,
    /// Passes the gateway on to there.
    pub(crate) forwards: Option<std::net::SocketAddr>,
    pub(crate) n_listeners: usize,
    /// Keeps requests for permission waiting without end.
    pub(crate) hesitates: bool,
    pub(crate) on_item: Option<OnItem>,
    pub(crate) upstream: Option<ErrorKind>,
}

impl RunWatcher for Seen {
    fn on_started(&mut self, handle: &ProcessHandle) {
        self.handle = Some(handle.clone());
    }

    fn gateway(&mut self, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        self.n_listeners += 1;
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        match self.forwards {
            Some(address) => tokio::spawn(super::gateway::forward(listener, address)),
            None => tokio::spawn(super::gateway::serve(listener, self.serves.unwrap())),
        };
    }

    fn item(&mut self, item: AgentItem) {
        if let Some(on_item) = &mut self.on_item {
            on_item(&item);
        }
        // A flood of lines that mean nothing is not worth keeping.
        if self.items.len() < 10_000 {
            self.items.push(item);
        }
    }

    fn permission(&mut self, request: &PermissionRequest) -> BoxFuture<'static, PermissionAnswer> {
        self.asked.push(request.tool.clone());
        if self.hesitates {
            return std::future::pending().boxed();
        }
        let answer = if self.allows {
            PermissionAnswer::Allow
        } else {
            let reason = "no".to_owned();
            PermissionAnswer::Deny { reason }
        };
        async move { answer }.boxed()
    }

    fn upstream(&mut self) -> Option<ErrorKind> {
        self.upstream
    }
}

impl World {
    /// A machine where `gemini` is this script.
    pub(crate) fn new(script: &str) -> Self {
        let world = Self::bare();
        world.install("gemini", script);
        world
    }

    pub(crate) fn bare() -> Self {
        // Codex and the sandbox's own `/tmp` want homes elsewhere.
        let world = Self {
            folder: tempfile::tempdir_in(target()).unwrap(),
        };
        for name in ["user/.ssh", "user/tools/bin", "repo", "wt"] {
            std::fs::create_dir_all(world.path(name)).unwrap();
        }
        std::fs::write(world.path("user/.ssh/id"), "PRIVATE-KEY").unwrap();
        std::fs::write(world.path("repo/a.txt"), "repo").unwrap();
        world
    }

    pub(crate) fn install(&self, name: &str, script: &str) {
        let text = if script.starts_with("#!") {
            script.to_owned()
        } else {
            format!("#!/bin/bash\n{script}")
        };
        let path = self.path("user/tools/bin").join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub(crate) fn request(&self, run: &Run, gateway: Option<&GatewayPort>) -> AgentRequest {
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.path("user/tools/bin").display()
        );
        let base_url = gateway.map_or_else(|| "http://127.0.0.1:9".to_owned(), GatewayPort::base_url);
        AgentRequest {
            prompt: run.prompt.clone(),
            cwd: self.path("wt"),
            given: Vec::new(),
            home: self.path("home"),
            temp: self.path("tmp"),
            program: None,
            model: run.model.clone(),
            session: run.session.clone(),
            sandbox: run.mode,
            approval: run.approval,
            access: ModelAccess::Gateway {
                base_url,
                token: GatewayToken::new("step-token-0123456789"),
            },
            mcp_servers: Vec::new(),
            turn_limit: None,
            inherited: BTreeMap::from([
                ("PATH".to_owned(), path),
                ("SSH_AUTH_SOCK".to_owned(), "/run/agent".to_owned()),
                ("GIT_DIR".to_owned(), "/evil".to_owned()),
                ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ]),
            git_settings: Vec::new(),
            instructions: String::new(),
            guarded: None,
        }
    }

    pub(crate) fn profile(&self, run: &Run, gateway: Option<&GatewayPort>) -> Profile {
        Profile {
            mode: mode_of(run),
            workspace: self.path("wt"),
            writable: Vec::new(),
            pinned: Vec::new(),
            pinning: PinnedPath::WherePossible,
            shells: Shells::Apart,
            readable: Vec::new(),
            hidden: vec![self.path("repo")],
            user_home: self.path("user"),
            home: self.path("home"),
            temporary: self.path("tmp"),
            network: gateway.map_or(Network::None, GatewayPort::network),
            unix_sockets: false,
            limits: run.sandbox_limits,
            environment: Vec::new(),
        }
    }

    /// A beginning for spool files that no run had before.
    pub(crate) fn spool(&self) -> PathBuf {
        let used = std::fs::read_dir(self.path("")).unwrap().flatten();
        let n_used = used.filter(|entry| entry.file_name().to_string_lossy().starts_with("spool"));
        self.path(&format!("spool{}", n_used.count()))
    }

    pub(crate) async fn run(&self, run: Run) -> (TurnOutcome, Seen) {
        self.run_with(&GeminiHeadless, run, Seen::default(), None).await
    }

    pub(crate) async fn run_claude(&self, run: Run, seen: Seen) -> (TurnOutcome, Seen) {
        self.run_with(&ClaudeCode, run, seen, None).await
    }

    /// For runs of one machine at the same time.
    pub(crate) async fn run_numbered(&self, run: Run, number: usize) -> TurnOutcome {
        let spool = self.path(&format!("spool{number}"));
        let cli = GeminiHeadless;
        let (outcome, _) = self.run_in(&cli, run, Seen::default(), None, spool).await;
        outcome
    }

    pub(crate) async fn run_with(
        &self,
        cli: &dyn AgentCli,
        run: Run,
        seen: Seen,
        versions: Option<&VersionCache>,
    ) -> (TurnOutcome, Seen) {
        let spool = self.spool();
        self.run_in(cli, run, seen, versions, spool).await
    }

    async fn run_in(
        &self,
        cli: &dyn AgentCli,
        run: Run,
        mut seen: Seen,
        versions: Option<&VersionCache>,
        spool: PathBuf,
    ) -> (TurnOutcome, Seen) {
        let (request, gateway) = self.prepare(&run);
        let supervision = Supervision {
            spool,
            versions,
            ..self.supervision(cli, &run, &request, gateway)
        };
        let outcome = supervise(supervision, &mut seen).await;
        (outcome, seen)
    }

    /// The first turn of a process that stays.
    pub(crate) async fn warm(
        &self,
        cli: &dyn AgentCli,
        run: Run,
        seen: &mut Seen,
    ) -> (TurnOutcome, Option<WarmAgent>) {
        let (request, gateway) = self.prepare(&run);
        supervise_warm(self.supervision(cli, &run, &request, gateway), seen).await
    }

    /// One more turn for it, with the limits of a short run.
    pub(crate) fn turn(&self, prompt: &str) -> AgentTurn {
        AgentTurn {
            prompt: AgentPrompt::user(prompt),
            limits: Run::new(Tier::None).limits,
            spool: self.spool(),
            redactor: Redactor::default(),
            cancel: CancellationToken::new(),
        }
    }

    fn prepare(&self, run: &Run) -> (AgentRequest, Option<GatewayPort>) {
        let gateway = run
            .has_gateway
            .then(|| GatewayPort::open(run.tier, mode_of(run)).unwrap());
        (self.request(run, gateway.as_ref()), gateway)
    }

    fn supervision<'a>(
        &self,
        cli: &'a dyn AgentCli,
        run: &'a Run,
        request: &'a AgentRequest,
        gateway: Option<GatewayPort>,
    ) -> Supervision<'a> {
        Supervision {
            cli,
            request,
            located: None,
            profile: self.profile(run, gateway.as_ref()),
            launcher: &run.launcher,
            tier: run.tier,
            limits: run.limits,
            spool: self.spool(),
            redactor: Redactor::new(&run.secrets),
            cancel: run.cancel.clone(),
            gateway,
            versions: None,
            spares: run.spares.clone(),
        }
    }
}

fn mode_of(run: &Run) -> WriteMode {
    match run.mode {
        CliSandboxMode::ReadOnly => WriteMode::ReadOnly,
        CliSandboxMode::WorkspaceWrite => WriteMode::WorkspaceWrite,
        CliSandboxMode::DangerFullAccess => WriteMode::DangerFullAccess,
    }
}

pub(crate) fn target() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub(crate) fn failure(outcome: &TurnOutcome) -> &Failure {
    match &outcome.result {
        Ok(end) => panic!("a success: {end:?}"),
        Err(failure) => failure,
    }
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}
