//! A hostile workspace: the real Gemini CLI, Claude Code and Codex load none of its settings, with a key and with a login,
//! in a folder, in a part of it and on a branch.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::agent_world::{AGENTS, Agent, AgentWorld};
use crate::planted_settings::{INSTRUCTIONS, Listener, RULE, plant, plant_in_git, traces};
use crate::simulated::{KEY, until};

/// What must not leave the machine.
const SECRET: &str = "login-c0ffee-5417-never-to-be-sent";
/// A token as OpenAI gives it: three parts, and who it is for.
const TOKEN: &str = "eyJhbGciOiAibm9uZSJ9.eyJlbWFpbCI6ICJhZGFAZXhhbXBsZS5jb20iLCAiZXhwIjogOTk5OTk5OTk5OSwgImh0dHBzOi8vYXBpLm9wZW5haS5jb20vYXV0aCI6IHsiY2hhdGdwdF9wbGFuX3R5cGUiOiAicHJvIiwgImNoYXRncHRfYWNjb3VudF9pZCI6ICJhIn19.c2ln";

/// Where an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Workplace {
    Folder,
    /// A folder inside the one with the settings.
    Part,
    Branch,
}

/// How it reaches its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Key,
    Login,
}

/// A model that uses a tool, and then answers.
fn rules(agent: &Agent) -> String {
    let (tool, argument, more) = match agent.name {
        "gemini" => ("run_shell_command", "command", ""),
        "claude" => (
            "Bash",
            "command",
            ", { name: Read, arguments: { file_path: part/a.txt } }",
        ),
        _ => ("exec_command", "cmd", ""),
    };
    format!(
        "  - {{ name: tool, times: 1, when: {{ tool_offered: {tool} }}, reply: {{ calls: [{{ name: {tool}, arguments: {{ {argument}: 'git status; git diff; git log -1; git st' }} }}{more}] }} }}\n  \
         - {{ name: answers, reply: {{ text: 'An honest answer.' }} }}\n"
    )
}

/// A repository full of planted settings.
fn hostile(desk: &AgentWorld, listener: &Listener) {
    let project = desk.simulated.world.path("project");
    std::fs::remove_dir(project.join(".git")).unwrap();
    std::fs::create_dir(project.join("part")).unwrap();
    std::fs::write(project.join("part/a.txt"), "one\n").unwrap();
    plant(&project, listener);
    let git = "git init -q -b main . && git add -A -f && git -c user.name=A -c user.email=a@example.com commit -q -m begin";
    let made = Command::new("sh")
        .args(["-c", git])
        .current_dir(&project)
        .status();
    assert!(made.unwrap().success());
    plant_in_git(&project, listener);
}

/// The file of a login, in a home.
fn log_in(agent: &Agent, home: &Path) {
    let (file, text) = match agent.name {
        "gemini" => (
            ".gemini/oauth_creds.json",
            format!(
                r#"{{"access_token":"{SECRET}","refresh_token":"{SECRET}","token_type":"Bearer","expiry_date":9999999999999}}"#
            ),
        ),
        "claude" => (
            ".claude/.credentials.json",
            format!(
                r#"{{"claudeAiOauth":{{"accessToken":"{SECRET}","refreshToken":"{SECRET}","expiresAt":9999999999999,"scopes":["user:inference"],"subscriptionType":"max"}}}}"#
            ),
        ),
        _ => (
            ".codex/auth.json",
            format!(
                r#"{{"OPENAI_API_KEY":null,"tokens":{{"id_token":"{TOKEN}","access_token":"{TOKEN}","refresh_token":"{SECRET}","account_id":"a"}},"last_refresh":"2100-01-01T00:00:00Z"}}"#
            ),
        ),
    };
    let path = home.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn loads_nothing(agent: &Agent, access: Access, workplace: Workplace) {
    let desk = AgentWorld::real(&rules(agent));
    let listener = Listener::start();
    hostile(&desk, &listener);
    let world = &desk.simulated.world;
    let more: &[&str] = match workplace {
        Workplace::Folder => &[],
        Workplace::Part => &["--cd", "project/part"],
        Workplace::Branch => &["--branch", "task/demo"],
    };
    let limits = ["--format", "json", "--max-retries", "0", "--timeout", "30"];
    // Codex adds the skills that a prompt names.
    let prompt = "Look round: awk '{ print $agents-skill, $codex-skill }'";
    let mut command = desk.command(agent, &[&limits, more].concat(), prompt);
    if access == Access::Login {
        log_in(agent, &world.path("user"));
        for name in ["GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            command.env_remove(name);
        }
    }
    let called = world.finish(command.output().unwrap());
    let printed = format!(
        "{} {access:?} {workplace:?}\n{}\n{}",
        agent.name, called.stdout, called.stderr
    );
    assert_eq!(listener.heard(), Vec::<String>::new(), "{printed}");
    assert_eq!(traces(&world.path("")), Vec::<String>::new(), "{printed}");
    let events = desk.simulated.events();
    let is_any = |kind: &str| events.iter().any(|event| event["event_type"] == kind);
    let by_gateway = access == Access::Key || agent.name == "claude";
    if by_gateway {
        assert_eq!(called.code, 0, "{printed}");
    } else {
        // Its provider is far away, or does not know the login: it began to work, and that is all.
        assert!(
            is_any("step_started") && !called.stderr.contains("sandbox"),
            "{printed}"
        );
    }
    if by_gateway {
        let bodies: Vec<String> = desk
            .simulated
            .running
            .log()
            .entries()
            .iter()
            .map(|entry| entry.body.to_string())
            .collect();
        let body = bodies.concat();
        assert!(!body.contains("planted skill"), "{printed}");
        // docs/agents.md names this one exception.
        let is_exception = agent.name == "claude" && workplace == Workplace::Folder;
        assert_eq!(body.contains(RULE), is_exception, "{printed}");
        let own = match agent.name {
            "gemini" => "GEMINI.md",
            "claude" => "CLAUDE.md",
            _ => "AGENTS.md",
        };
        for name in INSTRUCTIONS.iter().filter(|_| workplace != Workplace::Part) {
            assert_eq!(
                body.contains(&format!("Instructions of {name}.")),
                *name == own,
                "{name}: {printed}"
            );
        }
    }
    desk.assert_nothing_runs();
}

macro_rules! cases {
    ($($name:ident: $agent:literal, $access:ident, $workplace:ident;)*) => {$(
        #[test]
        fn $name() {
            let agent = AGENTS.iter().find(|agent| agent.name == $agent).unwrap();
            loads_nothing(agent, Access::$access, Workplace::$workplace);
        }
    )*};
}

cases! {
    claude_code_with_a_key_loads_no_settings_of_a_folder: "claude", Key, Folder;
    claude_code_with_a_key_loads_no_settings_above_its_folder: "claude", Key, Part;
    claude_code_with_a_key_loads_no_settings_of_a_branch: "claude", Key, Branch;
    claude_code_with_a_login_loads_no_settings_of_a_folder: "claude", Login, Folder;
    claude_code_with_a_login_loads_no_settings_of_a_branch: "claude", Login, Branch;
    codex_with_a_key_loads_no_settings_of_a_folder: "codex", Key, Folder;
    codex_with_a_key_loads_no_settings_above_its_folder: "codex", Key, Part;
    codex_with_a_key_loads_no_settings_of_a_branch: "codex", Key, Branch;
    codex_with_a_login_loads_no_settings_of_a_folder: "codex", Login, Folder;
    codex_with_a_login_loads_no_settings_of_a_branch: "codex", Login, Branch;
    gemini_cli_with_a_key_loads_no_settings_of_a_folder: "gemini", Key, Folder;
    gemini_cli_with_a_key_loads_no_settings_above_its_folder: "gemini", Key, Part;
    gemini_cli_with_a_key_loads_no_settings_of_a_branch: "gemini", Key, Branch;
    gemini_cli_with_a_login_loads_no_settings_of_a_folder: "gemini", Login, Folder;
    gemini_cli_with_a_login_loads_no_settings_of_a_branch: "gemini", Login, Branch;
}

/// The planted settings are such that the CLIs load them when nobody keeps them from it.
#[test]
fn the_planted_settings_start_programs_without_gemicro() {
    for agent in &AGENTS {
        let desk = AgentWorld::real(&rules(agent));
        let listener = Listener::start();
        hostile(&desk, &listener);
        let world = &desk.simulated.world;
        let (home, url) = (world.path("alone"), desk.simulated.running.url());
        std::fs::create_dir_all(home.join(".codex")).unwrap();
        std::fs::create_dir_all(home.join(".gemini")).unwrap();
        let settings = r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#;
        std::fs::write(home.join(".gemini/settings.json"), settings).unwrap();
        let arguments: &[&str] = match agent.name {
            "gemini" => &["--approval-mode", "yolo", "-p", "hi"],
            "claude" => &["-p", "--permission-mode", "bypassPermissions", "hi"],
            _ => &["exec", "-s", "danger-full-access", "hi"],
        };
        let mut command = Command::new(desk.cli(agent.name));
        let path = std::env::var("PATH").unwrap();
        command
            .args(
                ["--model", agent.model]
                    .iter()
                    .filter(|_| agent.name != "codex")
                    .chain(arguments),
            )
            .current_dir(world.path("project"))
            .env_clear()
            .envs([
                ("PATH", path.as_str()),
                ("IS_SANDBOX", "1"),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ])
            .envs([
                ("GEMINI_API_KEY", KEY),
                ("ANTHROPIC_API_KEY", KEY),
                ("OPENAI_API_KEY", KEY),
            ])
            .envs([("GOOGLE_GEMINI_BASE_URL", &url), ("ANTHROPIC_BASE_URL", &url)])
            .env("HOME", &home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        // One that was led to the listener waits for an answer, so nobody waits for its end.
        let mut alone = command.spawn().unwrap();
        until(agent.name, || {
            let has_begun = !traces(&world.path("")).is_empty() && !listener.heard().is_empty();
            has_begun.then_some(())
        });
        let _ = kill_process_group(Pid::from_child(&alone), Signal::KILL);
        let _ = alone.wait();
    }
}
