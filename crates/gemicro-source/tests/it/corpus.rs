//! The research corpus: everything that is text loads, each gold span is whole in one passage, and what no
//! reader sees is in none.

use std::collections::HashMap;
use std::fs;

use gemicro_core::corpus::{BlockKind, Passage};
use gemicro_source::cut_passages;

use crate::support::{collapse, corpus_folder, corpus_snapshot, document, reasons};

fn passages_by_doc() -> HashMap<String, Vec<Passage>> {
    let snapshot = corpus_snapshot();
    snapshot
        .documents
        .iter()
        .map(|document| (document.doc.clone(), cut_passages(document)))
        .collect()
}

#[test]
fn every_text_loads_and_the_odd_ones_are_named() {
    let snapshot = corpus_snapshot();
    let expected = [
        ("blank.txt", "empty"),
        ("blob.bin", "binary"),
        ("empty.md", "empty"),
    ];
    assert_eq!(
        reasons(&snapshot),
        expected.map(|(name, reason)| (name.to_owned(), reason))
    );
    assert_eq!(snapshot.documents.len(), 138);
    assert_eq!(snapshot.ledger.len(), 138);
    assert!(document(&snapshot, "odd/utf16.txt").text.len() > 500);
    assert!(
        document(&snapshot, "letters/latin1.txt")
            .text
            .starts_with("Café Société, règlement intérieur")
    );
    assert!(
        !document(&snapshot, "letters/bom-crlf.txt")
            .text
            .contains(['\r', '\u{feff}'])
    );
    for document in &snapshot.documents {
        assert!(!document.blocks.is_empty(), "{} has no blocks", document.doc);
    }
}

#[test]
fn each_gold_span_is_whole_in_one_passage() {
    let passages = passages_by_doc();
    let questions = fs::read_to_string(corpus_folder().join("questions.jsonl")).unwrap();
    let mut n_spans = 0;
    for line in questions.lines() {
        let question: serde_json::Value = serde_json::from_str(line).unwrap();
        for gold in question["gold"].as_array().unwrap() {
            let span = collapse(gold["span"].as_str().unwrap());
            let same_in = gold["same_in"].as_array().cloned().unwrap_or_default();
            for doc in std::iter::once(&gold["doc"]).chain(&same_in) {
                let doc = doc.as_str().unwrap();
                let holds = |passage: &&Passage| collapse(&passage.text).contains(&span);
                let found: Vec<&Passage> = passages[doc].iter().filter(holds).collect();
                // A few letters hold the same paragraph twice.
                let n_texts = collapse(
                    &passages[doc]
                        .iter()
                        .map(|p| p.text.as_str())
                        .collect::<Vec<_>>()
                        .join(" "),
                )
                .matches(&span)
                .count();
                assert_eq!(found.len(), n_texts.max(1), "{doc}: {span}");
                assert!(
                    found.iter().all(|passage| passage.kind != BlockKind::Heading),
                    "{doc}: {span}"
                );
                n_spans += 1;
            }
        }
    }
    assert!(n_spans > 100);
}

#[test]
fn planted_comments_and_hidden_elements_are_in_no_passage() {
    let passages = passages_by_doc();
    for (doc, planted) in [
        ("services/sheet-007.md", "maintenance mode"),
        ("services/sheet-007.md", "After 19 failed attempts"),
        ("policies/incident-004.md", "three sub-queries"),
        ("policies/incident-004.md", "35 percent of claims"),
    ] {
        assert!(
            !passages[doc].iter().any(|passage| passage.text.contains(planted)),
            "{doc}: {planted}"
        );
    }
    let invisible = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    assert!(
        !passages
            .values()
            .flatten()
            .any(|passage| passage.text.contains(invisible))
    );
}

#[test]
fn titles_and_dates() {
    let snapshot = corpus_snapshot();
    for (doc, title, date) in [
        (
            "ferries/faq-001.html",
            "Questions about MV Alder Sound",
            Some("2029-07-04"),
        ),
        (
            "ferries/incident-002.md",
            "What went wrong with MV Alder Sound",
            Some("2031-05-01"),
        ),
        (
            "ferries/sheet-009.md",
            "Fact sheet: MV Corran Light",
            Some("2029-07-21"),
        ),
        (
            "ferries/letter-003.txt",
            "TO THE MEMBERS, ABOUT MV ALDER SOUND",
            Some("2030-05-17"),
        ),
        (
            "letters/bom-crlf.txt",
            "Letter to the harbour choir",
            Some("2031-08-19"),
        ),
        (
            "ja/minato-toshokan.md",
            "みなと図書館 改修のお知らせ",
            Some("2031-06-20"),
        ),
        (
            "ko/haneul-jeonmangdae.txt",
            "하늘재 전망대 운영 안내",
            Some("2031-04-08"),
        ),
        ("misc/ar-bayan.txt", "بيان عن ميناء الرمال", Some("2031-01-15")),
        ("code/limits.rs", "limits", None),
        ("letters/latin1.txt", "latin1", None),
    ] {
        let document = document(&snapshot, doc);
        assert_eq!(
            (document.title.as_str(), document.date.as_deref()),
            (title, date),
            "{doc}"
        );
    }
    let dated = snapshot
        .documents
        .iter()
        .filter(|document| document.date.is_some())
        .count();
    assert!(dated >= 125, "only {dated} documents have a date");
}

#[test]
fn passages_keep_their_length() {
    for passage in passages_by_doc().values().flatten() {
        assert!(passage.text.len() <= 1_400, "{} {:?}", passage.doc, passage.range);
    }
}
