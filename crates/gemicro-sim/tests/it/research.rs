//! The built-in research scenario understands the prompts that gemicro sends.

use gemicro_sim::Simulator;
use gemicro_sim::scenario::Scenario;
use serde_json::json;

use crate::client::{ANY, post};

const DECOMPOSE: &str = include_str!("../../../../prompts/research/decompose.md");
const ANSWER: &str = include_str!("../../../../prompts/research/answer.md");
const SYNTHESIZE: &str = include_str!("../../../../prompts/research/synthesize.md");
const SYSTEM: &str = include_str!("../../../../prompts/research/system.md");

const QUESTION: &str = "How does a run survive a crash?";
const SOURCES: &str = "\n<source>\n[1] a.md\nRuns are durable. Runs survive a crash by their journal.\n</source>\n\n<source>\n[2] b.md\nNothing here.\n</source>\n";

#[tokio::test]
async fn every_prompt_of_a_research_run_is_answered() {
    let simulator = Simulator::start(Scenario::builtin("research").unwrap(), ANY)
        .await
        .unwrap();
    let fill = |template: &str, sources: &str, findings: &str| {
        template
            .replace("{{question}}", QUESTION)
            .replace("{{max}}", "5")
            .replace("{{sources}}", sources)
            .replace("{{findings}}", findings)
    };
    let findings = "1. It is resumed [1].\n2. From its journal [2].";
    let why = format!("{QUESTION} And why?");
    let quote = "Runs survive a crash by their journal.";
    let cases = [
        (
            fill(DECOMPOSE, "", ""),
            json!({"sub_queries": [QUESTION, why]}).to_string(),
            "decompose",
        ),
        (
            fill(ANSWER, SOURCES, ""),
            json!({"answer": format!("{quote} [1]"), "citations": [{"source": 1, "quote": quote}]})
                .to_string(),
            "answer from sources",
        ),
        (
            fill(ANSWER, "", ""),
            json!({"answer": format!("Simulated answer to: {QUESTION}"), "citations": []}).to_string(),
            "answer",
        ),
        (fill(SYNTHESIZE, "", findings), findings.to_owned(), "synthesize"),
        ("Hello".to_owned(), "Simulated answer to: Hello".to_owned(), ""),
    ];
    for (prompt, expected, rule) in cases {
        let body = json!({"model": "gemini-3.8-flash", "input": prompt, "system_instruction": SYSTEM, "stream": true});
        let answer = post(simulator.addr(), "/v1beta/interactions", &body).await;
        assert_eq!(answer.text(), expected, "{prompt}");
        let entry = simulator.log().entries().pop().unwrap();
        assert_eq!(entry.rule.as_deref().unwrap_or_default(), rule);
    }
    simulator.shutdown().await;
}
