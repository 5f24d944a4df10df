//! The ways through the default workflow.

use gemicro_pipeline::steps::{MergeOutcome, RecordResult};
use gemicro_pipeline::workflow::PipelineMode;
use serde_json::json;

use super::in_hand::{
    audited, begun, begun_with, delivered, developed, evidence, merged, mumbles, outcomes, plan, planned,
    prompt, recorded, says, says_at, taken,
};
use super::journal::Journal;

#[test]
fn the_straight_way() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    developed(&mut pipeline, 1, "tree-1");
    audited(&mut pipeline, 1, "PASS", "tree-1");
    pipeline.complete("integration.1:merge", &merged(MergeOutcome::UpToDate, "tree-1"));
    pipeline.complete("delivery.1:check", &evidence("tree-1", true));
    pipeline.complete("delivery.1:record", &recorded("tree-1"));
    pipeline.complete("delivery.1:deliver", &delivered());
    let (message, result) = pipeline.completed();
    assert_eq!(
        message,
        "Pipeline Success! Branch 'task/dark-mode-toggle' is ready for merge."
    );
    assert_eq!(
        outcomes(&pipeline),
        [
            "plan.1 done",
            "plan_review.1 APPROVE",
            "implementation.1 done",
            "audit.1 PASS",
            "integration.1 up_to_date",
            "delivery.1 done"
        ]
    );
    assert_eq!(result["tree"], "tree-1");
    // Whoever reads the journal again comes to the same end.
    let again = Journal::of_events(gemicro_pipeline::flow::PipelineFlow, &pipeline.events);
    assert_eq!(again.completed(), pipeline.completed());
}

#[test]
fn a_rejected_report_goes_back_to_who_wrote_it_and_an_escalated_one_to_the_researcher() {
    let mut pipeline = begun(PipelineMode::Bugfix);
    let report = json!({ "report_path": "docs/dev_docs/research/diagnostic_report_dark_mode_toggle.md" });
    says(&mut pipeline, "investigation.1", &report);
    pipeline.complete("investigation.1:import", &taken("tree-0"));
    says(
        &mut pipeline,
        "analysis_review.1",
        &json!({ "verdict": "REJECT", "feedback": "The cause is a guess." }),
    );
    pipeline.complete("analysis_review.1:record", &recorded("tree-0"));
    assert!(prompt(&pipeline, "investigation.2:agent.1").contains("The cause is a guess."));
    says(&mut pipeline, "investigation.2", &report);
    pipeline.complete("investigation.2:import", &taken("tree-0"));
    says(
        &mut pipeline,
        "analysis_review.2",
        &json!({ "verdict": "ESCALATE" }),
    );
    pipeline.complete("analysis_review.2:record", &recorded("tree-0"));
    let report = json!({ "report_path": "docs/dev_docs/research/research_report_dark_mode_toggle.md" });
    says(&mut pipeline, "research.1", &report);
    pipeline.complete("research.1:import", &taken("tree-0"));
    says(
        &mut pipeline,
        "analysis_review.3",
        &json!({ "verdict": "REJECT", "feedback": "More." }),
    );
    pipeline.complete("analysis_review.3:record", &recorded("tree-0"));
    // Back is where it came from: the researcher by now.
    pipeline.step("research.2:agent.1");
}

#[test]
fn a_failed_audit_and_a_conflict() {
    let mut pipeline = begun(PipelineMode::Direct);
    planned(&mut pipeline);
    developed(&mut pipeline, 1, "tree-1");
    audited(&mut pipeline, 1, "FAIL", "tree-1");
    let text = prompt(&pipeline, "implementation.2:agent.1");
    assert!(text.contains("code_review_dark_mode_toggle_v1.md"), "{text}");
    developed(&mut pipeline, 2, "tree-2");
    audited(&mut pipeline, 2, "PASS", "tree-2");
    pipeline.complete("integration.1:merge", &merged(MergeOutcome::Conflict, "tree-2"));
    let commit = json!({ "status": "success", "commit_hash": "2222222222222222222222222222222222222222" });
    says(&mut pipeline, "conflict_resolution.1", &commit);
    pipeline.complete("conflict_resolution.1:import", &taken("tree-3"));
    pipeline.complete("conflict_resolution.1:check", &evidence("tree-3", true));
    let review = json!({ "verdict": "PASS", "review_path": "docs/dev_docs/reviews/m.md" });
    says(&mut pipeline, "merge_review.1", &review);
    pipeline.complete("merge_review.1:import", &taken("tree-3"));
    // Main has gone on meanwhile: it is merged once more.
    let moved = RecordResult {
        moved: Some("5555555555555555555555555555555555555555".to_owned()),
        paths: Vec::new(),
        ..recorded("tree-3")
    };
    pipeline.complete("delivery.1:check", &evidence("tree-3", true));
    pipeline.complete("delivery.1:record", &moved);
    pipeline.complete("integration.2:merge", &merged(MergeOutcome::Merged, "tree-4"));
    pipeline.complete("integration.2:check", &evidence("tree-4", true));
    says(&mut pipeline, "merge_review.2", &review);
    pipeline.complete("merge_review.2:import", &taken("tree-4"));
    pipeline.complete("delivery.2:check", &evidence("tree-4", true));
    pipeline.complete("delivery.2:record", &recorded("tree-4"));
    pipeline.complete("delivery.2:deliver", &delivered());
    assert_eq!(pipeline.completed().1["tree"], "tree-4");
}

#[test]
fn without_checks_the_reviewers_alone_vouch() {
    let mut plan = plan(PipelineMode::Direct);
    plan.workflow.checks.clear();
    let mut pipeline = begun_with(&plan);
    planned(&mut pipeline);
    let claim = json!({ "commit_hash": super::in_hand::COMMIT, "status": "success" });
    says(&mut pipeline, "implementation.1", &claim);
    pipeline.complete("implementation.1:import", &taken("tree-1"));
    audited(&mut pipeline, 1, "PASS", "tree-1");
    assert_eq!(outcomes(&pipeline).last().unwrap(), "audit.1 PASS");
    pipeline.step("integration.1:merge");
}

#[test]
fn a_person_opens_a_gate_and_no_answer_is_no_yes() {
    let mut plan = plan(PipelineMode::Direct);
    let phase = plan
        .workflow
        .phases
        .iter_mut()
        .find(|phase| phase.name == "plan")
        .unwrap();
    phase.human = Some("Shall it begin?".to_owned());
    let mut pipeline = begun_with(&plan);
    assert_eq!(pipeline.asks(), "plan.1:human");
    pipeline.answer(json!("perhaps"));
    assert_eq!(pipeline.asks(), "plan.1:human.2");
    let mut refused = Journal::of_events(gemicro_pipeline::flow::PipelineFlow, &pipeline.events);
    refused.answer(json!(false));
    assert!(
        refused
            .failed()
            .message
            .contains("a person answered no before phase plan")
    );
    pipeline.answer(json!({ "approve": true }));
    pipeline.step("plan.1:agent.1");
}

#[test]
fn ideas_of_any_agent_go_to_the_backlog() {
    let mut pipeline = begun(PipelineMode::Direct);
    let answer = json!({ "plan_path": super::in_hand::PLAN, "backlog_items": ["Later", "# Later still"] });
    says(&mut pipeline, "plan.1", &answer);
    pipeline.complete("plan.1:import", &taken("tree-0"));
    let input: serde_json::Value = pipeline.step("plan.1:record").input.parse().unwrap();
    let items = &input["records"][0]["backlog"]["items"];
    assert_eq!(items[0], "Later");
    assert!(!items[1].as_str().unwrap().starts_with('#'), "{items}");
}

#[test]
fn an_answer_without_a_payload_is_asked_for_again_and_not_for_ever() {
    let mut pipeline = begun(PipelineMode::Direct);
    mumbles(&mut pipeline, "plan.1:agent.1", "I have written a plan.");
    let text = prompt(&pipeline, "plan.1:agent.2");
    assert!(text.contains("Your last answer could not be used"), "{text}");
    // The old tag is worth nothing in the next answer.
    let old = format!(
        "```json gemicro:{}\n{{\"plan_path\": \"{}\"}}\n```\n",
        "0123456789abcdef",
        super::in_hand::PLAN
    );
    mumbles(&mut pipeline, "plan.1:agent.2", &old);
    mumbles(&mut pipeline, "plan.1:agent.3", "no");
    let failure = pipeline.failed();
    assert_eq!(failure.kind.as_str(), "malformed_output");
    assert!(failure.message.contains("3 answers"), "{}", failure.message);
}

#[test]
fn an_untagged_approval_opens_nothing() {
    let mut pipeline = begun(PipelineMode::Direct);
    says(
        &mut pipeline,
        "plan.1",
        &json!({ "plan_path": super::in_hand::PLAN }),
    );
    pipeline.complete("plan.1:import", &taken("tree-0"));
    mumbles(
        &mut pipeline,
        "plan_review.1:agent.1",
        "{\"verdict\": \"APPROVE\"}",
    );
    let text = prompt(&pipeline, "plan_review.1:agent.2");
    assert!(text.contains("only a tagged APPROVE or PASS counts"), "{text}");
    says_at(
        &mut pipeline,
        "plan_review.1:agent.2",
        &json!({ "verdict": "APPROVE" }),
    );
    pipeline.step("plan_review.1:record");
}
