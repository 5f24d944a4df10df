//! How each CLI is started, against `tests/golden/invocations.txt`.

use std::fmt::Write as _;
use std::path::PathBuf;

use gemicro_event::ErrorKind;
use gemicro_guard::policy::PolicyConfig;
use gemicro_runner::{
    AgentCli, AgentPrompt, AgentRequest, ClaudeCode, CliInput, CliKind, CliSandboxMode, Codex, GatewayToken,
    GeminiAcp, GeminiHeadless, GuardedSettings, Invocation, MAX_PROMPT_BYTES, McpReached, McpServer,
    ModelAccess, Session, SessionId, ToolApproval,
};

use crate::golden;
use crate::requests::request;

const UUID: &str = "11111111-2222-4333-8444-555555555555";

fn id() -> SessionId {
    UUID.parse().unwrap()
}

fn clis() -> [Box<dyn AgentCli>; 4] {
    [
        Box::new(GeminiHeadless),
        Box::new(GeminiAcp),
        Box::new(ClaudeCode),
        Box::new(Codex),
    ]
}

fn on_gateway(name: &str, tool: &str) -> McpServer {
    McpServer {
        name: name.to_owned(),
        reached: McpReached::Gateway { path: "/mcp" },
        allowed: vec![tool.to_owned()],
    }
}

/// Everything that can be asked.
fn rich() -> AgentRequest {
    let inherited = [
        ("PATH", "/usr/bin"),
        ("LANG", "C.UTF-8"),
        ("AWS_SECRET", "no"),
        ("GEMINI_API_KEY", "no"),
    ];
    AgentRequest {
        program: Some(PathBuf::from("/opt/agent")),
        model: Some("model-1".to_owned()),
        session: Session::Resume(id()),
        sandbox: CliSandboxMode::WorkspaceWrite,
        approval: ToolApproval::All,
        mcp_servers: vec![McpServer {
            name: "notes".to_owned(),
            reached: McpReached::Stdio {
                command: "notes-server".to_owned(),
                args: vec!["--stdio".to_owned()],
                env: [("NOTES".to_owned(), "\"quoted\"".to_owned())].into(),
            },
            allowed: Vec::new(),
        }],
        turn_limit: Some(7),
        inherited: inherited
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..request(AgentPrompt::user("my own message ").and_text("see @secret"))
    }
}

#[test]
fn each_cli_is_started_as_it_must_be() {
    let requests = [
        ("plain", request(AgentPrompt::user("hi"))),
        ("rich", rich()),
        (
            "named, login, edits",
            AgentRequest {
                session: Session::NewNamed(id()),
                sandbox: CliSandboxMode::WorkspaceWrite,
                access: ModelAccess::Login,
                ..request(AgentPrompt::text("/quit"))
            },
        ),
        (
            "guarded",
            AgentRequest {
                given: vec!["/srv/run-1/handover".into()],
                mcp_servers: vec![on_gateway("gemicro", "submit_result")],
                sandbox: CliSandboxMode::WorkspaceWrite,
                guarded: Some(GuardedSettings {
                    check: ["/opt/my gemicro", "guard", "check"].map(str::to_owned).to_vec(),
                    hook: "g-1234".to_owned(),
                    policy: PolicyConfig::default(),
                }),
                ..request(AgentPrompt::user("hi"))
            },
        ),
    ];
    let mut text = String::new();
    for cli in clis() {
        for (name, mut request) in requests.clone() {
            if request.access == ModelAccess::Login && cli.kind() == CliKind::Claude {
                assert!(cli.invocation(&request).is_err());
                request.access = gateway_login();
            }
            let invocation = cli.invocation(&request).unwrap();
            let _ = writeln!(text, "== {:?}, {name}\n{}", cli.kind(), shown(&invocation));
        }
    }
    assert!(golden::matches("invocations.txt", &text), "{text}");
}

/// A login that the gateway presents.
fn gateway_login() -> ModelAccess {
    ModelAccess::Gateway {
        base_url: "http://127.0.0.1:4321".to_owned(),
        token: GatewayToken::of_login("step-token"),
    }
}

fn shown(invocation: &Invocation) -> String {
    let mut text = format!("{} {}\n", invocation.program.display(), invocation.args.join(" "));
    let _ = writeln!(text, "in {}", invocation.cwd.display());
    for (name, value) in &invocation.env {
        let _ = writeln!(text, "  {name}={value}");
    }
    match &invocation.stdin {
        CliInput::Whole(bytes) => writeln!(text, "< {:?}", String::from_utf8_lossy(bytes)),
        CliInput::Open => writeln!(text, "< dialogue"),
    }
    .unwrap();
    for file in &invocation.files {
        let _ = writeln!(text, "file {}\n{}", file.path.display(), file.text.trim_end());
    }
    text
}

#[test]
fn no_prompt_is_an_argument_and_no_secret_is_shown() {
    for cli in clis() {
        let request = AgentRequest {
            access: ModelAccess::Gateway {
                base_url: "http://127.0.0.1:1".to_owned(),
                token: GatewayToken::new("canary-token"),
            },
            mcp_servers: vec![on_gateway("gemicro", "submit_result")],
            ..request(AgentPrompt::user("canary-prompt"))
        };
        let invocation = cli.invocation(&request).unwrap();
        assert!(!invocation.args.iter().any(|arg| arg.contains("canary")));
        assert!(!invocation.files.iter().any(|file| file.text.contains("canary")));
        assert!(!format!("{invocation:?}").contains("canary"));
        assert!(!format!("{:?}", request.access).contains("canary"));
    }
}

#[test]
fn requests_that_cannot_be_reported_are_refused() {
    let plain = || request(AgentPrompt::user("hi"));
    let gateway = |base_url: &str, token: &str| ModelAccess::Gateway {
        base_url: base_url.to_owned(),
        token: GatewayToken::new(token),
    };
    let server = |name: &str| on_gateway(name, "hand_in");
    let wrong = [
        AgentRequest {
            prompt: AgentPrompt::user(" "),
            ..plain()
        },
        AgentRequest {
            prompt: AgentPrompt::user("x".repeat(MAX_PROMPT_BYTES + 1)),
            ..plain()
        },
        AgentRequest {
            cwd: PathBuf::from("relative"),
            ..plain()
        },
        AgentRequest {
            model: Some("--yolo".to_owned()),
            ..plain()
        },
        AgentRequest {
            model: Some("a b".to_owned()),
            ..plain()
        },
        AgentRequest {
            access: gateway("file:///etc", "t"),
            ..plain()
        },
        AgentRequest {
            access: gateway("http://127.0.0.1:1/", "t"),
            ..plain()
        },
        AgentRequest {
            access: gateway("http://127.0.0.1:1", "a\nb"),
            ..plain()
        },
        AgentRequest {
            mcp_servers: vec![server("a.b\"")],
            ..plain()
        },
        AgentRequest {
            mcp_servers: vec![on_gateway("a", "\"]\n")],
            ..plain()
        },
        AgentRequest {
            mcp_servers: vec![server("a")],
            access: ModelAccess::Login,
            ..plain()
        },
    ];
    for cli in clis() {
        for request in &wrong {
            let refused = cli
                .invocation(request)
                .and_then(|_| cli.dialogue(request).map(|_| ()));
            assert_eq!(
                refused.unwrap_err().kind,
                ErrorKind::InvalidInput,
                "{:?}",
                cli.kind()
            );
        }
    }
}

#[test]
fn session_ids_are_never_options() {
    for wrong in ["", "--yolo", "-r", "a b", "a/b", "a\n", &"x".repeat(129)] {
        assert!(wrong.parse::<SessionId>().is_err(), "{wrong:?}");
    }
    assert!(UUID.parse::<SessionId>().is_ok());
    // Those would be taken for another session than the one that was meant.
    for wrong in ["latest", "5", "my-title", "11111111-2222-4333-8444-55555555555x"] {
        for cli in [&GeminiHeadless as &dyn AgentCli, &ClaudeCode, &Codex] {
            let request = AgentRequest {
                session: Session::Resume(wrong.parse().unwrap()),
                ..request(AgentPrompt::user("hi"))
            };
            let refused = cli.invocation(&request).unwrap_err();
            assert_eq!(refused.kind, ErrorKind::InvalidInput, "{wrong}");
        }
    }
}
