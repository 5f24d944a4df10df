//! The estimator against true counts, its bounds, and calibration.

use proptest::prelude::*;
use serde::Deserialize;

use super::{Calibrated, TokenCounter, WeightedEstimator};

/// A text of ours or invented, counted with the Gemma 3 vocabulary.
#[derive(Deserialize)]
struct Sample {
    kind: String,
    tokens: u64,
    text: String,
}

fn samples() -> Vec<Sample> {
    include_str!("samples.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn nineteen_of_twenty_estimates_are_within_15_percent() {
    let samples = samples();
    assert!(samples.len() >= 100);
    let off: Vec<String> = samples
        .iter()
        .map(|sample| {
            (
                sample,
                WeightedEstimator.expected(&sample.text) as f64 / sample.tokens as f64 - 1.0,
            )
        })
        .filter(|(_, error)| error.abs() > 0.15)
        .map(|(sample, error)| format!("{} {:+.0} %", sample.kind, error * 100.0))
        .collect();
    assert!(
        off.len() * 20 <= samples.len(),
        "{} of {}: {off:?}",
        off.len(),
        samples.len()
    );
}

#[test]
fn the_safe_count_is_never_too_low() {
    for sample in samples() {
        assert!(
            WeightedEstimator.safe(&sample.text) >= sample.tokens,
            "{}",
            sample.text
        );
    }
}

#[test]
fn edges() {
    assert_eq!(WeightedEstimator.expected(""), 0);
    for text in ["x", " ", "\n", "\0", "é", "字", "😀", "\u{301}", "\u{10ffff}"] {
        let expected = WeightedEstimator.expected(text);
        assert!((1..=text.len() as u64).contains(&expected), "{text:?} {expected}");
    }
}

#[test]
fn reports_correct_the_expectation_and_nothing_else() {
    let text = "plain words of a sentence ".repeat(40);
    let plain = WeightedEstimator.expected(&text);
    let mut calibrated = Calibrated::new(WeightedEstimator);
    assert_eq!(calibrated.expected(&text), plain);
    calibrated.learn(10, 1000);
    calibrated.learn(1000, 0);
    assert!((calibrated.ratio() - 1.0).abs() < 1e-9);
    for _ in 0..30 {
        calibrated.learn_from(&text, plain * 5 / 4);
    }
    assert!((calibrated.ratio() - 1.25).abs() < 0.01);
    assert!(calibrated.expected(&text).abs_diff(plain * 5 / 4) < 10);
    assert_eq!(calibrated.safe(&text), WeightedEstimator.safe(&text));
    for _ in 0..100 {
        calibrated.learn(100, 1_000_000);
    }
    assert!(calibrated.ratio() <= 2.0);
}

/// A careless counter would be quadratic here and run into the test runner's limit.
#[test]
fn long_runs_are_counted() {
    for piece in ["a", "a1B2", "1", "-", " ", "é", "字", "a-/"] {
        let text = piece.repeat(1_000_000);
        assert!(WeightedEstimator.expected(&text) > 0, "{piece}");
    }
}

proptest! {
    #[test]
    fn any_text_has_a_count_up_to_its_bytes(text in any::<String>()) {
        let expected = WeightedEstimator.expected(&text);
        prop_assert!(expected <= text.len() as u64 && expected <= WeightedEstimator.safe(&text));
    }
}
