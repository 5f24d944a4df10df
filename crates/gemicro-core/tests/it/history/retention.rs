//! Retention, limits and prefixes, measured on the corpus. Figures are printed; see them with `--no-capture`.

use gemicro_core::history::{FactClass, HistoryConfig, HistoryError, HistoryManager, Level};
use gemicro_core::tokens::{CautiousCount, TokenCount};

use super::corpus::{Measured, conversation, decoys, limited, lossy};

const CUTS: [u64; 5] = [100, 200, 300, 400, 500];

/// Turn by turn with 16k tokens and a summariser that says nothing.
#[test]
fn nothing_is_lost_through_many_compactions() {
    let decoys = decoys();
    let mut history = lossy(HistoryConfig::default());
    let mut before = String::new();
    let mut breaks = Vec::new();
    for turn in conversation().turns() {
        history.add_turn(turn.clone());
        let n_compactions = history.compaction_count();
        let result = history.prompt().unwrap();
        assert!(result.estimated_tokens <= 16_000, "turn {}", turn.number);
        let common = before
            .bytes()
            .zip(result.prompt.bytes())
            .take_while(|(left, right)| left == right)
            .count();
        if common * 100 < before.len() * 95 {
            assert!(
                history.compaction_count() > n_compactions,
                "break inside an epoch at turn {}",
                turn.number
            );
            breaks.push(turn.number);
        }
        before.clone_from(&result.prompt);
        if !CUTS.contains(&turn.number) {
            continue;
        }
        let report = history.report().unwrap();
        let measured = Measured::new(&result.prompt, &report, turn.number);
        println!(
            "turn {}: {} compactions, {} tokens, {} facts pinned, {} lost, needles: {}",
            turn.number,
            history.compaction_count(),
            result.estimated_tokens,
            report.pinned.len(),
            report.lost.len(),
            measured.line()
        );
        assert!(history.compaction_count() >= 3);
        assert_eq!(measured.silent, Vec::<String>::new());
        assert_eq!(measured.n_missing, 0, "all needles fit into the default cap");
        for decoy in &decoys {
            assert!(
                report.pinned.iter().all(|fact| !fact.text.contains(&decoy.exact)),
                "{}",
                decoy.exact
            );
        }
    }
    let shortest = breaks.windows(2).map(|pair| pair[1] - pair[0]).min();
    println!("{} breaks, shortest epoch {shortest:?} turns", breaks.len());
    assert!(shortest >= Some(8), "{breaks:?}");
    assert!(before.contains("c-open"), "the open call");
}

/// The whole log at once, as after a restart without a stored plan, with no summariser at all.
#[test]
fn nothing_is_lost_by_one_large_compaction() {
    for cut in CUTS {
        let mut history = HistoryManager::from_log(HistoryConfig::default(), &conversation().cut_after(cut));
        let result = history.prompt().unwrap();
        let measured = Measured::new(&result.prompt, &history.report().unwrap(), cut);
        println!(
            "turn {cut} at once: {} tokens, {}",
            result.estimated_tokens,
            measured.line()
        );
        assert_eq!(measured.silent, Vec::<String>::new());
        assert_eq!(measured.n_missing, 0);
    }
}

#[test]
fn reported_loss_is_measured_loss_for_every_cap() {
    let log = conversation();
    for cap in [0, 100, 500, 1_000, 2_000, 3_000, 4_000, 6_000] {
        let config = HistoryConfig {
            ledger_cap_tokens: Some(cap),
            ..HistoryConfig::default()
        };
        let mut history = HistoryManager::from_log(config, &log);
        let result = history.prompt().unwrap();
        let measured = Measured::new(&result.prompt, &history.report().unwrap(), 500);
        println!("cap {cap}: {} missing, {}", measured.n_missing, measured.line());
        assert_eq!(measured.silent, Vec::<String>::new(), "cap {cap}");
        for class in ["rule", "decision", "last-request"] {
            assert!(measured.is_whole(class), "cap {cap}: {class}");
        }
    }
}

#[test]
fn no_prompt_is_longer_than_its_limit_or_it_is_refused() {
    let log = conversation();
    for limit in [500, 2_000, 4_000, 10_000] {
        let mut history = lossy(limited(limit));
        let mut n_refused = 0;
        for turn in log.turns() {
            history.add_turn(turn.clone());
            // Every prefix is too much for a debug build; the step is prime to the rhythm of the log.
            if turn.number % 5 != 0 {
                continue;
            }
            match history.prompt() {
                Ok(result) => {
                    assert!(
                        result.estimated_tokens <= limit,
                        "turn {}: {}",
                        turn.number,
                        result.estimated_tokens
                    );
                    assert!(CautiousCount.tokens(&result.prompt) <= limit);
                }
                Err(HistoryError::TooSmall {
                    needed,
                    limit: reported,
                }) => {
                    assert!(needed > limit && reported == limit);
                    n_refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        println!("limit {limit}: {n_refused} of 100 prompts refused");
        assert_eq!(n_refused == 0, limit >= 10_000);
    }
}

#[test]
fn a_larger_prompt_keeps_more() {
    let log = conversation();
    let mut history = HistoryManager::from_log(limited(32_000), &log);
    let result = history.prompt().unwrap();
    let report = history.report().unwrap();
    let measured = Measured::new(&result.prompt, &report, 500);
    println!("32k: {} tokens, {}", result.estimated_tokens, measured.line());
    assert_eq!(measured.n_missing, 0);
    assert_eq!(report.level, Level::Heavy);
    let rules = report.retention[&FactClass::Rule];
    assert_eq!(rules.kept, rules.total);
    assert!(report.ratio < 0.2 && report.tokens_after <= 32_000);
}

#[test]
fn a_compaction_never_makes_a_prompt_longer() {
    let log = conversation();
    for limit in [6_000, 16_000] {
        let mut history = lossy(limited(limit));
        let mut before = 0;
        for turn in log.range(1, 200) {
            history.add_turn(turn.clone());
            let n_compactions = history.compaction_count();
            let whole = CautiousCount.tokens(&turn.text) + 200;
            let Ok(result) = history.prompt() else {
                before = 0;
                continue;
            };
            if history.compaction_count() > n_compactions && before > 0 {
                let grown = before + whole;
                assert!(
                    result.estimated_tokens <= grown,
                    "turn {}: {before} to {}",
                    turn.number,
                    result.estimated_tokens
                );
            }
            before = result.estimated_tokens;
        }
    }
}
