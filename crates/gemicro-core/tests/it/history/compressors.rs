//! Every compressor keeps to the limit and says what it kept.

use gemicro_core::history::{
    Author, Compressible, FactLedger, HistoryConfig, HistoryError, Material, Summariser, Turn,
    compressor_named,
};
use gemicro_core::tokens::{CautiousCount, TokenCount};

use super::corpus::{Lossy, Measured, conversation};

/// What a compressor needs, made from a log by hand.
fn compress(
    name: &str,
    log: &gemicro_core::history::ConversationLog,
    summariser: Option<&dyn Summariser>,
) -> Result<gemicro_core::history::Compressed, HistoryError> {
    let mut ledger = FactLedger::new();
    for turn in log.turns() {
        ledger.absorb(turn);
    }
    let costs: Vec<u64> = log
        .turns()
        .iter()
        .map(|turn| CautiousCount.tokens(&turn.text) + 40)
        .collect();
    let config = HistoryConfig::default();
    let material = Material {
        log,
        ledger: &ledger,
        costs: &costs,
        config: &config,
        counter: &CautiousCount,
    };
    compressor_named(name)
        .expect("a name of ours")
        .compress(&Compressible { material, summariser })
}

#[test]
fn each_reports_ratio_retention_and_cost() {
    let log = conversation();
    for name in ["summarise", "hierarchical", "retrieval", "adaptive"] {
        let compressed = compress(name, &log, Some(&Lossy)).unwrap();
        let report = &compressed.report;
        let measured = Measured::new(&compressed.prompt.text, report, 500);
        println!(
            "{name}: ratio {:.3}, {} segments, {} model calls, {}",
            report.ratio,
            report.segments.len(),
            report.n_model_calls,
            measured.line()
        );
        assert_eq!(report.compressor, name);
        assert!(report.tokens_after <= 16_000 && report.n_model_calls <= 2);
        assert_eq!(measured.silent, Vec::<String>::new(), "{name}");
        for class in ["rule", "decision", "last-request"] {
            assert!(measured.is_whole(class), "{name} {class}");
        }
        let json = serde_json::to_value(report).unwrap();
        for field in [
            "compressor",
            "level",
            "tokens_before",
            "tokens_after",
            "ratio",
            "segments",
            "pinned",
            "lost",
        ] {
            assert!(json.get(field).is_some(), "{field}");
        }
    }
    assert!(compressor_named("magic").is_none());
}

#[test]
fn deduplication_alone_refuses_what_is_too_long() {
    assert!(matches!(
        compress("deduplicate", &conversation(), None),
        Err(HistoryError::TooSmall { .. })
    ));
    let small = conversation().cut_after(30);
    let compressed = compress("deduplicate", &small, None).unwrap();
    assert!(compressed.plan.segments.is_empty() && compressed.report.ratio < 1.0);
}

#[test]
fn hierarchical_segments_are_longer_the_older_they_are() {
    let compressed = compress("hierarchical", &conversation(), None).unwrap();
    let lengths: Vec<u64> = compressed
        .plan
        .segments
        .iter()
        .map(|segment| segment.last + 1 - segment.first)
        .collect();
    assert!(
        lengths.len() >= 3 && lengths.windows(2).all(|pair| pair[0] > pair[1]),
        "{lengths:?}"
    );
}

#[test]
fn retrieval_shows_what_the_message_is_about() {
    let mut log = conversation();
    log.append(Turn::new(
        Author::User,
        "What was that about the GraphQL edge that nobody called?",
    ));
    let compressed = compress("retrieval", &log, None).unwrap();
    assert!(
        compressed.plan.recalled.contains(&2),
        "{:?}",
        compressed.plan.recalled
    );
    let text = &compressed.prompt.text;
    assert!(
        text.find("recalled 2 user") < text.find("501 user"),
        "before the message"
    );
    assert!(compressed.report.tokens_after <= 16_000);
}
