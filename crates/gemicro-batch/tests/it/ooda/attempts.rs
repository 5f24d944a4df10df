//! Tests that are rejected, and gaps that are given up.

use gemicro_batch::ooda::{OodaPlan, OodaReaders, Rejection, RejectionKind};
use gemicro_event::ErrorKind;
use serde_json::json;

use super::loop_in_hand::{
    Loop, accepted, in_vain, observation, observed, plan, propose, rejected, stopped, taken,
};
use crate::support::said;

fn prompt(journal: &Loop, key: &str) -> String {
    journal.step(key).input["prompt"].as_str().unwrap().to_owned()
}

/// All rejections of a journal: round, attempt, and what was said.
fn rejections(journal: &Loop) -> Vec<(u32, u32, Rejection)> {
    let acts = journal
        .events
        .iter()
        .filter_map(|event| event.update.as_ooda_acted());
    acts.filter_map(|act| Some((act.round, act.attempt, act.rejection?)))
        .collect()
}

#[test]
fn a_rejected_test_is_refined() {
    // The model is shown what it answered, with a patch or without.
    for patch in ["bad patch", ""] {
        let mut journal = observed(&plan(), &[1]);
        propose(&mut journal, 1, 1);
        assert_eq!(
            journal
                .events
                .iter()
                .filter(|it| it.update.event_type == "ooda_decided")
                .count(),
            1
        );
        journal.complete("trial:1.1", &rejected(RejectionKind::TestsFail, patch));
        assert_eq!(
            prompt(&journal, "propose:1.2"),
            "refine [answer 1] because [it is no good\nprinted]"
        );
        journal.complete("propose:1.2", &said("answer 2"));
        assert_eq!(journal.step("trial:1.2").input["answer"], "answer 2");
        journal.complete("trial:1.2", &taken(observation(18, &[])));
        let data = journal.completed().1;
        assert_eq!(
            data["rejected"],
            json!([{ "gap": "src/a.rs:1-3", "reason": "tests_fail", "message": "it is no good" }])
        );
        assert_eq!(data["taken"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn after_its_attempts_a_gap_is_given_up_for_the_next() {
    let mut journal = observed(&plan(), &[1, 11]);
    in_vain(&mut journal, 1, 1);
    let open: Vec<String> = journal.state.open_gaps().iter().map(|it| it.gap.name()).collect();
    assert_eq!(open, ["src/a.rs:11-13"]);
    journal.complete("material:2", &super::loop_in_hand::material(11));
    // A new gap begins afresh.
    assert_eq!(
        prompt(&journal, "propose:2.1"),
        "propose for src/a.rs, lines 11-13"
    );
    let bad = rejections(&journal);
    let rejection = rejected(RejectionKind::TestsFail, "").rejection.unwrap();
    assert_eq!(bad, [(1, 1, rejection.clone()), (1, 2, rejection)]);
}

#[test]
fn patience_ends_and_a_taken_test_renews_it() {
    let mut journal = observed(&plan(), &[1, 11, 21, 31]);
    in_vain(&mut journal, 1, 1);
    accepted(&mut journal, 2, 11, observation(13, &[1, 21, 31]));
    in_vain(&mut journal, 3, 21);
    in_vain(&mut journal, 4, 31);
    assert_eq!(stopped(&journal), "no_progress");
    assert_eq!(
        journal.completed().0,
        "Coverage 50.0 % → 65.0 %: no further test was found"
    );
}

#[test]
fn without_an_open_gap_there_is_no_progress() {
    assert_eq!(stopped(&observed(&plan(), &[])), "no_progress");
    let mut journal = observed(&plan(), &[1]);
    in_vain(&mut journal, 1, 1);
    assert_eq!(stopped(&journal), "no_progress");
}

#[test]
fn rounds_are_counted() {
    let plan = OodaPlan {
        max_rounds: 1,
        ..plan()
    };
    let mut journal = observed(&plan, &[1, 11]);
    accepted(&mut journal, 1, 1, observation(13, &[11]));
    assert_eq!(stopped(&journal), "rounds");
}

#[test]
fn a_gap_without_an_answer_is_given_up() {
    let no_answer = Rejection {
        reason: RejectionKind::NoAnswer,
        message: "it failed".to_owned(),
        output: String::new(),
    };
    // The step that fails, how it fails, and which proposal that was.
    let mut asking = observed(&plan(), &[1, 11]);
    asking.complete("material:1", &super::loop_in_hand::material(1));
    asking.fail("propose:1.1", ErrorKind::Blocked);
    let mut trying = observed(&plan(), &[1, 11]);
    propose(&mut trying, 1, 1);
    trying.fail("trial:1.1", ErrorKind::Timeout);
    // A file that cannot be shown: too large, or shorter than the report says.
    let mut reading = observed(&plan(), &[1, 11]);
    reading.fail("material:1", ErrorKind::InvalidInput);
    for journal in [&asking, &trying, &reading] {
        assert_eq!(rejections(journal), [(1, 1, no_answer.clone())]);
        journal.step("material:2");
    }
}
