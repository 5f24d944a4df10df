//! The surroundings of an MCP client: gemicro and the agents in its search path, the simulator as everybody's model.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::agent_world::{AgentWorld, PACKAGE};
use crate::simulated::KEY;

/// The parameters of every agent tool, sorted.
const PARAMETERS: [&str; 12] = [
    "PROMPT",
    "SESSION_ID",
    "cd",
    "log_metrics",
    "max_duration",
    "max_retries",
    "model",
    "return_all_messages",
    "return_metrics",
    "sandbox",
    "timeout",
    "yolo",
];
/// The token of the HTTP server.
const TOKEN: &str = "a-token-for-the-tests-of-clients-0123456789";
/// Where the guide's HTTP server listens.
const ADDRESS: &str = "127.0.0.1:8750";

/// A file of the guide.
pub(super) fn guide(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::read_to_string(docs.join(name)).unwrap()
}

/// How a client reaches gemicro.
#[derive(Clone, Copy)]
pub(super) enum Reached {
    OverStdio,
    OverHttp,
}

impl Reached {
    /// The guide's text for a client; the address is the real one.
    pub(super) fn text(self, client: &str, extension: &str, address: &str) -> String {
        match self {
            Self::OverStdio => guide(&format!("clients/{client}.{extension}")),
            Self::OverHttp => {
                let text = guide(&format!("clients/{client}-http.{extension}"));
                assert!(text.contains(ADDRESS), "{text}");
                text.replace(ADDRESS, address)
            }
        }
    }
}

/// A client's surroundings: gemicro and the agents in the search path, the simulator as everybody's provider.
pub(super) struct Scene {
    pub(super) stage: AgentWorld,
    pub(super) desk: AgentWorld,
    server: Option<Child>,
    pub(super) address: String,
}

impl Scene {
    /// `rules` of the model, made for the folder to work in.
    pub(super) fn new(steps: &str, reached: Reached, rules: impl Fn(&Path) -> String) -> Self {
        let stage = AgentWorld::scripted(steps);
        let project = stage.path("project");
        let desk = AgentWorld::real(&rules(&project));
        std::fs::create_dir_all(stage.path("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gemicro"), stage.path("bin/gemicro")).unwrap();
        let mut scene = Self {
            stage,
            desk,
            server: None,
            address: String::new(),
        };
        if matches!(reached, Reached::OverHttp) {
            scene.serve();
        }
        scene
    }

    fn serve(&mut self) {
        let mut command = self.command(&self.stage.path("bin/gemicro"));
        command
            .args(["mcp", "--http", "127.0.0.1:0"])
            .stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut said = String::new();
        let mut stderr = BufReader::new(server.stderr.take().unwrap());
        stderr.read_line(&mut said).unwrap();
        let address = said
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split("/mcp").next());
        self.address = address.unwrap_or_else(|| panic!("{said}")).to_owned();
        self.server = Some(server);
    }

    fn stop_server(&mut self) -> Option<ExitStatus> {
        let mut server = self.server.take()?;
        kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
        Some(server.wait().unwrap())
    }

    /// A program with the environment of the user.
    fn command(&self, program: &Path) -> Command {
        let url = self.desk.simulated.running.url();
        let path = format!(
            "{}:{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.stage.path("bin").display(),
            self.stage.path(PACKAGE).display(),
            program_folder().display()
        );
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.server_variables())
            .env("PATH", path)
            .env("HOME", self.stage.path("user"))
            .env("GEMINI_API_KEY", KEY)
            .env("ANTHROPIC_API_KEY", KEY)
            .env("OPENAI_API_KEY", KEY)
            .env("GEMICRO_TOKEN", TOKEN)
            .env("ANTHROPIC_BASE_URL", &url)
            .current_dir(self.stage.path("project"))
            .stdin(Stdio::null());
        command
    }

    /// What the tests, and not users, have to tell gemicro.
    pub(super) fn server_variables(&self) -> Vec<(&'static str, String)> {
        let url = self.desk.simulated.running.url();
        vec![
            ("GEMICRO_HOME", self.stage.path("home").display().to_string()),
            ("GEMICRO_RESIDENT", "off".to_owned()),
            ("OPENAI_BASE_URL", format!("{url}/v1")),
            ("GOOGLE_GEMINI_BASE_URL", url),
        ]
    }

    pub(super) fn client(&self, name: &str) -> Command {
        self.command(&program_folder().join(name))
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.stage.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Runs a client to its end.
    pub(super) fn run(&self, mut command: Command) {
        let output = command.output().unwrap();
        let said = said(&output);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains(KEY), "the key is on the screen: {said}");
    }

    /// The model was offered the tool with the parameters of the contract, and perhaps `more` of the client's own.
    pub(super) fn assert_offered(&self, tool: &str, more: &[&str]) {
        let requests = self.desk.simulated.running.log().entries();
        let schema = requests.iter().find_map(|request| schema_of(&request.body, tool));
        let schema = schema.unwrap_or_else(|| panic!("{tool} was not offered"));
        let names = schema["properties"].as_object().unwrap().keys();
        let mut names: Vec<&str> = names
            .map(String::as_str)
            .filter(|name| !more.contains(name))
            .collect();
        names.sort_unstable();
        assert_eq!(names, PARAMETERS);
        assert_eq!(schema["required"], json!(["PROMPT", "cd"]));
    }

    /// The answer of gemicro that the model saw last.
    pub(super) fn answer(&self) -> Value {
        let requests = self.desk.simulated.running.log().entries();
        let body = &requests.last().unwrap().body;
        let turns = ["messages", "contents", "input"].map(|name| &body[name]);
        let answer = answers_in(body).pop();
        answer.unwrap_or_else(|| panic!("no answer among {}", json!(turns)))
    }

    /// The model saw a success, and the journal has the one run that it came from.
    pub(super) fn assert_one_success(&mut self, tool: &str) {
        let answer = self.answer();
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            ["success", "tool", "SESSION_ID", "result", "duration"],
            "{answer}"
        );
        assert_eq!(
            (&answer["success"], &answer["tool"]),
            (&json!(true), &json!(tool))
        );
        assert!(self.stop_server().is_none_or(|status| status.success()));
        let runs = self
            .stage
            .simulated
            .world
            .must(&["runs", "--format", "json"])
            .stdout;
        let runs: Value = serde_json::from_str(&runs).unwrap();
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        assert_eq!(runs[0]["status"], "completed", "{runs}");
        self.stage.simulated.assert_no_key();
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.stop_server();
    }
}

/// Where `cargo xtask setup` puts the clients.
pub(super) fn program_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/agents/node_modules/.bin")
}

pub(super) fn said(output: &Output) -> String {
    format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The schema of a tool that a request offers to the model, on any wire.
fn schema_of<'a>(value: &'a Value, tool: &str) -> Option<&'a Value> {
    let schemas = ["input_schema", "parameters", "parametersJsonSchema"];
    let mut schemas = schemas.iter().filter_map(|name| value.get(name));
    if value["name"] == tool
        && let Some(schema) = schemas.find(|schema| schema["properties"].is_object())
    {
        return Some(schema);
    }
    parts(value).into_iter().find_map(|part| schema_of(part, tool))
}

/// The answers of gemicro in the texts of a request.
fn answers_in(value: &Value) -> Vec<Value> {
    let from_text = value.as_str().and_then(|text| {
        // Clients put words of their own around it.
        let answer = text.get(text.find('{')?..=text.rfind('}')?)?;
        let answer: Value = serde_json::from_str(answer).ok()?;
        answer.get("success").is_some().then_some(answer)
    });
    let deeper = parts(value).into_iter().flat_map(answers_in);
    from_text.into_iter().chain(deeper).collect()
}

fn parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
