//! Research whose calls are answered by the real Gemini CLI, Claude Code and Codex, against the simulator.

use serde_json::Value;

use crate::agent_world::{AGENTS, Agent, AgentWorld};

const HIGH: &str = "How high is the Port Amsel lighthouse?";
const RESEARCHER: &str = "  - { name: all, reply: { persona: researcher } }\n";
const LIAR: &str = "  - { name: all, reply: { persona: liar } }\n";

fn backend(agent: &Agent) -> &'static str {
    match agent.name {
        "gemini" => "gemini-cli",
        other => other,
    }
}

fn research(desk: &AgentWorld, agent: &Agent, more: &[&str]) -> (i32, String, String) {
    let mut arguments = vec!["research", "--backend", backend(agent), "--model", agent.model];
    arguments.extend(["--source", "docs", "--format", "json", HIGH]);
    arguments.extend(more);
    let output = desk.program(&arguments).output().unwrap();
    let called = desk.simulated.world.finish(output);
    (called.code, called.stdout, called.stderr)
}

#[test]
fn each_agent_answers_research_with_checked_quotes() {
    for agent in &AGENTS {
        let desk = AgentWorld::real(RESEARCHER);
        let (code, stdout, stderr) = research(&desk, agent, &[]);
        assert_eq!(code, 0, "{}: {stdout}\n{stderr}", agent.name);
        let result: Value = serde_json::from_str(&stdout).unwrap();
        let answer = result["answer"].as_str().unwrap();
        assert!(answer.contains("31 metres"), "{}: {answer}", agent.name);
        let citation = &result["citations"][0];
        assert_eq!(
            (&citation["doc"], &citation["grade"]),
            (&"lighthouse.md".into(), &"verified".into()),
            "{}: {result}",
            agent.name
        );
        // Splitting, two sub-queries and the report, all counted by the gateway.
        let calls = desk.simulated.events();
        let calls: Vec<&Value> = calls
            .iter()
            .filter(|event| event["event_type"] == "step_completed" && event["data"]["usage"].is_object())
            .collect();
        assert_eq!(calls.len(), 4, "{}", agent.name);
        for call in calls {
            assert_ne!(call["data"]["usage"]["estimated"], true, "{}: {call}", agent.name);
            assert!(
                call["data"]["charge"]["tokens"].as_u64() > Some(0),
                "{}: {call}",
                agent.name
            );
        }
        let homes = desk.simulated.world.path("home/agents/homes");
        assert_eq!(
            std::fs::read_dir(homes).unwrap().count(),
            0,
            "{}: sessions are kept",
            agent.name
        );
        desk.simulated.assert_no_key();
        desk.assert_nothing_runs();
    }
}

#[test]
fn the_default_model_of_an_agent_answers_and_is_named_after_it() {
    let desk = AgentWorld::real(RESEARCHER);
    let mut command = desk.program(&["research", "--backend", "codex", "--source", "docs", HIGH]);
    let called = desk.simulated.world.finish(command.output().unwrap());
    assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("31 metres"), "{}", called.stdout);
    let shown = desk.simulated.world.must(&["show", "last"]).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "by Codex's default model",
        "no known price for Codex's default model",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn an_agent_that_lies_is_not_believed() {
    let desk = AgentWorld::real(LIAR);
    let (code, stdout, stderr) = research(&desk, &AGENTS[0], &[]);
    // What its invented quotes do not prove is answered from the documents, and the answer says so.
    assert_eq!(code, 0, "{stdout}\n{stderr}");
    let result: Value = serde_json::from_str(&stdout).unwrap();
    let answer = result["answer"].as_str().unwrap();
    assert!(answer.contains("Answered without the model"), "{answer}");
    let docs: Vec<&str> = result["citations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|citation| citation["doc"].as_str())
        .collect();
    assert_eq!(docs, ["lighthouse.md"], "{answer}");
}

#[test]
fn a_budget_that_no_agent_can_keep_asks_none() {
    let desk = AgentWorld::real(RESEARCHER);
    let (code, stdout, stderr) = research(&desk, &AGENTS[0], &["--budget", "50k"]);
    assert_eq!(code, 5, "{stdout}\n{stderr}");
    assert!(
        desk.simulated.running.log().entries().is_empty(),
        "the model was asked"
    );
    let (code, _, stderr) = research(&desk, &AGENTS[0], &["--budget", "$1"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("in tokens"), "{stderr}");
}

#[test]
fn what_an_agent_cannot_do_is_refused() {
    let desk = AgentWorld::real(RESEARCHER);
    for (arguments, words) in [
        (
            &["--backend", "claude", "--web"][..],
            "the claude backend cannot search the web",
        ),
        (
            &["--backend", "claude", "--model", "gpt-5.5-codex"],
            "claude has no model",
        ),
        (
            &["--backend", "gemini-cli", "--model", "llama3.2"],
            "no agent has a model",
        ),
    ] {
        let mut all = vec!["research", "--source", "docs", HIGH];
        all.extend(arguments);
        let called = desk.simulated.world.finish(desk.program(&all).output().unwrap());
        assert_eq!(called.code, 2, "{}", called.stderr);
        assert!(called.stderr.contains(words), "{}", called.stderr);
    }
}
