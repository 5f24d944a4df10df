//! Ordinary folders: tables, contradictions over all documents, closest passages.

use super::memory::MemoryCorpus;
use crate::offline::{SubAnswer, answer, decompose};

fn corpus() -> MemoryCorpus {
    let documents = [
        (
            "vendors.md",
            "# Vendors\n\n| vendor | annual_cost_eur | owner |\n|---|---|---|\n| Hetzner | 31200 | Priya |\n| GitLab | 6264 | Femi |\n| HubSpot | 7900 | Annika |\n",
        ),
        (
            "backups.md",
            "# Backups\n\nNightly backups are kept for 30 days.\n",
        ),
        (
            "restore.md",
            "# Restore\n\nNightly backups are kept for 60 days.\n",
        ),
        (
            "office.md",
            "# Office\n\nThe printer is in the hallway beside the plants.\n",
        ),
        (
            "queue.md",
            "# Queue\n\nMessages go through Apache Kafka before they are stored.\n",
        ),
        (
            "models.md",
            "# Models\n\n| | Alva | Brio |\n|---|---|---|\n| Heating | gas | oil |\n| Weight | 6 kg | 9 kg |\n",
        ),
        (
            "keys.md",
            "# Keys\n\nThe code of the key safe is changed on the first day of each quarter.\n\n**Who gets a key?**\nIngrid Solheim and anyone with a desk.\n",
        ),
        (
            "kettles.md",
            "# Kettles\n\nThe Brava One boils in 90 seconds. The Brava Duo boils in 70 seconds.\n",
        ),
    ];
    MemoryCorpus::of(documents.map(|(doc, text)| (doc.to_owned(), text.to_owned())))
}

fn ask(question: &str) -> SubAnswer {
    let parts = decompose(question, 5);
    answer(&corpus(), &parts[parts.len() - 1]).unwrap()
}

fn found(question: &str) -> (Vec<String>, String) {
    match ask(question) {
        SubAnswer::Found {
            findings, summary, ..
        } => {
            let spans = findings.into_iter().map(|finding| finding.span);
            (spans.collect(), summary.unwrap_or_default())
        }
        other @ SubAnswer::NoEvidence { .. } => panic!("{question}: {other:?}"),
    }
}

#[test]
fn columns_are_looked_up_and_worked_out() {
    let (rows, summary) = found("Which vendor has the highest annual cost?");
    assert_eq!(rows, ["| Hetzner | 31200 | Priya |"]);
    assert_eq!(
        summary,
        "Hetzner has the highest annual_cost_eur: 31200, of 3 rows."
    );
    let (rows, summary) = found("What is the average annual cost of the vendors?");
    assert_eq!(rows.len(), 3);
    assert_eq!(summary, "Average annual_cost_eur of 3 rows: 15121.3.");
    let (rows, summary) = found("What is the total annual cost of all vendors?");
    assert_eq!(rows.len(), 3);
    assert_eq!(summary, "Total annual_cost_eur of 3 rows: 45364.");
    let (rows, summary) = found("Is HubSpot or GitLab more expensive?");
    assert_eq!(rows.len(), 2);
    assert!(summary.contains("difference: 1636"), "{summary}");
}

#[test]
fn another_document_with_another_value_is_shown() {
    let SubAnswer::Found { contradictions, .. } = ask("How long are nightly backups kept?") else {
        panic!("the documents say it");
    };
    let sides: Vec<(&str, &str)> = contradictions
        .iter()
        .flat_map(|it| &it.sides)
        .map(|side| (side.doc.as_str(), side.value.as_str()))
        .collect();
    assert_eq!(sides, [("backups.md", "30"), ("restore.md", "60")]);
}

#[test]
fn other_passages_are_shown_beside_an_answer() {
    let SubAnswer::Found {
        findings, related, ..
    } = ask("How fast does the Brava One boil?")
    else {
        panic!("a document says it");
    };
    assert_eq!(findings[0].span, "The Brava One boils in 90 seconds.");
    assert!(
        related
            .iter()
            .all(|it| it.doc != "kettles.md" || !it.span.contains("Brava One")),
        "{related:?}"
    );
    let SubAnswer::Found { related, .. } = ask("Who gets a key?") else {
        panic!("a document says it");
    };
    let others: Vec<&str> = related.iter().map(|it| it.span.as_str()).collect();
    assert_eq!(
        others,
        ["The code of the key safe is changed on the first day of each quarter."]
    );
}

#[test]
fn without_an_answer_the_closest_passages_are_given() {
    let SubAnswer::NoEvidence { reason, related, .. } = ask("When was the printer in the hallway bought?")
    else {
        panic!("no document says it");
    };
    assert_eq!(reason, "No document answers this directly.");
    assert_eq!(
        related[0].span,
        "The printer is in the hallway beside the plants."
    );
}

#[test]
fn a_name_is_absent_only_where_no_document_holds_it() {
    let reason = |question: &str| match ask(question) {
        SubAnswer::NoEvidence { reason, .. } => reason,
        other @ SubAnswer::Found { .. } => panic!("{question}: {other:?}"),
    };
    assert_eq!(
        reason("Which port does Kafka use?"),
        "No document answers this directly."
    );
    assert_eq!(reason("Which port does Redis use?"), "No document names “Redis”.");
}

#[test]
fn a_part_that_has_no_answer_leaves_none_for_what_refers_to_it() {
    let SubAnswer::NoEvidence { reason, .. } = ask("Who wrote the anthem, and how old is she?") else {
        panic!("no document says it");
    };
    assert!(
        reason.starts_with("It depends on “Who wrote the anthem?”"),
        "{reason}"
    );
}

#[test]
fn a_sentence_that_only_mentions_what_is_asked_for_is_no_answer() {
    let SubAnswer::NoEvidence { related, .. } = ask("What is the code of the key safe?") else {
        panic!("no document gives the code");
    };
    assert!(
        related[0].span.contains("is changed on the first day"),
        "{related:?}"
    );
}

#[test]
fn a_question_in_a_document_is_quoted_with_its_answer() {
    let (spans, _) = found("Who gets a key?");
    assert!(spans[0].contains("Ingrid Solheim"), "{spans:?}");
}

#[test]
fn a_function_word_that_ends_a_name_counts() {
    let (spans, _) = found("How long does the Brava One take to boil?");
    assert_eq!(spans, ["The Brava One boils in 90 seconds."]);
}

#[test]
fn a_table_without_a_head_for_its_keys_is_read_by_column() {
    let (_, summary) = found("What heating does the Brio have?");
    assert_eq!(summary, "Heating – Brio: oil.");
}
