//! Loops in which a person decides.

use gemicro_batch::ooda::{Decider, OodaPlan, OodaReaders};
use gemicro_batch::proposal::ProposalAim;
use serde_json::{Value, json};

use super::loop_in_hand::{Loop, accepted, gap, observation, observed, plan, range, stopped};

fn asked(gaps: &[u32]) -> Loop {
    let plan = OodaPlan {
        decider: Decider::Human,
        ..plan()
    };
    observed(&plan, gaps)
}

/// The gap that an answer chooses, by its first line; none where it ends the loop.
fn check(answer: Value, expected: Option<u32>) {
    let mut journal = asked(&[1, 11]);
    assert_eq!(journal.asks(), "decide:1");
    journal.answer(answer.clone());
    let Some(first) = expected else {
        assert_eq!(stopped(&journal), "person", "{answer}");
        return;
    };
    let step = journal.step("material:1");
    let aim: ProposalAim = serde_json::from_value(step.input["aim"].clone()).unwrap();
    assert_eq!(aim, ProposalAim::Lines(vec![range(first)]), "{answer}");
    journal.complete("material:1", &super::loop_in_hand::material(first));
    let decided = journal
        .events
        .iter()
        .find_map(|event| event.update.as_ooda_decided())
        .unwrap();
    assert_eq!((decided.by, decided.gap), (Decider::Human, gap(first)));
}

#[test]
fn a_person_chooses_or_ends_the_loop() {
    check(json!({ "gap": 1 }), Some(1));
    check(json!({ "gap": 2 }), Some(11));
    check(json!(2), Some(11));
    check(json!(" 2 "), Some(11));
    check(json!({ "stop": true }), None);
    check(json!("stop\n"), None);
}

#[test]
fn what_means_nothing_is_asked_again() {
    let mut journal = asked(&[1, 11]);
    let answers = [
        json!(0),
        json!(3),
        json!(-1),
        json!(1.5),
        json!("yes"),
        json!(""),
        json!({}),
        json!({ "stop": false }),
        json!({ "gap": "first" }),
        json!(null),
        json!([1]),
    ];
    for (n, answer) in (2..).zip(answers) {
        journal.answer(answer.clone());
        assert_eq!(journal.asks(), format!("decide:1.{n}"), "{answer}");
    }
    journal.answer(json!({ "gap": 2 }));
    journal.step("material:1");
}

#[test]
fn every_round_has_its_question() {
    let mut journal = asked(&[1, 11]);
    journal.answer(json!(7));
    journal.answer(json!(2));
    accepted(&mut journal, 1, 11, observation(13, &[1]));
    assert_eq!(journal.asks(), "decide:2");
    journal.answer(json!(2));
    assert_eq!(journal.asks(), "decide:2.2", "there is one gap left");
    journal.answer(json!("stop"));
    assert_eq!(
        journal.completed().0,
        "Coverage 50.0 % → 65.0 %: it was ended by a person"
    );
}

#[test]
fn no_one_is_asked_about_nothing() {
    assert_eq!(stopped(&asked(&[])), "no_progress");
    let mut late = asked(&[1]);
    late.late();
    assert_eq!(stopped(&late), "budget");
}
