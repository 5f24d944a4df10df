//! Every compressor keeps to the limit and says what it kept.

use std::sync::Arc;

use gemicro_core::history::{
    Author, HistoryConfig, HistoryError, HistoryManager, Summariser, Turn, compressor_named,
};

use super::corpus::{Lossy, Measured, conversation};

fn compress(
    name: &str,
    log: &gemicro_core::history::ConversationLog,
    summariser: Option<Arc<dyn Summariser>>,
) -> Result<gemicro_core::history::CompressedPrompt, HistoryError> {
    let compressor = compressor_named(name).expect("a name of ours");
    let mut history = HistoryManager::from_log(HistoryConfig::default(), log);
    if let Some(summariser) = summariser {
        history = history.with_summariser(summariser);
    }
    history.compressed_by(compressor.as_ref())
}

#[test]
fn each_reports_ratio_retention_and_cost() {
    let log = conversation();
    for name in ["summarise", "hierarchical", "retrieval", "adaptive"] {
        let compressed = compress(name, &log, Some(Arc::new(Lossy))).unwrap();
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
    let recalled = &compressed.plan.recalled[0];
    assert_eq!(recalled.before, 501);
    let text = &compressed.prompt.text;
    assert!(text.contains("drop the GraphQL edge"));
    assert!(
        text.find("recalled\n") < text.find("501 user"),
        "before the message"
    );
    assert!(compressed.report.tokens_after <= 16_000);
}
