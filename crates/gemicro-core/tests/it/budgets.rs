//! A thousand random budgets with a model that uses every token it may: never a token over, and a report
//! whenever the minimum allows one.

use gemicro_core::budget::Limits;
use gemicro_core::llm::scripted::Part;
use gemicro_core::research::events::ResearchReaders;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Event};

use crate::support::{ProbeStore, ResearchSetup, journal, terminal};

/// A small generator with a fixed seed: every failure can be run again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    /// Small amounts as often as large ones, and now and then exactly the minimum.
    fn amount(&mut self, minimum: u64, most: u64) -> u64 {
        match self.roll(8) {
            0 => minimum,
            1 => minimum.saturating_sub(1),
            2 => self.roll(minimum.max(1)),
            3 | 4 => minimum + self.roll(minimum.max(1)),
            _ => self.roll(most),
        }
    }
}

fn within(charge: Charge, limits: &Limits) -> bool {
    let fits = |amount: u64, cap: Option<u64>| cap.is_none_or(|cap| amount <= cap);
    fits(charge.tokens, limits.tokens)
        && fits(charge.micro_usd, limits.micro_usd)
        && fits(charge.turns, limits.turns)
}

struct Tally {
    n_reports: usize,
    n_partial: usize,
    n_refused: usize,
}

fn check(events: &[Event], setup: &ResearchSetup, tally: &mut Tally) {
    let limits = &setup.limits;
    let mut row = RunRow::new(events[0].stream.clone(), None);
    let mut refused = 0;
    for event in events {
        row.fold(event);
        assert!(
            within(row.spent, limits),
            "{limits}: {:?} after event {}",
            row.spent,
            event.seq
        );
        let failed = event.update.as_sub_query_failed();
        refused += usize::from(failed.is_some_and(|failed| failed.error_kind == ErrorKind::BudgetExceeded));
    }
    let enough = {
        let minimum = setup.plan.minimum();
        within(minimum, limits)
    };
    let last = &terminal(events).update;
    if let Some(result) = last.as_final_result() {
        tally.n_reports += 1;
        assert_eq!(result.metadata.total_tokens, row.spent.tokens, "{limits}");
        assert_eq!(result.metadata.micro_usd, row.spent.micro_usd, "{limits}");
        if refused > 0 {
            tally.n_partial += 1;
            assert!(
                result.partial.is_some(),
                "{limits}: {refused} refused and not a word about it"
            );
            assert_eq!(result.metadata.sub_queries_failed, refused, "{limits}");
        }
    } else {
        tally.n_refused += 1;
        let failed = last.as_run_failed().expect("a failure");
        assert!(
            !enough,
            "{limits} is enough for {:?}: {}",
            setup.plan.minimum(),
            failed.error
        );
        assert_eq!(
            failed.error.kind,
            ErrorKind::BudgetExceeded,
            "{limits}: {}",
            failed.error
        );
        assert_eq!(failed.spent, row.spent, "{limits}");
    }
}

#[tokio::test]
async fn a_thousand_random_budgets_hold() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut tally = Tally {
        n_reports: 0,
        n_partial: 0,
        n_refused: 0,
    };
    for _ in 0..1_000 {
        let mut setup = ResearchSetup::new(Part::Spender);
        if dice.roll(2) == 0 {
            setup = setup.without_sources();
        }
        if dice.roll(4) == 0 {
            setup.plan.question = format!(
                "{} And is it the best crossing? ",
                "Which crossing, please? ".repeat(30)
            );
        }
        setup.plan.config.max_sub_queries = 1 + dice.roll(6) as usize;
        let minimum = setup.plan.minimum();
        let units = 1 + dice.roll(7);
        let mut chosen =
            |bit: u64, minimum: u64, most: u64| (units & bit != 0).then(|| dice.amount(minimum, most));
        setup.limits = Limits {
            tokens: chosen(1, minimum.tokens, 80_000),
            micro_usd: chosen(2, minimum.micro_usd, 150_000),
            turns: chosen(4, minimum.turns, 12),
            wall_ms: None,
        };
        let store = ProbeStore::new();
        let (id, ended) = setup.run(&store).await;
        ended.expect("every budget ends in a word");
        check(&journal(&store, &id).await, &setup, &mut tally);
    }
    // The dice reach every sort of end.
    let Tally {
        n_reports,
        n_partial,
        n_refused,
    } = tally;
    println!("{n_reports} reports, {n_partial} of them partial; {n_refused} refused");
    assert!(
        n_reports > 400 && n_partial > 100 && n_refused > 100,
        "{n_reports} {n_partial} {n_refused}"
    );
}

#[tokio::test]
async fn a_failed_answer_is_never_charged_above_its_reservation() {
    // What a model wrote in vain is billed at its own price, not at the dearer one of output.
    for part in [Part::Garbage, Part::Lossy, Part::Echo] {
        let mut setup = ResearchSetup::new(part).edit_llm(|llm| llm.max_attempts = 1);
        setup.limits.micro_usd = Some(setup.plan.minimum().micro_usd);
        let events = setup.events().await;
        for ended in events.iter().filter_map(|event| event.update.as_step_failed()) {
            let started = events.iter().filter_map(|event| event.update.as_step_started());
            let reserved = started
                .filter(|it| it.step == ended.step)
                .map(|it| it.reserved)
                .next_back();
            let reserved = reserved.unwrap_or_default();
            assert!(
                ended.charge.micro_usd <= reserved.micro_usd,
                "{part:?}: {:?} of {reserved:?}",
                ended.charge
            );
        }
        let mut row = RunRow::new(events[0].stream.clone(), None);
        events.iter().for_each(|event| row.fold(event));
        assert!(within(row.spent, &setup.limits), "{part:?}");
    }
}

#[tokio::test]
async fn a_money_budget_for_a_model_without_a_price_is_refused() {
    let setup = ResearchSetup::new(Part::Spender).edit_llm(|llm| llm.model = "llama3:8b".to_owned());
    let limits = Limits {
        micro_usd: Some(1_000_000),
        ..Limits::default()
    };
    let refused = setup.plan.check(&limits).expect_err("no price");
    assert_eq!(refused.kind, ErrorKind::InvalidInput);
    setup
        .plan
        .check(&Limits {
            tokens: Some(50_000),
            ..Limits::default()
        })
        .expect("tokens can be kept");
}
