//! What is delivered is what the checks passed on.

use gemicro_pipeline::steps::{CheckInput, DocumentRecord, Evidence, MergeOutcome};
use gemicro_pipeline::workflow::PipelineMode;

use super::in_hand::{
    Pipeline, audited, begun, begun_with, counted, delivered, developed, evidence, merged, outcomes, plan,
    planned, prompt, recorded,
};

/// A pipeline that is to be delivered.
fn ready(mut pipeline: Pipeline) -> Pipeline {
    planned(&mut pipeline);
    developed(&mut pipeline, 1, "tree-1");
    audited(&mut pipeline, 1, "PASS", "tree-1");
    pipeline.complete("integration.1:merge", &merged(MergeOutcome::UpToDate, "tree-1"));
    pipeline
}

#[test]
fn the_last_checks_see_the_documents_where_they_are_delivered() {
    let mut pipeline = ready(begun(PipelineMode::Direct));
    let input: CheckInput = pipeline.step("delivery.1:check").input.parse().unwrap();
    let [DocumentRecord::Archive { paths, .. }] = input.records.as_slice() else {
        panic!("{:?}", input.records);
    };
    assert!(paths.contains(&super::in_hand::PLAN.to_owned()), "{paths:?}");
    pipeline.complete("delivery.1:check", &evidence("tree-1", true));
    pipeline.complete("delivery.1:record", &recorded("tree-1"));
    pipeline.complete("delivery.1:deliver", &delivered());
    assert_eq!(outcomes(&pipeline).last().unwrap(), "delivery.1 done");
}

#[test]
fn what_speaks_against_it_then_goes_back_to_the_developer() {
    let cases: [(Evidence, &str); 2] = [
        (evidence("tree-1", false), "ended with exit code 1"),
        (counted("tree-1", 2), "only 2 tests ran"),
    ];
    for (found, why) in cases {
        let mut pipeline = ready(begun(PipelineMode::Direct));
        pipeline.complete("delivery.1:check", &found);
        assert_eq!(outcomes(&pipeline).last().unwrap(), "delivery.1 FAIL");
        let text = prompt(&pipeline, "implementation.2:agent.1");
        assert!(text.contains(why) && text.contains("archive"), "{text}");
    }
}

#[test]
fn it_goes_back_as_often_as_the_workflow_lets_it() {
    let mut plan = plan(PipelineMode::Direct);
    let work = plan
        .workflow
        .phases
        .iter_mut()
        .find(|it| it.name == "implementation");
    work.unwrap().rounds = 1;
    let mut pipeline = ready(begun_with(&plan));
    pipeline.complete("delivery.1:check", &evidence("tree-1", false));
    assert_eq!(pipeline.failed().kind.as_str(), "gate_closed");
}
