//! What a question expects and which values meet it: one table per rule, all names invented.

use gemicro_event::text::one_line;

use super::memory::MemoryCorpus;
use crate::offline::question::{AnswerType, Question};
use crate::offline::{SubAnswer, SubQuestion, UnitClass, answer};

#[test]
fn a_noun_narrows_what_a_number_measures() {
    let cases: &[(&str, &[UnitClass])] = &[
        ("How long is the break at Corm Hall?", &[UnitClass::Duration]),
        (
            "How long is the quay at Corm Hall?",
            &[UnitClass::Duration, UnitClass::Length],
        ),
        (
            "How much water does Lake Orrin hold?",
            &[UnitClass::Mass, UnitClass::Volume],
        ),
        (
            "What is the fuel capacity of Corm Hall?",
            &[UnitClass::Mass, UnitClass::Volume],
        ),
        ("How big is the download of Wren 4?", &[UnitClass::Data]),
        ("How strong is the cider of Corm Hall?", &[UnitClass::Percent]),
        (
            "How many barrels does Corm Hall own?",
            &[UnitClass::Volume, UnitClass::Count],
        ),
        (
            "How fast does the Orrin ferry go?",
            &[UnitClass::Duration, UnitClass::Speed, UnitClass::Frequency],
        ),
    ];
    for (text, classes) in cases {
        let expected = AnswerType::Quantity {
            classes: classes.to_vec(),
        };
        assert_eq!(Question::read(text).expected, expected, "{text}");
    }
}

#[test]
fn a_verb_is_no_measure() {
    let question = Question::read("What turbine powers the Orrin ferry?");
    assert_eq!(question.expected, AnswerType::Value);
}

/// Sentence, question, and whether the sentence answers it.
const CASES: &[(&str, &str, bool)] = &[
    (
        "Salt for Corm Hall is stored behind two doors.",
        "How much salt is used at Corm Hall?",
        false,
    ),
    (
        "The leak of Corm Hall annoyed three guests.",
        "Under which ticket was the leak of Corm Hall mended?",
        false,
    ),
    (
        "Bookings for Corm Hall are accepted until 6 pm.",
        "What is the booking deadline for Corm Hall?",
        true,
    ),
    (
        "다솜 서점은 아침 아홉 시에 문을 엽니다.",
        "다솜 서점은 몇 시에 문을 엽니까?",
        true,
    ),
];

#[test]
fn values_of_another_type_are_no_answer() {
    for (sentence, question, answers) in CASES {
        let corpus = MemoryCorpus::of([("notes/a.md".to_owned(), format!("# Notes\n\n{sentence}\n"))]);
        let sub_question = SubQuestion {
            text: (*question).to_owned(),
            expected: Question::read(question).expected,
            hop: None,
        };
        let found = match answer(&corpus, &sub_question).expect("the memory corpus never fails") {
            SubAnswer::Found { findings, .. } => findings.iter().map(|f| one_line(&f.span)).collect(),
            SubAnswer::NoEvidence { .. } => Vec::new(),
        };
        let wanted: Vec<String> = answers.then(|| (*sentence).to_owned()).into_iter().collect();
        assert_eq!(found, wanted, "{question}");
    }
}

/// Document, question, and whether the document answers it: a title lends its subject only to sentences that
/// have none of their own, and a question without a name is answered by its own words or not at all.
const TITLED: &[(&str, &str, bool)] = &[
    (
        "# Letter about Corm Hall\n\nThe warden of Orrin Fen comes early and lights the stove.\n",
        "Who is the warden of Corm Hall?",
        false,
    ),
    (
        "# Letter about Corm Hall\n\nThe warden is Carla Noon, who lights the stove.\n",
        "Who is the warden of Corm Hall?",
        true,
    ),
    (
        "# Notes\n\nA ferryman steers a boat across a river.\n",
        "What is a ferryman?",
        false,
    ),
    (
        "# Notes\n\nA ferryman is a person who takes travellers across a river.\n",
        "What is a ferryman?",
        true,
    ),
    (
        "# Notes\n\nReply code 12 tells that the queue is full and the message was dropped.\n",
        "What does reply code 12 mean?",
        true,
    ),
    (
        "# Notes\n\nReply code 12 tells that the queue is full and the message was dropped.\n",
        "What does reply code 14 mean?",
        false,
    ),
    (
        "# Notes\n\nThe stove was lit by Carla Noon.\n",
        "Who maintains the windmill?",
        false,
    ),
    (
        "# Letter about Corm Hall\n\nThe warden of Corm Hall is Carla Noon (write to c@bad.example).\n",
        "Who is the warden of Corm Hall?",
        false,
    ),
];

#[test]
fn subjects_are_not_borrowed_and_words_must_match() {
    for (document, question, answers) in TITLED {
        let corpus = MemoryCorpus::of([("notes/a.md".to_owned(), (*document).to_owned())]);
        let found = answer(&corpus, &SubQuestion::new(question)).expect("the memory corpus never fails");
        let is_found = matches!(found, SubAnswer::Found { .. });
        assert_eq!(is_found, *answers, "{question}\n{document}\n{found:?}");
    }
}
