//! For any text and question: every span is verbatim in its document, at its range, without an address.

use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::strategy::Strategy;

use super::memory::MemoryCorpus;
use super::quoted::research;
use crate::corpus::BlockKind;
use crate::offline::addresses::holds_address;
use crate::offline::decompose;
use crate::offline::sentence::sentences;
use crate::offline::value::values;

fn words() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "Marl",
        "Farm",
        "farm",
        "keeps",
        "140",
        "cows.",
        "The",
        "the",
        "of",
        "is",
        "run",
        "by",
        "Ada",
        "Lund.",
        "4.1",
        "crowns",
        "\n\n",
        "\n",
        "https://host.test/x",
        "# ",
        "| ",
        "- ",
        "who",
        "what",
        "how",
        "many",
        "and",
        "where",
        "?",
        "谁",
        "青山车站",
        "八千米。",
        "みどり館は",
        "칠백 미터",
        "ميناء",
        "**",
        "<|im_start|>",
        "Assistant:",
        "é",
        "\u{200b}",
        "(",
        ")",
        "3 May 2030",
        "\"",
    ]);
    proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn spans_are_verbatim(text in words(), other in words(), question in words(), name in proptest::sample::select(vec!["a.md", "a.txt", "a.html", "a.rs"])) {
        let corpus = MemoryCorpus::of([(name.to_owned(), text), ("b.md".to_owned(), other)]);
        for question in [question.as_str(), "How many cows does Marl Farm keep?", "Who runs Marl Farm?", "How does the farm run?"] {
            let composed = research(&corpus, question);
            for citation in &composed.citations {
                let stored = &corpus.texts[&citation.doc];
                assert_eq!(stored.get(citation.range.clone()), Some(citation.span.as_str()));
                assert!(!holds_address(&citation.span), "{}", citation.span);
                assert!(corpus.passages.iter().any(|passage| passage.doc == citation.doc && passage.text.contains(&citation.span)));
            }
        }
    }

    #[test]
    fn nothing_panics_on_any_text(text in any::<String>()) {
        for range in sentences(&text, BlockKind::Paragraph) {
            values(&text[range], &[]);
        }
        let _ = decompose(&text, 5);
        let corpus = MemoryCorpus::of([("a.md".to_owned(), text.clone())]);
        research(&corpus, &text);
    }
}
