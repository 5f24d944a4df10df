//! The real Claude Code with a login: the gateway presents the token, the sandbox has neither the token nor a network.

use crate::agent_world::{AGENTS, AgentWorld};
use crate::planted_settings::Listener;
use crate::program::Called;

/// The real token; a part of it is enough to find it.
const TOKEN: &str = "sk-ant-oat01-c0ffee-5417-never-to-be-seen";
const PART: &str = "c0ffee-5417";

/// Where the user has the login.
enum Kept {
    File { expires_at: u64 },
    Variable,
}

/// A model that answers only a login, after a command that looks for the token and for a network.
fn ask(kept: &Kept) -> (AgentWorld, Listener, Called) {
    let listener = Listener::start();
    let look = format!(
        "cat /proc/[0-9]*/environ $CLAUDE_CONFIG_DIR/.credentials.json 2>/dev/null | grep -ac {PART} | sed s/^/seen:/; \
         (echo >/dev/tcp/127.0.0.1/{}) 2>/dev/null && echo net:open || echo net:shut",
        listener.port
    );
    let rules = format!(
        "  - {{ name: tool, times: 1, when: {{ tool_offered: Bash, header: authorization }}, reply: {{ calls: [{{ name: Bash, arguments: {{ command: '{look}' }} }}] }} }}\n  \
         - {{ name: answers, when: {{ header: authorization }}, reply: {{ text: 'An honest answer.' }} }}\n"
    );
    let desk = AgentWorld::real(&rules);
    let world = &desk.simulated.world;
    let agent = AGENTS.iter().find(|agent| agent.name == "claude").unwrap();
    let mut command = desk.command(agent, &["--format", "json", "--max-retries", "0"], "Look round");
    command.env_remove("ANTHROPIC_API_KEY");
    match kept {
        Kept::File { expires_at } => {
            let text = format!(
                r#"{{"claudeAiOauth":{{"accessToken":"{TOKEN}","refreshToken":"{TOKEN}","expiresAt":{expires_at}}}}}"#
            );
            std::fs::create_dir_all(world.path("user/.claude")).unwrap();
            std::fs::write(world.path("user/.claude/.credentials.json"), text).unwrap();
        }
        Kept::Variable => drop(command.env("CLAUDE_CODE_OAUTH_TOKEN", TOKEN)),
    }
    let called = world.finish(command.output().unwrap());
    (desk, listener, called)
}

#[test]
fn a_login_stays_outside_the_sandbox() {
    for kept in [
        Kept::File {
            expires_at: 9_999_999_999_999,
        },
        Kept::Variable,
    ] {
        let (desk, listener, called) = ask(&kept);
        assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
        let answer: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
        assert_eq!(answer["result"], "An honest answer.", "{answer}");
        let entries = desk.simulated.running.log().entries();
        let last = entries.last().unwrap().body.to_string();
        assert!(last.contains(r"seen:0\nnet:shut"), "{last}");
        assert_eq!(listener.heard(), Vec::<String>::new());
        assert!(!format!("{called:?}").contains(PART), "{called:?}");
    }
}

#[test]
fn an_expired_login_is_renewed_by_the_user() {
    let (desk, _listener, called) = ask(&Kept::File { expires_at: 1 });
    assert_eq!(called.code, 3, "{called:?}");
    let words = "has expired: run `claude` once to sign in again";
    assert!(called.stderr.contains(words), "{called:?}");
    assert!(desk.simulated.running.log().entries().is_empty());
}
