//! Loops that cannot go on.

use gemicro_batch::ooda::OodaFlow;
use gemicro_core::flow::Outcome;
use gemicro_event::{ErrorKind, Failure};

use super::loop_in_hand::{Loop, accepted, material, observation, observed, plan, propose, stopped};
use crate::proposals::Journal;

#[test]
fn without_a_measurement_the_run_fails() {
    for kind in [
        ErrorKind::Timeout,
        ErrorKind::UnsupportedRepository,
        ErrorKind::BudgetExceeded,
    ] {
        let mut journal = Journal::new(OodaFlow, &plan());
        journal.fail("observe", kind);
        assert_eq!(journal.failed(), Failure::new(kind, "it failed"));
    }
}

#[test]
fn what_helps_no_gap_fails_the_run() {
    let asking = |journal: &mut Loop| {
        journal.complete("material:1", &material(1));
        "propose:1.1"
    };
    let trying = |journal: &mut Loop| {
        propose(journal, 1, 1);
        "trial:1.1"
    };
    let reading = |_: &mut Loop| "material:1";
    type Begin<'a> = &'a dyn Fn(&mut Loop) -> &'static str;
    use ErrorKind::{AuthFailed, Conflict, Internal, SandboxUnavailable, UnknownModel};
    let cases: [(Begin<'_>, ErrorKind); 5] = [
        (&asking, AuthFailed),
        (&asking, UnknownModel),
        (&trying, SandboxUnavailable),
        (&trying, Conflict),
        (&reading, Internal),
    ];
    for (begin, kind) in cases {
        let mut journal = observed(&plan(), &[1, 11]);
        let key = begin(&mut journal);
        journal.fail(key, kind);
        assert_eq!(journal.failed(), Failure::new(kind, "it failed"), "{key}");
    }
}

#[test]
fn without_a_budget_the_loop_reports_what_it_has() {
    let mut journal = observed(&plan(), &[1, 11]);
    accepted(&mut journal, 1, 1, observation(13, &[11]));
    journal.complete("material:2", &material(11));
    let n_events = journal.events.len();
    journal.refuse("propose:2.1");
    assert_eq!(
        journal.reported_since(n_events),
        ["step_failed: Step propose:2.1 failed: it failed"]
    );
    let (message, data) = journal.completed();
    assert_eq!(
        message,
        "Coverage 50.0 % → 65.0 %: the budget allows no further model call"
    );
    assert_eq!(
        (&data["stopped"], data["rejected"].as_array().unwrap().len()),
        (&"budget".into(), 0)
    );
}

#[test]
fn when_time_is_over_only_what_is_paid_for_continues() {
    let mut between = observed(&plan(), &[1]);
    between.late();
    assert_eq!(stopped(&between), "budget");
    let mut asking = observed(&plan(), &[1]);
    asking.complete("material:1", &material(1));
    asking.late();
    assert_eq!(stopped(&asking), "budget");
    let mut answered = observed(&plan(), &[1, 11]);
    propose(&mut answered, 1, 1);
    answered.late();
    let after = super::loop_in_hand::taken(observation(13, &[11]));
    answered.complete("trial:1.1", &after);
    assert_eq!(
        answered.completed().0,
        "Coverage 50.0 % → 65.0 %: its time is over"
    );
    // Before anything is measured there is nothing to tell.
    let mut early = Journal::new(OodaFlow, &plan());
    early.late();
    early.refuse("observe");
    assert!(matches!(early.decide().finish, Some(Outcome::Failed(_))));
}
