//! Whole answers over small corpora: subjects, types, hops, contradictions, explanations, composition.

use super::memory::MemoryCorpus;
use super::quoted::research;
use crate::offline::{Gate, SubAnswer, SubQuestion, answer};

const DOCUMENTS: &[(&str, &str)] = &[
    (
        "farms/marl.md",
        "# Marl Farm\n\n2030-01-02\n\nMarl Farm keeps 140 cows. The dairy is run by Ada Lund. Ada Lund holds the keys of Marl Farm. \
         Milk is cooled to 4 degrees at Marl Farm. The tool shed of Marl Farm was painted red.\n\n## Papers\n\nThe papers of Marl Farm are archived at Stone House.\n",
    ),
    (
        "farms/upper-marl.md",
        "# Upper Marl Farm\n\n2030-02-02\n\nUpper Marl Farm keeps 90 cows. We like Upper Marl Farm in May.\n",
    ),
    (
        "places/stone-house.txt",
        "STONE HOUSE\n2031-05-05\n\nThe warden of Stone House is Per Holt. The yearly rent for\nStone House is 700 crowns.\n",
    ),
    (
        "old/cows.md",
        "# Cows in the valley\n\n2022-03-03\n\nIn the valley Marl Farm has a herd of 120 cows (figure of 3 March 2022).\n",
    ),
    (
        "old/cows-copy.md",
        "# Cows in the valley\n\n2022-03-04\n\nIn the valley Marl Farm has a herd of 120 cows (figure of 3 March 2022).\n",
    ),
    (
        "soft/limits.rs",
        "/// The cobb-relay refuses frames larger than 512 bytes.\npub const MAX: usize = 512;\n",
    ),
    (
        "guide/recovery.md",
        "# Recovery\n\nEvery step is written to the journal before it runs. After a crash the run resumes from the journal and no finished step runs twice.\n\nThe colour of the prompt can be changed.\n",
    ),
    (
        "tables/bells.md",
        "# Bells of the parish\n\n| Bell | Weight | Cast |\n|---|---|---|\n| Bell Anna | 310 kg | 1821 |\n| Bell Berta | 480 kg | 1902 |\n",
    ),
];

fn corpus() -> MemoryCorpus {
    MemoryCorpus::of(
        DOCUMENTS
            .iter()
            .map(|(doc, text)| ((*doc).to_owned(), (*text).to_owned())),
    )
}

#[test]
fn questions_get_their_sentences() {
    let corpus = corpus();
    let cases: &[(&str, &[&str])] = &[
        (
            "Who has the keys to Marl Farm?",
            &["Ada Lund holds the keys of Marl Farm."],
        ),
        (
            "How many cows live at Upper Marl Farm?",
            &["Upper Marl Farm keeps 90 cows."],
        ),
        (
            "At what temperature is milk kept at Marl Farm?",
            &["Milk is cooled to 4 degrees at Marl Farm."],
        ),
        (
            "What is the yearly rent for Stone House?",
            &["The yearly rent for\nStone House is 700 crowns."],
        ),
        (
            "At the place where the papers of Marl Farm are archived, who is the warden?",
            &[
                "The papers of Marl Farm are archived at Stone House.",
                "The warden of Stone House is Per Holt.",
            ],
        ),
        (
            "What rent is paid for the building that holds the papers of Marl Farm?",
            &[
                "The papers of Marl Farm are archived at Stone House.",
                "The yearly rent for\nStone House is 700 crowns.",
            ],
        ),
        (
            "How many cows does Marl Farm have?",
            &[
                "In the valley Marl Farm has a herd of 120 cows (figure of 3 March 2022).",
                "Marl Farm keeps 140 cows.",
            ],
        ),
        (
            "What is the largest frame that cobb-relay accepts?",
            &["The cobb-relay refuses frames larger than 512 bytes."],
        ),
        ("How heavy is Bell Berta?", &["| Bell Berta | 480 kg | 1902 |"]),
        ("When was Bell Anna cast?", &["| Bell Anna | 310 kg | 1821 |"]),
        ("Who is the vet of Marl Farm?", &[]),
        ("How large is the field of Marl Farm?", &[]),
        ("How many cows live at Lower Marl Farm?", &[]),
        ("How many cows live at Marl Farms?", &[]),
        ("Who won the Marl Cup?", &[]),
    ];
    for (question, expected) in cases {
        let composed = research(&corpus, question);
        let mut spans: Vec<&str> = composed
            .citations
            .iter()
            .map(|citation| citation.span.as_str())
            .collect();
        let mut expected = expected.to_vec();
        spans.sort_unstable();
        expected.sort_unstable();
        assert_eq!(spans, expected, "{question}\n{}", composed.text);
    }
}

#[test]
fn broad_questions_get_sentences_of_the_documentation() {
    let composed = research(&corpus(), "How does a run survive a crash?");
    assert!(
        composed.text.contains("the run resumes from the journal"),
        "{}",
        composed.text
    );
    assert!(!composed.text.contains("colour"), "{}", composed.text);
    let nothing = research(&corpus(), "How does the rocket reach orbit?");
    assert!(nothing.citations.is_empty(), "{}", nothing.text);
}

#[test]
fn every_refusal_names_its_gate() {
    let corpus = corpus();
    for (question, expected) in [
        ("Who runs Hazel Farm?", Gate::Subject),
        (
            "How large is the field of Upper Marl Farm in hectares?",
            Gate::Coverage,
        ),
        ("How many tractors does Upper Marl Farm own?", Gate::Coverage),
    ] {
        match answer(&corpus, &SubQuestion::new(question)).unwrap() {
            SubAnswer::NoEvidence { gate, reason, .. } => {
                assert_eq!(gate, expected, "{question}: {reason}");
                assert!(reason.ends_with('.'), "{reason}");
            }
            SubAnswer::Found { findings, .. } => panic!("{question}: {findings:?}"),
        }
    }
}

#[test]
fn a_contradiction_has_one_side_per_document() {
    let found = answer(&corpus(), &SubQuestion::new("How many cows does Marl Farm have?")).unwrap();
    let SubAnswer::Found { contradictions, .. } = found else {
        panic!("{found:?}")
    };
    let mut sides: Vec<(&str, &str, Option<&str>)> = contradictions[0]
        .sides
        .iter()
        .map(|side| (side.doc.as_str(), side.value.as_str(), side.date.as_deref()))
        .collect();
    sides.sort_unstable();
    assert_eq!(contradictions.len(), 1);
    assert_eq!(
        sides,
        [
            ("farms/marl.md", "140", Some("2030-01-02")),
            ("old/cows-copy.md", "120", Some("2022-03-04"))
        ]
    );
}

#[test]
fn answers_survive_storage() {
    let corpus = corpus();
    for text in ["Who has the keys to Marl Farm?", "Who runs Hazel Farm?"] {
        let sub_question = SubQuestion::new(text);
        let part = (sub_question.clone(), answer(&corpus, &sub_question).unwrap());
        let json = serde_json::to_string(&part).unwrap();
        assert_eq!(
            serde_json::from_str::<(SubQuestion, SubAnswer)>(&json).unwrap(),
            part
        );
    }
}
