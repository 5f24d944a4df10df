//! Syntax tables, the account's verbs one by one, and its invariants over random histories.

mod arguments;

use gemicro_event::{Charge, ErrorKind, Failure, StepKey};
use proptest::prelude::*;

use super::{BudgetRefusal, Ledger, LimitKind, Limits, Purpose, SettledCost};

const NONE: Limits = Limits::NONE;

fn tokens(tokens: u64) -> Charge {
    Charge {
        tokens,
        ..Charge::ZERO
    }
}

fn key(label: &str) -> StepKey {
    StepKey::new(label)
}

#[test]
fn a_draft_copies_only_what_it_tries() {
    let limits = Limits {
        tokens: Some(10_100),
        ..NONE
    };
    let mut ledger = Ledger::new(limits, Charge::ZERO);
    for n in 0..10_000 {
        ledger
            .reserve(&key(&format!("step {n}")), 1, tokens(1), Purpose::Ordinary)
            .unwrap();
    }
    let tried = ["step 7", "step 8", "new", "newer"].map(key);
    let mut draft = ledger.draft(tried.iter());
    assert_eq!((draft.n_steps(), draft.reserved()), (2, tokens(10_000)));
    draft
        .reserve(&key("step 7"), 1, tokens(5), Purpose::Ordinary)
        .unwrap();
    assert_eq!(
        draft.reserved(),
        tokens(10_000),
        "an attempt that is known stays as it is"
    );
    draft.release(&key("step 8"), 1);
    draft
        .reserve(&key("new"), 1, tokens(101), Purpose::Ordinary)
        .unwrap();
    let refused = draft.reserve(&key("newer"), 1, tokens(1), Purpose::Ordinary);
    assert!(refused.is_err(), "what was tried before counts");
    assert_eq!((draft.n_steps(), draft.reserved()), (3, tokens(10_100)));
    assert_eq!(ledger.reserved(), tokens(10_000), "the account stays as it is");
}

#[test]
fn a_call_reserves_settles_and_frees_the_rest() {
    let mut ledger = Ledger::new("1000,10turns".parse().unwrap(), tokens(200));
    let call = Charge {
        tokens: 600,
        micro_usd: 5,
        turns: 1,
        ..Charge::ZERO
    };
    assert_eq!(
        ledger.available(Purpose::Ordinary),
        Charge {
            tokens: 800,
            micro_usd: u64::MAX,
            turns: 10,
            ..Charge::ZERO
        }
    );
    ledger.reserve(&key("a"), 1, call, Purpose::Ordinary).unwrap();
    assert_eq!(ledger.reserved(), call);
    let refusal = ledger
        .reserve(&key("b"), 1, tokens(300), Purpose::Ordinary)
        .unwrap_err();
    assert_eq!(
        refusal,
        BudgetRefusal {
            limit: LimitKind::Tokens,
            asked: 300,
            left: 200
        }
    );
    assert_eq!(
        refusal.to_string(),
        "the budget has 200 tokens left and the next call may need 300 tokens"
    );
    assert_eq!(Failure::from(refusal).kind, ErrorKind::BudgetExceeded);
    let actual = Charge {
        tokens: 100,
        micro_usd: 2,
        turns: 1,
        ..Charge::ZERO
    };
    assert_eq!(ledger.settle(&key("a"), 1, actual), SettledCost { overrun: None });
    assert_eq!((ledger.total_charge(), ledger.reserved()), (actual, Charge::ZERO));
    assert_eq!(ledger.remaining().tokens, 900);
}

#[test]
fn what_is_held_back_is_for_the_last_step_alone() {
    let mut ledger = Ledger::new("1000".parse().unwrap(), tokens(300));
    ledger
        .reserve(&key("work"), 1, tokens(700), Purpose::Ordinary)
        .unwrap();
    assert!(
        ledger
            .reserve(&key("more"), 1, tokens(1), Purpose::Ordinary)
            .is_err()
    );
    ledger
        .reserve(&key("report"), 1, tokens(300), Purpose::Last)
        .unwrap();
    let _ = ledger.settle(&key("work"), 1, tokens(500));
    // The report holds its own part now, so it is not kept free a second time.
    assert_eq!(ledger.available(Purpose::Ordinary).tokens, 200);
    ledger.release(&key("report"), 1);
    assert_eq!(ledger.available(Purpose::Ordinary).tokens, 200);
    assert_eq!(ledger.available(Purpose::Last).tokens, 500);
}

#[test]
fn an_unknown_attempt_costs_its_reservation_until_the_truth_is_known() {
    let mut ledger = Ledger::new("1000".parse().unwrap(), Charge::ZERO);
    ledger
        .reserve(&key("a"), 1, tokens(400), Purpose::Ordinary)
        .unwrap();
    ledger.forfeit(&key("a"), 1);
    ledger.forfeit(&key("a"), 1);
    ledger.release(&key("a"), 1);
    assert_eq!(
        (ledger.total_charge(), ledger.reserved()),
        (tokens(400).as_upper_bound(), Charge::ZERO)
    );
    assert_eq!(
        ledger.settle(&key("a"), 1, tokens(50)),
        SettledCost { overrun: None }
    );
    assert_eq!(ledger.total_charge(), tokens(50));
}

#[test]
fn an_overrun_is_charged_in_full_and_reported() {
    let mut ledger = Ledger::new("100".parse().unwrap(), Charge::ZERO);
    ledger
        .reserve(&key("a"), 1, tokens(60), Purpose::Ordinary)
        .unwrap();
    assert_eq!(
        ledger.settle(&key("a"), 1, tokens(130)),
        SettledCost {
            overrun: Some(tokens(70))
        }
    );
    assert_eq!(
        ledger.settle(&key("a"), 1, tokens(130)),
        SettledCost { overrun: None }
    );
    assert_eq!(
        ledger.settle(&key("stranger"), 7, tokens(5)),
        SettledCost {
            overrun: Some(tokens(5))
        }
    );
    assert_eq!(
        (ledger.total_charge(), ledger.remaining().tokens),
        (tokens(135), 0)
    );
    assert!(ledger.reserve(&key("b"), 1, tokens(1), Purpose::Last).is_err());
    assert!(ledger.reserve(&key("c"), 1, Charge::ZERO, Purpose::Last).is_ok());
}

#[test]
fn the_used_share_is_that_of_the_nearest_limit() {
    let mut ledger = Ledger::new("100,$1".parse().unwrap(), Charge::ZERO);
    let _ = ledger.settle(&key("a"), 1, tokens(80));
    let _ = ledger.settle(&key("b"), 1, tokens(10));
    assert!((ledger.used_share() - 0.9).abs() < 1e-9);
    assert_eq!(
        Ledger::new(NONE, tokens(5)).used_share().to_bits(),
        0.0_f64.to_bits()
    );
}

#[test]
fn limits_travel_as_json_without_absent_fields() {
    let limits: Limits = "50k,10m".parse().unwrap();
    let text = serde_json::to_string(&limits).unwrap();
    assert_eq!(text, r#"{"tokens":50000,"wall_ms":600000}"#);
    assert_eq!(serde_json::from_str::<Limits>(&text).unwrap(), limits);
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Reserve(u64, Purpose),
    Settle(u64),
    Release,
    Forfeit,
}

fn verb() -> impl Strategy<Value = Verb> {
    prop_oneof![
        3 => (0u64..400, any::<bool>()).prop_map(|(amount, last)| {
            Verb::Reserve(amount, if last { Purpose::Last } else { Purpose::Ordinary })
        }),
        3 => (0u64..=100).prop_map(Verb::Settle),
        1 => Just(Verb::Release),
        1 => Just(Verb::Forfeit),
    ]
}

proptest! {
    #[test]
    fn spent_and_reserved_never_pass_a_limit(
        history in proptest::collection::vec((0u8..6, 0u32..3, verb()), 0..60),
        limit in 1u64..1500,
        held_back in 0u64..600,
    ) {
        let limits = Limits { tokens: Some(limit), turns: Some(limit), ..NONE };
        let mut ledger = Ledger::new(limits, tokens(held_back));
        let mut reservations = std::collections::BTreeMap::new();
        for (step, attempt, verb) in history {
            let step = key(&format!("s{step}"));
            let id = (step.clone(), attempt);
            match verb {
                Verb::Reserve(amount, purpose) => {
                    let charge = Charge { tokens: amount, micro_usd: amount, turns: amount / 2, ..Charge::ZERO };
                    let before = ledger.available(purpose);
                    let is_new = !reservations.contains_key(&id);
                    match ledger.reserve(&step, attempt, charge, purpose) {
                        Ok(()) => drop(reservations.entry(id).or_insert(charge)),
                        Err(refusal) => prop_assert!(is_new && refusal.asked > refusal.left
                            && (charge.tokens > before.tokens || charge.turns > before.turns)),
                    }
                }
                // Percent of the reservation: a call never costs more than its worst case.
                Verb::Settle(percent) => if let Some(reservation) = reservations.get(&id) {
                    let part = |amount: u64| amount * percent / 100;
                    let actual = Charge {
                        tokens: part(reservation.tokens),
                        micro_usd: part(reservation.micro_usd),
                        turns: part(reservation.turns),
                        ..Charge::ZERO
                    };
                    let released_before = ledger.clone();
                    let settled = ledger.settle(&step, attempt, actual);
                    if settled.overrun.is_some() {
                        // Only an attempt that was released can cost more than it holds; take that back.
                        ledger = released_before;
                    } else {
                        let once = ledger.clone();
                        prop_assert_eq!(ledger.settle(&step, attempt, actual), SettledCost { overrun: None });
                        prop_assert_eq!(&ledger, &once);
                    }
                },
                Verb::Release => { ledger.release(&step, attempt); let once = ledger.clone(); ledger.release(&step, attempt); prop_assert_eq!(&ledger, &once); }
                Verb::Forfeit => { ledger.forfeit(&step, attempt); let once = ledger.clone(); ledger.forfeit(&step, attempt); prop_assert_eq!(&ledger, &once); }
            }
            let used = ledger.total_charge().plus(ledger.reserved());
            prop_assert!(used.tokens <= limit && used.turns <= limit);
            prop_assert_eq!(ledger.remaining().tokens, limit - used.tokens);
            prop_assert!(ledger.available(Purpose::Ordinary).tokens <= ledger.available(Purpose::Last).tokens);
        }
    }

    #[test]
    fn printing_and_reading_agree(
        tokens in proptest::option::of(1u64..1 << 53),
        micro_usd in proptest::option::of(1u64..1 << 53),
        wall_ms in proptest::option::of(1u64..1 << 53),
        turns in proptest::option::of(1u64..1 << 53),
    ) {
        let limits = Limits { tokens, micro_usd, wall_ms, turns };
        prop_assert_eq!(limits.to_string().parse::<Limits>(), Ok(limits));
    }

    #[test]
    fn no_text_makes_parsing_panic(text in "\\PC{0,20}") {
        let _ = text.parse::<Limits>();
    }
}
