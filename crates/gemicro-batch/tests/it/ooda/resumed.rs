//! A loop that goes on after a stop: the journal is all that counts.

use gemicro_batch::ooda::{Decider, OodaFlow, OodaPlan, RejectionKind};
use gemicro_event::ErrorKind;
use proptest::prelude::*;
use serde_json::json;

use super::loop_in_hand::{Loop, material, observation, observed, plan, propose, rejected, taken};
use crate::proposals::Journal;
use crate::support::said;

/// One thing that can happen to a loop next.
#[derive(Debug, Clone, Copy)]
enum Happens {
    Well,
    Badly,
    Fails(ErrorKind),
    Refused,
    Late,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        6 => Just(Happens::Well),
        3 => Just(Happens::Badly),
        1 => prop::sample::select(vec![ErrorKind::Blocked, ErrorKind::Timeout, ErrorKind::InvalidInput])
            .prop_map(Happens::Fails),
        1 => Just(Happens::Refused),
        1 => Just(Happens::Late),
    ]
}

/// Lets it happen; false where the loop has ended.
fn go_on(journal: &mut Loop, happens: Happens) -> bool {
    let decision = journal.decide();
    if decision.finish.is_some() {
        return false;
    }
    if !decision.waits.is_empty() {
        journal.answer(match happens {
            Happens::Well => json!(1),
            Happens::Badly | Happens::Fails(_) | Happens::Late => json!("what?"),
            Happens::Refused => json!("stop"),
        });
        return true;
    }
    let key = decision.want[0].key.to_string();
    match happens {
        Happens::Fails(kind) => journal.fail(&key, kind),
        Happens::Refused => journal.refuse(&key),
        Happens::Late => journal.late(),
        Happens::Well | Happens::Badly if key.starts_with("material") => journal.complete(&key, &material(1)),
        Happens::Well | Happens::Badly if key.starts_with("propose") => journal.complete(&key, &said(&key)),
        Happens::Well => journal.complete(&key, &taken(observation(12, &[1, 21, 31]))),
        Happens::Badly => journal.complete(&key, &rejected(RejectionKind::TestsHang, "bad patch")),
    }
    true
}

proptest! {
    #[test]
    fn every_beginning_of_a_journal_is_decided_alike(
        is_human in any::<bool>(),
        story in prop::collection::vec(happens(), 0..30),
    ) {
        let plan = OodaPlan {
            decider: if is_human { Decider::Human } else { Decider::Auto },
            ..plan()
        };
        let mut journal = observed(&plan, &[1, 11, 21]);
        let mut seen = vec![(journal.events.len(), journal.decide())];
        for happens in story {
            if !go_on(&mut journal, happens) {
                break;
            }
            seen.push((journal.events.len(), journal.decide()));
        }
        for (n_events, decision) in seen {
            let again = Journal::of_events(OodaFlow, &journal.events[..n_events]);
            prop_assert_eq!(&again.decide(), &decision);
            prop_assert_eq!(&again.decide(), &decision, "deciding twice is harmless");
            let is_one_thing = decision.want.len() + decision.waits.len() + usize::from(decision.finish.is_some());
            prop_assert_eq!(is_one_thing, 1);
        }
        // No beginning is so odd that nothing can be decided.
        for n_events in 1..=journal.events.len() {
            let _ = Journal::of_events(OodaFlow, &journal.events[..n_events]).decide();
        }
    }
}

#[test]
fn a_step_that_was_cut_off_is_wanted_again() {
    let mut journal = observed(&plan(), &[1]);
    propose(&mut journal, 1, 1);
    let begun = journal.start("trial:1.1");
    let again = Journal::of_events(OodaFlow, &journal.events);
    assert_eq!(again.step("trial:1.1"), begun);
    let mut deciding = observed(&plan(), &[1]);
    let begun = deciding.start("material:1");
    let again = Journal::of_events(OodaFlow, &deciding.events);
    assert_eq!(again.step("material:1"), begun);
}
