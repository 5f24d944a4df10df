//! The cautious count against true counts of the Gemma 3 vocabulary.

use proptest::prelude::*;
use serde::Deserialize;

use super::{CautiousCount, TokenCount, byte_bound};

#[derive(Deserialize)]
struct Sample {
    tokens: u64,
    text: String,
}

#[test]
fn history_counts_are_rarely_too_low_and_never_by_much() {
    let samples: Vec<Sample> = include_str!("samples.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut real, mut counted, mut n_low) = (0, 0, 0);
    for sample in &samples {
        let count = CautiousCount.tokens(&sample.text);
        assert!(byte_bound(&sample.text) >= sample.tokens, "{}", sample.text);
        assert!(
            count * 100 >= sample.tokens * 90,
            "{count} for {}: {}",
            sample.tokens,
            sample.text
        );
        real += sample.tokens;
        counted += count;
        n_low += usize::from(count < sample.tokens);
    }
    println!(
        "{} samples: {real} tokens, counted {counted}, {n_low} too low",
        samples.len()
    );
    assert!(n_low * 50 <= samples.len() && counted * 100 >= real * 110 && counted * 100 <= real * 140);
}

#[test]
fn history_counts_of_data_stay_above_what_was_measured() {
    // What the Gemma 3 vocabulary makes of these very texts.
    let hex = "4ea151465a5b6df10739895d9f105e72f31cf89e".repeat(25);
    assert!(CautiousCount.tokens(&hex) >= 925);
    let base64 = "xk63SRUTYEQPaIlZnolJcRC1Cj64Bo6SgFhhtFrN".repeat(25);
    assert!(CautiousCount.tokens(&base64) >= 675);
    assert!(CautiousCount.tokens(&"1234567890".repeat(100)) >= 1_000);
    assert_eq!(CautiousCount.tokens(&"\u{1b}\0".repeat(500)), 1_000);
    assert_eq!(CautiousCount.tokens(""), 0);
    // Runs of one sign: 399 of them between two letters.
    for (sign, tokens) in [
        (" ", 15),
        ("\n", 15),
        ("|", 202),
        ("(", 201),
        ("<", 102),
        ("=", 9),
        ("e", 102),
        ("L", 201),
    ] {
        let run = format!("x{}x", sign.repeat(399));
        assert!(CautiousCount.tokens(&run) >= tokens, "{sign:?}");
    }
}

#[test]
fn history_counts_rare_signs_by_their_bytes() {
    // Of each pair, the vocabulary has the first sign and not the second.
    for (known, rare, bytes) in [
        ("的", "毈", 3),
        ("한", "춙", 3),
        ("é", "ŀ", 2),
        ("😀", "\u{1f6da}", 4),
    ] {
        assert_eq!(CautiousCount.tokens(&known.repeat(50)), 50, "{known}");
        assert_eq!(CautiousCount.tokens(&rare.repeat(50)), 50 * bytes, "{rare}");
    }
}

proptest! {
    #[test]
    fn history_counts_add_up(left in any::<String>(), right in any::<String>()) {
        let both = CautiousCount.tokens(&format!("{left}\n{right}"));
        prop_assert!(both <= CautiousCount.tokens(&left) + CautiousCount.tokens(&right) + 3);
        prop_assert!(both <= (left.len() + right.len() + 1) as u64);
    }
}
