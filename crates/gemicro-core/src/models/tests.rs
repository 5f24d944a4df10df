//! The embedded file reads, costs are exact and rounded up, unknown is not free.

use gemicro_event::{Charge, Usage};

use super::{ModelPrice, ModelSize, ModelTable};

fn usage(input_tokens: u64, output_tokens: u64, cached_tokens: u64) -> Usage {
    Usage {
        input_tokens,
        output_tokens,
        cached_tokens,
        ..Usage::default()
    }
}

#[test]
fn the_embedded_table_reads() {
    let table = ModelTable::embedded();
    assert_eq!(table.date(), "2026-11-15");
    assert!(!table.source().is_empty());
    assert!(table.models().count() >= 14);
    let flash = table.price("gemini-3.8-flash").unwrap();
    assert_eq!(
        *flash,
        ModelPrice {
            input: 750_000,
            output: 3_750_000,
            cached: 750_000
        }
    );
    assert_eq!(table.price("models/gemini-3.8-flash"), Some(flash));
    let size = ModelSize {
        window: 1_048_576,
        max_output: 65_536,
        shared_window: false,
    };
    assert_eq!(table.size("gemini-3-flash-preview"), Some(size));
}

#[test]
fn an_unknown_price_is_not_zero() {
    let table = ModelTable::embedded();
    assert_eq!(table.price("gemini-4-carbon"), None);
    assert!(table.size("gemini-4-carbon").is_some());
    assert_eq!((table.price("llama3:8b"), table.size("llama3:8b")), (None, None));
}

#[test]
fn costs_are_rounded_up() {
    let price = ModelPrice {
        input: 750_000,
        output: 3_750_000,
        cached: 75_000,
    };
    for (used, micro_usd) in [
        (usage(0, 0, 0), 0),
        (usage(1, 0, 0), 1),
        (usage(0, 1, 0), 4),
        (usage(1_000_000, 1_000_000, 0), 4_500_000),
        (usage(1_000_000, 0, 1_000_000), 75_000),
        (usage(1_000_000, 0, 9_000_000), 75_000),
        (usage(1_000_000, 0, 400_000), 480_000),
    ] {
        assert_eq!(price.cost(&used), micro_usd, "{used:?}");
    }
    assert_eq!(
        ModelPrice {
            input: u64::MAX,
            ..price
        }
        .cost(&usage(u64::MAX, 0, 0)),
        u64::MAX
    );
}

#[test]
fn the_worst_case_covers_every_call_within_its_bounds() {
    let price = ModelPrice {
        input: 2_000_000,
        output: 10_000_000,
        cached: 500_000,
    };
    let worst = price.worst_case(1000, 200);
    assert_eq!(
        worst,
        Charge {
            tokens: 1200,
            micro_usd: 4000,
            turns: 1,
            ..Charge::ZERO
        }
    );
    for used in [usage(1000, 200, 0), usage(1000, 200, 700), usage(10, 0, 0)] {
        let charge = price.charge(&used);
        assert!(
            charge.tokens <= worst.tokens
                && charge.micro_usd <= worst.micro_usd
                && charge.turns <= worst.turns
        );
    }
}

#[test]
fn broken_files_are_refused() {
    let file = |model: &str| format!("date = \"d\"\nsource = \"s\"\n{model}");
    let model = |fields: &str| format!("[[model]]\nid = \"m\"\nwindow = 1\nmax_output = 1\n{fields}\n");
    let check = |model: &str, expected: &str| {
        let error = ModelTable::from_toml(&file(model)).unwrap_err();
        assert!(error.contains(expected), "{model}: {error}");
    };
    check("x = 1", "malformed");
    check(&model("colour = 1"), "malformed");
    check(&model("input = \"1\""), "only one of its prices");
    for bad in ["", "-1", "1e3", "0.0000001", "1.2.3", "free"] {
        let fields = format!("input = \"{bad}\"\noutput = \"1\"");
        check(&model(&fields), "not an amount in dollars");
    }
    check(&(model("") + &model("")), "listed twice");
}

#[test]
fn stale_names_become_current_ones_with_a_word_about_it() {
    let table = ModelTable::embedded();
    let cases = [
        ("gemini-3-pro-preview", "gemini-3.1-pro-preview", true),
        ("models/gemini-2.0-flash-001", "gemini-3.5-flash", true),
        ("gemini-2.0-flash-lite", "gemini-3.5-flash-lite", true),
        ("gemini-2.5-pro", "gemini-2.5-pro", false),
        ("gemini-3-flash-preview", "gemini-3-flash-preview", false),
        ("models/gemini-3.8-flash", "gemini-3.8-flash", false),
        ("deep-research", "deep-research-preview-04-2026", false),
        ("gemini-9-neon", "gemini-9-neon", false),
        ("llama3:8b", "llama3:8b", false),
    ];
    for (name, id, noticed) in cases {
        let resolved = table.resolve(name);
        assert_eq!(
            (resolved.id.as_str(), resolved.notice.is_some()),
            (id, noticed),
            "{name}"
        );
    }
    let notice = table.resolve("gemini-3-pro-preview").notice.expect("a notice");
    assert_eq!(
        notice,
        "model gemini-3-pro-preview was shut down on 2026-03-09; using gemini-3.1-pro-preview"
    );
}

#[test]
fn every_replacement_is_known_itself_and_current() {
    let table = ModelTable::embedded();
    for old in &table.replaced {
        assert!(table.knows(&old.by), "{}", old.by);
        assert_eq!(table.resolve(&old.by).notice, None, "{}", old.by);
    }
    assert_eq!(table.replacement("gemini-2.5-flash"), Some("gemini-3.5-flash"));
    assert!(table.is_agent("deep-research-preview-04-2026") && !table.is_agent("gemini-3.8-flash"));
}

#[test]
fn a_name_with_a_date_is_the_model_without_it() {
    let table = ModelTable::embedded();
    for dated in [
        "claude-sonnet-4-5-20250929",
        "gpt-5.2-2025-12-11",
        "claude-opus-4-8-20260901",
    ] {
        assert!(table.size(dated).is_some(), "{dated}");
    }
    assert_eq!(
        table.price("claude-opus-4-8-20260901"),
        table.price("claude-opus-4-8")
    );
    for other in [
        "claude-sonnet-4-5-2025092",
        "gpt-5.2-2025-1a-11",
        "-20250929",
        "claude-sonnet-9-9-20250929",
        "é-2025",
    ] {
        assert!(!table.knows(other), "{other}");
    }
}
