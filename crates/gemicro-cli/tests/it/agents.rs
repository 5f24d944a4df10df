//! The real Gemini CLI, Claude Code and Codex, inside the sandbox, through the gateway, against the simulator.

use std::path::Path;
use std::process::Stdio;

use crate::agent_world::{AGENTS, ANSWERS, AgentWorld};
use crate::simulated::until;

#[test]
fn each_agent_answers_and_resumes_its_session() {
    for agent in &AGENTS {
        let desk = AgentWorld::real(ANSWERS);
        let (called, answer) = desk.ask(agent, &[], "Remember the word WALRUS.");
        assert_eq!(called.code, 0, "{}", called.stderr);
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["success", "tool", "SESSION_ID", "result", "duration"]);
        assert_eq!(answer["result"], "An honest answer.", "{}", agent.name);
        assert_eq!(answer["tool"], agent.name);
        let end = desk.simulated.event("final_result");
        assert_eq!(
            (&end["data"]["tier"], &end["data"]["access"]),
            (&"full".into(), &"gateway".into())
        );
        let session = answer["SESSION_ID"].as_str().expect("a session");
        let (called, answer) = desk.ask(agent, &["--session", session], "Now tell me which word.");
        assert_eq!(called.code, 0, "{}", called.stderr);
        assert_eq!(answer["result"], "The word is WALRUS.", "{}", agent.name);
        assert_eq!(answer["SESSION_ID"], session, "{}", agent.name);
        desk.simulated.assert_no_key();
        desk.assert_nothing_runs();
    }
}

#[test]
fn each_agent_writes_where_it_may_and_nowhere_else() {
    for agent in &AGENTS {
        let rules = format!(
            "  - {{ name: said, when: {{ tool_result: '*' }}, reply: {{ text: 'Tool: {{{{tool_result}}}}' }} }}\n  \
             - {{ name: writes, when: {{ prompt_contains: make the file }}, reply: {{ calls: [{{ {} }}] }} }}\n  \
             - {{ name: answers, reply: {{ text: other }} }}\n",
            agent.writes
        );
        let desk = AgentWorld::real(&rules);
        let make = |sandbox: &str, file: &Path| {
            let prompt = format!("make the file\nFile: {}", file.display());
            desk.ask(agent, &["--sandbox", sandbox], &prompt);
        };
        make("workspace-write", &desk.file("made.txt"));
        assert_eq!(
            std::fs::read_to_string(desk.file("made.txt")).unwrap().trim(),
            "made",
            "{}",
            agent.name
        );
        make("read-only", &desk.file("not-made.txt"));
        make("workspace-write", &desk.file(".git/hook"));
        let outside = desk.simulated.world.path("outside.txt");
        make("workspace-write", &outside);
        for file in [desk.file("not-made.txt"), desk.file(".git/hook"), outside] {
            assert!(!file.exists(), "{} wrote {}", agent.name, file.display());
        }
    }
}

#[test]
fn a_denied_tool_of_gemini_is_counted_and_shown_as_denied() {
    let rules = "  - { name: done, when: { tool_result: '*' }, reply: { text: 'Done: {{tool_result}}' } }\n  \
                 - { name: tool, reply: { calls: [{ name: run_shell_command, arguments: { command: touch made.txt } }] } }\n";
    // In the background worker, where processes usually stay, and in a process of its own.
    for resident in ["on", "off"] {
        let desk = AgentWorld::real(rules);
        let mut command = desk.command(&AGENTS[0], &["--no-yolo"], "Make it.");
        command
            .env("GEMICRO_RESIDENT", resident)
            .env("GEMICRO_LINGER", "1");
        let called = desk.simulated.world.finish(command.output().unwrap());
        assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
        assert!(!desk.file("made.txt").exists());
        let reason =
            "Permission Denied: no_yolo (the tool needs approval): no one can approve tools (--no-yolo)";
        assert!(called.stdout.contains(reason), "{}", called.stdout);
        let shown = "denied run_shell_command: the tool needs approval (no_yolo)";
        assert!(called.stderr.contains(shown), "{}", called.stderr);
        let answered = desk.simulated.event("agent_answered");
        assert_eq!(answered["data"]["n_refused"], 1, "{answered}");
        let ended = desk.simulated.event("tool_ended");
        assert_eq!(ended["data"]["end"], "denied", "{ended}");
    }
}

#[test]
fn each_failure_of_a_provider_has_its_kind() {
    for (fault, kinds) in [
        ("http: { status: 401 }", &["auth_failed"][..]),
        ("rate_limit: { announce: nowhere }", &["rate_limited"]),
        ("http: { status: 500 }", &["upstream_error"]),
    ] {
        let desk = AgentWorld::real(&format!("  - {{ name: fails, fault: {{ {fault} }} }}\n"));
        for agent in &AGENTS {
            let (called, answer) = desk.ask(agent, &[], "hello");
            assert_ne!(called.code, 0, "{}: {fault}", agent.name);
            let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(
                keys,
                [
                    "success",
                    "tool",
                    "error",
                    "error_kind",
                    "error_detail",
                    "duration"
                ]
            );
            let kind = answer["error_kind"].as_str().unwrap();
            assert!(kinds.contains(&kind), "{}: {fault} gave {answer}", agent.name);
        }
    }
}

#[test]
fn a_cancelled_agent_is_gone_with_all_it_started() {
    for agent in &AGENTS {
        let desk = AgentWorld::real("  - { name: silent, fault: { hang: { after_chunks: 0 } } }\n");
        let mut child = desk
            .command(agent, &["--format", "json"], "hello")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until("a request", || {
            (!desk.simulated.running.log().entries().is_empty()).then_some(())
        });
        desk.simulated.world.must(&["cancel", "last"]);
        assert!(!child.wait().unwrap().success());
        desk.assert_nothing_runs();
        assert_eq!(
            desk.simulated.event("run_cancelled")["event_type"],
            "run_cancelled"
        );
    }
}
