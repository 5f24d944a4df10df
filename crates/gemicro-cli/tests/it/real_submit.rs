//! The tool `submit_result`, called by the real Gemini CLI, Claude Code and Codex from inside the full sandbox.
//!
//! The workflow has one reviewer. The simulator's model hands its verdict in by the tool, as its prompt says.

use std::process::Command;

use serde_json::{Value, json};

use crate::real_agents::Desk;

const WORKFLOW: &str = "\
workflow: verdict
version: 1
modes: { direct: review }
roles:
  reviewer: { title: Plan Reviewer, shape: plan_reviewer, sandbox: read-only, tools: [read], prompt: plan_reviewer.md }
phases:
  - { name: review, label: R, role: reviewer, reads: [request], on: { APPROVE: end, REJECT: end } }
";

/// Each agent, its model, and what it calls the tool.
const AGENTS: [(&str, &str, &str); 3] = [
    ("gemini", "gemini-3.5-flash", "mcp_gemicro_submit_result"),
    ("claude", "claude-opus-4-8", "mcp__gemicro__submit_result"),
    ("codex", "gpt-5.5-codex", "mcp__gemicro__submit_result"),
];

/// What is left of a run.
struct Reviewed {
    /// What each answer was read as.
    answers: Vec<Value>,
    /// What each agent's step gave back.
    outputs: Vec<Value>,
    outcome: Value,
}

/// A rule of a model that calls the tool with this verdict, when this is in its newest turn.
fn hands_in(tool: &str, when: &str, result: &Value) -> String {
    let arguments = json!({ "nonce": "{{line:```json gemicro:}}", "result": result });
    format!(
        "  - {{ when: {{ tool_offered: '{tool}', prompt_contains: '{when}' }}, reply: {{ calls: [{{ name: {tool}, arguments: {arguments} }}] }} }}\n"
    )
}

/// A rule of a model that has got a result of the tool.
fn ends(tool: &str, result: &str, text: &str) -> String {
    let text = json!(text);
    format!(
        "  - {{ when: {{ tool_result: '{tool}', tool_result_contains: '{result}' }}, reply: {{ text: {text} }} }}\n"
    )
}

fn review(agent: &str, model: &str, rules: &str) -> Option<Reviewed> {
    let aside = "  - { reply: { text: 'Nothing.' } }\n";
    let desk = Desk::new(&format!("{rules}{aside}"))?;
    let world = &desk.simulated.world;
    let project = world.path("project");
    std::fs::remove_dir(project.join(".git")).unwrap();
    std::fs::create_dir(project.join(".gemicro")).unwrap();
    std::fs::write(project.join(".gemicro/workflow.yaml"), WORKFLOW).unwrap();
    let git = "git init -q -b main . && git add -A && git -c user.name=A -c user.email=a@example.com commit -q -m begin";
    let made = Command::new("sh")
        .args(["-c", git])
        .current_dir(&project)
        .status();
    assert!(made.unwrap().success());
    let arguments = [
        "run",
        "--task",
        "Say farewell.",
        "--dir",
        "project",
        "--no-push",
        "--agent",
        agent,
        "--model",
        model,
    ];
    let called = world.finish(desk.program(&arguments).output().unwrap());
    let told = format!("{agent}\n{}\n{}", called.stdout, called.stderr);
    assert_eq!(called.code, 0, "{told}");
    let events = desk.simulated.events();
    let all = |kind: &str| {
        let events = events.iter().filter(|event| event["event_type"] == kind);
        events.map(|event| event["data"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(all("step_alarm"), Vec::<Value>::new(), "{told}");
    assert_eq!(desk.n_running(), 0);
    desk.simulated.assert_no_key();
    let outputs = all("step_completed").into_iter();
    Some(Reviewed {
        answers: all("phase_answered"),
        outputs: outputs
            .filter(|data| data["step"].as_str().unwrap().contains(":agent."))
            .map(|data| data["output"].clone())
            .collect(),
        outcome: all("phase_ended")[0]["outcome"].clone(),
    })
}

#[test]
fn every_agent_hands_in_its_verdict_by_the_tool() {
    for (agent, model, tool) in AGENTS {
        let verdict =
            json!({ "verdict": "REJECT", "feedback": { "unclear": "It says \"bye\" to nobody.\n" } });
        let rules = [
            hands_in(tool, "You are the Plan Reviewer", &verdict),
            ends(tool, "Taken", "It is handed in."),
        ];
        let Some(reviewed) = review(agent, model, &rules.concat()) else {
            return;
        };
        assert_eq!(reviewed.outcome, "REJECT", "{agent}");
        assert_eq!(reviewed.outputs.len(), 1, "{agent}");
        let output = &reviewed.outputs[0];
        assert_eq!(output["submitted"], json!([verdict]), "{output}");
        assert_eq!(
            (&output["tier"], &output["denials"]),
            (&json!("full"), &Value::Null),
            "{output}"
        );
        let answer = &reviewed.answers[0];
        assert_eq!(
            (&answer["state"], &answer["tagged"], &answer["payload"]["value"]),
            (&json!("ok"), &json!(true), &verdict),
            "{answer}"
        );
    }
}

#[test]
fn gemini_cli_is_asked_again_and_told_what_is_wrong_with_a_call() {
    let (agent, model, tool) = AGENTS[0];
    let reject = json!({ "verdict": "REJECT", "feedback": "It is unclear." });
    let block = "```json gemicro:{{line:```json gemicro:}}\n{\"verdict\": \"REJECT\", \"feedback\": \"It is unclear.\"}\n```\n";
    let rules = [
        // The second time the nonce is another one, and the first call says too little: the CLI tells what was sent.
        hands_in(tool, "could not be used", &json!({ "verdict": "REJECT" })),
        format!(
            "  - {{ when: {{ tool_result: '{tool}', tool_result_contains: 'must not be empty beside REJECT' }}, reply: {{ calls: [{{ name: {tool}, arguments: {} }}] }} }}\n",
            json!({ "nonce": "{{between:\"nonce\":\"|\"}}", "result": reject }),
        ),
        hands_in(
            tool,
            "You are the Plan Reviewer",
            &json!({ "verdict": "APPROVE" }),
        ),
        format!(
            "  - {{ when: {{ tool_result: '{tool}', history_contains: 'could not be used' }}, reply: {{ text: 'Now it is.' }} }}\n"
        ),
        ends(tool, "Taken", block),
    ];
    let Some(reviewed) = review(agent, model, &rules.concat()) else {
        return;
    };
    let states: Vec<&Value> = reviewed.answers.iter().map(|answer| &answer["state"]).collect();
    assert_eq!(states, ["ambiguous", "ok"]);
    let submitted: Vec<&Value> = reviewed
        .outputs
        .iter()
        .map(|output| &output["submitted"])
        .collect();
    assert_eq!(submitted, [&json!([{ "verdict": "APPROVE" }]), &json!([reject])]);
    assert_eq!(reviewed.outcome, "REJECT");
}
