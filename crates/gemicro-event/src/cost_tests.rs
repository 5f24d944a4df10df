//! What is not known about a cost survives sums and JSON, and is said in one way.

use super::*;

fn charge(tokens: u64, micro_usd: u64) -> Charge {
    Charge {
        tokens,
        micro_usd,
        turns: 1,
        ..Charge::ZERO
    }
}

fn unpriced(model: &str, tokens: u64) -> Charge {
    Charge {
        unpriced_models: UnpricedTokens::of(model, tokens),
        ..charge(tokens, 0)
    }
}

#[test]
fn words_say_what_is_not_known() {
    let paid = charge(1_247, 12_300);
    let free = unpriced("gemini-3.5-flash", 39_597);
    for (cost, words, short) in [
        (Charge::ZERO, None, None),
        (paid, Some("1,247 tokens, $0.0123"), Some("1,247 tokens, $0.0123")),
        (
            free,
            Some("39,597 tokens, no known price for gemini-3.5-flash"),
            Some("39,597 tokens, price unknown"),
        ),
        (
            paid.plus(free),
            Some("40,844 tokens, at least $0.0123, 39,597 tokens of gemini-3.5-flash have no known price"),
            Some("40,844 tokens, at least $0.0123"),
        ),
        (
            free.plus(unpriced("gpt-5", 1)),
            Some("39,598 tokens, no known price for gemini-3.5-flash and gpt-5"),
            Some("39,598 tokens, price unknown"),
        ),
        (
            paid.as_upper_bound(),
            Some("up to 1,247 tokens, up to $0.0123"),
            Some("up to 1,247 tokens, up to $0.0123"),
        ),
        (
            paid.as_upper_bound().plus(free),
            Some(
                "up to 40,844 tokens, up to $0.0123 for calls with a known price, 39,597 tokens of gemini-3.5-flash have no known price",
            ),
            Some("up to 40,844 tokens, price partly unknown"),
        ),
    ] {
        assert_eq!(cost.in_words().as_deref(), words);
        assert_eq!(cost.in_short().as_deref(), short);
    }
}

#[test]
fn json_names_the_models_and_older_json_still_reads() {
    let cost = charge(10, 5).as_upper_bound().plus(unpriced("m", 7));
    let json = serde_json::json!({
        "tokens": 17, "micro_usd": 5, "turns": 2,
        "unpriced_models": [{ "model": "m", "tokens": 7 }],
        "uncertain": { "tokens": 10, "micro_usd": 5 },
    });
    assert_eq!(serde_json::to_value(cost).unwrap(), json);
    assert_eq!(serde_json::from_value::<Charge>(json).unwrap(), cost);
    let old = serde_json::json!({ "tokens": 17, "micro_usd": 5, "turns": 2 });
    assert_eq!(
        serde_json::to_value(charge(17, 5).plus(charge(0, 0))).unwrap(),
        old
    );
    assert_eq!(
        serde_json::from_value::<Charge>(old).unwrap().in_words().unwrap(),
        "17 tokens, $0.000005"
    );
}

#[test]
fn sums_do_not_depend_on_their_order_and_come_back_to_nothing() {
    let parts = [
        unpriced("b", 2),
        unpriced("a", 1),
        charge(5, 5).as_upper_bound(),
        unpriced("b", 3),
    ];
    let sum = parts.iter().fold(Charge::ZERO, |sum, part| sum.plus(*part));
    let back = parts.iter().rev().fold(Charge::ZERO, |sum, part| sum.plus(*part));
    assert_eq!(sum, back);
    assert_eq!(
        parts.iter().fold(sum, |left, part| left.minus(*part)),
        Charge::ZERO
    );
}

#[test]
fn tokens_of_many_models_are_all_counted() {
    let many = (0..9).fold(UnpricedTokens::NONE, |sum, n| {
        sum.plus(UnpricedTokens::of(&format!("m{n}"), 10))
    });
    assert_eq!(many.total(), 90);
    assert!(many.iter().any(|it| it.model.as_str() == OTHER_MODELS));
}
